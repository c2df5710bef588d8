"""What it costs that algorithms may not see the group."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from fairrank._validation import as_finite_float, check_fraction, check_same_length
from fairrank.exceptions import InfeasibleError
from fairrank.frontier._arcs import as_directions
from fairrank.frontier._direction import as_direction
from fairrank.frontier._influence import covariance_of_means, influence
from fairrank.inference import ConfidenceInterval

if TYPE_CHECKING:
    from fairrank.frontier._support_function import SupportFunction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupBanCost:
    """How much lower a weighted risk can be where algorithms see the group.

    Attributes
    ----------
    statistic : float
        Estimated cost of the ban, in units of loss; its true value is at least 0.
    standard_error : float
        From the influence function, of dependent rows where there are clusters.
    confidence_interval : ConfidenceInterval
        Read `low` and `high`; cut at 0.
    direction : ndarray, shape (n_groups,)
        Weights as given; the direction of the fairest point for "egalitarian".
    egalitarian : bool
        Whether the cost is that of equal risks.
    value_with_group, value_without_group : float
        h of either set of algorithms; for "egalitarian" the least equal risk of either.
    risk_bounds : ndarray, shape (n_groups, 2)
        Least and largest risk of each group: with the group as an input every combination of
        risks between them is attainable.
    group_names : tuple
        The groups in the order of coordinates.
    n_samples : int
        Rows.

    Examples
    --------
    >>> from fairrank.frontier import SupportFunction, cost_of_group_ban
    >>> y, group = [0, 1, 0, 1], ["r", "b", "r", "b"]
    >>> support = SupportFunction(
    ...     y, [1 - v for v in y], [[0.5, -0.5]] * 4, sensitive_features=group,
    ...     group_names=["r", "b"],
    ... )
    >>> cost_of_group_ban(support, [-1, -1], [1, -1, 1, -1]).statistic
    1.0
    """

    statistic: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    direction: np.ndarray
    egalitarian: bool
    value_with_group: float
    value_without_group: float
    risk_bounds: np.ndarray
    group_names: tuple
    n_samples: int

    @property
    def reading(self) -> str:
        """What the number says, in plain words."""
        interval = self.confidence_interval
        found = (
            f"{self.statistic:.4f} ({100 * interval.confidence_level:g} % interval "
            f"{interval.low:.4f} to {interval.high:.4f})"
        )
        if self.egalitarian:
            return (
                f"The least risk that all groups can share is {found} higher where algorithms "
                "may not see the group than where they may."
            )
        weights = ", ".join(
            f"{name!s} {weight:.3g}" for name, weight in zip(self.group_names, self.direction)
        )
        return (
            f"The best weighted sum of group risks (weights {weights}) is {found} worse where "
            "algorithms may not see the group than where they may."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {
            "confidence_interval": {
                name: getattr(self.confidence_interval, name)
                for name in ("low", "high", "confidence_level")
            },
            "direction": self.direction.tolist(), "risk_bounds": self.risk_bounds.tolist(),
            "group_names": [str(name) for name in self.group_names], "reading": self.reading,
        }

    def __repr__(self) -> str:
        """The cost with its interval."""
        interval = self.confidence_interval
        return (
            f"GroupBanCost({self.statistic:.4f}, {100 * interval.confidence_level:g} % "
            f"[{interval.low:.4f}, {interval.high:.4f}], "
            f"standard_error={self.standard_error:.4f})"
        )

    def __str__(self) -> str:
        """The reading."""
        return self.reading


def cost_of_group_ban(
    support: SupportFunction, direction: Any, own_delta: Any, *, confidence_level: float = 0.95
) -> GroupBanCost:
    """Estimate what a ban on group identity as an input costs in one direction.

    Algorithms that see the group attain the rectangle of risks between each group's least and
    largest; those that do not, less. The cost is the difference of both support functions.

    Parameters
    ----------
    support : SupportFunction
        Of two or more groups.
    direction : {"rawlsian", "majority", "utilitarian", "egalitarian"} or array-like
        Weights of the groups' risks, shape (n_groups,), negative where less is better, used at
        their own length: the cost is positively homogeneous. "rawlsian": the risk of the group
        whose least risk is largest; "majority": that of the largest group; "utilitarian": weights
        of equal size and length 1. "egalitarian": the least risk that both of two groups can
        have, against the larger of their least risks.
    own_delta : array-like of shape (n_samples,)
        Estimate of E[loss_1 - loss_0 | X, G] at the row's own group, made without its own row.
        Only its sign is used.
    confidence_level : float
        In (0, 1).

    Returns
    -------
    GroupBanCost
        Read by name; `reading` puts it in words.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    InfeasibleError
        "egalitarian", and no equal risks are estimated to be attainable.
    ValueError, TypeError
        Bad input, or "egalitarian" with other than two groups.

    Notes
    -----
    ``cost(q) = sum_g max(q_g e_g^min, q_g e_g^max) - h(q)``, the maximum being attained by
    deciding 1 where q_g own_delta > 0. Where that and k(q) have the same sign in every row, as
    in the direction of one group's best, cost and standard error are 0. O(n n_groups).

    With equal risks the larger of the least risks is a maximum: the interval holds all groups
    whose cost is near the smallest within sqrt(log n) standard errors.

    Own derivation, from the support function of [1]_.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Support Function of the Feasible Set".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, cost_of_group_ban
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> cost_of_group_ban(support, [-0.5, -0.5], 1 - 2 * data.probability)
    GroupBanCost(0.1465, 95 % [0.1301, 0.1629], standard_error=0.0084)
    """
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    support._check_spread("cost_of_group_ban")
    own = checked_own_delta(support, own_delta)
    if isinstance(direction, str) and direction == "egalitarian":
        return _of_equal_risks(support, own, level)
    if isinstance(direction, str):
        direction = as_direction(support, direction).q
    q = as_directions(direction, support.n_groups)
    if q.ndim != 1:
        raise ValueError(f"direction must be one direction, got shape {q.shape}.")
    sample = support._sample
    decided = q[sample.code] * own > 0
    moved = influence(sample, q, decided) - support.influence(q)
    with_group = float(q @ sample.group_means(sample.loss + decided * sample.change))
    without = float(support.h(q))
    error = _error(support, moved)
    reach = float(norm.isf((1.0 - level) / 2.0)) * error
    cost = with_group - without
    return _result(
        support, own, level, cost, error, (cost - reach, cost + reach), q, with_group, without
    )


def checked_own_delta(support: SupportFunction, own_delta: Any) -> np.ndarray:
    """One finite number a row."""
    own = as_finite_float(own_delta, "own_delta")
    check_same_length(loss_0=support._sample.loss, own_delta=own)
    return own


def risk_bounds(support: SupportFunction, own: np.ndarray) -> np.ndarray:
    """Least and largest risk of each group when it is seen, shape (n_groups, 2)."""
    sample = support._sample
    return np.column_stack(
        [sample.group_means(sample.loss + (sign * own > 0) * sample.change) for sign in (-1, 1)]
    )


def _of_equal_risks(support: SupportFunction, own: np.ndarray, level: float) -> GroupBanCost:
    support._for_two_groups("direction='egalitarian'")
    fairest = support.fairest_point()
    if fairest.side != "across":
        raise InfeasibleError(
            f"direction='egalitarian': the risks that are attainable without the group lie "
            f"{fairest.side} the line of equal risks, so that no equal risks have a cost. Give "
            "weights of the groups."
        )
    sample, q = support._sample, fairest.direction
    shared = float(fairest.point[0])
    least = risk_bounds(support, own)[:, 0]
    of_shared = support.influence(q, fairest.arc) / q.sum()
    moved = [of_shared - influence(sample, unit, own < 0) for unit in np.eye(2)]
    costs, errors = shared - least, np.array([_error(support, m) for m in moved])
    smallest = int(np.argmin(costs))
    apart = np.array([_error(support, m - moved[smallest]) for m in moved])
    near = costs <= costs[smallest] + np.sqrt(np.log(sample.n_clusters)) * apart
    reach = float(norm.isf((1.0 - level) / 2.0)) * errors
    bounds = float((costs - reach)[near].min()), float((costs + reach)[near].max())
    return _result(
        support, own, level, float(costs[smallest]), float(errors[smallest]), bounds, q,
        float(least.max()), shared, egalitarian=True,
    )


def _error(support: SupportFunction, moved: np.ndarray) -> float:
    return float(np.sqrt(covariance_of_means(support._sample, moved, moved)))


def _result(
    support: SupportFunction, own: np.ndarray, level: float, cost: float, error: float,
    bounds: tuple[float, float], q: np.ndarray, with_group: float, without: float,
    egalitarian: bool = False,
) -> GroupBanCost:
    interval = ConfidenceInterval(
        low=max(0.0, bounds[0]), high=max(0.0, bounds[1]), estimate=cost, standard_error=error,
        confidence_level=level, statistic="cost_of_group_ban", method="influence",
        n_resamples=0, n_undefined=0, distribution=np.empty(0), seed=(),
    )
    return GroupBanCost(
        statistic=cost, standard_error=error, confidence_interval=interval, direction=q,
        egalitarian=egalitarian, value_with_group=with_group, value_without_group=without,
        risk_bounds=risk_bounds(support, own), group_names=support.group_names,
        n_samples=support.n_samples,
    )
