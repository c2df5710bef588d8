import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import norm

import oracles_frontier
import oracles_frontier_distances as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import FrontierDraw, SupportFunction
from fairrank.frontier._group_skew_test import group_skew_test
from fairrank.frontier._inverted_skew import least_skewed_misfit, misfit_of_draw
from strategies_frontier import arguments, both_vary, frontier_samples


def support_of(sample):
    return SupportFunction(**arguments(sample))


def simulated(n, seed=0, design="balanced", **options):
    data = make_frontier_data(n, design=design, random_state=seed)
    return SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names, **options,
    )


def steep(n, steepness, seed):
    """r-skewed but for steeper odds of b: at 1.555 the risks at B are equal, beyond is balance."""
    rng = np.random.default_rng(seed)
    data = make_frontier_data(n, design="r_skewed", random_state=seed)
    of_r, of_b = data.theta(data.data)[:, 0].T / np.array([[0.6], [0.4]])
    of_b = expit(steepness * np.log(of_b / (1 - of_b)))
    in_r = data.sensitive_features == "r"
    target = rng.uniform(size=n) < np.where(in_r, of_r, of_b)
    return SupportFunction(
        target, ~target, np.column_stack([0.6 * (1 - 2 * of_r), 0.4 * (1 - 2 * of_b)]),
        sensitive_features=data.sensitive_features, group_names=("r", "b"),
    )


@given(frontier_samples().filter(both_vary))
@settings(max_examples=40)
def test_the_direction_is_that_of_the_least_equal_risk_of_the_zonogon(sample):
    q = group_skew_test(support_of(sample)).direction
    assert q.max() <= 0
    found = -oracles_frontier.h_plug_in(sample, q) / abs(q.sum())
    assert found == pytest.approx(oracles.least_equal_risk(sample), abs=1e-9)


@given(frontier_samples(max_rows=10).filter(both_vary))
@settings(max_examples=60)
def test_gaps_and_their_errors_are_those_of_the_realised_levels(sample):
    result = group_skew_test(support_of(sample))
    for group in (0, 1):
        gap, error = oracles.gap(sample, result.direction, group)
        assert result.gaps[group] == pytest.approx(gap, abs=1e-12)
        assert result.standard_errors[group] == pytest.approx(error, abs=1e-6)


@given(frontier_samples().filter(both_vary), st.sampled_from([0.01, 0.05, 0.2]))
def test_rejection_pvalue_and_bound_agree(sample, level):
    result = group_skew_test(support_of(sample), significance_level=level)
    assert result.effect_size == result.gaps.min()
    if result.standard_errors.all():
        assert result.pvalue == norm.sf(result.z_scores).max()
        assert result.reject == (result.pvalue < level) == (result.lower_bound > 0)
        bound = (result.gaps - norm.isf(level) * result.standard_errors).min()
        assert result.lower_bound == max(0.0, bound)
    else:
        assert (result.reject, result.pvalue, result.lower_bound) == (False, 1.0, 0.0)


@given(frontier_samples(max_rows=8).filter(both_vary))
@settings(max_examples=15, deadline=None)
def test_the_least_misfit_is_that_of_a_linear_program_over_a_grid(sample):
    found = least_skewed_misfit(support_of(sample).realised)
    assert found == pytest.approx(oracles.least_skewed_misfit(sample), abs=5e-3)


@given(frontier_samples(max_rows=8).filter(both_vary), st.data())
@settings(max_examples=40, deadline=None)
def test_the_drawn_misfit_is_the_numerical_derivative(sample, data):
    exponents = st.integers(-3, 3).map(lambda k: 2.0**k)
    weight = data.draw(st.lists(exponents, min_size=sample.n, max_size=sample.n))
    support = support_of(sample)
    draw = FrontierDraw(
        arcs=support.reweighted(weight), weight=np.array(weight), risks=np.empty((0, 2))
    )
    found = misfit_of_draw(support.realised, sample.n)(draw)
    assert found == pytest.approx(oracles.misfit_of_weights(sample, weight), abs=1e-9)


@pytest.mark.parametrize("method", ["intersection_union", "inversion"])
def test_clear_balance_is_found_and_clear_skew_is_not(method):
    options = {"method": method, "n_draws": 200, "random_state": 0}
    balanced = group_skew_test(simulated(5000), **options)
    skewed = group_skew_test(simulated(5000, design="r_skewed"), **options)
    assert balanced.reject
    assert balanced.pvalue < 0.01
    assert not skewed.reject
    assert skewed.pvalue > 0.5


@pytest.mark.statistical
def test_size_is_held_where_risks_are_equal_at_b():
    rejected = [group_skew_test(steep(1000, 1.555, seed)).reject for seed in range(200)]
    assert sum(rejected) <= 14  # 5 % of 200, and 1.3 standard deviations


@pytest.mark.statistical
def test_the_intersection_union_finds_weak_balance_that_the_inversion_misses():
    supports = [steep(2000, 3.1, seed) for seed in range(50)]
    found = [group_skew_test(support).reject for support in supports]
    inverted = [
        group_skew_test(support, method="inversion", n_draws=100, random_state=0).reject
        for support in supports[:20]
    ]
    assert np.mean(found) > 0.4
    assert sum(inverted) <= 2


@pytest.mark.statistical
def test_the_bound_of_delta_holds_as_often_as_it_says():
    truth = 0.4154 - 0.2859
    bounds = [group_skew_test(simulated(1000, seed)).lower_bound for seed in range(150)]
    assert np.mean(np.array(bounds) <= truth) >= 0.92


def test_swapping_groups_swaps_what_belongs_to_them():
    data = make_frontier_data(1000, random_state=3)
    losses, delta = (data.target != 0, data.target != 1), data.delta_theta(data.data)
    one = group_skew_test(SupportFunction(
        *losses, delta, sensitive_features=data.sensitive_features, group_names=("r", "b")))
    two = group_skew_test(SupportFunction(
        *losses, delta[:, ::-1], sensitive_features=data.sensitive_features,
        group_names=("b", "r")))
    assert_allclose(one.z_scores, two.z_scores[::-1])
    assert_allclose(one.direction, two.direction[::-1])
    assert one.pvalue == pytest.approx(two.pvalue)


def test_rows_repeated_within_clusters_add_no_evidence():
    data = make_frontier_data(800, random_state=1)
    twice = np.tile(np.arange(800), 2)

    def tested(rows, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        )
        return group_skew_test(support), group_skew_test(
            support, method="inversion", n_draws=300, random_state=0
        )

    once, clustered = tested(np.arange(800)), tested(twice, clusters=twice)
    assert_allclose(clustered[0].z_scores, once[0].z_scores)
    # sqrt(n) scales both the statistic and what it is compared with.
    ratios = [result.statistic / result.critical_value for result in (once[1], clustered[1])]
    assert ratios[0] == pytest.approx(ratios[1], rel=0.1)
    independent = tested(twice)
    assert_allclose(independent[0].z_scores, np.sqrt(2) * once[0].z_scores)


def test_survey_weights_move_levels_as_repetition_does():
    data = make_frontier_data(600, random_state=2)
    weight = np.random.default_rng(0).integers(1, 4, 600)
    rows = np.repeat(np.arange(600), weight)

    def tested(rows, **options):
        return group_skew_test(SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        ))

    weighted, repeated = tested(np.arange(600), sample_weight=weight), tested(rows, clusters=rows)
    assert_allclose(weighted.gaps, repeated.gaps, atol=1e-12)
    assert_allclose(weighted.standard_errors, repeated.standard_errors, rtol=1e-9)


def test_draws_do_not_depend_on_the_number_of_jobs():
    support = simulated(500)
    options = {"method": "inversion", "n_draws": 90, "random_state": 7}
    one, two = (group_skew_test(support, n_jobs=jobs, **options) for jobs in (1, 2))
    assert (one.critical_value, one.pvalue) == (two.critical_value, two.pvalue)
    assert one.seed == two.seed != ()


def test_the_reading_says_what_rejecting_means_and_what_it_does_not():
    found = group_skew_test(simulated(3000))
    missed = group_skew_test(simulated(3000, design="r_skewed"))
    assert "should not be banned" in str(found)
    assert "no evidence of skew, nor a reason to ban" in str(missed)
    assert json.loads(json.dumps(found.to_dict()))["reading"] == found.reading
    assert "reject=True" in repr(found)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "bootstrap"}, "method must be one of 'intersection_union', 'inversion'"),
        ({"significance_level": 1.0}, r"significance_level must lie in \(0, 1\)"),
        ({"n_draws": 0}, "n_draws must be at least 1"),
    ],
)
def test_bad_arguments_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        group_skew_test(simulated(100), **options)


def test_three_groups_are_refused():
    support = SupportFunction(
        [0, 1, 0], [1, 0, 1], np.ones((3, 3)), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match="group_skew_test is for two groups"):
        group_skew_test(support)


def test_rows_in_clusters_count_as_often_as_they_are_independent():
    data = make_frontier_data(300, random_state=0)
    one, many = (
        SupportFunction(
            np.repeat(data.target != 0, k), np.repeat(data.target != 1, k),
            np.repeat(data.delta_theta(data.data), k, axis=0),
            sensitive_features=np.repeat(data.sensitive_features, k),
            clusters=np.repeat(np.arange(300), k), group_names=("r", "b"),
        ) for k in (1, 8)
    )
    found, same = (
        group_skew_test(support, method="inversion", n_draws=50, random_state=0)
        for support in (one, many)
    )
    assert same.statistic == pytest.approx(found.statistic, rel=1e-6)
    assert same.critical_value == pytest.approx(found.critical_value, rel=1e-6)
    slack = np.sqrt(np.log(300) / 300)
    near = one.best_points[0] + [0.0, 1.3 * slack]
    assert many.on_frontier(near) == one.on_frontier(near) == one.on_frontier(near, slack)
