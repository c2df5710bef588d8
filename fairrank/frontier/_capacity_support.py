"""The support function of the risks that rules within a capacity can attain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.frontier._by_direction import risks
from fairrank.frontier._frontier_rule import FrontierRule, frontier_rule
from fairrank.frontier._influence import covariance_of_means, influence
from fairrank.frontier._support_function import SupportFunction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CapacitySupport:
    """The largest q'e within a capacity, and who attains it.

    Attributes
    ----------
    level : float
        h(q) under the capacity, from realised losses.
    standard_error : float
        Of the level; the price of the capacity counts in it. NaN where a group that matters has
        a single row, or cluster.
    point : ndarray, shape (n_groups,)
        Risks of all groups.
    decisions : ndarray, shape (n_samples,)
        Probability of decision 1.
    selection_rate : float
        Weighted share treated.
    rule : FrontierRule
        The same for new rows; its `price` is what a unit of capacity is worth in q'e.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, capacity_support
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> capacity_support(support, "utilitarian", 0.1)
    CapacitySupport(level -0.7161 (se 0.0099), price 0.5082, selection rate 0.1000)
    """

    level: float
    standard_error: float
    point: np.ndarray
    decisions: np.ndarray
    selection_rate: float
    rule: FrontierRule

    def __repr__(self) -> str:
        """Level, price and share treated."""
        return (
            f"CapacitySupport(level {self.level:.4f} (se {self.standard_error:.4f}), price "
            f"{self.rule.price:.4f}, selection rate {self.selection_rate:.4f})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "level": self.level, "standard_error": self.standard_error,
            "point": self.point.tolist(), "decisions": self.decisions.tolist(),
            "selection_rate": self.selection_rate, "rule": self.rule.to_dict(),
        }


def capacity_support(
    support: SupportFunction, direction: Any, capacity: float
) -> CapacitySupport:
    """Estimate the largest q'e among rules that treat no more than a share of all.

    Parameters
    ----------
    support : SupportFunction
        Realised losses, and the estimates that rank the rows.
    direction : str, array-like of shape (n_groups,) or Direction
        As `as_direction` has it.
    capacity : float in (0, 1]
        Largest share of all, by weight, that may be treated.

    Returns
    -------
    CapacitySupport
        Level, risks and decisions, with a standard error.

    Raises
    ------
    ValueError, TypeError
        No such direction, or a capacity outside (0, 1].

    Notes
    -----
    O(n log n) a direction. The treated are no longer a half-plane through 0, so that one sort
    does not serve all directions. As h_a(q) is the least value over prices p of
    E[loss of decision 0] + E[max(k - p, 0)] + p a, its influence function is that of the mean
    loss under the decisions, less p times what the row's decision is above the capacity.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "Support Function of the Feasible Set"; the capacity is fairrank's own.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, capacity_support
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> found = capacity_support(support, "utilitarian", 0.25)
    >>> print(found.point.round(2), support.support_point([-1, -1]).round(2))
    [0.56 0.37] [0.46 0.4 ]
    """
    rule = frontier_rule(support, direction, capacity=capacity)
    sample = support._sample
    decided = rule._chance(sample.scaled)
    point = risks(sample, decided)
    mass = sample.weight / sample.mass.sum()
    rate = float(mass @ decided)
    moved = influence(sample, rule.direction, decided)
    if rule.price > 0:
        moved = moved - rule.price * sample.n_rows * mass * (decided - rate)
    unknown = bool((sample.without_spread & ((rule.direction != 0) | (rule.price > 0))).any())
    error = np.nan if unknown else np.sqrt(covariance_of_means(sample, moved, moved))
    return CapacitySupport(
        level=float(rule.direction @ point), standard_error=float(error),
        point=point, decisions=decided, selection_rate=rate, rule=rule,
    )
