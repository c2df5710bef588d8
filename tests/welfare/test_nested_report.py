"""Held-out reports in which nothing that decides on a row knows its outcome."""

import numpy as np
import pytest
from sklearn.base import clone

from fairrank.welfare import expected_revenue, welfare_optimal_policy
from lending import applicants, known, lender


@pytest.fixture(scope="module")
def table():
    return applicants()


# Outcomes that were shuffled are far from what the model expects.
@pytest.mark.filterwarnings("ignore::fairrank.exceptions.CalibrationWarning")
def test_nested_decisions_on_a_fold_know_nothing_of_its_outcomes(table):
    X, y = table
    fold = np.arange(len(y)) % 4
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    other_way = y.copy()
    other_way[fold == 2] = np.roll(y[fold == 2], 1)
    terms = {"utility": "equal_opportunity", "loss": 2.0, "cv": splits, "recalibrate": "logistic"}

    def promised_on_fold_2(nested, outcomes):
        bank = lender(nested=nested, **terms).fit(X, outcomes)
        return bank.held_out_folds_["revenue_promised"][2]

    assert promised_on_fold_2(True, y) == promised_on_fold_2(True, other_way)
    assert promised_on_fold_2(False, y) != promised_on_fold_2(False, other_way)


def test_nested_is_the_policy_of_models_without_both_folds(table):
    X, y = table
    fold = np.arange(len(y)) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    bank = lender(cv=splits, loss=2.0, nested=True).fit(X, y)
    earned = np.empty(len(y))
    for k, (there, here) in enumerate(splits):
        p = np.empty(len(y))
        for j in {0, 1, 2} - {k}:
            third = np.flatnonzero(fold == 3 - j - k)
            fitted = clone(bank.estimator).fit(X.iloc[third], y[third])
            p[fold == j] = fitted.predict_proba(X[fold == j])[:, 1]
        p[here] = bank.out_of_fold_probabilities_[here]
        race = X["race"].to_numpy()
        policy = welfare_optimal_policy(
            expected_revenue(p[there], 1.0, 2.0), np.ones(there.size),
            sensitive_features=race[there],
        )
        accepted = policy.acceptance_probability(
            expected_revenue(p[here], 1.0, 2.0), np.ones(here.size),
            sensitive_features=race[here],
        )
        earned[here] = accepted * (y[here] - 2.0 * (1 - y[here]))
    assert bank.held_out_realized_.total_revenue == pytest.approx(earned.mean())


def test_nested_asks_nothing_more_of_a_frozen_estimator(table):
    X, y = table
    plain, nested = (
        lender(known(y), loss=2.0, cv=2, random_state=0, nested=nested).fit(X, y)
        for nested in (False, True)
    )
    assert plain.held_out_realized_.to_dict() == nested.held_out_realized_.to_dict()


def test_nested_without_folds_is_an_error(table):
    with pytest.raises(ValueError, match="nested=True needs folds"):
        lender(cv=None, nested=True).fit(*table)
