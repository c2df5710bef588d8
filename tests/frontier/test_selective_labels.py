"""Outcomes seen for some: pseudo-losses have the right means, and selected rows alone have not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import NotIdentifiedError
from fairrank.frontier import FrontierEstimator
from fairrank.frontier._selective_labels import check_overlap, check_selected, pseudo_losses

pytestmark = [
    pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning"),
    pytest.mark.filterwarnings("ignore:out of fold:fairrank.exceptions.NuisanceWarning"),
]


class ByCallable(ClassifierMixin, BaseEstimator):
    """A model that gives what a callable says."""

    def __init__(self, chance=None, classes=(0, 1)):
        self.chance = chance
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        p = self.chance(X)
        return np.column_stack([1 - p, p])


def lending(n, seed=0):
    """Borrowers, of whom the likely payers of group r are favoured."""
    data = make_frontier_data(n, random_state=seed)
    rng = np.random.default_rng(seed + 1000)
    in_r = data.sensitive_features == "r"
    pi = expit(0.3 + 1.2 * data.data[:, 0] + 0.8 * in_r)
    selected = rng.random(n) < pi
    return data, selected, pi


def test_a_pseudo_loss_has_the_mean_of_the_loss_if_either_nuisance_is_right():
    rng = np.random.default_rng(0)
    n = 200_000
    pi, mean = rng.uniform(0.2, 0.9, n), rng.uniform(size=n)
    loss = (rng.random(n) < mean).astype(float)
    selected = rng.random(n) < pi
    for m, p in ((mean, pi), (np.full(n, 0.3), pi), (mean, np.full(n, 0.4))):
        assert pseudo_losses(loss, m, selected, p).mean() == pytest.approx(0.5, abs=0.008)
    neither = pseudo_losses(loss, np.full(n, 0.3), selected, np.full(n, 0.4))
    assert abs(neither.mean() - 0.5) > 0.03


def test_what_was_not_seen_does_not_enter():
    loss = np.array([1.0, np.nan, 0.0])
    selected = np.array([True, False, True])
    found = pseudo_losses(loss, np.full(3, 0.5), selected, np.full(3, 0.25))
    assert_allclose(found, [2.5, 0.5, -1.5])


def test_everything_selected_is_as_if_nothing_were_said():
    data = make_frontier_data(800, random_state=0)
    fit = {"X": data.data, "y": data.target, "sensitive_features": data.sensitive_features}
    learner = LogisticRegression(C=0.05)
    plain = FrontierEstimator(learner, random_state=0, cv=None).fit(**fit)
    said = FrontierEstimator(learner, random_state=0, cv=None).fit(
        **fit, selected=np.ones(800, bool)
    )
    assert_allclose(said.delta_theta_, plain.delta_theta_)
    assert_allclose(said.best_points_, plain.best_points_)


def test_pseudo_losses_of_cells_are_those_by_hand():
    rng = np.random.default_rng(3)
    n = 300
    X = rng.integers(0, 2, (n, 1)).astype(float)
    group = rng.choice(["a", "b"], n)
    y = (rng.random(n) < 0.3 + 0.4 * X[:, 0]).astype(int)
    selected = rng.random(n) < 0.4 + 0.3 * X[:, 0]
    fitted = FrontierEstimator(DecisionTreeClassifier(random_state=0), cv=None).fit(
        X, y, sensitive_features=group, selected=selected
    )
    real = FrontierEstimator(
        DecisionTreeRegressor(random_state=0), cv=None,
        group_estimator=DecisionTreeClassifier(random_state=0),
    ).fit(X, y, sensitive_features=group, selected=selected)
    gamma, delta = np.empty((n, 2)), np.empty((n, 2))
    for i in range(n):
        same = X[:, 0] == X[i, 0]
        own = same & (group == group[i])
        pi = selected[own].mean()
        for d in (0, 1):
            m = np.mean(y[own & selected] != d)
            gamma[i, d] = m + selected[i] / pi * ((y[i] != d) - m)
        for g, name in enumerate("ab"):
            mine = same & (group == name)
            delta[i, g] = mine.sum() / same.sum() * np.mean(1 - 2 * y[mine & selected])
    for each in (fitted, real):
        assert_allclose(each.delta_theta_, delta)
        sample = each.support_function_._sample
        assert_allclose(sample.loss, gamma[:, 0])
        assert_allclose(sample.loss + sample.change, gamma[:, 1])


def test_outcomes_that_were_not_seen_may_be_anything():
    data, selected, _ = lending(600)
    fit = {"X": data.data, "sensitive_features": data.sensitive_features, "selected": selected}
    found = []
    for filler in (0.0, 1.0, np.nan):
        y = np.where(selected, data.target, filler)
        found.append(FrontierEstimator(LogisticRegression(C=0.05), random_state=0).fit(y=y, **fit))
    named = np.where(selected, np.where(data.target, "yes", "no"), None).astype(object)
    found.append(
        FrontierEstimator(LogisticRegression(C=0.05), random_state=0, pos_label="yes").fit(
            y=named, **fit
        )
    )
    for other in found[1:]:
        assert_allclose(other.best_points_, found[0].best_points_)
        assert_allclose(other.delta_theta_, found[0].delta_theta_)
    assert found[-1].predict(data.data).tolist() == [
        "yes" if label else "no" for label in found[0].predict(data.data)
    ]


def test_repeats_average_the_pseudo_losses():
    data, selected, _ = lending(500)
    fitted = FrontierEstimator(LogisticRegression(C=0.05), random_state=0, n_repeats=3).fit(
        data.data, data.target, sensitive_features=data.sensitive_features, selected=selected
    )
    assert_allclose(
        fitted.support_function_._sample.loss,
        np.mean([one._sample.loss for one in fitted.support_functions_], axis=0),
    )


def test_rows_that_are_never_selected_leave_the_frontier_unidentified():
    data, _, _ = lending(1000)
    selected = data.data[:, 0] > -0.5
    with pytest.raises(NotIdentifiedError, match=r"of 1000 rows .* overlap=0.01, the smallest"):
        FrontierEstimator(LogisticRegression(C=10)).fit(
            data.data, data.target, sensitive_features=data.sensitive_features, selected=selected
        )
    with pytest.raises(NotIdentifiedError, match="no outcome was seen"):
        FrontierEstimator().fit(
            data.data, data.target, sensitive_features=data.sensitive_features,
            selected=np.zeros(1000, bool),
        )


def test_the_message_counts_rows_by_group():
    with pytest.raises(NotIdentifiedError, match=r"3 of 5 rows \(1 of 'a', 2 of 'b'\)"):
        check_overlap(np.array([0.001, 0.5, 0.002, 0.003, 0.5]), np.array([0, 0, 1, 1, 1]),
                      ("a", "b"), 0.01)
    check_overlap(np.full(3, 0.01), np.zeros(3, int), ("a",), 0.01)


@pytest.mark.parametrize(
    ("selected", "match"), [([1, 0, 2], "True where"), ([True, False], "one boolean a row")]
)
def test_selected_is_a_boolean_a_row(selected, match):
    with pytest.raises(ValueError, match=match):
        check_selected(selected, 3)


def test_direct_nuisances_need_all_losses():
    data, selected, _ = lending(300)
    with pytest.raises(ValueError, match="factorized"):
        FrontierEstimator(nuisance="direct").fit(
            data.data, data.target, sensitive_features=data.sensitive_features, selected=selected
        )
    with pytest.raises(ValueError, match="more than delta_theta"):
        FrontierEstimator(data).fit(
            data.data, data.target, sensitive_features=data.sensitive_features, selected=selected
        )


@pytest.mark.statistical
def test_selected_rows_alone_are_biased_and_pseudo_losses_are_not():
    """With the true nuisances, against the population: 40 data sets of 2000 rows."""
    q = np.array([-1.0, 0.0])
    truth = -make_frontier_data(2).best_points[0, 0]
    found = {"pseudo-losses": [], "selected rows": []}
    for seed in range(40):
        data, selected, pi = lending(2000, seed)
        delta = data.delta_theta(data.data)
        mean_1 = 1 - data.probability
        losses = [
            pseudo_losses((data.target != d).astype(float), m, selected, pi)
            for d, m in enumerate((data.probability, mean_1))
        ]
        known = Known(delta)
        for name, rows, pair in (
            ("pseudo-losses", np.ones(2000, bool), losses),
            ("selected rows", selected, [data.target != 0, data.target != 1]),
        ):
            fitted = FrontierEstimator(known.of(rows), group_names=("r", "b")).fit(
                data.data[rows], data.target[rows],
                sensitive_features=data.sensitive_features[rows],
                loss_0=np.asarray(pair[0], float)[rows], loss_1=np.asarray(pair[1], float)[rows],
            )
            found[name].append(fitted.support_function_.h(q))
    error = {name: (np.mean(h) - truth, np.std(h) / np.sqrt(40)) for name, h in found.items()}
    assert abs(error["pseudo-losses"][0]) < 3 * error["pseudo-losses"][1]
    assert abs(error["selected rows"][0]) > 5 * error["selected rows"][1]


class Known:
    """Changes of the losses that are known, of some rows."""

    def __init__(self, delta):
        self.delta = delta

    def of(self, rows):
        return Known(self.delta[rows])

    def delta_theta(self, X):
        assert len(X) == len(self.delta)
        return self.delta


@pytest.mark.statistical
def test_estimated_nuisances_leave_less_bias_than_selected_rows():
    q = np.array([-1.0, 0.0])
    learner = LogisticRegression(C=0.05, l1_ratio=1.0, solver="liblinear", random_state=0)
    errors = {"selective": [], "selected rows": []}
    for seed in range(4):
        data, selected, _ = lending(3000, seed)
        all_seen = FrontierEstimator(learner, group_names=("r", "b"), random_state=0).fit(
            data.data, data.target, sensitive_features=data.sensitive_features
        ).support_function_.h(q)
        selective = FrontierEstimator(learner, group_names=("r", "b"), random_state=0).fit(
            data.data, np.where(selected, data.target, np.nan),
            sensitive_features=data.sensitive_features, selected=selected,
        )
        alone = FrontierEstimator(learner, group_names=("r", "b"), random_state=0).fit(
            data.data[selected], data.target[selected],
            sensitive_features=data.sensitive_features[selected],
        )
        errors["selective"].append(selective.support_function_.h(q) - all_seen)
        errors["selected rows"].append(alone.support_function_.h(q) - all_seen)
    bias = {name: abs(np.mean(one)) for name, one in errors.items()}
    assert bias["selective"] < 0.5 * bias["selected rows"]


def test_a_frozen_model_of_selection_is_asked():
    data, selected, _ = lending(600)
    told = FrozenEstimator(ByCallable(lambda X: np.full(len(X), 0.25)).fit(None, None))
    fitted = FrontierEstimator(
        LogisticRegression(C=0.05), selection_estimator=told, random_state=0
    ).fit(data.data, data.target, sensitive_features=data.sensitive_features, selected=selected)
    form, answers = fitted.nuisance_.form, fitted.nuisance_.answers(data.data)
    assert_allclose(form.seen(answers), 0.25)
