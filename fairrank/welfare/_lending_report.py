"""Everything a fitted lender says about itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.welfare._disadvantage import disadvantage
from fairrank.welfare._group_calibration import calibration_table
from fairrank.welfare._held_out_policy import HeldOut, held_out_policy
from fairrank.welfare._policy_outcome import PolicyOutcome, Terms, policy_outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LendingReport:
    """See the attributes of `WelfareEqualizingClassifier`."""

    promised: PolicyOutcome
    realized: PolicyOutcome
    held_out: HeldOut
    calibration: dict[str, list]
    disadvantaged_group: Any
    disadvantage: dict[str, list]
    deterministic_welfare_gap: float


def lending_report(
    rows: ScoredRows, terms: Terms, found: Any, solve: Callable[[ScoredRows, Any], Any],
    without: np.ndarray | None = None,
) -> LendingReport:
    """Judge a policy by what it promises, by what happened, and on folds it was found without.

    Parameters
    ----------
    rows : ScoredRows
    terms : LendingTerms or ProductMenu
    found : LendingPolicy or OfferPolicy
        ``solve(rows, terms)``.
    solve : callable
    without : ndarray or None
        As for `held_out_policy`.

    Raises
    ------
    DegenerateGroupError
        A group without a good case where the utility needs one.
    """
    outcome = rows.outcome.astype(np.float64)
    accepted = found.policy.acceptance
    free = found.free_choice(found.probability, terms)

    def judged(good: np.ndarray, by: np.ndarray) -> PolicyOutcome:
        return policy_outcome(terms, good, by, free, rows.code, rows.labels, rows.weight)

    realized = judged(outcome, accepted)
    if np.isnan(realized.welfare).any():
        group = rows.labels[int(np.flatnonzero(np.isnan(realized.welfare))[0])]
        raise DegenerateGroupError(
            f"y: group {group!r} has no good case among its rows, so "
            f"utility={terms.utility!r} is undefined there. Take utility='demographic_parity', "
            "or leave the group out."
        )
    named, table = disadvantage(realized, terms, outcome, rows.code, rows.weight)
    given, free_given = (terms.of_decision(outcome, by)[0] for by in (accepted, free))
    return LendingReport(
        promised=judged(found.probability, accepted),
        realized=realized,
        held_out=held_out_policy(rows, terms, solve, without),
        calibration=calibration_table(
            found.probability, outcome, given, free_given, rows.code, rows.labels, rows.weight
        ),
        disadvantaged_group=named,
        disadvantage=table,
        deterministic_welfare_gap=judged(
            found.probability, found.without_lots(accepted)
        ).welfare_gap,
    )
