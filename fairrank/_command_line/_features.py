"""Columns of a table as numbers that a learner can take: what is numeric, what is categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from fairrank._command_line._arrow_columns import parquet_text_columns
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._column_blocks import MISSING_CELLS
from fairrank._command_line._table_reader import Table, TableSource

# What a csv column holds is judged by so many of its first rows; a cell further down that
# departs from it is an error and never another kind of column.
JUDGED_ROWS = 1000
MAX_CATEGORIES = 100
# With fewer of either outcome chance alone may part them.
FEW_OUTCOMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureColumns:
    """Names of the features, by what they hold.

    Attributes
    ----------
    numeric, categorical : tuple of str
    """

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]


def feature_columns(
    source: TableSource, names: Sequence[str], categorical: Sequence[str]
) -> FeatureColumns:
    """Tell numbers from categories.

    Parameters
    ----------
    source : TableSource
    names : sequence of str
        All features.
    categorical : sequence of str
        Those that are categories whatever they hold.

    Raises
    ------
    BadInputError
        A column with both numbers and text.
    """
    for name in (*names, *categorical):
        source.need(name)
    words = set(categorical)
    asked = [name for name in names if name not in words]
    if source.is_parquet:
        words |= parquet_text_columns(source.path) & {*asked}
    else:
        words |= {name for name, is_text in _judged(source, asked).items() if is_text}
    return FeatureColumns(
        numeric=tuple(name for name in names if name not in words),
        categorical=tuple(name for name in names if name in words),
    )


def _judged(source: TableSource, names: list[str]) -> dict[str, bool]:
    places = {name: source.names.index(name) for name in names}
    found: dict[str, bool] = {}
    first: dict[str, str] = {}
    with source.layout.opened() as file:
        rows = (row for row in source.layout.rows(file) if row)
        next(rows)
        for row in islice(rows, JUDGED_ROWS):
            for name, place in places.items():
                cell = row[place] if place < len(row) else ""
                if cell in MISSING_CELLS:
                    continue
                is_text = not _is_number(source.layout.number(cell))
                if found.setdefault(name, is_text) != is_text:
                    raise BadInputError(
                        f"column {name!r} holds both numbers and text ({first[name]!r}, {cell!r}):"
                        f" mend it, leave it out (--exclude {name}), or take it as categories "
                        f"(--categorical {name})."
                    )
                first.setdefault(name, cell)
    return found


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def one_hot_features(table: Table, columns: FeatureColumns) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers as they are, and a column of 0 and 1 for each category; of two for one of them.

    A missing category is one of its own. A missing number becomes the median of its column, and a
    further column tells where that is so. Nothing here looks at outcomes or groups.

    Returns
    -------
    tuple of ndarray, shape (n_rows, n_features), and their names

    Raises
    ------
    BadInputError
        A column that looks like an identifier, or no column that varies.
    """
    blocks = [table.numbers[name] for name in columns.numeric]
    for name, block in zip(columns.numeric, blocks):
        _refuse_identifier(name, block)
        if np.isnan(block).all():
            raise BadInputError(f"column {name!r} is empty in every row: --exclude {name}.")
    levels = []
    for name in columns.categorical:
        column = table.categories[name]
        if len(column.values) > MAX_CATEGORIES:
            raise BadInputError(
                f"column {name!r} has {len(column.values):,} different values in "
                f"{table.n_rows:,} rows: more than {MAX_CATEGORIES} categories are no feature. "
                f"Leave it out (--exclude {name}), or merge its values."
            )
        blocks.append(column.codes.astype(np.float64))
        present = np.unique(column.codes)
        levels.append(present.astype(np.float64))
    if not blocks:
        raise BadInputError("there is no feature: name columns with --features.")
    n_numeric = len(columns.numeric)
    holes = [j for j, block in enumerate(blocks) if np.isnan(block).any()]
    transformer = ColumnTransformer(
        [
            ("numeric", SimpleImputer(strategy="median"), list(range(n_numeric))),
            ("holes", MissingIndicator(), holes),
            (
                "categories",
                OneHotEncoder(categories=levels, drop="if_binary", sparse_output=False),
                list(range(n_numeric, len(blocks))),
            ),
        ]
    )
    whole = transformer.fit_transform(np.column_stack(blocks))
    named = [*columns.numeric, *(f"{columns.numeric[j]}=(missing)" for j in holes)]
    for name, codes in zip(columns.categorical, levels):
        kept = codes[1:] if codes.size == 2 else codes
        values = [*table.categories[name].values, "(missing)"]
        named += [f"{name}={values[int(code)]}" for code in kept]
    return whole, tuple(named)


def _refuse_identifier(name: str, values: np.ndarray) -> None:
    """A different whole number in every row tells rows apart and nothing else."""
    if values.size > 20 and (values == np.floor(values)).all():
        step = np.diff(np.sort(values))
        if (step == 1).all():
            raise BadInputError(
                f"column {name!r} counts the rows ({values.size:,} whole numbers, each once, "
                f"without a gap): it looks like an identifier and not like a feature. Leave it "
                f"out, --exclude {name}, or name the features, --features."
            )


def refuse_the_outcome(X: np.ndarray, named: Sequence[str], y: np.ndarray) -> None:
    """A column that parts the outcomes without one exception was most likely made of them.

    Raises
    ------
    BadInputError
        With the name of such a column.
    """
    positive = y == 1
    if min(np.count_nonzero(positive), np.count_nonzero(~positive)) < FEW_OUTCOMES:
        return
    ones, zeros = X[positive], X[~positive]
    apart = (ones.min(axis=0) > zeros.max(axis=0)) | (ones.max(axis=0) < zeros.min(axis=0))
    if apart.any():
        name = named[int(np.argmax(apart))]
        raise BadInputError(
            f"feature {name!r} tells the outcome of every row: it seems to be the outcome itself, "
            "or to be known only after it. Leave its column out, --exclude, or name the features, "
            "--features."
        )
