"""Columns from csv and parquet by pyarrow: in blocks, and only those that are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import MISSING_CELLS, CategoryColumn, NumberColumn
from fairrank._command_line._csv_text import CsvLayout, bad_number

BLOCK_BYTES = 1 << 23
BLOCK_ROWS = 1 << 17


class UnreadableCellError(ValueError):
    """Some cell of a csv file is not what its column should hold; pyarrow cannot say where."""


def has_arrow() -> bool:
    """Tell whether pyarrow can be imported."""
    return find_spec("pyarrow") is not None


def need_arrow(what: str) -> None:
    """Refuse what cannot be had without pyarrow, and name the extra that brings it."""
    if not has_arrow():
        raise BadInputError(f"{what} needs pyarrow: pip install 'fairrank[parquet]'.")


def csv_batches(layout: CsvLayout, names: list[str] | None, texts: list[str]) -> Iterator[Any]:
    """Record batches of the columns `names` (None: all), those in `texts` as text.

    Raises
    ------
    UnreadableCellError
        A cell does not have its column's type, or a line has another width.
    """
    import pyarrow as pa
    from pyarrow import csv

    types = {name: pa.float64() for name in names or () if name not in texts}
    types |= {name: pa.string() for name in texts}
    text = _CountedQuotes(layout.opened_bytes())
    try:
        reader = csv.open_csv(
            pa.PythonFile(text, mode="r"),
            read_options=csv.ReadOptions(block_size=BLOCK_BYTES, encoding=layout.encoding),
            parse_options=csv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True
            ),
            convert_options=csv.ConvertOptions(
                column_types=types, include_columns=names, strings_can_be_null=True,
                quoted_strings_can_be_null=True, null_values=list(MISSING_CELLS),
                decimal_point=layout.decimal,
            ),
        )
        yield from reader
        if text.n_quotes % 2:
            # pyarrow closes an open quote at the end of the file, and with it loses rows.
            raise UnreadableCellError("a quote is not closed")
    except (pa.ArrowInvalid, pa.ArrowKeyError, UnicodeError) as error:
        raise UnreadableCellError(str(error)) from None
    finally:
        text.close()


class _CountedQuotes:
    """Bytes of a file, and how many quotes there were among them."""

    closed = False

    def __init__(self, file: BinaryIO):
        self.file = file
        self.n_quotes = 0

    def read(self, size: int = -1) -> bytes:
        """Some of the bytes."""
        part = self.file.read(size)
        self.n_quotes += part.count(b'"')
        return part

    def close(self) -> None:
        """Close the file."""
        self.closed = True
        self.file.close()


def read_csv_blocks(
    layout: CsvLayout, columns: list[NumberColumn | CategoryColumn]
) -> Iterator[int]:
    """Fill the columns; give the number of rows after each block.

    Raises
    ------
    UnreadableCellError
        Something is wrong somewhere: `read_cells` says where.
    """
    texts = [column.name for column in columns if isinstance(column, CategoryColumn)]
    n_rows = 0
    for batch in csv_batches(layout, [column.name for column in columns], texts):
        for column, array in zip(columns, batch.columns):
            if isinstance(column, CategoryColumn):
                _add_coded(column, array)
                continue
            block = array.to_numpy(zero_copy_only=False)
            missing = array.null_count and not column.may_be_missing
            if missing or not column.are_fine(block).all():
                raise UnreadableCellError(column.name)
            column.add(block)
        n_rows += batch.num_rows
        yield n_rows


def parquet_names(path: Path) -> list[str]:
    """Names of the columns of a parquet file.

    Raises
    ------
    BadInputError
        pyarrow is missing, or the file is damaged.
    """
    need_arrow(f"{path}: reading parquet")
    return _parquet_file(path).schema_arrow.names


def read_parquet_blocks(
    path: Path, columns: list[NumberColumn | CategoryColumn]
) -> Iterator[int]:
    """Fill the columns; give the number of rows after each block.

    Raises
    ------
    BadInputError
        A value that is not a finite number; the row is named.
    """
    n_rows = 0
    for batch in parquet_batches(path, [column.name for column in columns]):
        for column in columns:
            array = batch.column(column.name)
            if isinstance(column, CategoryColumn):
                _add_coded(column, array)
            else:
                column.add(_finite(path, column, array, n_rows))
        n_rows += batch.num_rows
        yield n_rows


def parquet_batches(path: Path, names: list[str] | None) -> Iterator[Any]:
    """Record batches of a parquet file."""
    return _parquet_file(path).iter_batches(batch_size=BLOCK_ROWS, columns=names)


def _parquet_file(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise BadInputError(f"{path} cannot be read as parquet: {error}.") from None


def _finite(path: Path, column: NumberColumn, array: Any, n_before: int) -> np.ndarray:
    import pyarrow as pa

    name = column.name
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        raise BadInputError(
            f"{path}: column {name!r} holds text (row {n_before + 1:,}: {array[0].as_py()!r}), "
            "not numbers. Store it as numbers."
        )
    try:
        block = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BadInputError(
            f"{path}: column {name!r} is of type {array.type}, which is not a number."
        ) from None
    fine = column.are_fine(block)
    if not fine.all():
        row = int(np.flatnonzero(~fine)[0])
        cell = array[row].as_py()
        raise BadInputError(f"{path}, row {n_before + row + 1:,}: {bad_number(column, cell)}")
    return block


def _add_coded(column: CategoryColumn, array: Any) -> None:
    import pyarrow as pa
    from pyarrow import compute

    coded = array
    if not pa.types.is_dictionary(array.type):
        coded = compute.dictionary_encode(array)
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp, copy=False)
    column.add(codes, coded.dictionary.to_pylist())


def parquet_text_columns(path: Path) -> set[str]:
    """Names of the columns of a parquet file that hold text, truth values or categories."""
    import pyarrow as pa

    schema = _parquet_file(path).schema_arrow
    return {
        field.name for field in schema
        if not (pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
                or pa.types.is_decimal(field.type))
    }
