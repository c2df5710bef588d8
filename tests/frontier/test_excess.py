"""Exact maxima over directions against every arc, dense grids and the definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from strategies_frontier import arguments, frontier_samples, populations, risk_pairs

LOW, HIGH = oracles.FORCED[0], oracles.FORCED[0] + math.pi
NAMED = {
    "all": (LOW, LOW + 2 * math.pi), "frontier": (LOW, HIGH),
    "pareto": (math.pi, 3 * math.pi / 2),
}


def support_of(sample):
    return SupportFunction(**arguments(sample))


@given(frontier_samples(), st.lists(risk_pairs, min_size=1, max_size=4), st.sampled_from([*NAMED]))
def test_the_largest_excess_is_the_best_over_all_arcs(sample, points, over):
    cut = oracles.within(oracles.arcs(sample), *NAMED[over])
    found = support_of(sample).largest_excess(points, over)
    assert_allclose(found.value, [oracles.largest_excess(cut, e) for e in points], atol=1e-9)
    one = support_of(sample).largest_excess(points[0], over)
    assert one.value == found.value[0]
    assert one.arc == found.arc[0]


@given(
    frontier_samples(), risk_pairs, st.integers(0, 35), st.integers(1, 36)
)
def test_any_range_of_directions_can_be_asked_for(sample, e, start, length):
    low, high = start * math.pi / 18, (start + length) * math.pi / 18
    cut = oracles.within(oracles.arcs(sample), low, high)
    ends = [oracles.direction(low), oracles.direction(high)]
    found = support_of(sample).largest_excess(e, ends)
    assert found.value == pytest.approx(oracles.largest_excess(cut, e), abs=1e-9)


@given(frontier_samples(), risk_pairs)
def test_the_direction_and_the_arc_attain_the_excess(sample, e):
    support = support_of(sample)
    found = support.largest_excess(e)
    q = found.direction
    assert math.hypot(*q) == pytest.approx(1)
    assert q @ e - support.h(q, found.arc) == pytest.approx(found.value, abs=1e-12)


@given(frontier_samples(kinds=("continuous",)), risk_pairs)
def test_a_grid_never_passes_the_exact_maxima(sample, e):
    support = support_of(sample)
    grid = np.array([oracles.direction(a) for a in np.linspace(LOW, HIGH, 700)[1:-1]])
    level = support.h(grid)
    exact = support.largest_excess(e, "frontier").value
    assert (grid @ e - level).max() <= exact + 1e-12
    better = np.array([-oracles.h_of_better(e, -q) for q in grid])
    assert (better - level).max() <= support.separation(e).value + 1e-12


@given(frontier_samples(), st.lists(risk_pairs, min_size=1, max_size=4))
def test_the_separation_is_the_best_over_all_arcs(sample, points):
    cut = oracles.arcs(sample)
    found = support_of(sample).separation(points)
    assert_allclose(found.value, [oracles.separation(cut, e) for e in points], atol=1e-9)
    assert support_of(sample).separation(points[0]).value == found.value[0]


@given(risk_pairs, st.floats(-0.78, 2.35))
def test_the_support_function_of_better_risks_is_that_of_its_corners(e, angle):
    p = oracles.direction(angle)
    expected = oracles.largest_better_by_points(e, p)
    assert oracles.h_of_better(e, p) == pytest.approx(expected, abs=1e-9)


@given(frontier_samples(), risk_pairs)
def test_the_separation_is_attained_in_its_direction(sample, e):
    support = support_of(sample)
    found = support.separation(e)
    q = found.direction
    expected = -oracles.h_of_better(e, -q) - support.h(q, found.arc)
    assert found.value == pytest.approx(expected, abs=1e-12)


@given(populations(), st.data())
def test_a_point_that_is_dominated_clearly_is_not_separated(population, data):
    support = SupportFunction(**arguments(population.as_sample()))
    rules = population.all_deterministic()
    i, j = data.draw(st.tuples(*[st.integers(0, len(rules) - 1)] * 2))
    e = (rules[i] + 2 * rules[j]) / 3
    assert support.largest_excess(e).value <= 1e-12
    if support.separation(e).value > -1e-9:
        # Nothing attainable lies inside C(e).
        mixtures = [
            (1 - t) * a + t * b for a in rules for b in rules[:8] for t in (0, 0.25, 0.5)
        ]
        gap = abs(e[0] - e[1])
        assert not any(
            (x < e - 1e-7).all() and abs(x[0] - x[1]) < gap - 1e-7 for x in mixtures
        )


@given(populations())
def test_the_population_frontier_is_separated_and_attainable(population):
    support = SupportFunction(**arguments(population.as_sample()))
    assert support.on_frontier(support.frontier(), 1e-9).all()
    assert np.abs(support.largest_excess(support.frontier()).value).max() < 1e-9


def test_midpoints_and_the_status_quo_are_not_on_the_frontier_of_the_designs():
    for design in ("balanced", "r_skewed"):
        data = make_frontier_data(20_000, design=design, random_state=0)
        support = SupportFunction(
            data.target != 0, data.target != 1, data.delta_theta(data.data),
            sensitive_features=data.sensitive_features, group_names=data.group_names,
        )
        inside = [data.status_quo_risks, data.best_points.mean(axis=0)]
        gains = -support.separation(inside).value
        assert gains[0] > 0.02
        assert (gains > 0).all()
        assert not support.on_frontier(data.status_quo_risks)
        assert support.on_frontier(data.fairest_point) is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2, 3],), r"e must have shape \(2,\) or \(m, 2\)"),
        (([1, np.inf],), "e has 0 NaN and 1 infinite"),
        (([1, 2], "some"), r"over must be one of \('all', 'frontier', 'pareto'\) or a pair"),
        (([1, 2], [[1, 0]]), "over must be one of .* or two directions"),
        (([[1, 2], [1]],), "e is ragged"),
    ],
)
def test_a_bad_argument_is_named(arguments, message):
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(ValueError, match=message):
        support.largest_excess(*arguments)


def test_a_slack_is_not_negative():
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(ValueError, match="slack"):
        support.on_frontier([0, 0], -1)
