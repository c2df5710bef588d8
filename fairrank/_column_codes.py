"""One column of groups, whatever its values, becomes integer codes and the distinct values."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import is_missing

# Codes are stored in one byte. More groups than this is nearly always an identifier.
MAX_GROUPS = 255
# Integers that span no more than this are counted, not sorted.
SMALL_SPAN = 1 << 16
# Values of these types equal nothing of another type.
NEVER_EQUAL = ("str", "NoneType", "NAType", "NaTType")
DATES = (np.datetime64, np.timedelta64)


def too_many_groups(n_groups: int, n_rows: int, name: str) -> ValueError:
    """Return the error to raise; it names what the column probably is."""
    return ValueError(
        f"{name} has {n_groups} distinct values among {n_rows} rows, which looks like an "
        f"identifier or a number, not a group. At most {MAX_GROUPS} groups are taken: "
        "pass the right column, or bin or merge the values first."
    )


def code_column(column: np.ndarray, name: str) -> tuple[np.ndarray, list]:
    """Codes and distinct values of a column that is not empty; the missing are the value None.

    A distinct value may have no row. O(n), and O(n log n) for floats and far-flung integers.
    """
    kind = column.dtype.kind
    if kind in "biu":
        if kind == "b":
            column = column.view(np.uint8)
        low = column.min()
        n_values = int(column.max()) - int(low) + 1
        if n_values <= SMALL_SPAN:
            # The difference may wrap round in a signed type; read as unsigned it is exact.
            codes = (column - low).view(f"u{column.itemsize}").astype(np.intp)
            values = range(int(low), int(low) + n_values)
            return codes, list(map(bool, values) if kind == "b" else values)
    if kind in "iuf":
        if kind == "f":
            column = column.astype(np.float64, copy=False)
        distinct, codes = np.unique(column, return_inverse=True)
        return codes, [None if value != value else value for value in distinct.tolist()]
    # Dates stay numpy scalars, because .tolist() makes integers of nanoseconds. Strings go
    # through a dictionary, because np.unique sorts them.
    return _code_cells(list(column) if kind in "mM" else column.tolist(), name)


def _code_cells(cells: list, name: str) -> tuple[np.ndarray, list]:
    kinds = set(map(type, cells))
    if any(issubclass(kind, np.generic) and not issubclass(kind, DATES) for kind in kinds):
        cells = [_python_value(cell) for cell in cells]
        kinds = set(map(type, cells))
    # True, 1 and 1.0 are equal in Python but different groups: then look up (type, value).
    typed = sum(kind.__name__ not in NEVER_EQUAL for kind in kinds) > 1
    keys = list(zip(map(type, cells), cells)) if typed else cells
    try:
        seen = dict.fromkeys(keys, 0)
    except TypeError:
        row = next(i for i, cell in enumerate(cells) if not _is_hashable(cell))
        raise TypeError(
            f"{name}: row {row} holds {cells[row]!r} of type {type(cells[row]).__name__}, which "
            "cannot be hashed: use strings, numbers or tuples as groups."
        ) from None
    positions: dict[Any, int] = {}
    for key in seen:
        label = _with_none(key[1] if typed else key)
        seen[key] = positions.setdefault((type(label), label), len(positions))
        if len(positions) > MAX_GROUPS:
            raise too_many_groups(len(seen), len(cells), name)
    codes = np.fromiter(map(seen.__getitem__, keys), dtype=np.intp, count=len(keys))
    return codes, [label for _, label in positions]


def _python_value(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) and not isinstance(cell, DATES) else cell


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _with_none(label: Any) -> Any:
    """Replace every kind of missing value by None, inside a tuple too."""
    if isinstance(label, tuple):
        return tuple(None if is_missing(part) else part for part in label)
    return None if is_missing(label) else label


def sorted_positions(labels: list) -> list[int]:
    """Order of the labels, the missing last; the rows they were first seen in do not matter."""

    def parts(i: int) -> tuple:
        return labels[i] if isinstance(labels[i], tuple) else (labels[i],)

    def by_value(i: int) -> list[tuple]:
        return [(part is None, 0 if part is None else part) for part in parts(i)]

    def by_text(i: int) -> list[tuple]:
        return [(part is None, type(part).__name__, repr(part)) for part in parts(i)]

    positions = sorted(range(len(labels)), key=by_text)
    try:
        return sorted(positions, key=by_value)
    except TypeError:  # 1 < "a"
        return positions
