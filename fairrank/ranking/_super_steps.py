"""Runs of steps as one step, cut finely only where an order is likely to change."""

from __future__ import annotations

import numpy as np

from fairrank._kernels.chain import pool_chain
from fairrank.ranking._interleavings import Several

# Points beside each corner at which a chain is cut, at growing distances.
BESIDE = np.concatenate((np.arange(1, 5), 2 ** np.arange(3, 11)))


def corners(several: Several, sequence: np.ndarray) -> list[np.ndarray]:
    """Where the runs of each chain begin and end among its steps."""
    found = []
    for g in range(several.n_chains):
        places = np.flatnonzero(sequence == g)
        turns = np.flatnonzero(np.diff(places) > 1) + 1
        found.append(np.concatenate(([0], turns, [places.size])).astype(np.intp))
    return found


def even_cuts(several: Several, sequence: np.ndarray, n_steps: int) -> list[np.ndarray]:
    """Hull vertices, corners of the order, and about so many other cuts at equal distances."""
    every = max(1, int(several.start[-1]) // n_steps)
    return [
        np.unique(np.concatenate((
            pool_chain(chain.negative, chain.positive, 1), corner,
            np.arange(0, chain.n_steps, every),
        )))
        for chain, corner in zip(several.steps, corners(several, sequence))
    ]


def fine_cuts(several: Several, sequence: np.ndarray) -> list[np.ndarray]:
    """Hull vertices, corners of the order, and steps beside them, closest where it turns."""
    cuts = []
    for chain, corner in zip(several.steps, corners(several, sequence)):
        beside = np.concatenate([corner[:, None] + BESIDE, corner[:, None] - BESIDE]).ravel()
        beside = beside[(beside > 0) & (beside < chain.n_steps)]
        hull = pool_chain(chain.negative, chain.positive, 1)
        cuts.append(np.unique(np.concatenate((hull, corner, beside))))
    return cuts


def on_runs(sequence: np.ndarray, cuts: list[np.ndarray]) -> np.ndarray:
    """The order of the runs between `cuts`, which hold all corners of the order of steps."""
    kept = np.zeros(sequence.size, dtype=bool)
    for g, cut in enumerate(cuts):
        kept[np.flatnonzero(sequence == g)[cut[:-1]]] = True
    return sequence[kept]
