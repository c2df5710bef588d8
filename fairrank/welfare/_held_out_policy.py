"""What a policy comes to on the rows of a fold that it was found without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.welfare._policy_outcome import PolicyOutcome, Terms, policy_outcome

COLUMNS = (
    "n_rows", "revenue_unconstrained", "revenue_promised", "revenue", "revenue_standard_error",
    "price_of_fairness", "welfare_gap_promised", "welfare_gap",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """Outcomes of all held-out rows together, and a line a fold.

    Attributes
    ----------
    promised, realized : PolicyOutcome or None
        By probabilities, and by what happened; None without two folds.
    folds : dict of str to ndarray of shape (n_folds,)
        See `COLUMNS`; NaN where a fold has no policy, or no row of some group.
    """

    promised: PolicyOutcome | None
    realized: PolicyOutcome | None
    folds: dict[str, np.ndarray]


def held_out_policy(
    rows: ScoredRows, terms: Terms, solve: Callable[[ScoredRows, Any], Any],
    without: np.ndarray | None = None,
) -> HeldOut:
    """Solve without each fold, and decide on its rows.

    The recalibration and the utility's scale too see the other folds only; welfare is then judged
    by the held-out rows' own scale. Without `without` this is not fully nested: the other folds'
    probabilities come from models that were trained with this fold's outcomes.

    Parameters
    ----------
    rows : ScoredRows
    terms : LendingTerms or ProductMenu
    solve : callable
        ``(rows, terms) -> `` LendingPolicy or OfferPolicy.
    without : ndarray, shape (n_folds, n_samples), or None
        Scores of all rows of X by models without each fold, as in `OutOfFold`.
    """
    folds = np.unique(rows.fold[rows.fold >= 0])
    lines, decided = [], []
    for k in folds if folds.size > 1 else []:
        held_out = np.flatnonzero(rows.fold == k)
        others = np.flatnonzero(rows.fold != k)
        there = rows.take(held_out)
        try:
            seen = rows.take(others)
            if without is not None:
                seen = replace(seen, score=without[k, seen.place])
            found = solve(seen, terms.take(others))
        except DegenerateGroupError:  # a group that is in this fold only
            lines.append((held_out.size, *[np.nan] * (len(COLUMNS) - 1)))
            continue
        p = found.calibrated(there.score, there.code)
        decisions = found.decide(p, there.code, terms.take(held_out))
        decided.append((held_out, p, decisions.accepted, decisions.free))
        promised, realized = _by_both(rows, terms, *decided[-1])
        lines.append(
            (
                held_out.size, realized.total_revenue_unconstrained, promised.total_revenue,
                realized.total_revenue, realized.total_revenue_standard_error,
                realized.price_of_fairness, promised.welfare_gap, realized.welfare_gap,
            )
        )
    table = np.array(lines, dtype=np.float64).reshape(-1, len(COLUMNS)).T
    of_folds = dict(zip(COLUMNS, table))
    if not decided:
        return HeldOut(promised=None, realized=None, folds=of_folds)
    promised, realized = _by_both(rows, terms, *map(np.concatenate, zip(*decided)))
    return HeldOut(promised=promised, realized=realized, folds=of_folds)


def _by_both(
    rows: ScoredRows, terms: Terms, at: np.ndarray, probability: np.ndarray,
    accepted: np.ndarray, free: np.ndarray,
) -> tuple[PolicyOutcome, PolicyOutcome]:
    """Outcomes of the rows `at`, by probability and by what happened."""
    there, of_rows = rows.take(at), terms.take(at)
    promised, realized = (
        policy_outcome(
            of_rows, good, accepted, free, there.code, there.labels, there.weight
        )
        for good in (probability, there.outcome.astype(np.float64))
    )
    return promised, realized
