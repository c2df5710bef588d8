"""What is removed at a time: columns, or named sets of them, and never the group's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._columns import column_names, column_values, find_column, with_column


@dataclass(frozen=True, slots=True)
class AuditedFeature:
    """One feature: a column of X, or a set of columns removed together.

    Attributes
    ----------
    name : str
    columns : tuple of int
        Positions in X.
    """

    name: str
    columns: tuple[int, ...]


def columns_read_by(X: Any, n_columns: int, group_of: Any, codes_of: Any) -> tuple[int, ...]:
    """Columns on which the answer of a callable depends: held constant, they change it.

    Parameters
    ----------
    group_of : callable
        ``X -> groups``.
    codes_of : callable
        ``groups -> integer codes``.
    """
    observed = codes_of(group_of(X))
    found = []
    for column in range(n_columns):
        values = column_values(X, column)
        constant = np.full(values.size, values[0], dtype=values.dtype)
        try:
            answer = codes_of(group_of(with_column(X, column, constant)))
        except Exception:  # whatever the callable does with a column it cannot read
            found.append(column)
            continue
        if not np.array_equal(answer, observed):
            found.append(column)
    return tuple(found)


def columns_equal_to(X: Any, n_columns: int, codes: np.ndarray) -> tuple[int, ...]:
    """Columns that hold the group itself: one value a group, another in every group. O(n) each."""
    _, first = np.unique(codes, return_index=True)
    if first.size < 2:
        return ()
    found = []
    for column in range(n_columns):
        values = column_values(X, column)
        try:
            one_a_group = bool(np.all(values == values[first][codes]))
            if one_a_group and len(set(values[first].tolist())) == first.size:
                found.append(column)
        except TypeError:  # values that cannot be compared or hashed are no group
            continue
    return tuple(found)


def audited_features(
    features: Any,
    X: Any,
    n_columns: int,
    *,
    named: tuple[int, ...],
    group_columns: tuple[int, ...],
    leaves_nothing: bool,
) -> tuple[AuditedFeature, ...]:
    """Read the parameter `features`.

    Parameters
    ----------
    features : None, list of columns, or mapping of names to a column or a list of columns
        None is every column but the group's.
    named : tuple of int
        Columns that the estimator never sees.
    group_columns : tuple of int
        Columns that hold or make the group; not to be removed.
    leaves_nothing : bool
        Whether a removed feature is gone for the estimator (it is not when neutralised).

    Raises
    ------
    ValueError
        No such column, the group among the features, a feature listed twice, or nothing left.
    """
    names = column_names(X)

    def label(column: int) -> str:
        return names[column] if names is not None else f"x{column}"

    if features is None:
        free = [j for j in range(n_columns) if j not in group_columns]
        found = [AuditedFeature(label(j), (j,)) for j in free]
    elif isinstance(features, Mapping):
        found = []
        for name, block in features.items():
            listed = [block] if isinstance(block, (str, int, np.integer)) else list(block)
            argument = f"features[{name!r}]"
            columns = [find_column(column, names, n_columns, argument) for column in listed]
            if not columns:
                raise ValueError(f"{argument} is empty: name at least one column.")
            found.append(AuditedFeature(str(name), tuple(sorted(set(columns)))))
    else:
        if isinstance(features, (str, bytes)) or not hasattr(features, "__iter__"):
            raise TypeError(
                f"features must be None, a list of columns or a dict of names to columns, got "
                f"{features!r}. For one feature pass a list: [{features!r}]."
            )
        positions = [find_column(column, names, n_columns, "features") for column in features]
        found = [AuditedFeature(label(j), (j,)) for j in positions]
    seen: set[str] = set()
    for feature in found:
        inside = [label(j) for j in feature.columns if j in group_columns]
        if inside:
            raise ValueError(
                f"features: {feature.name!r} holds the group itself ({', '.join(inside)}), which "
                "sensitive_features reads. The group is never removed: leave it out of features."
            )
        if feature.name in seen:
            raise ValueError(f"features: {feature.name!r} is listed twice.")
        seen.add(feature.name)
        left = n_columns - len(set(named) | set(feature.columns))
        if leaves_nothing and left == 0:
            raise ValueError(
                f"features: without {feature.name!r} no column of X is left to fit on: X has "
                f"{n_columns} feature(s), {len(named)} of them the group (n_features = "
                f"{n_columns}). Remove fewer columns at a time, or use strategy='neutralize'."
            )
    if not found:
        raise ValueError(
            f"features: there is none to remove. X has {n_columns} column(s), "
            f"{len(group_columns)} of them the group."
        )
    return tuple(found)
