from collections import deque
from datetime import date
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from fairrank._sensitive import encode_groups, encode_seen_groups, feature_columns, read_groups
from fairrank.exceptions import DegenerateGroupError, UnseenGroupError


def groups_of(encoded):
    """Read the group of every kept row back from its code."""
    return [encoded.labels[code] for code in encoded.codes[encoded.keep]]


def same(groups, expected):
    """Compare with types, because True == 1 == 1.0."""
    return list(map(repr, groups)) == list(map(repr, expected))


# One column

STRINGS = {
    "list": ["b", "a", "b"],
    "tuple": ("b", "a", "b"),
    "deque": deque(["b", "a", "b"]),
    "dict values": {1: "b", 2: "a", 3: "b"}.values(),
    "fixed width": np.array(["b", "a", "b"]),
    "strided": np.array(["b", "x", "a", "x", "b"])[::2],
    "objects": np.array(["b", "a", "b"], dtype=object),
    "numpy strings": [np.str_("b"), np.str_("a"), "b"],
    "string dtype": np.array(["b", "a", "b"], dtype=np.dtypes.StringDType()),
    "one-column matrix": np.array([["b"], ["a"], ["b"]]),
    "one-column rows": [["b"], ["a"], ["b"]],
    "pandas": pd.Series(["b", "a", "b"], index=[5, 5, 6]),
    "pandas string": pd.Series(["b", "a", "b"], dtype="string"),
    "pandas category": pd.Series(["b", "a", "b"], dtype="category"),
    "pandas index": pd.Index(["b", "a", "b"]),
    "pandas frame": pd.DataFrame({"race": ["b", "a", "b"]}),
    "polars": pl.Series(["b", "a", "b"]),
    "polars categorical": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "c", "a"])),
    "polars frame": pl.DataFrame({"race": ["b", "a", "b"]}),
    "pyarrow": pa.array(["b", "a", "b"]),
    "pyarrow chunked": pa.chunked_array([["b"], ["a", "b"]]),
    "pyarrow dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
    "pyarrow table": pa.table({"race": ["b", "a", "b"]}),
    "dict of one column": {"race": ["b", "a", "b"]},
}


@pytest.mark.parametrize("values", STRINGS.values(), ids=STRINGS.keys())
def test_strings_of_any_container_are_coded_alike(values):
    encoded = encode_groups(values)
    assert encoded.labels == ("a", "b")
    assert_array_equal(encoded.codes, [1, 0, 1])
    assert encoded.codes.dtype == np.uint8
    assert set(map(type, encoded.labels)) == {str}
    assert encoded.keep.all()
    assert encoded.n_dropped == 0


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">i8", "object"]
)
def test_integers_of_any_width_are_coded_over_their_whole_range(dtype):
    bounds = np.iinfo("i8" if dtype == "object" else dtype)
    values = [bounds.max, bounds.min, bounds.max, 3]
    encoded = encode_groups(np.array(values, dtype=dtype))
    assert encoded.labels == (*sorted({bounds.min, 3}), bounds.max)
    assert same(groups_of(encoded), values)


@pytest.mark.parametrize("values", [[True, True], [False, False], [True, False]])
def test_bools_stay_bools(values):
    for column in (values, np.array(values), np.array(values, dtype=object), pl.Series(values)):
        encoded = encode_groups(column)
        assert same(groups_of(encoded), values)
        assert encoded.labels == tuple(sorted(set(values)))


@pytest.mark.parametrize(
    "values",
    [
        [1, True, "1", 1.0, 1],
        [None, 0, False, "0", 0.0],
        [(1, 2), (1, 3), (1, 2)],
        [("a", 1), ("b",), "a"],
        [frozenset("a"), frozenset("b")],
        [b"a", "a"],
        [date(2020, 1, 1), date(2021, 1, 1)],
        [pd.Interval(0, 1), pd.Interval(1, 2)],
        [10, 9, "x"],
    ],
    ids=repr,
)
def test_any_hashables_keep_their_type_and_stay_apart(values):
    encoded = encode_groups(values, missing="group")
    assert same(groups_of(encoded), values)
    assert len(encoded.labels) == len({(type(value), value) for value in values})


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_stay_dates(unit):
    dates = np.array(["2021-01-01", "2020-01-01", "NaT"], dtype=f"M8[{unit}]")
    encoded = encode_groups(dates, missing="group")
    assert encoded.labels == (dates[1], dates[0], None)
    assert_array_equal(encoded.codes, [1, 0, 2])


def test_numpy_scalars_in_a_list_are_the_python_values():
    encoded = encode_groups([np.int64(2), np.int64(1), "x", np.True_])
    assert same(groups_of(encoded), [2, 1, "x", True])


def test_a_structured_array_is_a_column_of_tuples():
    rows = np.array([("a", 1), ("b", 2)], dtype=[("race", "U1"), ("age", int)])
    assert groups_of(encode_groups(rows)) == [("a", 1), ("b", 2)]


# Order of the labels


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.sampled_from("ab"))))
def test_the_order_of_the_rows_does_not_change_the_labels(values):
    values = [*values, 1, "a"]
    forward = encode_groups(values, missing="group")
    backward = encode_groups(values[::-1], missing="group")
    assert same(forward.labels, backward.labels)
    assert_array_equal(forward.codes, backward.codes[::-1])


def test_numbers_are_ordered_as_numbers_and_the_missing_come_last():
    assert encode_groups([10, 9, None, 2], missing="group").labels == (2, 9, 10, None)


def test_mixed_types_are_ordered_by_type_and_the_missing_come_last():
    encoded = encode_groups(["b", 2, None, "a"], missing="group")
    assert encoded.labels == (2, "a", "b", None)


# Several columns

RACES, AGES = ["b", "a", "b", "b"], [2, 1, 1, 2]
CROSSED = [("b", 2), ("a", 1), ("b", 1), ("b", 2)]
TABLES = {
    "pandas": pd.DataFrame({"race": RACES, "age": AGES}, index=[3, 3, 1, 0]),
    "pandas, one name twice": pd.DataFrame(list(zip(RACES, AGES)), columns=["x", "x"]),
    "pandas categories": pd.DataFrame({"race": RACES, "age": AGES}).astype("category"),
    "polars": pl.DataFrame({"race": RACES, "age": AGES}),
    "pyarrow": pa.table({"race": RACES, "age": AGES}),
    "pyarrow batch": pa.record_batch({"race": RACES, "age": AGES}),
    "dict of lists": {"race": RACES, "age": AGES},
    "dict of series": {"race": pd.Series(RACES), "age": pl.Series(AGES)},
    "object matrix": np.array([RACES, AGES], dtype=object).T,
    "list of lists": [list(row) for row in zip(RACES, AGES)],
    "list of tuples": list(zip(RACES, AGES)),
    "pandas index": pd.MultiIndex.from_arrays([RACES, AGES]),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_several_columns_are_their_intersections(table):
    encoded = encode_groups(table)
    assert encoded.labels == (("a", 1), ("b", 1), ("b", 2))
    assert same(groups_of(encoded), CROSSED)


def test_a_matrix_of_numbers_is_its_columns():
    assert groups_of(encode_groups(np.array([[0, 1], [1, 1]]))) == [(0, 1), (1, 1)]


def test_a_list_of_tuples_is_one_column_and_a_list_of_lists_several():
    assert len(feature_columns([("a", 1), ("b", 2)])) == 1
    assert len(feature_columns([["a", 1], ["b", 2]])) == 2


cell = st.one_of(st.none(), st.integers(-2, 2), st.sampled_from(["x", "y"]))


@given(
    st.integers(1, 4).flatmap(lambda k: st.lists(st.tuples(*[cell] * k), min_size=1, max_size=20))
)
def test_intersections_are_those_of_brute_force(rows):
    columns = {j: list(column) for j, column in enumerate(zip(*rows))}
    expected = rows if len(columns) > 1 else [row[0] for row in rows]
    whole = [None not in row for row in rows]

    grouped = encode_groups(columns, missing="group")
    assert groups_of(grouped) == expected
    assert set(grouped.labels) == set(expected)

    if any(whole):
        dropped = encode_groups(columns, missing="drop")
        assert groups_of(dropped) == [row for row, kept in zip(expected, whole) if kept]
        assert_array_equal(dropped.keep, whole)
        assert dropped.n_dropped == whole.count(False)
        assert set(dropped.labels) == {row for row, kept in zip(expected, whole) if kept}
    if not all(whole):
        with pytest.raises(ValueError, match=f": {whole.count(False)} of {len(rows)} rows have"):
            encode_groups(columns)


def test_a_hundred_columns_do_not_overflow():
    columns = {j: [0, 1, j % 2, 1] for j in range(100)}
    encoded = encode_groups(columns)
    assert groups_of(encoded) == list(zip(*columns.values()))


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"sensitive_features: its columns have.*\[1, 2\]"):
        encode_groups({"race": ["a"], "age": [1, 2]})


@pytest.mark.parametrize(
    "empty", [{}, pd.DataFrame(index=[0, 1]), np.empty((3, 0)), pl.DataFrame()], ids=repr
)
def test_a_table_without_columns_is_refused(empty):
    with pytest.raises(ValueError, match="sensitive_features has no column"):
        encode_groups(empty)


@pytest.mark.parametrize("values", [np.zeros((2, 2, 2)), {"race": np.zeros((2, 2))}, np.array(1)])
def test_other_shapes_are_refused(values):
    with pytest.raises(ValueError, match="sensitive_features must be one column or a table"):
        encode_groups(values)


# Missing groups

MISSING = {
    "list with None": ["a", None, "b"],
    "list with nan": ["a", np.nan, "b"],
    "fresh nan": np.array(["a", float("nan"), "b"], dtype=object),
    "NA": np.array(["a", pd.NA, "b"], dtype=object),
    "NaT": np.array(["a", pd.NaT, "b"], dtype=object),
    "numpy NaT": np.array(["a", np.datetime64("NaT", "ns"), "b"], dtype=object),
    "masked": np.ma.array(["a", "?", "b"], mask=[0, 1, 0]),
    "pandas": pd.Series(["a", None, "b"]),
    "pandas string": pd.Series(["a", None, "b"], dtype="string"),
    "pandas category": pd.Series(["a", None, "b"], dtype="category"),
    "pandas frame": pd.DataFrame({"race": ["a", None, "b"]}),
    "polars": pl.Series(["a", None, "b"]),
    "polars categorical": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
    "polars frame": pl.DataFrame({"race": ["a", None, "b"]}),
    "pyarrow": pa.array(["a", None, "b"]),
    "pyarrow dictionary": pa.array(["a", None, "b"]).dictionary_encode(),
    # pyarrow 26 itself reads this null as a value: np.asarray gives "a", "b", "b".
    "pyarrow chunked dictionary": pa.chunked_array(
        [pa.array(["a", None, "b"]).dictionary_encode()]
    ),
    "pyarrow table": pa.table({"race": ["a", None, "b"]}),
}


@pytest.mark.parametrize("values", MISSING.values(), ids=MISSING.keys())
def test_a_missing_group_raises_or_is_a_group_or_is_dropped(values):
    with pytest.raises(ValueError, match=r"1 of 3 rows have no group .*'group'.*'drop'"):
        encode_groups(values)

    grouped = encode_groups(values, missing="group")
    assert groups_of(grouped) == ["a", None, "b"]
    assert grouped.labels == ("a", "b", None)
    assert grouped.n_dropped == 0

    dropped = encode_groups(values, missing="drop")
    assert groups_of(dropped) == ["a", "b"]
    assert dropped.labels == ("a", "b")
    assert_array_equal(dropped.codes, [0, 0, 1])
    assert_array_equal(dropped.keep, [True, False, True])
    assert dropped.n_dropped == 1


@pytest.mark.parametrize(
    "values",
    [
        [7, None, 5],
        [7, np.nan, 5],
        pd.Series([7, None, 5], dtype="Int64"),
        pd.Series([7, None, 5], dtype="category"),
        pd.Series([7, None, 5], dtype="int64[pyarrow]"),
        pl.Series([7, None, 5]),
        pa.array([7, None, 5]),
        np.ma.array([7, 6, 5], mask=[0, 1, 0]),
    ],
    ids=lambda values: f"{type(values).__module__.split('.')[0]} {getattr(values, 'dtype', '')}",
)
def test_integers_beside_a_missing_group_stay_integers(values):
    assert same(encode_groups(values, missing="group").labels, [5, 7, None])


def test_floats_with_nan_are_floats_with_a_missing_group():
    assert same(
        encode_groups(np.array([1.0, np.nan, 0]), missing="group").labels, [0.0, 1.0, None]
    )


def test_all_kinds_of_missing_are_one_group():
    values = [None, np.nan, float("nan"), pd.NA, pd.NaT, np.float32("nan"), "a"]
    assert encode_groups(values, missing="group").labels == ("a", None)


def test_the_text_none_is_a_group_like_any_other():
    assert groups_of(encode_groups(["None", None, "nan"], missing="group")) == [
        "None",
        None,
        "nan",
    ]


def test_a_tuple_with_a_missing_part_is_missing():
    values = [("a", float("nan")), ("a", None), ("b", 1)]
    assert encode_groups(values, missing="drop").n_dropped == 2
    assert encode_groups(values, missing="group").labels == (("a", None), ("b", 1))
    with pytest.raises(ValueError, match="2 of 3 rows have no group"):
        encode_groups(values)


@pytest.mark.parametrize("values", [[None, np.nan], pl.Series([None, None]), pa.nulls(2)])
def test_nothing_but_missing_groups_is_degenerate_when_dropped(values):
    assert encode_groups(values, missing="group").labels == (None,)
    with pytest.raises(DegenerateGroupError, match="every one of its 2 rows is missing"):
        encode_groups(values, missing="drop")


def test_an_unknown_missing_rule_is_refused():
    with pytest.raises(ValueError, match=r"missing must be one of .*got 'ignore'"):
        encode_groups(["a"], missing="ignore")


# What cannot be a group


@pytest.mark.parametrize("empty", [[], np.array([]), pd.Series([], dtype=str), pl.Series([])])
def test_no_row_is_degenerate(empty):
    with pytest.raises(DegenerateGroupError, match="sensitive_features is empty"):
        encode_groups(empty)


def test_none_is_refused():
    with pytest.raises(ValueError, match="race is None"):
        encode_groups(None, name="race")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("race", "got 'race' of type str. A column name is understood by estimators"),
        (0, "got 0 of type int"),
        ((group for group in "ab"), "is a generator, which can be read only once"),
        ({"a", "b"}, "is a set, whose values are not rows"),
        (pl.LazyFrame({"race": ["a"]}), "of type LazyFrame"),
    ],
)
def test_what_is_not_a_column_is_refused_by_type(values, message):
    with pytest.raises(TypeError, match=f"sensitive_features .*{message}"):
        encode_groups(values)


@pytest.mark.parametrize("cell", [{"x": 1}, {1, 2}, np.array([1, 2])], ids=repr)
def test_an_unhashable_group_is_refused_with_its_row(cell):
    with pytest.raises(TypeError, match=r"sensitive_features: row 1 holds .*cannot be hashed"):
        encode_groups(["a", cell, "b"])


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="sensitive_features: its rows differ in length"):
        encode_groups([["a"], ["a", "b"]])


@pytest.mark.parametrize("values", [range(255), [f"g{i}" for i in range(255)]], ids=["int", "str"])
def test_255_groups_fit(values):
    values = list(values) * 2
    encoded = encode_groups(values)
    assert len(encoded.labels) == 255
    assert groups_of(encoded) == values


@pytest.mark.parametrize(
    "values",
    [
        np.arange(256).repeat(3),
        np.arange(256).repeat(3) * 10**6,
        np.arange(256.0).repeat(3),
        np.arange(256).repeat(3).astype(str),
        np.arange(256).repeat(3).astype(object),
        np.stack(np.divmod(np.arange(256), 16), axis=1).repeat(3, axis=0),
    ],
    ids=["int", "far int", "float", "str", "object", "intersection"],
)
def test_256_groups_are_refused_and_counted(values):
    with pytest.raises(ValueError, match=r"has 256 distinct values among 768 rows, .*identifier"):
        encode_groups(values)


def test_an_identifier_among_several_columns_is_told_by_its_position():
    with pytest.raises(ValueError, match=r"\(column 2 of 2\) has 300 distinct values"):
        encode_groups({"race": ["a"] * 300, "id": range(300)})


def test_a_continuous_number_by_mistake_is_refused():
    income = np.random.default_rng(0).normal(size=100)
    with pytest.raises(ValueError, match=r"has 100 distinct values .* bin or merge"):
        encode_groups(income)


def test_a_handful_of_rows_may_hold_a_group_each():
    assert len(encode_groups(range(20)).labels) == 20
    with pytest.raises(ValueError, match="has 21 distinct values among 21 rows"):
        encode_groups(range(21))


MILLION = np.arange(10**6)


@pytest.mark.parametrize(
    "values",
    [
        MILLION,
        MILLION * 1000,
        MILLION / 7,
        MILLION.astype(str),
        MILLION.astype(str).astype(object),
    ],
    ids=["int", "far int", "float", "str", "object"],
)
def test_a_million_identifiers_are_refused_and_counted(values):
    with pytest.raises(ValueError, match="has 1000000 distinct values among 1000000 rows"):
        encode_groups(values)


@pytest.mark.parametrize("kind", ["int8", "int64", "str", "object"])
def test_a_million_rows_get_the_codes_of_their_groups(kind):
    digit = np.arange(10**6) % 7
    values = digit.astype(str).astype(object) if kind == "object" else digit.astype(kind)
    groups = encode_groups(values)
    assert_array_equal(groups.codes, digit)


# At prediction


def test_seen_groups_get_the_codes_of_fit():
    assert_array_equal(encode_seen_groups(["c", "a", "c"], ("a", "b", "c")), [2, 0, 2])
    assert encode_seen_groups(np.array(["c"]), ("a", "b", "c")).dtype == np.uint8


def test_seen_intersections_get_the_codes_of_fit():
    labels = encode_groups(TABLES["pandas"]).labels
    for table in TABLES.values():
        assert_array_equal(encode_seen_groups(table, labels), [2, 0, 1, 2])


def test_no_row_at_prediction_is_no_code():
    assert encode_seen_groups([], ("a", "b")).shape == (0,)


def test_a_small_batch_may_hold_a_group_a_row():
    labels = tuple(range(100))
    assert_array_equal(encode_seen_groups(list(range(60)), labels), np.arange(60))


def test_an_unseen_group_is_refused_and_the_seen_are_listed():
    with pytest.raises(UnseenGroupError, match=r"group 'c' .* not seen at fit \(seen: 'a', 'b'\)"):
        encode_seen_groups(["a", "c"], ("a", "b"))


@pytest.mark.parametrize(
    ("group", "labels", "seen"),
    [
        ("1", (0, 1), "1 of type int"),
        (1, ("0", "1"), "'1' of type str"),
        (True, (0, 1), "1 of type int"),
        ("True", (False, True), "True of type bool"),
        (("1", "a"), ((1, "a"),), r"\(1, 'a'\) of type tuple"),
    ],
    ids=repr,
)
def test_a_group_of_another_type_is_refused_with_the_type_of_fit(group, labels, seen):
    with pytest.raises(UnseenGroupError, match=f"At fit there was {seen}: pass the same type"):
        encode_seen_groups([group], labels)


def test_a_whole_number_is_its_float_where_fit_saw_only_one_of_them():
    assert_array_equal(encode_seen_groups(np.array([1.0, 0.0]), (0, 1)), [1, 0])
    assert_array_equal(encode_seen_groups([1, 0], (0.0, 1.0)), [1, 0])
    assert_array_equal(encode_seen_groups([(1.0, "a")], ((0, "a"), (1, "a"))), [1])
    assert_array_equal(encode_seen_groups([1, 1.0], (1.0, 1)), [1, 0])


def test_a_missing_group_is_seen_only_if_it_was_kept_at_fit():
    assert_array_equal(encode_seen_groups([np.nan, "a"], ("a", None)), [1, 0])
    with pytest.raises(UnseenGroupError, match=r"a row has no group .*missing='group'"):
        encode_seen_groups([np.nan, "a"], ("a", "b"))


def test_many_seen_groups_are_not_all_listed():
    with pytest.raises(UnseenGroupError, match=r"18, 19 …\)"):
        encode_seen_groups(["x"], tuple(range(100)))


# From a column of X

FRAME = pd.DataFrame({"race": RACES, "income": [1.5, 2.5, 3.5, 4.5], "age": AGES})
FRAMES = {
    "pandas": FRAME,
    "pandas, odd index": FRAME.set_index(np.array([9, 9, 9, 9])),
    "polars": pl.DataFrame(FRAME.to_dict("list")),
    "pyarrow": pa.table(FRAME.to_dict("list")),
}
MATRICES = {
    "objects": FRAME.to_numpy(dtype=object),
    "list of lists": FRAME.to_numpy(dtype=object).tolist(),
}
each_frame = pytest.mark.parametrize("X", FRAMES.values(), ids=FRAMES.keys())
each_table = pytest.mark.parametrize(
    "X", [*FRAMES.values(), *MATRICES.values()], ids=[*FRAMES, *MATRICES]
)


@each_frame
def test_a_column_is_read_by_its_name(X):
    assert same(groups_of(encode_groups(read_groups(X, "race"))), RACES)
    assert same(groups_of(encode_groups(read_groups(X, np.str_("age")))), AGES)


@each_table
@pytest.mark.parametrize("position", [0, -3, np.int64(0)])
def test_a_column_is_read_by_its_position(X, position):
    assert same(groups_of(encode_groups(read_groups(X, position))), RACES)


@each_table
@pytest.mark.parametrize("columns", [[0, 2], (0, -1)])
def test_several_positions_are_intersections(X, columns):
    assert same(groups_of(encode_groups(read_groups(X, columns))), CROSSED)


@each_frame
def test_several_names_are_intersections(X):
    assert same(groups_of(encode_groups(read_groups(X, ["race", "age"]))), CROSSED)
    assert same(groups_of(encode_groups(read_groups(X, ["race", -1]))), CROSSED)


@each_table
def test_a_list_of_one_column_is_that_column(X):
    assert same(groups_of(encode_groups(read_groups(X, [0]))), RACES)


@pytest.mark.parametrize("matrix", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("position", [1, -1])
def test_a_column_of_a_sparse_matrix_is_read(matrix, position):
    X = matrix(np.array([[1, 0], [0, 2], [3, 0]]))
    assert_array_equal(read_groups(X, position), [0, 2, 0])


def test_integer_columns_with_a_null_are_read_as_integers():
    X = pd.DataFrame({"g": pd.Series([1, None], dtype="Int64")})
    for frame in (X, pl.DataFrame({"g": [1, None]}), pa.table({"g": [1, None]})):
        encoded = encode_groups(read_groups(frame, "g"), missing="group")
        assert same(encoded.labels, [1, None])


@each_frame
def test_a_callable_reads_groups_of_its_own(X):
    groups = read_groups(X, lambda X: np.asarray(X["income"]) > 2)
    assert groups_of(encode_groups(groups)) == [False, True, True, True]


def test_a_callable_may_return_several_columns():
    assert groups_of(encode_groups(read_groups(FRAME, lambda X: X[["race", "age"]]))) == CROSSED


def test_what_a_callable_raises_says_what_it_was_given():
    with pytest.raises(IndexError, match=r"callable sensitive_features, .* a ndarray\. In a Pipe"):
        read_groups(np.ones((3, 2)), lambda X: X["race"])


@pytest.mark.parametrize("X", [FRAME, FRAME.to_numpy(), FRAME.to_numpy().tolist()])
def test_a_callable_must_return_one_group_a_row(X):
    with pytest.raises(ValueError, match=r"sensitive_features\(X\) gave 2 groups for the 4 rows"):
        read_groups(X, lambda X: ["a", "b"])


@pytest.mark.parametrize("answer", ["race", 0.5])
def test_a_callable_must_return_a_column(answer):
    with pytest.raises(TypeError, match=r"sensitive_features\(X\) must hold one .* a row"):
        read_groups(FRAME, lambda X: answer)


@pytest.mark.parametrize("X", [FRAME.to_numpy(), [[1, 2]], sparse.csr_array(np.eye(2))], ids=type)
def test_a_name_without_a_data_frame_is_refused(X):
    with pytest.raises(ValueError, match=r"='race' names a column, but X is a .* position or a"):
        read_groups(X, "race")


@each_frame
def test_an_unknown_name_is_refused_with_the_columns(X):
    with pytest.raises(ValueError, match=r"='sex' is the name of no column.*'race', 'income'"):
        read_groups(X, "sex")


def test_a_name_that_two_columns_share_is_refused():
    X = pd.DataFrame([[1, 2]], columns=["race", "race"])
    with pytest.raises(ValueError, match="'race' is the name of 2 columns of X"):
        read_groups(X, "race")


@each_table
@pytest.mark.parametrize("position", [3, -4])
def test_a_position_out_of_range_is_refused(X, position):
    with pytest.raises(ValueError, match=rf"={position} is not a column position .* 3 columns"):
        read_groups(X, position)


def test_a_position_in_a_vector_is_refused():
    with pytest.raises(ValueError, match="X, which has 0 columns"):
        read_groups(np.array([1, 2]), 0)


@pytest.mark.parametrize("column", [True, np.True_, 1.0, None, {"race"}, [["race"]], [True]])
def test_what_is_no_column_is_refused(column):
    with pytest.raises(TypeError, match="sensitive_features must be a column name, a position"):
        read_groups(FRAME, column)


def test_an_empty_list_of_columns_is_refused():
    with pytest.raises(ValueError, match="sensitive_features is an empty list"):
        read_groups(FRAME, [])


@given(st.lists(st.sampled_from([1, 1.0, True, "1", None, (1, "a")]), min_size=1, max_size=8))
def test_coding_at_prediction_repeats_the_coding_at_fit(values):
    encoded = encode_groups(values, missing="group")
    assert_array_equal(encode_seen_groups(values, encoded.labels), encoded.codes)


def test_every_pair_of_kinds_in_one_column_is_told_apart():
    kinds = [1, True, 1.0, "1", b"1", (1,), frozenset([1]), np.datetime64(1, "s")]
    for first, second in product(kinds, repeat=2):
        assert same(groups_of(encode_groups([first, second])), [first, second])
