"""The file that was read, with one column more."""

from __future__ import annotations

import csv
import gzip
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fairrank._command_line import _arrow_columns as arrow
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._table_reader import Table, TableSource

PARQUET_ENDINGS = (".parquet", ".pq")


def check_new_column(source: TableSource, output: str | None, name: str) -> None:
    """Refuse, before the work, a column that is there already, or a format out of reach.

    Raises
    ------
    BadInputError
        Says which option to change.
    """
    if output is None:
        return
    if name in source.names:
        raise BadInputError(
            f"{source.path} already has a column {name!r}: pass another --output-column."
        )
    if _is_parquet(output):
        arrow.need_arrow(f"--output {output}: writing parquet")


def write_with_column(
    table: Table, output: str, name: str, values: np.ndarray
) -> None:
    """Copy the file row by row, in constant memory; NaN becomes an empty cell.

    Text stays as it was written; from csv to parquet only columns that were read as numbers are
    stored as such. The file appears whole or not at all.

    Parameters
    ----------
    table : Table
        What was read of the file.
    output : str
        Parquet where it ends in .parquet or .pq, packed csv in .gz, else csv.
    name : str
    values : ndarray, shape (n_rows,)
    """
    place = Path(output)
    handle, unfinished = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.absolute().parent)
    os.close(handle)
    try:
        if _is_parquet(output):
            _write_parquet(table, unfinished, name, values)
        else:
            _write_csv(
                table.source, unfinished, name, values, packed=place.suffix == ".gz"
            )
        # mkstemp lets nobody else read; an ordinary file is as open as the umask says.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(unfinished, 0o666 & ~umask)
        os.replace(unfinished, place)
    except BaseException:
        os.unlink(unfinished)
        raise


def _is_parquet(output: str) -> bool:
    return Path(output).suffix.lower() in PARQUET_ENDINGS


def _write_csv(
    source: TableSource, output: str, name: str, values: np.ndarray, *, packed: bool
) -> None:
    # No name and no time in the header, or the same rows would not give the same bytes.
    with open(output, "wb") as raw:
        stream: Any = raw
        if packed:
            stream = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        with io.TextIOWrapper(stream, encoding="utf-8", newline="") as file:
            delimiter = "," if source.is_parquet else source.layout.delimiter
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
            writer.writerow([*source.names, name])
            # Strict: a row more or less than was read would shift all values below it.
            for row, value in zip(_rows(source), values.tolist(), strict=True):
                writer.writerow([*row, "" if value != value else repr(value)])


def _rows(source: TableSource) -> Iterator[list]:
    if source.is_parquet:
        for batch in arrow.parquet_batches(source.path, None):
            yield from zip(*(column.to_pylist() for column in batch.columns))
        return
    with source.layout.opened() as file:
        rows = (row for row in source.layout.rows(file) if row)
        next(rows)
        yield from rows


def _write_parquet(table: Table, output: str, name: str, values: np.ndarray) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    source = table.source
    if source.is_parquet:
        batches = arrow.parquet_batches(source.path, None)
    else:
        # Types would be guessed: "007" would become 7, and a late "n/a" an error.
        names = list(source.names)
        texts = [one for one in names if one not in table.numbers]
        batches = arrow.csv_batches(source.layout, names, texts)
    writer, at = None, 0
    try:
        for batch in batches:
            part = pa.array(values[at : at + batch.num_rows], from_pandas=True)
            at += batch.num_rows
            whole = pa.Table.from_batches([batch]).append_column(name, part)
            if writer is None:
                writer = parquet.ParquetWriter(output, whole.schema)
            writer.write_table(whole)
    except arrow.UnreadableCellError as error:
        raise BadInputError(
            f"{source.path} cannot be copied to parquet ({error}): name a csv file as --output."
        ) from None
    finally:
        if writer is not None:
            writer.close()
