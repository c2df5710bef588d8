"""Alternatives on the plug-in frontier against searches along its edges."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._excess import separation
from fairrank.frontier._less_discriminatory_alternatives import (
    CHOICES,
    less_discriminatory_alternatives,
)
from strategies_frontier import arguments, frontier_samples, populations, risk_pairs

quarters = st.integers(0, 4).map(lambda k: k / 4)


def rules(population):
    return st.lists(quarters, min_size=len(population.mass), max_size=len(population.mass))


populations_with_rules = populations().flatmap(
    lambda population: st.tuples(st.just(population), rules(population).map(np.array))
)
samples_with_decisions = frontier_samples(max_rows=9).flatmap(
    lambda sample: st.tuples(
        st.just(sample), st.lists(quarters, min_size=sample.n, max_size=sample.n).map(np.array)
    )
)


def found_in(population, rule, **keywords):
    sample = population.as_sample()
    support = SupportFunction(**arguments(sample))
    # Two rows a cell, one for each group.
    return support, less_discriminatory_alternatives(support, np.repeat(rule, 2), **keywords)


def support_of_data(data, delta_theta):
    return SupportFunction(
        data.target != 0, data.target != 1, delta_theta,
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )


def is_inside(x, e, slack=1e-9):
    return bool((oracles.slacks(x, e) >= -slack).all())


@given(populations_with_rules)
def test_an_alternative_is_found_where_a_rule_is_dominated(drawn):
    population, rule = drawn
    support, found = found_in(population, rule)
    e = population.risks(rule)
    assert_allclose(found.risks, e, atol=1e-12)
    # The converse holds but for sets without an inside, whose points any line separates.
    assert found or separation(support.plug_in, e).value > -1e-7


@given(populations_with_rules, st.sampled_from(CHOICES))
def test_an_alternative_harms_nobody_is_as_fair_and_is_attained_by_its_rule(drawn, choose):
    population, rule = drawn
    _, found = found_in(population, rule, choose=choose)
    if found:
        assert is_inside(found.point, population.risks(rule))
        assert found.slacks.max() > 0
        chance = found.rule.probability(population.theta[:, 1] - population.theta[:, 0])
        assert_allclose(population.risks(chance), found.point, atol=1e-9)
        # Realised losses are the expected ones here.
        assert_allclose(found.realised_risks, found.point, atol=1e-9)
        assert_allclose(found.slacks, oracles.slacks(found.point, found.risks), atol=1e-12)
        assert_array_equal(found.decisions[::2], chance)


@given(samples_with_decisions)
def test_the_smallest_slack_is_the_largest_along_the_frontier(drawn):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    found = less_discriminatory_alternatives(support, decisions)
    expected = max(
        oracles.along(support.frontier(), lambda x: oracles.slacks(x, found.risks).min())
    )
    if found:
        assert found.slacks.min() == pytest.approx(expected, abs=1e-9)
    else:
        assert expected < 1e-7


@given(samples_with_decisions)
def test_the_part_of_the_frontier_holds_what_is_inside_and_nothing_else(drawn):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    corners = support.frontier()
    found = less_discriminatory_alternatives(support, decisions)
    assert all(is_inside(x, found.risks) for x in found.frontier)
    if found:
        for x in oracles.points_along(corners, 10):
            if is_inside(x, found.risks, -1e-9):
                assert oracles.distance_to(found.frontier, x) < 1e-9


@given(samples_with_decisions)
def test_the_fairest_and_the_most_accurate_are_so_among_alternatives(drawn):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    fairest = less_discriminatory_alternatives(support, decisions, choose="fairest")
    accurate = less_discriminatory_alternatives(support, decisions, choose="most_accurate")
    if fairest:
        points = np.array(oracles.points_along(fairest.frontier, 40))
        gap = np.abs(points[:, 0] - points[:, 1])
        assert abs(fairest.point[0] - fairest.point[1]) <= gap.min() + 1e-9
        assert accurate.point @ sample.share <= (points @ sample.share).min() + 1e-9


@given(samples_with_decisions, risk_pairs)
def test_a_named_point_gives_the_alternative_nearest_to_it(drawn, near):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    found = less_discriminatory_alternatives(support, decisions, choose=near)
    if found:
        distance = float(np.hypot(*(found.point - near)))
        assert distance == pytest.approx(oracles.distance_to(found.frontier, near), abs=1e-9)


@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_an_alternative_to_the_status_quo_is_better_in_the_population(design):
    large = make_frontier_data(100_000, design=design, random_state=99)
    theta = large.theta(large.data)
    for seed in range(6):
        data = make_frontier_data(10_000, design=design, random_state=seed)
        support = support_of_data(data, data.delta_theta(data.data))
        found = less_discriminatory_alternatives(support, data.status_quo(data.data))
        chance = found.rule.probability(theta[:, 1] - theta[:, 0])[:, np.newaxis]
        risks = (chance * theta[:, 1] + (1 - chance) * theta[:, 0]).mean(axis=0)
        risks /= large.group_shares
        assert oracles.slacks(risks, large.status_quo_risks).min() > 0


def test_without_an_alternative_the_answer_is_empty_and_says_that_it_proves_nothing():
    data = make_frontier_data(1000, random_state=0)
    support = support_of_data(data, data.delta_theta(data.data))
    # Nobody who knows the outcome can be improved on without it.
    found = less_discriminatory_alternatives(support, data.target)
    assert not found
    assert found.rule is None
    assert found.frontier.shape == (0, 2)
    assert np.isnan(found.point).all()
    assert repr(found).endswith("(none found; that does not prove that there is none)")
    assert str(found).endswith("which does not prove that there is none.")
    assert json.loads(json.dumps(found.to_dict()))["rule"] is None


def test_the_text_and_the_dictionary_hold_both_kinds_of_risks():
    data = make_frontier_data(500, random_state=0)
    support = support_of_data(data, data.delta_theta(data.data))
    found = less_discriminatory_alternatives(support, np.full(500, 0.5))
    assert f"smallest slack {found.slacks.min():.4f}" in repr(found)
    assert [line[:21].strip() for line in str(found).splitlines()] == [
        "", "decisions", "alternative, plug-in", "alternative, realised"
    ]
    values = json.loads(json.dumps(found.to_dict()))
    assert values["rule"]["group_names"] == ["r", "b"]
    assert len(values["decisions"]) == 500


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decisions": [0, 1]}, "differ in length: loss_0 has 3, decisions has 2"),
        ({"decisions": [0, 1, -1]}, "decisions must be probabilities"),
        ({"choose": "best"}, "choose must be one of 'largest_smallest_slack', .* got 'best'"),
        ({"choose": None}, "choose must be one of"),
        ({"choose": [[0, 1]]}, r"choose must be one pair of risks, got shape \(1, 2\)"),
        ({"choose": [0, 1, 2]}, r"choose must have shape \(2,\)"),
    ],
)
def test_bad_input_is_named(changes, message):
    support = SupportFunction(
        [0, 1, 0], [1, 0, 1], [[1, 0], [0, 1], [1, 1]], sensitive_features=[0, 1, 0]
    )
    with pytest.raises(ValueError, match=message):
        less_discriminatory_alternatives(support, **{"decisions": [0, 1, 0], **changes})


def test_it_is_for_two_groups():
    support = SupportFunction([0, 1, 0], [1, 0, 1], np.eye(3), sensitive_features=[0, 1, 2])
    with pytest.raises(ValueError, match="less_discriminatory_alternatives is for two groups"):
        less_discriminatory_alternatives(support, [0, 1, 0])
