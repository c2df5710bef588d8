"""price_of_fairness_path: what every tolerance costs, from the lender's own policy to equality.

Groups below the window of allowed welfare are raised to its lower edge L, those above it lowered
to its upper edge U. What either edge costs is convex and piecewise linear in its place alone, so
the cheapest way to narrow the window is to take their pieces by price.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.welfare._group_frontier import TIED, GroupFrontier, group_frontiers
from fairrank.welfare._policy_sample import policy_sample
from fairrank.welfare._policy_values import (
    PolicyValues,
    unconstrained_choice,
    values_of,
)
from fairrank.welfare._price_of_fairness_path_result import PriceOfFairnessPath


def price_of_fairness_path(
    revenue: Any,
    utility: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    rejected_utility: Any = 0.0,
    missing: str = "raise",
) -> PriceOfFairnessPath:
    """Largest revenue at every tolerance of `welfare_optimal_policy`, exactly and at once.

    Parameters
    ----------
    revenue : array-like of shape (n_samples,) or (n_samples, n_options)
        Expected revenue of accepting each person, or of each of several options.
    utility : array-like of the same shape
        Expected utility to the person; may be negative.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative.
    rejected_utility : float, array-like of shape (n_samples,) or None, default=0.0
        Utility of being rejected; None where nobody can be.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out.

    Returns
    -------
    PriceOfFairnessPath
        Corners from the gap without a condition down to 0, or to the smallest tolerance that
        can be met.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group without weight.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    welfare_optimal_policy : The policy at one tolerance.

    Notes
    -----
    With r*_a(w) a group's frontier and P_a its share, raising the window's lower edge L costs
    ``sum_a P_a * max(-slope_a(L), 0)`` a unit and lowering the upper edge U
    ``sum_a P_a * max(slope_a(U), 0)``. Both prices grow along the way, so the loss at a tolerance
    is the infimal convolution of two convex functions: sort the pieces of both by price and
    cumulate. Of equal prices the upper edge moves first, as `welfare_optimal_policy` chooses the
    lowest welfare. One sort a group and G searches in the union of corners: O(G n log n). The
    result is fairrank's own.

    Examples
    --------
    Example 3 of the paper:

    >>> from fairrank.welfare import expected_revenue, expected_utility, price_of_fairness_path
    >>> y_prob, group = [0.75, 0.75, 0.25, 1, 0, 0], [0, 0, 0, 1, 1, 1]
    >>> path = price_of_fairness_path(
    ...     expected_revenue(y_prob, gain=1, loss=2),
    ...     expected_utility("equal_opportunity", y_prob, sensitive_features=group),
    ...     sensitive_features=group,
    ... )
    >>> path
    PriceOfFairnessPath(tolerance 0.1429 -> 0, revenue 0.25 -> 0.2262, 2 corners)
    >>> path.revenue_at([0.2, 0.1, 0.0]).round(6).tolist()
    [0.25, 0.242857, 0.22619]
    """
    sample = policy_sample(
        revenue, utility, sensitive_features=sensitive_features, sample_weight=sample_weight,
        rejected_utility=rejected_utility, missing=missing,
    )
    return path_of_frontiers(
        group_frontiers(sample), sample.share, values_of(sample, unconstrained_choice(sample)),
        sample.labels,
    )


def path_of_frontiers(
    frontiers: list[GroupFrontier], share: np.ndarray, unconstrained: PolicyValues, labels: tuple
) -> PriceOfFairnessPath:
    """Narrow the window of allowed welfare, where the groups' frontiers are there already.

    Parameters
    ----------
    frontiers : list of GroupFrontier
    share : (n_groups,)
    unconstrained : PolicyValues
        Of the lender's own policy.
    labels : tuple
        The groups.
    """
    lower, upper, price = _narrowing(frontiers, share, unconstrained.welfare)
    lost = np.concatenate([[0.0], np.cumsum(price * -np.diff(upper - lower))])
    return PriceOfFairnessPath(
        groups=labels, tolerance=upper - lower, revenue=unconstrained.total_revenue - lost,
        lower=lower, upper=upper, price=price, unconstrained=unconstrained,
        frontiers=dict(zip(labels, frontiers)),
    )


def _narrowing(
    frontiers: list[GroupFrontier], share: np.ndarray, unconstrained: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of the window at every corner, and the price between corners."""
    starts = [_corner_near(one.welfare, float(w)) for one, w in zip(frontiers, unconstrained)]
    low, high = min(starts), max(starts)
    highest_lower = max(low, min(float(one.welfare[-1]) for one in frontiers))
    lowest_upper = min(high, max(float(one.welfare[0]) for one in frontiers))
    down, price_down = _prices(frontiers, share, lowest_upper, high, 1.0)
    up, price_up = _prices(frontiers, share, low, highest_lower, -1.0)
    end = np.concatenate([down[-2::-1], up[1:]])
    price = np.concatenate([price_down[::-1], price_up])
    raises = np.repeat([False, True], [price_down.size, price_up.size])

    by_price = np.argsort(price, kind="stable")
    ordered = price[by_price]
    # Sums of equal slopes come out some bits apart; the upper edge still goes first.
    tied_run = np.cumsum(np.diff(ordered, prepend=0.0) > TIED * ordered)
    by_price = by_price[np.lexsort((raises[by_price], tied_run))]
    raises = raises[by_price]
    # One edge's pieces of equal price are one piece, which ends where the last of them does.
    last = np.concatenate([(np.diff(tied_run) != 0) | (np.diff(raises) != 0), [True]])
    last = last[: raises.size]
    end, raises = end[by_price][last], raises[last]
    price = np.maximum.accumulate(price[by_price][last])
    lower = np.maximum.accumulate(np.concatenate([[low], np.where(raises, end, low)]))
    upper = np.minimum.accumulate(np.concatenate([[high], np.where(raises, high, end)]))

    scale = max(abs(end).max(initial=0.0), abs(low), abs(high))
    met = np.flatnonzero(upper - lower <= TIED * scale)
    if met.size:
        # The edge that moves last stops where the other stands.
        k = int(met[0])
        lower, upper, price = lower[: k + 1], upper[: k + 1], price[:k]
        if k == 0 or raises[k - 1]:
            lower[k] = upper[k]
        else:
            upper[k] = lower[k]
    # Pieces shorter than the last digit of an edge.
    moves = np.diff(upper - lower) < 0
    kept = np.concatenate([[True], moves])
    return lower[kept], upper[kept], price[moves]


def _corner_near(corner: np.ndarray, at: float) -> float:
    """The corner that only rounding keeps `at` from, or `at`."""
    nearest = float(corner[np.abs(corner - at).argmin()])
    return nearest if abs(nearest - at) <= TIED * np.abs(corner[[0, -1]]).max() else at


def _prices(
    frontiers: list[GroupFrontier], share: np.ndarray, low: float, high: float, sign: float
) -> tuple[np.ndarray, np.ndarray]:
    """Corners in [low, high], rising, and what a unit of the way costs between them.

    Parameters
    ----------
    frontiers : list of GroupFrontier
    share : (n_groups,)
    low, high : float
    sign : float
        1 where welfare is lowered, -1 where it is raised.
    """
    inside = [
        one.welfare[
            np.searchsorted(one.welfare, low, "right") : np.searchsorted(one.welfare, high, "left")
        ]
        for one in frontiers
    ]
    corner = np.unique(np.concatenate([[low, high], *inside]))
    price = np.zeros(corner.size - 1)
    for one, part in zip(frontiers, share):
        # Beyond its ends a group is not moved; and where it would gain, it stays at its top.
        cost = np.concatenate([[0.0], np.maximum(sign * one.slope, 0.0), [0.0]])
        price += part * cost[np.searchsorted(one.welfare, corner[:-1], "right")]
    return corner, price
