"""Quality of nuisances, and warnings where it is poor."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import NuisanceWarning, SmallGroupWarning
from fairrank.frontier import FrontierEstimator
from fairrank.frontier._nuisance_quality import quality_of_mean, quality_of_probability


def told(n=4000, slope=1.0, seed=0):
    """A logit, and what happened where the truth is `slope` times it."""
    rng = np.random.default_rng(seed)
    logit = rng.normal(size=n)
    return 1 / (1 + np.exp(-logit)), rng.random(n) < 1 / (1 + np.exp(-slope * logit))


def quality(probability, happened, weight=None):
    n = len(happened)
    return quality_of_probability(
        "p", happened, probability, np.full(n, -1), np.ones(n) if weight is None else weight
    )


def test_losses_and_auc_are_those_of_scikit_learn():
    p, y = told()
    found = quality(p, y)
    assert found.loss == pytest.approx(log_loss(y, p))
    assert found.brier == pytest.approx(brier_score_loss(y, p))
    assert found.auc == pytest.approx(roc_auc_score(y, p))
    assert found.constant_loss == pytest.approx(log_loss(y, np.full(len(y), y.mean())))


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
def test_the_calibration_slope_is_that_of_an_unpenalised_logit(slope):
    p, y = told(slope=slope)
    found = quality(p, y)
    model = LogisticRegression(C=1e12, tol=1e-10).fit(np.log(p / (1 - p))[:, np.newaxis], y)
    assert found.calibration_slope == pytest.approx(model.coef_[0, 0], abs=1e-4)
    assert abs(found.calibration_slope - slope) < 3 * found.slope_error


def test_the_error_of_the_slope_is_its_spread():
    slopes = [quality(*told(500, seed=seed)).calibration_slope for seed in range(200)]
    assert quality(*told(500)).slope_error == pytest.approx(np.std(slopes), rel=0.2)


def test_probabilities_that_are_too_sure_are_found_out():
    p, y = told(slope=0.3)
    found = quality(p, y)
    assert found.is_overconfident
    assert not quality(*told()).is_overconfident
    mended = quality(1 / (1 + (1 / p - 1) ** 0.3), y)
    assert found.slope_cost == pytest.approx(found.loss - mended.loss, rel=0.05)


def test_probabilities_of_something_else_are_worse_than_a_constant():
    p, y = told()
    assert not quality(p, y).is_worse_than_constant
    assert quality(np.random.default_rng(1).permutation(p), y).is_worse_than_constant


def test_the_constant_is_that_of_the_rows_a_fold_trained_on():
    p, y = told(200)
    fold = np.arange(200) % 2
    found = quality_of_probability("p", y, p, fold, np.ones(200))
    by_hand = [log_loss(y[fold == k], np.full(100, y[fold != k].mean())) for k in (0, 1)]
    assert found.constant_loss == pytest.approx(np.mean(by_hand))


def test_weights_repeat_rows():
    p, y = told(300)
    weight = np.random.default_rng(1).integers(1, 4, 300)
    weighted, repeated = quality(p, y, weight), quality(np.repeat(p, weight), np.repeat(y, weight))
    for name in ("loss", "constant_loss", "brier", "r2", "calibration_slope", "slope_cost"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))


def test_a_mean_has_r2_and_a_slope():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    y = x + rng.normal(size=2000)
    found = quality_of_mean("m", y, 2 * x, np.full(2000, -1), np.ones(2000))
    assert found.calibration_slope == pytest.approx(
        LinearRegression().fit(2 * x[:, np.newaxis], y).coef_[0]
    )
    assert found.r2 == pytest.approx(1 - np.mean((y - 2 * x) ** 2) / y.var())
    assert found.slope_cost == pytest.approx(0.25 * (2 * x).var(), rel=0.1)
    assert np.isnan(found.auc)


def test_predictions_that_do_not_vary_have_no_slope():
    _, y = told(100)
    found = quality(np.full(100, 0.5), y)
    assert np.isnan(found.calibration_slope)
    assert not found.is_overconfident
    one_class = quality(np.full(100, 0.5), np.ones(100, bool))
    assert np.isnan(one_class.auc)
    assert one_class.r2 != one_class.r2 or one_class.r2 <= 0


def test_outcomes_that_are_told_apart_end_no_search():
    p, _ = told(100)
    found = quality(p, p > 0.5)
    assert found.auc == 1.0
    assert not found.is_overconfident


@pytest.mark.filterwarnings("ignore:out of fold:fairrank.exceptions.NuisanceWarning")
def test_it_names_every_nuisance():
    data = make_frontier_data(1500, random_state=0)
    fit = {"X": data.data, "y": data.target, "sensitive_features": data.sensitive_features}
    learner = LogisticRegression(C=0.01)
    by_class = FrontierEstimator(learner, random_state=0).fit(**fit).nuisance_quality_
    assert list(by_class) == ["P(G='b' | X)", "P(Y=1 | X, G='b')", "P(Y=1 | X, G='r')"]
    regressed = FrontierEstimator(nuisance="direct", loss="squared", random_state=0).fit(
        **{**fit, "y": data.probability}
    )
    assert list(regressed.nuisance_quality_) == [
        "E[(loss_1 - loss_0) 1{G='b'} | X]", "E[(loss_1 - loss_0) 1{G='r'} | X]"
    ]
    selected = np.arange(1500) % 3 > 0
    selective = FrontierEstimator(random_state=0).fit(**fit, selected=selected).nuisance_quality_
    assert "P(selected | X, G='r')" in selective
    assert by_class["P(G='b' | X)"].to_dict()["n_samples"] == 1500


def test_the_default_learner_raises_no_warning_and_untuned_boosting_does():
    data = make_frontier_data(1500, random_state=0)
    fit = {"X": data.data, "y": data.target, "sensitive_features": data.sensitive_features}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FrontierEstimator(random_state=0).fit(**fit)
    boosting = HistGradientBoostingClassifier(max_iter=30, random_state=0)
    with pytest.warns(NuisanceWarning, match="a constant predicts better"):
        FrontierEstimator(boosting, cv=2, random_state=0).fit(**fit)


def test_a_learner_that_is_too_sure_is_named_with_its_slope():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 40))
    y = (rng.random(1200) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    group = np.where(X[:, 1] + 0.3 * rng.normal(size=1200) > 0, "a", "b")
    boosting = HistGradientBoostingClassifier(max_iter=60, min_samples_leaf=5, random_state=0)
    with pytest.warns(NuisanceWarning) as told:
        FrontierEstimator(boosting, group_estimator=LogisticRegression(), cv=2,
                          random_state=0).fit(X, y, sensitive_features=group)
    assert any("too sure of itself" in str(one.message) for one in told)


def test_a_small_group_is_named_with_its_number():
    data = make_frontier_data(1000, random_state=0)
    n = np.count_nonzero(data.sensitive_features == "b")
    with pytest.warns(SmallGroupWarning, match=f"group 'b' has {n} rows"):
        FrontierEstimator(data).fit(
            data.data, data.target, sensitive_features=np.where(
                data.sensitive_features == "b", "b", "c")
        )


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_repeats_are_advised_to_those_who_have_none(n_repeats):
    data = make_frontier_data(600, random_state=0)
    with pytest.warns(SmallGroupWarning, match=r"expected_inward_bias\(\) tells") as told:
        FrontierEstimator(data, n_repeats=n_repeats).fit(
            data.data, data.target, sensitive_features=data.sensitive_features
        )
    assert ("fit with n_repeats=3" in str(told[0].message)) == (n_repeats == 1)


def test_weights_count_in_the_auc():
    probability, happened = told(n=300)
    probability = probability.round(1)  # with ties
    weight = np.random.default_rng(0).integers(0, 4, 300).astype(float)
    found = quality_of_probability(
        "p", happened, probability, np.zeros(300, dtype=int), weight
    ).auc
    assert found == pytest.approx(roc_auc_score(happened, probability, sample_weight=weight))
