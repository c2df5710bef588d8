"""Capacities whose price is hard to find: smoothing, no revenue, idle rows, next to no room."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from fairrank.welfare import capacity_constrained_policy


def best_by_linear_program(revenue, utility, group, use, weight, capacity, tolerance):
    """Largest revenue; rows without weight are left out."""
    counted = weight > 0
    revenue, utility, group, use, weight = (
        values[counted] for values in (revenue, utility, group, use, weight)
    )
    part, size = weight / weight.sum(), np.abs(utility).max()
    rows, bounds = [np.append(part * use / capacity, 0.0)], [1.0]
    for g in np.unique(group):
        own = group == g
        welfare = np.where(own, weight * utility / weight[own].sum(), 0.0) / size
        rows += [np.append(welfare, -1.0), np.append(-welfare, 1.0)]
        bounds += [tolerance / size, 0.0]
    found = linprog(
        np.append(-part * revenue, 0.0), A_ub=rows, b_ub=bounds,
        bounds=[(0, 1)] * len(part) + [(None, None)], method="highs",
    )
    assert found.status == 0
    return -found.fun


def check(found, revenue, utility, group, use, weight, capacity, tolerance):
    """What holds of every policy within a capacity, smoothed or not."""
    policy = found.policy
    assert ((policy.acceptance >= 0) & (policy.acceptance <= 1)).all()
    assert all(0 <= one.part <= 1 and one.price >= 0 for one in found.parts)
    assert sum(one.part for one in found.parts) == pytest.approx(1.0)
    used = np.average(policy.acceptance * use, weights=weight)
    assert used == pytest.approx(found.used, rel=1e-9)
    assert used <= capacity * (1 + 1e-9)
    assert found.shadow_price >= 0
    welfare = [
        np.average((policy.acceptance * utility)[group == g], weights=weight[group == g])
        for g in np.unique(group)
    ]
    assert np.ptp(welfare) <= tolerance + 1e-9 * np.abs(utility).max()
    # Rejecting everybody is within every capacity, and its revenue is 0.
    assert policy.upper_bound >= max(policy.revenue, 0.0)
    again = found.acceptance_probability(revenue, utility, sensitive_features=group, use=use)
    np.testing.assert_allclose(again, policy.acceptance, atol=1e-9)


@st.composite
def lending(draw, smoothing=False):
    """Few rows; revenue with zeros, all of one sign or of both; weights with zeros."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, n_groups = draw(st.integers(6, 30)), draw(st.integers(2, 3))
    group = np.append(np.repeat(np.arange(n_groups), 2), rng.integers(0, n_groups, n - 4))[:n]
    revenue = rng.normal(size=n)
    kind = draw(st.sampled_from(["zero", "not above 0", "below 0", "some 0", "both", "coarse"]))
    if kind == "zero" and not smoothing:
        revenue[:] = 0.0
    elif kind in ("not above 0", "below 0"):
        revenue = -np.abs(revenue)
    elif kind == "coarse":
        revenue = np.round(revenue, 1)
    if kind in ("not above 0", "some 0"):
        revenue[rng.random(n) < 0.6] = 0.0
    revenue *= draw(st.sampled_from([1.0, 1e-100, 1e6]))
    utility = rng.random(n) + 0.05 if smoothing else rng.normal(size=n)
    if draw(st.booleans()):
        utility[rng.random(n) < 0.3] = 0.0
    utility[:n_groups * 2:2] = 1.0
    use = np.exp(rng.normal(size=n)) if draw(st.booleans()) else np.ones(n)
    weight = np.ones(n)
    if draw(st.booleans()):
        weight = rng.integers(0, 3, n).astype(float)
        weight[:n_groups * 2:2] = 1.0
        # Whoever does not count may bring anything.
        revenue[weight == 0] *= 1e9
    if smoothing and not revenue[weight > 0].any():
        revenue[0] = 1.0
    capacity = draw(st.sampled_from([1e-9, 1e-3, 0.05, 0.3, 0.9]))
    tolerance = draw(st.sampled_from([0.0, 0.0, 0.1]))
    return revenue, utility, group, use, weight, capacity, tolerance


def solved(problem, **options):
    revenue, utility, group, use, weight, capacity, tolerance = problem
    return capacity_constrained_policy(
        revenue, utility, sensitive_features=group, use=use, sample_weight=weight,
        capacity=capacity, tolerance=tolerance, **options,
    )


@settings(max_examples=150, deadline=None)
@given(problem=lending())
def test_a_capacity_is_met_at_the_best_revenue_whatever_the_signs(problem):
    found = solved(problem)
    check(found, *problem)
    revenue, *others = problem
    scale = np.abs(revenue[problem[4] > 0]).max() or 1.0
    best = best_by_linear_program(revenue / scale, *others)
    assert found.policy.revenue / scale == pytest.approx(best, abs=1e-6)
    assert 0 <= found.policy.optimality_gap <= 1e-9 * scale


@settings(max_examples=100, deadline=None)
@given(problem=lending(smoothing=True), kappa=st.sampled_from([1e-3, 0.1, 0.5, 0.7, 0.9]))
def test_a_smoothed_policy_stays_within_its_capacity(problem, kappa):
    found = solved(problem, smoothing=kappa)
    check(found, *problem)
    revenue, *others = problem
    scale = np.abs(revenue[problem[4] > 0]).max()
    best = best_by_linear_program(revenue / scale, *others)
    assert found.policy.revenue / scale <= best + 1e-6
    assert found.policy.upper_bound / scale >= best - 1e-6


@pytest.mark.parametrize(
    ("revenue", "kappa"),
    [([1, 0.5, -0.5, -1], 0.9), ([1, 0.5, -0.5, -1], 0.7), ([-0.1, -0.2, -0.3, -2.0], 0.5)],
)
def test_shifts_do_not_grow_with_the_price(revenue, kappa):
    group, ones = np.repeat([0, 1], 2), np.ones(4)
    found = capacity_constrained_policy(
        revenue, ones, sensitive_features=group, capacity=0.05, smoothing=kappa
    )
    check(found, np.array(revenue), ones, group, ones, ones, 0.05, 0.0)
    assert found.used == pytest.approx(0.05)
    for part in found.parts:
        assert part.rule.revenue_shift == pytest.approx(kappa * np.abs(revenue).max())


@pytest.mark.parametrize("method", ["linprog", "search"])
@pytest.mark.parametrize("revenue", [[0, 0, 0, 0], [0, -1, 0, -1], [1, -1, 0, -0.5]])
def test_other_methods_stay_within_a_small_capacity(method, revenue):
    group = np.repeat([0, 1], 2)
    utility = np.array([1.0, -1.0, -1.0, 0.5])
    found = capacity_constrained_policy(
        revenue, utility, sensitive_features=group, capacity=0.001, method=method
    )
    assert found.used <= 0.001 * (1 + 1e-9)
    assert np.ptp(found.policy.welfare) < 1e-5


def test_rows_that_do_not_count_do_not_loosen_the_search():
    rng = np.random.default_rng(0)
    n = 200
    group, weight = rng.integers(0, 3, n), rng.integers(0, 3, n)
    revenue, utility, use = rng.normal(size=n), rng.random(n) + 0.01, np.exp(rng.normal(size=n))
    idle, huge = (
        capacity_constrained_policy(
            np.where(weight == 0, of_idle, revenue), utility, sensitive_features=group,
            sample_weight=weight, capacity=0.05, use=use,
        )
        for of_idle in (0.0, 1e12)
    )
    assert huge.policy.revenue == pytest.approx(idle.policy.revenue, rel=1e-12)
    assert huge.policy.optimality_gap <= 1e-12


def test_a_utility_of_being_rejected_is_not_taken():
    with pytest.raises(TypeError, match="rejected_utility"):
        capacity_constrained_policy(
            [1.0, 0.5], [1, 1], sensitive_features=[0, 1], capacity=0.5, rejected_utility=-1.0
        )


def test_a_use_by_which_revenue_overflows_is_named():
    with pytest.raises(ValueError, match="use is as small as 1e-310"):
        capacity_constrained_policy(
            [1.0, 0.5], [1, 1], sensitive_features=[0, 1], capacity=1e-9, use=[1e-310, 1.0]
        )
