"""Selectors that do not fit the columns are refused, and never read as other columns."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairrank.audit._selected_columns import checked_positions
from fairrank.audit._without_features import without_columns

X = np.zeros((4, 5))


def selecting(columns):
    return make_pipeline(ColumnTransformer([("numbers", StandardScaler(), columns)]))


@pytest.mark.parametrize("columns", [[1, 5], 5, [-6], [7, 0]])
def test_a_position_beyond_the_columns_is_not_wrapped_round(columns):
    with pytest.raises(ValueError, match=r"numbers selects position .* given 5 columns"):
        without_columns(selecting(columns), X, [0])


@pytest.mark.parametrize("n_entries", [4, 6])
def test_a_mask_of_another_length_is_refused(n_entries):
    with pytest.raises(ValueError, match=f"mask of {n_entries} entries for 5 columns"):
        without_columns(selecting([True] * n_entries), X, [0])


def test_names_need_a_frame():
    with pytest.raises(ValueError, match="pass a data frame"):
        without_columns(selecting(["age"]), X, [0])
    with pytest.raises(ValueError, match="pass a data frame"):
        without_columns(selecting(slice("age", None)), X, [0])


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("monotonic_cst", [0, 1, -1, 0]),
        ("categorical_features", [True, False, False, False]),
        ("categorical_features", [5]),
        ("interaction_cst", [[0, 1], [2, 6]]),
    ],
)
def test_parameters_that_count_other_columns_are_refused(parameter, value):
    model = HistGradientBoostingClassifier(**{parameter: value})
    with pytest.raises(ValueError, match=f"{parameter}.* 5 columns.*group's among them"):
        without_columns(model, X, [0])


def test_positions_and_masks_say_the_same():
    assert checked_positions([-1, 0, 2], 5, "a step") == [4, 0, 2]
    assert checked_positions([True, False, True, False, False], 5, "a step") == [0, 2]
    assert checked_positions([], 5, "a step") == []
