"""Where the groups come from, and how they become integer codes.

``sensitive_features`` is one column or several (several mean their intersections) of any
hashable values. `encode_groups` turns them into small integer codes at the door;
`read_groups` takes them from a column of ``X`` or a callable for estimators and scorers.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError, UnseenGroupError

# Codes are stored in one byte. More groups than this is nearly always an identifier.
MAX_GROUPS = 255
# Below this many distinct values a small sample may honestly have one row a group.
IDENTIFIER_FLOOR = 20

MISSING_RULES = ("raise", "group", "drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCodes:
    """Groups as codes into `labels`; rows with a missing group marked when they are to go.

    Attributes
    ----------
    codes : ndarray of uint8, shape (n_samples,)
        Index into `labels`. Where `keep` is False the code is 0 and means nothing.
    labels : tuple
        The groups, sorted where they can be sorted. An intersection is a tuple.
    keep : ndarray of bool, shape (n_samples,)
        False for rows with a missing group under ``missing="drop"``.
    """

    codes: np.ndarray
    labels: tuple
    keep: np.ndarray

    @property
    def n_dropped(self) -> int:
        """Rows that ``missing="drop"`` takes out."""
        return int(self.keep.size - np.count_nonzero(self.keep))


def is_missing(value: Any) -> bool:
    """True for None, NaN, NaT and pandas.NA, without importing pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def feature_columns(sensitive_features: Any, name: str = "sensitive_features") -> list[np.ndarray]:
    """Split one column, a frame, or a two-dimensional array into one-dimensional arrays."""
    if sensitive_features is None:
        raise ValueError(
            f"{name} is None: pass the group of every row, one value a row "
            "(several columns are read as their intersections)."
        )
    if hasattr(sensitive_features, "__next__"):
        raise TypeError(
            f"{name} is a {type(sensitive_features).__name__}, which can be read only once: "
            "pass a list or an array."
        )
    if isinstance(sensitive_features, dict):
        frame_columns = list(sensitive_features)
    elif hasattr(sensitive_features, "column_names"):  # pyarrow
        frame_columns = list(sensitive_features.column_names)
    elif hasattr(sensitive_features, "columns"):  # pandas, polars
        frame_columns = list(sensitive_features.columns)
    else:
        frame_columns = []
    if frame_columns:
        columns = [_as_column(sensitive_features[column], name) for column in frame_columns]
        lengths = {column.shape[0] for column in columns}
        if len(lengths) > 1:
            raise ValueError(f"{name}: its columns have different lengths {sorted(lengths)}.")
        return columns
    values = _as_column(sensitive_features, name)
    if values.ndim == 2:
        if values.shape[1] == 0:
            raise ValueError(f"{name} has no column.")
        return [values[:, j] for j in range(values.shape[1])]
    return [values]


def _as_column(values: Any, name: str) -> np.ndarray:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise TypeError(
            f"{name} must hold one group a row, got {values!r} of type {type(values).__name__}. "
            "A column name is understood by estimators and scorers, not by metrics."
        )
    if isinstance(values, (list, tuple)):
        # np.asarray would turn [1, "a", None] into strings and (1, 2) pairs into rows.
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or not kinds <= {int, float, bool, str, list}:
            out = np.empty(len(values), dtype=object)
            out[:] = values
            return out
    array = np.asarray(values)
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must have one or two dimensions, got shape {array.shape}.")
    return array


def encode_groups(
    sensitive_features: Any,
    *,
    missing: str = "raise",
    name: str = "sensitive_features",
) -> GroupCodes:
    """Code the groups of every row, refusing what cannot be a group.

    Parameters
    ----------
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Any hashables; several columns are read as their intersections.
    missing : {"raise", "group", "drop"}
        What to do with None, NaN and their kin.
    name : str
        The argument's name in messages.

    Raises
    ------
    ValueError
        Missing groups under ``missing="raise"``, or more groups than `MAX_GROUPS`.
    TypeError
        A generator, a string, or an unhashable group.
    """
    if missing not in MISSING_RULES:
        raise ValueError(f"missing must be one of {MISSING_RULES}, got {missing!r}.")
    columns = feature_columns(sensitive_features, name)
    n_rows = columns[0].shape[0]
    if n_rows == 0:
        raise DegenerateGroupError(f"{name} is empty: there is no row to audit.")

    is_na = np.zeros(n_rows, dtype=bool)
    factors = []
    for column in columns:
        codes, values, column_na = _factorize(column, name)
        is_na |= column_na
        factors.append((codes, values))
    n_na = int(np.count_nonzero(is_na))
    if n_na and missing == "raise":
        raise ValueError(
            f"{name}: {n_na} of {n_rows} rows have no group (None or NaN). Pass missing='group' "
            "to keep them as a group of their own, or missing='drop' to leave them out."
        )
    keep = ~is_na if missing == "drop" else np.ones(n_rows, dtype=bool)
    if not keep.any():
        raise DegenerateGroupError(f"{name}: every one of its {n_rows} rows is missing.")

    joint = factors[0][0]
    sizes = [len(values) for _, values in factors]
    for (codes, _), size in zip(factors[1:], sizes[1:]):
        # Recode after each column, so that the product of the sizes cannot overflow.
        joint = joint * size + codes
        _refuse_identifier(np.unique(joint[keep]).size, n_rows, name)
    present, inverse = np.unique(joint[keep], return_inverse=True)
    _refuse_identifier(present.size, n_rows, name)

    labels = [_joint_label(code, factors) for code in present]
    rank = _sorted_positions(labels)
    position = np.empty(len(rank), dtype=np.uint8)
    position[rank] = np.arange(len(rank), dtype=np.uint8)
    all_codes = np.zeros(n_rows, dtype=np.uint8)
    all_codes[keep] = position[inverse.ravel()]
    return GroupCodes(codes=all_codes, labels=tuple(labels[i] for i in rank), keep=keep)


def _refuse_identifier(n_groups: int, n_rows: int, name: str) -> None:
    if n_groups > MAX_GROUPS or (n_groups > IDENTIFIER_FLOOR and 2 * n_groups > n_rows):
        raise ValueError(
            f"{name} has {n_groups} distinct values among {n_rows} rows, which looks like an "
            f"identifier or a number, not a group. At most {MAX_GROUPS} groups are taken: "
            "pass the right column, or bin or merge the values first."
        )


def _factorize(column: np.ndarray, name: str) -> tuple[np.ndarray, list[Hashable], np.ndarray]:
    """Codes, distinct values and missing flags of one column, without sorting objects."""
    if column.dtype.kind in "biuUSMmf" and column.dtype.kind != "O":
        if column.dtype.kind == "f":
            column_na = np.isnan(column)
        elif column.dtype.kind in "mM":
            column_na = np.isnat(column)
        else:
            column_na = np.zeros(column.shape[0], dtype=bool)
        if column.dtype.kind in "bu" and column.dtype.itemsize == 1:
            present = np.flatnonzero(np.bincount(column.view(np.uint8), minlength=256))
            lookup = np.zeros(256, dtype=np.intp)
            lookup[present] = np.arange(present.size)
            codes = lookup[column.view(np.uint8)]
            return codes, [column.dtype.type(v).item() for v in present], column_na
        values, codes = np.unique(column, return_inverse=True)
        codes = codes.reshape(-1).astype(np.intp, copy=False)
        return codes, [None if is_missing(v) else v for v in values.tolist()], column_na
    # Objects: one dictionary look-up a row; equal values of one type share a code.
    seen: dict[Any, int] = {}
    codes = np.empty(column.shape[0], dtype=np.intp)
    column_na = np.zeros(column.shape[0], dtype=bool)
    values_list: list[Hashable] = []
    for i, value in enumerate(column.tolist()):
        if is_missing(value):
            column_na[i] = True
            value = None
        key = (value.__class__, value)  # True and 1, or 1 and 1.0, are different groups
        try:
            code = seen.get(key)
        except TypeError:
            raise TypeError(
                f"{name}: row {i} holds {value!r} of type {type(value).__name__}, which cannot "
                "be hashed: use strings, numbers or tuples as groups."
            ) from None
        if code is None:
            code = seen[key] = len(values_list)
            values_list.append(value)
        codes[i] = code
    return codes, values_list, column_na


def _joint_label(code: int, factors: list[tuple[np.ndarray, list[Hashable]]]) -> Hashable:
    if len(factors) == 1:
        return factors[0][1][code]
    parts = []
    for _, values in reversed(factors):
        code, digit = divmod(int(code), len(values))
        parts.append(values[digit])
    return tuple(reversed(parts))


def _sorted_positions(labels: list[Hashable]) -> list[int]:
    def by_type_then_text(i: int) -> tuple:
        return type(labels[i]).__name__, repr(labels[i])

    try:
        return sorted(range(len(labels)), key=lambda i: labels[i])  # type: ignore[arg-type,return-value]
    except TypeError:
        return sorted(range(len(labels)), key=by_type_then_text)


def encode_seen_groups(
    sensitive_features: Any, labels: tuple, *, name: str = "sensitive_features"
) -> np.ndarray:
    """Code groups at prediction time against the `labels` seen at fit.

    Raises
    ------
    UnseenGroupError
        A group was not seen at fit. Its message tells when only the type differs.
    """
    if len(feature_columns(sensitive_features, name)[0]) == 0:
        return np.zeros(0, dtype=np.uint8)
    groups = encode_groups(sensitive_features, missing="group", name=name)
    known = {(type(label), label): i for i, label in enumerate(labels)}
    lookup = np.zeros(len(groups.labels), dtype=np.uint8)
    for i, label in enumerate(groups.labels):
        code = known.get((type(label), label))
        if code is None:
            alike = [seen for seen in labels if str(seen) == str(label)]
            hint = (
                f" At fit there was {alike[0]!r} of type {type(alike[0]).__name__}: pass the "
                "same type." if alike else " Merge it into a known group, or fit again with it."
            )
            raise UnseenGroupError(
                f"{name}: group {label!r} of type {type(label).__name__} was not seen at fit "
                f"(seen: {', '.join(map(repr, labels))}).{hint}"
            )
        lookup[i] = code
    return lookup[groups.codes]


def read_groups(X: Any, sensitive_features: Any) -> Any:
    """Take the groups of every row out of `X`: a column, several, or a callable's answer.

    Parameters
    ----------
    X : frame or array of shape (n_samples, n_features)
        What the estimator or scorer was given.
    sensitive_features : str, int, list of these, or callable
        A column's name, its position (negative counts from the end), a list of them (their
        intersections), or ``X -> groups``.

    Returns
    -------
    array or list of arrays, ready for `encode_groups`.
    """
    if callable(sensitive_features):
        return sensitive_features(X)
    if isinstance(sensitive_features, (list, tuple)):
        if not sensitive_features:
            raise ValueError("sensitive_features is an empty list: name at least one column.")
        parts = [_read_column(X, column) for column in sensitive_features]
        return parts[0] if len(parts) == 1 else dict(enumerate(parts))
    return _read_column(X, sensitive_features)


def _column_names(X: Any) -> list | None:
    if hasattr(X, "column_names"):
        return list(X.column_names)
    if hasattr(X, "columns"):
        return list(X.columns)
    return None


def _read_column(X: Any, column: Any) -> np.ndarray:
    names = _column_names(X)
    if isinstance(column, (bool, np.bool_)) or not isinstance(column, (str, int, np.integer)):
        raise TypeError(
            "sensitive_features must be a column name, a position, a list of these or a callable "
            f"X -> groups, got {column!r} of type {type(column).__name__}."
        )
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"sensitive_features={column!r} names a column, but X is a "
                f"{type(X).__name__} without column names: pass a position or a data frame."
            )
        if column not in names:
            raise ValueError(
                f"sensitive_features={column!r} is not a column of X, whose columns are "
                f"{names[:20]}{' …' if len(names) > 20 else ''}."
            )
        return np.asarray(X[column])
    shape = getattr(X, "shape", None)
    n_columns = len(names) if names is not None else (shape[1] if shape and len(shape) == 2 else 0)
    if names is None and not n_columns:
        X = np.asarray(X)
        n_columns = X.shape[1] if X.ndim == 2 else 0
    if not -n_columns <= column < n_columns:
        raise ValueError(
            f"sensitive_features={column} is not a column position of X, which has "
            f"{n_columns} columns."
        )
    if names is not None:
        if hasattr(X, "iloc"):
            return np.asarray(X.iloc[:, column])
        return np.asarray(X[names[column]])
    if hasattr(X, "toarray"):  # scipy sparse
        return X[:, [column]].toarray().ravel()
    return np.asarray(X[:, column])
