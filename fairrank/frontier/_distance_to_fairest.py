"""How far an algorithm is from the fairest attainable risks, with a confidence interval."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from fairrank._validation import (
    check_choice,
    check_count,
    check_fraction,
    check_probability,
    check_same_length,
)
from fairrank.exceptions import InfeasibleError
from fairrank.frontier._distance_interval import interval_of_distance
from fairrank.frontier._distance_region import (
    METRICS,
    distance_region,
    length,
    supporting_line,
)
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._equal_risk import equal_risk, open_sides
from fairrank.frontier._fairest_point import METHODS
from fairrank.frontier._frontier_sample import FrontierSample
from fairrank.inference import ConfidenceInterval
from fairrank.inference._permutation import entropy_of, seed_sequence

if TYPE_CHECKING:
    from fairrank.frontier._support_function import SupportFunction

# Of the largest loss: what rounding may move a region by.
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DistanceToFairestResult:
    """Distance of an algorithm's risks from the fairest point.

    Attributes
    ----------
    statistic : float
        Estimated distance, in units of loss (squared units for "squared").
    confidence_interval : ConfidenceInterval
        Read `low` and `high`; at least 0, and at most what losses of this size allow.
    metric : {"euclidean", "squared", "manhattan", "chebyshev"}
        The distance.
    fairest_point : ndarray, shape (2,)
        Estimated F.
    risks : ndarray, shape (2,)
        Estimated risks of the algorithm.
    side : {"above", "below", "across"}
        Of the line of equal risks, on which the attainable risks are estimated to lie.
    sides : tuple of str
        Those that the sample leaves open; the interval is the hull of one for each.
    fairest : {"plug_in", "infimum", "crossing"}
        How F was estimated.
    group_names : tuple
        The groups, r first.
    n_samples, n_draws : int
        Rows, and bootstrap draws.
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, distance_to_fairest
    >>> data = make_frontier_data(1000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> result = distance_to_fairest(
    ...     support, data.status_quo(data.data), metric="chebyshev", n_draws=100, random_state=0
    ... )
    >>> result.confidence_interval.low < result.statistic < result.confidence_interval.high
    True
    """

    statistic: float
    confidence_interval: ConfidenceInterval
    metric: str
    fairest_point: np.ndarray
    risks: np.ndarray
    side: str
    sides: tuple
    fairest: str
    group_names: tuple
    n_samples: int
    n_draws: int
    seed: tuple

    @property
    def reading(self) -> str:
        """What the number says, in plain words."""
        interval = self.confidence_interval
        where = [
            ", ".join(f"{name!s} {risk:.3f}" for name, risk in zip(self.group_names, point))
            for point in (self.risks, self.fairest_point)
        ]
        text = (
            f"The algorithm's risks ({where[0]}) are {self.statistic:.4f} ({self.metric}; "
            f"{100 * interval.confidence_level:g} % interval {interval.low:.4f} to "
            f"{interval.high:.4f}) from the fairest that are attainable ({where[1]})."
        )
        if len(self.sides) > 1:
            text += (
                " The sample does not tell whether equal risks are attainable, so that the "
                "interval holds for either case."
            )
        if set(self.sides) != {"across"}:
            text += " Along a supporting line the fairest point is found slowly, at n^(-1/4)."
        return text

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        interval = self.confidence_interval
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {
            "confidence_interval": {
                "low": interval.low, "high": interval.high,
                "confidence_level": interval.confidence_level,
            },
            "fairest_point": self.fairest_point.tolist(), "risks": self.risks.tolist(),
            "sides": list(self.sides), "group_names": [str(name) for name in self.group_names],
            "seed": list(self.seed), "reading": self.reading,
        }

    def __repr__(self) -> str:
        """The distance with its interval."""
        interval = self.confidence_interval
        return (
            f"DistanceToFairestResult({self.metric} = {self.statistic:.4f}, "
            f"{100 * interval.confidence_level:g} % [{interval.low:.4f}, {interval.high:.4f}], "
            f"sides={self.sides})"
        )

    def __str__(self) -> str:
        """The reading."""
        return self.reading


def distance_to_fairest(
    support: SupportFunction,
    decisions: Any,
    *,
    metric: str = "euclidean",
    confidence_level: float = 0.95,
    n_draws: int = 1000,
    fairest: str = "plug_in",
    random_state: Any = None,
    n_jobs: Any = None,
) -> DistanceToFairestResult:
    """Estimate the distance of an algorithm's group risks from the fairest point.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    decisions : array-like of shape (n_samples,)
        Probability, in [0, 1], of decision 1 in each row.
    metric : {"euclidean", "squared", "manhattan", "chebyshev"}
        Distance in the plane of both risks; "squared" is the square of the Euclidean, as in the
        paper.
    confidence_level : float
        In (0, 1).
    n_draws : int
        Bootstrap draws.
    fairest : {"plug_in", "infimum", "crossing"}
        How F is estimated where equal risks are attainable, as in
        `SupportFunction.fairest_point`; "infimum" is the paper's.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.

    Returns
    -------
    DistanceToFairestResult
        Read by name; `reading` puts it in words.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    InfeasibleError
        No point is near enough to what was estimated of F, in tiny samples.
    ValueError, TypeError
        Bad input, or other than two groups.

    Notes
    -----
    The attainable risks lie above the line of equal risks where h is below 0 in the direction
    (1, -1), below it where h is in (-1, 1), and across it otherwise. What is not further than
    sqrt(log n) standard errors from 0 is left open, and the interval is then the hull of one
    interval, at the same level, for each case [1]_.

    Across: delta method, by draws of the risks and of the level of F in its direction. Near a
    kink of the distance the interval holds for every slope that the distance may have there;
    without that it misses too often where the distance is of the size of its error.

    Above or below: F is only known to lie on a supporting line and among the attainable risks;
    what is jointly near the estimates is convex, its least and largest distance are found by
    linear programs with exact cuts. Along such a line F is found at rate n^(-1/4) only.

    O(n) a draw.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Distance to the Fairest Point".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, distance_to_fairest
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> distance_to_fairest(support, data.status_quo(data.data), n_draws=200, random_state=0)
    DistanceToFairestResult(euclidean = 0.1160, 95 % [0.1029, 0.1312], sides=('across',))
    """
    check_choice(metric, METRICS, "metric")
    check_choice(fairest, METHODS, "fairest")
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws", minimum=2)
    support._for_two_groups("distance_to_fairest")
    support._check_spread("distance_to_fairest")
    sample, arcs = support._sample, support.realised
    decided = check_probability(decisions, "decisions")
    check_same_length(loss_0=sample.loss, decisions=decided)
    loss = sample.loss + decided * sample.change
    e, point = sample.group_means(loss), support.fairest_point(fairest)
    equal = equal_risk(support, point) if point.side == "across" else None
    seed = seed_sequence(random_state)
    lines = {side: supporting_line(arcs, side) for side in ("above", "below")}

    def moved(draw: FrontierDraw) -> list[float]:
        beside = [supporting_line(draw.arcs, side)[1] - lines[side][1] for side in lines]
        return [*(draw.risks[0] - e), *beside, equal.moved(draw.arcs) if equal else 0.0]

    draws = support.draws(moved, n_draws, losses=loss, random_state=seed, n_jobs=n_jobs)
    sides = open_sides(support)
    whole = "euclidean" if metric == "squared" else metric
    intervals, error = [], np.nan
    for side in sides:
        if side != "across":
            apart = np.abs(draws[:, :2]).sum(axis=1) + np.abs(draws[:, 2 + (side == "below")])
            size = float(np.abs(sample.loss).max() + np.abs(sample.change).max())
            reach = float(np.quantile(apart, level)) + ROUNDING * max(size, 1e-300)
            region = distance_region(arcs, e, side, reach)
            least, largest = region.least(whole), region.largest(whole)
            if least is not None and largest is not None:
                intervals.append((least, largest))
        elif equal is not None:
            shift = draws[:, :2] - draws[:, 4:]
            found = interval_of_distance(e - point.point, shift, whole, level)
            error = found.standard_error
            intervals.append((found.low, found.high))
        # Else the region beside the line, of which the line is a part, holds this case too.
    if not intervals:
        raise InfeasibleError(
            f"the attainable risks seem to lie {sides[0]} the line of equal risks, but no point "
            "is near both their supporting line and all other estimates: with "
            f"{support.n_samples} rows they are not those of a set. Gather more rows, or "
            "mend delta_theta: are its columns in the order of group_names, "
            f"{', '.join(map(repr, support.group_names))}?"
        )
    low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
    # Draws of the infimum can have no bound, where one pushes h below 0 beside q_r + q_b = 0.
    high = max(low, min(high, largest_distance(sample, whole)))
    if metric == "squared":
        low, high = low**2, high**2
        error = 2 * float(length(e - point.point, "euclidean")) * error
    statistic = float(length(e - point.point, metric))
    interval = ConfidenceInterval(
        low=float(low), high=float(high), estimate=statistic, standard_error=float(error),
        confidence_level=level, statistic="distance_to_fairest",
        method="+".join(
            "delta" if side == "across" else "region"
            for side in sides if side != "across" or equal is not None
        ),
        n_resamples=n_draws, n_undefined=0, distribution=np.empty(0), seed=entropy_of(seed),
    )
    return DistanceToFairestResult(
        statistic=statistic, confidence_interval=interval, metric=metric,
        fairest_point=point.point, risks=e, side=support.side, sides=sides, fairest=point.method,
        group_names=support.group_names, n_samples=support.n_samples, n_draws=n_draws,
        seed=entropy_of(seed),
    )


def largest_distance(sample: FrontierSample, metric: str) -> float:
    """Distance that no two pairs of risks exceed: a group's risk is among its members' losses."""
    ends = np.empty((2, 2))
    for g in range(2):
        inside = sample.code == g
        losses = sample.loss[inside], (sample.loss + sample.change)[inside]
        ends[:, g] = np.min(losses), np.max(losses)
    return float(length(ends[1] - ends[0], metric))
