"""Points of a lattice that a confidence set may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._excess import largest_excess
from fairrank.frontier._joint_statistic import behind_of

# A point is kept where its statistic is at most this many standard errors, the largest there is.
REACH = 5.0
COARSE = 64
N_DIRECTIONS = 16


def candidate_grid(support: Any, kind: str, n_candidates: int) -> tuple[np.ndarray, float, float]:
    """Lattice of about `n_candidates` points near what is estimated.

    Parameters
    ----------
    support : SupportFunction
    kind : {"frontier", "pareto", "feasible"}
    n_candidates : int

    Returns
    -------
    points : ndarray, shape (m, 2)
    spacing : float
        Of the lattice.
    reach : float
        All points of the lattice whose statistic over root n is at most this are among them.
    """
    arcs = support.realised
    angles = 2.0 * np.pi * np.arange(N_DIRECTIONS) / N_DIRECTIONS
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    reach = REACH * max(support.standard_error(q) for q in directions)
    high = np.array([arcs.h([1.0, 0.0]), arcs.h([0.0, 1.0])]) + reach
    low = -np.array([arcs.h([-1.0, 0.0]), arcs.h([0.0, -1.0])]) - reach
    side = max(float((high - low).max()), 1e-9 * max(1.0, float(np.abs(high).max())))
    step = side / COARSE
    coarse = _lattice(low, COARSE, step)
    # A statistic changes by at most 1 + sqrt(5) times a distance, here half a diagonal.
    kept = _distance(arcs, coarse, kind) <= reach + 2.3 * step
    spacing = step * float(np.sqrt(max(kept.sum(), 1) / n_candidates))
    n_side = int(np.ceil(COARSE * step / spacing))
    fine = _lattice(low, n_side, spacing)
    cell = np.minimum(((fine - low) / step).astype(int), COARSE - 1)
    return fine[kept.reshape(COARSE, COARSE)[cell[:, 0], cell[:, 1]]], spacing, reach


def _lattice(low: np.ndarray, n_side: int, step: float) -> np.ndarray:
    at = (np.arange(n_side) + 0.5) * step
    return low + np.stack(np.meshgrid(at, at, indexing="ij"), axis=-1).reshape(-1, 2)


def _distance(arcs: Arcs, points: np.ndarray, kind: str) -> np.ndarray:
    value = np.maximum(largest_excess(arcs, points).value, 0.0)
    behind = behind_of(arcs, points, kind)
    return value if behind is None else value - np.minimum(behind.value, 0.0)
