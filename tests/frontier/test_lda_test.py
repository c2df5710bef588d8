import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as frontier
import oracles_frontier_inference as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._excess import separation
from fairrank.frontier._lda_test import less_discriminatory_alternative_test
from strategies_frontier import arguments, both_vary, frontier_samples

METHODS = ("set", "hybrid", "gaussian")


def simulated(n, seed=0, design="balanced", rows=None, **options):
    data = make_frontier_data(n, design=design, random_state=seed)
    rows = np.arange(n) if rows is None else rows
    y = data.target[rows]
    support = SupportFunction(
        y != 0, y != 1, data.delta_theta(data.data)[rows],
        sensitive_features=data.sensitive_features[rows], group_names=data.group_names, **options,
    )
    return data, support


@st.composite
def decided_samples(draw):
    sample = draw(frontier_samples(max_rows=9).filter(both_vary))
    tenths = st.integers(0, 4).map(lambda k: k / 4)
    decisions = draw(st.lists(tenths, min_size=sample.n, max_size=sample.n))
    return sample, np.array(decisions)


def risks_of(sample, decisions, weight=None):
    """Mean losses when decision 1 is drawn with these probabilities."""
    loss = sample.loss_0 + decisions * (sample.loss_1 - sample.loss_0)
    mixed = frontier.Sample(
        loss_0=loss, loss_1=loss, delta=sample.delta, group=sample.group, weight=sample.weight
    )
    return frontier.risks(mixed, np.zeros(sample.n, dtype=bool), weight)


def checked_statistic(found, support, sample):
    """Direction, gain and statistic by the definition; the point of E and the target's sector."""
    e, best = found.risks, support.separation(found.risks)
    assert_allclose(found.direction, best.direction)
    middle = support.arc_starts[best.arc] + support.arc_starts[best.arc + 1]
    sector = 0 if middle[1] > 0 else 2 if middle[0] > 0 else 1
    point = support.realised.point_of_arc(best.arc)
    gain = best.direction @ (point - oracles.better_targets(e)[sector])
    behind = oracles.behind(frontier.arcs(sample), e, "frontier")
    assert gain == pytest.approx(-behind, abs=1e-9)
    assert found.gain == pytest.approx(gain, abs=1e-9)
    assert found.statistic == pytest.approx(root_n(sample) * max(gain, 0.0), abs=1e-9)
    return best, point, sector


def root_n(sample):
    return np.sqrt(sample.n if sample.cluster is None else len(set(sample.cluster)))


def weights_drawn(support, sample, seed, n_draws=19):
    for in_order in support.draws(lambda draw: draw.weight, n_draws, random_state=seed):
        weight = np.empty(in_order.size)
        weight[support._order.order] = in_order
        yield weight


def agrees(found, draws):
    """Whether the p-value is that of these draws; rounding may be on either side of a tie."""
    bounds = [oracles.pvalue(found.statistic + sign * 1e-6, draws) for sign in (1, -1)]
    return bounds[0] <= found.pvalue <= bounds[1]


@settings(max_examples=60)
@given(decided_samples(), st.sampled_from(METHODS), st.integers(0, 9))
def test_every_draw_finds_its_own_largest_separation(drawn, method, seed):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    found = less_discriminatory_alternative_test(
        support, decisions, n_draws=19, critical_values=method, random_state=seed
    )
    assert_allclose(found.risks, risks_of(sample, decisions), atol=1e-12)
    checked_statistic(found, support, sample)
    draws = []
    for weight in weights_drawn(support, sample, seed):
        e = risks_of(sample, decisions, weight)
        gain = -oracles.behind(frontier.arcs(sample, weight), e, "frontier")
        draws.append(max(gain - found.gain, 0.0))
    assert agrees(found, np.multiply(draws, root_n(sample)))
    # Of 19 draws the largest is what 5 % leave above; half as many have no quantile.
    assert found.gain_lower_bound == pytest.approx(found.gain - max(draws), abs=1e-6)
    assert found.gain_interval == (-np.inf, np.inf)


@settings(max_examples=60)
@given(decided_samples(), st.sampled_from(METHODS), st.integers(0, 9))
def test_in_one_direction_the_test_follows_its_definition_draw_by_draw(drawn, method, seed):
    sample, decisions = drawn
    support = SupportFunction(**arguments(sample))
    found = less_discriminatory_alternative_test(
        support, decisions, calibration="direction", n_draws=19, critical_values=method,
        random_state=seed,
    )
    assert_allclose(found.risks, risks_of(sample, decisions), atol=1e-12)
    best, point, sector = checked_statistic(found, support, sample)
    e = found.risks  # Rounding may choose another one of two equal maxima.
    near = np.sqrt(np.log(max(root_n(sample) ** 2, 2)))
    tie = support.standard_error(best.direction, best.arc) * near
    draws = []
    for weight in weights_drawn(support, sample, seed):
        move = risks_of(sample, decisions, weight) - e
        target = oracles.moved_target(e, move, sector, tie)
        moved = support.reweighted(weight).point_of_arc(best.arc) - point
        above = -float(best.direction @ (target - moved))
        draws.append(root_n(sample) * max(above, 0.0))
    # The derivative of a target is by differences.
    assert agrees(found, draws)


def test_redone_maxima_find_more_than_one_direction_and_reject_nothing_on_the_frontier():
    """Where R and B are mixed many directions are near, which a minimum over them hides."""
    rejected = []
    for seed in range(40):
        data, support = simulated(1000, seed=seed, design="r_skewed")
        ends = [optimal(data, q) for q in ([-1.0, 0.0], [0.0, -1.0])]
        rejected.append([
            less_discriminatory_alternative_test(
                support, decisions, calibration=calibration, n_draws=199, random_state=seed
            ).reject
            for decisions in (np.mean(ends, axis=0), *ends)
            for calibration in ("maximum", "direction")
        ])
    rates = np.mean(rejected, axis=0)
    # .33 and .03 in benchmarks/results/frontier_tests_true_theta.md
    assert rates[0] > 0.2 > 0.15 > rates[1]
    assert (rates[2:] == 0).all()


@pytest.mark.parametrize("calibration", ["maximum", "direction"])
def test_the_lower_bound_is_above_0_just_where_the_test_rejects(calibration):
    bounds, rejected = [], []
    for part in np.linspace(0.0, 0.4, 9):
        data, support = simulated(1000)
        best = data.delta_theta(data.data).sum(axis=1) < 0
        decisions = (1 - part) * best + part * 0.5
        found = less_discriminatory_alternative_test(
            support, decisions, calibration=calibration, n_draws=199, random_state=0
        )
        assert found.gain_interval[0] <= found.gain <= found.gain_interval[1]
        assert found.gain_lower_bound <= found.gain
        bounds.append(found.gain_lower_bound)
        rejected.append(found.reject)
    assert [bound > 0 for bound in bounds] == rejected
    assert 0 < sum(rejected) < 9


def test_the_interval_of_the_gain_has_quantiles_of_the_draws_for_its_lower_end():
    data, support = simulated(500)
    decisions = data.status_quo(data.data)
    found = less_discriminatory_alternative_test(
        support, decisions, n_draws=39, random_state=0
    )
    gains = []
    for weight in weights_drawn(support, data.target, 0, n_draws=39):
        draw = support.reweighted(weight)
        loss = np.where(data.target == 1, 1.0 - decisions, decisions)
        e = [
            np.average(loss[inside], weights=weight[inside])
            for inside in (data.sensitive_features == name for name in data.group_names)
        ]
        gains.append(-separation(draw, np.array(e)).value)
    # 2.5 % of 39 draws leave one above.
    above = max(max(gains) - found.gain, 0.0)
    assert found.gain_interval[0] == pytest.approx(found.gain - above, abs=1e-9)
    assert found.gain_interval[1] >= found.gain + found.gain - min(gains) - 1e-9


@pytest.mark.parametrize("n_draws", [1, 9])
def test_of_too_few_draws_nothing_is_rejected_and_no_bound_is_given(n_draws):
    data, support = simulated(500)
    found = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), n_draws=n_draws, random_state=0
    )
    assert not found.reject
    assert found.pvalue >= 1 / (1 + n_draws) > 0.05
    assert found.gain_lower_bound == -np.inf
    assert found.gain_interval == (-np.inf, np.inf)


def test_the_joint_statistic_is_the_sum_of_its_parts():
    data, support = simulated(600, seed=2)
    found = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), n_draws=99, random_state=0
    )
    assert found.joint.statistic == found.statistic + found.feasibility.statistic


@pytest.mark.parametrize("method", METHODS)
def test_the_pvalue_does_not_depend_on_the_joint_tests_critical_values(method):
    data, support = simulated(600)
    found = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), n_draws=99, random_state=0, critical_values=method
    )
    other = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), n_draws=99, random_state=0
    )
    assert (found.pvalue, found.gain_interval) == (other.pvalue, other.gain_interval)


def test_the_result_depends_on_the_seed_and_not_on_the_number_of_threads():
    data, support = simulated(4000)
    decisions = data.status_quo(data.data)
    options = {"n_draws": 1100, "random_state": 3}
    one = less_discriminatory_alternative_test(support, decisions, n_jobs=1, **options)
    two = less_discriminatory_alternative_test(support, decisions, n_jobs=2, **options)
    assert one.to_dict() == two.to_dict()
    again = less_discriminatory_alternative_test(
        support, decisions, n_draws=1100, random_state=np.random.SeedSequence(one.seed)
    )
    assert again.to_dict() == one.to_dict()
    other = less_discriminatory_alternative_test(
        support, decisions, n_draws=1100, random_state=4
    )
    assert other.critical_value != one.critical_value


def test_rows_seen_together_count_once():
    twice = np.repeat(np.arange(800), 2)
    data, once = simulated(800)
    _, clustered = simulated(800, rows=twice, clusters=twice)
    decisions = data.status_quo(data.data)
    found = less_discriminatory_alternative_test(once, decisions, random_state=0)
    repeated = less_discriminatory_alternative_test(clustered, decisions[twice], random_state=0)
    assert repeated.statistic == pytest.approx(found.statistic, abs=1e-9)
    assert repeated.joint.statistic == pytest.approx(found.joint.statistic, abs=1e-9)
    for name in ("feasibility", "joint"):
        ratio = getattr(repeated, name).critical_value / getattr(found, name).critical_value
        assert 0.85 < ratio < 1.15
    assert 0.85 < repeated.critical_value / found.critical_value < 1.15


def test_survey_weights_stand_for_what_was_not_sampled():
    data = make_frontier_data(6000, random_state=1)
    # Rows of low x4 are seen a quarter as often.
    kept = np.random.default_rng(0).random(6000) < np.where(data.data[:, 3] > 0, 1.0, 0.25)
    weight = np.where(data.data[:, 3] > 0, 1.0, 4.0)[kept]
    rows = np.flatnonzero(kept)
    _, plain = simulated(6000, seed=1, rows=rows)
    _, weighted = simulated(6000, seed=1, rows=rows, sample_weight=weight)
    _, full = simulated(6000, seed=1)
    decisions = data.status_quo(data.data)
    options = {"random_state": 0, "n_draws": 400}
    target = less_discriminatory_alternative_test(full, decisions, **options)
    right = less_discriminatory_alternative_test(weighted, decisions[kept], **options)
    wrong = less_discriminatory_alternative_test(plain, decisions[kept], **options)
    low, high = right.gain_interval
    assert low < target.gain < high
    assert abs(right.gain - target.gain) < abs(wrong.gain - target.gain)
    # Unequal weights are worth fewer rows.
    assert high - low > np.diff(wrong.gain_interval)


def test_the_spread_of_draws_is_the_standard_error_of_the_gain():
    data, support = simulated(2000, clusters=np.arange(2000) // 4)
    decisions = data.status_quo(data.data)
    found = less_discriminatory_alternative_test(
        support, decisions, calibration="direction", n_draws=2000, random_state=0,
        significance_level=0.3173,
    )
    sample = support._sample
    best = support.separation(found.risks)
    q = best.direction
    loss = sample.loss + decisions * sample.change - sample.group_means(
        sample.loss + decisions * sample.change
    )[sample.code]
    own = sample.n_rows * sample.weight_in_group * q[sample.code] * loss
    gap = sample.summed_in_clusters(own - support.influence(q, best.arc))
    error = np.sqrt((gap**2).sum()) / sample.n_rows
    # One standard error holds 68 %.
    assert found.gain - found.gain_interval[0] == pytest.approx(error, rel=0.1)


def test_the_true_gain_is_inside_the_interval_as_often_as_promised():
    truth = less_discriminatory_alternative_test(
        *reversed_arguments(simulated(200_000, seed=77)), n_draws=1, random_state=0
    ).gain
    hits = []
    for seed in range(60):
        data, support = simulated(1000, seed=seed)
        found = less_discriminatory_alternative_test(
            support, data.status_quo(data.data), n_draws=199, random_state=seed
        )
        hits.append(found.gain_interval[0] <= truth <= found.gain_interval[1])
    assert np.mean(hits) >= 0.93


def reversed_arguments(pair):
    data, support = pair
    return support, data.status_quo(data.data)


def optimal(data, q):
    """Decisions of the frontier's rule in a direction, from the true delta_theta."""
    return (data.delta_theta(data.data) / data.group_shares) @ q > 0


@pytest.mark.parametrize(
    ("design", "power"), [("balanced", 0.8), ("r_skewed", 0.6)],
)
def test_the_test_holds_its_size_and_finds_alternatives(design, power):
    rejected = []
    for seed in range(40):
        data, support = simulated(1000, seed=seed, design=design)
        for decisions in (
            optimal(data, [-1.0, 0.0]), optimal(data, [-0.3, -1.0]),
            data.status_quo(data.data),
        ):
            found = less_discriminatory_alternative_test(
                support, decisions, n_draws=199, random_state=seed
            )
            rejected.append(found.reject)
    rates = np.reshape(rejected, (40, 3)).mean(axis=0)
    assert rates[:2].max() <= 0.1
    assert rates[2] >= power


def test_decisions_that_see_the_group_look_infeasible_and_are_no_evidence():
    data, support = simulated(2000)
    decisions = data.probability > 0.5
    found = less_discriminatory_alternative_test(support, decisions, random_state=0, n_draws=199)
    assert found.feasibility.reject
    assert found.joint.reject
    assert not found.reject
    assert found.pvalue == 1.0
    assert "outside the estimated feasible set" in found.warnings[0]
    assert "no evidence about an alternative" in found.warnings[0]


def test_decisions_on_the_estimated_frontier_are_never_rejected_by_rounding():
    for seed in range(5):
        support = simulated(300, seed=seed)[1]
        for q in ([-1.0, -0.7], [-0.2, -1.0], [-1.0, 0.0]):
            found = less_discriminatory_alternative_test(
                support, support.decisions(q), random_state=0, n_draws=99
            )
            assert found.statistic < 1e-12
            assert found.pvalue == 1.0


def test_warnings_name_the_small_group_and_say_what_follows():
    data, support = simulated(900)
    decisions = data.status_quo(data.data)
    found = less_discriminatory_alternative_test(
        support, decisions, random_state=0, n_draws=99, decisions_in_sample=True
    )
    n_b = int((data.sensitive_features == "b").sum())
    assert len(found.warnings) == 2
    assert found.warnings[0].startswith(f"Group 'b' has {n_b} rows, fewer than 500")
    assert "chosen on these rows" in found.warnings[1]
    assert found.decisions_in_sample
    data, support = simulated(2000)
    assert less_discriminatory_alternative_test(
        support, data.status_quo(data.data), random_state=0, n_draws=99
    ).warnings == ()


def test_the_reading_claims_no_more_than_the_test_says():
    data, support = simulated(2000)
    options = {"random_state": 0, "n_draws": 199}
    rejects = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), **options
    )
    assert "there is evidence that a less discriminatory alternative exists" in rejects.reading
    assert f"p = {rejects.pvalue:.3g}" in rejects.reading
    assert f"{rejects.gain_lower_bound:.3g}" in rejects.reading
    keeps = less_discriminatory_alternative_test(support, optimal(data, [-1.0, 0.0]), **options)
    assert "no evidence" in keeps.reading
    assert "absence of evidence and does not show that there is none" in keeps.reading
    assert f"{keeps.gain_interval[1]:.3g}" in keeps.reading
    assert str(keeps) == f"{keeps!r}\n{keeps.reading}"


def test_the_result_as_a_dictionary_is_ready_for_json():
    data, support = simulated(300)
    found = less_discriminatory_alternative_test(
        support, data.status_quo(data.data), random_state=0, n_draws=19
    )
    read = json.loads(json.dumps(found.to_dict()))
    assert read["calibration"] == "maximum"
    assert read["joint"]["pvalue"] == found.joint.pvalue
    assert read["direction"] == found.direction.tolist()
    assert read["group_names"] == ["r", "b"]
    assert read["reading"] == found.reading


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decisions": [0.1, 0.2]}, "decisions has 2"),
        ({"decisions": [0.5, 0.5, 0.5, 1.5]}, r"decisions reach from 0.5 to 1.5: give the prob"),
        ({"decisions": [0, 1, np.nan, 0]}, "decisions has 1 NaN"),
        ({"calibration": "set"}, "calibration must be one of 'maximum', 'direction'"),
        ({"critical_values": "exact"}, "critical_values must be one of 'set', 'hybrid'"),
        ({"significance_level": 1.0}, r"significance_level must lie in \(0, 1\)"),
        ({"n_draws": 0}, "n_draws must be at least 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(changes, message):
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], np.ones((4, 2)), sensitive_features=["a", "b", "a", "b"]
    )
    given = {"decisions": [0, 1, 0, 1], **changes}
    with pytest.raises(ValueError, match=message):
        less_discriminatory_alternative_test(support, given.pop("decisions"), **given)


def test_more_than_two_groups_are_refused():
    support = SupportFunction(
        [0, 1, 0], [1, 0, 1], np.ones((3, 3)), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match="for two groups"):
        less_discriminatory_alternative_test(support, [0, 1, 0])
