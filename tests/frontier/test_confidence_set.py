import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as frontier
import oracles_frontier_inference as oracles
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import InfeasibleError
from fairrank.frontier import SupportFunction
from fairrank.frontier._candidate_grid import candidate_grid
from fairrank.frontier._confidence_set import confidence_set
from fairrank.frontier._joint_statistic import KINDS, joint_statistic
from fairrank.frontier._limit_draws import limit_draws
from fairrank.frontier._point_test import pareto_test, point_test
from strategies_frontier import arguments, both_vary, frontier_samples, risk_pairs

METHODS = ("set", "hybrid", "gaussian")


def simulated(n, seed=0, design="balanced", **options):
    data = make_frontier_data(n, design=design, random_state=seed)
    return data, SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names, **options,
    )


@settings(max_examples=40)
@given(
    frontier_samples().filter(both_vary), st.lists(risk_pairs, min_size=1, max_size=5),
    st.sampled_from(KINDS),
    st.sampled_from(METHODS), st.integers(0, 9),
)
def test_every_candidate_is_tested_as_if_alone(sample, points, kind, method, seed):
    support, points = SupportFunction(**arguments(sample)), np.array(points)
    found = confidence_set(
        support, kind, candidates=points, n_draws=39, random_state=seed, critical_values=method,
        confidence_level=0.9,
    )
    for i, e in enumerate(points):
        joint = joint_statistic(support, e, kind)
        limit = limit_draws(support.realised, joint, method)
        draws = support.draws(
            lambda draw, limit=limit: sum(limit(draw.arcs, np.zeros(2))), 39, random_state=seed
        )
        # The fourth largest, as 0.1 * 40 draws may reach what is rejected.
        slack = max(joint.root_n * joint.rounding, 1e-6 if method == "hybrid" else 0.0)
        expected = np.sort(draws)[-4] + slack
        assert found.critical_value[i] == pytest.approx(expected, abs=1e-9)
        statistic = joint.root_n * oracles.joint(frontier.arcs(sample), e, kind)
        assert found.statistic[i] == pytest.approx(statistic, abs=1e-9)
        assert found.inside[i] == (found.statistic[i] <= found.critical_value[i])


@pytest.mark.parametrize("method", METHODS)
def test_the_set_holds_what_the_point_tests_do_not_reject(method):
    data, support = simulated(1000)
    points = np.array([*data.best_points, data.fairest_point, data.status_quo_risks, [0.3, 0.6]])
    options = {"n_draws": 199, "random_state": 3, "critical_values": method}
    for kind, test in (
        ("frontier", lambda e: point_test(support, e, **options)),
        ("pareto", lambda e: pareto_test(support, e=e, **options)),
    ):
        found = confidence_set(support, kind, candidates=points, **options)
        alone = [test(e) for e in points]
        assert_allclose(found.pvalue, [one.pvalue for one in alone])
        assert_allclose(found.critical_value, [one.critical_value for one in alone])
        assert found.inside.tolist() == [not one.reject for one in alone]


def test_the_set_of_attainable_risks_holds_what_is_estimated_to_be_attainable():
    data, support = simulated(1000)
    found = confidence_set(support, "feasible", candidates=400, n_draws=99, random_state=0)
    attainable = support.largest_excess(found.candidates).value <= 0
    assert attainable.any()
    assert found.inside[attainable].all()
    assert not found.inside.all()
    assert found.contains(data.status_quo_risks)
    assert not found.contains(data.best_points[0] - 0.1)


def test_membership_of_a_candidate_is_what_the_set_says():
    data, support = simulated(1000, clusters=np.arange(1000) // 2)
    found = confidence_set(support, candidates=60, n_draws=99, random_state=5)
    assert_array_equal(found.contains(found.candidates), found.inside)
    assert isinstance(found.contains(data.fairest_point), bool)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lattice_holds_all_of_its_points_with_a_small_statistic(kind):
    _, support = simulated(800)
    points, spacing, reach = candidate_grid(support, kind, 500)
    assert 300 < len(points) < 800
    low = points.min(axis=0)
    # The whole lattice, and twice as far.
    steps = np.arange(-20, 60)
    every = low + spacing * np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    value = np.array([joint_statistic(support, e, kind).value for e in every])
    near = every[value <= reach * np.sqrt(800)]
    distance = np.abs(near[:, np.newaxis] - points).max(axis=2).min(axis=1)
    assert near.size
    assert distance.max() < 1e-9


def test_the_default_lattice_reaches_beyond_the_set():
    _, support = simulated(500)
    found = confidence_set(support, n_draws=99, random_state=0)
    assert found.warnings == ()
    assert 1500 < len(found.candidates) < 2500
    outside = found.statistic[~found.inside] / np.sqrt(500)
    assert outside.max() > found.critical_value.max() / np.sqrt(500)


def test_the_result_depends_on_the_seed_and_not_on_the_number_of_threads():
    _, support = simulated(3000)
    options = {"candidates": 200, "n_draws": 1400}
    one = confidence_set(support, n_jobs=1, random_state=0, **options)
    two = confidence_set(support, n_jobs=2, random_state=0, **options)
    assert one.to_dict() == two.to_dict()
    other = confidence_set(support, random_state=1, **options)
    assert (other.critical_value != one.critical_value).any()


def test_points_of_the_frontier_are_covered_about_as_often_as_promised():
    covered = []
    for seed in range(40):
        data, support = simulated(1000, seed=seed)
        points = [*data.best_points, data.fairest_point, data.status_quo_risks]
        covered.append(
            confidence_set(support, candidates=points, n_draws=199, random_state=seed).inside
        )
    rates = np.mean(covered, axis=0)
    assert rates[:3].min() >= 0.875
    assert rates[3] <= 0.4


def test_repeated_rows_of_a_cluster_leave_the_statistic_as_it_is():
    data = make_frontier_data(400, random_state=0)

    def found(rows, **options):
        y = data.target[rows]
        support = SupportFunction(
            y != 0, y != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows], group_names=data.group_names,
            **options,
        )
        points = [data.fairest_point, [0.3, 0.6], data.status_quo_risks]
        return confidence_set(support, candidates=points, n_draws=999, random_state=0)

    once, twice = np.arange(400), np.repeat(np.arange(400), 2)
    alone, clustered = found(once), found(twice, clusters=twice)
    weighted = found(once, sample_weight=np.full(400, 2.5))
    assert_allclose(clustered.statistic, alone.statistic, atol=1e-9)
    assert_allclose(clustered.critical_value, alone.critical_value, rtol=0.15)
    assert_allclose(weighted.critical_value, alone.critical_value, atol=1e-9)


def test_the_result_as_a_dictionary_is_ready_for_json():
    _, support = simulated(300)
    found = confidence_set(support, candidates=[[0.4, 0.5]], n_draws=19, random_state=0)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["inside"] == found.inside.tolist()
    assert read["spacing"] is None
    assert "support" not in read
    assert repr(found).startswith("FrontierConfidenceSet(kind='frontier', confidence_level=0.95")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"kind": "fair"}, ValueError, "kind must be one of 'frontier', 'pareto', 'feasible'"),
        ({"candidates": 0}, ValueError, "candidates must be at least 1"),
        ({"candidates": 2.5}, TypeError, "candidates must be a whole number"),
        ({"candidates": [[0.1, 0.2, 0.3]]}, ValueError, "candidates must have shape"),
        ({"candidates": np.empty((0, 2))}, ValueError, "candidates holds no risks"),
        ({"critical_values": "exact"}, ValueError, "critical_values must be one of"),
        ({"confidence_level": 1.0}, ValueError, r"confidence_level must lie in \(0, 1\)"),
        ({"n_draws": 0}, ValueError, "n_draws must be at least 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(changes, error, message):
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], np.ones((4, 2)), sensitive_features=["a", "b", "a", "b"]
    )
    with pytest.raises(error, match=message):
        confidence_set(support, **changes)


def test_a_lattice_that_nothing_is_near_is_refused_with_what_may_be_wrong():
    # The columns of delta_theta are the wrong way round, so that no risks suit every direction.
    support = SupportFunction(
        np.ones(4), np.zeros(4), [[-1.0, 0.0], [-1.0, 0.0], [0.0, -1.0], [0.0, -1.0]],
        sensitive_features=["r", "r", "b", "b"],
    )
    with pytest.raises(InfeasibleError, match="columns in the order of group_names, 'b', 'r'"):
        confidence_set(support, n_draws=20)
