import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from strategies_frontier import arguments, frontier_samples, populations


def support_of(sample):
    return SupportFunction(**arguments(sample))


def lines(sample):
    """Every line of every arc, at both of its ends."""
    normals, offsets = [], []
    for a, b, s in oracles.arcs(sample):
        for angle in (a, b):
            normals.append(oracles.direction(angle))
            offsets.append(normals[-1] @ s)
    return np.array(normals), np.array(offsets)


def area(corners):
    x, y = corners.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) if len(corners) else 0.0


@given(frontier_samples())
def test_the_feasible_set_is_what_all_lines_leave(sample):
    normals, offsets = lines(sample)
    found = support_of(sample).feasible_set
    expected = oracles.clipped(normals, offsets + 1e-9)
    if not len(found):
        # Empty but for the slack of the comparison.
        assert area(expected) < 1e-6
        return
    assert ((normals @ found.T).max(axis=1) - offsets).max() <= 1e-9
    for angle in np.arange(16) * np.pi / 8 + 0.05:
        q = oracles.direction(angle)
        inner = oracles.hull_support(oracles.clipped(normals, offsets - 1e-9), q)
        assert inner - 1e-6 <= oracles.hull_support(found, q)
        assert oracles.hull_support(found, q) <= oracles.hull_support(expected, q) + 1e-6


@given(populations())
def test_the_feasible_set_of_a_population_is_the_hull_of_its_rules(population):
    found = support_of(population.as_sample()).feasible_set
    rules = population.all_deterministic()
    assert len(found)
    for angle in np.arange(16) * np.pi / 8 + 0.05:
        q = oracles.direction(angle)
        assert abs(oracles.hull_support(found, q) - oracles.hull_support(rules, q)) < 1e-8


def test_corners_of_a_large_sample_are_convex_and_attain_no_excess():
    data = make_frontier_data(20_000, random_state=0)
    support = SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )
    corners = support.feasible_set
    assert len(corners) > 20
    edge = np.roll(corners, -1, axis=0) - corners
    assert np.abs(edge).max(axis=1).min() > 1e-9
    after = np.roll(edge, -1, axis=0)
    assert (edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]).min() > -1e-12
    assert np.abs(support.largest_excess(corners).value).max() < 1e-9
    # Near R the estimate is cut back: one line meets the set nowhere near its support point.
    assert corners[:, 0].min() >= support.best_points[0, 0]
    assert_allclose(area(corners), area(support.plug_in.support_points), rtol=0.05)


@given(populations())
def test_no_corner_comes_twice(population):
    corners = support_of(population.as_sample()).feasible_set
    if len(corners) > 1:
        step = np.abs(np.roll(corners, -1, axis=0) - corners).max(axis=1)
        assert step.min() > 1e-9 * np.abs(corners).max()


def test_a_single_pair_of_risks_is_one_corner():
    # Both decisions cost the same, so that all rules have the same risks.
    support = SupportFunction(
        [0, 1, 1, 1], [0, 1, 1, 1], np.ones((4, 2)), sensitive_features=[0, 0, 1, 1],
    )
    assert_allclose(support.feasible_set, [[0.5, 1.0]], atol=1e-9)


def test_contradictory_lines_leave_nothing():
    # Realised losses contradict the estimates.
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], [[-1, 0], [1, 0], [0, -1], [0, 1]],
        sensitive_features=[0, 0, 1, 1],
    )
    assert support.feasible_set.shape == (0, 2)
