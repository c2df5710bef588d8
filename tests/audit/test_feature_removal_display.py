"""The picture shows the numbers of the audit, and hides none of its failures."""

import itertools
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank.audit import FeatureRemovalAuditor, FeatureRemovalDisplay
from fairrank.audit._feature_removal_result import FeatureRemoval

OPTIONS = {"cv": 2, "n_permutations": 19, "n_resamples": 40, "random_state": 0}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 5)), columns=["age", "debt", "rate", "term", "unit"])
    X["race"] = rng.choice(["a", "b"], 300, p=[0.7, 0.3])
    noise = rng.normal(size=300) * np.where(X["race"] == "b", 3.0, 0.5)
    return X, (X["age"] - X["debt"] + noise > 0).astype(int)


@pytest.fixture(scope="module")
def fitted(table):
    return FeatureRemovalAuditor(
        LogisticRegression(), sensitive_features="race", **OPTIONS
    ).fit(*table)


@pytest.fixture(scope="module")
def display(fitted):
    return FeatureRemovalDisplay.from_estimator(fitted)


def test_contributions_are_sorted_and_those_of_the_result(display):
    display.plot()
    shown = [line.get_xdata()[0] for line in display.contribution_points_]
    assert shown == sorted(row.contribution for row in display.result.features)
    names = [label.get_text() for label in display.axes_[0].get_yticklabels()]
    assert names == [row.feature for row in display.result.sorted_by().features][::-1]


def test_points_are_filled_where_the_interval_leaves_out_0(display):
    display.plot()
    rows = display.result.sorted_by().features[::-1]
    for line, row in zip(display.contribution_points_, rows):
        clear = row.contribution_low > 0 or row.contribution_high < 0
        assert (line.get_markerfacecolor() != "white") == clear


@pytest.mark.parametrize("fairness", ["centered_rgf", "rgf", "contribution"])
@pytest.mark.parametrize("score", ["roc_auc", "average_precision"])
def test_the_cost_plane_sets_fairness_against_a_score(display, fairness, score):
    display.plot(panels="cost", fairness=fairness, score=score)
    key = fairness if fairness == "contribution" else f"change_{fairness}"
    frame = display.result.to_frame()
    found = np.array([line.get_xydata()[0] for line in display.cost_points_])
    np.testing.assert_array_equal(found, frame[[f"change_{score}", key]].to_numpy())
    assert {label.get_text() for label in display.labels_} == set(frame.index)


def test_names_in_the_cost_plane_do_not_overlap(display):
    display.plot()
    figure = display.figure_
    figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in display.labels_]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_few_features_and_few_names_are_shown_when_asked(display):
    display.plot(n_features=2, n_labels=1)
    largest = sorted(abs(row.contribution) for row in display.result.features)[-2:]
    shown = sorted(abs(line.get_xdata()[0]) for line in display.contribution_points_)
    assert shown == largest
    assert "3 features of smaller |FC|" in display.axes_[0].get_xlabel()
    assert len(display.cost_points_) == 5
    assert len(display.labels_) == 1
    assert display.plot(n_labels=0).labels_ == []


def test_panels_are_drawn_where_they_are_told(display):
    _, axes = plt.subplots(1, 2)
    assert display.plot(axes=axes) is display
    assert list(display.axes_) == list(axes)
    _, ax = plt.subplots()
    assert display.plot(ax, panels="cost").ax_ is ax
    assert not ax.spines["top"].get_visible()
    assert display.plot(panels="cost", despine=False).ax_.spines["top"].get_visible()


def test_the_title_names_the_model(display):
    assert display.plot().figure_.get_suptitle().startswith("LogisticRegression, refitted")
    assert display.plot(name="Mine").figure_.get_suptitle().startswith("Mine, refitted")


def test_failed_features_are_named(display):
    failed = FeatureRemoval.failed("broken", ("broken",), "no way", display.result.full.scores)
    result = replace(display.result, features=(*display.result.features, failed))
    drawn = FeatureRemovalDisplay(result=result).plot()
    assert "not measured: broken" in drawn.axes_[0].get_xlabel()
    assert len(drawn.cost_points_) == 5


def test_an_audit_without_intervals_is_drawn(table):
    display = FeatureRemovalDisplay.from_estimator(
        LogisticRegression(), *table, sensitive_features="race",
        **{**OPTIONS, "n_permutations": 0, "n_resamples": 0},
    ).plot()
    assert len(display.contribution_points_) == 5
    assert "p" not in display.figure_.get_suptitle().split("full model:")[1].split(",")[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"panels": []}, "panels is empty"),
        ({"panels": ["costs"]}, "panels must be one of"),
        ({"fairness": "aurgf"}, "fairness must be one of"),
        ({"score": "f1"}, "score must be one of"),
        ({"n_features": 0}, "n_features must be at least 1"),
        ({"axes": [None]}, "holds 1 Axes for the 2 panels"),
    ],
)
def test_bad_options_are_refused(display, options, message):
    if "axes" in options:
        options = {"axes": [plt.subplots()[1]]}
    with pytest.raises(ValueError, match=message):
        display.plot(**options)


def test_an_audit_without_a_scorer_has_no_cost_plane(display):
    full = replace(display.result.full, scores={})
    features = tuple(replace(row, scores={}) for row in display.result.features)
    bare = FeatureRemovalDisplay(result=replace(display.result, full=full, features=features))
    with pytest.raises(ValueError, match="leave out 'cost'"):
        bare.plot()
    assert bare.plot(panels="contributions").axes_.size == 1


def test_from_estimator_audits_what_it_is_given(table, fitted):
    X, y = table
    settings = {"sensitive_features": "race", **OPTIONS}
    by_name = FeatureRemovalDisplay.from_estimator(LogisticRegression(), X, y, **settings)
    settings["sensitive_features"] = X["race"]
    by_row = FeatureRemovalDisplay.from_estimator(
        LogisticRegression(), X.drop(columns="race"), y, **settings
    )
    again = FeatureRemovalDisplay.from_estimator(fitted, X, y, n_permutations=0)
    reference = fitted.result_["debt"]
    for found in (by_name, by_row, again):
        assert found.result["debt"].contribution == reference.contribution
    assert by_name.result["debt"].pvalue == by_row.result["debt"].pvalue == reference.pvalue
    assert np.isnan(again.result["debt"].pvalue)
    assert by_row.name == "LogisticRegression"


def test_from_estimator_needs_rows_or_a_fitted_auditor(fitted):
    for estimator in (LogisticRegression(), FeatureRemovalAuditor(LogisticRegression())):
        with pytest.raises(ValueError, match="X is None"):
            FeatureRemovalDisplay.from_estimator(estimator)


def test_from_predictions_gives_the_audits_numbers(table, fitted):
    X, y = table
    scores = {name: score[0] for name, score in fitted.held_out_scores_.items()}
    full = scores.pop(None)
    found = FeatureRemovalDisplay.from_predictions(
        y, full, scores, sensitive_features=X["race"], n_permutations=19, n_resamples=40,
        random_state=0,
    ).result
    for row in found.features:
        reference = fitted.result_[row.feature]
        assert row.contribution == pytest.approx(reference.contribution)
        assert row.scores["roc_auc"].change == reference.scores["roc_auc"].change
        # The same draws, because they rest on the seed and the rows alone.
        assert row.centered_rgf.low == pytest.approx(reference.centered_rgf.low)
        assert row.columns == (row.feature,)


def test_from_predictions_takes_folds_missing_groups_and_refuses_other_lengths(table):
    X, y = table
    rng = np.random.default_rng(0)
    race = X["race"].where(np.arange(300) > 9, None)
    fold = np.arange(300) % 3
    display = FeatureRemovalDisplay.from_predictions(
        y, rng.random(300), {"noise": rng.random(300)}, sensitive_features=race, strata=fold,
        missing="drop", n_permutations=19, n_resamples=20, random_state=0, name="Two coins",
    )
    assert (display.result.n_samples, display.result.n_dropped) == (290, 10)
    assert display.result.n_folds == 3
    with pytest.raises(ValueError, match="y_score_without"):
        FeatureRemovalDisplay.from_predictions(
            y, rng.random(300), {"noise": rng.random(9)}, sensitive_features=X["race"]
        )
