"""What each row moves in the support function, and standard errors from it."""

from __future__ import annotations

import numpy as np

from fairrank.frontier._frontier_sample import FrontierSample


def influence(sample: FrontierSample, q: np.ndarray, decided: np.ndarray) -> np.ndarray:
    """Influence function of h(q) at every row, shape (n,); its mean is 0. O(n).

    With equal weights q_g / mu_g times what the row's loss is above its group's risk; otherwise
    also times the row's weight over the mean weight.

    Parameters
    ----------
    sample : FrontierSample
    q : ndarray, shape (n_groups,)
    decided : ndarray of bool, shape (n,)

    Notes
    -----
    Its second part estimates the group shares. Without it the variance is wrong, most
    where q weighs one group against the other.
    """
    loss = sample.loss + decided * sample.change
    excess = loss - sample.group_means(loss)[sample.code]
    return sample.n_rows * sample.weight_in_group * q[sample.code] * excess


def covariance_of_means(
    sample: FrontierSample, first: np.ndarray, second: np.ndarray
) -> float:
    """Covariance of the means of two influence functions; rows summed within clusters. O(n)."""
    a = sample.summed_in_clusters(first)
    b = a if second is first else sample.summed_in_clusters(second)
    return float(a @ b) / sample.n_rows**2
