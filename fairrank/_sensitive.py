"""Where the groups come from, and how they become integer codes.

``sensitive_features`` is one column or several (several mean their intersections) of any
hashable values. `encode_groups` turns them into small integer codes at the door;
`read_groups` takes them from a column of ``X`` or a callable for estimators and scorers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._column_codes import code_column, present_codes, too_many_groups
from fairrank._validation import as_array
from fairrank.exceptions import DegenerateGroupError, UnseenGroupError

# Below this many distinct values a small sample may honestly have one row a group.
IDENTIFIER_FLOOR = 20

MISSING_RULES = ("raise", "group", "drop")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


def feature_columns(sensitive_features: Any, name: str = "sensitive_features") -> list[np.ndarray]:
    """Split one column, a frame, or a two-dimensional array into one-dimensional arrays.

    A list of tuples is one column of tuples; a list of lists is rows of several columns.
    """
    if isinstance(sensitive_features, str):
        raise TypeError(
            f"{name} must hold one group a row, got {sensitive_features!r} of type str. "
            "A column name is understood by estimators and scorers, not by metrics."
        )
    if isinstance(sensitive_features, dict):
        parts = list(sensitive_features.values())
    elif _column_names(sensitive_features) is not None:
        n_columns = len(_column_names(sensitive_features) or ())
        parts = [_column_at(sensitive_features, j) for j in range(n_columns)]
    else:
        parts = [sensitive_features]
    columns = []
    for part in parts:
        array = as_array(part, name)
        if array.ndim not in (1, 2) or (array.ndim == 2 and part is not sensitive_features):
            raise ValueError(
                f"{name} must be one column or a table of columns, got {type(part).__name__} of "
                f"shape {array.shape}."
            )
        columns += [array] if array.ndim == 1 else list(array.T)
    if not columns:
        raise ValueError(f"{name} has no column.")
    lengths = {column.shape[0] for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"{name}: its columns have different lengths {sorted(lengths)}.")
    return columns


def encode_groups(
    sensitive_features: Any,
    *,
    missing: str | None = "raise",
    name: str = "sensitive_features",
) -> GroupCodes:
    """Code the groups of every row, refusing what cannot be a group.

    Parameters
    ----------
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Any hashables; several columns are read as their intersections.
    missing : {"raise", "group", "drop", None}
        What to do with None, NaN and their kin. None raises where the caller's user has no such
        argument to pass.
    name : str
        The argument's name in messages.

    Raises
    ------
    ValueError
        Missing groups under ``missing="raise"``, or more groups than a byte can count.
    TypeError
        A generator, a string, or an unhashable group.
    """
    if missing is not None and missing not in MISSING_RULES:
        raise ValueError(f"missing must be one of {MISSING_RULES}, got {missing!r}.")
    groups = _encode(feature_columns(sensitive_features, name), missing, name)
    n_groups, n_rows = len(groups.labels), groups.codes.size
    if n_groups > IDENTIFIER_FLOOR and 2 * n_groups > n_rows:
        raise too_many_groups(n_groups, n_rows, name)
    return groups


def _encode(columns: list[np.ndarray], missing: str | None, name: str) -> GroupCodes:
    n_rows = columns[0].shape[0]
    if n_rows == 0:
        raise DegenerateGroupError(f"{name} is empty: there is no row to audit.")
    factors = []
    is_na = np.zeros(n_rows, dtype=bool)
    for j, column in enumerate(columns, start=1):
        which = name if len(columns) == 1 else f"{name} (column {j} of {len(columns)})"
        codes, labels = code_column(column, which)
        if len(labels) > 2:
            codes, labels = present_codes(codes, labels, which)
        factors.append((codes, labels))
        parts = (label if isinstance(label, tuple) else (label,) for label in labels)
        missing_of = [any(part is None for part in group) for group in parts]
        if any(missing_of):
            is_na |= np.array(missing_of)[codes]
    n_na = int(np.count_nonzero(is_na))
    if n_na and missing is None:
        raise ValueError(
            f"{name}: {n_na} of {n_rows} rows have no group (None or NaN). Give them one, or take "
            "those rows out of all arguments."
        )
    if n_na and missing == "raise":
        raise ValueError(
            f"{name}: {n_na} of {n_rows} rows have no group (None or NaN). Pass missing='group' "
            "to keep them as a group of their own, or missing='drop' to leave them out."
        )
    keep = ~is_na if missing == "drop" else np.ones(n_rows, dtype=bool)
    if not keep.any():
        raise DegenerateGroupError(f"{name}: every one of its {n_rows} rows is missing.")

    joint, joint_labels = factors[0]
    if len(factors) > 1 or not keep.all():
        joint, joint_labels = _intersections(factors, keep, name)
    rank = sorted_positions(joint_labels)
    if rank != list(range(len(rank))):
        position = np.empty(len(rank), dtype=np.uint8)
        position[rank] = np.arange(len(rank), dtype=np.uint8)
        joint = position[joint]
    all_codes = joint.astype(np.uint8, copy=False)
    if joint.size < n_rows:
        all_codes = np.zeros(n_rows, dtype=np.uint8)
        all_codes[keep] = joint
    return GroupCodes(codes=all_codes, labels=tuple(joint_labels[i] for i in rank), keep=keep)


def _intersections(factors: list[tuple[np.ndarray, list]], keep: np.ndarray,
                   name: str) -> tuple[np.ndarray, list]:
    """Codes of the rows to keep, and the tuples that they stand for; of one column its values."""
    joint = np.zeros(np.count_nonzero(keep), dtype=np.intp)
    joint_labels: list = [()]
    for codes, labels in factors:
        # At most 255 times 255 before, and 255 after: no number of columns can overflow.
        pairs = [(*head, tail) for head in joint_labels for tail in labels]
        joint, joint_labels = present_codes(joint * len(labels) + codes[keep], pairs, name)
    if len(factors) == 1:
        joint_labels = [label for (label,) in joint_labels]
    return joint, joint_labels


def sorted_positions(labels: list) -> list[int]:
    """Order of the labels, the missing last; the rows they were first seen in do not matter."""
    groups = [label if isinstance(label, tuple) else (label,) for label in labels]
    by_text = [[(part is None, type(part).__name__, repr(part)) for part in g] for g in groups]
    by_value = [[(part is None, 0 if part is None else part) for part in g] for g in groups]
    positions = sorted(range(len(labels)), key=by_text.__getitem__)
    try:
        return sorted(positions, key=by_value.__getitem__)
    except (TypeError, ValueError, ArithmeticError):  # 1 < "a", arrays in tuples, Decimal NaN
        return positions


def encode_seen_groups(
    sensitive_features: Any, labels: tuple, *, name: str = "sensitive_features"
) -> np.ndarray:
    """Code groups at prediction time against the `labels` seen at fit.

    A whole number matches its float (a null in a column turns its integers into floats).

    Raises
    ------
    UnseenGroupError
        A group was not seen at fit. Its message tells when only the type differs.
    """
    columns = feature_columns(sensitive_features, name)
    if len(columns[0]) == 0:
        return np.zeros(0, dtype=np.uint8)
    groups = _encode(columns, "group", name)
    exact = {_typed(label, float_is_int=False): i for i, label in enumerate(labels)}
    loose = {_typed(label, float_is_int=True): i for i, label in enumerate(labels)}
    lookup = np.zeros(len(groups.labels), dtype=np.uint8)
    for i, label in enumerate(groups.labels):
        code = exact.get(_typed(label, float_is_int=False))
        if code is None:
            code = loose.get(_typed(label, float_is_int=True))
        if code is None:
            raise UnseenGroupError(_unseen_message(label, labels, name))
        lookup[i] = code
    return lookup[groups.codes]


def _typed(label: Any, *, float_is_int: bool) -> tuple:
    if isinstance(label, tuple):
        return tuple(_typed(part, float_is_int=float_is_int) for part in label)
    kind = type(label)
    return (int if float_is_int and kind is float else kind), label


def _unseen_message(label: Any, labels: tuple, name: str) -> str:
    def text(group: Any) -> Any:
        return tuple(map(str, group)) if isinstance(group, tuple) else str(group)

    shown = ", ".join(map(repr, labels[:20])) + (" …" if len(labels) > 20 else "")
    if label is None:
        return (
            f"{name}: a row has no group (None or NaN), and no such row was kept at fit (seen: "
            f"{shown}). Fill it, or fit again with missing='group'."
        )
    alike = [seen for seen in labels if seen == label or text(seen) == text(label)]
    hint = (
        f"At fit there was {alike[0]!r} of type {type(alike[0]).__name__}: pass the same type."
        if alike
        else "Merge it into a known group, or fit again with it."
    )
    return (
        f"{name}: group {label!r} of type {type(label).__name__} was not seen at fit (seen: "
        f"{shown}). {hint}"
    )


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
    array, dict of arrays or the callable's answer, ready for `encode_groups`.
    """
    if callable(sensitive_features):
        try:
            answer = sensitive_features(X)
        except Exception as error:
            error.add_note(
                "This was raised by the callable sensitive_features, which was given a "
                f"{type(X).__name__}. In a Pipeline X is what the steps before give: arrays, "
                "unless set_output(transform=...) asks them for frames."
            )
            raise
        n_seen = len(feature_columns(answer, "sensitive_features(X)")[0])
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_seen != n_rows:
            raise ValueError(
                f"sensitive_features(X) gave {n_seen} groups for the {n_rows} rows of X: return "
                "one group a row."
            )
        return answer
    if isinstance(sensitive_features, (list, tuple)):
        if not sensitive_features:
            raise ValueError("sensitive_features is an empty list: name at least one column.")
        parts = [_read_column(X, column) for column in sensitive_features]
        return parts[0] if len(parts) == 1 else dict(enumerate(parts))
    return _read_column(X, sensitive_features)


def groups_of(X: Any, sensitive_features: Any) -> Any:
    """Groups of the rows of `X`: as given, or read from `X` by column or callable.

    A list is one of columns, unless it has one entry for every row.
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    names_columns = isinstance(sensitive_features, (str, int, np.integer)) or (
        isinstance(sensitive_features, (list, tuple)) and len(sensitive_features) != n_rows
    )
    if names_columns or callable(sensitive_features):
        return read_groups(X, sensitive_features)
    return sensitive_features


def _column_names(X: Any) -> list | None:
    if not hasattr(X, "__len__"):  # a polars LazyFrame warns when asked for its columns
        return None
    names = getattr(X, "column_names", getattr(X, "columns", None))  # pyarrow; pandas, polars
    return None if names is None else list(names)


def _column_at(frame: Any, position: int) -> Any:
    # By position, because a pandas frame may hold one name twice.
    if hasattr(frame, "iloc"):
        return frame.iloc[:, position]
    if hasattr(frame, "column_names"):
        return frame.column(position)
    return frame[:, position]


def _read_column(X: Any, column: Any) -> np.ndarray:
    if isinstance(column, (bool, np.bool_)) or not isinstance(column, (str, int, np.integer)):
        raise TypeError(
            "sensitive_features must be a column name, a position, a list of these or a callable "
            f"X -> groups, got {column!r} of type {type(column).__name__}."
        )
    names = _column_names(X)
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"sensitive_features={column!r} names a column, but X is a "
                f"{type(X).__name__} without column names: pass a position or a data frame."
            )
        if names.count(column) != 1:
            shown = f"{names[:20]}{' …' if len(names) > 20 else ''}"
            n_found = names.count(column) or "no"
            raise ValueError(
                f"sensitive_features={column!r} is the name of {n_found} columns of X, whose "
                f"columns are {shown}: name one, or pass its position."
            )
        return as_array(_column_at(X, names.index(column)), f"sensitive_features={column!r}")
    if names is None and not hasattr(X, "shape"):
        X = as_array(X, "X")
    n_columns = len(names) if names is not None else (X.shape[1] if len(X.shape) == 2 else 0)
    if not -n_columns <= column < n_columns:
        raise ValueError(
            f"sensitive_features={column} is not a column position of X, which has "
            f"{n_columns} columns."
        )
    position = int(column) % n_columns
    if names is not None:
        part = _column_at(X, position)
    elif hasattr(X, "tocsc"):  # scipy sparse
        part = X.tocsc()[:, [position]].toarray().ravel()
    else:
        part = X[:, position]
    return as_array(part, f"sensitive_features={column}")


def groups_of_rows(X: Any, chosen: Any, metadata: Any, owner: str, method: str) -> Any:
    """Groups read from X as the constructor says, or those that were passed.

    Parameters
    ----------
    X : array or frame
    chosen : str, int, list of these, callable or None
        Of the constructor.
    metadata : array-like or None
        Passed to `method`.

    Raises
    ------
    ValueError
        Neither, or both.
    """
    check_one_source(chosen, metadata, owner, method)
    return metadata if chosen is None else read_groups(X, chosen)


def check_one_source(chosen: Any, metadata: Any, owner: str, method: str) -> None:
    """Refuse groups that are given nowhere, or twice.

    Raises
    ------
    ValueError
        It says how to give them.
    """
    if chosen is None and metadata is None:
        raise ValueError(
            f"{owner} was given no sensitive_features. Name the group's column of X in the "
            'constructor, sensitive_features="race", which works everywhere in scikit-learn; or '
            f"pass the groups of the rows to {method}(..., sensitive_features=g), which "
            "scikit-learn's own scorers and cross-validation never do at predict."
        )
    if chosen is not None and metadata is not None:
        raise ValueError(
            f"sensitive_features={chosen!r} reads the groups from X, so sensitive_features= must "
            f"not be passed to {method} as well: leave out one of the two."
        )
