"""An algorithm that is fitted already, behind scikit-learn's interface."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.decomposition import PCA
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.frontier import SupportFunction
from fairrank.frontier._decision_risks import decision_risks
from fairrank.frontier._frontier_classifier import FrontierClassifier
from fairrank.frontier._frontier_rule import frontier_rule

N_FEATURES = 20


class GroupwiseLogit:
    """P(G = g) (1 - 2 P(Y = 1 | X, G = g)), fitted group by group; pickles."""

    def fit(self, X, y, group):
        self.group_names_ = tuple(sorted(set(group)))
        self.n_features_ = np.shape(X)[1]
        self.models_ = [LogisticRegression().fit(X[group == g], y[group == g])
                        for g in self.group_names_]
        self.shares_ = [np.mean(group == g) for g in self.group_names_]
        return self

    def delta_theta(self, X):
        assert np.shape(X)[1] == self.n_features_
        X = np.asarray(X, dtype=float)
        columns = [share * (1 - 2 * model.predict_proba(X)[:, 1])
                   for share, model in zip(self.shares_, self.models_)]
        return np.column_stack(columns)


class Table:
    """Takes delta_theta for X itself."""

    def delta_theta(self, X):
        return np.asarray(X, dtype=float)


def fitted(direction="utilitarian", capacity=None, **keywords):
    data = make_frontier_data(600, random_state=0)
    nuisance = GroupwiseLogit().fit(data.data, data.target, data.sensitive_features)
    support = SupportFunction(
        data.target != 0, data.target != 1, nuisance.delta_theta(data.data),
        sensitive_features=data.sensitive_features,
    )
    rule = frontier_rule(support, direction, capacity=capacity)
    return FrontierClassifier(nuisance, rule, **keywords)


def tied(probability, **keywords):
    """A rule by which rows (-1, -1) are drawn, (-2, -2) treated and (1, 1) not."""
    delta = np.repeat([[-2.0, -2.0], [-1.0, -1.0], [1.0, 1.0]], [2, 4, 4], axis=0)
    support = SupportFunction(
        np.ones(10), np.zeros(10), delta, sensitive_features=np.arange(10) % 2
    )
    rule = frontier_rule(support, [-1, -1], capacity=0.2 + 0.4 * probability)
    return FrontierClassifier(Table(), rule, **keywords)


NEW = make_frontier_data(400, random_state=1)


def test_it_predicts_as_the_rule_decides():
    algorithm = fitted()
    chance = algorithm.rule.probability(algorithm.nuisance.delta_theta(NEW.data))
    assert_array_equal(algorithm.decision_probability(NEW.data), chance)
    assert_array_equal(algorithm.predict(NEW.data), chance)
    assert_array_equal(algorithm.decision_function(NEW.data) > 0, chance > 0)


@pytest.mark.parametrize("probability", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_the_decision_function_has_the_sign_of_the_prediction_at_ties_too(probability, pos_label):
    algorithm = tied(probability, classes=("no", "yes"), pos_label=pos_label)
    X = [[-2, -2], [-1, -1], [1, 1], [0, 0]]
    predicted = algorithm.predict(X)
    other = "yes" if pos_label == "no" else "no"
    assert predicted.tolist() == [pos_label, pos_label if probability >= 0.5 else other,
                                  other, other]
    assert_array_equal(predicted == algorithm.classes_[1], algorithm.decision_function(X) > 0)
    assert_allclose(algorithm.decision_probability(X), [1, probability, 0, 0])


def test_draws_have_the_rule_s_probability_and_a_seed():
    algorithm = tied(0.25)
    X = np.full((4000, 2), -1.0)
    drawn = algorithm.draw(X, random_state=0)
    assert drawn.mean() == pytest.approx(0.25, abs=0.03)
    assert_array_equal(drawn, algorithm.draw(X, random_state=0))
    with pytest.raises(ValueError, match="random_state is None"):
        algorithm.draw(X, random_state=None)


def test_it_is_fitted_a_classifier_and_its_own_clone():
    algorithm = fitted()
    check_is_fitted(algorithm)
    twin = clone(algorithm)
    assert twin is not algorithm
    assert twin.get_params(deep=False) == algorithm.get_params(deep=False)
    assert algorithm.fit(NEW.data, NEW.target) is algorithm
    assert is_classifier(algorithm)
    assert not hasattr(algorithm, "predict_proba")


def test_it_is_the_last_step_of_a_pipeline():
    data = make_frontier_data(600, random_state=0)
    rotation = PCA(random_state=0).fit(data.data)
    rotated = rotation.transform(data.data)
    nuisance = GroupwiseLogit().fit(rotated, data.target, data.sensitive_features)
    support = SupportFunction(
        data.target != 0, data.target != 1, nuisance.delta_theta(rotated),
        sensitive_features=data.sensitive_features,
    )
    algorithm = FrontierClassifier(nuisance, frontier_rule(support, "majority"))
    model = make_pipeline(rotation, algorithm)
    expected = algorithm.predict(rotation.transform(NEW.data))
    assert_array_equal(model.predict(NEW.data), expected)
    assert_array_equal(model.decision_function(NEW.data) > 0, expected)
    assert model.score(NEW.data, NEW.target) == np.mean(expected == NEW.target)
    assert model.fit(data.data, data.target)[-1] is algorithm


def test_metadata_routing_asks_nothing_of_it():
    data = make_frontier_data(300, random_state=0)
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(PCA(random_state=0), fitted())
        assert model.fit(data.data, data.target).predict(NEW.data).shape == (400,)


def test_scikit_learn_s_inspection_takes_it():
    found = permutation_importance(
        fitted(), NEW.data, NEW.target, n_repeats=2, random_state=0, scoring="roc_auc"
    )
    assert found.importances_mean.shape == (N_FEATURES,)


def test_it_survives_pickling():
    algorithm = fitted("egalitarian", capacity=0.4)
    again = pickle.loads(pickle.dumps(algorithm))
    assert_array_equal(again.decision_function(NEW.data), algorithm.decision_function(NEW.data))


@pytest.mark.parametrize("column", ["group", N_FEATURES, -1, ["group"]])
def test_a_named_group_is_dropped_and_read_at_evaluation(column):
    frame = pd.DataFrame(NEW.data).rename(columns=str).assign(group=NEW.sensitive_features)
    if not isinstance(column, (str, list)):
        frame = frame.to_numpy()
    algorithm = fitted(sensitive_features=column, n_features=N_FEATURES + 1)
    if hasattr(frame, "columns"):
        algorithm.set_params(feature_names=list(frame.columns))
    plain = fitted()
    seen = NEW.data if not hasattr(frame, "columns") else frame.drop(columns="group")
    assert_array_equal(algorithm.predict(frame), plain.predict(np.asarray(seen, dtype=float)))
    found = algorithm.evaluate(frame, NEW.target)
    expected = plain.evaluate(NEW.data, NEW.target, sensitive_features=NEW.sensitive_features)
    assert_allclose(found.risks, expected.risks)
    with pytest.raises(ValueError, match="sensitive_features= must not be passed to evaluate"):
        algorithm.evaluate(frame, NEW.target, sensitive_features=NEW.sensitive_features)


def test_other_columns_than_at_fit_are_refused():
    names = [f"x{j}" for j in range(N_FEATURES)]
    algorithm = fitted(n_features=N_FEATURES, feature_names=names)
    assert algorithm.n_features_in_ == N_FEATURES
    assert algorithm.feature_names_in_.tolist() == names
    frame = pd.DataFrame(NEW.data, columns=names)
    with pytest.raises(ValueError, match="feature names should match"):
        algorithm.predict(frame[names[::-1]])
    with pytest.raises(ValueError, match="expecting 20 features as input"):
        fitted(n_features=N_FEATURES).predict(NEW.data[:, :5])
    assert not hasattr(fitted(), "n_features_in_")
    assert not hasattr(fitted(), "feature_names_in_")


@pytest.mark.parametrize(
    ("loss", "of_0", "of_1"),
    [
        (None, NEW.target, 1 - NEW.target),
        ({"false_positive": 1.0, "false_negative": 3.0}, 3 * NEW.target, 1 - NEW.target),
        (lambda d, y: np.abs(2.0 * y - d), 2 * NEW.target, np.abs(2 * NEW.target - 1)),
    ],
)
def test_evaluation_gives_the_risks_of_the_decisions_under_the_loss(loss, of_0, of_1):
    algorithm = fitted()
    weight = np.random.default_rng(0).random(400)
    keywords = {"sensitive_features": NEW.sensitive_features, "sample_weight": weight,
                "clusters": np.arange(400) // 3, "confidence_level": 0.8}
    found = algorithm.evaluate(NEW.data, NEW.target, loss=loss, **keywords)
    expected = decision_risks(of_0, of_1, algorithm.predict(NEW.data), **keywords)
    for one in (found, algorithm.evaluate(NEW.data, loss_0=of_0, loss_1=of_1, **keywords)):
        assert one.to_dict() == expected.to_dict()


def test_without_a_loss_evaluation_takes_what_decisions_cost_in_every_row():
    algorithm = fitted(loss=None)
    keywords = {"sensitive_features": NEW.sensitive_features}
    with pytest.raises(ValueError, match=r"no loss is known .* pass loss, or .* loss_0"):
        algorithm.evaluate(NEW.data, NEW.target, **keywords)
    found = algorithm.evaluate(NEW.data, loss_0=NEW.target, loss_1=1 - NEW.target, **keywords)
    assert_allclose(found.risks, fitted().evaluate(NEW.data, NEW.target, **keywords).risks)


def test_evaluation_keeps_the_order_of_the_rule_s_groups():
    data = make_frontier_data(500, random_state=0)
    support = SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=("r", "b"),
    )
    algorithm = FrontierClassifier(data, frontier_rule(support, [-1, 0]))
    found = algorithm.evaluate(
        NEW.data, NEW.target, sensitive_features=NEW.sensitive_features
    )
    assert found.group_names == ("r", "b")
    assert found.risks[0] < found.risks[1]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"y": None}, ValueError, "y is None: pass outcomes, or .* loss_0 and loss_1"),
        ({"loss_0": np.zeros(400)}, ValueError, "loss_0 and loss_1 go together"),
        ({"loss": "hinge"}, ValueError, "loss='hinge' must be"),
        ({"y": NEW.target + 1}, ValueError, r"y holds 2, and the labels are \[0, 1\]"),
        ({"y": NEW.target[:10]}, ValueError, "differ in length"),
        ({"sensitive_features": None}, ValueError, "was given no sensitive_features"),
        ({"sensitive_features": np.full(400, "b")}, DegenerateGroupError,
         "group 'r' has no row"),
        ({"sensitive_features": np.full(400, "z")}, UnseenGroupError, "group 'z'"),
        ({"sensitive_features": NEW.sensitive_features[:10]}, ValueError, "differ in length"),
    ],
)
def test_bad_evaluations_are_named(changes, error, message):
    keywords = {"y": NEW.target, "sensitive_features": NEW.sensitive_features, **changes}
    with pytest.raises(error, match=message):
        fitted().evaluate(NEW.data, **keywords)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"classes": (0, 1, 2)}, ValueError, r"classes must be two labels, got \(0, 1, 2\)"),
        ({"classes": (1, 1)}, ValueError, "classes must be two labels"),
        ({"pos_label": 2}, ValueError, r"pos_label=2 is none of classes, \[0, 1\]"),
        ({"rule": None}, TypeError, "rule must be a FrontierRule, got None"),
    ],
)
def test_bad_parameters_are_named(changes, error, message):
    algorithm = tied(0.5).set_params(**changes)
    with pytest.raises(error, match=message):
        algorithm.predict([[1, 1]])


def test_groups_in_another_order_are_refused():
    algorithm = fitted()
    algorithm.nuisance.group_names_ = ("r", "b")
    with pytest.raises(ValueError, match=r"nuisance knows the groups \('r', 'b'\), and rule"):
        algorithm.predict(NEW.data)
