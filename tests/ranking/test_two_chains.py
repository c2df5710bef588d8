"""The whole solver for two groups against every interleaving."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_ranking as oracles
from fairrank.ranking._hull import HullSolver, find_kink
from fairrank.ranking._label_lattice import label_finish
from fairrank.ranking._lattice import lattice_order
from fairrank.ranking._orders import SMALLEST, UNBOUNDED, Objective
from fairrank.ranking._two_chains import solve_pair
from fairrank.ranking._two_split import two_split
from strategies_ranking import pairs

trade_offs = st.floats(0.02, 8.0)


@settings(max_examples=400)
@given(pairs(), trade_offs)
def test_the_order_is_the_best_of_all_and_proven(pair_and_chains, trade_off):
    pair, chains = pair_and_chains
    best = oracles.best_penalised(
        *chains, trade_off=trade_off, disparity=pair.disparity, ties=True
    )
    found = solve_pair(pair, Objective(trade_off))
    assert found.value == pytest.approx(best, abs=1e-12)
    assert found.bound >= best - 1e-12
    assert found.proven
    assert found.bound - found.value <= 1e-12


@settings(max_examples=400)
@given(pairs(), st.floats(0.0, 0.6))
def test_under_a_condition_the_order_has_the_best_auc(pair_and_chains, max_disparity):
    pair, chains = pair_and_chains
    best = oracles.best_constrained(
        *chains, max_disparity=max_disparity, disparity=pair.disparity, ties=True
    )
    found = solve_pair(pair, Objective(UNBOUNDED, max_disparity, hard=True))
    if math.isinf(best):
        assert found.value < 0.0
        assert abs(found.order.disparity) > max_disparity
    else:
        assert found.order.auc == pytest.approx(best, abs=1e-12)
        assert abs(found.order.disparity) <= max_disparity + 1e-12
    assert found.proven


@settings(max_examples=200)
@given(pairs())
def test_the_smallest_disparity_is_found(pair_and_chains):
    pair, chains = pair_and_chains
    smallest = oracles.smallest_disparity(*chains, disparity=pair.disparity, ties=True)
    found = solve_pair(pair, Objective(SMALLEST))
    assert abs(found.order.disparity) == pytest.approx(smallest, abs=1e-12)
    best = oracles.best_constrained(
        *chains, max_disparity=smallest, disparity=pair.disparity, ties=True
    )
    assert found.order.auc == pytest.approx(best, abs=1e-9)


@settings(max_examples=200)
@given(pairs(), trade_offs)
def test_the_lattice_is_exact_without_a_trade_off_and_never_better_than_the_hull(
    pair_and_chains, trade_off
):
    pair, chains = pair_and_chains
    free = oracles.best_penalised(*chains, trade_off=0.0, disparity=pair.disparity)
    assert lattice_order(pair, 0.0).auc == pytest.approx(free, abs=1e-12)
    objective = Objective(trade_off)
    lattice = objective.of_order(lattice_order(pair, trade_off))
    assert lattice <= solve_pair(pair, objective).value + 1e-12


@settings(max_examples=200)
@given(pairs(), trade_offs)
def test_labels_improve_on_the_two_split_and_never_pass_the_bound(pair_and_chains, trade_off):
    pair, _ = pair_and_chains
    objective = Objective(trade_off)
    kink = find_kink(HullSolver(pair), objective)
    start = two_split(pair, kink, objective)
    finished = label_finish(pair, kink, start, objective)
    assert objective.of_order(finished.order) >= objective.of_order(start)
    assert objective.of_order(finished.order) <= finished.bound + 1e-12 <= kink.bound + 2e-12
