"""What a draw does not change, against sums written out over all positions."""

import itertools

import numpy as np
import pytest
from fairrank._kernels.expectation import block_constants, expected_paths, spread_in_strata
from fairrank._kernels.order import pool_ties, tie_blocks
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from strategies import audits


def sorted_shares(audit):
    """Burden shares, block starts, stratum and group of the rows sorted by burden."""
    order = np.argsort(audit.burden, kind="stable")
    values = audit.burden[order]
    starts = tie_blocks(values, 1e-12 * values[-1])
    pooled = pool_ties(values, np.ones(values.size), starts)
    stratum = np.unique(audit.strata, return_inverse=True)[1].astype(np.intp)[order]
    return pooled / pooled.sum(), starts, stratum, audit.group[order]


def filled_parts(starts):
    """phi[b, k]: 0 before block b, rising evenly inside, 1 after; k = 1 .. n."""
    k = np.arange(1, starts[-1] + 1)
    return np.array([np.clip((k - a) / (b - a), 0, 1) for a, b in itertools.pairwise(starts)])


@given(audits())
def test_block_constants_are_the_sums_of_the_filled_part(audit):
    share, starts, *_ = sorted_shares(audit)
    phi, t = filled_parts(starts), oracles.ranks(share.size)
    expected = np.column_stack(
        [share[starts[:-1]], phi.sum(axis=1), (phi**2).sum(axis=1), phi @ t]
    )
    assert_allclose(block_constants(share, starts), expected, rtol=1e-13, atol=1e-14)


@given(audits(max_groups=5))
def test_expected_paths_are_the_literal_ones(audit):
    share, starts, stratum, group = sorted_shares(audit)
    reference = np.array(
        [
            [oracles.share_of(group[stratum == s], g) for g in range(audit.n_groups - 1)]
            for s in range(stratum.max() + 1)
        ]
    )
    expected, ff, ft_sigma = expected_paths(share, stratum, reference, starts)
    paths = np.array(
        [
            oracles.cumulated(
                audit.burden, oracles.expected_part(audit.group, audit.strata, label)
            )
            for label in range(audit.n_groups - 1)
        ]
    )
    level, t = share[starts[:-1]], oracles.ranks(share.size)
    assert_allclose(expected, level[:, None] * (filled_parts(starts) @ paths.T), atol=1e-12)
    assert_allclose(ff, paths @ paths.T, atol=1e-12)
    assert_allclose(ft_sigma, [paths @ t, paths[:, -1]], atol=1e-12)


@given(audits(n_strata=4))
def test_spread_is_the_variance_inside_every_stratum(audit):
    share, starts, stratum, _ = sorted_shares(audit)
    sizes = np.bincount(stratum).astype(np.intp)
    found = spread_in_strata(stratum, sizes, starts, block_constants(share, starts))
    widths = np.diff(starts)
    c = share[:, None] * (
        np.repeat(filled_parts(starts), widths, axis=0) - oracles.ranks(share.size)
    )
    expected = [
        (c[stratum == s] ** 2).sum() - (c[stratum == s].sum(axis=0) ** 2).sum() / sizes[s]
        for s in range(sizes.size)
    ]
    assert_allclose(found, expected, atol=1e-12)


def test_a_stratum_of_one_row_has_no_spread():
    share, starts = np.array([0.1, 0.2, 0.7]), np.arange(4)
    stratum, sizes = np.array([0, 1, 0]), np.array([2, 1])
    spread = spread_in_strata(stratum, sizes, starts, block_constants(share, starts))
    assert spread[0] > 0.0
    assert spread[1] == 0.0


@pytest.mark.parametrize("digits", [16, 3], ids=["untied", "tied"])
def test_a_million_rows_agree_with_extended_precision(digits):
    rng = np.random.default_rng(0)
    n = 10**6
    values = np.sort(rng.random(n).round(digits))
    starts = tie_blocks(values, 1e-12 * values[-1])
    share = pool_ties(values, np.ones(n), starts)
    share /= share.sum()
    stratum = (rng.random(n) < 0.3).astype(np.intp)
    reference = np.array([[0.1], [0.4]])
    expected, ff, ft_sigma = expected_paths(share, stratum, reference, starts)
    widths = np.diff(starts)
    part = np.add.reduceat(reference[stratum, 0].astype(np.longdouble), starts[:-1]) / widths
    path = np.cumsum(np.repeat(part, widths) * share)
    t = np.arange(1, n + 1, dtype=np.longdouble) / n
    assert ff[0, 0] == pytest.approx(float((path * path).sum()), rel=1e-14)
    assert ft_sigma[0, 0] == pytest.approx(float((path * t).sum()), rel=1e-14)
    assert ft_sigma[1, 0] == pytest.approx(float(path[-1]), rel=1e-14)
    above = np.cumsum(path[::-1])[::-1]  # sum of F from position k on
    b = np.flatnonzero(widths == widths.max())[0]
    inside = path[starts[b] : starts[b + 1]]
    filled = np.arange(1, widths[b] + 1) / widths[b]
    after = above[starts[b + 1]] if starts[b + 1] < n else 0.0
    literal = share[starts[b]] * ((filled * inside).sum() + after)
    assert expected[b, 0] == pytest.approx(float(literal), rel=1e-13)


def test_memory_mapped_arrays_are_read(tmp_path):
    share, starts = np.array([0.1, 0.2, 0.7]), np.arange(4)
    stratum, reference = np.array([0, 1, 0]), np.array([[0.5], [0.2]])
    arrays = (share, stratum, reference, starts)
    mapped = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    for left, right in zip(expected_paths(*mapped), expected_paths(*arrays)):
        assert_array_equal(left, right)
    assert_array_equal(block_constants(mapped[0], mapped[3]), block_constants(share, starts))


@given(audits(max_rows=9, max_groups=3))
@settings(max_examples=50)
def test_filled_parts_build_the_lorenz_curve(audit):
    share, starts, *_ = sorted_shares(audit)
    curve = (share[starts[:-1]] * np.diff(starts)) @ filled_parts(starts)
    assert_allclose(curve, oracles.lorenz(audit.burden), atol=1e-13)
