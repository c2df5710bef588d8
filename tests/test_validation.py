from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from fairrank._validation import (
    as_amounts,
    as_array,
    as_finite_float,
    as_vector,
    check_binary_labels,
    check_burden,
    check_choice,
    check_count,
    check_fraction,
    check_probability,
    check_same_length,
    check_sample_weight,
    is_missing,
)
from fairrank.exceptions import DegenerateGroupError

ONES = np.array([0, 1, 1, 0], dtype=np.uint8)

# The same outcome 0, 1, 1, 0 in every container: (id, labels, pos_label).
OUTCOMES = [
    ("integers", [0, 1, 1, 0], None),
    ("minus one", np.array([-1, 1, 1, -1]), None),
    ("bools", np.array([False, True, True, False]), None),
    ("bools, 1 positive", [False, True, True, False], 1),
    ("bools, False positive", [True, False, False, True], False),
    ("bool objects", np.array([False, True, True, False], dtype=object), None),
    ("floats", [0.0, 1.0, 1.0, 0.0], None),
    ("floats, integer positive", np.array([0.0, 1.0, 1.0, 0.0], dtype=np.float32), 1),
    ("uint8", np.array([0, 1, 1, 0], dtype=np.uint8), np.int64(1)),
    ("1 and 2", [1, 2, 2, 1], 2),
    ("0 positive", [1, 0, 0, 1], 0),
    ("mixed numbers", [0, 1.0, True, False], None),
    ("strings", ["no", "yes", "yes", "no"], "yes"),
    ("fixed-width strings", np.array(["no", "yes", "yes", "no"]), np.str_("yes")),
    ("digit strings", ["0", "1", "1", "0"], "1"),
    ("bytes", np.array([b"n", b"y", b"y", b"n"]), b"y"),
    ("string dtype", np.array(["n", "y", "y", "n"], dtype=np.dtypes.StringDType()), "y"),
    ("string objects", np.array(["n", "y", "y", "n"], dtype=object), "y"),
    ("strings that end in NUL", ["y", "y\0", "y\0", "y"], "y\0"),
    ("a string and a number", ["n", 1, 1, "n"], 1),
    ("column vector", np.array([[0], [1], [1], [0]]), None),
    ("tuple", (0, 1, 1, 0), None),
    ("deque", deque([0, 1, 1, 0]), None),
    ("dict values", {"a": 0, "b": 1, "c": 1, "d": 0}.values(), None),
    ("unmasked", np.ma.array([0, 1, 1, 0]), None),
    ("big-endian", np.array([0, 1, 1, 0], dtype=">i4"), None),
    ("pandas", pd.Series([0, 1, 1, 0], index=[7, 7, 8, 9]), None),
    ("pandas Int64", pd.Series([0, 1, 1, 0], dtype="Int64"), None),
    ("pandas Float64", pd.Series([0, 1, 1, 0], dtype="Float64"), None),
    ("pandas boolean", pd.Series([False, True, True, False], dtype="boolean"), None),
    ("pandas string", pd.Series(["n", "y", "y", "n"], dtype="string"), "y"),
    ("pandas str", pd.Series(["n", "y", "y", "n"]), "y"),
    ("pandas category", pd.Series(["n", "y", "y", "n"], dtype="category"), "y"),
    ("pandas int category", pd.Series([0, 1, 1, 0], dtype="category"), None),
    ("pandas on arrow", pd.Series([0, 1, 1, 0], dtype="int64[pyarrow]"), None),
    ("pandas frame", pd.DataFrame({"y": [0, 1, 1, 0]}), None),
    ("polars", pl.Series([0, 1, 1, 0]), None),
    ("polars bool", pl.Series([False, True, True, False]), None),
    ("polars string", pl.Series(["n", "y", "y", "n"]), "y"),
    ("polars categorical", pl.Series(["n", "y", "y", "n"], dtype=pl.Categorical), "y"),
    ("polars enum", pl.Series(["n", "y", "y", "n"], dtype=pl.Enum(["n", "y"])), "y"),
    ("pyarrow", pa.array([0, 1, 1, 0]), None),
    ("pyarrow bool", pa.array([False, True, True, False]), None),
    ("pyarrow chunked", pa.chunked_array([["n", "y"], ["y", "n"]]), "y"),
    ("pyarrow dictionary", pa.array(["n", "y", "y", "n"]).dictionary_encode(), "y"),
]


@pytest.mark.parametrize(
    ("labels", "pos_label"), [case[1:] for case in OUTCOMES], ids=[case[0] for case in OUTCOMES]
)
def test_labels_of_any_container_become_zeros_and_ones(labels, pos_label):
    outcome = check_binary_labels(labels, pos_label)
    assert_array_equal(outcome, ONES)
    assert outcome.dtype == np.uint8


MISSING_LABELS = {
    "float nan": np.array([0.0, 1.0, np.nan]),
    "infinite": np.array([0.0, 1.0, np.inf]),
    "list with None": [0, 1, None],
    "list with nan": ["n", "y", np.nan],
    "two values, one nan": ["y", "y", np.nan],
    "object with NA": np.array([0, 1, pd.NA], dtype=object),
    "object with NaT": np.array(["n", "y", pd.NaT], dtype=object),
    "masked": np.ma.array([0, 1, 1], mask=[0, 0, 1]),
    "pandas Int64": pd.Series([0, 1, None], dtype="Int64"),
    "pandas boolean": pd.Series([False, True, None], dtype="boolean"),
    "pandas string": pd.Series(["n", "y", None], dtype="string"),
    "pandas str": pd.Series(["n", "y", None]),
    "pandas category": pd.Series(["n", "y", None], dtype="category"),
    "pandas int category": pd.Series([0, 1, None], dtype="category"),
    "pandas on arrow": pd.Series([0, 1, None], dtype="int64[pyarrow]"),
    "polars": pl.Series([0, 1, None]),
    "polars bool": pl.Series([False, True, None]),
    "polars string": pl.Series(["n", "y", None]),
    "polars enum": pl.Series(["n", "y", None], dtype=pl.Enum(["n", "y"])),
    "pyarrow": pa.array([0, 1, None]),
    "pyarrow bool": pa.array([False, True, None]),
    "pyarrow chunked dictionary": pa.chunked_array(
        [pa.array(["n", "y", None]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("pos_label", [None, 1, "y", True])
@pytest.mark.parametrize("labels", MISSING_LABELS.values(), ids=MISSING_LABELS.keys())
def test_a_missing_label_is_refused_and_counted(labels, pos_label):
    with pytest.raises(ValueError, match=r"y_true has 1 missing or infinite values among 3"):
        check_binary_labels(labels, pos_label)


@pytest.mark.parametrize("labels", [[1, 2], ["yes", "no"], ["0", "1"], [0, 2], [-1, 0], [2, 2]])
def test_other_labels_than_zero_one_need_pos_label(labels):
    with pytest.raises(ValueError, match=r"y_true holds the labels .*: pass pos_label"):
        check_binary_labels(labels)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (["0", "1"], 1),
        ([0, 1], "1"),
        ([True, False], "True"),
        (["1", "1"], 1),
        ([1, 1], "1"),
        (np.array(["0", "1"]), 1),
    ],
)
def test_a_pos_label_of_another_type_is_refused_with_a_hint(labels, pos_label):
    with pytest.raises(ValueError, match=r"pos_label=.* not among the labels .*same type"):
        check_binary_labels(labels, pos_label)


@pytest.mark.parametrize(
    ("labels", "pos_label"), [([0, 1], 2), (["n", "y"], "Y"), ([True, False], 2)]
)
def test_an_unknown_pos_label_is_refused_and_the_labels_are_listed(labels, pos_label):
    with pytest.raises(ValueError, match=r"is not among the labels of y_true, which are .*\.$"):
        check_binary_labels(labels, pos_label)


@pytest.mark.parametrize("pos_label", [[1], (1,), np.array([0, 1]), np.nan, pd.NA, pd.NaT])
def test_a_pos_label_that_is_no_label_is_refused(pos_label):
    with pytest.raises(TypeError, match="pos_label must be one label of y_true"):
        check_binary_labels([0, 1], pos_label)


@pytest.mark.parametrize("labels", [[0, 1, 2], np.array([1, 2, 3.0]), ["a", "b", "c"]])
def test_three_labels_are_refused_and_counted(labels):
    with pytest.raises(ValueError, match=r"y_true must hold two labels, got 3: .* burden="):
        check_binary_labels(labels, labels[0])


def test_scores_in_the_place_of_labels_are_named_as_swapped():
    with pytest.raises(ValueError, match=r"got 10 or more: .* y_true and y_score are swapped"):
        check_binary_labels(np.linspace(0, 1, 50))


@pytest.mark.parametrize(
    ("labels", "pos_label", "expected"),
    [
        ([1, 1], None, 1),
        ([0, 0], None, 0),
        ([-1, -1], None, 0),
        ([True, True], None, 1),
        ([False, False], None, 0),
        (["no", "no"], "yes", 0),
        (["yes", "yes"], "yes", 1),
        ([0, 0], 1, 0),
    ],
)
def test_one_class_only_is_read_without_its_opposite(labels, pos_label, expected):
    assert_array_equal(check_binary_labels(labels, pos_label), [expected, expected])


def test_a_label_that_is_a_list_is_refused():
    labels = np.empty(2, dtype=object)
    labels[:] = [[0], 1]
    with pytest.raises(TypeError, match=r"y_true: row 0 holds \[0\] of type list"):
        check_binary_labels(labels)


two_labels = st.one_of(
    st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=2, unique=True),
    st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2, unique=True),
    st.lists(st.text(min_size=1), min_size=2, max_size=2, unique=True),
)


@given(
    two_labels,
    st.lists(st.booleans(), min_size=1),
    st.sampled_from(["list", "object", "polars"]),
)
def test_any_two_labels_give_the_same_outcome(labels, truth, container):
    negative, positive = labels
    values = [positive if true else negative for true in truth]
    if container == "object":
        values = np.array(values, dtype=object)
    elif container == "polars":
        values = pl.Series(values)
    assert_array_equal(check_binary_labels(values, positive), truth)


SCORES = {
    "list": [0.0, 0.25, 1.0],
    "list of numpy floats": [np.float32(0), np.float32(0.25), np.float32(1)],
    "mixed list": [0, 0.25, True],
    "float32": np.array([0, 0.25, 1], dtype=np.float32),
    "float16": np.array([0, 0.25, 1], dtype=np.float16),
    "long double": np.array([0, 0.25, 1], dtype=np.longdouble),
    "objects": np.array([0, 0.25, np.bool_(True)], dtype=object),
    "decimals": [Decimal(0), Decimal("0.25"), Fraction(1)],
    "column of a matrix": np.array([[1, 0], [0.75, 0.25], [0, 1]])[:, 1],
    "backwards": np.array([1, 0.25, 0])[::-1],
    "big-endian": np.array([0, 0.25, 1], dtype=">f8"),
    "pandas Float64": pd.Series([0, 0.25, 1], dtype="Float64"),
    "pandas category": pd.Series([0, 0.25, 1], dtype="category"),
    "polars": pl.Series([0, 0.25, 1.0], dtype=pl.Float32),
    "polars decimal": pl.Series([Decimal(0), Decimal("0.25"), Decimal(1)]),
    "pyarrow": pa.array([0, 0.25, 1.0]),
    "pyarrow chunked": pa.chunked_array([[0, 0.25], [1.0]]),
}


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES.keys())
def test_scores_of_any_container_become_contiguous_float64(score):
    array = check_probability(score)
    assert_array_equal(array, [0, 0.25, 1])
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert array.dtype.isnative


def test_a_read_only_memmap_is_read_without_a_write(tmp_path):
    np.array([0.25, 0.5]).tofile(tmp_path / "score")
    score = np.memmap(tmp_path / "score", dtype=np.float64, mode="r")
    loss, _, _ = check_burden([0, 1], score, burden="squared", pos_label=None)
    assert_array_equal(loss, [0.0625, 0.25])
    assert type(as_finite_float(score, "y_score")) is np.ndarray


MISSING_SCORES = {
    "nan": (np.array([0.5, np.nan]), "1 NaN and 0 infinite"),
    "inf": ([0.5, -np.inf], "0 NaN and 1 infinite"),
    "None": ([0.5, None], "1 NaN"),
    "NA": (np.array([0.5, pd.NA], dtype=object), "1 NaN"),
    "pandas Float64": (pd.Series([0.5, None], dtype="Float64"), "1 NaN"),
    "pandas Int64": (pd.Series([1, None], dtype="Int64"), "1 NaN"),
    "polars": (pl.Series([0.5, None]), "1 NaN"),
    "polars integers": (pl.Series([1, None]), "1 NaN"),
    "pyarrow": (pa.array([1, None]), "1 NaN"),
    "masked": (np.ma.array([0.5, 0.5], mask=[0, 1]), "1 NaN"),
}


@pytest.mark.parametrize(("score", "count"), MISSING_SCORES.values(), ids=MISSING_SCORES.keys())
def test_missing_and_infinite_scores_are_refused_and_counted(score, count):
    with pytest.raises(ValueError, match=f"y_score has {count}.* values among 2: take those"):
        as_finite_float(score, "y_score")


@pytest.mark.parametrize(
    ("score", "row"),
    [
        (["0.1", "0.2"], 0),
        (np.array(["0.1", "0.2"]), 0),
        ([0.1, "0.2"], 1),
        (pd.Series([None, "high"]), 1),
        (np.array(["2020", "2021"], dtype="M8[D]"), 0),
        (np.array([1j, 2]), 0),
        ([0.5, [0.5]], 1),
    ],
)
def test_scores_that_are_not_numbers_are_refused_with_their_row(score, row):
    with pytest.raises(ValueError, match=f"y_score must be numbers, got dtype .*row {row} holds"):
        as_finite_float(score, "y_score")


@pytest.mark.parametrize("score", [[-2.5, 0.3], np.array([0.1, 7.25])])
def test_logits_are_refused_and_named(score):
    with pytest.raises(ValueError, match=r"y_score must be probabilities .* logits .*expit"):
        check_probability(score)


def test_a_probability_that_rounding_put_past_one_is_clipped():
    score = np.array([np.nextafter(np.float32(1), np.float32(2)), -1e-12])
    assert_array_equal(check_probability(score), [1.0, 0.0])


def test_a_predict_proba_matrix_is_refused_with_the_column_to_pass():
    with pytest.raises(ValueError, match=r"y_score must be one-dim.*\(3, 2\).*y_score\[:, 1\]"):
        check_probability(np.full((3, 2), 0.5))


@pytest.mark.parametrize("shape", [(2, 3), (2, 2, 2)])
def test_other_shapes_are_refused_without_a_guess(shape):
    with pytest.raises(ValueError, match=r"y_score must be one-dimensional, got shape .*\)\.$"):
        as_vector(np.zeros(shape), "y_score")


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"y_score: its rows differ in length, \[1, 2\]"):
        as_vector([[0.1], [0.2, 0.3]], "y_score")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (0.5, "one value a row, got 0.5 of type float"),
        (np.float64(0.5), "one value a row"),
        ("score", "one value a row, got 'score' of type str"),
        (b"score", "one value a row"),
        ((x for x in [0.5]), "is a generator, which can be read only once"),
        (iter([0.5]), "is a list_iterator"),
        (map(float, [1]), "is a map"),
        ({0.5, 0.6}, "is a set, whose values are not rows in an order"),
        ({"a": 0.5}, "is a dict"),
    ],
)
def test_what_is_not_a_column_is_refused_by_type(values, message):
    with pytest.raises(TypeError, match=f"y_score .*{message}"):
        as_vector(values, "y_score")


def test_a_zero_dimensional_array_is_refused():
    with pytest.raises(ValueError, match=r"y_score must be one-dimensional, got shape \(\)"):
        as_vector(np.array(0.5), "y_score")


def test_none_is_refused_by_name():
    with pytest.raises(ValueError, match="y_score is None: pass one value"):
        as_vector(None, "y_score")


def test_a_sparse_column_is_read():
    assert_array_equal(as_vector(sparse.csr_matrix([[0], [1]]), "y_true"), [0, 1])


@pytest.mark.parametrize("empty", [[], np.array([]), pd.Series([], dtype="Int64"), pl.Series([])])
def test_empty_labels_are_degenerate(empty):
    with pytest.raises(DegenerateGroupError, match="y_true is empty"):
        check_binary_labels(empty)


def test_different_lengths_are_refused_with_every_length():
    with pytest.raises(ValueError, match="y_true has 2, y_score has 3 rows"):
        check_same_length(y_true=[0, 1], y_score=[1, 2, 3], sample_weight=None)


def test_the_shared_length_is_returned():
    assert check_same_length(y_true=[0, 1], y_score=np.zeros(2), sample_weight=None) == 2


def test_no_row_at_all_is_degenerate():
    with pytest.raises(DegenerateGroupError, match="y_true and y_score are empty"):
        check_same_length(y_true=[], y_score=[])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, True),
        (np.nan, True),
        (np.float32("nan"), True),
        (pd.NA, True),
        (pd.NaT, True),
        (np.datetime64("NaT", "ns"), True),
        (np.timedelta64("NaT", "ns"), True),
        (0, False),
        ("", False),
        ("nan", False),
        ((None,), False),
        (np.inf, False),
        (np.datetime64("2020"), False),
    ],
)
def test_missing_values_of_every_library_are_known(value, expected):
    assert is_missing(value) is expected


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None], dtype="category"),
        pd.Series([1, None], dtype="int64[pyarrow]"),
        pl.Series([1, None]),
        pa.array([1, None]),
        pa.chunked_array([[1], [None]]),
        np.ma.array([1, 2], mask=[0, 1]),
    ],
    ids=lambda values: f"{type(values).__module__.split('.')[0]} {getattr(values, 'dtype', '')}",
)
def test_integers_beside_a_null_stay_integers(values):
    whole, null = as_array(values, "y_true").tolist()
    assert type(whole) is int
    assert is_missing(null)


# Burdens


def test_the_absolute_burden_is_the_distance_to_the_outcome():
    loss, outcome, score = check_burden([0, 1], [0.25, 0.25], burden="absolute", pos_label=None)
    assert_array_equal(loss, [0.25, 0.75])
    assert_array_equal(outcome, [0, 1])
    assert_array_equal(score, [0.25, 0.25])


def test_the_squared_burden_is_its_square():
    loss, _, _ = check_burden(["n", "y"], [0.25, 0.25], burden="squared", pos_label="y")
    assert_array_equal(loss, [0.0625, 0.5625])


def test_a_callable_burden_takes_scores_of_any_scale():
    loss, outcome, score = check_burden(
        [0, 1], [-3.0, 2.0], burden=lambda y, p: np.maximum(0, 1 - (2 * y - 1) * p), pos_label=None
    )
    assert_array_equal(loss, [0, 0])
    assert_array_equal(outcome, [0, 1])
    assert_array_equal(score, [-3, 2])


def test_a_callable_burden_cannot_change_the_scores_of_the_caller():
    y_score = np.array([0.25, 0.75])

    def in_place(y, p):
        p -= y
        return np.abs(p, out=p)

    loss, _, score = check_burden([0, 1], y_score, burden=in_place, pos_label=None)
    assert_array_equal(loss, [0.25, 0.25])
    assert_array_equal(y_score, [0.25, 0.75])
    assert_array_equal(score, [0.25, 0.75])


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (0.5, TypeError, r"burden\(y, p\) must hold one value a row"),
        (None, ValueError, r"burden\(y, p\) is None"),
        (np.zeros((2, 2)), ValueError, r"burden\(y, p\) must be one-dimensional"),
        (np.zeros(3), ValueError, r"y_true has 2, burden\(y, p\) has 3 rows"),
        ([0.5, np.nan], ValueError, r"burden\(y, p\) has 1 NaN"),
        ([0.5, -0.5], ValueError, r"burden has 1 negative values \(smallest -0.5\)"),
    ],
)
def test_a_callable_burden_with_a_wrong_answer_is_refused(answer, error, message):
    with pytest.raises(error, match=message):
        check_burden([0, 1], [0.5, 0.5], burden=lambda y, p: answer, pos_label=None)


def test_an_array_burden_stands_alone():
    loss, outcome, score = check_burden(None, None, burden=[1, 0], pos_label=None)
    assert_array_equal(loss, [1.0, 0.0])
    assert loss.dtype == np.float64
    assert outcome is None
    assert score is None


@pytest.mark.parametrize(("y_true", "y_score"), [([0, 1], None), (None, [0.5, 0.5])])
def test_an_array_burden_beside_labels_or_scores_is_refused(y_true, y_score):
    with pytest.raises(ValueError, match="burden is an array, so y_true and y_score must be None"):
        check_burden(y_true, y_score, burden=[0.5, 0.5], pos_label=None)


@pytest.mark.parametrize(
    ("burden", "message"),
    [
        ([0.5, -1.0], "burden has 1 negative values"),
        ([0.5, np.nan], "burden has 1 NaN"),
        (["a", "b"], "burden must be numbers"),
        ([], "burden is empty"),
        (None, r"burden must be one of .*not None"),
    ],
)
def test_an_array_that_is_no_burden_is_refused(burden, message):
    with pytest.raises(ValueError, match=message):
        check_burden(None, None, burden=burden, pos_label=None)


@pytest.mark.parametrize(
    ("y_true", "y_score", "name"), [(None, [0.5], "y_true"), ([1], None, "y_score")]
)
def test_a_named_burden_without_what_it_needs_is_refused(y_true, y_score, name):
    with pytest.raises(ValueError, match=f"{name} is None, but burden='absolute'"):
        check_burden(y_true, y_score, burden="absolute", pos_label=None)


def test_an_unknown_burden_is_refused_with_the_choices():
    with pytest.raises(ValueError, match=r"burden must be one of .*squared.*got 'brier'"):
        check_burden([0, 1], [0.5, 0.5], burden="brier", pos_label=None)


def test_labels_and_scores_of_different_lengths_have_no_burden():
    with pytest.raises(ValueError, match="y_true has 2, y_score has 3 rows"):
        check_burden([0, 1], [0.5, 0.5, 0.5], burden="absolute", pos_label=None)


# Weights


@pytest.mark.parametrize(
    ("weight", "dtype"),
    [
        ([1, 2], np.int64),
        (np.array([1, 2], dtype=np.uint8), np.int64),
        (np.array([True, False]), np.int64),
        (pd.Series([1, 2], dtype="Int64"), np.int64),
        ([1.0, 2.0], np.float64),
        ([1, 2.0], np.float64),
        (np.array([1, 2], dtype=np.float32), np.float64),
    ],
)
def test_whole_weights_are_repetition_and_floats_are_mass(weight, dtype):
    checked = check_sample_weight(weight)
    assert checked.dtype == dtype
    assert_array_equal(checked, np.asarray(weight, dtype=dtype))


def test_no_weight_stays_none():
    assert check_sample_weight(None) is None


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1], "sample_weight has 1 negative values"),
        ([1, np.nan], "sample_weight has 1 NaN"),
        ([1, np.inf], "sample_weight has 0 NaN and 1 infinite"),
        ([1, None], "sample_weight has 1 NaN"),
        (["a", "b"], "sample_weight must be numbers"),
        ([[1, 2]], "sample_weight must be one-dimensional"),
        (np.array([1, 2**63], dtype=np.uint64), "sample_weight has weights up to"),
    ],
)
def test_what_is_no_weight_is_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(weight)


@pytest.mark.parametrize("weight", [[0, 0], [0.0, 0.0], [False, False]])
def test_weights_that_leave_no_row_are_degenerate(weight):
    with pytest.raises(DegenerateGroupError, match="sample_weight is 0 in every row"):
        check_sample_weight(weight)


# Options


def test_a_choice_is_one_of_those_listed():
    assert check_choice("hull", ("hull", None), "solver") == "hull"
    assert check_choice(None, ("hull", None), "solver") is None


@pytest.mark.parametrize("value", ["Hull", 1, np.array(["hull"]), ["hull"]])
def test_another_choice_is_refused_with_the_list(value):
    with pytest.raises(ValueError, match="solver must be one of 'hull', None, got"):
        check_choice(value, ("hull", None), "solver")


@pytest.mark.parametrize("value", [3, np.int32(3)])
def test_a_count_becomes_a_python_integer(value):
    assert type(check_count(value, "n_permutations")) is int


@pytest.mark.parametrize("value", [True, 3.0, "3", None, np.nan])
def test_a_count_that_is_not_whole_is_refused(value):
    with pytest.raises(TypeError, match="n_permutations must be a whole number, got"):
        check_count(value, "n_permutations")


def test_a_count_below_its_minimum_is_refused():
    with pytest.raises(ValueError, match="n_permutations must be at least 10, got 9"):
        check_count(9, "n_permutations", minimum=10)


@pytest.mark.parametrize(
    ("value", "ends", "accepted"),
    [
        (0.5, {}, True),
        (1, {}, True),
        (0, {}, False),
        (0, {"low_open": False}, True),
        (1.0, {"high_open": True}, False),
        (-0.1, {"low_open": False}, False),
        (np.float32(1.5), {}, False),
        (np.nan, {}, False),
    ],
)
def test_a_fraction_lies_in_its_interval(value, ends, accepted):
    if accepted:
        assert check_fraction(value, "level", **ends) == value
    else:
        with pytest.raises(ValueError, match=r"level must lie in [(\[]0, 1[)\]], got"):
            check_fraction(value, "level", **ends)


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j])
def test_a_fraction_that_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match="level must be a number, got"):
        check_fraction(value, "level")


@pytest.mark.parametrize("number", [10**400, Fraction(10**400), -(10**400)])
def test_a_number_that_no_double_holds_is_refused_by_name(number):
    with pytest.raises(ValueError, match="y_score holds a number that is none in 64 bits"):
        as_finite_float([0.5, number], "y_score")


def test_a_long_double_beyond_all_doubles_is_infinite():
    with pytest.raises(ValueError, match="y_score has 0 NaN and 1 infinite"):
        as_finite_float(np.array([0.5, np.longdouble("1e4000")]), "y_score")


@pytest.mark.parametrize("kind", ["NaN", "sNaN"])
def test_a_decimal_that_is_no_number_is_missing(kind):
    assert is_missing(Decimal(kind))
    with pytest.raises(ValueError, match="y_score has 1 NaN"):
        as_finite_float([0.5, Decimal(kind)], "y_score")


def test_decimals_are_labels_beside_integers_of_numpy():
    assert_array_equal(check_binary_labels([Decimal(1), np.int64(0), np.int64(1)]), [1, 0, 1])


def test_amounts_are_bounded():
    assert as_amounts([-1e100, 1e100], "loss").tolist() == [-1e100, 1e100]
    with pytest.raises(ValueError, match=r"loss reaches 1e\+101, and beyond 1e\+100"):
        as_amounts([0.0, -1e101], "loss")
    assert as_amounts([1e200], "revenue", 1e250).tolist() == [1e200]


@pytest.mark.parametrize("power", [-1074, -300, 300, 1000])
def test_masses_of_odd_size_come_near_to_one_exactly(power):
    weight = np.ldexp([1.0, 3.0, 0.0], power)
    assert check_sample_weight(weight).tolist() == [0.25, 0.75, 0.0]


def test_masses_of_usual_size_are_as_they_came():
    weight = np.array([1e-60, 1.0, 0.0, 1e10])
    assert check_sample_weight(weight) is weight


def test_masses_too_far_apart_to_be_multiplied_are_refused():
    with pytest.raises(ValueError, match=r"positive weights from 1e-80 to 1, .* set those to 0"):
        check_sample_weight([1e-80, 1.0])
