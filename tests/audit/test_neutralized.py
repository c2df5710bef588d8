"""Neutralised columns hold what training rows hold, and nothing else changes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from fairrank._columns import column_values, take_rows
from fairrank.audit._neutralized import neutralized

TRAIN = {
    "real": [1.0, 2.0, np.nan, 6.0], "whole": [1, 2, 3, 5], "word": ["b", "a", "b", "a"],
    "flag": [True, True, False, True],
}
TEST = {
    "real": [9.0, 9.0], "whole": [9, 9], "word": ["c", "c"], "flag": [False, False],
}


def replaced(X_train, X_test, columns, how="mean", strata=((0,) * 4, (0, 0)), seed=0):
    return neutralized(
        X_train, X_test, columns, how=how, strata_train=np.array(strata[0]),
        strata_test=np.array(strata[1]), rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_means_of_numbers_and_the_most_frequent_of_others(make):
    X_train, X_test = make(TRAIN), make(TEST)
    found = replaced(X_train, X_test, (0, 1, 2, 3))
    values = [column_values(found, j).tolist() for j in range(4)]
    assert values == [[3.0, 3.0], [2.75, 2.75], ["a", "a"], [True, True]]
    # What was passed stays as it was.
    assert column_values(X_test, 0).tolist() == [9.0, 9.0]
    assert column_values(X_test, 2).tolist() == ["c", "c"]


def test_arrays_and_sparse_matrices():
    train, test = np.array([[1, 4], [2, 4], [6, 4.0]]), np.array([[9, 8], [9, 8.0]])
    strata = ((0,) * 3, (0, 0))
    assert replaced(train, test, (0,), strata=strata).tolist() == [[3, 8], [3, 8]]
    sparse = replaced(*map(scipy.sparse.csr_array, (train, test)), (0,), strata=strata)
    assert sparse.toarray().tolist() == [[3, 8], [3, 8]]
    whole = replaced(train.astype(int), test.astype(int), (1,), strata=strata)
    assert whole.tolist() == [[9, 4], [9, 4]]


def test_types_are_kept_where_they_can_hold_the_value():
    X = pd.DataFrame(
        {
            "small": np.array([1, 2, 3, 4], np.float32),
            "kind": pd.Categorical(["u", "v", "v", "u"], categories=["v", "u"]),
            "null": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    found = replaced(X, X, (0, 1), strata=((0,) * 4, (0,) * 4))
    assert found.dtypes.tolist()[:2] == X.dtypes.tolist()[:2]
    drawn = replaced(X, X, (0, 1, 2), "draws", ((0,) * 4, (0,) * 4))
    assert drawn.dtypes.tolist() == X.dtypes.tolist()


def test_draws_take_columns_together_from_one_training_row():
    rng = np.random.default_rng(0)
    train = np.column_stack([np.arange(50), np.arange(50) * 10, rng.random(50)])
    test = np.full((200, 3), -1.0)
    found = replaced(train, test, (0, 1), "draws", (np.zeros(50, int), np.zeros(200, int)))
    np.testing.assert_array_equal(found[:, 1], found[:, 0] * 10)
    assert (found[:, 2] == -1).all()
    assert np.unique(found[:, 0]).size > 30


@pytest.mark.parametrize("how", ["mean", "draws"])
def test_strata_keep_to_themselves(how):
    train = np.array([[1.0], [1.0], [7.0], [7.0]])
    found = replaced(train, np.zeros((3, 1)), (0,), how, ((0, 0, 1, 1), (1, 0, 1)))
    assert found.ravel().tolist() == [7.0, 1.0, 7.0]


@pytest.mark.parametrize("how", ["mean", "draws"])
def test_a_stratum_without_training_rows_is_refused(how):
    with pytest.raises(ValueError, match="neutralize_strata"):
        replaced(np.ones((4, 1)), np.ones((2, 1)), (0,), how, ((0,) * 4, (0, 1)))


def test_frames_with_an_index_of_their_own_keep_it():
    X = pd.DataFrame(TRAIN, index=[7, 7, 3, "z"])
    found = replaced(X, X, (0,), strata=((0,) * 4, (0,) * 4))
    assert found.index.tolist() == [7, 7, 3, "z"]
    assert take_rows(X, np.array([3, 0]))["whole"].tolist() == [5, 1]
