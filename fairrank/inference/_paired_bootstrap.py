"""Paired bootstrap: several models scored on the same resampled rows, so that changes compare.

Every draw takes the rows of each group with replacement and measures every model on them. The
draws depend on the seed and the group sizes alone: models may be measured together or in batches.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from joblib import Parallel, delayed

from fairrank._kernels.best_first import best_first
from fairrank._kernels.order import pool_ties, tie_blocks
from fairrank._kernels.paired import paired_resamples
from fairrank.inference._permutation import SERIAL_WORK, chunk_seeds
from fairrank.metrics._audit_sample import TIE_TOLERANCE

STATISTICS = ("rgf", "centered_rgf", "roc_auc", "average_precision")
CHUNK = 20
# Models whose sorted orders are held at once: 32 bytes a row each.
BATCH = 16


def paired_distribution(
    burden: np.ndarray,
    score: np.ndarray,
    *,
    group: np.ndarray,
    outcome: np.ndarray,
    n_resamples: int,
    seed: np.random.SeedSequence,
    tie_tolerance: float = TIE_TOLERANCE,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Fairness and accuracy of M models in group-stratified resamples of the same rows.

    Parameters
    ----------
    burden, score : ndarray of float64, shape (n_models, n_samples)
        Burdens at least 0; scores that grow with the chance of the positive outcome.
    group : ndarray of uint8, shape (n_samples,)
        Codes 0 .. G-1, each with at least one row.
    outcome : ndarray of uint8, shape (n_samples,)
        1 for the positive outcome.
    n_resamples : int
        Draws.
    seed : SeedSequence
        One child a chunk of draws.
    tie_tolerance : float
        Sorted burdens closer than this part of a model's largest one are tied.
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.

    Returns
    -------
    ndarray, shape (n_resamples, n_models, 4)
        RGF, centred RGF, ROC-AUC and average precision, as in `STATISTICS`. NaN where all
        resampled burdens are equal, or an outcome is missing.

    Notes
    -----
    Two sorts a model, then O(n G^2) a draw and model without sorting. About 2 ms a draw and model
    at n = 134,071, two groups.
    """
    # The kernel numbers rows group after group, so that a draw fills one group after another.
    by_group = np.argsort(group, kind="stable")
    group, outcome = group[by_group], outcome[by_group]
    group_start = np.concatenate(([0], np.cumsum(np.bincount(group)))).astype(np.intp)
    chunks = chunk_seeds(seed, n_resamples, CHUNK)
    jobs = n_jobs if burden.size * n_resamples >= SERIAL_WORK else 1
    found = np.empty((n_resamples, burden.shape[0], len(STATISTICS)))
    for models in _batches(burden.shape[0]):
        orders = (
            *_sorted_rows(burden[models][:, by_group], tie_tolerance, pooled=True),
            *_sorted_rows(score[models][:, by_group], 0.0, pooled=False)[1:],
        )
        parts = Parallel(n_jobs=jobs, prefer="threads")(
            delayed(paired_resamples)(*orders, group, outcome, group_start, state, size)
            for state, size in chunks
        )
        found[:, models] = np.concatenate(parts)
    found[:, :, :2] = 1.0 - found[:, :, :2]
    return found


def _batches(n_models: int) -> Iterator[slice]:
    for start in range(0, n_models, BATCH):
        yield slice(start, min(start + BATCH, n_models))


def _sorted_rows(values: np.ndarray, tolerance: float, *, pooled: bool) -> tuple:
    """Sorted values, order, block starts and number of blocks of every model's rows."""
    n_models, n = values.shape
    order = np.stack([best_first(-row) for row in values]).astype(np.int32)
    ascending = np.take_along_axis(values, order, axis=1)
    starts = np.zeros((n_models, n + 1), dtype=np.intp)
    n_blocks = np.empty(n_models, dtype=np.intp)
    ones = np.ones(n)
    for m in range(n_models):
        found = tie_blocks(ascending[m], tolerance * ascending[m, -1] if tolerance else 0.0)
        starts[m, : found.size] = found
        n_blocks[m] = found.size - 1
        if pooled and n_blocks[m] < n:
            ascending[m] = pool_ties(ascending[m], ones, found)
    return ascending, order, starts, n_blocks
