"""The welfare that all groups are given, and the multipliers that hold them there.

The total revenue at a welfare that all share is a vertical sum of the groups' frontiers:
concave, with corners where any of them has one. Its maximum is where the weighted sum of slopes
changes sign. With a tolerance the window [L, L + tolerance] slides instead, and what a group
makes of it is its own frontier with a flat step of that length put in at its top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fairrank.exceptions import DegenerateGroupError, InfeasibleError
from fairrank.welfare._group_frontier import TIED, GroupFrontier, snapped


@dataclass(frozen=True, slots=True)
class EqualWelfare:
    """Welfare and multiplier of every group.

    Attributes
    ----------
    welfare : ndarray, shape (n_groups,)
    multiplier : ndarray, shape (n_groups,)
        A super-gradient of each group's frontier; their weighted sum is 0.
    """

    welfare: np.ndarray
    multiplier: np.ndarray


@dataclass(frozen=True, slots=True)
class _Path:
    """Slopes between corners, of a group's revenue over the window's lower edge."""

    corner: np.ndarray
    slope: np.ndarray

    def left(self, at: float) -> float:
        """Slope before `at`; infinite at the start."""
        j = int(np.searchsorted(self.corner, at, "left")) - 1
        # Rounding can put `at` beyond the end, where ranges touch in one point.
        return np.inf if j < 0 else float(self.slope[min(j, self.slope.size - 1)])

    def right(self, at: float) -> float:
        """Slope after `at`; minus infinity at the end."""
        j = int(np.searchsorted(self.corner, at, "right")) - 1
        return -np.inf if j >= self.slope.size else float(self.slope[max(j, 0)])

    def snap(self, at: float) -> float:
        """The corner that only rounding keeps `at` from, or `at`."""
        j = int(np.searchsorted(self.corner, at, "right")) - 1
        if j < 0:
            return float(self.corner[0])
        if j >= self.slope.size:
            return float(self.corner[-1])
        width = self.corner[j + 1] - self.corner[j]
        part = snapped((at - self.corner[j]) / width)
        return float(self.corner[j + round(part)]) if part in (0.0, 1.0) else at


def equal_welfare(
    frontiers: list[GroupFrontier],
    share: np.ndarray,
    unconstrained: np.ndarray,
    tolerance: float,
    labels: tuple,
) -> EqualWelfare:
    """Welfare of largest total revenue among those at most `tolerance` apart. O(G^2 log^2 n).

    Of several, the nearest to the least welfare without a constraint.

    Parameters
    ----------
    frontiers : list of GroupFrontier
    share : (n_groups,)
    unconstrained : (n_groups,)
        Welfare of each group where nobody is constrained.
    tolerance : float
        At least 0.
    labels : tuple
        For messages.

    Raises
    ------
    InfeasibleError
        No welfare is within reach of all groups.
    """
    paths = [_with_flat_top(frontier, tolerance) for frontier in frontiers]
    low, high = _interval(paths, tolerance, labels)
    at = float(np.clip(unconstrained.min(), *_best_interval(paths, share, low, high)))
    multiplier = _multipliers(paths, share, at)
    welfare = np.empty(len(paths))
    for g, (path, frontier) in enumerate(zip(paths, frontiers)):
        edge = path.snap(at)
        wanted = np.clip(unconstrained[g], edge, edge + tolerance) if tolerance else edge
        welfare[g] = np.clip(wanted, frontier.welfare[0], frontier.welfare[-1])
    return EqualWelfare(welfare, multiplier)


def check_movable(frontiers: list[GroupFrontier], labels: tuple) -> None:
    """Refuse a group that fixes the welfare of all.

    Raises
    ------
    DegenerateGroupError
        No decision changes its welfare.
    """
    for frontier, label in zip(frontiers, labels):
        if not frontier.slope.size:
            raise DegenerateGroupError(
                f"utility: no decision changes the welfare of group {label!r}, which fixes the "
                f"welfare of all at {frontier.welfare[0]:.6g}. Give its members a utility, allow "
                "a tolerance, or leave the group out."
            )


def _with_flat_top(frontier: GroupFrontier, tolerance: float) -> _Path:
    if tolerance == 0.0:
        return _Path(frontier.welfare, frontier.slope)
    top = int(np.count_nonzero(frontier.slope > 0))
    return _Path(
        np.concatenate([frontier.welfare[: top + 1] - tolerance, frontier.welfare[top:]]),
        np.concatenate([frontier.slope[:top], [0.0], frontier.slope[top:]]),
    )


def _interval(paths: list[_Path], tolerance: float, labels: tuple) -> tuple[float, float]:
    starts = [float(path.corner[0]) for path in paths]
    ends = [float(path.corner[-1]) for path in paths]
    low, high = max(starts), min(ends)
    if low > high:
        scale = max(map(abs, starts + ends))
        if low - high > TIED * scale:
            least, most = labels[int(np.argmax(starts))], labels[int(np.argmin(ends))]
            raise InfeasibleError(
                f"No policy equalizes welfare: group {least!r} has at least "
                f"{low + tolerance:.6g} whatever is decided, and group {most!r} at most "
                f"{high:.6g}. Pass tolerance={1.01 * (low + tolerance - high):.3g} or more, or "
                "allow rejection (rejected_utility)."
            )
        high = low
    return low, high


def _best_interval(
    paths: list[_Path], share: np.ndarray, low: float, high: float
) -> tuple[float, float]:
    """Least and greatest `at` in [low, high] where the sum of slopes changes sign."""

    def falls_after(at: float) -> bool:
        return _sum_of_slopes([path.right(at) for path in paths], share) <= 0

    def rises_before(at: float) -> bool:
        return _sum_of_slopes([path.left(at) for path in paths], share) >= 0

    first, last = (low, high)
    if not falls_after(low):
        first = high
        for path in paths:
            inside = path.corner[
                np.searchsorted(path.corner, low, "right") :
                np.searchsorted(path.corner, first, "left")
            ]
            j = _first_true(falls_after, inside)
            first = float(inside[j]) if j < inside.size else first
    if not rises_before(high):
        last = low
        for path in paths:
            inside = path.corner[
                np.searchsorted(path.corner, last, "right") :
                np.searchsorted(path.corner, high, "left")
            ]
            j = inside.size - 1 - _first_true(rises_before, inside[::-1])
            last = float(inside[j]) if j >= 0 else last
    return first, max(first, last)


def _first_true(holds: Callable[[float], bool], values: np.ndarray) -> int:
    """Index of the first value for which a condition holds that goes on holding."""
    low, high = 0, values.size
    while low < high:
        middle = (low + high) // 2
        if holds(float(values[middle])):
            high = middle
        else:
            low = middle + 1
    return low


def _sum_of_slopes(slopes: list[float], share: np.ndarray) -> float:
    """Weighted sum, 0 where only rounding keeps it from that."""
    total = float(share @ np.array(slopes))
    size = float(share @ np.abs(slopes))
    return 0.0 if np.isfinite(size) and abs(total) <= TIED * size else total


def _multipliers(paths: list[_Path], share: np.ndarray, at: float) -> np.ndarray:
    """One super-gradient a group with a weighted sum of 0, each as near 0 as the others let it."""
    edges = [path.snap(at) for path in paths]
    low = np.array([path.right(edge) for path, edge in zip(paths, edges)])
    high = np.array([path.left(edge) for path, edge in zip(paths, edges)])
    chosen = np.clip(0.0, low, high)
    excess = float(share @ chosen)
    bound = low if excess > 0 else high
    room = np.where(np.isfinite(bound), bound - chosen, 0.0)
    within = float(share @ room)
    if abs(excess) <= abs(within):
        return chosen - room * (excess / within) if within else chosen
    # Groups at the end of their path take what is left.
    chosen = chosen + room
    open_ended = ~np.isfinite(bound)
    left = excess + within
    if open_ended.any():
        chosen[open_ended] -= left / float(share[open_ended].sum())
    return chosen
