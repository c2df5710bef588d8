"""Group-stratified bootstrap intervals of RGF and centred RGF."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference import rgf_interval
from fairrank.inference._bootstrap import interval_bounds
from fairrank.metrics import rgf_score
from strategies import audits


@pytest.fixture(scope="module")
def unequal():
    rng = np.random.default_rng(0)
    group = (np.arange(600) < 60).astype(int)
    return rng.random(600) * (1 + 0.5 * group), group


def interval_of(burden, group, **options):
    options = {"n_resamples": 200, "random_state": 0} | options
    return rgf_interval(None, None, sensitive_features=group, burden=burden, **options)


# ---------------------------------------------------------------- bounds

def test_percentile_bounds_are_quantiles_of_the_resampled_scores(unequal):
    found = interval_of(*unequal, method="percentile", confidence_level=0.9)
    assert_allclose((found.low, found.high), np.quantile(found.distribution, [0.05, 0.95]))


def test_basic_bounds_mirror_the_quantiles_at_the_estimate(unequal):
    found = interval_of(*unequal, method="basic")
    low, high = np.quantile(found.distribution, [0.025, 0.975])
    assert_allclose(
        (found.low, found.high),
        (2 * found.estimate - high, min(1.0, 2 * found.estimate - low)),
    )


def test_hull_covers_percentile_and_basic(unequal):
    hull, percentile, basic = (
        interval_of(*unequal, method=method) for method in ("hull", "percentile", "basic")
    )
    assert hull.low == min(percentile.low, basic.low)
    assert hull.high == max(percentile.high, basic.high)


def test_no_bound_exceeds_one():
    assert interval_bounds(0.99, np.array([0.6, 0.7, 0.8]), 0.9, "basic")[1] == 1.0
    assert interval_bounds(0.99, np.array([0.6, 0.7, 0.8]), 0.9, "hull")[1] == 1.0


@pytest.mark.parametrize("statistic", ["rgf", "centered_rgf"])
def test_auto_is_the_hull(unequal, statistic):
    auto, hull = (interval_of(*unequal, statistic=statistic, method=m) for m in ("auto", "hull"))
    assert auto.method == "hull"
    assert (auto.low, auto.high) == (hull.low, hull.high)


def test_wider_levels_contain_narrower_ones(unequal):
    narrow, wide = (interval_of(*unequal, confidence_level=level) for level in (0.8, 0.99))
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.parametrize(("statistic", "centered"), [("rgf", False), ("centered_rgf", True)])
def test_estimate_is_the_score_of_the_sample(unequal, statistic, centered):
    burden, group = unequal
    found = interval_of(burden, group, statistic=statistic)
    score = rgf_score(None, None, sensitive_features=group, burden=burden, centered=centered)
    assert found.estimate == score


# ---------------------------------------------------------------- resamples

@pytest.mark.parametrize(("statistic", "centred"), [("rgf", False), ("centered_rgf", True)])
def test_resampled_scores_spread_like_those_of_rows_really_taken(unequal, statistic, centred):
    burden, group = unequal
    found = interval_of(burden, group, statistic=statistic, n_resamples=2000)
    rng = np.random.default_rng(1)
    literal = []
    for _ in range(500):
        rows = np.concatenate(
            [rng.choice(np.flatnonzero(group == g), (group == g).sum()) for g in (0, 1)]
        )
        literal.append(oracles.rgf(burden[rows], group[rows], centred))
    error = np.hypot(np.std(literal) / 500**0.5, found.standard_error / 2000**0.5)
    assert abs(found.distribution.mean() - np.mean(literal)) < 4 * error
    assert found.standard_error == pytest.approx(np.std(literal), rel=0.15)


def test_resamples_of_equal_burdens_are_counted_and_left_out():
    found = interval_of([0.0, 0.0, 0.0, 1.0], [0, 1, 0, 1])
    assert found.n_undefined == np.isnan(found.distribution).sum() > 0
    assert np.isfinite([found.low, found.high, found.standard_error]).all()


@given(audits(max_rows=12))
@settings(max_examples=50)
def test_integer_weights_are_repeated_rows_exactly(audit):
    weight = audit.integer_weight
    found = interval_of(audit.burden, audit.group, sample_weight=weight, n_resamples=20)
    expected = interval_of(
        oracles.repeated(audit.burden, weight), oracles.repeated(audit.group, weight),
        n_resamples=20,
    )
    assert (found.low, found.high, found.estimate) == (
        expected.low, expected.high, expected.estimate
    )
    assert_array_equal(found.distribution, expected.distribution)


@given(audits(max_groups=4))
@settings(max_examples=50)
def test_order_of_rows_changes_nothing_at_all(audit):
    first = interval_of(audit.burden, audit.group, n_resamples=20)
    second = interval_of(audit.burden[audit.order], audit.group[audit.order], n_resamples=20)
    assert_array_equal(first.distribution, second.distribution)


def test_number_of_jobs_changes_nothing_at_all():
    # Large enough that two jobs really share the draws.
    rng = np.random.default_rng(0)
    burden, group = rng.random(30_000), rng.integers(0, 3, 30_000)
    one, two = (
        interval_of(burden, group, n_resamples=150, n_jobs=n_jobs) for n_jobs in (1, 2)
    )
    assert_array_equal(one.distribution, two.distribution)


def test_the_same_random_state_gives_the_same_interval(unequal):
    first, second = (interval_of(*unequal, random_state=3) for _ in range(2))
    assert (first.low, first.high, first.seed) == (second.low, second.high, second.seed)
    assert interval_of(*unequal, random_state=4).low != first.low


# ---------------------------------------------------------------- what a user can get wrong

@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "aurgf"}, "statistic must be one of 'centered_rgf', 'rgf'"),
        ({"method": "bca"}, "method must be one of"),
        ({"confidence_level": 1.0}, r"confidence_level must lie in \(0, 1\)"),
        ({"n_resamples": 1}, "n_resamples must be at least 2"),
        ({"sample_weight": np.full(600, 0.5)}, "sample_weight holds floats"),
    ],
)
def test_options_are_checked(unequal, options, message):
    with pytest.raises(ValueError, match=message):
        interval_of(*unequal, **options)


def test_constant_burdens_have_no_interval():
    with pytest.raises(DegenerateGroupError, match="burden is constant"):
        interval_of([0.2, 0.2, 0.2], ["a", "b", "a"])


# ---------------------------------------------------------------- the result

def test_result_reads_as_one_would_write_it(unequal):
    found = interval_of(*unequal)
    assert f"95 % [{found.low:.4f}, {found.high:.4f}], method=hull" in repr(found)


def test_result_is_ready_for_json_without_its_draws(unequal):
    found = interval_of(*unequal)
    read = json.loads(json.dumps(found.to_dict()))
    assert "distribution" not in read
    assert read["low"] == found.low
