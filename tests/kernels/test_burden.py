"""Areas between group paths and their inner products, against plain sums over positions."""

import numpy as np
import pytest
from fairrank._kernels.burden import centred_products, separation
from fairrank._kernels.order import pool_ties, tie_blocks
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from strategies import audits


def sorted_arrays(burden, group, weight=None):
    """Arguments of `separation`, as the metrics prepare them."""
    order = np.argsort(burden, kind="stable")
    weight = np.ones(order.size) if weight is None else np.asarray(weight, dtype=float)[order]
    values = burden[order]
    starts = tie_blocks(values, 1e-12 * values[-1])
    pooled = pool_ties(values, weight, starts)
    return pooled, group[order].astype(np.uint8), weight, starts


def distances(burden, group, weight=None, at_ranks=True):
    """Mean RGD over pairs, plain and centred."""
    n_groups = int(group.max()) + 1
    plain, centred, totals, _ = separation(
        *sorted_arrays(burden, group, weight), 0, n_groups, at_ranks
    )
    pairs = np.triu_indices(n_groups, 1)
    return plain[pairs].mean() / totals[2], centred[pairs].mean() / totals[2]


@given(audits(max_groups=5))
def test_distances_are_those_of_the_definition(audit):
    plain, centred = distances(audit.burden, audit.group)
    assert plain == pytest.approx(oracles.rgd(audit.burden, audit.group), abs=1e-12)
    assert centred == pytest.approx(oracles.rgd(audit.burden, audit.group, True), abs=1e-12)


@given(audits(max_rows=12))
def test_whole_weights_are_repeated_rows(audit):
    weight = audit.integer_weight
    burden, group = oracles.repeated(audit.burden, weight), oracles.repeated(audit.group, weight)
    assert_allclose(
        distances(audit.burden, audit.group, weight), distances(burden, group), atol=1e-13
    )


@given(audits(max_groups=5))
def test_mass_distances_are_the_integrals(audit):
    arguments = audit.burden, audit.group, audit.float_weight
    plain, centred = distances(*arguments, at_ranks=False)
    assert plain == pytest.approx(oracles.rgd_over_mass(*arguments), abs=1e-12)
    assert centred == pytest.approx(oracles.rgd_over_mass(*arguments, True), abs=1e-12)


@given(audits())
def test_totals_are_mass_burden_and_the_lorenz_area(audit):
    *_, totals, group_totals = separation(
        *sorted_arrays(audit.burden, audit.group, audit.float_weight), 0, audit.n_groups, False
    )
    weight, member = audit.float_weight, audit.group[:, None] == np.arange(audit.n_groups)
    assert_allclose(totals[0], weight.sum())
    assert_allclose(totals[1], weight @ audit.burden)
    assert_allclose(group_totals[0], weight @ member)
    assert_allclose(group_totals[1], (weight * audit.burden) @ member, atol=1e-12)


@given(audits())
def test_lorenz_area_is_the_sum_between_the_curve_and_its_dual(audit):
    totals = separation(*sorted_arrays(audit.burden, audit.group), 0, audit.n_groups, True)[2]
    assert totals[2] == pytest.approx(oracles.denominator(audit.burden), rel=1e-11)


def test_one_block_has_no_area_at_all():
    burden, group = np.full(7, 0.3), np.array([0, 0, 1, 1, 1, 0, 1])
    plain, centred, totals, _ = separation(*sorted_arrays(burden, group), 0, 2, True)
    assert totals[2] == 0.0
    assert plain[0, 1] == pytest.approx(0.0, abs=1e-15)
    assert centred[0, 1] == pytest.approx(0.0, abs=1e-15)


def test_burdens_of_zero_have_no_paths():
    plain, _, totals, _ = separation(
        np.zeros(3), np.array([0, 1, 1], np.uint8), np.ones(3), np.array([0, 3]), 0, 2, True
    )
    assert_array_equal(totals, [3.0, 0.0, 0.0])
    assert_array_equal(plain, np.zeros((2, 2)))


@given(audits(min_rows=8))
def test_a_later_first_block_leaves_the_rows_before_it_out(audit):
    burden, group, weight, starts = sorted_arrays(audit.burden, audit.group)
    first = starts.size // 2 - 1
    inside = slice(starts[first], None)
    whole = separation(burden, group, weight, starts, first, audit.n_groups, True)
    cut = separation(
        burden[inside].copy(), group[inside].copy(), weight[inside].copy(),
        starts[first:] - starts[first], 0, audit.n_groups, True,
    )
    for left, right in zip(whole, cut):
        assert_allclose(left, right, atol=1e-14)


@given(audits(max_groups=5, n_strata=4))
def test_products_are_those_of_the_literal_paths(audit):
    burden, group, _, starts = sorted_arrays(audit.burden, audit.group)
    stratum = np.unique(audit.strata, return_inverse=True)[1]
    order = np.argsort(audit.burden, kind="stable")
    reference = np.array(
        [
            [oracles.share_of(audit.group[stratum == s], g) for g in range(audit.n_groups)]
            for s in range(stratum.max() + 1)
        ]
    )
    found = centred_products(burden / burden.sum(), group, stratum[order], reference, starts)
    expected = oracles.products(audit.burden, audit.group, audit.strata)
    assert_allclose(found, expected, atol=1e-12)


def test_arrays_that_cannot_be_written_are_read():
    rng = np.random.default_rng(0)
    burden, group = rng.random(50), rng.integers(0, 2, 50)
    arrays = sorted_arrays(burden, group)
    expected = separation(*arrays, 0, 2, True)
    for array in arrays:
        array.flags.writeable = False
    for left, right in zip(separation(*arrays, 0, 2, True), expected):
        assert_array_equal(left, right)


def test_memory_mapped_arrays_are_read(tmp_path):
    rng = np.random.default_rng(0)
    arrays = sorted_arrays(rng.random(50), rng.integers(0, 2, 50))
    mapped = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    assert_array_equal(separation(*mapped, 0, 2, True)[0], separation(*arrays, 0, 2, True)[0])


def test_a_million_rows_agree_with_extended_precision():
    rng = np.random.default_rng(0)
    n = 10**6
    burden = np.sort(rng.random(n))
    group = (rng.random(n) < 0.1).astype(np.uint8)
    plain, centred, totals, _ = separation(
        burden, group, np.ones(n), np.arange(n + 1), 0, 2, True
    )
    v = burden.astype(np.longdouble)
    v /= v.sum()
    t = np.arange(1, n + 1, dtype=np.longdouble) / n
    lorenz, path = np.cumsum(v), np.cumsum(v * group)
    pi = np.longdouble(group.mean())
    difference = (2 * path - lorenz) - (2 * path[-1] - 1) * t
    assert plain[0, 1] == pytest.approx(float(np.abs(difference).sum()), rel=1e-11)
    difference -= (2 * pi - 1) * (lorenz - t)
    assert centred[0, 1] == pytest.approx(float(np.abs(difference).sum()), rel=1e-9)
    assert totals[2] == pytest.approx(
        float(((2 * np.arange(1, n + 1) - n - 1) * v).sum()), rel=1e-11
    )
