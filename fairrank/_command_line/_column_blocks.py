"""Columns that grow block by block and take little memory: numbers, and coded categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._command_line._bad_input import BadInputError

# A group or label with more distinct values than this is not read to its end.
MAX_VALUES = 10_000
SHOWN = 5
# Cells that stand for nothing. "None" is not among them: it is an answer to some questions.
MISSING_CELLS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")


class NumberColumn:
    """Finite float64 values, 8 bytes a row.

    Parameters
    ----------
    name : str
    may_be_missing : bool, default=False
        Cells that stand for nothing are NaN, and no error.
    instead : str, default=""
        What else can be done about a missing cell, for its error.
    """

    def __init__(self, name: str, *, may_be_missing: bool = False, instead: str = ""):
        self.name = name
        self.may_be_missing = may_be_missing
        self.instead = instead
        self.blocks: list[np.ndarray] = []

    def add(self, block: np.ndarray) -> None:
        """Append values that `are_fine`."""
        self.blocks.append(block)

    def are_fine(self, block: np.ndarray) -> np.ndarray:
        """Tell which values may be appended."""
        fine = np.isfinite(block)
        return fine | np.isnan(block) if self.may_be_missing else fine

    def finished(self) -> np.ndarray:
        """All values; the blocks are let go."""
        whole = np.concatenate([*self.blocks, np.empty(0)])
        self.blocks = []
        return whole


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Categories:
    """A column of few distinct values, 2 bytes a row.

    Attributes
    ----------
    name : str
    codes : ndarray of int16
        Index into `values`; -1 where the cell is missing.
    values : list
        In the order in which they were met.
    """

    name: str
    codes: np.ndarray
    values: list

    def cells(self) -> np.ndarray:
        """One value a row, None where missing: what fairrank takes as groups. 8 bytes a row."""
        kinds = set(map(type, self.values))
        if kinds == {int} and not (self.codes < 0).any():
            return np.array(self.values)[self.codes]
        values = np.empty(len(self.values) + 1, dtype=object)
        values[:-1] = self.values
        return values[self.codes]


class CategoryColumn:
    """Distinct values and a code a row.

    Parameters
    ----------
    name : str
    typed : bool
        The values have a type already; those of text become whole numbers where all of them are.
    """

    def __init__(self, name: str, *, typed: bool):
        self.name = name
        self.typed = typed
        self.known: dict[Any, int] = {}
        self.blocks: list[np.ndarray] = []
        self.n_rows = 0

    def add(self, codes: np.ndarray, values: Sequence) -> None:
        """Append rows by code into `values`; -1 is a missing cell.

        Raises
        ------
        BadInputError
            More distinct values than any group has.
        """
        self.n_rows += len(codes)
        lookup = np.full(len(values) + 1, -1, dtype=np.int16)
        for i, value in enumerate(values):
            if value == value and value is not None:
                if len(self.known) == MAX_VALUES and value not in self.known:
                    raise identifier_error(self.name, MAX_VALUES, self.n_rows, self.known,
                                           more=True)
                lookup[i] = self.known.setdefault(value, len(self.known))
        self.blocks.append(lookup[codes])

    def add_cells(self, cells: Sequence[str]) -> None:
        """Append rows of text."""
        values = dict.fromkeys(cells)
        places = {value: i for i, value in enumerate(values)}
        for missing in MISSING_CELLS:
            if missing in places:
                places[missing] = -1
        codes = np.fromiter(map(places.__getitem__, cells), dtype=np.intp, count=len(cells))
        present = [None if places[value] == -1 else value for value in values]
        self.add(codes, present)

    def finished(self) -> Categories:
        """The whole column; the blocks are let go."""
        codes = np.concatenate([*self.blocks, np.empty(0, dtype=np.int16)])
        self.blocks = []
        values = list(self.known)
        # "01" stays text, or it could not be told from "1".
        if not self.typed and all(_is_whole(value) for value in values):
            values = list(map(int, values))
        return Categories(name=self.name, codes=codes, values=values)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(digits)) == digits and text != "-0"


def identifier_error(
    name: str, n_values: int, n_rows: int, values: Any, *, more: bool = False
) -> BadInputError:
    """The error of a column that tells rows apart instead of grouping them."""
    shown = ", ".join(repr(value) for value, _ in zip(values, range(SHOWN)))
    count = f"more than {n_values:,}" if more else f"{n_values:,}"
    rows = f"the first {n_rows:,} rows" if more else f"{n_rows:,} rows"
    return BadInputError(
        f"column {name!r} has {count} different values in {rows} ({shown}, …): it looks like an "
        "identifier or a measurement, not a group. Name the column of the groups, or bin or merge "
        "its values into at most 255 groups first."
    )
