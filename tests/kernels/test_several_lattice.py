"""Algorithm 1 for several chains against a plain walk over the same cells."""

import itertools

import numpy as np
import pytest
from fairrank._kernels.several_lattice import best_sequence, inserted_sequence
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles_ranking as oracles
from strategies_ranking import several_chains


def placed_value(path, several, chains, trade_off):
    """AUC - trade-off * largest |D| gathered along a path that may not be whole."""
    left = [[list(step) for step in chain] for chain in chains]
    n_chains = len(chains)
    auc, gap = 0.0, np.zeros((n_chains, n_chains))
    counts = several.counts
    for g in path:
        neg, pos = left[g].pop(0)
        rest = [np.sum(chain, axis=0) if chain else np.zeros(2) for chain in left]
        auc += pos * sum(rest[h][0] for h in range(n_chains) if h != g) / several.auc_pairs
        for h in range(n_chains):
            if h == g:
                continue
            if several.disparity == "xauc":
                more = pos * rest[h][0] / counts[g, 1] / counts[h, 0]
            elif several.disparity == "prf":
                below = sum(each[0] for each in rest) + neg / 2
                more = pos * below / counts[g, 1] / counts[:, 0].sum()
            else:
                more = (neg + pos) * rest[h].sum() / counts[g].sum() / counts[h].sum()
            gap[g, h] += more
            gap[h, g] -= more
    return auc - trade_off * np.abs(gap).max()


def arguments(several):
    return (1.0 / several.auc_pairs, several.per_won, several.per_any, several.per_chain)


@settings(max_examples=150)
@given(several_chains((3, 4), 3), st.sampled_from([0.0, 0.3, 2.0]))
def test_every_cell_keeps_the_better_path(problem, trade_off):
    several, chains = problem
    sizes = [len(chain) for chain in chains]
    path_to = {(0,) * len(sizes): ()}
    for cell in itertools.product(*(range(size + 1) for size in sizes)):
        ways = []
        for g in reversed(range(len(sizes))):
            if cell[g]:
                before = (*cell[:g], cell[g] - 1, *cell[g + 1 :])
                ways.append((*path_to[before], g))
        if ways:
            values = [placed_value(way, several, chains, trade_off) for way in ways]
            # Equal but for rounding: either path may be kept.
            highest = sorted(values)[-2:]
            assume(len(highest) < 2 or not 0.0 < highest[1] - highest[0] < 1e-12)
            path_to[cell] = ways[int(np.argmax(values))]
    expected = path_to[tuple(sizes)]
    found = best_sequence(several.blocks, several.start, *arguments(several), trade_off)
    assert placed_value(found, several, chains, trade_off) == pytest.approx(
        placed_value(expected, several, chains, trade_off), abs=1e-12
    )


@settings(max_examples=100)
@given(several_chains((3, 4), 3))
def test_without_a_trade_off_the_lattice_has_the_best_auc(problem):
    several, chains = problem
    found = best_sequence(several.blocks, several.start, *arguments(several), 0.0)
    best = oracles.best_penalised(*chains, trade_off=0.0, disparity=several.disparity)
    assert several.judged(found).auc == pytest.approx(best, abs=1e-12)


@settings(max_examples=150)
@given(several_chains((3, 3), 4), st.integers(0, 99))
def test_the_last_chain_is_merged_best_into_a_frozen_sequence(problem, seed):
    several, chains = problem
    frozen = np.random.default_rng(seed).permutation(
        np.repeat([0, 1], [len(chains[0]), len(chains[1])])
    )
    found = inserted_sequence(
        frozen, several.blocks, several.start, *arguments(several), 0.0
    )
    np.testing.assert_array_equal(found[found != 2], frozen)
    n = len(found)
    best = 0.0
    for chosen in itertools.combinations(range(n), len(chains[2])):
        sequence = np.full(n, 2)
        sequence[np.setdiff1d(np.arange(n), chosen)] = frozen
        best = max(best, several.judged(sequence).auc)
    assert several.judged(found).auc == pytest.approx(best, abs=1e-12)
