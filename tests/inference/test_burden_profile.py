"""Who carries the burden, and where along the ranking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles
from fairrank.inference import rgf_test
from strategies import audits


def groups_of(burden, group, **options):
    found = rgf_test(
        None, None, sensitive_features=group, burden=burden, comparisons="none",
        n_permutations=1, method="monte_carlo", **options,
    )
    return found.groups


@given(audits(max_groups=4))
@settings(max_examples=50)
def test_ratios_are_burden_share_over_group_share(audit):
    burden, group = audit.burden, audit.group
    for row in groups_of(burden, group):
        mine = group == row.group
        assert row.n_samples == mine.sum()
        assert row.group_share == mine.mean()
        assert row.expected_share == pytest.approx(mine.mean())
        assert row.burden_share == pytest.approx(burden[mine].sum() / burden.sum())
        assert row.burden_ratio == pytest.approx(burden[mine].mean() / burden.mean())
        assert row.mean_burden == pytest.approx(burden[mine].mean(), abs=1e-12)
        assert row.conditional_ratio == pytest.approx(row.burden_ratio)


@given(audits(max_groups=3, kinds=("continuous", "tied")), st.booleans())
@settings(max_examples=50)
def test_peak_is_where_the_centred_path_is_furthest_from_zero(audit, stratified):
    strata = audit.strata.copy() if stratified else np.zeros(audit.group.size)
    # One mixed stratum at least: the first two rows join it with unlike burdens and groups.
    smallest = [np.flatnonzero(audit.group == g)[0] for g in (0, 1)]
    if audit.burden[smallest[0]] == audit.burden[smallest[1]]:
        strata = np.zeros(audit.group.size)
    strata[smallest] = 0
    paths = oracles.centred_paths(audit.burden, audit.group, strata)
    for row in groups_of(audit.burden, audit.group, strata=strata):
        path = paths[row.group]
        assert abs(row.peak) == pytest.approx(np.abs(path).max(), abs=1e-12)
        if abs(row.peak) > 1e-9:
            at = round(row.peak_rank * path.size) - 1
            assert path[at] == pytest.approx(row.peak, abs=1e-12)
            low, high = row.peak_range
            assert low <= row.peak_rank <= high


def test_expected_share_is_that_of_the_strata():
    rng = np.random.default_rng(0)
    burden, group, strata = rng.random(200), rng.integers(0, 2, 200), rng.integers(0, 3, 200)
    for row in groups_of(burden, group, strata=strata):
        part = oracles.expected_part(group, strata, row.group)
        assert row.expected_share == pytest.approx((part * burden).sum() / burden.sum())
        assert row.conditional_ratio == pytest.approx(row.burden_share / row.expected_share)


def test_burden_is_split_by_outcome():
    rng = np.random.default_rng(0)
    y, p, group = rng.integers(0, 2, 300), rng.random(300), rng.integers(0, 2, 300)
    loss = np.abs(y - p)
    for row in rgf_test(y, p, sensitive_features=group, n_permutations=1).groups:
        negative, positive = ((group == row.group) & (y == value) for value in (0, 1))
        assert row.mean_false_positive_burden == pytest.approx(loss[negative].mean())
        assert row.mean_false_negative_burden == pytest.approx(loss[positive].mean())
        assert row.false_positive_share == pytest.approx(loss[negative].sum() / loss.sum())
        assert row.false_negative_share == pytest.approx(loss[positive].sum() / loss.sum())
        assert_allclose(row.false_positive_share + row.false_negative_share, row.burden_share)


def test_a_given_burden_has_no_outcomes():
    row = groups_of([0.1, 0.2, 0.4], ["a", "b", "a"])[0]
    assert row.mean_false_positive_burden is row.false_negative_share is None


def test_a_group_without_positives_has_no_false_negative_burden():
    rows = rgf_test(
        [0, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], sensitive_features=["a", "a", "b", "b"]
    ).groups
    assert np.isnan(rows[0].mean_false_negative_burden)
    assert rows[0].false_negative_share == 0.0


def test_excess_range_is_where_the_burdened_rows_are():
    # Rows 61-80 of 100 are all of group b, elsewhere half.
    group = np.where((np.arange(100) >= 60) & (np.arange(100) < 80), 1, np.arange(100) % 2)
    row = groups_of(100.0 + np.arange(100.0), group)[1]
    start, end = row.excess_range
    assert start == pytest.approx(0.6, abs=0.02)
    assert end == pytest.approx(0.8, abs=0.02)


def test_two_groups_have_opposite_peaks():
    rng = np.random.default_rng(0)
    first, second = groups_of(rng.random(100), rng.integers(0, 2, 100))
    assert first.peak == -second.peak
    assert first.peak_rank == second.peak_rank


def test_groups_become_plain_values():
    row = groups_of([0.1, 0.2, 0.4], ["a", "b", "a"])[0]
    assert row.to_dict()["group"] == "a"
    assert row.to_dict()["peak"] == row.peak
