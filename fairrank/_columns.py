"""Columns and rows of X, whatever holds it: numpy, scipy sparse, pandas, polars or pyarrow."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np

from fairrank._validation import as_array

N_SHOWN = 20


def column_names(X: Any) -> list[str] | None:
    """Names of the columns; None when they are not all strings (numpy, sparse, pandas' 0, 1)."""
    names = getattr(X, "column_names", getattr(X, "columns", None))  # pyarrow; pandas, polars
    if names is None:
        return None
    names = list(names)
    return names if names and all(isinstance(name, str) for name in names) else None


def indexable_rows(X: Any) -> Any:
    """`X` in a form whose rows can be taken: lists become arrays, odd sparse formats CSR."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """`X` restricted to the positions `rows`, in that order."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "column_names"):  # pyarrow
        return X.take(rows)
    return X[rows]


def take_columns(X: Any, columns: np.ndarray) -> Any:
    """`X` restricted to the positions `columns`, in that order."""
    if hasattr(X, "iloc"):
        return X.iloc[:, columns]
    if hasattr(X, "column_names"):
        return X.select([X.column_names[j] for j in columns])
    if hasattr(X, "columns"):  # polars
        return X.select([X.columns[j] for j in columns])
    return X[:, columns]


def kept_columns(n_columns: int, removed: Any) -> np.ndarray:
    """Positions that are left when `removed` go."""
    return np.setdiff1d(np.arange(n_columns), np.asarray(removed, dtype=np.intp))


def column_values(X: Any, column: int) -> np.ndarray:
    """One column as an array that tells apart what it told apart."""
    if hasattr(X, "iloc"):
        part = X.iloc[:, column]
    elif hasattr(X, "column_names"):
        part = X.column(column)
    elif hasattr(X, "tocsc"):
        part = X[:, [column]].toarray().ravel()
    else:
        part = X[:, column]
    return as_array(part, f"column {column} of X")


def with_column(X: Any, column: int, values: np.ndarray) -> Any:
    """A copy of `X` in which one column holds `values`; the caller's rows stay as they were."""
    if hasattr(X, "iloc"):
        import pandas as pd

        X = X.copy(deep=False)
        old = X.iloc[:, column]
        new = pd.Series(list(values), index=X.index)
        if isinstance(old.dtype, pd.CategoricalDtype):
            new = pd.Series(pd.Categorical(new, dtype=old.dtype), index=X.index)
        elif new.dtype != old.dtype and (old.dtype.kind not in "iu" or new.dtype.kind != "f"):
            new = new.astype(old.dtype)  # strings, nullable integers, float32
        X.isetitem(column, new)
        return X
    if hasattr(X, "column_names"):
        import pyarrow as pa

        name, kind = X.column_names[column], X.schema.field(column).type
        kind = pa.float64() if pa.types.is_integer(kind) and values.dtype.kind == "f" else kind
        return X.set_column(column, name, pa.array(values.tolist(), type=kind))
    if hasattr(X, "columns"):
        import polars as pl

        name, kind = X.columns[column], X.dtypes[column]
        kind = pl.Float64 if kind.is_integer() and values.dtype.kind == "f" else kind
        return X.with_columns(pl.Series(name, values.tolist(), dtype=kind))
    if hasattr(X, "tocsc"):
        X = X.tolil(copy=True)
        X[:, [column]] = values[:, None]
        return X.tocsr()
    holds_floats = X.dtype.kind in "iub" and values.dtype.kind == "f"
    X = X.astype(np.float64) if holds_floats else X.copy()
    X[:, column] = values
    return X


def find_column(
    column: Any, names: list[str] | None, n_columns: int, argument: str
) -> int:
    """Position of a column given by name or position (negative counts from the end).

    Raises
    ------
    ValueError
        There is no such column, or several: the message names those that come near.
    TypeError
        Neither a name nor a position.
    """
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"{argument}: {column!r} names a column, but X has no column names: give its "
                "position or pass a data frame."
            )
        if names.count(column) == 1:
            return names.index(column)
        if column in names:
            raise ValueError(
                f"{argument}: {names.count(column)} columns of X are called {column!r}: give "
                "its position."
            )
        near = get_close_matches(column, names, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        shown = ", ".join(names[:N_SHOWN]) + (", …" if len(names) > N_SHOWN else "")
        raise ValueError(f"{argument}: X has no column {column!r}.{hint} Its columns: {shown}.")
    if isinstance(column, (bool, np.bool_)) or not isinstance(column, (int, np.integer)):
        raise TypeError(
            f"{argument}: a column is given by its name or position, got {column!r} of type "
            f"{type(column).__name__}."
        )
    if not -n_columns <= column < n_columns:
        raise ValueError(
            f"{argument}: {column} is no column position of X, which has {n_columns} columns."
        )
    return int(column) % n_columns


def named_columns(X: Any, n_columns: int, sensitive_features: Any) -> tuple[int, ...]:
    """Positions of the columns that `sensitive_features` names; none for a callable or None."""
    if sensitive_features is None or callable(sensitive_features):
        return ()
    several = isinstance(sensitive_features, (list, tuple))
    listed = sensitive_features if several else [sensitive_features]
    names = column_names(X)
    found = {find_column(column, names, n_columns, "sensitive_features") for column in listed}
    return tuple(sorted(found))
