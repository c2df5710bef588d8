"""Rules against the support function's own decisions, and against a sort for the capacity."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
from fairrank.frontier import SupportFunction
from fairrank.frontier._direction import NAMES, direction_to
from fairrank.frontier._frontier_rule import frontier_rule
from strategies_frontier import angles, arguments, frontier_samples, risk_pairs

downward = angles.filter(lambda a: np.cos(a) < -1e-9 or np.sin(a) < -1e-9)
capacities = st.integers(1, 24).map(lambda k: k / 24)


def support_of(sample, **changes):
    return SupportFunction(**{**arguments(sample), **changes})


def share_of(sample, probability):
    return float(sample.mass @ probability / sample.mass.sum())


@given(frontier_samples(), downward, st.floats(0.01, 100))
def test_a_rule_decides_as_the_support_function_does(sample, angle, length):
    support, q = support_of(sample), length * oracles.direction(angle)
    rule = frontier_rule(support, q)
    assert_array_equal(rule.probability(sample.delta), support.decisions(q))


@given(frontier_samples(kinds=("grid", "noisy grid", "scaled grid")), st.data())
def test_a_rule_at_a_break_treats_nobody_who_changes_there(sample, data):
    x, y = sample.delta[data.draw(st.integers(0, sample.n - 1))] / sample.share
    q = [y, -x] if min(y, -x) < 0 else [-y, x]
    if min(q) < 0:
        support = support_of(sample)
        decided = frontier_rule(support, q).probability(sample.delta)
        assert_array_equal(decided, support.decisions(q))


@given(
    st.integers(3, 4).flatmap(lambda g: frontier_samples(n_groups=g)), st.data()
)
def test_a_rule_of_several_groups_decides_as_the_support_function_does(sample, data):
    entries = st.lists(st.integers(-3, 3), min_size=sample.n_groups, max_size=sample.n_groups)
    q = data.draw(entries.filter(lambda values: min(values) < 0))
    support = support_of(sample)
    assert_array_equal(
        frontier_rule(support, q).probability(sample.delta), support.decisions(q)
    )


@given(frontier_samples(), downward)
def test_the_score_is_above_0_where_a_row_is_treated_and_0_where_it_is_tied(sample, angle):
    q = oracles.direction(angle)
    rule = frontier_rule(support_of(sample), q)
    score = rule.score(sample.delta)
    assert_array_equal(np.sign(score), [oracles.sign_of_k(sample, q, i) for i in range(sample.n)])
    assert_allclose(score, sample.delta / sample.share @ q, atol=1e-12)


@given(
    st.integers(2, 4).flatmap(lambda g: frontier_samples(n_groups=g)),
    st.sampled_from(NAMES[:3]), capacities,
)
def test_a_capacity_is_used_up_exactly_or_does_not_bind(sample, name, capacity):
    support = support_of(sample)
    free = frontier_rule(support, name).probability(sample.delta)
    rule = frontier_rule(support, name, capacity=capacity)
    chance = rule.probability(sample.delta)
    assert share_of(sample, chance) == pytest.approx(
        min(capacity, share_of(sample, free)), abs=1e-12
    )
    if share_of(sample, free) <= capacity:
        assert_allclose(chance, free, rtol=1e-10)
        assert rule.price == 0
    assert (chance <= free + 1e-15).all()


@given(frontier_samples(), st.one_of(downward, st.just(np.pi), st.just(1.75 * np.pi)), capacities)
def test_a_capacity_goes_to_the_largest_k(sample, angle, capacity):
    q = oracles.direction(angle)
    rule = frontier_rule(support_of(sample), q, capacity=capacity)
    chance = rule.probability(sample.delta)
    k = sample.delta / sample.share @ q
    gained = float(sample.mass @ (np.maximum(k, 0) * chance)) / sample.mass.sum()
    assert gained == pytest.approx(oracles.most_gained(sample, q, capacity), abs=1e-12)
    assert rule.price >= 0
    assert (k[chance > 0] >= rule.price - 1e-12).all()


@given(frontier_samples(), risk_pairs, capacities)
def test_draws_on_an_edge_keep_to_a_capacity(sample, target, capacity):
    support = support_of(sample)
    direction = direction_to(support, target)
    free = frontier_rule(support, direction).probability(sample.delta)
    chance = frontier_rule(support, direction, capacity=capacity).probability(sample.delta)
    assert share_of(sample, chance) == pytest.approx(
        min(capacity, share_of(sample, free)), abs=1e-12
    )


@given(frontier_samples(), downward, capacities, st.data())
def test_a_row_gets_one_answer_whatever_rows_it_comes_with(sample, angle, capacity, data):
    rule = frontier_rule(support_of(sample), oracles.direction(angle), capacity=capacity)
    rows = data.draw(st.lists(st.integers(0, sample.n - 1), max_size=5))
    assert_array_equal(
        rule.probability(sample.delta[rows].reshape(-1, 2)),
        rule.probability(sample.delta)[rows],
    )


@given(frontier_samples(kinds=("grid",)), downward, capacities)
def test_rounding_of_a_row_does_not_move_its_probability(sample, angle, capacity):
    rule = frontier_rule(support_of(sample), oracles.direction(angle), capacity=capacity)
    noisy = sample.delta * (1 + 4e-16)
    assert_array_equal(rule.probability(noisy), rule.probability(sample.delta))


def test_heavy_ties_share_what_is_left_of_a_capacity():
    n = 1000
    delta = np.repeat([[-3.0, -1.0], [-1.0, -1.0], [1.0, 1.0]], [100, 700, 200], axis=0)
    support = SupportFunction(
        np.ones(n), np.zeros(n), delta, sensitive_features=np.arange(n) % 2
    )
    rule = frontier_rule(support, [-1, -1], capacity=0.45)
    assert rule.price == 4.0
    chance = rule.probability([[-3, -1], [-1, -1], [1, 1], [0, 0], [-1, -1.001]])
    assert_allclose(chance, [1, 0.5, 0, 0, 1])
    assert rule.probability(delta).mean() == pytest.approx(0.45, abs=1e-12)


def test_the_repr_and_the_dictionary_say_what_the_rule_is():
    support = SupportFunction(
        [1, 1, 0], [0, 0, 1], [[-1, 0], [0, -2], [1, 1]], sensitive_features=["a", "b", "a"]
    )
    assert repr(frontier_rule(support, [-1, -2])) == "FrontierRule(direction -1 a, -2 b)"
    rule = frontier_rule(support, [-1, -2], capacity=0.25)
    assert repr(rule) == "FrontierRule(direction -1 a, -2 b, capacity 0.25, price 12)"
    values = json.loads(json.dumps(rule.to_dict()))
    assert values["direction"] == [-1, -2]
    assert values["group_names"] == ["a", "b"]
    assert values["tie_probability"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("capacity", "error", "message"),
    [
        (0, ValueError, r"capacity must lie in \(0, 1\], got 0"),
        (1.5, ValueError, "capacity must lie in"),
        (True, TypeError, "capacity must be a number"),
        ("half", TypeError, "capacity must be a number"),
    ],
)
def test_a_bad_capacity_is_named(capacity, error, message):
    support = SupportFunction([1, 1], [0, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(error, match=message):
        frontier_rule(support, "utilitarian", capacity=capacity)


@pytest.mark.parametrize(
    ("delta_theta", "message"),
    [
        ([[1, 2, 3]], r"delta_theta has shape \(1, 3\), .* in the order 'a', 'b'"),
        ([1, 2], r"delta_theta has shape \(2,\)"),
        ([[1, np.nan]], "delta_theta has 1 NaN"),
    ],
)
def test_bad_rows_are_named(delta_theta, message):
    support = SupportFunction([1, 1], [0, 0], np.eye(2), sensitive_features=["a", "b"])
    rule = frontier_rule(support, "utilitarian")
    for ask in (rule.score, rule.probability):
        with pytest.raises(ValueError, match=message):
            ask(delta_theta)
