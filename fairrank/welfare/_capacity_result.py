"""A mixture of two policies that meets a capacity, and the lender's own choice within it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._sensitive import encode_seen_groups
from fairrank._validation import as_finite_float, check_same_length
from fairrank.welfare._expected_revenue import positive_amounts
from fairrank.welfare._group_frontier import TIED
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._smoothing import SmoothedRule
from fairrank.welfare._threshold_rule import ThresholdRule


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PricedRule:
    """A part of a mixture: a rule for revenue less the price of what is used.

    Attributes
    ----------
    part : float in [0, 1]
    price : float
        Taken off revenue for each unit of use.
    rule : ThresholdRule or SmoothedRule
    """

    part: float
    price: float
    rule: ThresholdRule | SmoothedRule


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPaying:
    """Accept whoever pays more than a price for each unit of use: no condition on welfare.

    Attributes
    ----------
    price : float
        0 without a capacity that binds.
    part : float in [0, 1]
        Of those who pay just the price.
    """

    price: float
    part: float

    def acceptance(self, revenue: np.ndarray, use: np.ndarray | float) -> np.ndarray:
        """Probability of acceptance of each row. O(n)."""
        if self.price == 0.0:
            return (revenue > 0).astype(np.float64)
        rate = revenue / use
        near = np.abs(rate - self.price) <= TIED * self.price
        return np.where(near, self.part, (rate > self.price).astype(np.float64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CapacityPolicy:
    """The policy of largest revenue that equalizes welfare within a capacity.

    Attributes
    ----------
    policy : WelfarePolicy
        Values of the policy, and as `unconstrained` those of the best lender with the same
        capacity who need not equalize welfare. Its bound includes the capacity. Where that binds,
        rule and frontiers are of revenue less the shadow price, so that it does not decide on
        other people: `acceptance_probability` here does.
    capacity : float
    used : float
        Mean use per person; `capacity` where it binds.
    shadow_price : float
        Revenue that one more unit of capacity brings; 0 where it does not bind.
    parts : tuple of PricedRule
        Mixed so that the capacity is met exactly.
    free_rule : BestPaying
        That of the lender who need not equalize welfare.

    Examples
    --------
    >>> from fairrank.welfare import capacity_constrained_policy
    >>> found = capacity_constrained_policy(
    ...     [0.5, 0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb"), capacity=0.25
    ... )
    >>> found.policy.welfare.tolist(), found.used, round(found.shadow_price, 12)
    ([0.25, 0.25], 0.25, 0.4)
    """

    policy: WelfarePolicy
    capacity: float
    used: float
    shadow_price: float
    parts: tuple[PricedRule, ...]
    free_rule: BestPaying

    def acceptance_probability(
        self, revenue: Any, utility: Any, *, sensitive_features: Any, use: Any = 1.0
    ) -> np.ndarray:
        """Apply the policy to other people; the capacity is met where they are alike.

        Parameters
        ----------
        revenue, utility : array-like of shape (n,)
            As the policy was found on.
        sensitive_features : array-like of shape (n,) or (n, n_columns)
            Groups seen there.
        use : float or array-like of shape (n,), default=1.0
            What accepting each person takes of the capacity.

        Returns
        -------
        ndarray of shape (n,)
            In [0, 1].
        """
        earned, worth = as_finite_float(revenue, "revenue"), as_finite_float(utility, "utility")
        code = encode_seen_groups(sensitive_features, self.policy.groups)
        check_same_length(revenue=earned, utility=worth, sensitive_features=code)
        used = np.broadcast_to(positive_amounts(use, "use", earned.size), earned.shape)
        return mixed_acceptance(self.parts, earned, worth, used, code)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; the policy as its own, without the rules."""
        return {
            "policy": self.policy.to_dict(), "capacity": self.capacity, "used": self.used,
            "shadow_price": self.shadow_price,
        }

    def __repr__(self) -> str:
        """State the policy, what is used, and its price."""
        return (
            f"CapacityPolicy({self.policy!r}, used {self.used:.4g} of {self.capacity:.4g}, "
            f"shadow price {self.shadow_price:.4g})"
        )


def mixed_acceptance(
    parts: tuple[PricedRule, ...], revenue: np.ndarray, utility: np.ndarray,
    use: np.ndarray | float, code: np.ndarray,
) -> np.ndarray:
    """Probability of acceptance of each row by a mixture of rules. O(n)."""
    accepted = np.zeros(revenue.size)
    for one in parts:
        net = revenue - one.price * use if one.price else revenue
        accepted += one.part * one.rule.acceptance(net, utility, code)
    return accepted
