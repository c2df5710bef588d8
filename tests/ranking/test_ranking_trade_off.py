"""Held-out measures, and the path from the smallest disparity to the best AUC."""


import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from fairrank.metrics import ranking_disparity
from fairrank.ranking import fair_ordering
from post_processing import ranking_table, xorder


@pytest.fixture(scope="module")
def table():
    return ranking_table()


def test_held_out_measures_are_of_maps_that_never_saw_the_fold(table):
    X, y = table
    fitted = xorder(max_disparity=0.05).fit(X, y)
    score, race = fitted.out_of_fold_scores_, X["race"].to_numpy()
    fold = fitted._rows.fold
    for k in range(3):
        others, own = fold != k, fold == k
        order = fair_ordering(
            y[others], score[others], sensitive_features=race[others], max_disparity=0.05,
            solver="calibrated",
        )
        fair = np.array([order.score_maps[g]([s])[0] for g, s in zip(race[own], score[own])])
        expected = ranking_disparity(y[own], fair, sensitive_features=race[own])
        line = {name: column[k] for name, column in fitted.held_out_folds_.items()}
        assert line["auc"] == pytest.approx(expected.auc, abs=1e-12)
        assert line["disparity"] == pytest.approx(expected.value, abs=1e-12)
        assert line["standard_error"] == pytest.approx(expected.standard_error, abs=1e-12)
        assert line["n_rows"] == own.sum()
        assert line["auc_before"] == pytest.approx(roc_auc_score(y[own], score[own]), abs=1e-12)
    assert fitted.held_out_disparity_ == pytest.approx(fitted.held_out_folds_["disparity"].mean())
    errors = fitted.held_out_folds_["standard_error"]
    assert fitted.held_out_standard_error_ == pytest.approx(np.sqrt((errors**2).sum()) / 3)


def test_a_fold_without_a_class_of_a_group_is_left_out_of_the_report():
    X, y = ranking_table(200)
    own = X.index[(X["race"] == "b") & (y == 1)]
    kept = X.index.difference(own[2:])
    fitted = xorder(cv=4).fit(X.loc[kept], y.loc[kept])
    defined = np.isfinite(fitted.held_out_folds_["disparity"])
    assert defined.sum() == 2
    assert fitted.held_out_disparity_ == fitted.held_out_folds_["disparity"][defined].mean()


@pytest.mark.parametrize("solver", ["calibrated", "hull"])
def test_the_trade_off_path_runs_from_fair_to_accurate(table, solver):
    X, y = table
    path = xorder(solver=solver).fit(X, y).trade_off_path(n_points=5)
    assert (np.diff(path.max_disparity) > 0).all()
    assert (path.disparity <= path.max_disparity + 1e-9).all()
    assert (path.auc <= path.upper_bound + 1e-12).all()
    assert path.auc[-1] > path.auc[0]
    if solver == "hull":
        assert (np.diff(path.auc) >= -1e-12).all()
    assert path.held_out_auc.shape == path.held_out_disparity.shape == (5,)
    assert path.held_out_disparity[0] < path.held_out_disparity[-1]
    assert path.to_dict()["measure"] == "xauc"
    with pytest.raises(ValueError, match="n_points"):
        xorder().fit(X, y).trade_off_path(n_points=1)
    with pytest.raises(NotFittedError):
        xorder().trade_off_path()


def test_the_first_point_of_the_path_is_what_neither_condition_asks_for(table):
    X, y = table
    fitted = xorder().fit(X, y)
    path = fitted.trade_off_path(n_points=2)
    assert path.auc[0] == fitted.auc_after_
    assert path.disparity[0] == fitted.disparity_after_
    assert path.held_out_auc[0] == pytest.approx(fitted.held_out_auc_)
    assert path.held_out_disparity[0] == pytest.approx(fitted.held_out_disparity_)
