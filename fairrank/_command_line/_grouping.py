"""Which groups a command compares, and which rows have a say in it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._command_line._answer import group_name
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import identifier_error
from fairrank._command_line._near_names import near_names
from fairrank._command_line._table_reader import Table

MAX_GROUPS = 255
# As in the library: a small sample may honestly have one row a group.
IDENTIFIER_FLOOR = 20
N_LISTED = 8
NO_GROUP = "(missing)"
THE_REST = "the rest"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """Groups of all rows, and the rows that have a say.

    Attributes
    ----------
    sensitive_features : ndarray, or dict of str to ndarray
        Of every row, as the library takes it: one column, or several whose intersections count.
        None where a row has no group, or its group is left out.
    keep : ndarray of bool
        Rows that have a say.
    missing : {"raise", "group", "drop"}
        What the library is to do where there is None.
    """

    sensitive_features: Any
    keep: np.ndarray
    missing: str

    def kept(self) -> Any:
        """Groups of the rows `keep`, those without one being called "(missing)"."""

        def named(column: np.ndarray) -> np.ndarray:
            part = column[self.keep]
            if part.dtype == object:
                part[_is_none(part)] = NO_GROUP
            return part

        if isinstance(self.sensitive_features, dict):
            return {name: named(column) for name, column in self.sensitive_features.items()}
        return named(self.sensitive_features)


def grouping(table: Table, arguments: argparse.Namespace) -> Grouping:
    """Groups of every row under ``--missing``, ``--leave-out`` and ``--against-rest``.

    Raises
    ------
    BadInputError
        A column that looks like an identifier, a group that nobody is in, or groups are missing
        and nothing says what to do.
    """
    names = arguments.group
    cells = _cells(table, names)
    keep = _rows_with_a_say(table, names, arguments.missing)
    chosen, against = arguments.leave_out, arguments.against_rest
    if not chosen and against is None:
        return Grouping(sensitive_features=cells, keep=keep, missing=arguments.missing)
    code, met = _joint_codes(table, names)
    places = {group_name(met[one]): int(one) for one in np.unique(code[keep])}
    which = f"column {' and '.join(map(repr, names))}"
    for group in chosen:
        _need(group, places, f"--leave-out {group}: {which}")
    if against is not None:
        _need(against, places, f"--against-rest {against}: {which}")
    if against in chosen:
        raise BadInputError(f"group {against!r} cannot be both left out and compared.")
    keep &= ~np.isin(code, [places[group] for group in chosen])
    if not keep.any():
        raise BadInputError(f"--leave-out: no group of {which} is left.")
    missing = "raise" if keep.all() else "drop"
    if against is not None:
        rest = THE_REST if against != THE_REST else "all others"
        pair = np.array([rest, against], dtype=object)
        two = pair[(code == places[against]).astype(np.intp)]
        two[~keep] = None
        return Grouping(sensitive_features=two, keep=keep, missing=missing)

    def hollowed(column: np.ndarray) -> np.ndarray:
        own = column.astype(object)
        own[_is_none(own)] = NO_GROUP
        own[~keep] = None
        return own

    if isinstance(cells, dict):
        cells = {name: hollowed(column) for name, column in cells.items()}
    else:
        cells = hollowed(cells)
    return Grouping(sensitive_features=cells, keep=keep, missing=missing)


def _is_none(cells: np.ndarray) -> np.ndarray:
    return np.fromiter((cell is None for cell in cells), dtype=bool, count=len(cells))


def _need(group: str, known: dict[str, int], where: str) -> None:
    if group in known:
        return
    near = near_names(group, list(known))
    meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    listed = ", ".join(map(repr, [*known][:N_LISTED])) + (", …" if len(known) > N_LISTED else "")
    raise BadInputError(f"{where} has no such group.{meant} Its groups are: {listed}.")


def _joint_codes(table: Table, names: list[str]) -> tuple[np.ndarray, list]:
    """One code a row for the intersection of all columns, and the group of each code."""
    met: list = [()]
    joint = np.zeros(table.n_rows, dtype=np.int64)
    for name in names:
        column = table.categories[name]
        values = [*column.values, NO_GROUP]
        own = np.where(column.codes < 0, len(column.values), column.codes)
        distinct, joint = np.unique(joint * len(values) + own, return_inverse=True)
        met = [(*met[one // len(values)], values[one % len(values)]) for one in distinct]
    return joint, [one[0] if len(names) == 1 else one for one in met]


def _cells(table: Table, names: list[str]) -> Any:
    for name in names:
        column = table.categories[name]
        n_values = len(column.values)
        if n_values > MAX_GROUPS or (
            n_values > IDENTIFIER_FLOOR and 2 * n_values > table.n_rows
        ):
            raise identifier_error(name, n_values, table.n_rows, column.values)
    cells = {name: table.categories[name].cells() for name in names}
    return cells[names[0]] if len(names) == 1 else cells


def _rows_with_a_say(table: Table, names: list[str], missing: str) -> np.ndarray:
    absent = np.zeros(table.n_rows, dtype=bool)
    for name in names:
        absent |= table.categories[name].codes < 0
    which = f"column {' and '.join(map(repr, names))}"
    if absent.any() and missing == "raise":
        raise BadInputError(
            f"{which}: {np.count_nonzero(absent):,} of {table.n_rows:,} rows have no group. Pass "
            "--missing group to keep them as a group of their own, or --missing drop to leave "
            "them out."
        )
    if absent.all() and missing == "drop":
        raise BadInputError(f"{which}: every one of {table.n_rows:,} rows is missing.")
    return ~absent if missing == "drop" else np.ones(table.n_rows, dtype=bool)
