"""Directions by name, by weights and by a target, against the definition of each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._direction import as_direction, direction_to
from fairrank.frontier._frontier_rule import frontier_rule
from strategies_frontier import angles, arguments, frontier_samples, populations, risk_pairs


def support_of(sample, **changes):
    return SupportFunction(**{**arguments(sample), **changes})


def three_groups():
    return SupportFunction(
        [0, 1, 0], [1, 0, 1], np.eye(3), sensitive_features=["a", "b", "c"],
        sample_weight=[1.0, 1.0, 2.0],
    )


def plug_in_risks(sample, probability):
    """Risks in which decision 1 changes what is estimated."""
    mass = sample.mass / sample.mass.sum()
    nobody = oracles.risks(sample, np.zeros(sample.n, dtype=bool))
    return nobody + (mass * probability) @ (sample.delta / sample.share)


@given(st.integers(2, 4).flatmap(lambda g: frontier_samples(n_groups=g)))
def test_rawlsian_is_the_best_point_of_the_group_whose_own_is_worst(sample):
    support = support_of(sample)
    own = np.diag(support.best_points)
    group = int(np.argmax(own))
    rule = frontier_rule(support, "rawlsian")
    decided = rule.probability(sample.delta)
    assert_array_equal(np.unique(np.append(decided, [0, 1])), [0, 1])
    found = oracles.risks(sample, decided > 0)
    assert_allclose(found, support.best_points[group], atol=1e-12)
    assert_array_equal(rule.direction, -np.eye(sample.n_groups)[group])


@given(st.integers(2, 4).flatmap(lambda g: frontier_samples(n_groups=g)))
def test_majority_is_the_best_point_of_the_largest_group(sample):
    support = support_of(sample)
    group = int(np.argmax(sample.share))
    decided = frontier_rule(support, "majority").probability(sample.delta) > 0
    assert_allclose(oracles.risks(sample, decided), support.best_points[group], atol=1e-12)


def test_utilitarian_weighs_all_groups_alike():
    assert_allclose(as_direction(three_groups(), "utilitarian").q, -np.ones(3) / np.sqrt(3))


@given(populations())
def test_egalitarian_equalizes_the_plug_in_risks_or_is_the_nearest_corner(population):
    sample = population.as_sample()
    support = support_of(sample)
    chance = frontier_rule(support, "egalitarian").probability(sample.delta)
    found = plug_in_risks(sample, chance)
    attained = population.all_deterministic()
    gap = attained[:, 0] - attained[:, 1]
    if gap.min() <= 0 <= gap.max():
        assert found[0] == pytest.approx(found[1], abs=1e-9)
        assert found[0] == pytest.approx(oracles.smallest_equal_risk(oracles.arcs(sample)))
    else:
        assert abs(found[0] - found[1]) == pytest.approx(np.abs(gap).min(), abs=1e-12)


@given(populations(), st.floats(0, 1), st.data())
def test_a_target_on_the_plug_in_frontier_is_attained(population, part, data):
    sample = population.as_sample()
    support = support_of(sample)
    corners = support.plug_in.points
    first = data.draw(st.integers(0, len(corners) - 1))
    last = min(first + 1, len(corners) - 1)
    target = (1 - part) * corners[first] + part * corners[last]
    chance = frontier_rule(support, direction_to(support, target)).probability(sample.delta)
    assert_allclose(plug_in_risks(sample, chance), target, atol=1e-9)


@given(frontier_samples(), risk_pairs)
def test_the_direction_to_a_target_is_where_it_is_furthest_beyond_the_plug_in(sample, target):
    support = support_of(sample)
    q = direction_to(support, target).q
    reached = float(q @ target) - support.plug_in.h(q)
    tried = [oracles.direction(a) for a in np.linspace(0.75, 1.75, 33)[1:-1] * np.pi]
    assert max(t @ target - oracles.h_plug_in(sample, t) for t in tried) <= reached + 1e-9


def test_a_direction_passes_through():
    support = three_groups()
    found = as_direction(support, "majority")
    assert as_direction(support, found) is found
    assert found.name == "majority"


@given(frontier_samples(), angles.filter(lambda a: np.cos(a) < -1e-9 or np.sin(a) < -1e-9))
def test_weights_are_kept_as_they_came(sample, angle):
    q = 7 * oracles.direction(angle)
    found = as_direction(support_of(sample), list(q))
    assert_array_equal(found.q, q)
    assert found.name is None


@pytest.mark.parametrize(
    ("direction", "message"),
    [
        ("fair", "direction must be one of 'rawlsian', .*, got 'fair'"),
        ("egalitarian", "'egalitarian' is for two groups, .* there are 3: 'a', 'b', 'c'"),
        ([1, 0, 0], r"direction=\[1.0, 0.0, 0.0\] has no entry below 0, .* \[-1.0, -1.0, -1.0\]"),
        ([0, 0, 0], "has no entry below 0"),
        ([-1, 0], r"direction must have shape \(3,\)"),
        ([[-1, 0, 0]], r"direction must be one direction, got shape \(1, 3\)"),
        ([-1, np.nan, 0], "direction has 1 NaN"),
        ([-1e200, 0, 0], "direction reaches 1e.200"),
    ],
)
def test_a_bad_direction_is_named(direction, message):
    with pytest.raises(ValueError, match=message):
        as_direction(three_groups(), direction)


def test_a_target_is_for_two_groups():
    with pytest.raises(ValueError, match=r"^point is for two groups"):
        direction_to(three_groups(), [0, 0, 0])


def test_a_target_is_one_pair():
    data = make_frontier_data(50, random_state=0)
    support = SupportFunction(
        data.target, 1 - data.target, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features,
    )
    with pytest.raises(ValueError, match=r"point must be one pair of risks, got shape \(1, 2\)"):
        direction_to(support, [[0.3, 0.3]])
