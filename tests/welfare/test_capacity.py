"""Equal welfare within a capacity, against linear programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from fairrank.welfare import capacity_constrained_policy, welfare_optimal_policy


def best_by_linear_program(revenue, utility, group, use, weight, capacity, tolerance):
    n = len(revenue)
    part = weight / weight.sum()
    rows, bounds = [np.append(part * use, 0.0)], [capacity]
    for g in np.unique(group):
        own = group == g
        welfare = np.where(own, weight * utility / weight[own].sum(), 0.0)
        rows += [np.append(welfare, -1.0), np.append(-welfare, 1.0)]
        bounds += [tolerance, 0.0]
    found = linprog(
        np.append(-part * revenue, 0.0), A_ub=rows, b_ub=bounds,
        bounds=[(0, 1)] * n + [(None, None)], method="highs-ds", options={"presolve": False},
    )
    assert found.status == 0
    return -found.fun


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6), n=st.integers(6, 40), n_groups=st.integers(2, 3),
    digits=st.integers(0, 8), kind=st.sampled_from(["ones", "positive", "both signs"]),
    by_amount=st.booleans(), capacity=st.floats(0.02, 0.9),
    tolerance=st.sampled_from([0.0, 0.0, 0.05, 0.3]),
)
def test_no_policy_within_the_capacity_brings_more(
    seed, n, n_groups, digits, kind, by_amount, capacity, tolerance
):
    rng = np.random.default_rng(seed)
    group = np.append(np.arange(n_groups), rng.integers(0, n_groups, n - n_groups))
    revenue = np.round(rng.normal(0.2, 1.0, n), digits)
    utility = {
        "ones": np.ones(n), "positive": rng.random(n) + 0.05, "both signs": rng.normal(size=n)
    }[kind]
    use = rng.random(n) + 0.1 if by_amount else np.ones(n)
    weight = rng.integers(1, 4, n)
    found = capacity_constrained_policy(
        revenue, utility, sensitive_features=group, sample_weight=weight, capacity=capacity,
        use=use, tolerance=tolerance,
    )
    best = best_by_linear_program(revenue, utility, group, use, weight, capacity, tolerance)
    assert found.policy.revenue == pytest.approx(best, abs=1e-9)
    assert 0.0 <= found.policy.optimality_gap < 1e-9
    assert found.policy.welfare_gap <= tolerance + 1e-12
    assert found.used <= capacity + 1e-12
    again = found.acceptance_probability(revenue, utility, sensitive_features=group, use=use)
    np.testing.assert_allclose(again, found.policy.acceptance, atol=1e-9)
    assert np.average(found.policy.acceptance * use, weights=weight) == pytest.approx(found.used)


def lending_sample(n=3000):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    return rng.normal(0.2, 1, n) + 0.3 * group, rng.random(n) + 0.1, group


def test_the_shadow_price_is_what_more_capacity_brings():
    revenue, utility, group = lending_sample()
    at, more = (
        capacity_constrained_policy(revenue, utility, sensitive_features=group, capacity=c)
        for c in (0.2, 0.2001)
    )
    assert at.used == pytest.approx(0.2, abs=1e-12)
    assert (more.policy.revenue - at.policy.revenue) / 1e-4 == pytest.approx(
        at.shadow_price, rel=0.02
    )


def test_the_price_of_fairness_is_against_the_same_capacity():
    revenue, utility, group = lending_sample()
    found = capacity_constrained_policy(revenue, utility, sensitive_features=group, capacity=0.1)
    best = np.sort(revenue)[-300:].sum() / len(revenue)
    assert found.policy.unconstrained.total_revenue == pytest.approx(best)
    assert found.policy.unconstrained.total_acceptance_rate == pytest.approx(0.1)
    assert 0 < found.policy.price_of_fairness < best


def test_without_scarcity_it_is_the_policy_without_a_capacity():
    revenue, utility, group = lending_sample()
    found = capacity_constrained_policy(revenue, utility, sensitive_features=group, capacity=1.0)
    alone = welfare_optimal_policy(revenue, utility, sensitive_features=group)
    np.testing.assert_array_equal(found.policy.acceptance, alone.acceptance)
    assert found.shadow_price == 0.0
    assert "used" in repr(found)


@pytest.mark.parametrize("options", [{"smoothing": 0.05}, {"method": "search"}])
def test_other_methods_meet_the_capacity_too(options):
    revenue, utility, group = lending_sample(500)
    found = capacity_constrained_policy(
        revenue, utility, sensitive_features=group, capacity=0.15, **options
    )
    assert found.used == pytest.approx(0.15, abs=1e-6)
    assert found.policy.welfare_gap < 1e-3
    assert found.policy.revenue <= found.policy.upper_bound


def test_bad_capacities_are_named():
    revenue, utility, group = lending_sample(50)
    for capacity in (0.0, -1.0, np.inf, "all", None):
        with pytest.raises(ValueError, match="capacity must be a number above 0"):
            capacity_constrained_policy(
                revenue, utility, sensitive_features=group, capacity=capacity
            )
    with pytest.raises(ValueError, match="use must be above 0"):
        capacity_constrained_policy(
            revenue, utility, sensitive_features=group, capacity=0.5, use=0.0
        )
    two = np.column_stack([revenue, revenue])
    with pytest.raises(ValueError, match="capacity takes one option"):
        capacity_constrained_policy(two, two, sensitive_features=group, capacity=0.5)
