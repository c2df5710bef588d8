"""The risks that no direction excludes."""

from __future__ import annotations

import numpy as np

from fairrank._kernels.half_planes import intersect_half_planes
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import Arcs

# Corners are where lines cross, which rounds more than a sum.
ROUNDING = 1e-9


def feasible_set(arcs: Arcs) -> np.ndarray:
    """Corners of {e : q'e <= h(q) for every q}, counterclockwise. O(n_arcs).

    Parameters
    ----------
    arcs : Arcs

    Returns
    -------
    ndarray, shape (n_corners, 2)
        Of shape (0, 2) where no point is left, which happens in tiny samples, and fewer than 3
        where a segment or a point is. No two are alike but for rounding. Not the hull of the
        support points: h from realised losses is no support function of a set.

    Notes
    -----
    Every q of an arc is a positive mix of its ends, and S is constant, so that the two ends say
    all that the arc says.
    """
    starts, points = arcs.starts, arcs.support_points
    after = np.einsum("ij,ij->i", starts, points)
    before = np.einsum("ij,ij->i", starts, np.roll(points, 1, axis=0))
    offset = np.minimum(after, before)
    size = max(1e-300, float(np.abs(points).max()))
    return _distinct(intersect_half_planes(starts, offset, TIED * size), ROUNDING * size)


def _distinct(corners: np.ndarray, apart: float) -> np.ndarray:
    """Corners without those of lines that go through the corner before, at least one of any."""
    moved = np.abs(corners - np.roll(corners, 1, axis=0)).max(axis=1, initial=0.0) > apart
    return corners[moved] if moved.any() else corners[:1]
