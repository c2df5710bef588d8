"""Probabilities that are wrong inside a group: seen, said, and put right."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier

from fairrank.exceptions import CalibrationWarning
from fairrank.welfare._group_calibration import calibration_table
from fairrank.welfare._group_recalibration import (
    cross_recalibrated,
    group_curves,
    recalibrated,
)
from lending import COLUMNS, applicants, chance, coded, known, lender


@pytest.fixture(scope="module")
def table():
    return applicants(3000)


def test_z_is_that_of_accepted_persons_and_of_changed_decisions():
    p = np.array([0.9, 0.6, 0.4, 0.8, 0.3, 0.2])
    y = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    accepted = np.array([1.0, 0.5, 0.0, 1.0, 1.0, 0.0])
    free = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    found = calibration_table(
        p, y, accepted, free, np.array([0, 0, 0, 1, 1, 1]), ("a", "b"), None
    )
    assert found["group"] == ["a", "a", "b", "b"]
    assert found["rows"] == ["accepted", "changed"] * 2
    assert found["n_rows"] == [1.5, 0.5, 2.0, 1.0]
    assert found["expected"] == pytest.approx([1.2, 0.3, 1.1, 0.3])
    assert found["observed"] == [1.0, 0.0, 2.0, 1.0]
    assert found["z"][0] == pytest.approx(-0.2 / np.sqrt(0.09 + 0.25 * 0.24))
    assert found["z"][3] == pytest.approx(0.7 / np.sqrt(0.21))


def test_a_model_that_knows_the_chances_raises_no_warning(table):
    X, y = table
    bank = lender(known(y), loss=2.0).fit(X, y)
    assert np.abs(bank.calibration_["z"]).max() < 3


def test_a_model_blind_to_the_group_is_found_out_by_its_probabilities(table):
    X, y = table
    blind = known(y, lambda X: chance(X, shift=0.0))
    with pytest.warns(CalibrationWarning, match=r"Group 'b': .* persons, .*z = -") as w:
        bank = lender(blind).fit(X, y)
    assert "recalibrate='logistic'" in str(w[0].message)
    assert bank.realized_.welfare_gap < bank.promised_.welfare_gap + 0.1
    for kind in ("logistic", "isotonic"):
        mended = lender(blind, recalibrate=kind).fit(X, y)
        assert np.nanmax(np.abs(mended.calibration_["z"])) < 3


@pytest.mark.parametrize("kind", ["logistic", "isotonic"])
def test_recalibrated_promises_come_nearer_to_what_is_realized(kind):
    X, y = applicants(6000, shift=1.0)
    blind = known(y, lambda X: chance(X, shift=0.0))
    options = {"utility": "equal_opportunity", "loss": 1.5}
    with pytest.warns(CalibrationWarning):
        raw = lender(blind, **options).fit(X, y)
    mended = lender(blind, recalibrate=kind, **options).fit(X, y)
    knowing = lender(known(y, lambda X: chance(X, shift=1.0)), **options).fit(X, y)

    def broken(bank):
        promised, realized = bank.held_out_promised_, bank.held_out_realized_
        return abs(promised.total_revenue - realized.total_revenue)

    assert broken(mended) < 0.02 < broken(raw)
    assert mended.held_out_realized_.welfare_gap < 0.05 < raw.held_out_realized_.welfare_gap
    assert mended.price_of_fairness_ == pytest.approx(knowing.price_of_fairness_, rel=0.5)
    assert log_loss(y, mended.predict_proba(X)) < log_loss(y, raw.predict_proba(X))


def test_dropping_the_group_from_the_model_is_pointed_out(table):
    X, y = applicants(300, shift=0.1)
    codes = X.assign(race=(X["race"] == "b") * 1.0)
    with pytest.warns(CalibrationWarning, match="drop_sensitive=True keeps the group"):
        lender(LogisticRegression(), drop_sensitive=True).fit(codes, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lender(LogisticRegression(), drop_sensitive=True, recalibrate="logistic").fit(codes, y)


def memory(X, y, estimator):
    return FrozenEstimator(estimator.fit(coded(X), y))


def test_a_fitted_model_that_saw_the_rows_is_found_out(table):
    X, y = table
    tree = DecisionTreeClassifier(random_state=0)
    forest = RandomForestClassifier(20, min_samples_leaf=3, random_state=0)
    message = "are 0 or 1 .*saw the rows in training.*not trained on"
    with pytest.warns(CalibrationWarning, match=message):
        bank = lender(memory(X, y, tree), loss=3.0).fit(coded(X), y)
    # Of its own rows it promises and realizes what nobody gets.
    assert np.isnan(bank.calibration_["z"]).all()
    assert bank.held_out_realized_.total_revenue_unconstrained == pytest.approx(y.mean())
    with pytest.warns(CalibrationWarning, match="same way.*half knows.*not trained on") as w:
        lender(memory(X, y, forest), loss=3.0).fit(coded(X), y)
    assert "Let the model see the group" not in str(w[0].message)
    with pytest.warns(CalibrationWarning, match="are 0 or 1 .*Pass cv="):
        lender(tree, cv=None).fit(coded(X), y)


def test_a_model_that_over_fits_is_told_so_and_not_that_it_lacks_the_group(table):
    X, y = table
    sure = known(y, lambda X: expit(3.0 * logit(chance(X))))
    with pytest.warns(CalibrationWarning, match="same way.*over-fits.*not trained on") as w:
        lender(sure).fit(X, y)
    assert len(w) == 1
    with pytest.warns(CalibrationWarning, match="are 0 or 1.*fits its training rows less close"):
        lender(DecisionTreeClassifier(random_state=0)).fit(coded(X), y)
    # Wrong in one group only: that is the group's.
    blind = known(y, lambda X: chance(X, shift=0.0))
    with pytest.warns(CalibrationWarning, match="Let the model see the group"):
        lender(blind).fit(X, y)


def test_recalibration_needs_the_group_for_probabilities(table):
    X, y = table
    numbers = X[COLUMNS]
    bank = lender(LogisticRegression(), sensitive_features=None, recalibrate="logistic")
    bank.fit(numbers, y, sensitive_features=X["race"])
    found = bank.predict_proba(numbers, sensitive_features=X["race"])
    raw = bank.estimator_.predict_proba(numbers)
    assert (found[X["race"] == "b", 1] < raw[X["race"] == "b", 1]).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    with pytest.raises(ValueError, match=r"predict_proba\(..., sensitive_features=g\)"):
        bank.predict_proba(numbers)


@pytest.mark.parametrize("kind", ["logistic", "isotonic"])
def test_curves_find_a_distortion_of_each_group(kind):
    rng = np.random.default_rng(0)
    score = rng.uniform(0.02, 0.98, 20_000)
    code = rng.integers(0, 2, score.size)
    log_odds = np.log(score / (1 - score))
    true = expit(np.where(code == 1, 0.5 * log_odds - 1.0, log_odds))
    y = (rng.random(score.size) < true).astype(np.uint8)
    curves = group_curves(score, y, code, 2, None, kind)
    assert np.abs(recalibrated(score, code, curves) - true).mean() < 0.02
    grid = np.linspace(0, 1, 501)
    for curve in curves:
        assert (np.diff(curve(grid)) >= 0).all()
        assert ((curve(grid) >= 0) & (curve(grid) <= 1)).all()


def test_a_small_group_is_left_nearly_as_it_is():
    score = np.array([0.2, 0.4, 0.6, 0.8])
    outcome = np.array([0, 0, 0, 1], dtype=np.uint8)
    (curve,) = group_curves(score, outcome, np.zeros(4, int), 1, None, "isotonic")
    assert np.abs(curve(score) - score).max() < 0.2
    (none,) = group_curves(score, outcome, np.zeros(4, int), 1, np.zeros(4), "logistic")
    np.testing.assert_allclose(none(score), score)


def test_a_row_s_own_outcome_has_no_part_in_its_recalibration():
    rng = np.random.default_rng(0)
    score, fold = rng.random(300), np.arange(300) % 3
    y = (rng.random(300) < score).astype(np.uint8)
    code = np.zeros(300, dtype=np.intp)
    one = cross_recalibrated(score, y, code, 1, None, fold, "isotonic")
    turned = np.where(fold == 1, 1 - y, y).astype(np.uint8)
    other = cross_recalibrated(score, turned, code, 1, None, fold, "isotonic")
    np.testing.assert_array_equal(one[fold == 1], other[fold == 1])
    assert (one[fold == 0] != other[fold == 0]).any()


def test_the_table_is_ready_for_a_frame(table):
    X, y = table
    found = pd.DataFrame(lender(known(y)).fit(X, y).calibration_)
    assert found.columns.tolist() == ["group", "rows", "n_rows", "expected", "observed", "z"]
    assert len(found) == 4
