"""One direction at a time, for any number of groups: who is treated, and what it costs."""

from __future__ import annotations

import numpy as np

from fairrank.frontier._angular_order import TIED
from fairrank.frontier._frontier_sample import FrontierSample


def treated(sample: FrontierSample, q: np.ndarray, then: np.ndarray | None = None) -> np.ndarray:
    """Rows with k(q) > 0. O(n n_groups).

    Parameters
    ----------
    sample : FrontierSample
    q : ndarray, shape (n_groups,)
        Not 0.
    then : ndarray, shape (n_groups,), optional
        The direction that decides where k(q) is 0; without it nobody is treated there. The rows
        are those that q turned a little towards `then` treats.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    size = np.sqrt(np.einsum("ij,ij->i", sample.scaled, sample.scaled))
    k = sample.scaled @ (q / np.abs(q).max())
    tied = TIED * size * np.sqrt(np.sum((q / np.abs(q).max()) ** 2))
    decided = k > tied
    if then is not None:
        undecided = np.abs(k) <= tied
        decided |= undecided & (sample.scaled @ then > TIED * size * np.sqrt(then @ then))
    return decided


def risks(sample: FrontierSample, decided: np.ndarray) -> np.ndarray:
    """Risk of every group under decisions, shape (n_groups,). O(n)."""
    return sample.group_means(sample.loss + decided * sample.change)


def best_point(sample: FrontierSample, group: int) -> np.ndarray:
    """Risks where that of one group is least, ties broken for the others together. O(n n_groups).

    Parameters
    ----------
    sample : FrontierSample
    group : int
        Coordinate of the group.
    """
    q = np.zeros(sample.n_groups)
    q[group] = -1.0
    return risks(sample, treated(sample, q, np.where(q == 0, -1.0, 0.0)))
