"""Fewer corners of a path, for the eye."""

from __future__ import annotations

import numpy as np


def thinned(x: np.ndarray, y: np.ndarray, n_corners: int) -> np.ndarray:
    """Take corners of a path at even distances along it, both ends among them.

    Parameters
    ----------
    x, y : (n,)
        A path without jumps.
    n_corners : int
        Most that are taken, at least 2.

    Returns
    -------
    ndarray of shape (m, 2)
        Between two that follow each other lie corners within one even distance of the first, so
        the line stays that near to the path: for a concave one, whose length is at most 3 widths
        and heights, within ``3 / (n_corners - 1)`` of them.
    """
    if x.size <= n_corners:
        return np.column_stack([x, y])
    width, height = (max(float(np.ptp(values)), np.finfo(np.float64).tiny) for values in (x, y))
    way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x) / width, np.diff(y) / height))])
    taken = np.searchsorted(way, np.linspace(0.0, way[-1], n_corners))
    taken = np.unique(np.minimum(np.append(taken, [0, x.size - 1]), x.size - 1))
    return np.column_stack([x[taken], y[taken]])
