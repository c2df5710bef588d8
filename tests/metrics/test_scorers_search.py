"""Scorers that name a column, inside scikit-learn's cross-validation and searches."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairrank.exceptions import UndefinedMetricWarning
from fairrank.metrics import rgd_score, rgf_score
from fairrank.metrics._scorers import make_fairness_scorer

CV = StratifiedKFold(3)


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(0)
    minority = rng.random(360) < 0.4
    X = np.column_stack([rng.normal(size=360), rng.normal(size=360), minority])
    y = (2 * X[:, 0] + minority + rng.normal(size=360) > 0).astype(int)
    return X, y


@pytest.fixture(params=[False, True], ids=["routing_off", "routing_on"])
def routing(request):
    with config_context(enable_metadata_routing=request.param):
        yield request.param


def as_frame(X, kind):
    if kind == "numpy":
        return X
    columns = {"x": X[:, 0], "z": X[:, 1], "race": np.where(X[:, 2] == 1, "b", "a")}
    return pd.DataFrame(columns) if kind == "pandas" else pl.DataFrame(columns)


def blind_pipeline():
    """A pipeline that drops the column of the groups."""
    # By position, since scikit-learn 1.8 takes no column of a polars frame by name.
    return make_pipeline(
        make_column_transformer((StandardScaler(), [0, 1])), LogisticRegression()
    )


@pytest.mark.parametrize("kind", ["numpy", "pandas", "polars"])
def test_cross_validation_of_a_pipeline_scores_every_fold_as_by_hand(arrays, kind, routing):
    X, y = as_frame(arrays[0], kind), arrays[1]
    column = 2 if kind == "numpy" else "race"
    scoring = {"auc": "roc_auc", "rgf": make_fairness_scorer(rgf_score, sensitive_features=column)}
    result = cross_validate(
        blind_pipeline(), X, y, scoring=scoring, cv=CV, error_score="raise",
        return_indices=True, return_estimator=True,
    )
    for fold, model in enumerate(result["estimator"]):
        test = result["indices"]["test"][fold]
        part = X.iloc[test] if kind == "pandas" else X[test]
        expected = rgf_score(
            y[test], model.predict_proba(part)[:, 1], sensitive_features=arrays[0][test, 2]
        )
        assert result["test_rgf"][fold] == pytest.approx(expected, abs=1e-12)


def test_a_search_refits_on_the_fairest_and_nests(arrays, routing):
    X, y = as_frame(arrays[0], "pandas"), arrays[1]
    rgf = make_fairness_scorer(rgf_score, sensitive_features="race")
    search = GridSearchCV(
        blind_pipeline(), {"logisticregression__C": [0.1, 10.0]},
        scoring={"auc": "roc_auc", "rgf": rgf}, refit="rgf", cv=CV, error_score="raise",
    )
    fitted = clone(search).fit(X, y)
    means = fitted.cv_results_["mean_test_rgf"]
    assert fitted.best_score_ == means.max() > means.min()
    assert fitted.score(X, y) == rgf(fitted, X, y)
    nested = cross_val_score(search, X, y, scoring=rgf, cv=2, error_score="raise")
    assert nested.shape == (2,)
    assert np.isfinite(nested).all()


def test_a_search_minimises_a_distance(arrays, routing):
    X, y = arrays
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.02, 5.0]}, cv=CV, error_score="raise",
        scoring=make_fairness_scorer(rgd_score, sensitive_features=2),
    ).fit(X, y)
    means = search.cv_results_["mean_test_score"]
    assert (means < 0).all()
    distances = [
        -cross_val_score(
            LogisticRegression(C=C), X, y, cv=CV, error_score="raise",
            scoring=make_fairness_scorer("rgd", sensitive_features=2),
        ).mean()
        for C in (0.02, 5.0)
    ]
    assert search.best_params_["C"] == (0.02, 5.0)[int(np.argmin(distances))]


def test_a_scorer_of_several_metrics_is_a_whole_scoring(arrays, routing):
    X, y = as_frame(arrays[0], "polars"), arrays[1]
    both = make_fairness_scorer(
        {"auc": roc_auc_score, "rgf": "rgf", "rgd": "rgd"}, sensitive_features="race"
    )
    pipe = blind_pipeline()
    result = cross_validate(pipe, X, y, scoring=both, cv=CV, error_score="raise")
    auc = cross_val_score(pipe, X, y, scoring="roc_auc", cv=CV)
    np.testing.assert_allclose(result["test_auc"], auc)
    np.testing.assert_allclose(result["test_rgf"] - result["test_rgd"], 1.0)
    search = GridSearchCV(
        pipe, {"logisticregression__C": [0.1, 1.0]}, scoring=both, refit="rgf", cv=CV,
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_rgf"].max()
    assert search.score(X, y) == both(search, X, y)["rgf"]
    with pytest.raises(ValueError, match="scoring must return a number"):
        cross_validate(pipe, X, y, scoring={"both": both}, cv=CV, error_score="raise")


def test_string_labels_and_a_positive_label_in_cross_validation(arrays):
    X, y = as_frame(arrays[0], "pandas"), arrays[1]
    words = np.where(y == 1, "no", "yes")
    scorer = make_fairness_scorer("rgf", sensitive_features="race", pos_label="no")
    pipe = blind_pipeline()
    plain = make_fairness_scorer("rgf", sensitive_features="race")
    np.testing.assert_allclose(
        cross_val_score(pipe, X, words, scoring=scorer, cv=CV, error_score="raise"),
        cross_val_score(pipe, X, y, scoring=plain, cv=CV, error_score="raise"),
        atol=1e-6,
    )


def test_workers_and_callables_give_the_same_scores(arrays):
    X, y = arrays
    column = make_fairness_scorer("rgf", sensitive_features=2)
    last = make_fairness_scorer("rgf", sensitive_features=lambda X: X[:, -1])
    asked = make_fairness_scorer("rgf")
    with config_context(enable_metadata_routing=True):
        one_process = cross_val_score(LogisticRegression(), X, y, scoring=column, cv=CV)
        result = cross_validate(
            LogisticRegression(), X, y, scoring={"last": last, "asked": asked}, cv=CV, n_jobs=2,
            params={"sensitive_features": X[:, 2]}, error_score="raise",
        )
    np.testing.assert_array_equal(result["test_last"], one_process)
    np.testing.assert_array_equal(result["test_asked"], one_process)


def test_a_fold_without_a_group_gives_nan_and_a_warning(arrays):
    X, y = arrays
    order = np.argsort(X[:, 2], kind="stable")
    X, y = X[order], y[order]
    scorer = make_fairness_scorer("rgf", sensitive_features=2, undefined="nan")
    folds = [(np.arange(100, 360), np.arange(100)), (np.arange(0, 360, 2), np.arange(1, 360, 2))]
    with pytest.warns(UndefinedMetricWarning):
        scores = cross_val_score(
            LogisticRegression(), X, y, scoring=scorer, cv=folds, error_score="raise"
        )
    np.testing.assert_array_equal(np.isnan(scores), [True, False])


def test_a_search_weighted_at_fit_weighs_its_scores(arrays):
    X, y = arrays
    weight = 1.0 + 3.0 * X[:, 2]
    scorer = make_fairness_scorer("rgf", sensitive_features=2)
    test = np.arange(0, 360, 2)
    train = np.arange(1, 360, 2)
    search = GridSearchCV(
        LogisticRegression(), {"C": [1.0]}, scoring=scorer, cv=[(train, test)],
        error_score="raise",
    ).fit(X, y, sample_weight=weight)
    model = LogisticRegression().fit(X[train], y[train], sample_weight=weight[train])
    assert search.best_score_ == scorer(model, X[test], y[test], sample_weight=weight[test])


def test_the_other_tools_that_take_a_scoring_take_this_one(arrays):
    X, y = arrays
    scorer = make_fairness_scorer(rgf_score, sensitive_features=2)
    # The classes' fitting is not the matter here, nor how scikit-learn renames its defaults.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        path = LogisticRegressionCV(Cs=[0.1, 1.0], cv=CV, scoring=scorer).fit(X, y)
    assert np.isfinite(np.ravel(path.score(X, y)))
    _, _, scores = learning_curve(
        LogisticRegression(), X, y, scoring=scorer, cv=CV, train_sizes=[0.5, 1.0],
        error_score="raise",
    )
    assert np.isfinite(scores).all()
    model = LogisticRegression().fit(X, y)
    drop = permutation_importance(model, X, y, scoring=scorer, n_repeats=2, random_state=0)
    assert drop.importances.shape == (3, 2)
