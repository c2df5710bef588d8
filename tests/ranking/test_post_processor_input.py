"""What post-processors take: groups, labels, scores, weights and folds, and what they refuse."""


import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from fairrank.exceptions import DegenerateGroupError, InfeasibleError, UnseenGroupError
from fairrank.metrics import ranking_disparity
from fairrank.ranking import XOrderPostProcessor
from post_processing import COLUMNS, model, ranking_table, xorder


@pytest.fixture(scope="module")
def table():
    return ranking_table()


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


def test_an_unseen_group_is_named_though_the_model_s_encoder_fails_on_it(table):
    X, y = table
    columns = [(StandardScaler(), COLUMNS), (OneHotEncoder(), ["race"])]
    encoding = make_pipeline(make_column_transformer(*columns), LogisticRegression())
    fitted = xorder(encoding).fit(X, y)
    for race, match in (("c", "group 'c' .* was not seen at fit"), (None, "no group")):
        with pytest.raises(UnseenGroupError, match=match):
            fitted.decision_function(X.assign(race=[race, *X["race"][1:]]))
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(X.assign(income=np.nan))


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
