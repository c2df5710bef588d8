"""One column of hashable values as integer codes: any dtype, whatever is missing being None."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import is_missing, python_cells, refuse_unhashable

# Codes are stored in one byte. More groups than this is nearly always an identifier.
MAX_GROUPS = 255
# Integers that span no more than this are counted, not sorted.
SMALL_SPAN = 1 << 16
# Values of these types equal nothing of another type.
NEVER_EQUAL = ("str", "NoneType", "NAType", "NaTType")


def code_column(column: np.ndarray, name: str) -> tuple[np.ndarray, list]:
    """Codes and distinct values of one column, whatever is missing being the value None.

    A distinct value may have no row, though the first and the last one have. O(n), and O(n log n)
    for floats and far-flung integers.
    """
    kind = column.dtype.kind
    if kind in "biu":
        if kind == "b":
            column = column.view(np.uint8)
        low = column.min()
        n_values = int(column.max()) - int(low) + 1
        if n_values <= SMALL_SPAN:
            # Cut to one or two bytes first: modulo these the difference is exact.
            small = np.min_scalar_type(n_values - 1)
            codes = column.astype(small) - low.astype(small)
            values = range(int(low), int(low) + n_values)
            return codes, list(map(bool, values) if kind == "b" else values)
    if kind in "iuf":
        distinct, codes = np.unique(column, return_inverse=True)
        return codes, [None if is_missing(value) else value for value in distinct.tolist()]
    # Dates stay numpy scalars, because .tolist() makes integers of nanoseconds. Strings go
    # through a dictionary, because np.unique sorts them.
    return _code_cells(list(column) if kind in "mM" else column.tolist(), name)


def _code_cells(cells: list, name: str) -> tuple[np.ndarray, list]:
    cells = python_cells(cells)
    kinds = set(map(type, cells))
    # True, 1 and 1.0 are equal in Python but different groups: then look up (type, value).
    typed = sum(kind.__name__ not in NEVER_EQUAL for kind in kinds) > 1
    keys = list(zip(map(type, cells), cells)) if typed else cells
    try:
        seen = dict.fromkeys(keys, 0)
    except TypeError:
        refuse_unhashable(cells, name)
        raise
    positions: dict[Any, int] = {}
    for key in seen:
        label = _with_none(key[1] if typed else key)
        seen[key] = positions.setdefault((type(label), label), len(positions))
        if len(positions) > MAX_GROUPS:
            raise too_many_groups(len(seen), len(cells), name)
    codes = np.fromiter(map(seen.__getitem__, keys), dtype=np.intp, count=len(keys))
    return codes, [label for _, label in positions]


def _with_none(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(None if is_missing(part) else part for part in label)
    return None if is_missing(label) else label


def present_codes(codes: np.ndarray, labels: list, name: str) -> tuple[np.ndarray, list]:
    """Leave out the labels that no row has, and refuse more than a byte can count."""
    present = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    if present.size > MAX_GROUPS:
        raise too_many_groups(present.size, codes.size, name)
    if present.size == len(labels):
        return codes, labels
    lookup = np.zeros(len(labels), dtype=np.intp)
    lookup[present] = np.arange(present.size)
    return lookup[codes], [labels[i] for i in present]


def too_many_groups(n_groups: int, n_rows: int, name: str) -> ValueError:
    """The error of a column that is no group."""
    return ValueError(
        f"{name} has {n_groups} distinct values among {n_rows} rows, which looks like an "
        f"identifier or a number, not a group. At most {MAX_GROUPS} groups are taken: "
        "pass the right column, or bin or merge the values first."
    )
