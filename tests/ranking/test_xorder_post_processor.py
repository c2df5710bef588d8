"""XOrderPostProcessor: maps fitted out of fold, applied row by row."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from fairrank.exceptions import DegenerateGroupError, InfeasibleError, UnseenGroupError
from fairrank.metrics import ranking_disparity, xauc_disparity
from fairrank.ranking import XOrderPostProcessor, fair_ordering
from post_processing import COLUMNS, model, ranking_table, xorder


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


@pytest.mark.parametrize("position", [3, -1])
def test_a_column_by_position_is_the_column_by_name(table, position):
    X, y = table
    coded = X.assign(race=(X["race"] == "b").astype(float))
    by_name = xorder(LogisticRegression(), drop_sensitive=True)
    by_name.fit(coded, y)
    by_position = xorder(
        LogisticRegression(), sensitive_features=position, drop_sensitive=True
    ).fit(coded.to_numpy(), y)
    np.testing.assert_allclose(
        by_position.transform(coded.to_numpy()), by_name.transform(coded), rtol=1e-9
    )
    assert by_position.estimator_.n_features_in_ == 3


def test_groups_by_callable_metadata_and_intersections_are_those_of_the_column(table):
    X, y = table
    named = xorder().fit(X, y)
    called = xorder(sensitive_features=lambda X: X["race"]).fit(X, y)
    passed = xorder(LogisticRegression(), sensitive_features=None)
    passed.fit(X[COLUMNS], y, sensitive_features=X["race"])
    dropped = xorder(LogisticRegression(), drop_sensitive=True).fit(X, y)
    np.testing.assert_array_equal(called.transform(X), named.transform(X))
    np.testing.assert_array_equal(
        passed.transform(X[COLUMNS], sensitive_features=X["race"]), dropped.transform(X)
    )
    again = clone(passed).fit_transform(X[COLUMNS], y, sensitive_features=X["race"])
    np.testing.assert_array_equal(
        again, passed.transform(X[COLUMNS], sensitive_features=X["race"])
    )
    both = X.assign(old=X["noise"] > 0)
    crossed = xorder(
        LogisticRegression(), sensitive_features=["race", "old"], drop_sensitive=True
    ).fit(both, y)
    assert crossed.groups_ == (("a", False), ("a", True), ("b", False), ("b", True))
    assert crossed.estimator_.feature_names_in_.tolist() == COLUMNS


def test_groups_given_twice_or_never_are_an_error_that_says_what_to_do(table):
    X, y = table
    with pytest.raises(ValueError, match="was given no sensitive_features"):
        xorder(sensitive_features=None).fit(X, y)
    with pytest.raises(ValueError, match="must not be passed to fit as well"):
        xorder().fit(X, y, sensitive_features=X["race"])
    fitted = xorder().fit(X, y)
    with pytest.raises(ValueError, match="must not be passed to predict_proba as well"):
        fitted.predict_proba(X, sensitive_features=X["race"])
    passed = xorder(sensitive_features=None).fit(X, y, sensitive_features=X["race"])
    with pytest.raises(ValueError, match=r"pass the groups of the rows to predict\("):
        passed.predict(X)
    with pytest.raises(ValueError, match="differ in length"):
        passed.predict(X, sensitive_features=["a", "b"])
    with pytest.raises(ValueError, match="drop_sensitive=True drops the column"):
        xorder(sensitive_features=lambda X: X["race"], drop_sensitive=True).fit(X, y)
    with pytest.raises(ValueError, match="without column names"):
        xorder(LogisticRegression()).fit(X[COLUMNS].to_numpy(), y)


def test_an_unseen_or_missing_group_is_refused(table):
    X, y = table
    fitted = xorder().fit(X, y)
    with pytest.raises(UnseenGroupError, match="'c'"):
        fitted.predict(X.assign(race="c"))
    with pytest.raises(UnseenGroupError, match="no group"):
        fitted.predict(X.assign(race=[None, *X["race"][1:]]))


@pytest.mark.parametrize("missing", ["raise", "group", "drop"])
def test_missing_groups_raise_or_are_a_group_or_have_no_say(table, missing):
    X, y = table
    holed = X.assign(race=X["race"].where(X.index % 5 > 0, None))
    fair = xorder(missing=missing)
    if missing == "raise":
        with pytest.raises(ValueError, match="80 of 400 rows have no group"):
            fair.fit(holed, y)
        return
    fair.fit(holed, y)
    if missing == "group":
        assert fair.groups_ == ("a", "b", None)
        assert np.isfinite(fair.transform(holed)).all()
        return
    assert fair.groups_ == ("a", "b")
    assert np.isnan(fair.ordering_.fair_score).sum() == 80
    assert np.isfinite(fair.out_of_fold_scores_).all()
    np.testing.assert_array_equal(np.isnan(fair.ordering_.fair_score), holed["race"].isna())


def test_three_groups_are_levelled():
    X, y = ranking_table(900, groups="abc")
    fitted = xorder(max_disparity=0.05).fit(X, y)
    assert fitted.disparity_before_ > 0.2
    assert fitted.disparity_after_ <= 0.05 + 1e-12
    new, outcome = ranking_table(3000, groups="abc", seed=1)
    fair = fitted.transform(new)[:, 0]
    assert xauc_disparity(outcome, fair, sensitive_features=new["race"]) < 0.15
    assert np.isnan(fitted.optimality_gap_)


def test_string_labels_and_a_positive_label_that_comes_first(table):
    X, y = table
    named = np.where(y == 1, "repaid", "default")
    fitted = xorder().fit(X, named)
    assert fitted.classes_.tolist() == ["default", "repaid"]
    assert set(fitted.predict(X)) == {"default", "repaid"}
    np.testing.assert_array_equal(fitted.transform(X), xorder().fit(X, y).transform(X))
    turned = xorder(pos_label="default").fit(X, named)
    assert roc_auc_score(named == "default", turned.transform(X)[:, 0]) > 0.7
    assert roc_auc_score(named == "repaid", turned.decision_function(X)) > 0.7
    predicted = turned.predict(X)
    np.testing.assert_array_equal(
        predicted, turned.classes_[turned.predict_proba(X).argmax(axis=1)]
    )
    np.testing.assert_array_equal(predicted == "repaid", turned.decision_function(X) > 0)


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


def test_any_real_score_will_do(table):
    X, y = table
    numbers = X[COLUMNS]
    race = {"sensitive_features": lambda numbers: X["race"].loc[numbers.index]}
    by_margin = xorder(LinearSVC(), **race).fit(numbers, y)
    assert by_margin.out_of_fold_scores_.min() < -1.0
    named = np.where(y == 1, "yes", "no")
    by_prediction = xorder(LinearRegression(), response_method="predict", **race)
    by_prediction.fit(numbers, named)
    assert by_prediction.auc_after_ > 0.7
    assert by_prediction.predict(numbers)[0] in ("yes", "no")
    with pytest.raises(AttributeError, match="Pass response_method='predict'"):
        xorder(LinearRegression(), **race).fit(numbers, y)
    with pytest.raises(ValueError, match="predicts labels"):
        xorder(LinearSVC(), response_method="predict", **race).fit(numbers, y)
    with pytest.raises(AttributeError, match="has no predict_proba"):
        xorder(LinearSVC(), response_method="predict_proba", **race).fit(numbers, y)


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


def test_weights_reach_the_models_and_the_order(table):
    X, y = table
    numbers = X[COLUMNS]
    weight = np.where(X["noise"] > 0, 3, 1)
    race = {"sensitive_features": lambda numbers: X["race"].loc[numbers.index]}
    weighted = xorder(LogisticRegression(), **race).fit(numbers, y, sample_weight=weight)
    direct = LogisticRegression().fit(numbers, y, sample_weight=weight)
    np.testing.assert_allclose(weighted.estimator_.coef_, direct.coef_)
    found = ranking_disparity(
        y, weighted.ordering_.fair_score, sensitive_features=X["race"], sample_weight=weight
    )
    assert found.value == pytest.approx(weighted.disparity_after_, abs=1e-12)
    assert found.auc == pytest.approx(weighted.auc_after_, abs=1e-12)
    piped = xorder().fit(X, y, logisticregression__sample_weight=weight.tolist())
    found = ranking_disparity(
        y, piped.ordering_.fair_score, sensitive_features=X["race"], sample_weight=weight
    )
    assert found.value == pytest.approx(piped.disparity_after_, abs=1e-12)


def test_bad_weights_are_named(table):
    X, y = table
    for weight, match in [
        (-np.ones(400), "400 negative"), (np.ones(300), "sample_weight has 300 rows"),
        (np.where(y == 1, 1.0, 0.0), "one class only where sample_weight"),
        (np.where(X["race"] == "a", 1.0, 0.0), "weight is 0 in every row of group 'b'"),
    ]:
        with pytest.raises(ValueError, match=match):
            xorder().fit(X, y, logisticregression__sample_weight=weight)


def test_whole_weights_are_repetitions_of_scored_rows(table):
    X, y = table
    known = FrozenEstimator(model().fit(X, y))
    times = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = xorder(known).fit(X, y, sample_weight=times)
    repeated = np.repeat(np.arange(len(X)), times)
    written_out = xorder(known).fit(X.iloc[repeated], y.iloc[repeated])
    assert weighted.auc_after_ == pytest.approx(written_out.auc_after_, abs=1e-12)
    np.testing.assert_allclose(weighted.transform(X), written_out.transform(X), atol=1e-12)
    np.testing.assert_allclose(
        weighted.predict_proba(X), written_out.predict_proba(X), atol=1e-4
    )


def test_folds_are_stratified_by_outcome_and_group(table):
    X, y = table
    fold = xorder(cv=4).fit(X, y)._rows.fold
    cell = X["race"] + y.astype(str)
    counts = [np.bincount(fold[cell == each], minlength=4) for each in sorted(set(cell))]
    assert all(np.ptp(count) <= 1 for count in counts)


def test_folds_by_a_splitter_or_by_hand(table):
    X, y = table
    splitter = StratifiedKFold(3)
    by_hand = list(splitter.split(X, 2 * (X["race"] == "b") + y))
    one, other = xorder(cv=splitter).fit(X, y), xorder(cv=by_hand).fit(X, y)
    np.testing.assert_array_equal(one.out_of_fold_scores_, other.out_of_fold_scores_)
    part = xorder(cv=by_hand[:2]).fit(X, y)
    assert np.isnan(part.out_of_fold_scores_).sum() == len(by_hand[2][1])
    assert np.isfinite(part.transform(X)).all()
    for cv, error in [
        (1, ValueError), (1000, ValueError), ("five", TypeError), (True, TypeError),
        ([*by_hand, by_hand[0]], ValueError), ([], ValueError),
        ([(np.arange(400), np.arange(10))], ValueError),
    ]:
        with pytest.raises(error, match=r"cv"):
            xorder(cv=cv).fit(X, y)


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


def test_what_cannot_be_ordered_is_refused_with_its_name(table):
    X, y = table
    with pytest.raises(DegenerateGroupError, match="one group only"):
        xorder().fit(X.assign(race="a"), y)
    with pytest.raises(DegenerateGroupError, match="group 'b' has no positive"):
        xorder().fit(X, np.where(X["race"] == "b", 0, y))
    coarse = X.assign(income=(X["income"] > 0) * 1.0)[["income", "race"]]
    with pytest.raises(InfeasibleError, match="smallest found"):
        xorder(LogisticRegression(), drop_sensitive=True, max_disparity=0.0).fit(coarse, y)
    for options, match in [
        ({"max_disparity": 0.1, "trade_off": 1.0}, "both given"),
        ({"max_disparity": 1.5}, "max_disparity"),
        ({"solver": "best"}, "solver"),
        ({"disparity": "auc"}, "disparity"),
        ({"response_method": "score"}, "response_method"),
        ({"missing": "keep"}, "missing"),
        ({"pos_label": 7}, "pos_label=7"),
        ({"calibrator": "isotonic"}, "calibrator"),
    ]:
        with pytest.raises(ValueError, match=match):
            xorder(**options).fit(X, y)
    with pytest.raises(TypeError, match="estimator must be"):
        XOrderPostProcessor("forest", sensitive_features="race").fit(X, y)
    with pytest.raises(NotFittedError):
        xorder().predict(X)


def test_a_failed_fit_leaves_nothing_that_seems_fitted(table):
    X, y = table
    broken = xorder(cv="five")
    with pytest.raises(TypeError):
        broken.fit(X, y)
    with pytest.raises(NotFittedError):
        broken.predict(X)


def test_columns_in_another_order_are_refused(table):
    X, y = table
    fitted = xorder(LogisticRegression(), drop_sensitive=True).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[["race", *COLUMNS]])
