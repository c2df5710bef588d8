"""The baseline: one logistic slope a group, chosen on a grid."""

import json
import pickle

import numpy as np
import pytest
from scipy.special import expit
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

import oracles_ranking as oracles
from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.metrics import ranking_disparity, xauc_disparity
from fairrank.ranking import PostLogitPostProcessor, post_logit
from post_processing import model, ranking_table

SLOPES = np.round(np.arange(0, 10, 0.1), 1)


@pytest.fixture(scope="module")
def table():
    return ranking_table()


@pytest.fixture(scope="module")
def scored():
    X, y = ranking_table(120, seed=3)
    return X["race"].to_numpy(), y.to_numpy(), expit(X["income"] - X["debt"]).round(2).to_numpy()


def post_processor(estimator=None, **options):
    chosen = {"sensitive_features": "race", "cv": 3, "random_state": 0}
    return PostLogitPostProcessor(
        model() if estimator is None else estimator, **{**chosen, **options}
    )


@pytest.mark.parametrize("disparity", ["xauc", "prf", "urf"])
def test_the_slope_is_the_best_of_the_grid(scored, disparity):
    race, y, score = scored
    found = post_logit(y, score, sensitive_features=race, disparity=disparity, reference="a")
    worth = []
    for slope in SLOPES:
        fair = np.where(race == "b", expit(slope * score - 2.0), score)
        judged = ranking_disparity(y, fair, sensitive_features=race, disparity=disparity)
        worth.append(judged.value)
    assert found.disparity_after == pytest.approx(min(worth), abs=1e-12)
    assert worth[round(found.slopes["b"] * 10)] == pytest.approx(min(worth), abs=1e-12)
    assert list(found.slopes) == ["b"]
    assert found.reference == "a"
    expected = np.where(race == "b", expit(found.slopes["b"] * score - 2.0), score)
    np.testing.assert_allclose(found.fair_score, expected, rtol=1e-15)


def test_auc_and_disparity_are_those_of_the_definition(scored):
    race, y, score = scored
    found = post_logit(y, score, sensitive_features=race)
    for fair, auc, gap in [
        (score, found.auc_before, found.disparity_before),
        (found.fair_score, found.auc_after, found.disparity_after),
    ]:
        assert auc == pytest.approx(roc_auc_score(y, fair), abs=1e-12)
        assert gap == pytest.approx(oracles.largest_disparity(y, fair, race), abs=1e-12)


def test_the_largest_group_is_the_reference(scored):
    race, y, score = scored
    larger = max("ab", key=race.tolist().count)
    assert post_logit(y, score, sensitive_features=race).reference == larger
    weight = np.where(race == larger, 1, 50)
    other = post_logit(y, score, sensitive_features=race, sample_weight=weight)
    assert other.reference != larger


def test_each_of_several_groups_is_compared_with_the_reference():
    X, y = ranking_table(600, groups="abc")
    score = expit(X["income"] - X["debt"]).to_numpy()
    race = X["race"].to_numpy()
    found = post_logit(y, score, sensitive_features=race, reference="a")
    assert sorted(found.slopes) == ["b", "c"]
    for group in "bc":
        two = np.isin(race, ["a", group])
        alone = post_logit(
            y[two], score[two], sensitive_features=race[two], reference="a"
        )
        assert alone.slopes[group] == found.slopes[group]
    assert found.disparity_after < found.disparity_before


def test_weights_are_repetitions(scored):
    race, y, score = scored
    times = np.random.default_rng(0).integers(0, 3, y.size)
    weighted = post_logit(y, score, sensitive_features=race, sample_weight=times)
    again = np.repeat(np.arange(y.size), times)
    repeated = post_logit(y[again], score[again], sensitive_features=race[again])
    assert weighted.slopes == repeated.slopes
    assert weighted.auc_after == pytest.approx(repeated.auc_after, abs=1e-12)
    # A row without weight has no say, and a score.
    assert np.isfinite(weighted.fair_score).all()


def test_bad_scores_and_references_are_refused(scored):
    race, y, score = scored
    with pytest.raises(ValueError, match="must be probabilities"):
        post_logit(y, score * 3, sensitive_features=race)
    with pytest.raises(DegenerateGroupError, match="reference='z'"):
        post_logit(y, score, sensitive_features=race, reference="z")
    with pytest.raises(DegenerateGroupError, match="one group only"):
        post_logit(y, score, sensitive_features=np.zeros(y.size))
    with pytest.raises(ValueError, match="disparity"):
        post_logit(y, score, sensitive_features=race, disparity="auc")


def test_a_dropped_row_has_no_fair_score(scored):
    race, y, score = scored
    holed = race.astype(object)
    holed[:7] = None
    found = post_logit(y, score, sensitive_features=holed, missing="drop")
    assert np.isnan(found.fair_score[:7]).all()
    assert np.isfinite(found.fair_score[7:]).all()


def test_the_result_is_printed_and_written_out(scored):
    race, y, score = scored
    found = post_logit(y, score, sensitive_features=race)
    assert repr(found).startswith("PostLogit(xauc 0.")
    written = json.loads(json.dumps(found.to_dict()))
    assert written["slopes"] == found.slopes
    assert len(written["fair_score"]) == y.size


def test_the_estimator_chooses_slopes_out_of_fold(table):
    X, y = table
    fitted = post_processor().fit(X, y)
    expected = post_logit(y, fitted.out_of_fold_scores_, sensitive_features=X["race"])
    assert fitted.slopes_ == expected.slopes
    assert fitted.auc_after_ == expected.auc_after
    assert fitted.disparity_after_ == expected.disparity_after < fitted.disparity_before_
    np.testing.assert_array_equal(fitted.ordering_.fair_score, expected.fair_score)
    score = fitted.estimator_.predict_proba(X)[:, 1]
    (group,) = fitted.slopes_
    own = (X["race"] == group).to_numpy()
    np.testing.assert_array_equal(fitted.transform(X)[~own, 0], score[~own])
    np.testing.assert_allclose(
        fitted.transform(X)[own, 0], expit(fitted.slopes_[group] * score[own] - 2.0)
    )


def test_held_out_measures_follow_the_reference_by_its_label(table):
    X, y = table
    by_default = post_processor(reference="b").fit(X, y)
    assert list(by_default.slopes_) == ["a"]
    fold = by_default._rows.fold
    others, own = fold != 0, fold == 0
    race, score = X["race"].to_numpy(), by_default.out_of_fold_scores_
    order = post_logit(
        y[others], score[others], sensitive_features=race[others], reference="b"
    )
    fair = np.array([order.score_maps[g]([s])[0] for g, s in zip(race[own], score[own])])
    found = xauc_disparity(y[own], fair, sensitive_features=race[own])
    assert by_default.held_out_folds_["disparity"][0] == pytest.approx(found, abs=1e-12)


def test_every_row_is_scored_by_itself_and_labels_agree(table):
    X, y = table
    fitted = post_processor(pos_label="no").fit(X, np.where(y == 1, "yes", "no"))
    new, _ = ranking_table(30, seed=1)
    for method in ("transform", "predict_proba", "decision_function", "predict"):
        ask = getattr(fitted, method)
        one_by_one = np.concatenate([ask(new.iloc[[i]]) for i in range(len(new))])
        if method == "predict":
            np.testing.assert_array_equal(one_by_one, ask(new))
        else:
            np.testing.assert_allclose(one_by_one, ask(new), rtol=1e-12, atol=1e-12)
    positive = fitted.predict_proba(new)[:, 0]
    fair = fitted.transform(new)[:, 0]
    assert (np.diff(positive[np.argsort(fair)]) >= 0).all()
    np.testing.assert_array_equal(fitted.predict(new) == "no", positive >= 0.5)
    np.testing.assert_array_equal(
        fitted.predict(new) == "yes", fitted.decision_function(new) > 0
    )


def test_frozen_ensemble_and_training_scores(table):
    X, y = table
    known = model().fit(X, y)
    frozen = post_processor(FrozenEstimator(known)).fit(X, y)
    training = post_processor(cv=None).fit(X, y)
    np.testing.assert_allclose(frozen.transform(X), training.transform(X))
    assert np.isnan(training.held_out_disparity_)
    averaged = post_processor(fold_ensemble=True).fit(X, y)
    assert len(averaged.estimators_) == 3
    assert np.isfinite(averaged.predict_proba(X)).all()


def test_margins_and_unseen_groups_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="must be probabilities"):
        post_processor(LinearSVC(), drop_sensitive=True).fit(X, y)
    fitted = post_processor(LogisticRegression(), drop_sensitive=True).fit(X, y)
    with pytest.raises(UnseenGroupError, match="'c'"):
        fitted.predict(X.assign(race="c"))
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
