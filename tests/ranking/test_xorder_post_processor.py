"""XOrderPostProcessor: maps fitted out of fold, applied row by row."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from fairrank.metrics import ranking_disparity, xauc_disparity
from fairrank.ranking import fair_ordering
from post_processing import model, ranking_table, xorder


@pytest.fixture(scope="module")
def table():
    return ranking_table()


def by_maps(fitted, X):
    """Fair scores of the out-of-fold scores, from the plain table of knots."""
    fair = np.empty(len(X))
    for group, knots in fitted.score_maps_.items():
        own = (X["race"] == group).to_numpy()
        fair[own] = np.interp(
            fitted.out_of_fold_scores_[own], knots["score"], knots["fair_score"]
        )
    return fair


@pytest.mark.parametrize("solver", ["calibrated", "hull", "lattice"])
@pytest.mark.parametrize("disparity", ["xauc", "prf", "urf"])
def test_the_maps_reproduce_auc_and_disparity_of_the_fitted_scores(table, solver, disparity):
    X, y = table
    fitted = xorder(solver=solver, disparity=disparity, max_disparity=0.05).fit(X, y)
    fair = by_maps(fitted, X)
    found = ranking_disparity(y, fair, sensitive_features=X["race"], disparity=disparity)
    assert found.auc == pytest.approx(fitted.auc_after_, abs=1e-12)
    assert found.value == pytest.approx(fitted.disparity_after_, abs=1e-12)
    assert fitted.disparity_after_ <= 0.05 + 1e-12 < fitted.disparity_before_
    np.testing.assert_array_equal(fair, fitted.ordering_.fair_score)
    before = roc_auc_score(y, fitted.out_of_fold_scores_)
    assert fitted.auc_before_ == pytest.approx(before, abs=1e-12)
    assert fitted.optimality_gap_ == fitted.ordering_.optimality_gap


def test_every_row_is_scored_by_itself(table):
    X, y = table
    fitted = xorder().fit(X, y)
    new, _ = ranking_table(40, seed=1)
    for method in ("transform", "predict_proba", "decision_function", "predict"):
        ask = getattr(fitted, method)
        one_by_one = np.concatenate([ask(new.iloc[[i]]) for i in range(len(new))])
        # A product of one row rounds otherwise than one of many.
        np.testing.assert_allclose(one_by_one, ask(new), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["transform", "predict_proba", "decision_function"])
def test_inside_a_group_the_order_by_score_is_kept(table, method):
    X, y = table
    fitted = xorder().fit(X, y)
    new, _ = ranking_table(500, seed=1)
    score = fitted.estimator_.predict_proba(new)[:, 1]
    fair = np.asarray(getattr(fitted, method)(new))
    fair = fair[:, -1] if fair.ndim == 2 else fair
    for group in "ab":
        own = (new["race"] == group).to_numpy()
        assert (np.diff(fair[own][np.argsort(score[own])]) >= 0).all()


def test_all_answers_tell_one_order_and_agree_on_labels(table):
    X, y = table
    fitted = xorder(max_disparity=0.03).fit(X, y)
    fair, proba = fitted.transform(X)[:, 0], fitted.predict_proba(X)
    decision = fitted.decision_function(X)
    auc = roc_auc_score(y, fair)
    assert roc_auc_score(y, proba[:, 1]) == pytest.approx(auc, abs=1e-12)
    assert roc_auc_score(y, decision) == pytest.approx(auc, abs=1e-12)
    found = [xauc_disparity(y, s, sensitive_features=X["race"]) for s in (fair, proba[:, 1])]
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    predicted = fitted.predict(X)
    np.testing.assert_array_equal(predicted, decision > 0)
    np.testing.assert_array_equal(predicted, proba[:, 1] > 0.5)
    assert fitted.score(X, y) == (predicted == y).mean()
    assert proba[:, 1].mean() == pytest.approx(y.mean(), abs=0.03)
    assert ((fair > 0) & (fair < 1)).all()


def test_probabilities_are_calibrated_on_everybody(table):
    X, y = ranking_table(4000)
    fitted = xorder(LogisticRegression(), drop_sensitive=True).fit(X, y)
    new, outcome = ranking_table(4000, seed=1)
    p = fitted.predict_proba(new)[:, 1]
    for low, high in zip((0.0, 0.3, 0.6), (0.3, 0.6, 1.0)):
        inside = (p >= low) & (p < high)
        assert outcome[inside].mean() == pytest.approx(p[inside].mean(), abs=0.05)


def test_three_groups_are_levelled():
    X, y = ranking_table(900, groups="abc")
    fitted = xorder(max_disparity=0.05).fit(X, y)
    assert fitted.disparity_before_ > 0.2
    assert fitted.disparity_after_ <= 0.05 + 1e-12
    new, outcome = ranking_table(3000, groups="abc", seed=1)
    fair = fitted.transform(new)[:, 0]
    assert xauc_disparity(outcome, fair, sensitive_features=new["race"]) < 0.15
    assert 0.0 <= fitted.optimality_gap_ < 0.05


def test_a_frozen_estimator_is_used_as_it_is(table):
    X, y = table
    old, old_y = ranking_table(600, seed=2)
    known = model().fit(old, old_y)
    fitted = xorder(FrozenEstimator(known), max_disparity=0.05).fit(X, y)
    np.testing.assert_array_equal(
        fitted.out_of_fold_scores_, known.predict_proba(X)[:, 1]
    )
    expected = fair_ordering(
        y, known.predict_proba(X)[:, 1], sensitive_features=X["race"], max_disparity=0.05,
        solver="calibrated",
    )
    np.testing.assert_array_equal(fitted.transform(X)[:, 0], expected.fair_score)
    assert fitted.estimator_.estimator is known
    assert np.isfinite(fitted.held_out_disparity_)
    with pytest.raises(NotFittedError):
        xorder(FrozenEstimator(model())).fit(X, y)
    with pytest.raises(ValueError, match="a FrozenEstimator has none"):
        xorder(FrozenEstimator(known), fold_ensemble=True).fit(X, y)
    with pytest.raises(ValueError, match="must know the labels of y"):
        xorder(FrozenEstimator(known)).fit(X, np.where(y == 1, "yes", "no"))


def test_scores_of_the_training_rows_on_request(table):
    X, y = table
    fitted = xorder(cv=None).fit(X, y)
    np.testing.assert_array_equal(
        fitted.out_of_fold_scores_, fitted.estimator_.predict_proba(X)[:, 1]
    )
    assert np.isnan(fitted.held_out_auc_)
    assert np.isnan(fitted.held_out_disparity_)
    assert fitted.held_out_folds_["auc"].shape == (0,)


@pytest.mark.parametrize("solver", ["calibrated", "hull"])
def test_out_of_fold_scores_are_decisive_with_a_flexible_model(solver):
    X, y = ranking_table(600, shift=1.5)
    new, outcome = ranking_table(4000, seed=1, shift=1.5)
    forest = RandomForestClassifier(60, random_state=0)
    found = {}
    for cv in (5, None):
        fitted = xorder(forest, cv=cv, solver=solver, drop_sensitive=True).fit(X, y)
        fair = fitted.transform(new)[:, 0]
        found[cv] = xauc_disparity(outcome, fair, sensitive_features=new["race"])
    assert found[5] < 0.1
    assert found[None] > 0.15


def test_an_ensemble_of_the_folds_averages_their_fair_scores(table):
    X, y = table
    fitted = xorder(fold_ensemble=True).fit(X, y)
    assert len(fitted.estimators_) == 3
    assert not hasattr(fitted, "estimator_")
    own = (X["race"] == "a").to_numpy()
    knots = fitted.score_maps_["a"]
    expected = np.mean(
        [
            np.interp(each.predict_proba(X)[own, 1], knots["score"], knots["fair_score"])
            for each in fitted.estimators_
        ],
        axis=0,
    )
    np.testing.assert_allclose(fitted.transform(X)[own, 0], expected, rtol=1e-14)
    with pytest.raises(ValueError, match="cv=None has none"):
        xorder(fold_ensemble=True, cv=None).fit(X, y)


def test_the_same_seed_gives_the_same_maps_whatever_n_jobs(table):
    X, y = table
    one = xorder().fit(X, y)
    with joblib.parallel_config(backend="threading"):
        two = xorder(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.transform(X), two.transform(X))
    assert one.held_out_disparity_ == two.held_out_disparity_
    other = xorder(random_state=1).fit(X, y)
    assert (other.out_of_fold_scores_ != one.out_of_fold_scores_).any()


def test_it_is_cloned_and_pickled(table):
    X, y = table
    fitted = clone(xorder(solver="hull", trade_off=0.5)).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.trade_off_path(2).auc.tolist() == fitted.trade_off_path(2).auc.tolist()


def test_output_is_a_column_named_fair_score(table):
    X, y = table
    fitted = xorder().fit(X, y)
    assert fitted.transform(X).shape == (400, 1)
    assert fitted.get_feature_names_out().tolist() == ["fair_score"]
    frame = fitted.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == ["fair_score"]
    assert (frame.index == X.index).all()
