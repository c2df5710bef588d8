import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm

import oracles_frontier_distances as oracles
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import InfeasibleError
from fairrank.frontier import SupportFunction
from fairrank.frontier._group_ban import cost_of_group_ban
from strategies_frontier import arguments, both_vary, frontier_samples

UTILITARIAN = -np.ones(2) / np.sqrt(2)
# By 2 x 10^6 draws of the covariates; standard errors 1.4e-4 and 4e-5.
TRUTH = {"balanced": 0.1918, "r_skewed": 0.02784}


def support_of(sample):
    return SupportFunction(**arguments(sample))


def simulated(n, seed=0, design="balanced"):
    data = make_frontier_data(n, design=design, random_state=seed)
    support = SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )
    return support, 1 - 2 * data.probability


@st.composite
def samples_and_own_deltas(draw, n_groups=2, max_rows=10):
    sample = draw(frontier_samples(n_groups=n_groups, max_rows=max_rows).filter(both_vary))
    own = draw(st.lists(st.integers(-2, 2), min_size=sample.n, max_size=sample.n))
    weight = draw(st.lists(st.integers(-2, 2), min_size=n_groups, max_size=n_groups))
    return sample, np.array(own, dtype=float), np.array(weight, dtype=float)


@given(st.sampled_from([2, 3]).flatmap(samples_and_own_deltas))
@settings(max_examples=100)
def test_cost_and_error_are_those_of_sums_over_rows(drawn):
    sample, own, q = drawn
    if not q.any():
        return
    result = cost_of_group_ban(support_of(sample), q, own)
    cost, error = oracles.ban_cost(sample, own, q)
    assert result.statistic == pytest.approx(cost, abs=1e-12)
    assert result.standard_error == pytest.approx(error, abs=1e-6)


@given(samples_and_own_deltas())
def test_the_rectangle_bounds_each_groups_risk_by_its_own_decisions(drawn):
    sample, own, _ = drawn
    bounds = cost_of_group_ban(support_of(sample), [-1, -1], own).risk_bounds
    assert_allclose(bounds[:, 0], oracles.seen_risks(sample, own, [-1, -1]), atol=1e-12)
    assert_allclose(bounds[:, 1], oracles.seen_risks(sample, own, [1, 1]), atol=1e-12)


@given(samples_and_own_deltas())
def test_the_interval_is_normal_and_cut_at_zero(drawn):
    sample, own, _ = drawn
    result = cost_of_group_ban(support_of(sample), [-1, -2], own, confidence_level=0.8)
    reach = norm.isf(0.1) * result.standard_error
    interval = result.confidence_interval
    assert interval.low == pytest.approx(max(0.0, result.statistic - reach), abs=1e-12)
    assert interval.high == pytest.approx(max(0.0, result.statistic + reach), abs=1e-12)


def test_a_cost_is_homogeneous_and_nothing_where_one_group_decides():
    support, own = simulated(1000)
    one, two = (cost_of_group_ban(support, c * UTILITARIAN, own) for c in (1, 3))
    assert two.statistic == pytest.approx(3 * one.statistic)
    assert two.standard_error == pytest.approx(3 * one.standard_error)
    for q in ([-1, 0], [0, -1]):
        result = cost_of_group_ban(support, q, own)
        assert result.statistic == pytest.approx(0, abs=1e-12)
        assert result.standard_error == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "q"),
    [("utilitarian", UTILITARIAN), ("majority", [-1, 0]), ("rawlsian", [0, -1])],
)
def test_named_directions_are_their_weights(name, q):
    support, own = simulated(500, design="r_skewed")
    found, expected = (cost_of_group_ban(support, d, own) for d in (name, q))
    assert_allclose(found.direction, expected.direction)
    assert found.statistic == pytest.approx(expected.statistic)


@pytest.mark.statistical
@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_intervals_hold_the_true_cost_as_often_as_they_say(design):
    held = 0
    for seed in range(150):
        support, own = simulated(1000, seed, design)
        interval = cost_of_group_ban(support, UTILITARIAN, own).confidence_interval
        held += interval.low <= TRUTH[design] <= interval.high
    assert 0.91 <= held / 150 <= 0.99


@pytest.mark.statistical
@pytest.mark.parametrize(("design", "truth"), [("balanced", 0.4154 - 0.2860),
                                               ("r_skewed", 0.35358 - 0.34884)])
def test_intervals_of_equal_risks_hold_the_true_cost(design, truth):
    held = []
    for seed in range(100):
        support, own = simulated(2000, seed, design)
        interval = cost_of_group_ban(support, "egalitarian", own).confidence_interval
        held.append(interval.low <= truth <= interval.high)
    assert np.mean(held) >= 0.9


def test_a_tie_of_least_risks_widens_the_interval_of_equal_risks():
    support, own = simulated(2000, 0)
    result = cost_of_group_ban(support, "egalitarian", own)
    least = result.risk_bounds[:, 0]
    assert result.statistic == pytest.approx(result.value_without_group - least.max())
    assert result.value_with_group == least.max()
    reach = norm.isf(0.025) * result.standard_error
    # Both groups' costs are within their errors, so that both count.
    assert result.confidence_interval.high > result.statistic + reach


def test_rows_repeated_within_clusters_are_no_further_rows():
    data = make_frontier_data(600, random_state=1)
    twice = np.tile(np.arange(600), 2)

    def cost(rows, direction, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        )
        return cost_of_group_ban(support, direction, (1 - 2 * data.probability)[rows])

    for direction in ([-1, -1], "egalitarian"):
        once, clustered = cost(np.arange(600), direction), cost(twice, direction, clusters=twice)
        assert clustered.statistic == pytest.approx(once.statistic)
        assert clustered.standard_error == pytest.approx(once.standard_error)


def test_survey_weights_move_costs_as_repetition_does():
    data = make_frontier_data(400, random_state=2)
    weight = np.random.default_rng(0).integers(1, 4, 400)
    rows = np.repeat(np.arange(400), weight)

    def cost(rows, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        )
        return cost_of_group_ban(support, [-1, -2], (1 - 2 * data.probability)[rows])

    weighted, repeated = cost(np.arange(400), sample_weight=weight), cost(rows, clusters=rows)
    assert weighted.statistic == pytest.approx(repeated.statistic)
    assert weighted.standard_error == pytest.approx(repeated.standard_error)


def test_no_equal_risks_have_no_cost():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 200)
    support = SupportFunction(
        rng.uniform(size=200) + 2 * group, rng.uniform(size=200) + 2 * group,
        rng.normal(size=(200, 2)), sensitive_features=group,
    )
    with pytest.raises(InfeasibleError, match="lie above the line of equal risks"):
        cost_of_group_ban(support, "egalitarian", np.ones(200))


def test_bad_arguments_are_named():
    support, own = simulated(100)
    with pytest.raises(ValueError, match="own_delta has 99"):
        cost_of_group_ban(support, [-1, -1], own[:99])
    with pytest.raises(ValueError, match="direction must be one of 'rawlsian'"):
        cost_of_group_ban(support, "best", own)
    with pytest.raises(ValueError, match="direction must be one direction"):
        cost_of_group_ban(support, -np.eye(2), own)
    with pytest.raises(ValueError, match="confidence_level must lie in"):
        cost_of_group_ban(support, [-1, -1], own, confidence_level=1.0)
    three = SupportFunction(
        [0, 1, 0] * 2, [1, 0, 1] * 2, np.ones((6, 3)), sensitive_features=["a", "b", "c"] * 2
    )
    with pytest.raises(ValueError, match="'egalitarian' is for two groups"):
        cost_of_group_ban(three, "egalitarian", [1] * 6)


def test_the_reading_names_weights_and_the_interval():
    support, own = simulated(3000)
    one = cost_of_group_ban(support, UTILITARIAN, own)
    assert "weights r -0.707, b -0.707" in str(one)
    assert "95 % interval" in one.reading
    assert json.loads(json.dumps(one.to_dict()))["reading"] == one.reading
    assert "least risk that all groups can share" in str(
        cost_of_group_ban(support, "egalitarian", own)
    )
