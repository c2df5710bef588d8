"""Outcomes drawn from the scores: do burdens part more than base rates alone would make them."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit

import oracles
from fairrank.inference import rgf_test
from fairrank.inference._calibrated_reference import recalibrated
from strategies import audits


def scored_rows(n, shift=0.0, seed=0, n_groups=2):
    """Calibrated scores with unlike base rates; `shift` moves outcomes of the last group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n)
    score = expit(rng.normal(-1.0 + group, 1.0))
    truth = expit(logit(score) + shift * (group == n_groups - 1))
    return (rng.random(n) < truth).astype(int), score, group


def calibrated(y, p, group, **options):
    options = {"n_permutations": 199, "random_state": 0} | options
    return rgf_test(y, p, sensitive_features=group, reference="calibrated", **options)


# ---------------------------------------------------------------- statistic and draws

@given(audits(max_groups=5, kinds=("continuous",)))
@settings(max_examples=50)
def test_statistic_is_that_of_the_definition(audit):
    score = 0.05 + 0.9 * audit.burden
    outcome = audit.order % 2
    found = calibrated(outcome, score, audit.group, n_permutations=2)
    expected = oracles.statistic(np.abs(outcome - score), audit.group)
    assert found.statistic == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("burden", ["absolute", "squared", lambda y, p: 2.0 * y + p])
def test_draws_spread_like_burdens_computed_anew(burden):
    y, p, group = scored_rows(60, n_groups=3)
    found = calibrated(y, p, group, burden=burden, n_permutations=3000)
    rng = np.random.default_rng(1)
    losses = {
        "absolute": lambda y, p: np.abs(y - p), "squared": lambda y, p: (y - p) ** 2,
    }
    loss = burden if callable(burden) else losses[burden]
    literal = np.array(
        [oracles.statistic(loss(rng.random(60) < p, p), group) for _ in range(500)]
    )
    error = np.hypot(found.null_distribution.std() / 3000**0.5, literal.std() / 500**0.5)
    assert abs(found.null_distribution.mean() - literal.mean()) < 4 * error
    assert found.null_distribution.std() == pytest.approx(literal.std(), rel=0.25)


def test_p_counts_the_draws_that_reach_the_statistic():
    found = calibrated(*scored_rows(200))
    tolerance = 1e-9 * max(found.statistic, found.expected_statistic)
    assert found.pvalue == oracles.sampled_pvalue(
        found.null_distribution, found.statistic, tolerance
    )
    assert found.expected_statistic == found.null_distribution.mean()
    assert (found.reference, found.smallest_pvalue) == ("calibrated", 1 / 200)


def test_unlike_base_rates_alone_are_not_found():
    # A permutation rejects these calibrated scores, the calibrated reference does not.
    y, p, group = scored_rows(4000)
    assert rgf_test(y, p, sensitive_features=group, random_state=0).pvalue < 0.01
    assert calibrated(y, p, group).pvalue > 0.05


def test_scores_that_fail_one_group_are_found():
    y, p, group = scored_rows(4000, shift=1.0, seed=1)
    assert calibrated(y, p, group).pvalue < 0.01


def test_number_of_jobs_changes_nothing_at_all():
    rows = scored_rows(12_000)
    one, two = (calibrated(*rows, n_permutations=200, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_array_equal(one.null_distribution, two.null_distribution)


# ---------------------------------------------------------------- calibration beside it

def test_calibration_by_group_is_rate_against_mean_score():
    y, p, group = scored_rows(500, shift=1.0)
    for row in calibrated(y, p, group, n_permutations=9).calibration:
        mine = group == row.group
        assert row.mean_score == pytest.approx(p[mine].mean())
        assert row.observed_rate == y[mine].mean()
        assert row.difference == pytest.approx(y[mine].mean() - p[mine].mean())
        spread = np.sqrt((p[mine] * (1 - p[mine])).sum())
        assert row.z == pytest.approx((y[mine] - p[mine]).sum() / spread)


def test_a_permutation_test_has_no_calibration():
    y, p, group = scored_rows(100)
    assert rgf_test(y, p, sensitive_features=group, n_permutations=9).calibration == ()


def test_recalibration_makes_means_and_slopes_agree():
    y, p, _ = scored_rows(3000)
    fitted = recalibrated(expit(2.0 * logit(p) + 1.0), y)
    assert fitted.mean() == pytest.approx(y.mean(), abs=1e-5)
    position = logit(fitted)
    assert (y - fitted) @ position == pytest.approx(0.0, abs=0.1)
    slope = np.polyfit(logit(p), position, 1)
    assert_allclose(position, np.polyval(slope, logit(p)), atol=1e-9)


def test_recalibration_mends_scores_that_are_wrong_alike_in_all_groups():
    y, p, group = scored_rows(4000, seed=2)
    wrong = expit(2.0 * logit(p) + 1.0)
    assert calibrated(y, wrong, group).pvalue < 0.05
    mended = calibrated(y, wrong, group, recalibrate=True)
    assert mended.pvalue > 0.05
    assert abs(sum(row.difference for row in mended.calibration)) < 0.05


# ---------------------------------------------------------------- what a user can get wrong

def test_a_given_burden_is_refused():
    with pytest.raises(ValueError, match="needs y_true, y_score and a burden that is a name"):
        rgf_test(
            None, None, sensitive_features=[0, 1, 0], burden=[0.1, 0.2, 0.3],
            reference="calibrated",
        )


@pytest.mark.parametrize(
    "options", [{"strata": "outcome"}, {"stop_after": 5}, {"top": 0.5}, {"method": "exact"}]
)
def test_what_belongs_to_permutations_is_refused(options):
    with pytest.raises(ValueError, match="draws outcomes, not labels"):
        calibrated(*scored_rows(50), **options)


def test_comparisons_are_refused():
    with pytest.raises(ValueError, match="comparisons exchange labels"):
        calibrated(*scored_rows(50, n_groups=3), comparisons="pairs")


def test_scores_of_zero_and_one_alone_are_refused():
    with pytest.raises(ValueError, match="y_score holds only 0 and 1"):
        calibrated([0, 1, 1, 0], [0.0, 1.0, 0.0, 1.0], [0, 1, 0, 1])


def test_scores_outside_the_unit_interval_are_refused_for_a_callable_burden():
    with pytest.raises(ValueError, match=r"y_score to be probabilities in \[0, 1\]"):
        calibrated([0, 1, 1], [-2.0, 0.5, 1.0], [0, 1, 0], burden=lambda y, p: np.abs(y - p))


def test_recalibration_needs_both_outcomes():
    with pytest.raises(ValueError, match="needs both outcomes"):
        calibrated([1, 1, 1], [0.2, 0.5, 0.7], [0, 1, 0], recalibrate=True)


def test_recalibration_needs_scores():
    with pytest.raises(ValueError, match="recalibrate=True needs y_true and y_score"):
        rgf_test(
            None, None, sensitive_features=[0, 1, 0], burden=[0.1, 0.2, 0.3],
            reference="calibrated", recalibrate=True,
        )
