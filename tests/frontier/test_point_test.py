import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_frontier as frontier
import oracles_frontier_inference as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._lda_test import less_discriminatory_alternative_test
from fairrank.frontier._point_test import pareto_test, point_test
from strategies_frontier import arguments, both_vary, frontier_samples, risk_pairs

METHODS = ("set", "hybrid", "gaussian")


def simulated(n, seed=0, design="balanced", **options):
    data = make_frontier_data(n, design=design, random_state=seed)
    return data, SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names, **options,
    )


@settings(max_examples=80)
@given(
    frontier_samples(max_rows=9).filter(both_vary), risk_pairs,
    st.sampled_from(["frontier", "pareto"]),
)
def test_the_statistic_is_what_lies_beyond_and_behind(sample, e, kind):
    support = SupportFunction(**arguments(sample))
    options = {"n_draws": 1, "random_state": 0}
    if kind == "frontier":
        found = point_test(support, e, **options)
    else:
        found = pareto_test(support, e=e, **options)
    cut = frontier.arcs(sample)
    n = sample.n if sample.cluster is None else len(set(sample.cluster))
    assert found.kind == kind
    assert found.statistic == pytest.approx(np.sqrt(n) * oracles.joint(cut, e, kind), abs=1e-9)
    assert found.excess == pytest.approx(oracles.beyond(cut, e), abs=1e-9)
    assert found.gain == pytest.approx(-oracles.behind(cut, e, kind), abs=1e-9)


@settings(max_examples=40)
@given(frontier_samples(max_rows=8).filter(both_vary), risk_pairs, st.integers(0, 9))
def test_hybrid_pvalues_follow_their_definition_draw_by_draw(sample, e, seed):
    support = SupportFunction(**arguments(sample))
    found = point_test(support, e, n_draws=19, random_state=seed, critical_values="hybrid")
    cut = frontier.arcs(sample)
    n = sample.n if sample.cluster is None else len(set(sample.cluster))
    step, draws = n**-0.245, []
    for in_order in support.draws(lambda draw: draw.weight, 19, random_state=seed):
        weight = np.empty(sample.n)
        weight[support._order.order] = in_order
        moved = oracles.blended(cut, frontier.arcs(sample, weight), step * np.sqrt(n))
        beyond = oracles.beyond(moved, e) - oracles.beyond(cut, e)
        behind = oracles.behind(moved, e, "frontier") - oracles.behind(cut, e, "frontier")
        draws.append((max(beyond, 0.0) + max(-behind, 0.0)) / step + 1e-6)
    bounds = [oracles.pvalue(found.statistic + sign * 1e-8, draws) for sign in (1, -1)]
    assert bounds[0] <= found.pvalue <= bounds[1]


@pytest.mark.parametrize("method", METHODS)
def test_decisions_are_tested_by_the_risks_they_have_in_every_draw(method):
    data, support = simulated(1000)
    decisions = data.status_quo(data.data)
    options = {"random_state": 1, "n_draws": 199, "critical_values": method}
    found = pareto_test(support, decisions, **options)
    fixed = pareto_test(support, e=found.risks, **options)
    assert found.of_decisions
    assert not fixed.of_decisions
    assert found.statistic == fixed.statistic
    assert found.critical_value != fixed.critical_value


@given(frontier_samples(max_rows=9).filter(both_vary), risk_pairs)
def test_what_is_undominated_without_fairness_is_so_with_it(sample, e):
    support = SupportFunction(**arguments(sample))
    options = {"n_draws": 1, "random_state": 0}
    pareto = pareto_test(support, e=e, **options)
    assert pareto.gain >= point_test(support, e, **options).gain - 1e-12
    assert pareto.excess == point_test(support, e, **options).excess


def test_the_lda_tests_joint_part_is_the_point_test_of_moving_risks():
    data, support = simulated(800)
    decisions = data.status_quo(data.data)
    joint = less_discriminatory_alternative_test(
        support, decisions, random_state=0, n_draws=99
    ).joint
    found = point_test(support, support._sample.group_means(
        support._sample.loss + decisions * support._sample.change
    ), random_state=0, n_draws=99)
    assert found.statistic == joint.statistic


@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_points_of_the_frontier_are_seldom_rejected_and_others_often(design):
    rejected = []
    for seed in range(40):
        data, support = simulated(1000, seed=seed, design=design)
        best = data.best_points[0]
        for e in (best, data.fairest_point, data.status_quo_risks, best - 0.08):
            found = point_test(support, e, n_draws=199, random_state=seed)
            rejected.append(found.reject)
    rates = np.reshape(rejected, (40, 4)).mean(axis=0)
    assert rates[:2].max() <= 0.125
    assert rates[2:].min() >= 0.4


def test_the_result_depends_on_the_seed_and_not_on_the_number_of_threads():
    data, support = simulated(4000)
    options = {"n_draws": 1100, "random_state": 3}
    one = point_test(support, data.fairest_point, n_jobs=1, **options)
    two = point_test(support, data.fairest_point, n_jobs=2, **options)
    assert one.to_dict() == two.to_dict()
    other = point_test(support, data.fairest_point, n_draws=1100, random_state=4)
    assert other.critical_value != one.critical_value


def test_clusters_of_like_rows_widen_the_draws():
    twice = np.repeat(np.arange(600), 2)
    data = make_frontier_data(600, random_state=0)

    def critical_value(rows, **options):
        y = data.target[rows]
        support = SupportFunction(
            y != 0, y != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows], group_names=data.group_names,
            **options,
        )
        found = point_test(support, data.fairest_point, random_state=0)
        return found.critical_value, found.statistic

    once, statistic = critical_value(np.arange(600))
    clustered, same = critical_value(twice, clusters=twice)
    assert same == pytest.approx(statistic, abs=1e-9)
    assert clustered == pytest.approx(once, rel=0.15)


def test_the_reading_says_which_side_of_the_frontier_the_risks_are_on():
    data, support = simulated(2000)
    options = {"random_state": 0, "n_draws": 199}
    beyond = point_test(support, data.best_points[0] - 0.1, **options)
    behind = pareto_test(support, e=data.status_quo_risks, **options)
    on = point_test(support, data.fairest_point, **options)
    assert "not on the fairness-accuracy frontier" in beyond.reading
    assert "better than any decisions without the group can be" in beyond.reading
    assert "not on the Pareto frontier" in behind.reading
    assert "better ones look attainable" in behind.reading
    assert "compatible with" in on.reading
    assert "does not show that they are on it" in on.reading
    assert str(on) == f"{on!r}\n{on.reading}"


def test_the_result_as_a_dictionary_is_ready_for_json():
    data, support = simulated(300)
    found = point_test(support, data.fairest_point, random_state=0, n_draws=19)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["pvalue"] == found.pvalue
    assert read["risks"] == data.fairest_point.tolist()
    assert read["reading"] == found.reading


@pytest.mark.parametrize(
    ("decisions", "e"), [(None, None), ([0.0, 1.0, 0.0, 1.0], [0.2, 0.3])]
)
def test_the_pareto_test_wants_decisions_or_risks(decisions, e):
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], np.ones((4, 2)), sensitive_features=["a", "b", "a", "b"]
    )
    with pytest.raises(ValueError, match="Give either decisions or e"):
        pareto_test(support, decisions, e=e)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"e": [0.1, 0.2, 0.3]}, r"e must have shape \(2,\)"),
        ({"e": [[0.1, 0.2]]}, "e must be one pair of risks"),
        ({"e": [0.1, np.nan]}, "e has 1 NaN"),
        ({"critical_values": "exact"}, "critical_values must be one of"),
        ({"significance_level": 0}, "significance_level must lie in"),
        ({"n_draws": 0}, "n_draws must be at least 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(changes, message):
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], np.ones((4, 2)), sensitive_features=["a", "b", "a", "b"]
    )
    given = {"e": [0.1, 0.2], **changes}
    with pytest.raises(ValueError, match=message):
        point_test(support, given.pop("e"), **given)


def test_more_than_two_groups_are_refused():
    support = SupportFunction(
        [0, 1, 0], [1, 0, 1], np.ones((3, 3)), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match="for two groups"):
        point_test(support, [0.1, 0.2])
