"""Where the fairest point may be, seen from an algorithm, when it lies beside equal risks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._exact_cuts import ExactCuts

METRICS = ("euclidean", "squared", "manhattan", "chebyshev")
# A distance is the largest p'x over these p; the Euclidean one over the whole circle.
DUAL = {
    "manhattan": np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]),
    "chebyshev": np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]),
}
# Of the largest coordinate; cuts are exact to less.
PRECISION = 1e-6
MAX_ROUNDS = 100


def length(x: np.ndarray, metric: str) -> np.ndarray:
    """Distance of x from 0, shape (...,) for x of shape (..., 2)."""
    if metric == "manhattan":
        return np.abs(x).sum(axis=-1)
    if metric == "chebyshev":
        return np.abs(x).max(axis=-1)
    square = (x * x).sum(axis=-1)
    return square if metric == "squared" else np.sqrt(square)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceRegion:
    """All F - e that are jointly near what was estimated.

    e may be off by delta_e in the sum of both coordinates, F short of the supporting line by
    delta_a and beyond the attainable risks by delta_b, with delta_e + delta_a + delta_b at most
    `reach`: a convex set, whose support function is a linear program.

    Attributes
    ----------
    cuts : ExactCuts
    rows : ndarray, shape (n_rows, 9)
        Of F, e, both parts of delta_e, delta_a, delta_b, and a distance.
    bounds : ndarray, shape (n_rows,)
    precision : float
        Of Euclidean distances.
    """

    cuts: ExactCuts
    rows: np.ndarray
    bounds: np.ndarray
    precision: float

    def farthest(self, p: np.ndarray) -> np.ndarray | None:
        """The F - e with the largest p'(F - e); None where there is no F."""
        cost = np.zeros(9)
        cost[:2], cost[2:4] = -p, p
        found = self._minimise(cost, np.empty((0, 2)))
        return None if found is None else found[:2] - found[2:4]

    def least(self, metric: str) -> float | None:
        """Smallest distance; None where there is no F. A few rounds of linear programs."""
        cost = np.zeros(9)
        cost[8] = 1.0
        dual = DUAL.get(metric, DUAL["chebyshev"])
        below = 0.0
        for _ in range(MAX_ROUNDS):
            found = self._minimise(cost, dual)
            if found is None:
                return None
            x, below = found[:2] - found[2:4], max(0.0, float(found[8]))
            distance = float(length(x, "euclidean"))
            if metric in DUAL or distance <= found[8] + self.precision:
                break
            dual = np.vstack([dual, x / distance])
        return below  # a bound from below in every round: the last is near enough, and safe

    def largest(self, metric: str) -> float | None:
        """Largest distance; None where there is no F.

        Euclidean: the convex hull of points found grows, the polygon of their supporting lines
        shrinks, until the farthest corners of both are equally far.
        """
        first = DUAL.get(metric, np.vstack([DUAL["chebyshev"], DUAL["manhattan"] / np.sqrt(2)]))
        points = []
        for p in first:
            point = self.farthest(p)
            if point is None:
                return None
            points.append(point)
        if metric in DUAL:
            return max(float(p @ x) for p, x in zip(first, points))
        normals = list(first)
        while True:
            order = np.argsort([np.arctan2(p[1], p[0]) for p in normals])
            normals, points = [normals[i] for i in order], [points[i] for i in order]
            corners = _corners(np.array(normals), np.array(points))
            inner = float(length(np.array(points), "euclidean").max())
            outer = length(corners, "euclidean")
            k = int(np.argmax(outer))
            if outer[k] <= inner + self.precision:
                return inner
            if len(normals) > MAX_ROUNDS:
                # Nearly a circle around e, which no polygon of few sides comes near in every
                # direction. From above, and by less than a thousandth of it: safe.
                return float(outer[k])
            after = (k + 1) % len(normals)
            chord = points[after] - points[k]
            size = float(length(chord, "euclidean"))
            p = normals[k] + normals[after]
            if size > self.precision:
                p = np.array([chord[1], -chord[0]])
            p = p / length(p, "euclidean")
            point = self.farthest(p)
            assert point is not None  # it was not empty before
            normals.append(p)
            points.append(point)

    def _minimise(self, cost: np.ndarray, dual: np.ndarray) -> np.ndarray | None:
        """With a distance of at least p'(F - e) for all p of `dual`."""
        rows = np.zeros((len(dual) + 1, 9))
        rows[:-1, :2], rows[:-1, 2:4], rows[:, 8] = dual, -dual, -1.0
        return self.cuts.minimise(
            cost, np.vstack([self.rows, rows]),
            np.concatenate([self.bounds, np.zeros(len(rows))]), slack=7,
        )


def distance_region(arcs: Arcs, e: np.ndarray, side: str, reach: float) -> DistanceRegion:
    """Collect what is known of F - e when the attainable risks lie on one side of equal risks.

    Parameters
    ----------
    arcs : Arcs
    e : ndarray, shape (2,)
        Estimated risks of the algorithm.
    side : {"above", "below"}
    reach : float
        Above 0.

    Returns
    -------
    DistanceRegion
    """
    direction, level = supporting_line(arcs, side)
    rows = np.zeros((9, 9))
    # |e_g - estimate| <= its part of delta_e.
    rows[0:2, 2:4], rows[2:4, 2:4] = np.eye(2), -np.eye(2)
    rows[0:2, 4:6] = rows[2:4, 4:6] = -np.eye(2)
    rows[4, 4:8] = 1.0
    rows[5, :2], rows[5, 6] = -direction, -1.0
    rows[6, 6] = rows[7, 7] = -1.0
    rows[8, :2] = direction
    bounds = np.array([*e, *-e, reach, -level, 0.0, 0.0, 0.0])
    cuts = ExactCuts(arcs)
    size = max(cuts.size, float(np.abs(bounds).max()))
    return DistanceRegion(cuts=cuts, rows=rows, bounds=bounds, precision=PRECISION * size)


def supporting_line(arcs: Arcs, side: str) -> tuple[np.ndarray, float]:
    """Direction in which F is a support point on a side of equal risks, and h there."""
    if side == "above":
        direction = 0.0 - arcs.breaks[0]
        return direction, float(direction @ arcs.points[-1])
    return arcs.breaks[0], float(arcs.breaks[0] @ arcs.points[0])


def _corners(normals: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Where each supporting line meets the next."""
    after = np.roll(normals, -1, axis=0)
    level = (normals * points).sum(axis=1)
    level_after = np.roll(level, -1)
    turn = normals[:, 0] * after[:, 1] - normals[:, 1] * after[:, 0]
    return np.column_stack(
        [level * after[:, 1] - level_after * normals[:, 1],
         level_after * normals[:, 0] - level * after[:, 0]]
    ) / turn[:, np.newaxis]
