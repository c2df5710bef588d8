"""What rows that are all alike leave open: those of the same group that were not drawn."""

from __future__ import annotations

from typing import Any

import numpy as np


def unseen_share(n_rows: Any, tail: float) -> np.ndarray:
    """Largest share of a group that may differ where each of its `n_rows` rows is like the others.

    The exact bound of Clopper and Pearson at n successes of n, about ``-log(tail) / n``: a larger
    share would have shown itself with probability above ``1 - tail``. 1 where there is no row.

    Parameters
    ----------
    n_rows : array-like of float, not negative
    tail : float in (0, 1)
        Probability that the bound is too small.

    Returns
    -------
    ndarray of float in [0, 1]

    Examples
    --------
    >>> from fairrank.welfare._unseen_rows import unseen_share
    >>> unseen_share([0, 1, 3, 1000], 0.025).round(4).tolist()
    [1.0, 0.975, 0.7076, 0.0037]
    """
    count = np.asarray(n_rows, dtype=np.float64)
    some = count > 0
    return np.where(some, -np.expm1(np.log(tail) / np.where(some, count, 1.0)), 1.0)
