"""Permutation draws: the labellings are uniform, and every product is the one of its labelling.

`drawn_labels` and the fast draws read one random stream alike, so that the k-th product can be
computed again, literally, from the k-th labelling.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare, hypergeom

import oracles
from fairrank._kernels import permutation as kernel
from fairrank._kernels import placement
from fairrank.inference._exchangeability import Exchangeability
from fairrank.inference._permutation import DrawPlan, draw_products
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from strategies import audits

SEED = np.array([1, 2, 3, 4], dtype=np.uint64)


def plan_of(burden, group, strata=None):
    """What the draws read, for rows sorted by burden."""
    sample = audit_sample(None, None, sensitive_features=group, burden=burden)
    burdens = sorted_burdens(sample)
    codes = None
    if strata is not None:
        codes = np.unique(strata, return_inverse=True)[1][burdens.order]
    return DrawPlan.of(Exchangeability.of(burdens, codes))


def labellings(plan, seed, n_draws):
    """Group codes of the sorted rows in every draw."""
    return plan.column[
        placement.drawn_labels(plan.position, plan.stratum_start, plan.n_drawn, seed, n_draws)
    ]


def long_products(exchange, group):
    """<U_g, U_h> over all positions, summed in extended precision."""
    starts, n = exchange.block_start, exchange.share.size
    widths = np.diff(starts)
    v = exchange.share.astype(np.longdouble)
    t = np.arange(1, n + 1, dtype=np.longdouble) / n
    part = (group[:, None] == np.arange(exchange.n_groups)).astype(np.longdouble)
    for code in range(exchange.n_groups):
        for s in range(exchange.n_strata):
            rows = exchange.stratum == s
            part[rows, code] -= part[rows, code].mean()
    part = np.repeat(np.add.reduceat(part, starts[:-1]) / widths[:, None], widths, axis=0)
    path = np.cumsum(v[:, None] * part, axis=0)
    path -= path[-1] * t[:, None]
    return np.array(
        [[(path[:, g] * path[:, h]).sum() for h in range(path.shape[1])]
         for g in range(path.shape[1])]
    )


def assert_products_follow_labels(plan, seed, n_draws, rtol, atol):
    found = draw_products(plan, seed, n_draws)
    for products, group in zip(found, labellings(plan, seed, n_draws)):
        expected = long_products(plan.exchange, group)
        assert_allclose(products, expected.astype(float), rtol=rtol, atol=atol)


@given(audits(max_groups=5, n_strata=4))
@settings(max_examples=100)
def test_draws_have_the_products_of_the_literal_paths(audit):
    plan = plan_of(audit.burden, audit.group, audit.strata)
    found = draw_products(plan, SEED, 2)
    for products, group in zip(found, labellings(plan, SEED, 2)):
        expected = oracles.products(plan.exchange.share, group, plan.exchange.stratum)
        assert_allclose(products, expected, atol=1e-12)


@given(audits(max_groups=5, n_strata=4))
@settings(max_examples=100)
def test_draws_keep_the_group_sizes_inside_every_stratum(audit):
    plan = plan_of(audit.burden, audit.group, audit.strata)
    exchange = plan.exchange
    for group in labellings(plan, SEED, 3):
        assert_array_equal(dataclasses.replace(exchange, group=group).counts, exchange.counts)


@pytest.mark.parametrize("n_groups", [2, 3, 4, 5])
@pytest.mark.parametrize("n_strata", [1, 2, 4])
@pytest.mark.parametrize("n_levels", [0, 2, 40], ids=["untied", "two-valued", "tied"])
def test_draws_over_many_words_of_the_bitmap_follow_their_labels(n_levels, n_strata, n_groups):
    rng = np.random.default_rng(n_groups)
    n = 3000
    burden = rng.exponential(size=n) if n_levels == 0 else rng.integers(0, n_levels, n) + 0.5
    strata = rng.integers(0, n_strata, n)
    group = rng.choice(n_groups, n, p=rng.dirichlet(np.full(n_groups, 5.0)))
    assert_products_follow_labels(plan_of(burden, group, strata), SEED, 2, 1e-11, 1e-13)


@pytest.mark.parametrize("n_levels", [0, 7], ids=["untied", "tied"])
@pytest.mark.parametrize("n_groups", [2, 3])
def test_a_stratum_where_the_smaller_group_dominates_is_drawn_by_its_complement(
    n_groups, n_levels
):
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [100, 700, 200])
    small = np.select([strata == 0, strata == 1], [0.95, 0.02], 0.3)
    group = np.where(rng.random(1000) < small, 1 + rng.integers(0, n_groups - 1, 1000), 0)
    burden = rng.random(1000) if n_levels == 0 else rng.integers(0, n_levels, 1000) + 1.0
    plan = plan_of(burden, group, strata)
    assert 2 * plan.n_drawn[0, :-1].sum() > plan.n_drawn[0].sum()
    assert_products_follow_labels(plan, SEED, 3, 1e-11, 1e-13)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_labels_do_not_move_in_strata_of_one_group(n_groups):
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1], [60, 240])
    group = np.where(strata == 0, n_groups - 2, rng.integers(0, n_groups, 300))
    plan = plan_of(rng.random(300), group, strata)
    alone = plan.exchange.stratum == 0
    for drawn in labellings(plan, SEED, 5):
        assert (drawn[alone] == n_groups - 2).all()
    assert_products_follow_labels(plan, SEED, 3, 1e-11, 1e-13)


def test_walks_with_and_without_blocks_agree():
    rng = np.random.default_rng(0)
    plan = plan_of(rng.random(2000), rng.random(2000) < 0.2)
    exchange, n_drawn = plan.exchange, np.ascontiguousarray(plan.n_drawn[:, 0])
    after = (plan.constants, plan.position, plan.stratum_start, n_drawn, SEED, 20)
    expected = plan.expected[:, 0].copy()
    untied = kernel.untied_norms(np.column_stack((exchange.share, expected)), *after)
    tied = kernel.tied_norms(exchange.block, exchange.blocks, expected, *after)
    drawn = placement.drawn_labels(plan.position, plan.stratum_start, plan.n_drawn, SEED, 20)
    rows = np.nonzero(drawn == 0)[1].reshape(20, -1).astype(np.int32)
    labelled = kernel.given_products(
        exchange.block, exchange.blocks, plan.expected, plan.ff, plan.ft_sigma,
        exchange.squared_ranks, rows, np.zeros_like(rows, dtype=np.uint8),
    )
    assert_allclose(tied, untied, rtol=1e-11)
    assert_allclose(labelled[:, 0, 0], untied, rtol=1e-11)


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("digits", [16, 5, 3], ids=["untied", "tied", "heavily tied"])
def test_a_million_rows_agree_with_extended_precision(digits, n_groups):
    rng = np.random.default_rng(0)
    n = 10**6
    group = np.minimum(rng.geometric(0.9, n) - 1, n_groups - 1)
    plan = plan_of(rng.random(n).round(digits), group)
    products = draw_products(plan, SEED, 1)[0]
    expected = long_products(plan.exchange, labellings(plan, SEED, 1)[0]).astype(float)
    # A draw counts as equal within 1e-9 of E[T]: the error must stay far below.
    scale = plan.exchange.expected_norms.max() / 4.0
    assert_allclose(products, expected, rtol=0, atol=1e-10 * scale)


@pytest.mark.parametrize("n_groups", [2, 3, 4])
def test_a_hundred_thousand_rows_of_two_burdens_agree_with_extended_precision(n_groups):
    # Two blocks hold all rows: added row by row, three groups' sums were wrong by 1e-7.
    rng = np.random.default_rng(0)
    n = 10**5
    group = np.minimum(rng.geometric(0.8, n) - 1, n_groups - 1)
    plan = plan_of((rng.random(n) < 0.3) + 0.5, group)
    products = draw_products(plan, SEED, 1)[0]
    expected = long_products(plan.exchange, labellings(plan, SEED, 1)[0]).astype(float)
    scale = plan.exchange.expected_norms.max() / 4.0
    assert_allclose(products, expected, rtol=0, atol=1e-10 * scale)


# ---------------------------------------------------------------- the sampler

SAMPLERS = {
    "two groups": ([2, 4], [6]),
    "halves": ([3, 3], [6]),
    "three groups": ([1, 2, 3], [6]),
    "largest not last": ([4, 1, 1], [6]),
    "two strata, one dominated": ([[3, 1], [1, 3]], [4, 4]),
    "a stratum of one group": ([[2, 0], [2, 3]], [2, 5]),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_every_labelling_is_equally_likely(name):
    counts, sizes = SAMPLERS[name]
    n_drawn = np.array(counts, dtype=np.intp).reshape(len(sizes), -1)
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
    # Strata interleaved over the rows.
    strata = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    position = np.argsort(strata, kind="stable").astype(np.int32)
    group = np.empty(strata.size, dtype=int)
    group[position] = np.concatenate([np.repeat(np.arange(row.size), row) for row in n_drawn])
    possible = {tuple(labels) for labels in oracles.labellings(group, strata)}
    n_draws = 400 * len(possible)
    drawn = placement.drawn_labels(position, start, n_drawn, SEED, n_draws)
    seen, frequency = np.unique(drawn, axis=0, return_counts=True)
    assert {tuple(labels) for labels in seen.tolist()} == possible
    assert chisquare(frequency).pvalue > 1e-3


def test_every_row_is_drawn_equally_often():
    n, m, n_draws = 130, 50, 4000
    position = np.arange(n, dtype=np.int32)
    drawn = placement.drawn_labels(
        position, np.array([0, n]), np.array([[m, n - m]]), SEED, n_draws
    )
    frequency = (drawn == 0).sum(axis=0)
    # Without replacement the counts vary less, by (1 - m / n).
    expected = n_draws * m / n
    assert ((frequency - expected) ** 2 / (expected * (1 - m / n))).sum() < n + 4 * (2 * n) ** 0.5


@pytest.mark.parametrize("m", [5, 20, 95])
def test_drawn_rows_in_a_window_follow_the_hypergeometric_law(m):
    # Few rows are drawn one by one; many are scattered 64 at a time and topped up.
    n, window, n_draws = 190, slice(40, 100), 6000
    position = np.arange(n, dtype=np.int32)
    start, sizes = np.array([0, n]), np.array([[m, n - m]])
    drawn = placement.drawn_labels(position, start, sizes, SEED, n_draws)
    assert ((drawn == 0).sum(axis=1) == m).all()
    seen = (drawn[:, window] == 0).sum(axis=1)
    law = n_draws * hypergeom(n, m, 60).pmf(np.arange(61))
    often = np.flatnonzero(law >= 5)
    pooled = np.clip(np.arange(61), often[0], often[-1])  # the tails
    frequency = np.bincount(pooled[seen], minlength=61)
    expected = np.bincount(pooled, weights=law, minlength=61)
    assert chisquare(frequency[often], expected[often]).pvalue > 1e-3


def test_the_same_seed_draws_the_same_products():
    rng = np.random.default_rng(0)
    plan = plan_of(rng.random(300), rng.integers(0, 3, 300))
    assert_array_equal(draw_products(plan, SEED, 5), draw_products(plan, SEED, 5))


def test_other_seeds_draw_other_products():
    rng = np.random.default_rng(0)
    plan = plan_of(rng.random(300), rng.integers(0, 3, 300))
    assert (draw_products(plan, SEED, 5) != draw_products(plan, SEED + 1, 5)).any()


# ---------------------------------------------------------------- labellings that are given

@given(audits(max_groups=4, max_rows=15))
@settings(max_examples=50)
def test_given_labellings_have_the_products_of_the_literal_paths(audit):
    plan = plan_of(audit.burden, audit.group, audit.strata)
    exchange = plan.exchange
    place = np.argsort(plan.column)
    rows = np.flatnonzero(place[exchange.group] < exchange.n_groups - 1).astype(np.int32)[None]
    labels = place[exchange.group[rows]].astype(np.uint8)
    found = kernel.given_products(
        exchange.block, exchange.blocks, plan.expected, plan.ff, plan.ft_sigma,
        exchange.squared_ranks, rows, labels,
    )
    expected = oracles.products(audit.burden, audit.group, audit.strata)
    assert_allclose(plan.restored(found)[0], expected, atol=1e-12)


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("digits", [1, 8])
def test_memory_mapped_arrays_are_read(tmp_path, n_groups, digits):
    rng = np.random.default_rng(0)
    plan = plan_of(rng.random(100).round(digits), rng.integers(0, n_groups, 100))

    def mapped(name, array):
        np.save(tmp_path / f"{name}.npy", array)
        return np.load(tmp_path / f"{name}.npy", mmap_mode="r")

    exchange = dataclasses.replace(
        plan.exchange,
        **{name: mapped(name, getattr(plan.exchange, name)) for name in ("share", "block")},
    )
    fields = ("position", "stratum_start", "n_drawn", "expected", "ff", "ft_sigma")
    on_disk = dataclasses.replace(
        plan, exchange=exchange, **{name: mapped(name, getattr(plan, name)) for name in fields}
    )
    seed = mapped("seed", SEED)
    assert_array_equal(draw_products(on_disk, seed, 4), draw_products(plan, SEED, 4))
