"""The columns that reach a step of an estimator, and those of them that a selector means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._columns import take_columns

COUNT = "Count the columns of X as it is passed to fit, the group's among them."


@dataclass(frozen=True)
class SeenColumns:
    """The columns that reach a step, as they were before any was removed.

    Attributes
    ----------
    removed : ndarray of bool, shape (n_columns,), or None
        None when a step before has made columns of its own.
    names : list of str, or None
    removed_names : frozenset of str
        Names removed from X, wherever the walk is.
    data : callable
        Gives the training rows of these columns, for selectors that are callables.
    after : str
        The step that made the columns, for messages.
    """

    removed: np.ndarray | None
    names: list[str] | None
    removed_names: frozenset[str]
    data: Callable[[], Any]
    after: str = ""

    def restricted(self, positions: np.ndarray) -> SeenColumns:
        """Only these columns, in this order."""
        assert self.removed is not None
        names = None if self.names is None else [self.names[j] for j in positions]
        return SeenColumns(
            self.removed[positions], names, self.removed_names,
            lambda: take_columns(self.data(), positions), self.after,
        )

    def unknown(self, after: str) -> SeenColumns:
        """Columns that the step `after` made."""
        return SeenColumns(None, None, self.removed_names, self.data, after)

    @property
    def moved(self) -> np.ndarray:
        """New position of every column that stays."""
        assert self.removed is not None
        return np.cumsum(~self.removed) - 1


def selected_positions(columns: Any, seen: SeenColumns, path: str) -> tuple[np.ndarray, str]:
    """Positions that a selector means among the columns it sees, and how it tells them.

    Parameters
    ----------
    columns : str, int, list, mask, slice or callable
        As ColumnTransformer takes them.
    seen : SeenColumns
        With known positions.
    path : str
        Where the selector is, for messages.

    Returns
    -------
    positions : ndarray of intp
    how : {"name", "position"}

    Raises
    ------
    ValueError
        A name, a position or a mask that does not belong to the columns.
    """
    assert seen.removed is not None
    n_columns = seen.removed.size
    if callable(columns):
        return selected_positions(columns(seen.data()), seen, path)
    if isinstance(columns, slice):
        if isinstance(columns.start, str) or isinstance(columns.stop, str):
            start, stop = 0, n_columns
            if columns.start is not None:
                start = _named_positions([columns.start], seen, path)[0]
            if columns.stop is not None:
                stop = _named_positions([columns.stop], seen, path)[0] + 1
            return np.arange(start, stop, columns.step or 1), "name"
        return np.arange(n_columns)[columns], "position"
    listed: list[Any] = [columns] if np.isscalar(columns) else list(columns)
    if any(isinstance(column, str) for column in listed):
        return np.array(_named_positions(listed, seen, path), dtype=np.intp), "name"
    return np.array(checked_positions(listed, n_columns, path), dtype=np.intp), "position"


def checked_positions(listed: list, n_columns: int, path: str) -> list[int]:
    """Positions from 0 on, of positions that may be negative or of a mask.

    Raises
    ------
    ValueError
        A position beyond the columns, or a mask of another length: most likely they were counted
        in X without the group's column.
    """
    if listed and all(isinstance(column, (bool, np.bool_)) for column in listed):
        require_length(len(listed), n_columns, f"{path} selects by a mask")
        return [j for j, chosen in enumerate(listed) if chosen]
    beyond = [column for column in listed if not -n_columns <= column < n_columns]
    if beyond:
        raise ValueError(
            f"{path} selects position {beyond[0]}, but is given {n_columns} columns. {COUNT}"
        )
    return [int(column) % n_columns for column in listed]


def require_length(n_given: int, n_columns: int, what: str) -> None:
    """Refuse one entry a column where there are more or fewer."""
    if n_given != n_columns:
        raise ValueError(f"{what} of {n_given} entries for {n_columns} columns. {COUNT}")


def _named_positions(listed: list, seen: SeenColumns, path: str) -> list[int]:
    if seen.names is None:
        raise ValueError(
            f"{path} names columns ({listed!r}), but X has no column names: pass a data frame, or "
            "select by position."
        )
    missing = [column for column in listed if column not in seen.names]
    if missing:
        raise ValueError(f"{path} names {missing!r}, which it is not given.")
    return [seen.names.index(column) for column in listed]
