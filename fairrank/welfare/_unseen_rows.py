"""What rows that are all alike leave open: those of the same group that were not drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.welfare._policy_result import SAME

# So many rows apart from the others, and a mean of them is near enough to normal.
ENOUGH = 10


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


def rows_apart(values: np.ndarray, code: np.ndarray, n_groups: int) -> np.ndarray:
    """How many rows of every group have not the value that the others share. O(n).

    Parameters
    ----------
    values : (n,)
        Whatever most rows share is 0, or the least or the largest value of their group.
    code : ndarray of int, shape (n,)
    n_groups : int

    Returns
    -------
    ndarray of int, shape (n_groups,)
        0 where all rows are alike.
    """
    top, bottom = np.full(n_groups, -np.inf), np.full(n_groups, np.inf)
    np.maximum.at(top, code, values)
    np.minimum.at(bottom, code, values)
    return np.min(
        [
            np.bincount(code[np.abs(values - shared) > SAME], minlength=n_groups)
            for shared in (0.0, top[code], bottom[code])
        ],
        axis=0,
    )


def rows_that_count(
    code: np.ndarray, weight: np.ndarray, n_groups: int, *, repeats: bool
) -> np.ndarray:
    """Rows of every group. O(n).

    Parameters
    ----------
    code : ndarray of int, shape (n,)
    weight : (n,), above 0
    n_groups : int
    repeats : bool
        Whether weights count rows that are alike. Masses that differ are fewer rows than they
        are: ``sum(w)**2 / sum(w**2)``.
    """
    count = np.bincount(code, weights=weight, minlength=n_groups).astype(np.float64)
    if repeats:
        return count
    squares = np.bincount(code, weights=weight**2, minlength=n_groups)
    return count**2 / np.where(squares > 0, squares, 1.0)


def largest_of_groups(sizes: np.ndarray, code: np.ndarray, n_groups: int) -> np.ndarray:
    """Largest size in every group; that of all where a group has none above 0.

    Parameters
    ----------
    sizes : (n,), not negative
    code : ndarray of int, shape (n,)
    n_groups : int
    """
    top = np.zeros(n_groups)
    np.maximum.at(top, code, sizes)
    return np.where(top > 0, top, top.max())
