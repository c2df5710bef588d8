"""The policy that was found, whom it moves, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._sensitive import encode_seen_groups
from fairrank._validation import check_same_length
from fairrank.welfare._group_frontier import GroupFrontier
from fairrank.welfare._policy_sample import over_rejection, payoffs
from fairrank.welfare._policy_values import PolicyValues
from fairrank.welfare._smoothing import SmoothedRule
from fairrank.welfare._threshold_rule import ThresholdRule

# Welfare nearer than this, relatively, is the same.
SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class WelfarePolicy:
    """Whom to accept so that revenue is largest while every group's welfare is the same.

    Group g accepts where ``revenue > multiplier[g] * utility`` and takes part of the ties. All
    arrays with one value a group follow `groups`.

    Attributes
    ----------
    groups : tuple
    share : ndarray, shape (n_groups,)
        P(A = a).
    acceptance : ndarray, shape (n_samples,) or (n_samples, n_options + 1), in [0, 1]
        Probability that each row is accepted; with several options that of every option, the
        first column being rejection where that is allowed. NaN for rows without a group.
    rule : ThresholdRule or SmoothedRule
        `multiplier` (lambda), `tie_probability` (tau) and the slopes that are tied.
    values, unconstrained : PolicyValues
        Welfare, revenue and acceptance of this policy and of the lender's own.
    frontiers : dict of group to GroupFrontier
        Largest revenue at every welfare of a group.
    upper_bound : float
        No policy that meets the condition has a larger revenue.
    optimality_gap : float
        ``upper_bound - values.total_revenue``, at least 0.
    tolerance : float
        Largest difference of welfare that was allowed.
    rejected_utility : float, ndarray of shape (n_samples,) or None
    smoothing : float
    method : {"sweep", "linprog", "search"}
    capacity_price : float or None
        Where a capacity binds its shadow price, which `rule` and `frontiers` are net of.
    unaware : PolicyValues or None
        The same of the best policy that does not see the group, where `unaware_revenue` was given.

    Examples
    --------
    >>> from fairrank.welfare import welfare_optimal_policy
    >>> revenue, group = [0.5, -0.2, 0.3, -0.6], list("aabb")
    >>> policy = welfare_optimal_policy(revenue, [1, 1, 2, 1], sensitive_features=group)
    >>> policy.raised_groups, policy.lowered_groups
    ((), ('b',))
    >>> policy
    WelfarePolicy(welfare 0.5, revenue 0.2 -> 0.1625, price 18.8 %, lowered: 'b')
    """

    groups: tuple
    share: np.ndarray
    acceptance: np.ndarray
    rule: ThresholdRule | SmoothedRule
    values: PolicyValues
    unconstrained: PolicyValues
    frontiers: dict[Any, GroupFrontier]
    upper_bound: float
    optimality_gap: float
    tolerance: float
    rejected_utility: Any
    smoothing: float
    method: str
    capacity_price: float | None = None
    unaware: PolicyValues | None = None

    @property
    def multiplier(self) -> np.ndarray:
        """Lambda of every group: at most 0 where it is raised, at least 0 where lowered."""
        return self.rule.multiplier

    @property
    def tie_probability(self) -> np.ndarray:
        """Tau of every group."""
        return self.rule.tie_probability

    @property
    def welfare(self) -> np.ndarray:
        """Welfare of every group under this policy."""
        return self.values.welfare

    @property
    def revenue(self) -> float:
        """Revenue per person of everybody."""
        return self.values.total_revenue

    @property
    def welfare_gap(self) -> float:
        """Largest difference of two groups' welfare that is left."""
        return self.values.welfare_gap

    @property
    def raised_groups(self) -> tuple:
        """Groups whose welfare is larger than without the condition."""
        return self._moved(self.values.welfare - self.unconstrained.welfare)

    @property
    def lowered_groups(self) -> tuple:
        """Groups whose welfare is smaller than without the condition."""
        return self._moved(self.unconstrained.welfare - self.values.welfare)

    @property
    def disadvantaged_group(self) -> Any:
        """The group of least welfare without the condition; None where several share it."""
        welfare = self.unconstrained.welfare
        lowest = np.flatnonzero(welfare - welfare.min() <= SAME * self._scale)
        return self.groups[int(lowest[0])] if lowest.size == 1 else None

    @property
    def price_of_fairness(self) -> float:
        """Revenue per person that the condition costs."""
        return self.unconstrained.total_revenue - self.values.total_revenue

    @property
    def relative_price_of_fairness(self) -> float:
        """The same as a part of the revenue without it; NaN where there is none."""
        free = self.unconstrained.total_revenue
        return self.price_of_fairness / free if free > 0 else float("nan")

    @property
    def _scale(self) -> float:
        ends = [
            end for one in self.frontiers.values() for end in (one.welfare[0], one.welfare[-1])
        ]
        return float(np.abs(ends).max())

    def _moved(self, by: np.ndarray) -> tuple:
        return tuple(self.groups[g] for g in np.flatnonzero(by > SAME * self._scale))

    def acceptance_probability(
        self, revenue: Any, utility: Any, *, sensitive_features: Any
    ) -> np.ndarray:
        """Apply the policy to other people.

        Parameters
        ----------
        revenue, utility : array-like of shape (n,) or (n, n_options)
            As the policy was found on.
        sensitive_features : array-like of shape (n,) or (n, n_columns)
            Groups seen there.

        Returns
        -------
        ndarray of shape (n,) or (n, n_options + 1), in [0, 1]
            As `acceptance`.

        Raises
        ------
        UnseenGroupError
            A group was not there.
        DegenerateGroupError
            No row.
        ValueError, TypeError
            A capacity binds; numbers that are not finite, or too large; lengths that differ, also
            from that of a utility of being rejected that was given person by person; another
            number of options than the policy was found on.

        Examples
        --------
        >>> from fairrank.welfare import welfare_optimal_policy
        >>> policy = welfare_optimal_policy(
        ...     [0.5, -0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb")
        ... )
        >>> policy.acceptance_probability([0.1, -0.9], [1, 1], sensitive_features=["a", "b"])
        array([1., 0.])
        """
        check_unpriced(
            self, "its rule, which does not hold for revenue as it is. Call "
            "CapacityPolicy.acceptance_probability, or that of the fitted estimator, and pass on "
            "the probabilities it gives"
        )
        revenue, utility = payoffs(revenue, "revenue"), payoffs(utility, "utility")
        code = encode_seen_groups(sensitive_features, self.groups)
        check_same_length(revenue=revenue, utility=utility, sensitive_features=code)
        revenue, utility, _ = over_rejection(
            revenue, utility, self.rejected_utility, revenue.shape[0]
        )
        if revenue.shape != utility.shape or revenue.shape[1:] != self.acceptance.shape[1:]:
            raise ValueError(
                f"revenue has shape {revenue.shape} and utility {utility.shape}, rejection "
                f"included; the policy was found on shape {self.acceptance.shape}."
            )
        return self.rule.acceptance(revenue, utility, code)

    def to_table(self) -> dict[str, list]:
        """Rule and outcome of every group, one list a column: ready for a data frame.

        Returns
        -------
        dict of str to list
            One entry a group, in the order of `groups`.

        Examples
        --------
        >>> from fairrank.welfare import welfare_optimal_policy
        >>> policy = welfare_optimal_policy(
        ...     [0.5, -0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb")
        ... )
        >>> policy.to_table()["group"], policy.to_table()["welfare"]
        (['a', 'b'], [0.5, 0.5])
        """
        return {
            "group": list(self.groups),
            "share": self.share.tolist(),
            "multiplier": self.rule.multiplier.tolist(),
            "tie_probability": self.rule.tie_probability.tolist(),
            "welfare": self.values.welfare.tolist(),
            "welfare_unconstrained": self.unconstrained.welfare.tolist(),
            "acceptance_rate": self.values.acceptance_rate.tolist(),
            "acceptance_rate_unconstrained": self.unconstrained.acceptance_rate.tolist(),
            "revenue": self.values.revenue.tolist(),
            "revenue_unconstrained": self.unconstrained.revenue.tolist(),
            **({} if self.unaware is None else {
                "welfare_unaware": self.unaware.welfare.tolist(),
                "acceptance_rate_unaware": self.unaware.acceptance_rate.tolist(),
                "revenue_unaware": self.unaware.revenue.tolist(),
            }),
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; without acceptance and frontiers of the rows."""
        return {
            "table": {**self.to_table(), "group": [str(group) for group in self.groups]},
            "revenue": self.revenue,
            "revenue_unconstrained": self.unconstrained.total_revenue,
            "total_welfare": self.values.total_welfare,
            "total_welfare_unconstrained": self.unconstrained.total_welfare,
            "price_of_fairness": self.price_of_fairness,
            "relative_price_of_fairness": self.relative_price_of_fairness,
            "welfare_gap": self.welfare_gap,
            "raised_groups": [str(group) for group in self.raised_groups],
            "lowered_groups": [str(group) for group in self.lowered_groups],
            "disadvantaged_group": (
                None if self.disadvantaged_group is None else str(self.disadvantaged_group)
            ),
            "upper_bound": self.upper_bound,
            "optimality_gap": self.optimality_gap,
            "tolerance": self.tolerance,
            "smoothing": self.smoothing,
            "method": self.method,
            "capacity_price": self.capacity_price,
            "unaware": None if self.unaware is None else self.unaware.to_dict(),
        }

    def __repr__(self) -> str:
        """State welfare, revenue, the price, and whom the condition moves."""
        welfare = self.values.welfare
        level = f"{welfare.max():.4g}"
        if self.welfare_gap > SAME * self._scale:
            level = f"{welfare.min():.4g} to {level}"
        relative = self.relative_price_of_fairness
        price = f", price {100 * relative:.1f} %" if relative == relative else ""
        moved = "".join(
            f", {word}: {', '.join(map(repr, groups))}"
            for word, groups in (("raised", self.raised_groups), ("lowered", self.lowered_groups))
            if groups
        )
        return (
            f"WelfarePolicy(welfare {level}, revenue {self.unconstrained.total_revenue:.4g} -> "
            f"{self.revenue:.4g}{price}{moved})"
        )


def check_unpriced(policy: WelfarePolicy, so: str) -> None:
    """Refuse what a policy cannot do whose rule and frontiers are net of a capacity's price.

    Parameters
    ----------
    so : str
        What of the policy is net of the price, and what to do: the message goes on with it.

    Raises
    ------
    ValueError
        A capacity binds.
    """
    if policy.capacity_price is not None:
        raise ValueError(
            f"The policy's capacity binds: its price, {policy.capacity_price:.4g} for each unit "
            f"of use, is taken off revenue in {so}."
        )
