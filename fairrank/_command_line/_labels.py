"""Outcomes, weights and strata of a table as the library takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import Categories
from fairrank._command_line._table_reader import Table

POSITIVE_WORDS = {"1": "0", "1.0": "0.0", "True": "False", "true": "false", "TRUE": "FALSE"}
N_LISTED = 8


def outcome(table: Table, name: str, pos_label: str | None) -> np.ndarray:
    """1 where the label is the positive one, as uint8.

    Raises
    ------
    BadInputError
        Missing cells, other than two values, or it is not clear which one is positive.
    """
    column = table.categories[name]
    values = column.values
    n_missing = int(np.count_nonzero(column.codes < 0))
    if n_missing:
        row = int(np.flatnonzero(column.codes < 0)[0]) + 1
        raise BadInputError(
            f"column {name!r} has no label in {n_missing:,} of {table.n_rows:,} rows (first: row "
            f"{row:,}). Take such rows out: what happened there is not known."
        )
    if len(values) > 2:
        shown = ", ".join(repr(value) for value in values[:N_LISTED])
        more = ", …" if len(values) > N_LISTED else ""
        raise BadInputError(
            f"column {name!r} must hold two labels, and holds {len(values):,}: {shown}{more}. "
            "Name the column of the outcome, or leave the other rows out."
        )
    if len(values) == 1:
        raise BadInputError(
            f"column {name!r} holds {values[0]!r} in every row: there is nothing to tell apart. "
            "Name the column of the outcome."
        )
    return (column.codes == _positive_code(column, pos_label)).astype(np.uint8)


def _positive_code(column: Categories, pos_label: str | None) -> int:
    texts = [str(value) for value in column.values]
    listed = " and ".join(map(repr, texts))
    if pos_label is not None:
        found = [i for i, text in enumerate(texts) if _same(text, pos_label)]
        if not found:
            raise BadInputError(
                f"--pos-label {pos_label}: column {column.name!r} holds {listed}. Name one of "
                "them."
            )
        return found[0]
    for positive, negative in [*POSITIVE_WORDS.items(), ("1", "-1"), ("1.0", "-1.0")]:
        if set(texts) <= {positive, negative}:
            return texts.index(positive) if positive in texts else len(texts)
    raise BadInputError(
        f"column {column.name!r} holds the labels {listed}: say which of them the score speaks "
        f"for, --pos-label {texts[-1]!r} for instance."
    )


def _same(text: str, label: str) -> bool:
    if text == label:
        return True
    try:
        return float(text) == float(label)
    except ValueError:
        return False


def strata(table: Table, names: list[str]) -> Any:
    """Strata of every row as codes; None without columns.

    Raises
    ------
    BadInputError
        Missing cells.
    """
    if not names:
        return None
    for name in names:
        codes = table.categories[name].codes
        if codes.min() < 0:
            raise BadInputError(
                f"column {name!r} has no stratum in {np.count_nonzero(codes < 0):,} of "
                f"{table.n_rows:,} rows (first: row {int(np.argmin(codes)) + 1:,}). Give them one."
            )
    parts = tuple(table.categories[name].codes for name in names)
    return parts[0] if len(parts) == 1 else parts


def weights(table: Table, name: str | None) -> np.ndarray | None:
    """Whole numbers are repetitions of a row, others its mass; None without a column."""
    if name is None:
        return None
    values = table.numbers[name]
    whole = (values == np.floor(values)).all() and np.abs(values).max() < 2.0**53
    return values.astype(np.int64) if whole else values
