"""Kernels at sizes 0, 1 and 2, and at the ends of the range of floats.

What they compute is tested in ``tests/kernels``. Here builds that check indices, or memory, see
the shapes that are odd: directly where a kernel takes an empty array, and through the public
functions, on few rows with ties, idle weights and huge and tiny numbers, everywhere.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from fairrank._kernels import (
    best_first,
    burden,
    chain,
    cross,
    expectation,
    half_planes,
    interleaving,
    labels,
    lattice,
    menu,
    nested,
    order,
    policy,
    redraw,
    resample,
    smoothing,
    steps,
    sweep,
)
from public_calls import CALLS, numbers_of

NONE = np.empty(0)
NO_INDEX = np.empty(0, dtype=np.intp)
NO_CODE = np.empty(0, dtype=np.uint8)
SEED = np.arange(1, 5, dtype=np.uint64)
SIZES = st.sampled_from([0, 1, 1, 2, 2, 3, 8])
WIDE = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 1 / 3, 5e-324, -1e-300, 1e-12, 1e100, -1e100])


def filled(draw, elements, n, dtype=float):
    return np.array(draw(st.lists(elements, min_size=n, max_size=n)), dtype=dtype)


@st.composite
def decided_rows(draw):
    """Revenue, utility, weights and groups, of which some have no row."""
    n, n_groups = draw(SIZES), draw(st.integers(1, 3))
    weight = filled(draw, st.sampled_from([0.0, 1.0, 1e-12, 1e12]), n)
    return (
        filled(draw, WIDE, n), filled(draw, WIDE, n), NONE if draw(st.booleans()) else weight,
        filled(draw, st.integers(0, n_groups - 1), n, np.uint8), n_groups,
    )


def starts_of(start, n):
    return start[0] == 0 and start[-1] == n and (np.diff(start) >= 0).all()


@given(decided_rows(), st.sampled_from([0.0, 1e-12, 0.5]))
def test_steps_of_decisions_make_concave_paths_of_all_groups(rows, tolerance):
    revenue, utility, weight, code, n_groups = rows
    slope, width, start, corner = policy.acceptance_steps(*rows)
    assert starts_of(start, slope.size)
    assert start.size == n_groups + 1
    assert (width >= 0).all()  # 0 where weight times utility is below the smallest number
    assert corner.shape == (n_groups, 4)
    for first, last, corners in zip(start, start[1:], corner):
        falling = np.argsort(-slope[first:last], kind="stable")
        path = policy.path_of_steps(
            slope[first:last], width[first:last], falling, *corners[:2], tolerance
        )
        assert (np.diff(path[0]) >= 0).all()
        assert len(path[2]) == len(path[0]) - 1 <= last - first
    cut = np.zeros(n_groups)
    accepted = policy.accept(revenue, utility, code, cut, cut, np.full(n_groups, 0.5))
    assert accepted.size == revenue.size
    assert ((accepted >= 0) & (accepted <= 1)).all()
    sums = policy.totals(accepted, revenue, utility, weight, code, cut)
    counts = np.bincount(code, weights=weight if weight.size else None, minlength=n_groups)
    np.testing.assert_allclose(sums[:, 0], counts, rtol=1e-14)


@given(decided_rows(), st.integers(1, 4))
def test_steps_of_menus_are_those_of_all_groups(rows, n_options):
    revenue, utility, weight, code, n_groups = rows
    of_options = [
        np.stack([np.roll(values, j) * j for j in range(n_options)], axis=1)
        for values in (revenue, utility)
    ]
    slope, width, start, corner = menu.menu_steps(*of_options, weight, code, n_groups)
    assert starts_of(start, slope.size)
    assert (width >= 0).all()  # 0 where weight times utility is below the smallest number
    assert corner.shape == (n_groups, 4)
    cut = np.zeros(n_groups)
    chosen = menu.choose(*of_options, code, cut, cut, np.full(n_groups, 0.25))
    assert chosen.shape == (revenue.size, n_options)
    np.testing.assert_allclose(chosen.sum(axis=1), 1.0)


@given(decided_rows(), st.sampled_from([0.0, 1e-12, 1.0]), WIDE)
def test_smoothed_acceptance_is_a_probability(rows, shift, multiplier):
    revenue, utility, _, code, n_groups = rows
    found = smoothing.smoothed_acceptance(
        revenue, utility, code, np.full(n_groups, multiplier), 1.0, shift
    )
    assert found.size == revenue.size
    assert ((found >= 0) & (found <= 1)).all()
    mass = np.ones(revenue.size)
    total = smoothing.smoothed_welfare(revenue, utility, mass, multiplier, 1.0, shift)
    size = 1.0 + np.abs(utility).sum()  # large utilities of opposite sign cancel
    assert total == pytest.approx((utility * found).sum(), abs=1e-9 * size) or np.isnan(total)


@st.composite
def chains(draw, columns=2):
    """Blocks of one chain; none, or some without weight."""
    n = draw(SIZES)
    mass = st.sampled_from([0.0, 1.0, 2.0, 1e-12, 1e12])
    return filled(draw, mass, n * columns).reshape(n, columns)


@given(chains(), st.sampled_from([-1, 0, 1]))
def test_a_pooled_chain_is_tiled_by_its_blocks(blocks, turn):
    start = chain.pool_chain(
        np.ascontiguousarray(blocks[:, 0]), np.ascontiguousarray(blocks[:, 1]), turn
    )
    assert starts_of(start, len(blocks))
    assert (np.diff(start) > 0).all()


@given(chains(), chains(), st.booleans())
def test_chains_merge_whatever_their_sizes(a, b, first):
    before, counts = chain.merge_chains(a, b, np.eye(2), first)
    assert before.shape == (len(a),)
    assert (np.diff(before) >= 0).all()
    assert ((before >= 0) & (before <= len(b))).all()
    assert counts.shape == (3,)
    k, m, value = chain.best_split(
        a, b, 1.0, 1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.1
    )
    assert 0 <= k <= len(a)
    assert 0 <= m <= len(b)
    assert not np.isnan(value)


@given(chains(), chains())
def test_sequences_of_chains_have_all_their_pairs(a, b):
    blocks = np.concatenate([a, b])
    start = np.array([0, len(a), len(blocks)])
    sequence = np.repeat([0, 1], [len(a), len(b)])
    won, any_won = interleaving.pairs_across(sequence, blocks, start)
    assert won[0, 1] == pytest.approx(a[:, 1].sum() * b[:, 0].sum())
    assert any_won[0, 1] == pytest.approx(a.sum() * b.sum())
    assert won[1, 0] == any_won[1, 0] == 0
    gain = np.zeros((2, 2, 2))
    gain[0, 1, 0] = gain[1, 1, 0] = 1.0
    gain[0, 0, 1] = gain[1, 0, 1] = -1.0
    moved = interleaving.insert_chain(sequence, blocks, start, 1, gain)
    if moved is not None:
        assert_array_equal(np.sort(moved), sequence)


@given(st.integers(0, 3), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_lattice_and_its_labels_take_chains_of_any_length(n_a, n_b, random):
    a, b = (np.array([[random.randint(0, 2) for _ in range(3)] for _ in range(n)], dtype=float)
            .reshape(n, 3) for n in (n_a, n_b))
    left_a, left_b = (np.ones((n + 1, 2)) for n in (n_a, n_b))
    before = lattice.best_path(a, b, left_a, left_b)
    assert before.shape == (n_a,)
    assert ((before >= 0) & (before <= n_b)).all()
    if n_a and n_b:
        found = labels.best_labels(
            np.ascontiguousarray(a[:, :2]), np.ascontiguousarray(b[:, :2]),
            np.ones(n_a, dtype=np.uint8), np.ones(n_b, dtype=np.uint8), 0.1,
            np.array([0.1, -0.1, 0.0]), 0.0, 0.0, np.zeros(3), 1.0, 0.1, False, -np.inf, 4096,
        )
        assert found[0] is None or found[0].shape == (n_a,)


@given(st.lists(st.sampled_from([0.0, -0.0, 1e300, -1e300, 5e-324, 1.0, 1.0]), max_size=9))
def test_an_order_of_any_scores_is_that_of_a_stable_sort(scores):
    scores = np.array(scores, dtype=float)
    assert_array_equal(best_first.best_first(scores), np.argsort(-scores, kind="stable"))
    assert_array_equal(best_first.least_first(scores), np.argsort(scores, kind="stable"))
    ascending = np.sort(scores)
    start = order.tie_blocks(ascending, 0.0)
    assert starts_of(start, scores.size)
    assert_array_equal(
        order.block_of_row(start), np.repeat(np.arange(len(start) - 1), np.diff(start))
    )
    pooled = order.pool_ties(ascending, np.ones(scores.size), start)
    assert pooled.size == scores.size
    assert_array_equal(pooled, ascending)


@st.composite
def coded_rows(draw):
    """Codes of (group, outcome) and weights in blocks of ties; n may be 0."""
    n = draw(SIZES)
    opens = filled(draw, st.booleans(), n, bool)
    opens[:1] = True
    return (
        filled(draw, st.integers(0, 3), n, np.uint16),
        filled(draw, st.sampled_from([0.0, 1.0, 1e12, 1e-12]), n),
        np.append(np.flatnonzero(opens), n).astype(np.intp),
    )


@given(coded_rows(), st.integers(0, 2))
def test_concordance_and_its_spread_take_any_rows(rows, n_draws):
    code, weight, block_start = rows
    sides = np.array([-1, 0, -1, 1], dtype=np.int16), np.array([0, -1, 1, -1], dtype=np.int16)
    won, above, below = cross.concordance(code, weight, block_start, *sides, 2, 2)
    counts = np.bincount(code, weights=weight, minlength=4)
    np.testing.assert_allclose(above, counts[[1, 3]])
    np.testing.assert_allclose(below, counts[[0, 2]])
    assert (won <= np.outer(above, below) * (1 + 1e-9)).all()
    if not (above.all() and below.all()):
        return
    mean = won / np.outer(above, below)
    arrays = code, weight, weight, block_start, *sides, above, below
    for spread in cross.placement_spread(*arrays, mean):
        assert (spread >= 0).all()
    shared = sides[0], np.array([0, -1, 0, -1], dtype=np.int16)
    all_won, above, below = cross.concordance(code, weight, block_start, *shared, 2, 1)
    square = cross.shared_spread(
        code, weight, weight, block_start, *shared, above, (all_won / above / below)[:, 0].copy()
        if all_won.shape == (2,) else all_won[:, 0] / (above * below[0]),
    )
    assert square.shape == (2, 2)
    stratum_start = np.append(0, np.cumsum(np.bincount(code, minlength=4))).astype(np.intp)
    drawn = cross.resampled_concordance(
        code, block_start, stratum_start, *sides, 2, 2, SEED, n_draws
    )
    assert drawn.shape == (n_draws, 2, 2)


@given(coded_rows(), st.booleans(), st.integers(0, 2))
def test_paths_of_burdens_take_any_rows(rows, at_ranks, n_draws):
    code, _, block_start = rows
    n = code.size
    group = (code // 2).astype(np.uint8)
    values = np.repeat(np.arange(len(block_start) - 1, dtype=float), np.diff(block_start))
    plain, centred, totals, of_groups = burden.separation(
        values, group, np.ones(n), block_start, 0, 2, at_ranks
    )
    assert plain.shape == centred.shape == (2, 2)
    assert totals[0] == n
    assert_array_equal(of_groups[0], np.bincount(group, minlength=2))
    if n and values[-1] > 0.0:
        parts = np.arange(len(block_start) - 1)[::-1].copy()
        found = nested.nested_separations(
            values, group, np.ones(n), block_start, parts, 2, at_ranks
        )
        assert [one.shape for one in found] == [(parts.size, 1)] * 2 + [(parts.size,)]
        expected = plain[0, 1], centred[0, 1], totals[2]
        for one, whole in zip(found, expected):
            np.testing.assert_allclose(one[-1], whole, rtol=1e-9, atol=1e-12)
    share = values / max(values.sum(), 1.0)
    stratum = (np.arange(n) % 2).astype(np.intp)
    reference = np.full((2, 2), 0.5)
    products = burden.centred_products(share, group, stratum, reference, block_start)
    assert products.shape == (2, 2)
    constants = expectation.block_constants(share, block_start)
    assert constants.shape[0] == len(block_start) - 1
    expected = expectation.expected_paths(share, stratum, reference, block_start)
    assert expected[0].shape == (len(block_start) - 1, 2)
    sizes = np.bincount(stratum, minlength=2).astype(np.intp)
    assert (expectation.spread_in_strata(stratum, sizes, block_start, constants) >= -1e-12).all()
    if group.any() and not group.all():
        start = np.array([0, np.count_nonzero(group == 0), n], dtype=np.intp)
        drawn = resample.resampled_separations(values, group, block_start, start, SEED, n_draws)
        assert drawn.shape == (n_draws, 2)


@given(SIZES, st.integers(1, 2))
def test_draws_and_weights_of_no_row_are_none(n, n_groups):
    state, out = SEED.copy(), np.full(n, -1.0)
    redraw.draw_exponentials(state, out)
    assert (out >= 0).all()
    assert (state == SEED).all() == (n == 0)
    weighed = np.full(n, -1.0)
    redraw.weigh_rows(out, np.arange(n, dtype=np.intp), np.ones(n), weighed)
    assert_array_equal(weighed, out)
    redraw.weigh(np.zeros(n), weighed)
    assert not weighed.any()
    code = np.arange(n, dtype=np.intp) % n_groups
    with np.errstate(all="ignore"):
        risks = redraw.group_risks(np.ones(n), np.ones((n, 2)), code, n_groups)
    present = np.bincount(code, minlength=n_groups) > 0
    assert (risks[:, present] == 1).all()


@given(coded_rows())
def test_steps_of_any_rows_hold_all_weight(rows):
    code, weight, block_start = rows
    n = code.size
    assert_array_equal(steps.count_codes(code, 4), np.bincount(code, minlength=4))
    score = -np.repeat(np.arange(len(block_start) - 1, dtype=float), np.diff(block_start))
    first = np.append(0, np.cumsum(np.bincount(code // 2, minlength=2))).astype(np.intp)
    found = steps.steps_of_rows(np.arange(n, dtype=np.intp), score, code, weight, first)
    row, opens, step_score, negative, positive, n_steps, concordant = found
    assert_array_equal(np.sort(row), np.arange(n))
    assert opens.sum() == n_steps.sum()
    assert (concordant >= 0).all()
    chain_of = []
    for g in range(2):
        at, size = first[g], n_steps[g]
        own = negative[at:at + size], positive[at:at + size]
        assert own[0].sum() + own[1].sum() == pytest.approx(weight[code // 2 == g].sum())
        rising = step_score[first[g + 1] - size:first[g + 1]]
        assert (np.diff(rising) > 0).all()
        chain_of.append((rising, *own))
    pairs = steps.pairs_by_score(*chain_of[0], *chain_of[1])
    assert pairs.shape == (3,)
    out = np.full(n, np.nan)
    steps.give_to_rows(np.arange(opens.sum(), dtype=float), opens, row, out)
    assert not np.isnan(out).any()
    total = weight.sum()
    if total > 0:
        cuts = [np.arange(size + 1, dtype=np.intp) for size in n_steps]
        ranks = steps.mid_ranks(
            *chain_of[0][1:], *chain_of[1][1:], *cuts,
            np.zeros(n_steps[0], dtype=np.intp), NO_INDEX, float(total),
        )
        assert [len(part) for part in ranks[:2]] == n_steps.tolist()


@given(st.integers(0, 5), st.sampled_from([0.0, 1.0, -1.0, 1e100, 5e-324]), st.booleans())
def test_half_planes_few_or_many_have_corners_or_none(n, offset, alike):
    angle = 2 * np.pi * np.arange(n) / max(n, 1)
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    if n < 3:
        return  # each must be less than half a turn from the next
    found = half_planes.intersect_half_planes(
        normal, np.full(n, offset) if alike else offset * np.arange(n), 1e-12
    )
    assert found.shape[1] == 2
    assert len(found) <= n


@given(st.lists(st.tuples(WIDE, WIDE), max_size=5), st.lists(st.tuples(WIDE, WIDE), max_size=3))
def test_a_sweep_of_no_row_or_of_few_holds_every_direction(change, targets):
    change = np.array(change, dtype=float).reshape(-1, 2)
    key, turn, direction = sweep.half_turn(change, 1e-12)
    by_key = np.argsort(key, kind="stable")[: np.count_nonzero(turn)]
    start, breaks, forced = sweep.arc_blocks(key, direction, by_key, 1e-12)
    points, entering, total = sweep.arc_points(change, turn, by_key, start, 0.0, 0.0)
    assert len(points) == len(entering) == len(breaks) == len(start) - 1
    assert ((forced >= 0) & (forced < len(breaks))).all()
    q = np.array([[1.0, 0.0], [-5e-324, 0.0], [1e300, -1e300], [0.3, 0.2]])
    arc, at = sweep.locate(q, breaks, 1e-12)
    assert ((arc >= 0) & (arc < 2 * len(breaks))).all()
    assert ((at >= -1) & (at < 2 * len(breaks))).all()
    target = np.array(targets, dtype=float).reshape(-1, 2)
    largest, _, at_arc = sweep.largest_excess(
        target, breaks, points, total, 0, 2 * len(breaks),
        np.ascontiguousarray(np.stack([breaks[0], breaks[0]])),
    )
    assert len(largest) == len(at_arc) == len(target)


@st.composite
def few_rows(draw):
    """Columns of the public functions on 1 to 8 rows, with ties, idle weights and wide numbers."""
    n = draw(st.integers(1, 8))
    probability = st.sampled_from([0.0, 5e-324, 1e-12, 0.3, 0.3, 0.5, 1 - 1e-16, 1.0])
    positive = st.sampled_from([1e-90, 1e-12, 1.0, 1.0, 3.0, 1e90])
    weight = st.sampled_from([0.0, 1.0, 1.0, 2.5, 1e-12, 1e12])
    return {
        "label": filled(draw, st.integers(0, 1), n, int), "score": filled(draw, probability, n),
        "group": filled(draw, st.sampled_from("abab" + "c"), n, str),
        "weight": filled(draw, weight, n), "loss_0": filled(draw, WIDE, n),
        "loss_1": filled(draw, WIDE, n), "delta": filled(draw, WIDE, 2 * n).reshape(n, 2),
        "own": filled(draw, WIDE, n), "decision": filled(draw, st.integers(0, 1), n, int),
        "burden": filled(draw, probability, n), "revenue": filled(draw, WIDE, n),
        "utility": filled(draw, WIDE, n), "amount": filled(draw, positive, n),
        "stratum": filled(draw, st.integers(0, 1), n, int),
        "cluster": filled(draw, st.integers(0, 2), n, int), "use": filled(draw, positive, n),
        "repeat": filled(draw, st.integers(0, 3), n, int), "pvalue": filled(draw, probability, n),
        "low": -np.ones(n), "high": np.ones(n), "estimate": np.zeros(n),
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=20)
@given(columns=few_rows())
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_few_wide_rows_have_a_result_or_an_error_of_value(call, columns):
    with warnings.catch_warnings():
        # That they come to nothing is the question of test_extreme_values.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            found = numbers_of(call(**call.arguments(columns)))
        except ValueError as error:
            found = str(error)
    assert found is not None
