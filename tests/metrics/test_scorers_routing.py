"""Scorers that ask metadata routing for the groups, and hand them on to the model."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import RFECV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairrank.metrics import rgf_score
from fairrank.metrics._scorers import make_fairness_scorer, rgf_scorer

CV = StratifiedKFold(3)


def rate_difference(y_true, y_pred, *, sensitive_features, sample_weight=None):
    """Between two groups' rates of label 1."""
    in_b = np.asarray(sensitive_features) == "b"
    weight = np.ones(len(in_b)) if sample_weight is None else np.asarray(sample_weight)
    accepted = np.asarray(y_pred) == 1
    rates = [np.average(accepted[part], weights=weight[part]) for part in (in_b, ~in_b)]
    return abs(rates[0] - rates[1])


class GroupShift(ClassifierMixin, BaseEstimator):
    """A post-processor that cannot predict without the groups: lifts one of them."""

    __metadata_request__fit: ClassVar = {"sensitive_features": True}
    __metadata_request__predict_proba: ClassVar = {"sensitive_features": True}

    def __init__(self, lift=0.0):
        self.lift = lift

    def fit(self, X, y, *, sensitive_features):
        assert len(sensitive_features) == len(y)
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X, *, sensitive_features):
        odds = self.model_.decision_function(X)
        odds = odds + self.lift * (np.asarray(sensitive_features) == "b")
        score = 1 / (1 + np.exp(-odds))
        return np.column_stack([1 - score, score])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    groups = rng.choice(["a", "b"], 300, p=[0.6, 0.4])
    X = rng.normal(size=(300, 3))
    X[:, 1] += 3 * (groups == "a")
    y = (2 * X[:, 0] + 2 * (groups == "a") + rng.normal(size=300) > 1).astype(int)
    return X, y, groups


@pytest.fixture(autouse=True)
def routing():
    with config_context(enable_metadata_routing=True):
        yield


def fold_scores(model, X, y, groups, **options):
    """By hand, the RGF of every fold."""
    scores = []
    for train, test in CV.split(X, y):
        score = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        scores.append(rgf_score(y[test], score, sensitive_features=groups[test], **options))
    return scores


@pytest.mark.parametrize("container", [np.asarray, list], ids=["array", "list"])
def test_groups_passed_as_params_are_sliced_with_the_folds(data, container):
    X, y, groups = data
    model = make_pipeline(StandardScaler(), LogisticRegression())
    result = cross_validate(
        model, X, y, scoring={"auc": "roc_auc", "rgf": rgf_scorer}, cv=CV,
        params={"sensitive_features": container(groups)}, error_score="raise",
    )
    np.testing.assert_allclose(result["test_rgf"], fold_scores(model, X, y, groups))


def test_groups_may_be_frames_of_several_columns(data):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    X, y, groups = data
    columns = {"race": groups, "sex": np.where(X[:, 2] > 0, "f", "m")}
    scores = [
        cross_val_score(
            LogisticRegression(), X, y, scoring=rgf_scorer, cv=CV, error_score="raise",
            params={"sensitive_features": frame(columns)},
        )
        for frame in (pd.DataFrame, pl.DataFrame)
    ]
    np.testing.assert_array_equal(*scores)


def test_scikit_learns_make_scorer_takes_the_metric_too(data):
    X, y, groups = data
    theirs = make_scorer(rgf_score, response_method="predict_proba").set_score_request(
        sensitive_features=True
    )
    result = cross_validate(
        LogisticRegression(), X, y, scoring={"theirs": theirs, "ours": rgf_scorer}, cv=CV,
        params={"sensitive_features": groups}, error_score="raise",
    )
    np.testing.assert_array_equal(result["test_theirs"], result["test_ours"])


def test_another_metadata_name_is_asked_for(data):
    X, y, groups = data
    named = make_fairness_scorer("rgf", metadata_name="race")
    assert named.get_metadata_routing().score.requests["sensitive_features"] == "race"
    scores = cross_val_score(
        LogisticRegression(), X, y, scoring=named, cv=CV, params={"race": groups},
        error_score="raise",
    )
    np.testing.assert_allclose(scores, fold_scores(LogisticRegression(), X, y, groups))
    with pytest.raises(TypeError, match="sensitive_features"):
        cross_val_score(
            LogisticRegression(), X, y, scoring=named, params={"sensitive_features": groups}
        )


def test_a_column_requests_nothing_and_forgotten_groups_are_told(data):
    X, y, _ = data
    column = make_fairness_scorer("rgf", sensitive_features=0)
    assert column.get_metadata_routing().score.requests == {"sample_weight": None}
    with pytest.raises(ValueError, match="Either name the column of X"):
        cross_val_score(LogisticRegression(), X, y, scoring=rgf_scorer, error_score="raise")


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m)])
def test_a_model_that_needs_the_groups_is_scored_and_searched(data, wrap):
    X, y, groups = data
    model = wrap(GroupShift())
    prefix = "groupshift__" if hasattr(model, "steps") else ""
    scoring = {
        "auc": make_fairness_scorer(roc_auc_score),
        "gap": make_fairness_scorer(rate_of_score_difference),
    }
    search = GridSearchCV(
        model, {f"{prefix}lift": [-2.0, 0.0, 2.0, 5.0]}, scoring=scoring, refit="gap", cv=CV,
        error_score="raise",
    ).fit(X, y, sensitive_features=groups)
    assert search.best_params_ == {f"{prefix}lift": 2.0}
    gap = scoring["gap"](search.best_estimator_, X, y, sensitive_features=groups)
    assert search.score(X, y, sensitive_features=groups) == gap
    outer = cross_validate(
        search, X, y, params={"sensitive_features": groups}, cv=2, error_score="raise"
    )
    assert (outer["test_score"] < 0).all()


def rate_of_score_difference(y_true, y_score, *, sensitive_features):
    return rate_difference(y_true, y_score > 0.5, sensitive_features=sensitive_features)


def test_several_metrics_and_the_model_share_the_groups(data):
    X, y, groups = data
    both = make_fairness_scorer({"auc": roc_auc_score, "rgf": "rgf"})
    search = GridSearchCV(
        GroupShift(), {"lift": [0.0, 1.0]}, scoring=both, refit="auc", cv=CV, error_score="raise"
    ).fit(X, y, sensitive_features=groups)
    assert search.best_score_ == search.cv_results_["mean_test_auc"].max()
    assert search.score(X, y, sensitive_features=groups) == both(
        search.best_estimator_, X, y, sensitive_features=groups
    )["auc"]


def test_the_model_is_handed_only_the_metadata_of_its_own_name(data):
    X, y, groups = data
    swapped = np.where(groups == "a", "b", "a")
    model = GroupShift(lift=2.0).set_fit_request(sensitive_features="race")
    model.set_predict_proba_request(sensitive_features="race").fit(X, y, sensitive_features=groups)
    named = make_fairness_scorer("rgf", metadata_name="race")
    for given in (groups, swapped):
        score = model.predict_proba(X, sensitive_features=given)[:, 1]
        assert named(model, X, y, sensitive_features=given) == rgf_score(
            y, score, sensitive_features=given
        )
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument"):
        rgf_scorer(model, X, y, sensitive_features=groups)


def test_a_model_that_has_not_said_whether_it_wants_the_groups_is_told_to(data):
    X, y, groups = data
    model = GroupShift().set_predict_proba_request(sensitive_features=None)
    with pytest.raises(UnsetMetadataPassedError, match="set_predict_proba_request"):
        cross_val_score(
            model, X, y, scoring=rgf_scorer, params={"sensitive_features": groups},
            error_score="raise",
        )


def test_a_model_without_routing_is_simply_asked(data):
    X, y, groups = data

    class Unrouted(FrozenEstimator):
        def get_metadata_routing(self):
            raise NotImplementedError

    model = LogisticRegression().fit(X, y)
    assert rgf_scorer(Unrouted(model), X, y, sensitive_features=groups) == rgf_scorer(
        model, X, y, sensitive_features=groups
    )


def test_weights_are_requested_by_another_scorer(data):
    X, y, groups = data
    weight = np.arange(len(y)) % 2 + 1
    model = LogisticRegression().set_fit_request(sample_weight=True)
    params = {"sensitive_features": groups, "sample_weight": weight}

    def run(scorer):
        return cross_val_score(
            model, X, y, scoring=scorer, cv=CV, params=params, error_score="raise"
        )

    remedy = r"make_fairness_scorer\(rgf_score\).set_score_request"
    with pytest.raises(UnsetMetadataPassedError, match=remedy):
        run(rgf_scorer)
    by_hand = {False: [], True: []}
    for train, test in CV.split(X, y):
        model.fit(X[train], y[train], sample_weight=weight[train])
        score = model.predict_proba(X[test])[:, 1]
        for weighted in by_hand:
            by_hand[weighted].append(rgf_score(
                y[test], score, sensitive_features=groups[test],
                sample_weight=weight[test] if weighted else None,
            ))
    for weighted, expected in by_hand.items():
        asked = rgf_scorer.set_score_request(sample_weight=weighted)
        np.testing.assert_allclose(run(asked), expected)


def test_tuned_thresholds_and_feature_elimination_take_metadata(data):
    X, y, groups = data
    gap = make_fairness_scorer(rate_difference, response_method="predict")
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=gap, cv=CV, thresholds=np.array([0.2, 0.5, 0.99])
    ).fit(X, y, sensitive_features=groups)
    assert tuned.best_threshold_ == 0.99  # nobody is accepted: no gap
    column = make_fairness_scorer(rate_difference, response_method="predict", sensitive_features=0)
    with pytest.raises(AttributeError, match="cannot be taken apart"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=column).fit(X, y)
    kept = RFECV(LogisticRegression(), scoring=rgf_scorer, cv=CV, min_features_to_select=2)
    kept.fit(X, y, sensitive_features=groups)
    assert kept.n_features_ >= 2


def test_fairlearns_threshold_optimizer_is_scored_and_searched(data):
    postprocessing = pytest.importorskip("fairlearn.postprocessing")
    fairlearn_metrics = pytest.importorskip("fairlearn.metrics")
    X, y, groups = data
    model = postprocessing.ThresholdOptimizer(
        estimator=LogisticRegression(), predict_method="predict_proba", grid_size=20
    )
    model.set_fit_request(sensitive_features=True).set_predict_request(sensitive_features=True)
    both = make_fairness_scorer(
        {
            "accuracy": accuracy_score,
            "gap": fairlearn_metrics.demographic_parity_difference,
        },
        response_method="predict",
    )
    search = GridSearchCV(
        model, {"constraints": ["demographic_parity", "equalized_odds"]}, scoring=both,
        refit="gap", cv=CV, error_score="raise",
    ).fit(X, y, sensitive_features=groups)
    assert (search.cv_results_["mean_test_gap"] < 0).all()
    assert (search.cv_results_["mean_test_accuracy"] > 0.6).all()
