"""Post-processors inside scikit-learn: searches, pipelines, stacks, routing, frames."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from fairrank.metrics import make_fairness_scorer, xauc_disparity
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor
from post_processing import COLUMNS, model, ranking_table, xorder

XAUC = make_fairness_scorer(xauc_disparity, sensitive_features="race")
BOTH = {"auc": "roc_auc", "xauc": XAUC}


@pytest.fixture(scope="module")
def table():
    return ranking_table()


@pytest.mark.usefixtures("either")
def test_a_search_over_max_disparity_scores_auc_and_fairness_together():
    X, y = ranking_table(800, shift=1.5)
    search = GridSearchCV(
        xorder(), {"max_disparity": [0.02, 0.15, 1.0]}, scoring=BOTH, refit="xauc", cv=3,
        error_score="raise",
    ).fit(X, y)
    auc, gap = search.cv_results_["mean_test_auc"], -search.cv_results_["mean_test_xauc"]
    assert auc[0] < auc[2]
    assert gap[0] < gap[1] < gap[2]
    assert search.best_params_ == {"max_disparity": 0.02}
    assert search.predict(X).shape == (800,)
    assert XAUC(search, X, y) > -0.1
    nested = cross_val_score(search, X, y, scoring=XAUC, cv=2, error_score="raise")
    assert np.isfinite(nested).all()


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("kind", [XOrderPostProcessor, PostLogitPostProcessor])
def test_it_is_cross_validated(table, kind):
    X, y = table
    fair = kind(model(), sensitive_features="race", cv=3, random_state=0)
    found = cross_validate(fair, X, y, scoring=BOTH, cv=3, error_score="raise")
    raw = cross_validate(model(), X, y, scoring=BOTH, cv=3, error_score="raise")
    assert found["test_xauc"].mean() > raw["test_xauc"].mean()
    for method in ("predict", "predict_proba", "decision_function"):
        assert len(cross_val_predict(fair, X, y, cv=3, method=method)) == len(y)


@pytest.mark.usefixtures("either")
def test_it_ends_a_pipeline_whose_steps_keep_the_column(table):
    X, y = table
    coded = X.assign(race=(X["race"] == "b") * 1.0)
    keep = FunctionTransformer(lambda X: X.assign(gap=X["income"] - X["debt"]))
    by_name = make_pipeline(keep, xorder(LogisticRegression(), drop_sensitive=True))
    by_position = make_pipeline(
        StandardScaler(), xorder(LogisticRegression(), sensitive_features=-1)
    )
    for pipeline in (by_name, by_position):
        search = GridSearchCV(
            pipeline, {"xorderpostprocessor__max_disparity": [0.05, None]}, scoring="roc_auc",
            cv=2, error_score="raise",
        ).fit(coded, y)
        assert search.best_score_ > 0.7
    assert by_name.fit(coded, y)[:-1].transform(coded).columns[-1] == "gap"


@pytest.mark.usefixtures("either")
def test_it_is_part_of_other_estimators(table):
    X, y = table
    fair = xorder()
    calibrated = CalibratedClassifierCV(fair, cv=2).fit(X, y)
    stack = StackingClassifier(
        [("fair", fair), ("raw", model())], final_estimator=LogisticRegression(), cv=2
    ).fit(X, y)
    vote = VotingClassifier([("fair", fair), ("raw", model())], voting="soft").fit(X, y)
    for fitted in (calibrated, stack, vote):
        assert roc_auc_score(y, fitted.predict_proba(X)[:, 1]) > 0.75
        assert np.isfinite(cross_val_score(fitted, X, y, cv=2, scoring=XAUC)).all()


def test_bagging_turns_frames_into_arrays_and_needs_a_position(table):
    X, y = table
    coded = X.assign(race=(X["race"] == "b") * 1.0)
    fair = xorder(LogisticRegression(), sensitive_features=3, drop_sensitive=True)
    bag = BaggingClassifier(fair, n_estimators=2, random_state=0).fit(coded.to_numpy(), y)
    assert bag.score(coded.to_numpy(), y) > 0.6


@pytest.mark.usefixtures("either")
def test_its_fair_score_is_a_feature_of_what_comes_after(table):
    X, y = table
    union = make_union(xorder(), make_pipeline(FunctionTransformer(lambda X: X[COLUMNS])))
    pipeline = make_pipeline(union, LogisticRegression()).fit(X, y)
    assert pipeline[-1].n_features_in_ == 4
    assert pipeline.predict(X).shape == (400,)


def test_it_is_nested_in_itself(table):
    X, y = table
    doubly = xorder(xorder(disparity="urf"), cv=2).fit(X, y)
    assert doubly.disparity_after_ < 0.01


@pytest.mark.parametrize("kind", ["pandas", "polars", "numpy"])
def test_every_kind_of_table_gives_the_same_fair_scores(table, kind):
    X, y = table
    coded = X.assign(race=(X["race"] == "b") * 1.0)
    fair = xorder(LogisticRegression(), drop_sensitive=True)
    expected = clone(fair).fit(coded, y).transform(coded)
    if kind == "numpy":
        given, fair = coded.to_numpy(), fair.set_params(sensitive_features=-1)
    elif kind == "polars":
        given = pytest.importorskip("polars").from_pandas(coded)
    else:
        given = coded
    fair.fit(given, y)
    np.testing.assert_allclose(fair.transform(given), expected, rtol=1e-9)
    if kind != "numpy":
        scores = cross_validate(fair, given, y, scoring=BOTH, cv=3, error_score="raise")
        assert scores["test_auc"].mean() > 0.75
        frame = fair.set_output(transform=kind).transform(given)
        assert list(frame.columns) == ["fair_score"]


@pytest.mark.parametrize("kind", ["csr_array", "coo_array", "list", "object", "pyarrow"])
def test_sparse_lists_objects_and_arrow_tables_are_read_by_position(table, kind):
    X, y = table
    coded = X.assign(race=(X["race"] == "b") * 1.0)
    fair = xorder(LogisticRegression(), sensitive_features=-1, drop_sensitive=True)
    expected = clone(fair).fit(coded.to_numpy(), y).transform(coded.to_numpy())
    if kind == "pyarrow":
        given = pytest.importorskip("pyarrow").Table.from_pandas(coded)
    elif kind in ("list", "object"):
        given = coded.to_numpy(dtype=object)
        given = given.tolist() if kind == "list" else given
    else:
        given = getattr(scipy.sparse, kind)(coded.to_numpy())
    np.testing.assert_allclose(fair.fit(given, y).transform(given), expected, rtol=1e-6)


def test_a_string_column_of_a_polars_frame_holds_the_groups(table):
    pl = pytest.importorskip("polars")
    X, y = table
    named = pl.DataFrame({name: X[name].to_numpy() for name in COLUMNS}).with_columns(
        pl.Series("race", X["race"].tolist())
    )
    fair = xorder(LogisticRegression(), drop_sensitive=True).fit(named, y)
    assert fair.groups_ == ("a", "b")
    found = cross_validate(fair, named, y, scoring=BOTH, cv=3, error_score="raise")
    assert np.isfinite(found["test_xauc"]).all()


@pytest.mark.usefixtures("routing")
def test_metadata_is_routed_to_fit_and_predict_by_scorers_that_forward_it(table):
    X, y = table
    numbers = X[COLUMNS]
    fair = xorder(
        LogisticRegression().set_fit_request(sample_weight=True), sensitive_features=None
    )
    scorers = {
        "auc": make_fairness_scorer(roc_auc_score).set_score_request(sample_weight=False),
        "xauc": make_fairness_scorer(xauc_disparity).set_score_request(sample_weight=False),
    }
    params = {"sensitive_features": X["race"], "sample_weight": np.ones(len(y))}
    found = cross_validate(
        fair, numbers, y, params=params, scoring=scorers, cv=3, error_score="raise"
    )
    by_column = cross_validate(
        xorder(LogisticRegression(), drop_sensitive=True), X, y, scoring=BOTH, cv=3,
        error_score="raise",
    )
    np.testing.assert_allclose(found["test_xauc"], by_column["test_xauc"], atol=1e-9)
    np.testing.assert_allclose(found["test_auc"], by_column["test_auc"], atol=1e-9)
    search = GridSearchCV(
        fair, {"max_disparity": [0.05, 1.0]}, scoring=scorers, refit="xauc", cv=2,
        error_score="raise",
    ).fit(numbers, y, **params)
    assert search.best_params_ == {"max_disparity": 0.05}


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_the_order_and_need_a_word_of_the_estimator(table):
    X, y = table
    weight = np.where(X["noise"] > 0, 2, 1)
    asked = make_pipeline(
        FunctionTransformer(lambda X: X[COLUMNS]),
        LogisticRegression().set_fit_request(sample_weight=True),
    )
    fitted = xorder(asked).fit(X, y, sample_weight=weight)
    assert (fitted._rows.weight == weight).all()
    assert (fitted.transform(X) != xorder(asked).fit(X, y).transform(X)).any()
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
        xorder(model()).fit(X, y, sample_weight=weight)
    refused = LogisticRegression().set_fit_request(sample_weight=False)
    refused = make_pipeline(FunctionTransformer(lambda X: X[COLUMNS]), refused)
    assert (xorder(refused).fit(X, y, sample_weight=weight)._rows.weight == weight).all()


@pytest.mark.usefixtures("routing")
def test_a_named_column_asks_routing_for_no_groups(table):
    routing = xorder().get_metadata_routing()
    for method in ("fit", "predict", "predict_proba", "decision_function", "transform", "score"):
        assert not routing.consumes(method, ["sensitive_features"])
        asking = xorder(sensitive_features=None).get_metadata_routing()
        assert asking.consumes(method, ["sensitive_features"])
    X, y = table
    with pytest.raises(TypeError, match="sensitive_features"):
        xorder().fit(X, y, sensitive_features=X["race"])


def test_the_page_in_a_notebook_shows_it(table):
    html = xorder()._repr_html_()
    assert "XOrderPostProcessor" in html


def test_stratified_folds_of_outcome_and_group_hold_every_group_out():
    X, y = ranking_table(300)
    cells = pd.factorize(X["race"] + y.astype(str))[0]
    splits = list(StratifiedKFold(3).split(X, cells))
    found = cross_validate(xorder(), X, y, scoring=BOTH, cv=splits, error_score="raise")
    assert np.isfinite(found["test_xauc"]).all()
