"""The two frontiers of a convex polygon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank.frontier._feasible_set import ROUNDING
from fairrank.frontier._frontier_path import skew_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolygonFrontiers:
    """Polylines along a polygon.

    Attributes
    ----------
    frontier : ndarray, shape (n_corners, 2)
        From R to B when balanced; from R to F when skewed towards r, from F to B towards b.
    pareto : ndarray, shape (n_corners, 2)
        From R to B.
    """

    frontier: np.ndarray
    pareto: np.ndarray


def polygon_frontiers(corners: np.ndarray) -> PolygonFrontiers:
    """Walk from the polygon's best points along its boundary. O(n_corners).

    Parameters
    ----------
    corners : ndarray, shape (n_corners, 2)
        Of a convex polygon, counterclockwise; at least one.

    Returns
    -------
    PolygonFrontiers
        As those of a zonogon: ties at R and B go to the other group.
    """
    rounding = ROUNDING * float(np.abs(corners).max())

    def least(first: np.ndarray, then: np.ndarray) -> int:
        return int(np.argmin(np.where(first <= first.min() + rounding, then, np.inf)))

    x, y = corners.T
    # Of corners that are equally far in a direction the one nearer to both axes.
    start = least(x - y, x + y)
    n_steps = (least(y - x, x + y) - start) % len(corners)
    half = np.roll(corners, -start, axis=0)[: n_steps + 1]
    r = least(half[:, 0], half[:, 1])
    b = max(r, least(half[:, 1], half[:, 0]))
    pareto = half[r : b + 1]
    skew = skew_of(half[[r, b]])
    if skew == "balanced":
        return PolygonFrontiers(frontier=pareto, pareto=pareto)
    # The gap rises along the half-turn. Where it is of one sign, the end nearest to 0 is F.
    gap = half[:, 0] - half[:, 1]
    level = min(max(0.0, gap[0]), gap[-1])
    fairest = np.array([[np.interp(level, gap, half[:, 0]), np.interp(level, gap, half[:, 1])]])
    if skew == "r":
        frontier = np.concatenate([half[r:][gap[r:] < level], fairest])
    else:
        frontier = np.concatenate([fairest, half[: b + 1][gap[: b + 1] > level]])
    return PolygonFrontiers(frontier=frontier, pareto=pareto)
