"""The risks that no direction excludes."""

from __future__ import annotations

import numpy as np

from fairrank._kernels.half_planes import intersect_half_planes
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import Arcs


def feasible_set(arcs: Arcs) -> np.ndarray:
    """Corners of {e : q'e <= h(q) for every q}, counterclockwise. O(n_arcs).

    Parameters
    ----------
    arcs : Arcs

    Returns
    -------
    ndarray, shape (n_corners, 2)
        Of shape (0, 2) where no point is left, which happens in tiny samples. Not the hull of
        the support points: h from realised losses is no support function of a set.

    Notes
    -----
    Every q of an arc is a positive mix of its ends, and S is constant, so that the two ends say
    all that the arc says.
    """
    starts, points = arcs.starts, arcs.support_points
    after = np.einsum("ij,ij->i", starts, points)
    before = np.einsum("ij,ij->i", starts, np.roll(points, 1, axis=0))
    offset = np.minimum(after, before)
    return intersect_half_planes(starts, offset, TIED * max(1e-300, float(np.abs(points).max())))
