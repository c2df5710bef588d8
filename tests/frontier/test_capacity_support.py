"""The support function within a capacity: its level, and its standard error over samples."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._capacity_support import capacity_support
from strategies_frontier import angles, arguments, frontier_samples, populations

downward = angles.filter(lambda a: np.cos(a) < -1e-9 or np.sin(a) < -1e-9)
capacities = st.integers(1, 24).map(lambda k: k / 24)


def support_of_data(data):
    return SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )


@given(populations(), downward, capacities)
def test_a_population_gives_the_largest_level_that_the_capacity_leaves(
    population, angle, capacity
):
    sample, q = population.as_sample(), oracles.direction(angle)
    nobody = population.risks(np.zeros(len(population.mass)))
    found = capacity_support(SupportFunction(**arguments(sample)), q, capacity)
    expected = float(q @ nobody) + oracles.most_gained(sample, q, capacity)
    assert found.level == pytest.approx(expected, abs=1e-12)
    assert found.level == pytest.approx(q @ found.point, abs=1e-12)
    assert found.selection_rate <= capacity + 1e-12


@given(frontier_samples(), downward)
def test_a_capacity_of_all_is_no_capacity(sample, angle):
    q = oracles.direction(angle)
    support = SupportFunction(**arguments(sample))
    found = capacity_support(support, q, 1.0)
    assert found.level == pytest.approx(support.h(q), abs=1e-12)
    assert found.standard_error == pytest.approx(support.standard_error(q), abs=1e-12, nan_ok=True)
    assert_allclose(found.decisions, support.decisions(q))


@given(frontier_samples(kinds=("continuous",)), downward, capacities)
def test_the_price_is_what_more_capacity_brings(sample, angle, capacity):
    q = oracles.direction(angle)
    found = capacity_support(SupportFunction(**arguments(sample)), q, capacity)
    step = 1e-7
    gained = [oracles.most_gained(sample, q, capacity + sign * step) for sign in (-1, 1)]
    before = (gained[1] - oracles.most_gained(sample, q, capacity)) / step
    after = (oracles.most_gained(sample, q, capacity) - gained[0]) / step
    assert min(before, after) - 1e-6 <= found.rule.price <= max(before, after) + 1e-6


@given(populations(), downward, st.sampled_from([1, 2, 3]))
def test_the_standard_error_counts_what_a_row_takes_of_the_capacity(population, angle, times):
    sample, q = population.as_sample(), oracles.direction(angle)
    # Far from every sum of cells' shares, at which the price jumps.
    capacity, step = times * (np.sqrt(5) - 2), 1e-6
    squares = 0.0
    for i in range(sample.n):
        levels = []
        for sign in (1, -1):
            weight = sample.mass.copy()
            weight[i] *= 1 + sign * step
            moved = SupportFunction(**{**arguments(sample), "sample_weight": weight})
            levels.append(capacity_support(moved, q, capacity).level)
        squares += ((levels[0] - levels[1]) / (2 * step)) ** 2
    found = capacity_support(SupportFunction(**arguments(sample)), q, capacity)
    if (np.bincount(sample.group[sample.mass > 0]) < 2).any():
        # A group of one row, whose error is unknown unless neither q nor a price weighs it.
        assert np.isnan(found.standard_error) or not found.rule.price
        return
    assert found.standard_error == pytest.approx(np.sqrt(squares), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("direction", ["utilitarian", [-1.0, 0.0]])
def test_the_standard_error_is_the_spread_over_samples(direction):
    large = make_frontier_data(200_000, random_state=1)
    truth = capacity_support(support_of_data(large), direction, 0.2)
    levels, errors = [], []
    for seed in range(400):
        found = capacity_support(
            support_of_data(make_frontier_data(500, random_state=seed)), direction, 0.2
        )
        levels.append(found.level)
        errors.append(found.standard_error)
    spread = np.std(levels)
    # A spread of 400 levels has a relative error of 3.5 %.
    assert np.mean(errors) == pytest.approx(spread, rel=0.1)
    assert np.mean(levels) == pytest.approx(truth.level, abs=3 * spread / 20)


def test_the_repr_and_the_dictionary_hold_the_price():
    found = capacity_support(support_of_data(make_frontier_data(400, random_state=0)), [-1, -1],
                             0.125)
    assert "selection rate 0.1250" in repr(found)
    values = json.loads(json.dumps(found.to_dict()))
    assert values["rule"]["price"] == found.rule.price > 0
    assert len(values["decisions"]) == 400
