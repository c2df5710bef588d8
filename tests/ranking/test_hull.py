"""The hull solver against every interleaving."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_ranking as oracles
from fairrank.ranking._hull import HullSolver, find_kink
from fairrank.ranking._orders import Objective, block_order, every_step
from fairrank.ranking._steps import Chain, Pair
from fairrank.ranking._two_split import two_split
from strategies_ranking import chain_of_steps, pairs

multipliers = st.floats(-20.0, 20.0).filter(lambda value: abs(value) > 1e-6) | st.just(0.0)
trade_offs = st.floats(0.05, 5.0)


@given(pairs(), multipliers)
def test_the_signed_order_is_the_best_interleaving(pair_and_chains, multiplier):
    pair, chains = pair_and_chains
    best = oracles.best_signed(
        *chains, multipliers=[multiplier], disparity=pair.disparity, ties=True
    )
    found = HullSolver(pair).best(multiplier)
    assert found.value(multiplier) == pytest.approx(best, abs=1e-12, rel=1e-12)


@given(pairs(), st.sampled_from([-1.0, 1.0]), st.sampled_from([0.999, 1.0, 1.001, 3.0]))
def test_the_signed_order_is_best_where_directions_vanish_and_turn_round(
    pair_and_chains, side, times
):
    pair, chains = pair_and_chains
    per = pair.per_count
    if pair.disparity == "urf":
        multiplier = side * times
    else:
        # At times = 1 a class of b has no direction left, but for rounding; beyond, b's plane is
        # turned over.
        multiplier = times / pair.auc_pairs / (per[0] if side > 0 else per[1])
        gain = pair.gain(multiplier)
        assert (gain[1, 0] * -gain[0, 1] < -1e-9) == (times > 1.0)
    best = oracles.best_signed(
        *chains, multipliers=[multiplier], disparity=pair.disparity, ties=True
    )
    found = HullSolver(pair).best(multiplier)
    assert found.value(multiplier) == pytest.approx(best, abs=1e-12, rel=1e-12)


@given(pairs(), multipliers)
def test_an_order_has_the_auc_and_disparity_it_says(pair_and_chains, multiplier):
    pair, chains = pair_and_chains
    found = HullSolver(pair).best(multiplier)
    cuts = every_step(pair.a.n_steps), every_step(pair.b.n_steps)
    again = block_order(pair, *cuts, found.steps_before)
    order, b_placed = [], 0
    for i, before in enumerate(found.steps_before):
        order += [((1, j),) for j in range(b_placed, before)] + [((0, i),)]
        b_placed = before
    order += [((1, j),) for j in range(b_placed, len(chains[1]))]
    auc = oracles.order_auc(order, chains)
    gap = oracles.order_disparity(order, chains, disparity=pair.disparity)
    assert (found.auc, found.disparity) == pytest.approx((auc, gap), abs=1e-12)
    assert (again.auc, again.disparity) == pytest.approx((auc, gap), abs=1e-12)


@given(pairs(), trade_offs)
def test_the_kink_bounds_every_order_and_the_split_is_one(pair_and_chains, trade_off):
    pair, chains = pair_and_chains
    best = oracles.best_penalised(
        *chains, trade_off=trade_off, disparity=pair.disparity, ties=True
    )
    objective = Objective(trade_off)
    kink = find_kink(HullSolver(pair), objective)
    found = objective.of_order(two_split(pair, kink, objective))
    assert kink.bound >= best - 1e-12
    assert found <= best + 1e-12


@given(pairs())
def test_without_a_trade_off_the_order_has_the_best_auc(pair_and_chains):
    pair, chains = pair_and_chains
    best = oracles.best_penalised(*chains, trade_off=0.0, disparity=pair.disparity)
    assert HullSolver(pair).best(0.0).auc == pytest.approx(best, abs=1e-12)


@given(pairs(), st.floats(0.01, 0.5))
def test_hulls_do_not_move_while_no_pair_is_worth_losing(pair_and_chains, part):
    pair, _ = pair_and_chains
    a, b = pair.a.counts, pair.b.counts
    # Below this both F[1, 0] and -F[0, 1] are positive, for xAUC and PRF alike.
    edge = min(a[1] * b[0], b[1] * a[0]) / pair.auc_pairs
    solver = HullSolver(pair)
    base, moved = solver.best(0.0), solver.best(part * edge)
    np.testing.assert_array_equal(base.a_cut, moved.a_cut)
    np.testing.assert_array_equal(base.b_cut, moved.b_cut)


@given(pairs(), trade_offs)
def test_swapping_the_groups_changes_the_sign_of_the_disparity_only(pair_and_chains, trade_off):
    pair, chains = pair_and_chains
    swapped = type(pair)(*map(chain_of_steps, chains[::-1]), pair.disparity)
    there = find_kink(HullSolver(pair), Objective(trade_off))
    back = find_kink(HullSolver(swapped), Objective(trade_off))
    assert there.bound == pytest.approx(back.bound, abs=1e-12)


def test_large_samples_close_the_gap():
    rng = np.random.default_rng(0)
    n = 20_000
    group = rng.random(n) < 0.3
    outcome = rng.random(n) < np.where(group, 0.3, 0.5)
    score = outcome + rng.normal(size=n) - 0.5 * group
    pair = pair_of_rows(score, outcome.astype(int), group)
    kink = find_kink(HullSolver(pair), Objective(1.0))
    found = Objective(1.0).of_order(two_split(pair, kink, Objective(1.0)))
    assert 0.0 <= kink.bound - found < 1e-4


def pair_of_rows(score, outcome, group):
    """The rows of both groups as a Pair for xAUC."""
    code = outcome.astype(np.uint16)
    chains = [Chain.of(score, code, None, np.flatnonzero(group == g)) for g in (0, 1)]
    return Pair(*chains, "xauc")
