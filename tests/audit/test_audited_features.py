"""Which features are audited: named ones, sets of them, and never the group's column."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairrank._columns import named_columns
from fairrank._sensitive import encode_groups
from fairrank.audit._audited_features import (
    audited_features,
    columns_equal_to,
    columns_read_by,
)

FRAME = pd.DataFrame(
    {"age": [1.0, 2.0, 3.0, 4.0], "race": ["a", "b", "a", "b"], "debt": [0, 1, 1, 0]}
)


def read(features, X=FRAME, named=(1,), group_columns=(1,), leaves_nothing=True):
    found = audited_features(
        features, X, X.shape[1], named=named, group_columns=group_columns,
        leaves_nothing=leaves_nothing,
    )
    return {feature.name: feature.columns for feature in found}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (None, {"age": (0,), "debt": (2,)}),
        (["debt"], {"debt": (2,)}),
        ([0, -1], {"age": (0,), "debt": (2,)}),
        (np.array(["age"]), {"age": (0,)}),
        (pd.Index(["age", "debt"]), {"age": (0,), "debt": (2,)}),
        ({"money": "debt", "person": ["age"]}, {"money": (2,), "person": (0,)}),
        ({"money": 2, 7: [0]}, {"money": (2,), "7": (0,)}),
    ],
)
def test_features_are_columns_or_named_sets_of_them(features, expected):
    assert read(features) == expected
    assert read(features, pl.from_pandas(FRAME)) == expected


def test_columns_without_names_are_called_as_scikit_learn_calls_them():
    X = np.zeros((4, 3))
    assert read(None, X) == {"x0": (0,), "x2": (2,)}
    assert read(None, pd.DataFrame(X)) == {"x0": (0,), "x2": (2,)}
    with pytest.raises(ValueError, match="X has no column names"):
        read(["age"], X)


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        (["dept"], ValueError, "no column 'dept'. Did you mean 'debt'"),
        (["zzz"], ValueError, "no column 'zzz'. Its columns: age, race, debt"),
        ([3], ValueError, "3 is no column position of X, which has 3 columns"),
        ([True], TypeError, "name or position"),
        ("age", TypeError, r"pass a list: \['age'\]"),
        (5, TypeError, "list of columns"),
        (["race"], ValueError, "'race' holds the group itself"),
        ({"all": ["age", "race"]}, ValueError, r"'all' holds the group itself \(race\)"),
        (["age", "age"], ValueError, "'age' is listed twice"),
        (["age", 0], ValueError, "'age' is listed twice"),
        ({"none": []}, ValueError, "is empty"),
        ([], ValueError, "none to remove"),
        ({"all": ["age", "debt"]}, ValueError, "no column of X is left"),
        ({"one": ["age", "dept"]}, ValueError, r"features\['one'\].*debt"),
    ],
)
def test_what_cannot_be_removed_is_said(features, error, message):
    with pytest.raises(error, match=message):
        read(features)


def test_names_held_twice_need_a_position():
    X = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="2 columns of X are called 'a'"):
        read(["a"], X)


def test_one_feature_only_can_be_neutralised_but_not_removed():
    X = FRAME[["age", "race"]]
    assert read(None, X, leaves_nothing=False) == {"age": (0,)}
    with pytest.raises(ValueError, match="without 'age' no column of X is left"):
        read(None, X)
    with pytest.raises(ValueError, match="none to remove"):
        read(None, FRAME[["race"]], named=(0,), group_columns=(0,))


def test_named_groups_are_found_by_name_position_and_list():
    for given, expected in [
        ("race", (1,)), (1, (1,)), (-1, (2,)), (["race", 0], (0, 1)), (None, ()),
        (lambda X: X["race"], ()),
    ]:
        assert named_columns(FRAME, 3, given) == expected
    with pytest.raises(ValueError, match="sensitive_features: X has no column 'rase'"):
        named_columns(FRAME, 3, "rase")


@pytest.mark.parametrize(
    ("group_of", "expected"),
    [
        (lambda X: X["race"], (1,)),
        (lambda X: X["race"] + (X["age"] > 2).astype(str), (0, 1)),
        (lambda X: ["u", "u", "v", "v"], ()),
    ],
)
def test_columns_that_a_callable_reads_are_found(group_of, expected):
    found = columns_read_by(FRAME, 3, group_of, lambda g: encode_groups(g).codes)
    assert found == expected


def test_a_callable_that_fails_without_a_column_reads_it():
    def group_of(X):
        values = X[:, 0]
        if np.unique(values).size < 2:
            raise RuntimeError("nothing to split")
        return values > np.median(values)

    X = np.random.default_rng(0).random((10, 2))
    assert columns_read_by(X, 2, group_of, lambda g: encode_groups(g).codes) == (0,)


def test_a_copy_of_the_group_is_found_whatever_its_labels():
    codes = encode_groups(FRAME["race"]).codes
    X = FRAME.assign(white=[1, 0, 1, 0], other=[1, 0, 1, 1], same=7, lists=[[1]] * 4)
    assert columns_equal_to(X, X.shape[1], codes) == (1, 3)
    assert columns_equal_to(X, X.shape[1], np.zeros(4, int)) == ()
