"""The picture of a policy holds the policy's numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank.welfare import (
    WelfareDisplay,
    WelfareEqualizingClassifier,
    expected_revenue,
    expected_utility,
    price_of_fairness_path,
    welfare_optimal_policy,
)
from fairrank.welfare._thinned_path import thinned


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    plt.close("all")


def sample(n=400, seed=0, groups=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    group = rng.choice(groups, n)
    p = rng.beta(np.where(group == "a", 4, 2), 2)
    return expected_revenue(p, loss=2), np.ones(n), group, p


def shown(tolerance=0.0, **options):
    revenue, utility, group, p = sample()
    return WelfareDisplay.from_predictions(
        revenue, utility, sensitive_features=group, y_score=p, tolerance=tolerance, **options
    )


def place(line):
    return line.get_xydata().ravel().tolist()


def test_frontiers_and_points_are_those_of_the_policy():
    revenue, utility, group, _ = sample()
    policy = welfare_optimal_policy(revenue, utility, sensitive_features=group)
    display = WelfareDisplay.from_policy(policy, name="model").plot()
    for g, one in enumerate(policy.frontiers.values()):
        np.testing.assert_array_equal(
            display.frontier_lines_[g].get_xydata(), np.column_stack([one.welfare, one.revenue])
        )
        assert place(display.chosen_points_[g]) == [
            policy.welfare[g], policy.values.revenue[g]
        ]
        assert place(display.unconstrained_points_[g]) == [
            policy.unconstrained.welfare[g], policy.unconstrained.revenue[g]
        ]
    assert display.welfare_mark_.get_xdata()[0] == policy.welfare[0]
    assert display.frontier_lines_[2].get_label() == "c"
    assert display.figure_.get_suptitle() == "model"


def test_the_sum_of_frontiers_is_largest_at_the_welfare_of_all():
    display = shown().plot(panels="frontiers")
    at, total = display.total_line_.get_xydata().T
    assert total.max() == pytest.approx(display.policy.revenue, abs=1e-12)
    assert at[total.argmax()] == pytest.approx(display.policy.welfare[0], abs=1e-12)


def test_a_tolerance_is_a_window():
    display = shown(tolerance=0.05).plot()
    # Corners of the patch in data: before matplotlib 3.9 it was a polygon.
    mark = display.welfare_mark_
    across = mark.get_transform().transform_path(mark.get_path()).vertices[:, 0]
    to_data = mark.axes.transData.inverted()
    low, high = to_data.transform([(x, 0.0) for x in (across.min(), across.max())])[:, 0]
    assert (low, high - low) == pytest.approx((display.policy.welfare.min(), 0.05))
    assert display.total_line_ is None


def test_the_price_is_that_of_the_path():
    revenue, utility, group, _ = sample()
    path = price_of_fairness_path(revenue, utility, sensitive_features=group)
    display = shown(tolerance=0.05).plot(panels="price", relative=False)
    tolerance, price = display.price_line_.get_xydata().T
    np.testing.assert_array_equal(tolerance, path.tolerance)
    np.testing.assert_allclose(price, path.revenue[0] - path.revenue, atol=1e-15)
    assert place(display.price_point_) == [0.05, display.policy.price_of_fairness]
    in_percent = display.plot(panels="price").price_line_.get_ydata()
    np.testing.assert_allclose(in_percent, 100 * (1 - path.revenue / path.revenue[0]), atol=1e-12)
    given = WelfareDisplay.from_policy(display.policy, path=path)
    assert given.path is path


def test_a_histogram_says_who_is_accepted():
    revenue, _, group, p = sample()
    display = shown(n_bins=7)
    found, policy = display.distribution, display.policy
    for g, label in enumerate(policy.groups):
        own = group == label
        for array, values in (
            (found.share, np.ones(p.size)), (found.accepted, policy.acceptance),
            (found.unconstrained, revenue > 0),
        ):
            counted, _ = np.histogram(p[own], found.edges, weights=values[own] * 1.0)
            np.testing.assert_allclose(array[g], counted / own.sum(), atol=1e-15)
        assert found.accepted[g].sum() == pytest.approx(policy.values.acceptance_rate[g])
        assert found.cut[g] == p[own & (policy.acceptance > 0)].min()
        assert found.unconstrained_cut[g] == p[own & (revenue > 0)].min()
    assert found.outside.tolist() == [0.0, 0.0, 0.0]
    lines = display.plot(panels="thresholds").cut_lines_
    assert [line.get_xdata()[0] for line in lines] == found.cut.tolist()


def test_weights_count_as_repetitions():
    revenue, utility, group, p = sample(n=60)
    weight = np.random.default_rng(1).integers(0, 4, 60)
    many = np.repeat(np.arange(60), weight)
    weighted, repeated = (
        WelfareDisplay.from_predictions(
            revenue[rows], utility[rows], sensitive_features=group[rows], y_score=p[rows],
            n_bins=5, **given,
        ).distribution
        for rows, given in ((np.arange(60), {"sample_weight": weight}), (many, {}))
    )
    for name in ("edges", "share", "accepted", "cut"):
        np.testing.assert_allclose(
            getattr(weighted, name), getattr(repeated, name), atol=1e-12, err_msg=name
        )


def test_revenue_over_utility_is_cut_at_the_multiplier():
    _, _, group, p = sample(n=3000)
    revenue = expected_revenue(p, loss=2)
    utility = expected_utility("equal_opportunity", p, sensitive_features=group)
    display = WelfareDisplay.from_predictions(revenue, utility, sensitive_features=group)
    found = display.distribution
    np.testing.assert_allclose(found.cut, display.policy.multiplier, atol=0.01)
    np.testing.assert_allclose(found.unconstrained_cut, 0.0, atol=0.01)
    assert (found.outside > 0).any()
    assert found.edges[0] < found.cut.min()
    assert found.edges[-1] > found.cut.max()


def test_a_score_that_does_not_order_acceptance_has_no_cut():
    revenue, utility, group, p = sample()
    display = WelfareDisplay.from_predictions(
        revenue, utility, sensitive_features=group, y_score=-p
    ).plot()
    assert np.isnan(display.distribution.cut).all()
    assert display.cut_lines_ == [None, None, None]


def test_negative_utilities_and_several_options_leave_thresholds_out():
    revenue, _, group, p = sample()
    both_signs = 2 * p - 0.5
    display = WelfareDisplay.from_predictions(revenue, both_signs, sensitive_features=group)
    assert display.panels == ("frontiers", "price")
    assert display.plot().axes_.size == 2
    with pytest.raises(ValueError, match="no score to draw 'thresholds' on"):
        display.plot(panels="thresholds")
    scored = WelfareDisplay.from_predictions(
        revenue, both_signs, sensitive_features=group, y_score=p
    )
    assert "thresholds" in scored.panels
    menu = {"revenue": np.column_stack([revenue, revenue / 2]),
            "utility": np.column_stack([np.ones_like(p), np.full_like(p, 0.7)])}
    options = WelfareDisplay.from_predictions(**menu, sensitive_features=group)
    assert options.panels == ("frontiers", "price")
    with pytest.raises(ValueError, match="chooses among 3 options"):
        WelfareDisplay.from_predictions(**menu, sensitive_features=group, y_score=p)


def test_people_without_a_utility_stand_nowhere():
    revenue, utility, group, _ = sample()
    utility[:50] = 0.0
    display = WelfareDisplay.from_predictions(revenue, utility, sensitive_features=group)
    without = np.bincount(np.searchsorted(["a", "b", "c"], group[:50]))
    assert (display.distribution.outside * np.unique(group, return_counts=True)[1]
            >= without - 1e-9).all()


def test_plotting_changes_nothing_and_takes_axes():
    display = shown()
    before = (display.policy, display.path, display.distribution)
    _, axes = plt.subplots(1, 2)
    assert display.plot(axes, panels=["price", "frontiers"]) is display
    assert display.axes_[0].get_ylabel() == "price of fairness, % of revenue"
    assert display.ax_ is axes[0]
    assert all(a is b for a, b in zip(before, (
        display.policy, display.path, display.distribution)))
    assert display.figure_.get_suptitle() == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"panels": ()}, "panels is empty"),
        ({"panels": "frontier"}, "panels must be"),
        ({"axes": [None], "panels": ("price", "frontiers")}, "axes holds 1 Axes for the 2 panels"),
        ({"n_corners": 1}, "n_corners"),
    ],
)
def test_a_wrong_request_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        shown().plot(**options)


def test_constructors_name_what_they_were_given():
    with pytest.raises(TypeError, match="policy must be a WelfarePolicy, got a int"):
        WelfareDisplay.from_policy(1)
    revenue, utility, group, _ = sample(groups=("a", "b"))
    other = price_of_fairness_path(revenue, utility, sensitive_features=group)
    with pytest.raises(ValueError, match="path has 2 groups and policy 3"):
        WelfareDisplay.from_policy(shown().policy, path=other)
    with pytest.raises(ValueError, match="object has no policy_"):
        WelfareDisplay.from_estimator(object())


def test_a_long_path_is_thinned_and_stays_near():
    x = np.sort(np.random.default_rng(0).random(100_000))
    y = np.minimum(np.sqrt(x), 4 * (1 - x))
    path = thinned(x, y, 500)
    assert len(path) <= 502
    np.testing.assert_array_equal(path[[0, -1]], np.column_stack([x, y])[[0, -1]])
    assert abs(np.interp(x, *path.T) - y)[x < 0.5].max() < 3 / 499
    few = thinned(x[:4], y[:4], 500)
    np.testing.assert_array_equal(few, np.column_stack([x, y])[:4])


def test_frontiers_of_many_corners_are_drawn_with_few():
    revenue, utility, group, _ = sample(n=20_000)
    display = WelfareDisplay.from_predictions(revenue, utility, sensitive_features=group)
    lines = display.plot(n_corners=100).frontier_lines_
    assert max(line.get_xdata().size for line in lines) <= 102
    total = display.total_line_.get_ydata()
    assert total.max() == pytest.approx(display.policy.revenue, rel=1e-3)


def test_equal_groups_have_nothing_to_pay():
    revenue, utility = [0.5, -0.2, 0.5, -0.2], [1, 1, 1, 1]
    display = WelfareDisplay.from_predictions(
        revenue, utility, sensitive_features=list("aabb")
    ).plot()
    assert display.price_line_.get_ydata().max() == 0.0


def test_a_smoothed_policy_lies_below_its_frontier():
    display = shown(smoothing=0.1).plot()
    assert display.total_line_ is None
    x, y = zip(*(place(point) for point in display.chosen_points_))
    best = [one.revenue_at(w) for one, w in zip(display.policy.frontiers.values(), x)]
    assert (np.array(best) >= np.array(y) - 1e-12).all()
    assert np.isnan(display.distribution.cut).all()


def fitted(n=600, **options):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.random(n) < 0.4])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0.5).astype(int)
    given = {"sensitive_features": 1, "loss": 2.0, "cv": 2, "random_state": 0, **options}
    return WelfareEqualizingClassifier(LogisticRegression(), **given).fit(X, y), X, y


def test_a_classifier_shows_its_policy_and_thresholds_on_other_rows():
    lender, X, _ = fitted()
    display = WelfareDisplay.from_estimator(lender)
    assert display.policy is lender.policy_
    assert display.panels == ("frontiers", "price")
    assert display.name == "LogisticRegression"
    new = X[:200]
    found = WelfareDisplay.from_estimator(lender, new, n_bins=5).distribution
    p, accepted = lender.predict_proba(new)[:, 1], lender.acceptance_probability(new)
    for g, label in enumerate(lender.groups_):
        own = new[:, 1] == label
        assert found.cut[g] == p[own & (accepted > 0)].min()
        assert found.accepted[g].sum() == pytest.approx(accepted[own].mean())
        assert found.unconstrained_cut[g] == p[own & (p > 2 / 3)].min()


def test_the_good_case_may_be_the_first_class():
    lender, X, y = fitted()
    lender.set_params(pos_label="a").fit(X, np.where(y == 1, "a", "b"))
    found = WelfareDisplay.from_estimator(lender, X, n_bins=5).distribution
    assert (found.cut > 0.3).all()


def test_groups_of_rows_may_come_as_an_argument():
    lender, X, y = fitted()
    lender.set_params(sensitive_features=None).fit(X, y, sensitive_features=X[:, 1])
    display = WelfareDisplay.from_estimator(lender, X, sensitive_features=X[:, 1])
    assert np.isfinite(display.plot().distribution.cut).all()
    with pytest.raises(ValueError, match="no sensitive_features"):
        WelfareDisplay.from_estimator(lender, X)


def test_a_capacity_that_binds_is_not_drawn():
    lender, _, _ = fitted(capacity=0.1)
    assert lender.shadow_price_ > 0
    with pytest.raises(ValueError, match="capacity binds"):
        WelfareDisplay.from_estimator(lender)
