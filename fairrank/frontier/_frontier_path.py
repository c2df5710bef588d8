"""The two frontiers of a zonogon as polylines, and which group its algorithms favour."""

from __future__ import annotations

import numpy as np

from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import Arcs


def best_points(arcs: Arcs) -> np.ndarray:
    """R and B, the support points just after the angle pi and just before 3pi/2; (2, 2)."""
    return arcs.points[[arcs.forced[1], arcs.forced[2] - 1]]


def skew_of(best: np.ndarray) -> str:
    """Whether the groups' best points lie on both sides of the line of equal risks.

    Parameters
    ----------
    best : ndarray, shape (2, 2)
        R and B.

    Returns
    -------
    {"balanced", "r", "b"}
        "r" where r has the lower risk at R and not the higher one at B; "b" likewise.
    """
    gap = best[:, 0] - best[:, 1]
    gap = np.where(np.abs(gap) <= TIED * np.abs(best).max(), 0.0, gap)
    if gap[0] < 0 and gap[1] <= 0:
        return "r"
    if gap[0] >= 0 and gap[1] > 0:
        return "b"
    return "balanced"


def pareto_path(zonogon: Arcs) -> np.ndarray:
    """Corners of the Pareto frontier from R to B, shape (n_corners, 2). O(n_arcs)."""
    return _without_repeats(zonogon.points[zonogon.forced[1] : zonogon.forced[2]])


def frontier_path(zonogon: Arcs) -> np.ndarray:
    """Corners of the fairness-accuracy frontier, shape (n_corners, 2). O(n_arcs).

    From R to B when balanced; from R to F when skewed towards r, and from F to B towards b.

    Parameters
    ----------
    zonogon : Arcs
        A convex support function, which realised losses do not give.
    """
    skew = skew_of(best_points(zonogon))
    if skew == "balanced":
        return pareto_path(zonogon)
    points = zonogon.points
    gap = points[:, 0] - points[:, 1]
    if skew == "r":
        first = zonogon.forced[1]
        # gap rises along the half-turn: the first point on or below the line ends the path.
        below = np.flatnonzero(gap[first:] >= 0)
        if not below.size:
            return _without_repeats(points[first:])
        stop = first + below[0]
        return _without_repeats(np.vstack([points[first:stop], _equal_risks(points, gap, stop)]))
    last = zonogon.forced[2]
    above = np.flatnonzero(gap[:last] < 0)
    if not above.size:
        return _without_repeats(points[:last])
    start = above[-1] + 1
    return _without_repeats(np.vstack([_equal_risks(points, gap, start), points[start:last]]))


def _equal_risks(points: np.ndarray, gap: np.ndarray, at: int) -> np.ndarray:
    """Where the edge from point at - 1 to point at crosses the line of equal risks."""
    if at == 0:
        return points[0]
    part = gap[at - 1] / (gap[at - 1] - gap[at])
    return points[at - 1] + part * (points[at] - points[at - 1])


def _without_repeats(points: np.ndarray) -> np.ndarray:
    """Corners without those of arcs that only a forced break cuts."""
    moved = np.abs(np.diff(points, axis=0)).max(axis=1) > 0
    return points[np.concatenate([[True], moved])]
