"""What a policy comes to on rows that had no part in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.welfare._lending_policy import PolicyOptions, lending_policy
from fairrank.welfare._lending_terms import LendingTerms
from fairrank.welfare._policy_outcome import PolicyOutcome, policy_outcome

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
    rows: ScoredRows, terms: LendingTerms, options: PolicyOptions
) -> HeldOut:
    """Solve without each fold, and decide on its rows.

    The recalibration and the utility's scale too see the other folds only; welfare is then judged
    by the held-out rows' own scale.
    """
    folds = np.unique(rows.fold[rows.fold >= 0])
    n = rows.score.size
    accepted, free, probability = (np.full(n, np.nan) for _ in range(3))
    lines = []
    for k in folds if folds.size > 1 else []:
        held_out = rows.fold == k
        there = rows.take(held_out)
        try:
            found = lending_policy(rows.take(~held_out), terms.take(~held_out), options)
        except DegenerateGroupError:  # a group that is in this fold only
            lines.append((there.score.size, *[np.nan] * (len(COLUMNS) - 1)))
            continue
        of_fold = terms.take(held_out)
        p = found.calibrated(there.score, there.code)
        decided = found.decide(p, there.code, of_fold)
        probability[held_out] = p
        accepted[held_out], free[held_out] = decided.accepted, decided.free
        promised, realized = (
            policy_outcome(
                of_fold, good, decided.accepted, decided.free, there.code, there.labels,
                there.weight,
            )
            for good in (p, there.outcome.astype(np.float64))
        )
        lines.append(
            (
                there.score.size, realized.total_revenue_unconstrained, promised.total_revenue,
                realized.total_revenue, realized.total_revenue_standard_error,
                realized.price_of_fairness, promised.welfare_gap, realized.welfare_gap,
            )
        )
    table = np.array(lines, dtype=np.float64).reshape(-1, len(COLUMNS)).T
    decided_on = ~np.isnan(accepted)
    by: list[PolicyOutcome | None] = [None, None]
    if decided_on.any():
        there, of_all = rows.take(decided_on), terms.take(decided_on)
        by = [
            policy_outcome(
                of_all, good, accepted[decided_on], free[decided_on], there.code, there.labels,
                there.weight,
            )
            for good in (probability[decided_on], there.outcome.astype(np.float64))
        ]
    return HeldOut(promised=by[0], realized=by[1], folds=dict(zip(COLUMNS, table)))
