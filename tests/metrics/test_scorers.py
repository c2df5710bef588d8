"""What a fairness scorer is and computes, without cross-validation."""


import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    roc_auc_score,
)

from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.metrics import aurgf_score, rgd_score, rgf_score
from fairrank.metrics._scorers import (
    aurgf_scorer,
    centered_rgf_scorer,
    make_fairness_scorer,
    rgf_scorer,
)


def mean_gap_difference(y_true, y_score, *, sensitive_features, sample_weight=None):
    """Between the extreme groups' mean scores: the name tells the direction."""
    groups = np.asarray(sensitive_features)
    weight = np.ones(len(groups)) if sample_weight is None else np.asarray(sample_weight)
    means = [
        np.average(np.asarray(y_score)[groups == g], weights=weight[groups == g])
        for g in np.unique(groups)
    ]
    return max(means) - min(means)


def label_gap_difference(y_true, y_pred, *, sensitive_features):
    """Of the rates of label 1, as fairlearn's metrics take it."""
    accepted = np.asarray(y_pred) == 1
    return mean_gap_difference(y_true, accepted, sensitive_features=sensitive_features)


def positive_of(y_true, y_pred, *, pos_label=None):
    """Tells what it was passed."""
    return 1.0 if pos_label == "no" else 0.0


def undirected(y_true, y_pred, *, sensitive_features):
    return 0.5


def race_of(X):
    return X["race"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    race = rng.choice(["a", "b"], 300)
    X = pd.DataFrame({"x": rng.normal(size=300), "z": rng.normal(size=300)})
    y = (X["x"] + (race == "a") + rng.normal(size=300) > 0).astype(int).to_numpy()
    return X.assign(race=race), y


class OnColumns(ClassifierMixin, BaseEstimator):
    """Logistic regression on x and z, counting its predictions."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X[["x", "z"]], y)
        self.classes_, self.n_calls_ = self.model_.classes_, 0
        return self

    def predict_proba(self, X):
        self.n_calls_ += 1
        return self.model_.predict_proba(X[["x", "z"]])

    def decision_function(self, X):
        return self.model_.decision_function(X[["x", "z"]])

    def predict(self, X):
        return self.model_.predict(X[["x", "z"]])


@pytest.mark.parametrize("column", ["race", -1, 2, ["race"], ("race",), race_of])
def test_a_column_of_x_is_read_and_gives_the_metric_itself(data, column):
    X, y = data
    model = OnColumns().fit(X, y)
    expected = rgf_score(y, model.predict_proba(X)[:, 1], sensitive_features=X["race"])
    assert make_fairness_scorer(rgf_score, sensitive_features=column)(model, X, y) == expected


def test_several_columns_are_intersections(data):
    X, y = data
    X = X.assign(sex=np.where(X["z"] > 0, "f", "m"))
    model = OnColumns().fit(X, y)
    scorer = make_fairness_scorer("rgf", sensitive_features=["race", "sex"])
    expected = rgf_score(
        y, model.predict_proba(X)[:, 1], sensitive_features=X[["race", "sex"]]
    )
    assert scorer(model, X, y) == expected


def test_groups_passed_by_hand_need_no_routing(data):
    X, y = data
    model = OnColumns().fit(X, y)
    score = model.predict_proba(X)[:, 1]
    assert rgf_scorer(model, X, y, sensitive_features=X["race"]) == rgf_score(
        y, score, sensitive_features=X["race"]
    )
    assert centered_rgf_scorer(model, X, y, sensitive_features=X["race"]) == rgf_score(
        y, score, sensitive_features=X["race"], centered=True
    )
    assert aurgf_scorer(model, X, y, sensitive_features=X["race"]) == aurgf_score(
        y, score, sensitive_features=X["race"]
    )


def test_string_labels_are_scored_for_the_positive_label(data):
    X, y = data
    words = np.where(y == 1, "yes", "no")
    model = OnColumns().fit(X, words)
    for pos_label, column in [("no", 0), ("yes", 1)]:
        scorer = make_fairness_scorer("rgf", sensitive_features="race", pos_label=pos_label)
        assert scorer(model, X, words) == rgf_score(
            words, model.predict_proba(X)[:, column],
            sensitive_features=X["race"], pos_label=pos_label,
        )
    unsaid = make_fairness_scorer("rgf", sensitive_features="race")
    assert unsaid(model, X, words) == scorer(model, X, words)


def test_decision_values_turn_round_for_the_lesser_class(data):
    X, y = data
    model = OnColumns().fit(X, y)
    seen = {}

    def extremes_score(y_true, y_score, *, pos_label):
        seen[pos_label] = np.asarray(y_score)
        return 0.0

    for pos_label in (0, 1):
        make_fairness_scorer(
            extremes_score, response_method="decision_function", pos_label=pos_label
        )(model, X, y)
    np.testing.assert_array_equal(seen[0], -seen[1])
    np.testing.assert_array_equal(seen[1], model.decision_function(X))
    assert make_fairness_scorer(
        mean_gap_difference, sensitive_features="race",
        response_method=["decision_function", "predict"],
    )(model, X, y) == -mean_gap_difference(
        y, model.decision_function(X), sensitive_features=X["race"]
    )


def test_metrics_without_pos_label_get_coded_labels_only_when_it_is_given(data):
    X, y = data
    words = np.where(y == 1, "yes", "no")
    model = OnColumns().fit(X, words)
    coded = make_fairness_scorer(
        label_gap_difference, sensitive_features="race", response_method="predict",
        pos_label="yes",
    )
    accepted = (model.predict(X) == "yes").astype(float)
    gap = mean_gap_difference(None, accepted, sensitive_features=X["race"])
    assert gap > 0.05
    assert coded(model, X, words) == -gap
    reversed_auc = make_fairness_scorer(roc_auc_score, pos_label="no")
    assert reversed_auc(model, X, words) == pytest.approx(
        roc_auc_score(words, model.predict_proba(X)[:, 1])
    )
    assert make_fairness_scorer(accuracy_score, response_method="predict")(
        model, X, words
    ) == accuracy_score(words, model.predict(X))


def test_the_positive_label_is_passed_to_metrics_that_take_it(data):
    X, y = data
    words = np.where(y == 1, "yes", "no")
    model = OnColumns().fit(X, words)
    told = make_fairness_scorer(positive_of, greater_is_better=True, pos_label="no")
    assert told(model, X, words) == 1.0
    f1 = make_fairness_scorer(f1_score, response_method="predict")
    assert f1(model, X, words) == f1_score(words, model.predict(X), pos_label="yes")


def test_a_regression_is_scored_on_its_prediction(data):
    X, _ = data
    target = X["x"] + 1.0
    model = LinearRegression().fit(X[["z"]], target)
    scorer = make_fairness_scorer(mean_gap_difference, response_method="predict")
    value = scorer(model, X[["z"]], target, sensitive_features=X["race"])
    assert value == -mean_gap_difference(
        target, model.predict(X[["z"]]), sensitive_features=X["race"]
    )


def test_several_metrics_cost_one_prediction(data):
    X, y = data
    model = OnColumns().fit(X, y)
    scorer = make_fairness_scorer(
        {"auc": roc_auc_score, "rgf": "rgf", "gap": mean_gap_difference, "rgd": rgd_score},
        sensitive_features="race", burden="squared",
    )
    scores = scorer(model, X, y)
    assert model.n_calls_ == 1
    score, race = model.predict_proba(X)[:, 1], X["race"]
    assert scores == {
        "auc": roc_auc_score(y, score),
        "rgf": rgf_score(y, score, sensitive_features=race, burden="squared"),
        "gap": -mean_gap_difference(y, score, sensitive_features=race),
        "rgd": -rgd_score(y, score, sensitive_features=race, burden="squared"),
    }
    assert all(type(value) is float for value in scores.values())


def test_weights_reach_the_metrics_that_take_them(data):
    X, y = data
    model = OnColumns().fit(X, y)
    weight = np.arange(len(y)) % 3 + 1.0
    scorer = make_fairness_scorer(mean_gap_difference, sensitive_features="race")
    expected = mean_gap_difference(
        y, model.predict_proba(X)[:, 1], sensitive_features=X["race"], sample_weight=weight
    )
    assert scorer(model, X, y, sample_weight=weight) == -expected != scorer(model, X, y)
    deaf = make_fairness_scorer(undirected, sensitive_features="race", greater_is_better=True)
    assert not deaf._accept_sample_weight()
    with pytest.raises(TypeError, match="takes no sample_weight"):
        deaf(model, X, y, sample_weight=weight)


def test_a_fold_without_a_group_is_an_error_or_nan_with_a_warning(data):
    X, y = data
    model = OnColumns().fit(X, y)
    only_a = (X["race"] == "a").to_numpy()
    with pytest.raises(DegenerateGroupError):
        make_fairness_scorer("rgf", sensitive_features="race")(model, X[only_a], y[only_a])
    lenient = make_fairness_scorer("rgf", sensitive_features="race", undefined="nan")
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(lenient(model, X[only_a], y[only_a]))


def test_a_missing_group_is_answered_with_both_remedies(data):
    X, y = data
    model = OnColumns().fit(X, y)
    with pytest.raises(ValueError, match=r"(?s)sensitive_features=\"race\".*params=\{\"sens") as e:
        rgf_scorer(model, X, y)
    assert "enable_metadata_routing=True" in str(e.value)
    named = make_fairness_scorer("rgf", metadata_name="origin")
    with pytest.raises(ValueError, match=r"params=\{\"origin\": g\}"):
        named(model, X, y)


def test_wrong_calls_are_refused(data):
    X, y = data
    model = OnColumns().fit(X, y)
    scorer = make_fairness_scorer("rgf", sensitive_features="race")
    with pytest.raises(ValueError, match="leave out one of the two"):
        scorer(model, X, y, sensitive_features=X["race"])
    plain = LogisticRegression().fit(X[["x", "z"]].to_numpy(), y)
    with pytest.raises(ValueError, match="without column names"):
        scorer(plain, X[["x", "z"]].to_numpy(), y)
    with pytest.raises(ValueError, match="pos_label='yes' is not a class of OnColumns"):
        make_fairness_scorer("rgf", sensitive_features="race", pos_label="yes")(model, X, y)
    with pytest.raises(AttributeError, match="LinearRegression has no predict_proba"):
        rgf_scorer(LinearRegression().fit(X[["x"]], y), X[["x"]], y, sensitive_features=X["race"])
    one_class = OnColumns().fit(X, y)
    one_class.classes_ = np.array([1])
    with pytest.raises(ValueError, match="fitted on one class, 1: it has no score"):
        scorer(one_class, X, y)
