"""The default learner: scikit-learn's optimum at the penalty that the criterion chose."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fairrank.frontier._default_learners import LassoLogistic, LassoRegression
from fairrank.frontier._lasso_logit import PENALTIES, lasso_logit


def table(n=300, rate=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)) * np.arange(1, 9) + np.arange(8)
    happened = rng.random(n) < 1 / (1 + np.exp(-(X[:, 0] - 0.5 * (X[:, 1] - 1)) - rate))
    return X, happened


@pytest.mark.parametrize("rate", [0.0, -3.0])
def test_it_is_the_optimum_that_scikit_learn_finds_by_another_way(rate):
    X, happened = table(rate=rate)
    found = lasso_logit(X, happened, np.ones(len(X)))
    Z = StandardScaler().fit_transform(X)
    reference = LogisticRegression(
        C=1 / (len(X) * found.penalty), l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=20000
    ).fit(Z, happened)
    assert_allclose(X @ found.coefficients + found.intercept,
                    reference.decision_function(Z), atol=1e-5)


def test_probabilities_have_the_mean_of_what_happened():
    X, happened = table(rate=-3.0)
    found = LassoLogistic().fit(X, happened)
    assert found.predict_proba(X)[:, 1].mean() == pytest.approx(happened.mean(), abs=1e-9)


def test_the_penalty_has_the_least_criterion_of_its_path():
    X, happened = table()
    n = len(X)
    Z = StandardScaler().fit_transform(X)
    largest = np.abs(Z.T @ (happened - happened.mean())).max() / n

    def criterion(penalty):
        model = LogisticRegression(
            C=1 / (n * penalty), l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=20000
        ).fit(Z, happened)
        p = model.predict_proba(Z)[:, 1]
        loss = -np.log(np.where(happened, p, 1 - p)).sum()
        return 2 * loss + 2 * np.log(np.log(n)) * np.count_nonzero(model.coef_)

    by_penalty = [criterion(largest * part) for part in PENALTIES[1:]]
    found = lasso_logit(X, happened, np.ones(n))
    assert found.penalty == pytest.approx(largest * PENALTIES[1:][np.argmin(by_penalty)])


def test_columns_that_tell_nothing_get_nothing():
    rng = np.random.default_rng(0)
    found = LassoLogistic().fit(rng.normal(size=(2000, 20)), rng.random(2000) < 0.3)
    assert np.count_nonzero(found.coef_) <= 1


def test_whole_weights_are_repetitions_and_the_scale_of_others_does_not_matter():
    X, happened = table()
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    weighted = LassoLogistic().fit(X, happened, weight)
    repeated = LassoLogistic().fit(np.repeat(X, weight, axis=0), np.repeat(happened, weight))
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-7)
    mass = weight / 7
    assert_allclose(LassoLogistic().fit(X, happened, mass).coef_,
                    LassoLogistic().fit(X, happened, 1000 * mass).coef_, atol=1e-7)


def test_a_constant_column_and_outcomes_told_apart_are_no_trouble():
    X, happened = table(60)
    X[:, 3] = 5.0
    found = LassoLogistic().fit(X, happened)
    assert found.coef_[3, 0] == 0.0
    apart = LassoLogistic().fit(X, X[:, 0] > 0)
    assert (apart.predict(X) == (X[:, 0] > 0)).mean() > 0.9


def test_several_classes_have_probabilities_that_sum_to_1():
    X, happened = table()
    y = np.array(["a", "b", "c"])[happened.astype(int) + (X[:, 2] > 3)]
    p = LassoLogistic().fit(X, y).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert p.shape == (300, 3)


def test_the_regression_finds_the_columns_that_matter():
    X, _ = table()
    y = 2 * X[:, 0] + np.random.default_rng(2).normal(size=300)
    model = LassoRegression().fit(X, y)
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.85
