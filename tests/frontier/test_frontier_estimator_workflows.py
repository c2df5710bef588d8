"""Frontiers inside scikit-learn: searches, pipelines, stacks, routing, copies, other frames."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from fairrank.frontier import FrontierEstimator
from fairrank.metrics import make_fairness_scorer, xauc_disparity
from lending import COLUMNS, applicants, coded

pytestmark = [
    pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning"),
    pytest.mark.filterwarnings("ignore:out of fold:fairrank.exceptions.NuisanceWarning"),
]

SCORES = {"auc": "roc_auc", "accuracy": "accuracy", "balanced": "balanced_accuracy"}
XAUC = make_fairness_scorer(
    xauc_disparity, sensitive_features="race", response_method="decision_function"
)


@pytest.fixture(scope="module")
def table():
    return applicants()


def frontier(estimator=None, **options):
    chosen = {"sensitive_features": "race", "cv": 3, "random_state": 0}
    learner = LogisticRegression() if estimator is None else estimator
    return FrontierEstimator(learner, **{**chosen, **options})


def risk_gap(estimator, X, y):
    """A scorer of one's own: minus the difference of the groups' risks."""
    wrong = estimator.predict(X) != y
    return -abs(wrong[X["race"] == "a"].mean() - wrong[X["race"] == "b"].mean())


@pytest.mark.usefixtures("either")
def test_a_search_over_directions_and_nuisances_scores_accuracy_and_fairness(table):
    X, y = table
    search = GridSearchCV(
        frontier(),
        [{"direction": ["utilitarian", "egalitarian", "rawlsian"]},
         {"nuisance": ["direct"], "estimator__C": [0.1, 1.0]}],
        scoring={"gap": risk_gap, "xauc": XAUC, **SCORES}, refit="accuracy", cv=2,
        error_score="raise",
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_gap"]).all()
    assert search.predict(X).shape == (600,)
    inner = GridSearchCV(frontier(cv=2), {"capacity": [None, 0.3]}, cv=2, error_score="raise")
    nested = cross_val_score(inner, X, y, scoring=risk_gap, cv=2, error_score="raise")
    assert np.isfinite(nested).all()


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    "options",
    [
        {}, {"direction": "egalitarian"}, {"capacity": 0.3}, {"nuisance": "direct"},
        {"loss": {"false_positive": 3.0, "false_negative": 1.0}},
        {"sensitive_features": lambda X: X["race"],
         "estimator": make_pipeline(FunctionTransformer(lambda X: X[COLUMNS]),
                                    LogisticRegression())},
    ],
    ids=["plain", "egalitarian", "capacity", "direct", "costs", "callable"],
)
def test_it_is_cross_validated(table, options):
    X, y = table
    model = frontier(**options)
    found = cross_validate(
        model, X, y, scoring={**SCORES, "gap": risk_gap, "xauc": XAUC}, cv=3,
        error_score="raise",
    )
    assert found["test_auc"].mean() > 0.6
    for method in ("predict", "decision_function"):
        answer = cross_val_predict(model, X, y, cv=3, method=method)
        assert len(answer) == 600
        assert np.isfinite(answer).all()


@pytest.mark.usefixtures("either")
def test_it_ends_a_pipeline_whose_steps_keep_the_column(table):
    X, y = table
    scaled = make_pipeline(
        FunctionTransformer(coded), StandardScaler(), frontier(sensitive_features=-1)
    )
    named = make_pipeline(FunctionTransformer(lambda X: X.assign(spare=X["income"])), frontier())
    for pipeline in (scaled, named):
        search = GridSearchCV(
            pipeline, {"frontierestimator__direction": ["utilitarian", "majority"]}, cv=2,
            error_score="raise",
        ).fit(X, y)
        assert search.best_score_ > 0.6


@pytest.mark.usefixtures("either")
def test_it_is_part_of_other_estimators(table):
    X, y = table
    inner = LogisticRegression()
    plain = make_pipeline(FunctionTransformer(coded), LogisticRegression())
    calibrated = CalibratedClassifierCV(frontier(), cv=2).fit(X, y)
    stack = StackingClassifier(
        [("fair", frontier()), ("raw", plain)], final_estimator=inner, cv=2
    ).fit(X, y)
    vote = VotingClassifier([("fair", frontier()), ("raw", plain)]).fit(X, y)
    for fitted in (calibrated, stack, vote):
        assert fitted.score(X, y) > 0.6
        assert np.isfinite(cross_val_score(fitted, X, y, cv=2, error_score="raise")).all()


def test_bagging_turns_frames_into_arrays_and_needs_positions(table):
    X, y = table
    bag = BaggingClassifier(frontier(sensitive_features=3), n_estimators=2, random_state=0)
    assert bag.fit(coded(X).to_numpy(), y).score(coded(X).to_numpy(), y) > 0.6


def test_others_are_part_of_it(table):
    X, y = table
    for inner in (
        CalibratedClassifierCV(LogisticRegression(), cv=2),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ):
        assert frontier(inner).fit(X, y).score(X, y) > 0.6


@pytest.mark.usefixtures("routing")
def test_metadata_is_routed_to_fit_and_scorers_need_none(table):
    X, y = table
    model = frontier(
        LogisticRegression().set_fit_request(sample_weight=True), sensitive_features=None
    )
    params = {
        "sensitive_features": X["race"], "sample_weight": np.ones(600),
        "clusters": np.arange(600) // 2, "selected": np.arange(600) % 3 > 0,
    }
    scorer = sklearn.metrics.make_scorer(accuracy_score).set_score_request(sample_weight=False)
    found = cross_validate(
        model, X[COLUMNS], y, params=params, scoring=scorer, cv=3, error_score="raise"
    )
    assert found["test_score"].mean() > 0.6
    search = GridSearchCV(
        model, {"direction": ["utilitarian", "egalitarian"]}, scoring=scorer, cv=2,
        error_score="raise",
    ).fit(X[COLUMNS], y, **params)
    assert search.best_estimator_.group_names_ == ("a", "b")
    losses = {"loss_0": 2.0 * y, "loss_1": 1.0 - y, "sensitive_features": X["race"]}
    found = cross_validate(
        frontier(sensitive_features=None), X[COLUMNS], y, params=losses, scoring=scorer, cv=3,
        error_score="raise",
    )
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.usefixtures("routing")
def test_weights_need_a_word_of_the_learners(table):
    X, y = table
    weight = np.where(X["income"] > 0, 2.0, 1.0)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
        frontier().fit(X, y, sample_weight=weight)
    asked = frontier(LogisticRegression().set_fit_request(sample_weight=True)).fit(
        X, y, sample_weight=weight
    )
    refused = frontier(LogisticRegression().set_fit_request(sample_weight=False)).fit(
        X, y, sample_weight=weight
    )
    assert np.abs(asked.delta_theta_ - refused.delta_theta_).max() > 1e-3
    unnamed = FrontierEstimator(sensitive_features="race", random_state=0).fit(
        X, y, sample_weight=weight
    )
    with sklearn.config_context(enable_metadata_routing=False):
        without = FrontierEstimator(sensitive_features="race", random_state=0).fit(
            X, y, sample_weight=weight
        )
        same = frontier().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(unnamed.delta_theta_, without.delta_theta_)
    np.testing.assert_allclose(same.delta_theta_, asked.delta_theta_)


@pytest.mark.usefixtures("routing")
def test_a_named_column_asks_routing_for_no_groups_and_predicting_never_does():
    named = get_routing_for_object(frontier())
    asking = get_routing_for_object(frontier(sensitive_features=None))
    assert not named.consumes("fit", ["sensitive_features"])
    assert asking.consumes("fit", ["sensitive_features"])
    for method in ("predict", "decision_function", "predict_proba"):
        assert not asking.consumes(method, ["sensitive_features"])
    assert not asking.consumes("score", ["sensitive_features"])
    assert asking.consumes("fit", ["clusters", "selected", "loss_0"]) == {
        "clusters", "selected", "loss_0"
    }


def test_selective_labels_are_cross_validated_with_any_label_where_none_was_seen(table):
    X, y = table
    selected = (X["income"] > -1).to_numpy() | (np.arange(600) % 2 == 0)
    y = np.where(selected, y, 0)
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            frontier(), X, y, params={"selected": selected}, cv=KFold(3), error_score="raise"
        )
    assert np.isfinite(found["test_score"]).all()


def test_copies_decide_alike(table):
    X, y = table
    fitted = frontier(capacity=0.4, direction="egalitarian").fit(X, y)
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.decision_function(X), fitted.decision_function(X))
    np.testing.assert_array_equal(copied.frontier_, fitted.frontier_)
    again = clone(fitted).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    assert "FrontierEstimator" in fitted._repr_html_()
    fitted.set_params(capacity=None)
    np.testing.assert_array_equal(fitted.predict(X), copied.predict(X))


def test_its_algorithms_are_fitted_and_stay_so(table):
    X, y = table
    algorithm = frontier().fit(X, y).algorithm("egalitarian")
    scores = cross_val_score(algorithm, X, y, cv=3, error_score="raise")
    assert scores.mean() == pytest.approx(np.mean(algorithm.predict(X) == y))
    assert clone(algorithm).rule is algorithm.rule


def test_frames_of_polars_and_arrays_of_numpy_give_the_same(table):
    pl = pytest.importorskip("polars")
    X, y = table
    polars = pl.DataFrame({name: X[name].to_numpy() for name in COLUMNS}).with_columns(
        pl.Series("race", X["race"].tolist())
    )
    by_pandas = frontier().fit(X, y)
    by_polars = frontier().fit(polars, y)
    by_array = frontier(sensitive_features=None).fit(
        X[COLUMNS].to_numpy(), y, sensitive_features=X["race"].to_numpy()
    )
    np.testing.assert_allclose(by_polars.decision_function(polars), by_pandas.decision_function(X))
    np.testing.assert_allclose(
        by_array.decision_function(X[COLUMNS].to_numpy()), by_pandas.decision_function(X)
    )
    found = cross_validate(frontier(), polars, y, scoring=SCORES, cv=3, error_score="raise")
    assert np.isfinite(found["test_auc"]).all()


def test_sparse_columns_are_learnt_from(table):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    X, y = table
    X_sparse = scipy_sparse.csr_array(X[COLUMNS].to_numpy())
    for learner in (None, LogisticRegression()):
        dense, sparse = (
            FrontierEstimator(learner, random_state=0, cv=2).fit(
                rows, y, sensitive_features=X["race"]
            )
            for rows in (X[COLUMNS].to_numpy(), X_sparse)
        )
        np.testing.assert_allclose(
            sparse.decision_function(X_sparse), dense.decision_function(X[COLUMNS].to_numpy()),
            rtol=1e-5, atol=1e-8,
        )
