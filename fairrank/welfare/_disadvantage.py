"""Which group is worst off without a condition, and how sure that is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

# Standard errors between the two lowest welfares from which the lowest is named.
SURE = 2.0
N_NODES = 201


def disadvantage(
    groups: tuple, welfare: np.ndarray, standard_error: np.ndarray
) -> tuple[Any, dict[str, list]]:
    """The group of least welfare, or None where it is tied within error, and a line a group.

    Parameters
    ----------
    groups : tuple
    welfare, standard_error : ndarray, shape (n_groups,)
        Of groups sampled apart from each other.

    Returns
    -------
    group or None
    dict of str to list
        "group", "welfare", "standard_error"; "z", how many standard errors of the difference lie
        between the lowest group and this one (0 for the lowest itself); "probability_lowest",
        of each to be lowest in truth, were the errors normal and nothing known before.
    """
    if np.isnan(welfare).any():
        table = {
            "group": list(groups), "welfare": welfare.tolist(),
            "standard_error": standard_error.tolist(), "z": [float("nan")] * len(groups),
            "probability_lowest": [float("nan")] * len(groups),
        }
        return None, table
    lowest = int(welfare.argmin())
    apart = welfare - welfare[lowest]
    error = np.hypot(standard_error, standard_error[lowest])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(apart > 0, apart / error, 0.0)
    others = np.delete(z, lowest)
    table = {
        "group": list(groups),
        "welfare": welfare.tolist(),
        "standard_error": standard_error.tolist(),
        "z": z.tolist(),
        "probability_lowest": probability_lowest(welfare, standard_error).tolist(),
    }
    return (groups[lowest] if others.min() >= SURE else None), table


def probability_lowest(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Probability that each of several independent normal numbers is the least.

    Numbers without error that tie share.
    """
    scale = max(float(np.abs(mean).max()), float(error.max()), 1.0)
    spread = np.maximum(error, 1e-9 * scale)
    # Quantiles at midpoints of equal probability.
    standard = ndtri((np.arange(N_NODES) + 0.5) / N_NODES)
    found = np.empty(mean.size)
    for a in range(mean.size):
        at = mean[a] + spread[a] * standard
        others = np.arange(mean.size) != a
        above = ndtr((mean[others] - at[:, None]) / spread[others])
        found[a] = above.prod(axis=1).mean()
    return found / found.sum()
