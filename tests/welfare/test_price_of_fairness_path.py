"""The price of fairness at every tolerance: welfare_optimal_policy's revenue, all at once."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairrank.exceptions import DegenerateGroupError, InfeasibleError
from fairrank.welfare import (
    expected_revenue,
    expected_utility,
    price_of_fairness_path,
    welfare_optimal_policy,
)


def problem(seed, utilities="random"):
    """2-5 groups; ties, weights, utilities of both signs, revenues of 0 (flat tops), options."""
    rng = np.random.default_rng(seed)
    n_groups = int(rng.integers(2, 6))
    n = int(rng.integers(2 * n_groups, 40))
    group = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups)])
    n_options = int(rng.choice([1, 1, 1, 2, 3]))
    shape = (n,) if n_options == 1 else (n, n_options)
    coarse = rng.random() < 0.4
    revenue = rng.integers(-3, 4, shape) / 2 if coarse else rng.normal(size=shape)
    if rng.random() < 0.4:
        revenue = np.where(rng.random(shape) < 0.3, 0.0, revenue)
    utility = rng.integers(1, 4, shape) / 1.0 if coarse else rng.random(shape) + 0.01
    if utilities == "random" and rng.random() < 0.5:
        utility = utility * rng.choice([-1, 1], shape)
    if rng.random() < 0.3:
        utility = np.where(rng.random(shape) < 0.2, 0.0, utility)
    # Nobody without a member whom a decision moves.
    utility.reshape(n, -1)[:n_groups, -1] = 1.0
    rejected = [0.0, 0.0, 0.7, None][int(rng.integers(0, 4))]
    if rejected is None and n_options == 1:
        rejected = rng.random(n) if rng.random() < 0.5 else -0.4
    if isinstance(rejected, float) and n_options == 1:
        utility = utility + rejected
    if rejected is None and rng.random() < 0.5:
        # Options apart: small tolerances cannot be met.
        utility = (utility.T + group).T
    weight = [None, rng.random(n) + 0.1, rng.integers(1, 4, n)][int(rng.integers(0, 3))]
    return (revenue, utility), {
        "sensitive_features": group, "sample_weight": weight, "rejected_utility": rejected,
    }


def path_and_problem(seed):
    payoffs, asked = problem(seed)
    try:
        path = price_of_fairness_path(*payoffs, **asked)
    except DegenerateGroupError:
        return None, payoffs, asked
    if not all(one.slope.size for one in path.frontiers.values()):
        # A group that no decision serves: without a tolerance there is no policy to compare with.
        return None, payoffs, asked
    return path, payoffs, asked


@given(st.integers(0, 10**6), st.lists(st.floats(0, 1.3), min_size=4, max_size=4))
@example(7945, [0.0, 0.0, 0.0, 0.0])  # ranges that touch in a point, but for rounding
def test_the_revenue_at_a_tolerance_is_that_of_the_optimal_policy(seed, parts):
    path, payoffs, asked = path_and_problem(seed)
    if path is None:
        return
    smallest, gap = path.smallest_tolerance, path.tolerance[0]
    between = [smallest + part * (gap - smallest) for part in parts]
    for tolerance in [smallest * (1 + 1e-9), *between, *path.tolerance[:8], gap + 1.0]:
        policy = welfare_optimal_policy(*payoffs, tolerance=float(tolerance), **asked)
        assert path.revenue_at(tolerance) == pytest.approx(policy.revenue, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_the_groups_frontiers_add_up_to_the_revenue(seed, part):
    path, _, asked = path_and_problem(seed)
    if path is None:
        return
    tolerance = path.smallest_tolerance + part * np.ptp(path.tolerance)
    lower, upper = path.window_at(tolerance)
    assert upper - lower <= tolerance + 1e-12
    welfare = path.welfare_at(tolerance)
    assert np.ptp(welfare) <= tolerance + 1e-12
    weight = np.ones(len(asked["sensitive_features"]))
    if asked["sample_weight"] is not None:
        weight = asked["sample_weight"]
    share = np.bincount(asked["sensitive_features"], weights=weight) / weight.sum()
    revenue = [
        one.revenue_at(np.clip(w, one.welfare[0], one.welfare[-1]))
        for one, w in zip(path.frontiers.values(), welfare)
    ]
    assert share @ revenue == pytest.approx(path.revenue_at(tolerance), abs=1e-9)


@given(st.integers(0, 10**6))
def test_every_step_costs_at_least_as_much_as_the_one_before(seed):
    path, _, _ = path_and_problem(seed)
    if path is None:
        return
    assert (np.diff(path.price) >= 0).all()
    assert (path.price >= 0).all()
    assert (np.diff(path.tolerance) < 0).all()
    np.testing.assert_allclose(
        np.diff(path.revenue), path.price * np.diff(path.tolerance), atol=1e-15
    )
    np.testing.assert_array_equal(path.tolerance, path.upper - path.lower)


@given(st.integers(0, 10**6))
def test_below_the_smallest_tolerance_no_policy_exists(seed):
    path, payoffs, asked = path_and_problem(seed)
    if path is None or path.smallest_tolerance == 0:
        return
    tolerance = 0.999 * path.smallest_tolerance
    assert np.isnan(path.revenue_at(tolerance))
    assert np.isnan(path.price_at(tolerance))
    with pytest.raises(InfeasibleError):
        welfare_optimal_policy(*payoffs, tolerance=tolerance, **asked)


def test_the_random_problems_hold_every_kind():
    paths = [path_and_problem(seed)[0] for seed in range(300)]
    paths = [path for path in paths if path is not None]
    assert len(paths) > 250
    assert sum(path.smallest_tolerance > 0 for path in paths) > 20
    assert sum(path.tolerance[0] > 0 and path.price[:1].sum() == 0 for path in paths) > 20
    assert {len(path.groups) for path in paths} == {2, 3, 4, 5}


@given(st.integers(0, 10**6))
def test_the_welfare_on_the_path_is_the_one_the_policy_gives(seed):
    # Distinct slopes: with ties several policies are equally good.
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(3), rng.integers(0, 3, 30)])
    revenue, utility = rng.normal(size=33), rng.random(33) + 0.1
    path = price_of_fairness_path(revenue, utility, sensitive_features=group)
    for tolerance in rng.uniform(0, path.tolerance[0], 5):
        policy = welfare_optimal_policy(
            revenue, utility, sensitive_features=group, tolerance=tolerance
        )
        np.testing.assert_allclose(path.welfare_at(tolerance), policy.welfare, atol=1e-9)
        bound = np.maximum(policy.share * policy.multiplier, 0).sum()
        assert path.price_at(tolerance) == pytest.approx(bound, rel=1e-9)


def test_of_equal_prices_the_upper_edge_goes_first():
    path = price_of_fairness_path(
        [0.5, 0.5, 0.5, -0.5], [1, 1, 1, 1], sensitive_features=list("aabb")
    )
    assert path.window_at(0.2) == pytest.approx((0.5, 0.7))
    policy = welfare_optimal_policy(
        [0.5, 0.5, 0.5, -0.5], [1, 1, 1, 1], sensitive_features=list("aabb"), tolerance=0.2
    )
    np.testing.assert_allclose(policy.welfare, path.welfare_at(0.2))


def test_example_3_of_the_paper():
    y_prob, group = [0.75, 0.75, 0.25, 1, 0, 0], [0, 0, 0, 1, 1, 1]
    path = price_of_fairness_path(
        expected_revenue(y_prob, gain=1, loss=2),
        expected_utility("equal_opportunity", y_prob, sensitive_features=group),
        sensitive_features=group,
    )
    assert path.revenue_at(0.0) == pytest.approx(0.25 - 1 / 42)
    np.testing.assert_allclose(path.tolerance, [1 / 7, 0.0])
    np.testing.assert_allclose(path.price, [1 / 6])
    assert path.price_at([1.0, 0.1, 0.0]).tolist() == pytest.approx([0.0, 1 / 6, 1 / 6])


def test_a_price_says_how_far_a_lender_goes():
    path, _, _ = path_and_problem(3)
    for price in path.price:
        tolerance = path.tolerance_at(price)
        assert path.price_at(tolerance) <= price
    assert path.tolerance_at(np.inf) == path.smallest_tolerance
    assert path.tolerance_at(-1.0) == path.tolerance[0]


def test_equal_groups_cost_nothing():
    path = price_of_fairness_path(
        [0.5, -0.5, 0.5, -0.5], [1, 1, 1, 1], sensitive_features=list("aabb")
    )
    assert path.tolerance.tolist() == [0.0]
    assert path.price.size == 0
    assert path.revenue_at([0.0, 1.0]).tolist() == [0.25, 0.25]
    assert path.price_at(0.0) == 0.0


def test_whole_weights_are_repetitions():
    (revenue, utility), _ = problem(5)
    rng = np.random.default_rng(0)
    n = revenue.shape[0]
    group, weight = np.arange(n) % 2, rng.integers(1, 4, n)
    once = price_of_fairness_path(
        revenue, utility, sensitive_features=group, sample_weight=weight
    )
    rows = np.repeat(np.arange(n), weight)
    again = price_of_fairness_path(revenue[rows], utility[rows], sensitive_features=group[rows])
    at = np.linspace(0, once.tolerance[0], 20)
    np.testing.assert_allclose(once.revenue_at(at), again.revenue_at(at), atol=1e-12)


def test_the_path_as_a_dict_is_ready_for_json():
    path, _, _ = path_and_problem(7)
    out = json.loads(json.dumps(path.to_dict()))
    assert out["revenue"] == path.revenue.tolist()
    assert out["groups"] == [str(group) for group in path.groups]


def test_one_group_has_no_path():
    with pytest.raises(DegenerateGroupError, match="sensitive_features holds one group"):
        price_of_fairness_path([0.5, 0.1], [1, 1], sensitive_features=["a", "a"])
