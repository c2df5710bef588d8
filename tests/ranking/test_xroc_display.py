"""The picture of both xROC curves."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank.metrics import xauc_score
from fairrank.ranking import XROCDisplay

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def scored():
    rng = np.random.default_rng(0)
    group, y = rng.choice(["a", "b"], 200), rng.integers(0, 2, 200)
    yield y, rng.normal(size=200) + y + 0.5 * (group == "b"), group
    plt.close("all")


def test_the_disparity_is_that_of_the_two_directions(scored):
    y, score, group = scored
    display = XROCDisplay.from_predictions(y, score, sensitive_features=group)
    first, second = display.pair
    gap = xauc_score(y, score, sensitive_features=group, above=first, below=second)
    gap -= xauc_score(y, score, sensitive_features=group, above=second, below=first)
    assert display.disparity == pytest.approx(gap)


def test_plot_draws_both_directions_and_leaves_the_curves_alone(scored):
    y, score, group = scored
    display = XROCDisplay.from_predictions(
        y, score - 0.5 * (group == "b"), y_score_before=score, sensitive_features=group
    )
    before = [curve.tpr.copy() for curve in display.curves]
    assert display.plot() is display
    assert len(display.lines_) == 2
    assert len(display.before_lines_) == 2
    for curve, tpr in zip(display.curves, before):
        np.testing.assert_array_equal(curve.tpr, tpr)


def test_a_model_is_asked_for_its_scores(scored):
    y, score, group = scored
    X = np.column_stack((score, group == "b"))
    model = LogisticRegression().fit(X, y)
    display = XROCDisplay.from_estimator(model, X, y, sensitive_features=1)
    direct = XROCDisplay.from_predictions(
        y, model.decision_function(X), sensitive_features=X[:, 1]
    )
    assert abs(display.disparity) == pytest.approx(abs(direct.disparity))
