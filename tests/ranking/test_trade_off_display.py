"""The picture of a path holds the path's numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank.ranking import (
    RankingTradeOffDisplay,
    XOrderPostProcessor,
    fair_ordering_path,
)


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    plt.close("all")


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    group, y = rng.choice(["a", "b"], n), rng.integers(0, 2, n)
    return y, rng.normal(size=n) + y * (1 + (group == "b")), group


def shown(display):
    return display.fitted_line_.get_xydata()


def test_the_curve_is_the_path():
    y, score, group = sample()
    path = fair_ordering_path(y, score, sensitive_features=group, disparity="prf", n_points=6)
    display = RankingTradeOffDisplay.from_path(path, name="model").plot()
    np.testing.assert_array_equal(shown(display), np.column_stack(
        (path.disparity_after, path.auc)))
    np.testing.assert_array_equal(display.bound_line_.get_xydata(), np.column_stack(
        (path.max_disparity[:-1], path.upper_bound[:-1])))
    assert display.unadjusted_[0].get_xydata().tolist() == [
        [path.disparity_before, path.auc_before]
    ]
    assert display.held_out_line_ is None
    assert display.ax_.get_title() == "Fairness and accuracy of orderings of model"
    assert display.ax_.get_xlim()[0] <= 0.0


def test_new_rows_have_a_curve_of_their_own():
    y, score, group = sample()
    display = RankingTradeOffDisplay.from_predictions(
        y, score, sensitive_features=group, held_out=sample(seed=1), n_points=4
    ).plot(line_kwargs={"color": "black"}, held_out_kwargs={"label": "test"})
    assert display.fitted_line_.get_color() == "black"
    assert display.held_out_line_.get_label() == "test"
    new_y, new_score, new_group = sample(seed=1)
    path = fair_ordering_path(y, score, sensitive_features=group, n_points=4)
    seen = path.evaluate(new_y, new_score, sensitive_features=new_group)
    np.testing.assert_array_equal(display.held_out_line_.get_ydata(), seen.auc)
    assert len(display.unadjusted_) == 2


def test_a_path_of_trade_offs_has_no_bound_in_auc():
    y, score, group = sample()
    display = RankingTradeOffDisplay.from_predictions(
        y, score, sensitive_features=group, trade_offs=[0.0, 1.0]
    )
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    assert display.bound_line_ is None
    assert display.plot(plot_bound=False).bound_line_ is None


def test_a_post_processor_shows_its_folds():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), rng.random(400) < 0.4])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 0.5).astype(int)
    model = XOrderPostProcessor(LogisticRegression(), sensitive_features=1, random_state=0)
    model.fit(X, y)
    path = model.trade_off_path(n_points=4)
    display = RankingTradeOffDisplay.from_estimator(model, n_points=4).plot()
    np.testing.assert_array_equal(shown(display), np.column_stack((path.disparity, path.auc)))
    np.testing.assert_array_equal(display.bound_line_.get_ydata(), path.upper_bound)
    np.testing.assert_array_equal(display.held_out_line_.get_ydata(), path.held_out_auc)
    assert display.ax_.get_title().endswith("of LogisticRegression")
    model.set_params(cv=None).fit(X, y)
    assert RankingTradeOffDisplay.from_estimator(model, n_points=3).plot().held_out_line_ is None


def test_held_out_rows_come_as_three():
    y, score, group = sample()
    with pytest.raises(ValueError, match="held_out must be"):
        RankingTradeOffDisplay.from_predictions(
            y, score, sensitive_features=group, held_out=(y, score)
        )
