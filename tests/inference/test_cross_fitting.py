"""Folds that part the rows, and scores by models that did not see them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from fairrank.inference._cross_fitting import dealt_out, fold_splits, in_cells, out_of_fold


def ask(model, X):
    return model.predict_proba(X)[:, 1]


class Remembers(BaseEstimator):
    def fit(self, X, y):
        self.X_ = X
        return self


def sample(n=90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def test_every_fold_gets_its_part_of_every_cell():
    cell = np.repeat([0, 1, 2], [50, 21, 19])
    for train, test in fold_splits(4, None, cell, 0):
        assert np.intersect1d(train, test).size == 0
        assert np.abs(np.bincount(cell[test]) - np.array([50, 21, 19]) / 4).max() < 1
    rows = in_cells(cell, np.arange(90)[::-1])
    assert (np.diff(cell[rows]) >= 0).all()
    assert sorted(np.concatenate([test for _, test in dealt_out(rows, 3)])) == list(range(90))


def test_scores_come_from_models_that_did_not_see_the_row():
    X, y = sample()
    splits = fold_splits(3, X, y, 0)
    found = out_of_fold(LogisticRegression(), X, y, splits, {}, ask, None)
    for k, (train, test) in enumerate(splits):
        model = LogisticRegression().fit(X[train], y[train])
        np.testing.assert_array_equal(found.score[test], ask(model, X[test]))
        assert (found.fold[test] == k).all()
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    np.testing.assert_array_equal(
        out_of_fold(frozen, X, y, splits, {}, ask, None).score, ask(frozen, X)
    )


def test_parameters_by_row_are_restricted_to_the_training_rows():
    X, y = sample()
    splits = fold_splits(2, X, y, 0)
    weight = np.arange(90.0)
    found = out_of_fold(
        LogisticRegression(), X, y, splits, {"sample_weight": weight}, ask, None
    )
    train, test = splits[0]
    model = LogisticRegression().fit(X[train], y[train], sample_weight=weight[train])
    np.testing.assert_array_equal(found.score[test], ask(model, X[test]))


@pytest.mark.parametrize("cv", [1, 91, [], [([0, 1], [1])], [([0], [1]), ([0], [1])]])
def test_folds_that_are_none_are_refused(cv):
    with pytest.raises(ValueError, match="cv"):
        fold_splits(cv, None, np.zeros(90, dtype=int), 0)


def test_nested_models_saw_neither_of_two_folds():
    X = np.arange(9.0)[:, np.newaxis]
    y = np.arange(9) % 2
    cell = np.zeros(9, dtype=np.intp)
    splits = fold_splits(3, X, cell, 0)
    seen = []

    def ask(model, rows):
        seen.append((set(model.X_.ravel()), set(rows.ravel())))
        return rows.ravel() + 100 * len(model.X_)

    found = out_of_fold(Remembers(), X, y, splits, {}, ask, None, nested=True)
    for k, (_, test) in enumerate(splits):
        assert np.isnan(found.without[k, test]).all()
        others = np.setdiff1d(np.arange(9), test)
        # Three rows are left to a model without two of three folds.
        np.testing.assert_array_equal(found.without[k, others], others + 300)
    assert all(not trained & asked for trained, asked in seen)
    assert len(seen) == 6


def test_nested_needs_three_folds():
    X, y = np.arange(8.0)[:, np.newaxis], np.arange(8) % 2
    splits = fold_splits(2, X, np.zeros(8, dtype=np.intp), 0)
    with pytest.raises(ValueError, match="two folds at once, and cv gave 2"):
        out_of_fold(
            Remembers(), X, y, splits, {}, lambda model, rows: rows.ravel(), None, nested=True
        )


def test_answers_may_have_several_columns():
    X, y = sample()
    splits = fold_splits(3, X, y, 0)
    found = out_of_fold(
        LogisticRegression(), X, y, splits, {}, lambda model, X: model.predict_proba(X), None
    )
    one = out_of_fold(LogisticRegression(), X, y, splits, {}, ask, None)
    assert found.score.shape == (90, 2)
    np.testing.assert_array_equal(found.score[:, 1], one.score)


def test_clusters_stay_whole_and_cells_are_balanced():
    cluster = np.repeat(np.arange(45), 2)
    cell = np.arange(90) % 3
    for _, test in fold_splits(3, None, cell, 0, cluster):
        assert (np.bincount(cluster[test], minlength=45) != 1).all()
        assert np.ptp(np.bincount(cell[test], minlength=3)) <= 4
    with pytest.raises(ValueError, match="5 folds of 2 clusters"):
        fold_splits(5, None, cell, 0, np.arange(90) % 2)
    unequal = np.where(np.arange(90) < 85, 0, np.arange(90))
    held_out = np.concatenate([test for _, test in fold_splits(3, None, cell, 0, unequal)])
    assert sorted(held_out) == list(range(90))


def test_a_splitter_is_given_the_clusters():
    cluster = np.arange(90) % 9
    for _, test in fold_splits(GroupKFold(3), np.zeros((90, 1)), np.zeros(90), 0, cluster):
        assert np.unique(cluster[test]).size == 3
