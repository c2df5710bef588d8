"""Outcomes that were seen for some rows only: pseudo-losses that have the right means.

A lender knows who repaid among those it lent to. Where being seen depends on nothing but what is
known of a row, its pseudo-loss m_d + S / pi (loss - m_d) has the mean of the loss it stands for,
and that still holds when one of m and pi is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import as_vector
from fairrank.exceptions import NotIdentifiedError


def check_selected(selected: Any, n_rows: int) -> np.ndarray:
    """Whether the outcome of each row was seen, as booleans.

    Raises
    ------
    ValueError, TypeError
        No boolean a row, or nothing was seen.
    """
    array = as_vector(selected, "selected")
    if array.shape[0] != n_rows:
        raise ValueError(
            f"selected has {array.shape[0]} rows and X {n_rows}: give one boolean a row."
        )
    values = set(array.tolist())
    if not values <= {0, 1}:
        raise ValueError(
            "selected must hold True where the outcome was seen and False elsewhere, got "
            f"{sorted(map(repr, values))[:5]}."
        )
    seen = array.astype(bool)
    if not seen.any():
        raise NotIdentifiedError("selected is False in every row: no outcome was seen.")
    return seen


def pseudo_losses(
    loss: np.ndarray, mean: np.ndarray, selected: np.ndarray, propensity: np.ndarray
) -> np.ndarray:
    """Give m + S / pi (loss - m), shape (n,).

    Parameters
    ----------
    loss : ndarray, shape (n,)
        Of one decision; not looked at where nothing was seen.
    mean : ndarray, shape (n,)
        m, its mean given X and the row's group, among the rows seen.
    selected : ndarray of bool, shape (n,)
        S.
    propensity : ndarray, shape (n,)
        pi, above 0: the probability of being seen given X and the row's group.
    """
    return mean + np.where(selected, (loss - mean) / propensity, 0.0)


def check_overlap(
    propensity: np.ndarray, code: np.ndarray, group_names: tuple, overlap: float
) -> None:
    """Refuse rows that are next to never seen.

    Raises
    ------
    NotIdentifiedError
        How many there are, in which groups, and what can be done.
    """
    low = propensity < overlap
    if not low.any():
        return
    counts = np.bincount(code[low], minlength=len(group_names))
    told = ", ".join(
        f"{count} of {name!r}" for count, name in zip(counts, group_names) if count
    )
    raise NotIdentifiedError(
        f"{int(low.sum())} of {low.size} rows ({told}) were selected with an estimated "
        f"probability below overlap={overlap:g}, the smallest {propensity.min():.2g}: nothing "
        "says what their outcomes are, and so the frontier is not identified. Take out those "
        "rows that the past rule as good as always rejects, and say that the frontier is that of "
        "the others; or lower overlap, knowing that few rows then stand for many."
    )
