"""One file, the columns that are asked for, and nothing else of it."""

from __future__ import annotations

import zlib
from codecs import lookup
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairrank._command_line import _arrow_columns as arrow
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import Categories, CategoryColumn, NumberColumn
from fairrank._command_line._csv_text import CsvLayout, read_cells, read_header
from fairrank._command_line._near_names import no_such_column

Told = Callable[[str], None]
# What files are that are no table, by their first bytes.
NO_TEXT = {
    b"PK\x03\x04": "a spreadsheet or a zip archive", b"\xd0\xcf\x11\xe0": "a spreadsheet",
    b"[": "JSON, it seems", b"{": "JSON, it seems", b"<": "a page of HTML or XML, it seems",
    b"ARRO": "a feather file", b"%PDF": "a PDF", b"BZh": "packed by bzip2",
    b"\xfd7zX": "packed by xz", b"\x28\xb5\x2f\xfd": "packed by zstd",
}
TABS = {"\\t": "\t", "tab": "\t"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """What was read.

    Attributes
    ----------
    source : TableSource
    n_rows : int
    numbers : dict of str to ndarray of float64
    categories : dict of str to Categories
    """

    source: TableSource
    n_rows: int
    numbers: dict[str, np.ndarray]
    categories: dict[str, Categories]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSource:
    """A file that can be read as a table.

    Attributes
    ----------
    layout : CsvLayout
    is_parquet : bool
    names : tuple of str
        Of all columns.
    """

    layout: CsvLayout
    is_parquet: bool
    names: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.layout.path

    def need(self, name: str) -> None:
        """Refuse a column that is not there once.

        Raises
        ------
        BadInputError
            With the names that are near.
        """
        n_found = self.names.count(name)
        if n_found == 1:
            return
        if n_found:
            raise BadInputError(
                f"{self.path} has {n_found} columns called {name!r}: rename all but one."
            )
        message = no_such_column(str(self.path), name, self.names)
        if len(self.names) == 1 and not self.is_parquet:
            for other in (";", "\t", "|"):
                if other in self.names[0]:
                    shown = "$'\\t'" if other == "\t" else f"{other!r}"
                    message += f" The cells may be parted by {shown}: pass --delimiter {shown}."
        raise BadInputError(message)

    def read(
        self, *, numbers: list[str], categories: list[str], told: Told = lambda text: None,
        may_be_missing: Collection[str] = (), instead: str = "",
    ) -> Table:
        """Read these columns; a name may be in both lists.

        Parameters
        ----------
        numbers : list of str
            Of columns of finite numbers.
        categories : list of str
            Of columns with few distinct values.
        told : callable
            Is told how far it has come.
        may_be_missing : collection of str
            Those of `numbers` that become NaN where a cell stands for nothing.
        instead : str
            What else can be done about missing numbers, for the error.

        Raises
        ------
        BadInputError
            A column is not there or does not hold what it should, or there are no rows.
        """
        for name in (*numbers, *categories):
            self.need(name)
        columns: list[NumberColumn | CategoryColumn] = []
        n_rows = 0

        def new_columns() -> list[NumberColumn | CategoryColumn]:
            return [
                *(NumberColumn(name, may_be_missing=name in may_be_missing, instead=instead)
                  for name in dict.fromkeys(numbers)),
                *(CategoryColumn(name, typed=self.is_parquet)
                  for name in dict.fromkeys(categories)),
            ]

        try:
            columns = new_columns()
            for n_rows in self._blocks(columns):
                told(f"reading {self.path}: {n_rows:,} rows")
        except arrow.UnreadableCellError:
            # The slow way says which line it is, and may be content with what pyarrow is not.
            n_rows = 0
            columns = new_columns()
            for n_rows in read_cells(self.layout, columns, list(self.names)):
                told(f"reading {self.path} line by line: {n_rows:,} rows")
        except (EOFError, zlib.error) as error:
            raise BadInputError(f"{self.path} is a damaged gzip file: {error}.") from None
        if n_rows == 0:
            raise BadInputError(f"{self.path} has a header but no rows.")
        read = {True: {}, False: {}}  # type: dict[bool, dict]
        for column in columns:
            read[isinstance(column, NumberColumn)][column.name] = column.finished()
        return Table(source=self, n_rows=n_rows, numbers=read[True], categories=read[False])

    def _blocks(self, columns: list[NumberColumn | CategoryColumn]) -> Iterator[int]:
        if self.is_parquet:
            return arrow.read_parquet_blocks(self.path, columns)
        # Neither a name that occurs twice, nor a column as text and as numbers, can be asked for.
        names = [column.name for column in columns]
        distinct = len({*self.names}) == len(self.names) and len({*names}) == len(names)
        if arrow.has_arrow() and distinct:
            return arrow.read_csv_blocks(self.layout, columns)
        return read_cells(self.layout, columns, list(self.names))


def table_source(
    path: str, *, delimiter: str | None, encoding: str, decimal: str = "."
) -> TableSource:
    """Look at a file: what it is, and the names of its columns.

    Raises
    ------
    BadInputError
        It is not there, not a file, empty, or not text.
    """
    place = Path(path)
    if path in ("", "-"):
        raise BadInputError("standard input cannot be read: name a file.")
    if not place.exists():
        raise BadInputError(f"{path}: there is no such file.{_near_files(place)}")
    if place.is_dir():
        raise BadInputError(f"{path} is a folder: name a file.")
    with place.open("rb") as file:
        first = file.read(4)
    is_parquet = first == b"PAR1"
    for mark, kind in NO_TEXT.items():
        if first.startswith(mark):
            raise BadInputError(f"{path} is {kind}: save it as csv or parquet.")
    if delimiter is None:
        delimiter = "\t" if ".tsv" in place.suffixes or ".tab" in place.suffixes else ","
    delimiter = TABS.get(delimiter, delimiter)
    if len(delimiter) != 1:
        raise BadInputError(f"--delimiter must be one character, got {delimiter!r}.")
    try:
        lookup(encoding)
    except LookupError:
        raise BadInputError(f"--encoding {encoding}: there is no such encoding.") from None
    if decimal == delimiter:
        raise BadInputError(
            f"--decimal and --delimiter are both {decimal!r}: name the delimiter, --delimiter ';' "
            "for instance."
        )
    layout = CsvLayout(path=place, delimiter=delimiter, encoding=encoding, decimal=decimal)
    try:
        names = arrow.parquet_names(place) if is_parquet else read_header(layout)
    except (EOFError, zlib.error) as error:
        raise BadInputError(f"{path} is a damaged gzip file: {error}.") from None
    return TableSource(layout=layout, is_parquet=is_parquet, names=tuple(names))


def _near_files(place: Path) -> str:
    from difflib import get_close_matches

    folder = place.parent
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    near = get_close_matches(place.name, names, n=3, cutoff=0.75)
    return f" Did you mean {' or '.join(str(folder / one) for one in near)}?" if near else ""
