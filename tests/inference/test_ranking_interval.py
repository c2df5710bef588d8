"""Bootstrap intervals of ranking disparities against literal resampling."""

import numpy as np
import pytest

import oracles_ranking as oracles
from fairrank.inference import ranking_disparity_interval


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
    strata = 2 * group + y if kind != "urf" else group
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
