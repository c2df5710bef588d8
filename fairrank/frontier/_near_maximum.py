"""Directions in which an excess nearly is what it is at most, for critical values.

A maximum over directions moves, to first order, by what moves in the directions that nearly attain
it. They are found once, as parts of arcs; a draw then only looks there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels import arc_parts as _arc_parts
from fairrank.frontier._arcs import Arcs
from fairrank.frontier._excess import arcs_of_range, better_targets


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearMaximum:
    """Parts of arcs.

    Attributes
    ----------
    arc : ndarray of intp, shape (n_parts,)
        The arc of each part.
    part : ndarray, shape (n_parts, 4)
        Its first and last direction, counterclockwise.
    sector : ndarray of intp, shape (n_parts,)
        For `near_separation`, 0 before the angle pi, 1 from pi to 3pi/2, 2 after; else 1.
    """

    arc: np.ndarray
    part: np.ndarray
    sector: np.ndarray

    def largest(self, arcs: Arcs, target: np.ndarray) -> float:
        """Largest q'(v - S) over the parts, exactly. O(n_parts).

        Parameters
        ----------
        arcs : Arcs
            With the breaks of those that the parts were found on, and perhaps other points.
        target : ndarray, shape (2,) or (n_parts, 2)
            v.

        Returns
        -------
        float
            Minus infinity where there is no part.
        """
        target = np.ascontiguousarray(np.broadcast_to(target, (self.arc.size, 2)))
        return _arc_parts.largest_over_parts(
            target, self.arc, self.part, arcs.points, arcs.total
        )


def near_largest_excess(
    arcs: Arcs, e: np.ndarray, level: float, over: Any = "all"
) -> NearMaximum:
    """Directions of a range with q'e - h(q) >= level. O(n_arcs).

    Parameters
    ----------
    arcs : Arcs
    e : ndarray, shape (2,)
    level : float
    over : {"all", "frontier", "pareto"} or pair of directions
        As for `largest_excess`.

    Returns
    -------
    NearMaximum
    """
    arc, part = _above(arcs, e, level, *arcs_of_range(arcs, over))
    return NearMaximum(arc=arc, part=part, sector=np.ones(arc.size, dtype=np.intp))


def near_separation(arcs: Arcs, e: np.ndarray, level: float) -> NearMaximum:
    """Directions of the frontier with -h_C(e)(-q) - h(q) >= level. O(n_arcs).

    Parameters
    ----------
    arcs : Arcs
    e : ndarray, shape (2,)
    level : float

    Returns
    -------
    NearMaximum
    """
    found = [
        _above(arcs, target[0], level, first, n_arcs, ends)
        for target, first, n_arcs, ends in better_targets(arcs, e[np.newaxis])
    ]
    return NearMaximum(
        arc=np.concatenate([arc for arc, _ in found]),
        part=np.concatenate([part for _, part in found]),
        sector=np.repeat(np.arange(3), [arc.size for arc, _ in found]),
    )


def _above(
    arcs: Arcs, e: np.ndarray, level: float, first: int, n_arcs: int, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return _arc_parts.directions_above(
        e[0], e[1], level, arcs.breaks, arcs.points, arcs.total, first, n_arcs,
        np.ascontiguousarray(ends),
    )
