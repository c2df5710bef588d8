"""Columns are taken out of every selector inside an estimator, or it says what to write."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from fairrank.audit._without_features import without_columns

NAMES = ["age", "debt", "town", "income", "job"]
REMOVED = [1, 4]  # debt, job
LEFT = ["age", "town", "income"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.normal(size=60), "debt": rng.normal(size=60),
            "town": rng.choice(["x", "y"], 60), "income": rng.normal(size=60),
            "job": rng.choice(["p", "q", "r"], 60),
        }
    )


def numbers(columns, **options):
    return ColumnTransformer([("numbers", StandardScaler(), columns)], **options)


def column_transformers(estimator):
    return estimator.transformers


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        (["age", "debt", "income"], ["age", "income"]),
        ([0, 1, 3], [0, 2]),
        ([-2, 1, 0], [2, 0]),
        (np.array([0, 1, 3]), [0, 2]),
        (slice(0, 4), [0, 1, 2]),
        (slice("age", "debt"), ["age"]),
        (slice("debt", None), ["town", "income"]),
        (slice(None, None, 3), [0, 2]),
        ([True, True, False, True, False], [0, 2]),
        (np.array([False, True, True, True, False]), [1, 2]),
        (pd.Series([True, True, False, False, False]), [0]),
        (make_column_selector(dtype_include="number"), ["age", "income"]),
        (lambda X: [0, 1, 3], [0, 2]),
        (lambda X: X.columns[:4], ["age", "town", "income"]),
        (pd.Index(["income", "debt"]), ["income"]),
        ("age", "age"),
        (3, 2),
        ([], []),
    ],
)
def test_a_selector_means_the_same_columns_without_the_removed_ones(frame, columns, left):
    found = without_columns(numbers(columns), frame, REMOVED)
    assert column_transformers(found) == [("numbers", found.transformers[0][1], left)]


@pytest.mark.parametrize("columns", ["debt", ["debt"], 1, [-1], slice(1, 2), [4, 1]])
def test_an_emptied_transformer_is_dropped(frame, columns):
    before = ColumnTransformer(
        [("gone", "passthrough", columns), ("kept", StandardScaler(), ["age"])],
        transformer_weights={"gone": 2.0, "kept": 1.0},
    )
    found = without_columns(before, frame, REMOVED)
    assert [name for name, _, _ in found.transformers] == ["kept"]
    assert found.transformer_weights == {"kept": 1.0}
    assert len(before.transformers) == 2  # the user's is left as it was


def test_a_transformer_that_drops_the_column_itself_is_no_obstacle(frame):
    before = ColumnTransformer([("no", "drop", ["debt", "town", "job"])], remainder="passthrough")
    found = without_columns(before, frame, REMOVED)
    left = frame[LEFT]
    assert found.fit_transform(left).shape == (60, 2)


def test_nothing_left_to_select_is_said(frame):
    with pytest.raises(ValueError, match="selects no column any more"):
        without_columns(numbers(["debt"]), frame, REMOVED)
    kept = without_columns(numbers(["debt"], remainder="passthrough"), frame, REMOVED)
    assert kept.transformers == []


def models():
    mixed = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "debt"]),
            ("words", OneHotEncoder(handle_unknown="ignore"), [2, 4]),
        ],
        remainder=StandardScaler(),
    )
    plain = make_pipeline(mixed, LogisticRegression())
    inner = ColumnTransformer([("a", StandardScaler(), [1])], remainder="passthrough")
    nested = make_pipeline(
        ColumnTransformer([("n", make_pipeline(inner, StandardScaler()), ["debt", "age"])]),
        LogisticRegression(),
    )
    selected = make_column_selector(dtype_include="number")
    united = make_pipeline(
        FeatureUnion([("a", numbers(["age", "debt"])), ("b", numbers(selected))]),
        LogisticRegression(),
    )
    return {
        "a pipeline": plain,
        "nested transformers": nested,
        "a union": united,
        "a search": GridSearchCV(plain, {"logisticregression__C": [0.1, 1.0]}, cv=2),
        "calibration": CalibratedClassifierCV(plain, cv=2),
        "a vote": VotingClassifier([("a", plain), ("b", clone(plain))], voting="soft"),
        "a stack": StackingClassifier([("a", plain)], final_estimator=LogisticRegression(), cv=2),
    }


@pytest.mark.parametrize("name", models())
def test_the_removal_reaches_selectors_inside(frame, name):
    model = models()[name]
    y = np.arange(60) % 2
    model.fit(frame, y)
    found = without_columns(model, frame, REMOVED).fit(frame[LEFT], y)
    assert found.predict_proba(frame[LEFT]).shape == (60, 2)


def test_positions_are_followed_through_steps_that_keep_columns(frame):
    model = make_pipeline(
        SimpleImputer(strategy="most_frequent"), FunctionTransformer(), "passthrough",
        ColumnTransformer([("words", OneHotEncoder(), [2, 4]), ("number", "passthrough", [3])]),
    )
    transformers = without_columns(model, frame, REMOVED)[-1].transformers
    assert [columns for _, _, columns in transformers] == [[1], [2]]


def test_categorical_positions_behind_an_ordinal_encoder_are_followed(frame):
    model = make_pipeline(
        ColumnTransformer(
            [("words", OrdinalEncoder(), ["job", "town"])], remainder="passthrough"
        ),
        HistGradientBoostingClassifier(
            categorical_features=[0, 1], monotonic_cst=[0, 0, 1, -1, 0],
            interaction_cst=[{0, 2}, {1, 3}],
        ),
    )
    booster = without_columns(model, frame, REMOVED)[-1]
    # Behind the transformer: job, town, age, debt, income; job and debt go.
    assert booster.categorical_features == [0]
    assert booster.monotonic_cst.tolist() == [0, 1, 0]
    assert booster.interaction_cst == [[1], [0]]


@pytest.mark.parametrize(
    ("parameter", "value", "left"),
    [
        ("categorical_features", ["town", "job"], ["town"]),
        ("categorical_features", [False, False, True, False, True], [False, True, False]),
        ("categorical_features", "from_dtype", "from_dtype"),
        ("monotonic_cst", {"age": 1, "debt": -1}, {"age": 1}),
        ("interaction_cst", "pairwise", "pairwise"),
        ("interaction_cst", [[1], [4]], None),
    ],
)
def test_parameters_that_tell_columns_lose_the_removed_ones(frame, parameter, value, left):
    model = HistGradientBoostingClassifier(**{parameter: value})
    assert getattr(without_columns(model, frame, REMOVED), parameter) == left


@pytest.mark.parametrize(
    "last",
    [
        numbers([0, 1]), numbers(slice(0, 2)), numbers([True, False]), numbers(1),
        HistGradientBoostingClassifier(categorical_features=[0]),
        HistGradientBoostingClassifier(monotonic_cst=[1, 0]),
    ],
)
def test_positions_behind_a_step_with_columns_of_its_own_cannot_be_followed(frame, last):
    model = make_pipeline(PCA(2), last)
    with pytest.raises(ValueError, match=r"behind .*pca.*set_output"):
        without_columns(model, frame, REMOVED)


def test_names_behind_a_step_with_columns_of_its_own_are_followed(frame):
    first = ColumnTransformer(
        [("words", OneHotEncoder(sparse_output=False), ["town", "job"])], remainder="passthrough",
    ).set_output(transform="pandas")
    model = make_pipeline(first, numbers(["remainder__age", "remainder__debt"]))
    found = without_columns(model, frame, REMOVED)
    assert found[-1].transformers[0][2] == ["remainder__age"]
    assert found.fit_transform(frame[LEFT]).shape == (60, 1)
    emptied = make_pipeline(first, ColumnTransformer([("one", "passthrough", "remainder__debt")]))
    assert without_columns(emptied, frame, REMOVED)[-1].transformers == []
    by_callable = make_pipeline(first, numbers(make_column_selector("age")))
    assert callable(without_columns(by_callable, frame, REMOVED)[-1].transformers[0][2])


def test_an_estimator_that_reads_its_groups_from_a_column_keeps_reading_them(frame):
    class Reader(LogisticRegression):
        def __init__(self, sensitive_features=None):
            self.sensitive_features = sensitive_features

    for given, left in [("town", "town"), (2, 1), (-2, 2), (["town", 3], ["town", 2])]:
        reader = without_columns(Reader(sensitive_features=given), frame, REMOVED)
        assert reader.sensitive_features == left
    with pytest.raises(ValueError, match="drop_sensitive=False"):
        without_columns(Reader(sensitive_features="job"), frame, REMOVED)


def test_polars_frames_and_arrays_are_followed_alike(frame):
    model = numbers(["age", "debt"])
    assert without_columns(model, pl.from_pandas(frame), REMOVED).transformers[0][2] == ["age"]
    array = frame.to_numpy()
    assert without_columns(numbers([0, 1]), array, REMOVED).transformers[0][2] == [0]
    with pytest.raises(ValueError, match="X has no column names"):
        without_columns(model, array, REMOVED)


def test_without_a_removed_column_the_estimator_is_only_cloned(frame):
    model = numbers(lambda X: ["age"])
    found = without_columns(model, frame, [])
    assert found is not model
    assert callable(found.transformers[0][2])
