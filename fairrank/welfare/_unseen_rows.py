"""What rows that are all alike leave open: those of the same group that were not drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.welfare._policy_result import SAME


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


def alike_rows(
    values: np.ndarray, code: np.ndarray, weight: np.ndarray, n_groups: int, *, repeats: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Whether the rows of every group have one value, and how many rows they are. O(n).

    Parameters
    ----------
    values : (n,) or (n, n_columns)
    code : ndarray of int, shape (n,)
    weight : (n,), above 0
    n_groups : int
    repeats : bool
        Whether weights count rows that are alike. Masses that differ are fewer rows than they
        are: ``sum(w)**2 / sum(w**2)``.

    Returns
    -------
    ndarray of bool and ndarray of float, shape (n_groups,)
        True and 0 where there is no row.
    """
    alike = np.ones(n_groups, dtype=bool)
    for column in values.reshape(values.shape[0], -1).T:
        top, bottom = np.full(n_groups, -np.inf), np.full(n_groups, np.inf)
        np.maximum.at(top, code, column)
        np.minimum.at(bottom, code, column)
        alike &= top <= bottom + SAME
    count = np.bincount(code, weights=weight, minlength=n_groups).astype(np.float64)
    if not repeats:
        squares = np.bincount(code, weights=weight**2, minlength=n_groups)
        count = count**2 / np.where(squares > 0, squares, 1.0)
    return alike, count
