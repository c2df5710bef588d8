import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier
import oracles_frontier_distances as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._distance_interval import interval_of_distance
from fairrank.frontier._distance_region import METRICS, length
from fairrank.frontier._distance_to_fairest import distance_to_fairest
from fairrank.frontier._equal_risk import equal_risk, open_sides
from strategies_frontier import arguments, both_vary, frontier_samples

WHOLE = ("euclidean", "manhattan", "chebyshev")


def simulated(n, seed=0, shift=0.0, design="balanced", **options):
    """Losses of b are larger by `shift`: by 1, all attainable risks are above equal risks."""
    data = make_frontier_data(n, design=design, random_state=seed)
    add = shift * (data.sensitive_features == "b")
    support = SupportFunction(
        (data.target != 0) + add, (data.target != 1) + add, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names, **options,
    )
    return support, data.status_quo(data.data)


def test_far_from_kinks_the_interval_is_that_of_a_linear_function():
    draws = np.random.default_rng(0).normal(scale=0.01, size=(400, 2))
    found = interval_of_distance(np.array([0.3, -0.4]), draws, "chebyshev", 0.9)
    low, high = np.quantile(draws @ [0, -1], [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx((0.4 - high, 0.4 - low))


@pytest.mark.statistical
@pytest.mark.parametrize("metric", WHOLE)
@pytest.mark.parametrize("v", [(0.0, 0.0), (0.03, 0.0), (0.2, -0.2), (0.02, 0.02)])
def test_at_and_near_kinks_the_interval_holds_as_often_as_it_says(metric, v):
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        draws = rng.normal(scale=[0.02, 0.03], size=(200, 2))
        seen = np.array(v) + rng.normal(scale=[0.02, 0.03])
        found = interval_of_distance(seen, draws, metric, 0.95)
        held += found.low <= length(np.array(v), metric) <= found.high
    assert held / 200 >= 0.91


def test_a_small_error_leaves_the_interval_of_the_delta_method():
    draws = np.random.default_rng(0).normal(scale=1e-4, size=(400, 2))
    for metric, slope in (("euclidean", [0.6, -0.8]), ("manhattan", [1, -1])):
        v = np.array([0.3, -0.4])
        found = interval_of_distance(v, draws, metric, 0.95)
        low, high = np.quantile(draws @ slope, [0.025, 0.975])
        assert found.low == pytest.approx(length(v, metric) - high, abs=1e-5)
        assert found.high == pytest.approx(length(v, metric) - low, abs=1e-5)
        assert found.standard_error == pytest.approx((draws @ slope).std(ddof=1))


@given(frontier_samples(max_rows=10).filter(both_vary), st.data())
@settings(max_examples=40, deadline=None)
def test_a_draw_moves_the_level_as_the_weights_do(sample, data):
    exponents = st.integers(-3, 3).map(lambda k: 2.0**k)
    weight = np.array(data.draw(st.lists(exponents, min_size=sample.n, max_size=sample.n)))
    support = SupportFunction(**arguments(sample))
    drawn = support.reweighted(weight)
    fairest = support.fairest_point("plug_in")
    if fairest.side != "across":
        return
    if fairest.arc is None:
        q = fairest.direction
        decided = oracles.decided(sample, q)
        values = [q @ oracles.risks(sample, decided, w) / q.sum() for w in (weight, sample.mass)]
        moved = equal_risk(support, fairest).moved(drawn)
        assert moved == pytest.approx(values[0] - values[1], abs=1e-9)
    # The oracle's step goes by rows.
    support = SupportFunction(**{**arguments(sample), "clusters": None})
    infimum = equal_risk(support, support.fairest_point("infimum"))
    expected = oracles.equal_risk_of_weights(sample, weight)
    assert infimum.moved(drawn) == pytest.approx(expected, abs=1e-9)


@given(frontier_samples(max_rows=10).filter(both_vary), st.sampled_from([-4.0, 0.0, 4.0]))
@settings(max_examples=40)
def test_a_side_is_left_open_within_its_errors(sample, apart):
    sample = oracles_frontier.Sample(**{
        **vars(sample), "loss_0": sample.loss_0 + apart * sample.group,
        "loss_1": sample.loss_1 + apart * sample.group,
    })
    n = sample.n if sample.cluster is None else len(np.unique(sample.cluster))
    states = {}
    for name, q in (("above", [1, -1]), ("below", [-1, 1])):
        q = np.array(q) / np.sqrt(2)
        level = oracles_frontier.h(sample, q)
        error = oracles.standard_error(sample, [(q, oracles.decided(sample, q))])
        if abs(abs(level) - np.sqrt(np.log(n)) * error) < 1e-6:
            return
        states[name] = 0 if abs(level) <= np.sqrt(np.log(n)) * error else np.sign(level)
    found = open_sides(SupportFunction(**arguments(sample)))
    assert found
    if states["above"] > 0 and states["below"] > 0:
        assert found == ("across",)
    for name, other in (("above", "below"), ("below", "above")):
        assert (name in found) == (states[name] <= 0 and not (states[other] < 0 <= states[name]))


def test_each_position_has_its_own_interval():
    sides = {shift: distance_to_fairest(*simulated(1000, shift=shift), n_draws=60,
                                        random_state=0).sides for shift in (-1, 0, 1)}
    assert sides == {-1: ("below",), 0: ("across",), 1: ("above",)}


@pytest.mark.parametrize(("shift", "method"), [(0.38, "delta+region"), (0.44, "region")])
def test_in_between_the_interval_holds_for_both_cases(shift, method):
    # The largest e_r - e_b is about 0 where losses of b are larger by .41.
    support, decisions = simulated(1000, shift=shift)
    result = distance_to_fairest(support, decisions, metric="chebyshev", n_draws=60,
                                 random_state=0)
    assert result.sides == ("across", "above")
    assert result.confidence_interval.method == method
    assert "does not tell whether equal risks are attainable" in result.reading


@pytest.mark.parametrize("shift", [0, 1])
def test_the_squared_distance_is_the_square_of_the_euclidean(shift):
    support, decisions = simulated(500, shift=shift)
    one, two = (
        distance_to_fairest(support, decisions, metric=metric, n_draws=60, random_state=0)
        for metric in ("euclidean", "squared")
    )
    assert two.statistic == pytest.approx(one.statistic**2)
    assert two.confidence_interval.low == pytest.approx(one.confidence_interval.low**2)
    assert two.confidence_interval.high == pytest.approx(one.confidence_interval.high**2)


def test_swapping_groups_keeps_the_distance():
    data = make_frontier_data(800, random_state=3)
    add = 1.0 * (data.sensitive_features == "b")
    losses, delta = (
        ((data.target != 0) + add, (data.target != 1) + add), data.delta_theta(data.data)
    )

    def found(names, delta):
        support = SupportFunction(
            *losses, delta, sensitive_features=data.sensitive_features, group_names=names
        )
        return distance_to_fairest(
            support, data.status_quo(data.data), n_draws=300, random_state=0
        )

    one, two = found(("r", "b"), delta), found(("b", "r"), delta[:, ::-1])
    assert (one.sides, two.sides) == (("above",), ("below",))
    assert one.statistic == pytest.approx(two.statistic)
    # Draws go to rows in another order.
    assert one.confidence_interval.low == pytest.approx(two.confidence_interval.low, abs=0.02)


@pytest.mark.statistical
@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_intervals_hold_the_true_distance_as_often_as_they_say(design):
    data = make_frontier_data(1, design=design, random_state=0)
    held = dict.fromkeys(METRICS, 0)
    for seed in range(50):
        support, decisions = simulated(1000, seed, design=design)
        for metric in METRICS:
            interval = distance_to_fairest(
                support, decisions, metric=metric, n_draws=50, random_state=seed
            ).confidence_interval
            truth = length(data.status_quo_risks - data.fairest_point, metric)
            held[metric] += interval.low <= truth <= interval.high
    assert min(held.values()) >= 44


@pytest.mark.statistical
def test_beside_equal_risks_intervals_hold_the_true_distance():
    data = make_frontier_data(1, random_state=0)
    # E[S(q)] at q = (1, -1) / sqrt(2), by 1.6 x 10^6 draws of the covariates.
    fairest = np.array([0.6886, 1.2957])
    truth = length(data.status_quo_risks + np.array([0, 1]) - fairest, "chebyshev")
    intervals = [
        distance_to_fairest(
            *simulated(1000, seed, shift=1), metric="chebyshev", n_draws=60, random_state=seed
        ).confidence_interval
        for seed in range(12)
    ]
    assert sum(interval.low <= truth <= interval.high for interval in intervals) >= 11
    assert np.mean([interval.high - interval.low for interval in intervals]) < 0.25


def test_rows_repeated_within_clusters_are_no_further_rows():
    data = make_frontier_data(500, random_state=1)
    twice = np.tile(np.arange(500), 2)

    def width(rows, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        )
        interval = distance_to_fairest(
            support, data.status_quo(data.data)[rows], n_draws=800, random_state=0
        ).confidence_interval
        return interval.standard_error

    once, clustered, independent = (
        width(np.arange(500)), width(twice, clusters=twice), width(twice)
    )
    assert clustered == pytest.approx(once, rel=0.1)
    assert independent == pytest.approx(once / np.sqrt(2), rel=0.1)


def test_survey_weights_move_the_distance_as_repetition_does():
    data = make_frontier_data(400, random_state=2)
    weight = np.random.default_rng(0).integers(1, 4, 400)
    rows = np.repeat(np.arange(400), weight)

    def found(rows, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows],
            group_names=data.group_names, **options,
        )
        return distance_to_fairest(
            support, data.status_quo(data.data)[rows], n_draws=500, random_state=0
        )

    weighted, repeated = found(np.arange(400), sample_weight=weight), found(rows, clusters=rows)
    assert weighted.statistic == pytest.approx(repeated.statistic)
    errors = [r.confidence_interval.standard_error for r in (weighted, repeated)]
    assert errors[0] == pytest.approx(errors[1], rel=0.12)


@pytest.mark.parametrize("fairest", ["plug_in", "infimum", "crossing"])
def test_the_fairest_point_is_that_of_the_method(fairest):
    support, decisions = simulated(800)
    result = distance_to_fairest(support, decisions, fairest=fairest, n_draws=60, random_state=0)
    assert_allclose(result.fairest_point, support.fairest_point(fairest).point)
    assert result.statistic == pytest.approx(
        np.hypot(*(result.risks - result.fairest_point))
    )
    interval = result.confidence_interval
    assert interval.low < result.statistic < interval.high


def test_draws_do_not_depend_on_the_number_of_jobs():
    support, decisions = simulated(400)
    one, two = (
        distance_to_fairest(support, decisions, n_draws=90, random_state=7, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.confidence_interval.low == two.confidence_interval.low
    assert json.loads(json.dumps(one.to_dict()))["reading"] == str(one)
    assert "sides=('across',)" in repr(one)


def test_bad_arguments_are_named():
    support, decisions = simulated(100)
    with pytest.raises(ValueError, match="metric must be one of 'euclidean'"):
        distance_to_fairest(support, decisions, metric="cosine")
    with pytest.raises(ValueError, match="fairest must be one of"):
        distance_to_fairest(support, decisions, fairest="best")
    with pytest.raises(ValueError, match=r"decisions must be probabilities in \[0, 1\]"):
        distance_to_fairest(support, 2 * np.ones(100))
    with pytest.raises(ValueError, match="decisions has 99"):
        distance_to_fairest(support, decisions[:99])
    three = SupportFunction(
        [0, 1, 0], [1, 0, 1], np.ones((3, 3)), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match="distance_to_fairest is for two groups"):
        distance_to_fairest(three, [0, 1, 0])


def test_the_step_of_the_infimum_goes_by_clusters():
    data = make_frontier_data(300, random_state=0)
    steps = []
    for k in (1, 8):
        support = SupportFunction(
            np.repeat(data.target != 0, k), np.repeat(data.target != 1, k),
            np.repeat(data.delta_theta(data.data), k, axis=0),
            sensitive_features=np.repeat(data.sensitive_features, k),
            clusters=np.repeat(np.arange(300), k), group_names=("r", "b"),
        )
        steps.append(equal_risk(support, support.fairest_point("infimum")).step)
    assert steps[1] == steps[0] == 300**0.255


def test_no_interval_reaches_beyond_what_the_losses_allow():
    rng = np.random.default_rng(5)
    high = []
    for seed in range(6):
        data = make_frontier_data(60, random_state=seed)
        noise = rng.normal(size=(60, 2))
        support = SupportFunction(
            data.target != 0, data.target != 1, noise,
            sensitive_features=data.sensitive_features, group_names=data.group_names,
        )
        for metric, most in (("euclidean", 2**0.5), ("manhattan", 2.0), ("squared", 2.0)):
            found = distance_to_fairest(
                support, np.full(60, 0.5), metric=metric, fairest="infimum", n_draws=100,
                random_state=0,
            ).confidence_interval
            assert found.low <= found.high <= most + 1e-12
            high.append(found.high / most)
    assert max(high) == pytest.approx(1.0)
