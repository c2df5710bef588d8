"""From probabilities and outcomes of some rows to a policy that offers products to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.inference._scored_rows import ScoredRows
from fairrank.welfare._group_recalibration import Curve, recalibrated
from fairrank.welfare._lending_policy import calibrated_rows
from fairrank.welfare._policy import welfare_optimal_policy
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._product_menu import ProductMenu
from fairrank.welfare._utilities import NamedUtility


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offers:
    """Of each row; the first column is rejection.

    Attributes
    ----------
    accepted, free : ndarray, shape (n, n_products + 1), in [0, 1]
        Probability of every option by the policy, and by the lender without the condition.
    """

    accepted: np.ndarray
    free: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OfferPolicy:
    """A policy with everything it needs to make offers to new rows.

    Attributes
    ----------
    policy : WelfarePolicy
    probability : ndarray, shape (n,)
        Those of the rows of the fit that the policy was found on.
    curves : list of callable, or None
        Recalibration of each group.
    named : NamedUtility or None
    """

    policy: WelfarePolicy
    probability: np.ndarray
    curves: list[Curve] | None
    named: NamedUtility | None

    def calibrated(self, probability: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Probabilities of other rows, by the curve of their group."""
        if self.curves is None:
            return probability
        return recalibrated(probability, code, self.curves)

    def decide(self, probability: np.ndarray, code: np.ndarray, terms: ProductMenu) -> Offers:
        """Make offers to rows with calibrated probabilities. O(n)."""
        nothing = np.zeros(probability.size)
        accepted = self.policy.rule.acceptance(
            np.column_stack([nothing, terms.revenue(probability)]),
            np.column_stack([nothing, terms.expected_utility(probability, code, self.named)]),
            code,
        )
        return Offers(accepted=accepted, free=self.free_choice(probability, terms))

    def free_choice(self, probability: np.ndarray, terms: ProductMenu) -> np.ndarray:
        """The option that brings most, the first of equal ones."""
        revenue = np.column_stack([np.zeros(probability.size), terms.revenue(probability)])
        return self.without_lots(revenue)

    def without_lots(self, accepted: np.ndarray) -> np.ndarray:
        """1 for the likeliest option of each row, the first of equal ones."""
        chosen = np.zeros(accepted.shape)
        chosen[np.arange(len(chosen)), accepted.argmax(axis=1)] = 1.0
        return chosen


def offer_policy(
    rows: ScoredRows, terms: ProductMenu, *, recalibrate: str | None, solver: dict[str, Any]
) -> OfferPolicy:
    """Recalibrate, scale the utility, and solve. All of it sees these rows only.

    Raises
    ------
    DegenerateGroupError
        As `lending_policy`.
    """
    probability, curves = calibrated_rows(rows, recalibrate)
    named = terms.scaled_on(probability, rows.code, rows.labels, rows.weight)
    policy = welfare_optimal_policy(
        terms.revenue(probability), terms.expected_utility(probability, rows.code, named),
        sensitive_features=rows.group, sample_weight=rows.weight, missing="group", **solver,
    )
    return OfferPolicy(policy=policy, probability=probability, curves=curves, named=named)
