"""What the auditor is asked to do: groups, scorers, labels, seeds, neutralised features."""


from dataclasses import asdict

import numpy as np
import pytest
from numpy.testing import assert_equal
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from fairrank.audit._refits import run_tasks
from fairrank.metrics import make_fairness_scorer, rgf_score, rgf_scorer
from removal_audits import COLUMNS, auditor, lending_table, numbers


@pytest.fixture(scope="module")
def table():
    return lending_table()


def test_the_group_column_can_be_left_to_the_estimator(table):
    X, y = table
    def without_race(X):
        return X.drop(columns="race")
    model = make_pipeline(FunctionTransformer(without_race), LogisticRegression())
    with pytest.raises(KeyError) as caught:
        auditor(model).fit(X, y)
    assert "drop_sensitive=False" in "".join(caught.value.__notes__)
    left = auditor(model, drop_sensitive=False).fit(X, y).result_
    assert numbers(left) == numbers(auditor().fit(X, y).result_)


def test_groups_from_fit_or_a_callable_give_the_same_numbers(table):
    X, y = table
    named = auditor().fit(X, y).result_
    passed = auditor(sensitive_features=None).fit(X[COLUMNS], y, sensitive_features=X["race"])
    assert numbers(passed.result_) == numbers(named)
    keep = ColumnTransformer([("keep", "passthrough", COLUMNS)])
    model = make_pipeline(keep, LogisticRegression())
    for chosen, given in [(lambda X: X["race"], {}), (None, {"sensitive_features": X["race"]})]:
        # `race` stays in X, and is found not to be a feature.
        found = auditor(model, sensitive_features=chosen).fit(X, y, **given).result_
        assert [row.feature for row in found.features] == COLUMNS


def test_scorers_by_name_callable_and_dict(table):
    X, y = table
    scoring = {
        "auc": "roc_auc", "brier": "neg_brier_score",
        "rgf": make_fairness_scorer(rgf_score, sensitive_features="race"),
    }
    result = auditor(scoring=scoring, cv=0.4).fit(X, y).result_
    reference = auditor(cv=0.4).fit(X, y).result_
    row = result["debt"]
    assert list(row.scores) == ["auc", "brier", "rgf"]
    assert_equal(asdict(row.scores["auc"]), asdict(reference["debt"].scores["roc_auc"]))
    assert row.scores["rgf"].change == pytest.approx(row.rgf.change)
    assert row.scores["brier"].change < 0
    assert np.isnan(row.scores["brier"].low)
    assert np.isfinite(row.scores["auc"].low)
    for scoring, names in [
        (None, ["score"]), ("accuracy", ["accuracy"]), (["f1"], ["f1"]), ((), []),
        (make_fairness_scorer({"rgf": "rgf", "c": "centered_rgf"}, sensitive_features="race"),
         ["rgf", "c"]),
    ]:
        found = auditor(scoring=scoring, cv=0.4, n_permutations=0).fit(X, y).result_
        assert list(found.full.scores) == names


def test_a_scorer_that_asks_for_the_groups_gets_them(table):
    X, y = table
    result = auditor(scoring={"rgf": rgf_scorer}, cv=0.4).fit(X, y).result_
    assert result.full.scores["rgf"] == pytest.approx(result.full.rgf)


def test_bad_scoring_is_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="nonsense"):
        auditor(scoring="nonsense").fit(X, y)
    with pytest.raises(TypeError, match="scoring must be"):
        auditor(scoring=[rgf_scorer]).fit(X, y)


def test_labels_are_told_by_pos_label(table):
    X, y = table
    words = np.where(y == 1, "denied", "approved")
    plain = auditor().fit(X, y).result_
    assert numbers(auditor().fit(X, words).result_) == numbers(plain)  # "denied" is the greater
    turned = auditor(pos_label="approved").fit(X, words).result_
    # |y - p| is the same for either label, and so is ROC-AUC.
    assert turned.full.centered_rgf == pytest.approx(plain.full.centered_rgf)
    assert turned.full.scores["roc_auc"] == pytest.approx(plain.full.scores["roc_auc"])
    assert turned.full.scores["average_precision"] != plain.full.scores["average_precision"]


def test_decision_values_serve_a_callable_burden(table):
    X, y = table
    with pytest.raises(AttributeError, match="LinearSVC has no predict_proba"):
        auditor(LinearSVC()).fit(X, y)

    def hinge(y, value):
        return np.maximum(0.0, 1.0 - (2 * y - 1) * value)

    result = auditor(LinearSVC(), burden=hinge).fit(X, y).result_
    assert result.burden == "hinge"
    turned = auditor(LinearSVC(), burden=hinge, pos_label=0).fit(X, y).result_
    assert turned.full.centered_rgf == pytest.approx(result.full.centered_rgf)


def test_seeds_show_what_refits_vary_by(table):
    X, y = table
    forest = RandomForestClassifier(5, max_depth=3)
    one = auditor(forest, features=["debt"]).fit(X, y)
    three = auditor(forest, features=["debt"], n_seeds=3).fit(X, y)
    assert np.isnan(one.result_["debt"].centered_rgf.refit_noise)
    row = three.result_["debt"]
    assert row.centered_rgf.refit_noise > 0
    assert row.scores["roc_auc"].refit_noise > 0
    scores = three.held_out_scores_
    assert scores["debt"].shape == (3, len(y))
    # The first seed's refits are those of a single seed.
    np.testing.assert_array_equal(scores[None][0], one.held_out_scores_[None][0])
    again = auditor(forest, features=["debt"], n_seeds=3, n_jobs=2).fit(X, y)
    assert numbers(again.result_) == numbers(three.result_)
    measured = [
        rgf_score(y, score, sensitive_features=X["race"], centered=True) for score in scores[None]
    ]
    assert three.result_.full.centered_rgf == pytest.approx(np.mean(measured))


def test_a_random_state_that_is_set_is_kept_by_the_first_seed(table):
    X, y = table
    forest = RandomForestClassifier(5, max_depth=3, random_state=7)
    scores = auditor(forest, features=["debt"], n_seeds=2).fit(X, y).held_out_scores_[None]
    other = auditor(forest, features=["debt"], random_state=1, cv=3)
    assert not np.array_equal(scores[0], scores[1])
    fitted = other.fit(X, y)
    assert fitted.estimator_.random_state == 7


def test_a_feature_that_no_step_selects_changes_nothing(table):
    X, y = table
    model = make_pipeline(
        ColumnTransformer([("scaled", StandardScaler(), ["income", "debt"])]),
        RandomForestClassifier(5, max_depth=2),
    )
    row = auditor(model, features=["noise"]).fit(X, y).result_["noise"]
    assert row.contribution == row.centered_rgf.change == row.rgf.change == 0.0
    assert row.change_pvalue == 1.0
    assert "stays" in row.reading


@pytest.mark.parametrize("how", ["mean", "draws"])
def test_a_frozen_model_can_be_neutralised(table, how):
    X, y = table
    model = FrozenEstimator(LogisticRegression().fit(X[COLUMNS], y))
    audit = auditor(model, strategy="neutralize", neutralize=how, cv=0.5)
    result = audit.fit(X, y).result_
    assert result["debt"].scores["roc_auc"].change < 0
    np.testing.assert_array_equal(audit.predict(X), model.predict(X[COLUMNS]))


def test_neutralising_by_the_mean_is_what_it_says(table):
    X, y = table
    train, test = np.arange(120), np.arange(120, 240)
    audit = auditor(strategy="neutralize", cv=[(train, test)], n_permutations=0).fit(X, y)
    model = LogisticRegression().fit(X[COLUMNS].iloc[train], y.iloc[train])
    held_out = X[COLUMNS].iloc[test].assign(debt=X["debt"].iloc[train].mean())
    np.testing.assert_allclose(
        audit.held_out_scores_["debt"][0, test], model.predict_proba(held_out)[:, 1]
    )
    assert np.isnan(audit.held_out_scores_["debt"][0, train]).all()


def test_draws_within_strata_keep_to_them(table):
    X, y = table
    X = X.assign(debt=np.where(X["race"] == "b", 100.0, 1.0) + X["debt"] / 10)
    settings = {"strategy": "neutralize", "neutralize": "draws", "features": ["debt"]}
    free = auditor(**settings).fit(X, y).result_["debt"].scores["roc_auc"].change
    kept = auditor(**settings, neutralize_strata="race").fit(X, y).result_["debt"]
    assert abs(kept.scores["roc_auc"].change) < abs(free)


def test_rows_without_a_group_train_and_are_not_measured(table):
    X, y = table
    X = X.assign(race=X["race"].where(np.arange(len(X)) % 10 > 0, None))
    with pytest.raises(ValueError, match="missing='drop'"):
        auditor().fit(X, y)
    result = auditor(missing="drop").fit(X, y).result_
    assert (result.n_samples, result.n_dropped) == (216, 24)
    kept = auditor(missing="group").fit(X, y).result_
    assert kept.sensitive_features["None"] == 24


def test_three_groups_and_intersections(table):
    X, y = table
    X = X.assign(sex=np.arange(len(X)) % 2)
    result = auditor(sensitive_features=["race", "sex"]).fit(X, y).result_
    assert len(result.sensitive_features) == 4
    assert np.isfinite(result["debt"].contribution_low)


def test_tests_and_intervals_are_switched_off(table):
    X, y = table
    result = auditor(n_permutations=0, n_resamples=0).fit(X, y).result_
    row = result["debt"]
    assert np.isnan([row.pvalue, row.pvalue_holm, row.contribution_low, row.change_pvalue]).all()
    assert row.contribution == auditor().fit(X, y).result_["debt"].contribution
    assert "no test was run" in row.reading


def test_the_order_in_which_refits_come_back_changes_no_number(table, monkeypatch):
    X, y = table
    options = {"cv": 5, "scoring": ["neg_log_loss", "roc_auc"]}
    first = auditor(**options).fit(X, y)

    def backwards(*arguments, **named):
        return reversed(list(run_tasks(*arguments, **named)))

    monkeypatch.setattr("fairrank.audit._feature_removal_auditor.run_tasks", backwards)
    second = auditor(**options).fit(X, y)
    assert numbers(second.result_) == numbers(first.result_)
    assert list(second.held_out_scores_) == list(first.held_out_scores_)
