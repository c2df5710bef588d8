"""A csv file read with nothing but Python: what is used without pyarrow, and to find bad cells."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import (
    MISSING_CELLS,
    CategoryColumn,
    NumberColumn,
)

BLOCK_ROWS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvLayout:
    """How the text of a file is to be read.

    Attributes
    ----------
    path : Path
    delimiter : str
    encoding : str
    decimal : {".", ","}
        Between the whole part of a number and the rest.
    """

    path: Path
    delimiter: str
    encoding: str
    decimal: str = "."

    def number(self, cell: str) -> str:
        """The cell as Python writes a number."""
        return cell.replace(self.decimal, ".") if self.decimal != "." else cell

    def opened_bytes(self) -> Any:
        """The bytes, unpacked where the file is packed by gzip."""
        with self.path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(self.path) if packed else self.path.open("rb")

    def opened(self) -> TextIO:
        """The text; closing it closes the file."""
        encoding = "utf-8-sig" if self.encoding.lower() in ("utf-8", "utf8") else self.encoding
        return io.TextIOWrapper(self.opened_bytes(), encoding=encoding, newline="")

    def rows(self, file: TextIO, *, strict: bool = False) -> Any:
        """A csv reader over the file; pyarrow reads it alike where it is not strict."""
        return csv.reader(file, delimiter=self.delimiter, strict=strict)

    def check_quotes(self) -> None:
        """Refuse a file whose last quote is open: whatever follows it would be one cell.

        Raises
        ------
        BadInputError
            With the line where it opens.
        """
        with self.opened_bytes() as file:
            if sum(part.count(b'"') for part in iter(lambda: file.read(1 << 20), b"")) % 2 == 0:
                return
        with self.opened() as file:
            reader = self.rows(file, strict=True)
            line = 1
            try:
                for _ in reader:
                    line = reader.line_num + 1
            except csv.Error as error:
                raise BadInputError(
                    f"{self.path}, line {line}: a quote is opened and not closed ({error})."
                ) from None

    def not_text(self, error: UnicodeDecodeError) -> BadInputError:
        """The error of bytes that are no text in this encoding."""
        return BadInputError(
            f"{self.path} is not {self.encoding} text (byte {error.object[error.start]:#04x}: "
            f"{error.reason}). Pass --encoding, for instance --encoding cp1252 for a file saved "
            "by a spreadsheet, or --encoding utf-16."
        )


def read_header(layout: CsvLayout) -> list[str]:
    """Names of the columns.

    Raises
    ------
    BadInputError
        An empty file, or one that is not text.
    """
    try:
        with layout.opened() as file:
            header = next((row for row in layout.rows(file) if row), None)
    except UnicodeDecodeError as error:
        raise layout.not_text(error) from None
    except csv.Error as error:
        raise BadInputError(f"{layout.path}, first line: {error}.") from None
    if header is None:
        raise BadInputError(f"{layout.path} is empty: it has no header line and no rows.")
    return header


def read_cells(
    layout: CsvLayout, columns: list[NumberColumn | CategoryColumn], header: list[str],
) -> Iterator[int]:
    """Fill the columns from the file; give the number of rows after each block.

    Raises
    ------
    BadInputError
        A cell that is not a finite number, a row of another width: the line is named.
    """
    layout.check_quotes()
    places = [header.index(column.name) for column in columns]
    n_rows = 0
    try:
        with layout.opened() as file:
            reader = layout.rows(file)
            next(row for row in reader if row)
            while True:
                lines: list[int] = []
                cells: list[list[str]] = [[] for _ in columns]
                n_lines = 0
                for row in islice(reader, BLOCK_ROWS):
                    n_lines += 1
                    if not row:
                        continue
                    if len(row) != len(header):
                        raise BadInputError(
                            f"{layout.path}, line {reader.line_num}: {len(row)} cells where the "
                            f"header has {len(header)}. Mend the line, or quote cells that hold "
                            f"the delimiter {layout.delimiter!r}."
                        )
                    lines.append(reader.line_num)
                    for column_cells, place in zip(cells, places):
                        column_cells.append(row[place])
                if not n_lines:
                    return
                for column, column_cells in zip(columns, cells):
                    if isinstance(column, CategoryColumn):
                        column.add_cells(column_cells)
                    else:
                        column.add(_numbers(layout, column, column_cells, lines, n_rows))
                n_rows += len(lines)
                yield n_rows
    except UnicodeDecodeError as error:
        raise layout.not_text(error) from None
    except csv.Error as error:
        raise BadInputError(
            f"{layout.path}, after row {n_rows:,}, line {reader.line_num}: {error}."
        ) from None


def _numbers(
    layout: CsvLayout, column: NumberColumn, cells: list[str], lines: list[int], n_before: int
) -> np.ndarray:
    missing: tuple[str, ...] = ()
    if column.may_be_missing:
        missing = MISSING_CELLS
        cells = ["nan" if cell in missing else cell for cell in cells]
    if layout.decimal != ".":
        cells = [*map(layout.number, cells)]
    try:
        block = np.array(cells, dtype=np.float64)
    except ValueError:
        block = np.array([math.inf])
    if column.are_fine(block).all():
        return block
    row = next(
        row for row, cell in enumerate(cells) if not _is_finite(cell) and cell not in missing
    )
    where = f"{layout.path}, line {lines[row]} (row {n_before + row + 1:,})"
    raise BadInputError(f"{where}: {bad_number(column, cells[row])}")


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def bad_number(column: NumberColumn, cell: Any) -> str:
    """What is wrong with a cell that is no finite number, and what to do."""
    if cell is None or cell == "":
        seen = f"column {column.name!r} is empty"
    else:
        seen = f"column {column.name!r} holds {cell!r}, which is not a finite number"
    instead = f", or {column.instead}" if column.instead and _is_missing(cell) else ""
    if isinstance(cell, str) and re.fullmatch(r"\s*[-+]?\d*,\d+\s*", cell):
        return f"{seen}. Is the comma its decimal point? Pass --decimal ','."
    return f"{seen}. Every row needs a number: mend it, or take such rows out{instead}."


def _is_missing(cell: Any) -> bool:
    return cell is None or cell != cell or cell in MISSING_CELLS
