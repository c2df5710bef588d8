"""What people pass by mistake: one column turned into something else, and columns of odd cells."""

from __future__ import annotations

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse


class Opaque:
    """An object with no text, no order and no hash worth having."""

    __hash__ = None

    def __eq__(self, other):
        return NotImplemented

    def __repr__(self):
        return "Opaque()"


class Unprintable(str):
    """Text of a type of its own."""


class LiesOfLength:
    """A container that says that it has rows and gives none."""

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, row):
        raise IndexError(row)


def _first(values, cell):
    """`values` as a list whose first cell is another."""
    return [cell, *list(values)[1:]]


def _ones(values):
    """A legal column of one dimension in place of an array of two."""
    return np.ones(len(values)) if np.ndim(values) > 1 else values


def _array(cells):
    """Object array of these cells, which numpy is not to look into."""
    return np.fromiter(cells, dtype=object, count=len(cells))


CELLS = {
    "None": None, "NaN": np.nan, "inf": np.inf, "minus inf": -np.inf, "pandas NA": pd.NA,
    "NaT": pd.NaT, "numpy NaT": np.datetime64("NaT", "ns"), "huge": 1e300, "tiny": 5e-324,
    "minus zero": -0.0, "minus one": -1, "two": 2, "2**63": 2**63, "2**64": 2**64,
    "10**400": 10**400, "-2**63": -(2**63), "text": "x", "empty text": "", "NUL": "a\0",
    "lone surrogate": "\ud800", "bytes": b"x", "True": True, "complex": 1j, "list": [1, 2],
    "empty list": [], "tuple": (1, 2), "dict": {"a": 1}, "set": {1}, "Decimal": decimal.Decimal(1),
    "Decimal NaN": decimal.Decimal("NaN"), "signalling NaN": decimal.Decimal("sNaN"),
    "Decimal infinity": decimal.Decimal("Infinity"), "Fraction": fractions.Fraction(1, 3),
    "huge Fraction": fractions.Fraction(10**400), "date": datetime.date(2020, 1, 1),
    "datetime": datetime.datetime(2020, 1, 1), "timedelta": datetime.timedelta(1),
    "array": np.arange(2), "0-d array": np.array(1), "opaque": Opaque(), "object": object,
    "own text": Unprintable("a"), "float128": np.longdouble(1), "huge float128":
    np.longdouble("1e4000"), "ellipsis": ..., "range": range(2), "NaN in a tuple": (np.nan, 1),
    "void": np.zeros(1, dtype="i4,f8")[0], "numpy timedelta": np.timedelta64(1, "D"),
    "interval": pd.Interval(0, 1), "Timestamp": pd.Timestamp("2020-01-01", tz="UTC"),
    "Period": pd.Period("2020"), "arrow scalar": pa.scalar(1), "numpy text": np.str_("a"),
    "frozenset": frozenset({1}), "lambda": len,
}


# Each makes something odd of a legal column.
COLUMNS = {
    "nothing": lambda v: None,
    "a number": lambda v: 1.0,
    "text": lambda v: "y_true",
    "bytes": lambda v: b"abc",
    "0-d array": lambda v: np.array(1),
    "0-d object": lambda v: np.array(None, dtype=object),
    "ellipsis": lambda v: ...,
    "a type": lambda v: np.ndarray,
    "a function": lambda v: lambda *a, **k: v,
    "generator": lambda v: (x for x in v),
    "iterator": lambda v: iter(v),
    "dict": lambda v: dict(enumerate(v)),
    "dict of columns": lambda v: {"first": v, "second": v},
    "dict of nothing": lambda v: {},
    "set": lambda v: set(map(repr, v)),
    "empty list": lambda v: [],
    "empty array": lambda v: np.array([]),
    "empty object array": lambda v: np.array([], dtype=object),
    "empty frame": lambda v: pd.DataFrame(),
    "no columns": lambda v: np.empty((len(v), 0)),
    "no columns, listed": lambda v: [[] for _ in v],
    "shorter": lambda v: v[:-1],
    "longer": lambda v: np.concatenate([v, v]),
    "one row": lambda v: v[:1],
    "a row": lambda v: np.asarray(v)[np.newaxis],
    "two columns": lambda v: np.stack([v, v], axis=1),
    "three axes": lambda v: np.stack([v, v], axis=1)[..., np.newaxis],
    "ragged": lambda v: [[1], *[[1, 2]] * (len(v) - 1)],
    "list of arrays": lambda v: [np.array([x]) for x in v],
    "list of tuples": lambda v: [(x, x) for x in v],
    "sparse": lambda v: sparse.csr_array(np.ones((len(v), 1))),
    "sparse column, coo": lambda v: sparse.coo_matrix(np.ones((1, len(v)))),
    "matrix": lambda v: np.asmatrix(np.ones(len(v))),
    "masked": lambda v: np.ma.array(_ones(v), mask=np.arange(len(_ones(v))) == 0),
    "all masked": lambda v: np.ma.masked_all(len(v)),
    "structured": lambda v: np.zeros(len(v), dtype="i4,f8"),
    "record array": lambda v: np.rec.array(np.zeros(len(v), dtype="i4,f8")),
    "void": lambda v: np.zeros(len(v), dtype="V4"),
    "complex": lambda v: np.ones(len(v), dtype=complex),
    "float16": lambda v: np.linspace(0, 1, len(v), dtype=np.float16),
    "longdouble": lambda v: np.linspace(0, 1, len(v), dtype=np.longdouble),
    "longdouble beyond": lambda v: np.full(len(v), np.longdouble("1e4000")),
    "uint64 beyond": lambda v: np.full(len(v), 2**64 - 1, dtype=np.uint64),
    "int64 extremes": lambda v: np.where(np.arange(len(v)) % 2, 2**63 - 1, -(2**63)),
    "constant": lambda v: np.zeros(len(v)),
    "all huge": lambda v: np.full(len(v), 1.7e308),
    "huge both ways": lambda v: np.where(np.arange(len(v)) % 2, 1.7e308, -1.7e308),
    "denormal": lambda v: np.full(len(v), 5e-324),
    "denormal and 0": lambda v: 5e-324 * (np.arange(len(v)) % 2),
    "every row its own": lambda v: np.arange(len(v)),
    "every row its own text": lambda v: [str(x) for x in range(len(v))],
    "all NaN": lambda v: np.full(len(v), np.nan),
    "all None": lambda v: [None] * len(v),
    "dates": lambda v: np.arange(len(v)).astype("M8[D]"),
    "two dates": lambda v: (np.arange(len(v)) % 2).astype("M8[D]"),
    "NaT": lambda v: np.full(len(v), "NaT", dtype="M8[ns]"),
    "durations": lambda v: (np.arange(len(v)) % 2).astype("m8[s]"),
    "text of numbers": lambda v: [str(i % 2) for i in range(len(v))],
    "texts with NUL": lambda v: ["a\0" if i % 2 else "a" for i in range(len(v))],
    "byte strings": lambda v: np.array([b"a\0" if i % 2 else b"b" for i in range(len(v))]),
    "string dtype": lambda v: np.array(
        ["a" if i % 2 else "b" for i in range(len(v))], dtype=np.dtypes.StringDType()
    ),
    "string dtype with nulls": lambda v: np.array(
        ["a" if i % 2 else None for i in range(len(v))],
        dtype=np.dtypes.StringDType(na_object=None),
    ),
    "read-only": lambda v: _read_only(v),
    "backwards": lambda v: np.asarray(v)[::-1],
    "strided": lambda v: np.repeat(np.asarray(v), 2)[::2],
    "big-endian": lambda v: (np.arange(len(v)) % 2).astype(">f8"),
    "broadcast": lambda v: np.broadcast_to(np.float64(0.5), len(v)),
    "memoryview": lambda v: memoryview(np.linspace(0.0, 1.0, len(v))),
    "bytearray": lambda v: bytearray(i % 2 for i in range(len(v))),
    "range": lambda v: range(len(v)),
    "lies of its length": lambda v: LiesOfLength(len(v)),
    "pandas category with a missing": lambda v: pd.Series(
        pd.Categorical(_first(_ones(v), None))
    ),
    "pandas category unused": lambda v: pd.Series(
        pd.Categorical(list(_ones(v)), categories=[*dict.fromkeys(_ones(v)), "unused"])
    ),
    "pandas nullable": lambda v: pd.Series(
        [pd.NA, *[i % 2 for i in range(1, len(v))]], dtype="Int64"
    ),
    "pandas boolean": lambda v: pd.Series([i % 2 == 0 for i in range(len(v))], dtype="boolean"),
    "pandas index": lambda v: pd.Index(_ones(v)),
    "pandas multi-index": lambda v: pd.MultiIndex.from_arrays([_ones(v), _ones(v)]),
    "pandas interval": lambda v: pd.Series(pd.interval_range(0, len(v))),
    "pandas period": lambda v: pd.Series(pd.period_range("2000", periods=len(v), freq="D")),
    "pandas time zone": lambda v: pd.Series(pd.date_range("2000", periods=len(v), tz="UTC")),
    "pandas sparse": lambda v: pd.Series(pd.arrays.SparseArray(np.arange(len(v)) % 2)),
    "pandas text": lambda v: pd.Series(["a" if i % 2 else None for i in range(len(v))]),
    "pandas frame": lambda v: pd.DataFrame({"a": _ones(v), "b": _ones(v)}),
    "pandas frame, one name": lambda v: pd.DataFrame(
        np.stack([_ones(v), _ones(v)], axis=1), columns=["a", "a"]
    ),
    "polars": lambda v: pl.Series(list(v)),
    "polars null": lambda v: pl.Series(_first(_ones(v), None), strict=False),
    "polars all null": lambda v: pl.Series([None] * len(v)),
    "polars list": lambda v: pl.Series([[1, 2]] * len(v)),
    "polars struct": lambda v: pl.Series([{"a": 1}] * len(v)),
    "polars object": lambda v: pl.Series([object()] * len(v), dtype=pl.Object),
    "polars category": lambda v: pl.Series(
        [None, *["a" if i % 2 else "b" for i in range(1, len(v))]], dtype=pl.Categorical
    ),
    "polars decimal": lambda v: pl.Series([decimal.Decimal(1)] * len(v)),
    "polars frame": lambda v: pl.DataFrame({"a": list(v), "b": list(v)}),
    "polars lazy frame": lambda v: pl.LazyFrame({"a": list(v)}),
    "pyarrow": lambda v: pa.array(list(v)),
    "pyarrow null": lambda v: pa.nulls(len(v)),
    "pyarrow dictionary": lambda v: pa.array(
        [None, *["a" if i % 2 else "b" for i in range(1, len(v))]]
    ).dictionary_encode(),
    "pyarrow chunks": lambda v: pa.chunked_array([list(v)[:1], list(v)[1:]]),
    "pyarrow empty chunks": lambda v: pa.chunked_array([], type=pa.float64()),
    "pyarrow lists": lambda v: pa.array([[1]] * len(v)),
    "pyarrow struct": lambda v: pa.array([{"a": 1}] * len(v)),
    "pyarrow decimal": lambda v: pa.array([decimal.Decimal(1)] * len(v)),
    "pyarrow table": lambda v: pa.table({"a": list(v), "b": list(v)}),
    "pyarrow scalar": lambda v: pa.scalar(1),
    **{f"first is {name}": lambda v, cell=cell: _array(_first(v, cell))
       for name, cell in CELLS.items()},
    **{f"listed, first is {name}": lambda v, cell=cell: _first(v, cell)
       for name, cell in CELLS.items()},
    **{f"all are {name}": lambda v, cell=cell: [cell] * len(v) for name, cell in CELLS.items()},
    **{f"every other is {name}": lambda v, cell=cell: [
        cell if i % 2 else other for i, other in enumerate(list(v))]
       for name, cell in CELLS.items()},
}


def _read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def odd_columns(n_rows):
    """Anything at all, of about `n_rows` rows."""
    cell = st.one_of(
        st.sampled_from(list(CELLS.values())), st.integers(), st.floats(), st.text(max_size=3),
        st.binary(max_size=3), st.booleans(), st.none(), st.complex_numbers(),
        st.decimals(), st.fractions(), st.datetimes(), st.tuples(st.floats(), st.text(max_size=1)),
    )
    few = st.lists(cell, min_size=1, max_size=3).flatmap(
        lambda cells: st.lists(st.sampled_from(cells), min_size=n_rows, max_size=n_rows)
    )
    rows = st.one_of(few, few, st.lists(cell, min_size=n_rows, max_size=n_rows))
    usual = st.sampled_from([(n_rows,), (n_rows, 1), (n_rows, 2)])
    dtypes = st.one_of(
        hnp.scalar_dtypes(), hnp.byte_string_dtypes(max_len=3),
        hnp.unicode_string_dtypes(max_len=3),
    )
    arrays = dtypes.flatmap(
        lambda dtype: hnp.arrays(dtype, st.one_of(usual, hnp.array_shapes(max_dims=3)))
    )
    return st.one_of(rows, rows.map(_array), rows.map(pd.Series), arrays)
