"""From probabilities and outcomes of some rows to a policy that decides on others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.welfare._capacity import capacity_constrained_policy
from fairrank.welfare._capacity_result import BestPaying, PricedRule, mixed_acceptance
from fairrank.welfare._group_recalibration import (
    Curve,
    cross_recalibrated,
    group_curves,
    recalibrated,
)
from fairrank.welfare._lending_terms import LendingTerms
from fairrank.welfare._policy import welfare_optimal_policy
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._smoothing import SmoothedRule
from fairrank.welfare._threshold_rule import ThresholdRule
from fairrank.welfare._utilities import NamedUtility

SMALLEST = float(np.finfo(np.float64).tiny)
# Ratios of money that are equal on paper differ by this part at most.
SAME_RATIO = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """What the policy has to meet.

    Attributes
    ----------
    solver : dict
        Of `welfare_optimal_policy`.
    capacity : float or None
        Share of people, or of what they ask for.
    by_amount : bool
    recalibrate : {None, "logistic", "isotonic"}
    """

    solver: dict[str, Any]
    capacity: float | None
    by_amount: bool
    recalibrate: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decisions:
    """Of each row.

    Attributes
    ----------
    accepted, free : ndarray, shape (n,), in [0, 1]
        Probability of acceptance by the policy, and by the lender without the condition.
    margin : ndarray, shape (n,)
        ``revenue - multiplier * utility``, above 0 where `accepted` is at least one half.
    """

    accepted: np.ndarray
    free: np.ndarray
    margin: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LendingPolicy:
    """A policy with everything it needs to decide on new rows.

    Attributes
    ----------
    policy : WelfarePolicy
    probability : ndarray, shape (n,)
        Those of the rows of the fit that the policy was found on.
    curves : list of callable, or None
        Recalibration of each group.
    named : NamedUtility or None
    parts : tuple of PricedRule
    free_rule : BestPaying
    shadow_price : float
    by_amount : bool
        Whether the capacity is one of money.
    """

    policy: WelfarePolicy
    probability: np.ndarray
    curves: list[Curve] | None
    named: NamedUtility | None
    parts: tuple[PricedRule, ...]
    free_rule: BestPaying
    shadow_price: float
    by_amount: bool

    def calibrated(self, probability: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Probabilities of other rows, by the curve of their group."""
        if self.curves is None:
            return probability
        return recalibrated(probability, code, self.curves)

    def decide(
        self, probability: np.ndarray, code: np.ndarray, terms: LendingTerms
    ) -> Decisions:
        """Decide on rows with calibrated probabilities. O(n)."""
        revenue = terms.revenue(probability)
        utility = terms.expected_utility(probability, code, self.named)
        use = use_of(terms, self.by_amount)
        accepted = mixed_acceptance(self.parts, revenue, utility, use, code)
        margin = np.zeros(revenue.size)
        for one in self.parts:
            margin += one.part * (
                revenue - one.price * use - one.rule.multiplier[code] * utility
                + mean_shift(one.rule)[code]
            )
        # On the tie set the margin is 0, or a rounding of it on either side.
        margin = np.where(
            accepted >= 0.5, np.maximum(margin, SMALLEST), np.minimum(margin, -SMALLEST)
        )
        return Decisions(
            accepted=accepted, free=self.free_choice(probability, terms), margin=margin
        )

    def free_choice(self, probability: np.ndarray, terms: LendingTerms) -> np.ndarray:
        """Acceptance of rows by the lender without the condition."""
        return self.free_rule.acceptance(
            terms.revenue(probability), use_of(terms, self.by_amount)
        )

    def without_lots(self, accepted: np.ndarray) -> np.ndarray:
        """1 or 0 for each row: accepted from one half on."""
        return (accepted >= 0.5).astype(np.float64)

    def thresholds(self, terms: LendingTerms) -> list[float | None]:
        """Least probability that is accepted in each group; None where it is no one number.

        Of a mixture, that of its greater part: acceptance passes one half there.
        It is one where the utility is a named one and nothing but the size of a case differs:
        loss, price of use and utility are the same multiples of gain in all rows.
        """
        n_groups = len(self.policy.groups)
        if self.named is None or self.policy.smoothing:
            return [None] * n_groups
        main = max(self.parts, key=lambda priced: priced.part)
        one = np.ones(terms.gain.size)
        unit = terms.amount if self.named.name == "heterogeneous_opportunity" else one
        loss = one_ratio(terms.loss, terms.gain)
        worth = one_ratio(one if unit is None else unit, terms.gain)
        use = one_ratio(use_of(terms, self.by_amount), terms.gain) if main.price else 0.0
        if loss is None or use is None:
            return [None] * n_groups
        cost = loss + main.price * use
        found: list[float | None] = []
        for multiplier, beta in zip(main.rule.multiplier, self.named.scale):
            if multiplier and worth is None:
                found.append(None)
                continue
            shift = float(multiplier * beta * worth) if multiplier else 0.0
            if self.named.name == "demographic_parity":
                found.append((cost + shift) / (1.0 + loss))
                continue
            rate = 1.0 + loss - shift
            found.append(cost / rate if rate > 0 else float("inf"))
        return found


def one_ratio(part: np.ndarray, whole: np.ndarray) -> float | None:
    """``part / whole`` where it is the same in all rows, to rounding; else None."""
    ratio = part / whole
    low, high = float(ratio.min()), float(ratio.max())
    return low if high - low <= SAME_RATIO * high else None


def mean_shift(rule: ThresholdRule | SmoothedRule) -> np.ndarray:
    """By how much a smoothed rule raises each group's margin: half of its largest shifts.

    The sum of two uniform shifts is symmetric about its mean, so acceptance passes one half where
    the margin with mean shifts is 0.
    """
    if isinstance(rule, SmoothedRule):
        return 0.5 * (rule.revenue_shift - rule.multiplier * rule.utility_shift)
    return np.zeros(rule.multiplier.size)


def use_of(terms: LendingTerms, by_amount: bool) -> np.ndarray:
    """What accepting each row takes of the capacity."""
    amount = terms.amount
    return amount if by_amount and amount is not None else np.ones(terms.gain.size)


def lending_policy(
    rows: ScoredRows, terms: LendingTerms, options: PolicyOptions
) -> LendingPolicy:
    """Recalibrate, scale the utility, and solve. All of it sees these rows only.

    Raises
    ------
    DegenerateGroupError
        A group without a row, without weight, without a good case where the utility needs one,
        or whose welfare no decision changes; one group only.
    """
    probability, curves = calibrated_rows(rows, options.recalibrate)
    named = terms.scaled_on(probability, rows.code, rows.labels, rows.weight)
    revenue = terms.revenue(probability)
    utility = terms.expected_utility(probability, rows.code, named)
    given = {
        "sensitive_features": rows.group, "sample_weight": rows.weight, "missing": "group",
        **options.solver,
    }
    parts: tuple[PricedRule, ...]
    if options.capacity is None:
        policy, price = welfare_optimal_policy(revenue, utility, **given), 0.0
        parts = (PricedRule(part=1.0, price=0.0, rule=policy.rule),)
        free_rule = BestPaying(price=0.0, part=0.0)
    else:
        use = use_of(terms, options.by_amount)
        capacity = options.capacity * float(np.average(use, weights=rows.weight))
        found = capacity_constrained_policy(
            revenue, utility, capacity=capacity, use=use, **given
        )
        policy, price = found.policy, found.shadow_price
        parts, free_rule = found.parts, found.free_rule
    return LendingPolicy(
        policy=policy, probability=probability, curves=curves, named=named, parts=parts,
        free_rule=free_rule, shadow_price=price, by_amount=options.by_amount,
    )


def calibrated_rows(
    rows: ScoredRows, recalibrate: str | None
) -> tuple[np.ndarray, list[Curve] | None]:
    """Probabilities of the rows, recalibrated out of fold, and the curves for other rows.

    Raises
    ------
    DegenerateGroupError
        A group without a row.
    """
    n_groups = len(rows.labels)
    counts = np.bincount(rows.code, minlength=n_groups)
    if not counts.all():
        group = rows.labels[int(np.flatnonzero(counts == 0)[0])]
        raise DegenerateGroupError(f"sensitive_features: group {group!r} has no row.")
    if recalibrate is None:
        return rows.score, None
    fitted_on = (rows.score, rows.outcome, rows.code, n_groups, rows.weight)
    return (
        cross_recalibrated(*fitted_on, rows.fold, recalibrate),
        group_curves(*fitted_on, recalibrate),
    )


def with_groups_present(rows: ScoredRows) -> ScoredRows:
    """The same rows with codes into the groups that have one."""
    present, code = np.unique(rows.code, return_inverse=True)
    return replace(
        rows, code=code.astype(np.uint8), labels=tuple(rows.labels[g] for g in present)
    )
