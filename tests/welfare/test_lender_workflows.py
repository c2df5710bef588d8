"""Lenders inside scikit-learn: searches, pipelines, stacks, routing, copies."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from fairrank.metrics import make_fairness_scorer, xauc_disparity
from lending import COLUMNS, applicants, coded, lender, model

XAUC = make_fairness_scorer(xauc_disparity, sensitive_features="race")
SCORES = {"auc": "roc_auc", "loss": "neg_log_loss", "accuracy": "accuracy"}


@pytest.fixture(scope="module")
def table():
    return applicants()


def revenue(estimator, X, y):
    """A scorer of one's own: revenue per person that came of it."""
    accepted = estimator.predict(X) == 1
    return float(np.mean(accepted * np.where(y == 1, 1.0, -2.0)))


def accepted_gap(estimator, X, y):
    """Minus the difference of acceptance."""
    accepted = estimator.predict(X) == 1
    return -abs(accepted[X["race"] == "a"].mean() - accepted[X["race"] == "b"].mean())


@pytest.mark.usefixtures("either")
def test_a_search_over_the_tolerance_scores_revenue_and_equality_together():
    X, y = applicants(1200, shift=1.2)
    search = GridSearchCV(
        lender(loss=2.0), {"tolerance": [0.0, 0.06, 1.0]},
        scoring={"revenue": revenue, "gap": accepted_gap, **SCORES}, refit="gap", cv=3,
        error_score="raise",
    ).fit(X, y)
    gap, earned = -search.cv_results_["mean_test_gap"], search.cv_results_["mean_test_revenue"]
    assert gap[0] < gap[1] < gap[2]
    assert earned[0] < earned[2]
    assert search.best_params_ == {"tolerance": 0.0}
    assert search.predict(X).shape == (1200,)
    # Chances do not depend on the policy.
    assert np.ptp(search.cv_results_["mean_test_loss"]) == 0.0
    nested = cross_val_score(search, X, y, scoring=revenue, cv=2, error_score="raise")
    assert np.isfinite(nested).all()


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    "options",
    [
        {"loss": "amount", "utility": "heterogeneous_opportunity", "amount": "amount"},
        {"recalibrate": "logistic", "capacity": 0.3},
        {"utility": lambda X, group: np.column_stack([-X["amount"], X["amount"]])},
    ],
)
def test_it_is_cross_validated(table, options):
    X, y = table
    bank = lender(**options)
    found = cross_validate(
        bank, X, y, scoring={**SCORES, "xauc": XAUC, "revenue": revenue}, cv=3,
        error_score="raise",
    )
    raw = cross_validate(model(), X, y, scoring=SCORES, cv=3, error_score="raise")
    np.testing.assert_allclose(found["test_loss"], raw["test_loss"], rtol=0.2)
    for method in ("predict", "predict_proba", "decision_function"):
        answer = cross_val_predict(bank, X, y, cv=3, method=method)
        assert len(answer) == len(y)
        assert np.isfinite(answer).all()


@pytest.mark.usefixtures("either")
def test_it_ends_a_pipeline_whose_steps_keep_the_columns(table):
    X, y = table
    keep = FunctionTransformer(lambda X: coded(X).assign(spare=X["income"] - X["debt"]))
    by_name = make_pipeline(keep, lender(LogisticRegression(), loss="amount"))
    by_position = make_pipeline(
        FunctionTransformer(coded), StandardScaler(),
        lender(LogisticRegression(), sensitive_features=-1),
    )
    for pipeline in (by_name, by_position):
        search = GridSearchCV(
            pipeline, {"welfareequalizingclassifier__utility": [
                "demographic_parity", "equal_opportunity"
            ]}, scoring="accuracy", cv=2, error_score="raise",
        ).fit(X, y)
        assert search.best_score_ > 0.6


@pytest.mark.usefixtures("either")
def test_it_is_part_of_other_estimators(table):
    X, y = table
    bank = lender()
    calibrated = CalibratedClassifierCV(bank, cv=2).fit(X, y)
    stack = StackingClassifier(
        [("fair", bank), ("raw", model())], final_estimator=LogisticRegression(), cv=2
    ).fit(X, y)
    vote = VotingClassifier([("fair", bank), ("raw", model())], voting="soft").fit(X, y)
    for fitted in (calibrated, stack, vote):
        assert roc_auc_score(y, fitted.predict_proba(X)[:, 1]) > 0.7
        assert np.isfinite(cross_val_score(fitted, X, y, cv=2, scoring="roc_auc")).all()


def test_others_are_part_of_it(table):
    X, y = table
    X = coded(X)
    for inner in (
        CalibratedClassifierCV(LogisticRegression(), cv=2),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        BaggingClassifier(LogisticRegression(), n_estimators=2, random_state=0),
        HistGradientBoostingClassifier(max_iter=30, random_state=0),
        lender(LogisticRegression(), tolerance=0.2),
    ):
        assert lender(inner).fit(X, y).policy_.welfare_gap < 1e-9


def test_bagging_turns_frames_into_arrays_and_needs_positions(table):
    X, y = table
    bank = lender(LogisticRegression(), sensitive_features=3, loss=[2])
    bag = BaggingClassifier(bank, n_estimators=2, random_state=0).fit(coded(X).to_numpy(), y)
    assert bag.score(coded(X).to_numpy(), y) > 0.6


@pytest.mark.usefixtures("routing")
def test_metadata_is_routed_to_fit_and_predict_by_scorers_that_forward_it(table):
    X, y = table
    bank = lender(
        LogisticRegression().set_fit_request(sample_weight=True), sensitive_features=None
    )
    scorers = {
        "auc": make_fairness_scorer(roc_auc_score).set_score_request(sample_weight=False),
        "xauc": make_fairness_scorer(xauc_disparity).set_score_request(sample_weight=False),
    }
    params = {"sensitive_features": X["race"], "sample_weight": np.ones(len(y))}
    found = cross_validate(
        bank, X[COLUMNS], y, params=params, scoring=scorers, cv=3, error_score="raise"
    )
    assert found["test_auc"].mean() > 0.7
    search = GridSearchCV(
        bank, {"tolerance": [0.0, 1.0]}, scoring=scorers, refit="auc", cv=2, error_score="raise"
    ).fit(X[COLUMNS], y, **params)
    assert search.best_estimator_.groups_ == ("a", "b")


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_and_need_a_word_of_the_estimator(table):
    X, y = table
    weight = np.where(X["income"] > 0, 2, 1)
    asked = make_pipeline(
        FunctionTransformer(coded), LogisticRegression().set_fit_request(sample_weight=True)
    )
    weighted = lender(asked).fit(X, y, sample_weight=weight)
    assert weighted.policy_.share[0] == pytest.approx(
        weight[X["race"] == "a"].sum() / weight.sum()
    )
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
        lender(model()).fit(X, y, sample_weight=weight)


@pytest.mark.usefixtures("routing")
def test_a_named_column_asks_routing_for_no_groups():
    routing = lender().get_metadata_routing()
    for method in ("fit", "predict", "predict_proba", "decision_function", "score"):
        assert not routing.consumes(method, ["sensitive_features"])
        asking = lender(sensitive_features=None).get_metadata_routing()
        assert asking.consumes(method, ["sensitive_features"])


def test_copies_decide_alike(table):
    X, y = table
    bank = lender(loss="amount", recalibrate="isotonic", capacity=0.4).fit(X, y)
    copied = pickle.loads(pickle.dumps(bank))
    np.testing.assert_array_equal(copied.decision_function(X), bank.decision_function(X))
    again = clone(bank).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), bank.decision_function(X))
    assert "WelfareEqualizingClassifier" in bank._repr_html_()
    fitted = bank.set_params(loss=7.0)
    np.testing.assert_array_equal(fitted.decision_function(X), copied.decision_function(X))


def test_a_polars_frame_with_a_string_column_is_cross_validated(table):
    pl = pytest.importorskip("polars")
    X, y = table
    named = pl.DataFrame({name: X[name].to_numpy() for name in COLUMNS}).with_columns(
        pl.Series("race", X["race"].tolist())
    )
    bank = lender(
        LogisticRegression(), drop_sensitive=True, recalibrate="logistic", loss="amount"
    ).fit(named, y)
    assert bank.groups_ == ("a", "b")
    found = cross_validate(bank, named, y, scoring=SCORES, cv=3, error_score="raise")
    assert np.isfinite(found["test_auc"]).all()
