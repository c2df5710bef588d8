"""Bootstrap intervals of ranking disparities against literal resampling."""

import numpy as np
import pytest

import oracles_ranking as oracles
from fairrank.exceptions import DegenerateGroupError, SmallGroupWarning
from fairrank.inference import ranking_disparity_interval
from fairrank.metrics import ranking_disparity


def rows(n, gap, seed, n_groups=2):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, n_groups, n)
    y = rng.integers(0, 2, n)
    return y, rng.normal(size=n) + y + gap * (group == 1), group, rng


@pytest.mark.parametrize("kind", ["xauc", "prf", "urf"])
def test_resampled_differences_are_those_of_resampled_rows(kind):
    y, score, group, rng = rows(60, 0.5, 0)
    interval = ranking_disparity_interval(
        y, score, sensitive_features=group, disparity=kind, n_resamples=2000, random_state=0
    )
    # For PRF everybody's negatives are one sample.
    strata = {"xauc": 2 * group + y, "prf": y * (1 + group), "urf": group}[kind]
    literal = []
    for _ in range(400):
        drawn = np.concatenate(
            [rng.choice(np.flatnonzero(strata == s), (strata == s).sum()) for s in set(strata)]
        )
        literal.append(
            oracles.signed_disparity(y[drawn], score[drawn], group[drawn], 0, 1, kind)
        )
    found = interval.distribution[:, 0]
    error = np.std(literal) / np.sqrt(len(literal))
    assert abs(found.mean() - np.mean(literal)) < 4 * error
    assert found.std() == pytest.approx(np.std(literal), rel=0.15)


def test_the_numbers_do_not_depend_on_n_jobs():
    y, score, group, _ = rows(200, 0.3, 1)
    one, two = (
        ranking_disparity_interval(
            y, score, sensitive_features=group, n_resamples=100, random_state=3, n_jobs=jobs
        )
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.distribution, two.distribution)


@pytest.mark.statistical
def test_the_interval_of_the_largest_gap_covers_0_when_there_is_none():
    covered = 0
    for seed in range(200):
        y, score, group, _ = rows(300, 0.0, seed, n_groups=3)
        interval = ranking_disparity_interval(
            y, score, sensitive_features=group, n_resamples=200, random_state=seed
        )
        covered += interval.low <= 0.0
    # 95 % with a Monte Carlo error of 1.5 %; a plain interval of |D| covers 0 never.
    assert covered >= 200 * (0.95 - 3 * 0.0154)


@pytest.mark.parametrize("kind", ["xauc", "prf", "urf"])
def test_resampled_and_analytic_standard_errors_agree(kind):
    y, score, group, _ = rows(600, 0.4, 2, n_groups=3)
    result = ranking_disparity(y, score, sensitive_features=group, disparity=kind)
    interval = ranking_disparity_interval(
        y, score, sensitive_features=group, disparity=kind, random_state=0
    )
    assert (interval.estimate, interval.pair) == (result.value, result.pair)
    for pair in interval.pairs:
        assert pair.difference == result.differences[pair.above, pair.below]
        stated = result.standard_errors[pair.above, pair.below]
        assert pair.standard_error == pytest.approx(stated, rel=0.08)
        assert pair.joint_low < pair.low < pair.difference < pair.high < pair.joint_high


def test_the_interval_of_one_pair_is_its_percentiles_without_sign():
    y, score, group, _ = rows(400, 1.5, 3)
    interval = ranking_disparity_interval(
        y, score, sensitive_features=group, random_state=0, confidence_level=0.9
    )
    low, high = np.quantile(interval.distribution[:, 0], [0.05, 0.95])
    (pair,) = interval.pairs
    assert (pair.low, pair.high) == pytest.approx((low, high), abs=1e-15)
    assert interval.pair == (1, 0)  # group 1 is favoured, so the difference of (0, 1) is below 0
    assert (interval.low, interval.high) == (-pair.high, -pair.low)


def test_whole_weights_are_resampled_as_rows():
    y, score, group, rng = rows(80, 0.3, 4)
    weight = rng.integers(1, 4, 80)
    again = np.repeat(np.arange(80), weight)
    weighted = ranking_disparity_interval(
        y, score, sensitive_features=group, sample_weight=weight, n_resamples=50, random_state=0
    )
    repeated = ranking_disparity_interval(
        y[again], score[again], sensitive_features=group[again], n_resamples=50, random_state=0
    )
    assert weighted.estimate == repeated.estimate
    np.testing.assert_allclose(weighted.distribution, repeated.distribution, atol=1e-12)


def test_masses_are_refused():
    y, score, group, _ = rows(40, 0.3, 5)
    with pytest.raises(ValueError, match="sample_weight holds floats"):
        ranking_disparity_interval(y, score, sensitive_features=group, sample_weight=score**2)


def test_a_sample_of_a_few_rows_is_warned_about():
    y, score, group = [1, 0] * 6 + [1, 0], np.arange(14.0), ["a"] * 12 + ["b"] * 2
    with pytest.warns(SmallGroupWarning, match="only 1 negatives of group 'b'"):
        ranking_disparity_interval(y, score, sensitive_features=group, n_resamples=10)


def test_a_group_that_lacks_a_class_is_refused():
    with pytest.raises(DegenerateGroupError, match="'b' has no negative"):
        ranking_disparity_interval([0, 1, 1], [1, 2, 3], sensitive_features=["a", "a", "b"])
