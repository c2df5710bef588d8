"""A band for the cost of banning group identity that holds in every Pareto direction at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairrank._validation import check_count, check_fraction
from fairrank.frontier._arcs import Arcs, as_directions
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import largest_excess
from fairrank.frontier._group_ban import checked_own_delta, risk_bounds
from fairrank.inference._permutation import entropy_of, seed_sequence

if TYPE_CHECKING:
    from fairrank.frontier._support_function import SupportFunction

N_DIRECTIONS = 91


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupBanBand:
    """Cost of the ban by direction, with a band of equal width.

    Attributes
    ----------
    directions : ndarray, shape (m, 2)
        Unit directions from angle pi to 3pi/2.
    cost : ndarray, shape (m,)
        Estimated cost there, in units of loss.
    low, high : ndarray, shape (m,)
        Of the band; at least 0.
    half_width : float
        What the band adds and takes off in every unit direction, those between too.
    confidence_level : float
        In (0, 1).
    n_draws : int
        Bootstrap draws.
    group_names : tuple
        The groups, r first.
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> from fairrank.frontier import SupportFunction, group_ban_band
    >>> y, group = [0, 1, 0, 1], ["r", "b", "r", "b"]
    >>> support = SupportFunction(
    ...     y, [1 - v for v in y], [[0.5, -0.5]] * 4, sensitive_features=group,
    ...     group_names=["r", "b"],
    ... )
    >>> group_ban_band(support, [1, -1, 1, -1], directions=[[-1, -1]], random_state=0)
    GroupBanBand(1 directions, largest cost 0.7071, 95 % band +- 0.0000, n_draws=1000)
    """

    directions: np.ndarray
    cost: np.ndarray
    low: np.ndarray
    high: np.ndarray
    half_width: float
    confidence_level: float
    n_draws: int
    group_names: tuple
    seed: tuple

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        } | {"group_names": [str(name) for name in self.group_names], "seed": list(self.seed)}

    def __repr__(self) -> str:
        """The largest cost, and the width."""
        return (
            f"GroupBanBand({len(self.cost)} directions, largest cost {self.cost.max():.4f}, "
            f"{100 * self.confidence_level:g} % band +- {self.half_width:.4f}, "
            f"n_draws={self.n_draws})"
        )


def group_ban_band(
    support: SupportFunction,
    own_delta: Any,
    *,
    directions: Any = None,
    confidence_level: float = 0.95,
    n_draws: int = 1000,
    random_state: Any = None,
    n_jobs: Any = None,
) -> GroupBanBand:
    """Band the cost of banning group identity, uniformly over all Pareto directions.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    own_delta : array-like of shape (n_samples,)
        As for `cost_of_group_ban`.
    directions : array-like of shape (m, 2), optional
        Where the band is written down: coordinates at most 0, scaled to length 1. By default 91
        directions at equal angles from pi to 3pi/2.
    confidence_level : float
        In (0, 1).
    n_draws : int
        Bootstrap draws.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.

    Returns
    -------
    GroupBanBand
        Costs with their band.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    ValueError, TypeError
        Bad input, other than two groups, or a direction that weighs a risk as a good.

    Notes
    -----
    The half-width is the quantile of the largest absolute value, over all unit directions and not
    only those written down, of what a draw moves the cost by: on an arc that is a sinusoid, so
    that the maximum is exact. O(n) a draw. Own derivation, from the support function of [1]_.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Support Function of the Feasible Set".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, group_ban_band
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> band = group_ban_band(support, 1 - 2 * data.probability, n_draws=200, random_state=0)
    >>> print(round(band.cost.max(), 2), round(band.half_width, 2))
    0.21 0.03
    """
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws")
    support._for_two_groups("group_ban_band")
    support._check_spread("group_ban_band")
    own = checked_own_delta(support, own_delta)
    q = _pareto_directions(directions)
    sample, seed = support._sample, seed_sequence(random_state)
    least = risk_bounds(support, own)[:, 0]
    draws = support.draws(
        largest_move(support.realised, least), n_draws,
        losses=sample.loss + (own < 0) * sample.change, random_state=seed, n_jobs=n_jobs,
    )
    half_width = float(np.quantile(draws, level))
    cost = q @ least - support.h(q)
    return GroupBanBand(
        directions=q, cost=cost, low=np.maximum(0.0, cost - half_width),
        high=np.maximum(0.0, cost + half_width), half_width=half_width, confidence_level=level,
        n_draws=n_draws, group_names=support.group_names, seed=entropy_of(seed),
    )


def largest_move(arcs: Arcs, least: np.ndarray) -> Callable[[FrontierDraw], float]:
    """Give the largest absolute change of the cost in a draw, over all Pareto directions.

    Parameters
    ----------
    arcs : Arcs
        As estimated.
    least : ndarray, shape (2,)
        Least risks with the group as an input; their draws are the first of `FrontierDraw.risks`.
    """

    def moved(draw: FrontierDraw) -> float:
        of_least = draw.risks[0] - least
        points, total = draw.arcs.points - arcs.points, draw.arcs.total - arcs.total
        return max(
            largest_excess(
                replace(arcs, points=sign * points, total=sign * total), sign * of_least, "pareto"
            ).value
            for sign in (1.0, -1.0)
        )

    return moved


def _pareto_directions(directions: Any) -> np.ndarray:
    if directions is None:
        angle = np.linspace(0.0, np.pi / 2.0, N_DIRECTIONS)
        q = -np.column_stack([np.cos(angle), np.sin(angle)])
        q[0], q[-1] = (-1.0, 0.0), (0.0, -1.0)
        return q
    q = np.atleast_2d(as_directions(directions, 2))
    if q.max() > 0:
        row = int(np.argmax(q.max(axis=1)))
        raise ValueError(
            f"directions: row {row}, {q[row].tolist()}, weighs a risk as a good. The band is for "
            "coordinates of at most 0."
        )
    return q / np.hypot(q[:, 0], q[:, 1])[:, np.newaxis]
