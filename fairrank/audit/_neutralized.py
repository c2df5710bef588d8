"""Neutralised features: held-out rows get the training rows' mean, or draws from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._columns import column_values, with_column
from fairrank._validation import is_missing


def neutralized(
    X_train: Any,
    X_test: Any,
    columns: tuple[int, ...],
    *,
    how: str,
    strata_train: np.ndarray,
    strata_test: np.ndarray,
    rng: np.random.Generator,
) -> Any:
    """`X_test` with `columns` replaced by what the training rows of the same stratum hold.

    Parameters
    ----------
    X_train, X_test : array or frame
        Rows with all columns; neither is changed.
    columns : tuple of int
        Replaced together: a draw takes all of them from one training row.
    how : {"mean", "draws"}
        "mean" is the mean of numbers and the most frequent of anything else, missing ones left
        out; "draws" takes the values of training rows drawn with replacement.
    strata_train, strata_test : ndarray of int
        Codes of the strata.
    rng : Generator
        For draws.
    """
    donors = None
    if how == "draws":
        donors = np.empty(strata_test.size, dtype=np.intp)
        for stratum in np.unique(strata_test):
            here = np.flatnonzero(strata_test == stratum)
            donors[here] = rng.choice(_rows_of(stratum, strata_train), size=here.size)
    for column in columns:
        values = column_values(X_train, column)
        if donors is not None:
            replaced = values[donors]
        else:
            replaced = _typical_values(values, strata_train, strata_test)
        X_test = with_column(X_test, column, replaced)
    return X_test


def _rows_of(stratum: int, strata_train: np.ndarray) -> np.ndarray:
    rows = np.flatnonzero(strata_train == stratum)
    if rows.size == 0:
        raise ValueError(
            "neutralize_strata: a stratum of held-out rows has no training row. Use fewer or "
            "wider strata."
        )
    return rows


def _typical_values(
    values: np.ndarray, strata_train: np.ndarray, strata_test: np.ndarray
) -> np.ndarray:
    """Mean or most frequent value of every held-out row's stratum."""
    cells = values.tolist() if values.dtype.kind == "O" else []
    if cells and all(is_missing(v) or isinstance(v, (int, float)) for v in cells) and not any(
        isinstance(v, bool) for v in cells
    ):
        # Nullable numbers come as objects.
        values = np.array([np.nan if is_missing(v) else v for v in cells], dtype=np.float64)
    numeric = values.dtype.kind in "iuf"
    found: list[Any] = [None] * strata_test.size
    for stratum in np.unique(strata_test):
        inside = values[_rows_of(stratum, strata_train)]
        typical = _mean(inside) if numeric else _mode(inside)
        for row in np.flatnonzero(strata_test == stratum):
            found[row] = typical
    kind = np.float64 if numeric else values.dtype
    return np.array(found, dtype=kind)


def _mean(values: np.ndarray) -> float:
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return float(known.mean()) if known.size else float("nan")


def _mode(values: np.ndarray) -> Any:
    """Most frequent value that is not missing; of several the first by its text."""
    counts: dict[Any, int] = {}
    for value in values.tolist():
        if not is_missing(value):
            counts[value] = counts.get(value, 0) + 1
    if not counts:
        return None
    most = max(counts.values())
    return min((value for value, n in counts.items() if n == most), key=str)
