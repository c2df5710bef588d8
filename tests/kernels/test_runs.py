"""Moves of runs: what they say of themselves, and that none is left that gains."""

import itertools

import numpy as np
import pytest
from fairrank._kernels.runs import swap_runs
from fairrank._kernels.shifts import shift_runs
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies_ranking import several_chains

POWERS = [1.0, 2.0, 8.0, np.inf]


def value(order, multipliers, power, penalty, allowance):
    """AUC - sum over pairs of multiplier * D - penalty * norm of max(|D| - allowance, 0)."""
    pairs = np.triu_indices(len(order.signed), 1)
    excess = np.maximum(np.abs(order.signed[pairs]) - allowance, 0.0)
    linear = order.auc - (multipliers[pairs] * order.signed[pairs]).sum()
    return linear - penalty * np.linalg.norm(excess, power)


def swaps(sequence):
    """Every sequence in which the end of a run and the begin of the next changed places."""
    runs = [(g, len(list(run))) for g, run in itertools.groupby(sequence)]
    for at, ((g, n_g), (h, n_h)) in enumerate(itertools.pairwise(runs)):
        for k, m in itertools.product(range(1, n_g + 1), range(1, n_h + 1)):
            new = [(g, n_g - k), (h, m), (g, k), (h, n_h - m)]
            changed = runs[:at] + new + runs[at + 2 :]
            yield [label for label, times in changed for _ in range(times)]


def shifts(sequence):
    """Every sequence in which an end of a run went down, or a begin up, past other chains."""
    places = list(sequence)
    for at, g in enumerate(places):
        for n_moved in range(1, len(places) - at + 1):
            if any(label != g for label in places[at : at + n_moved]):
                break
            rest = places[:at] + places[at + n_moved :]
            down = at
            while down < len(rest) and rest[down] != g:
                down += 1
                yield rest[:down] + [g] * n_moved + rest[down:]
            up = at
            while up > 0 and rest[up - 1] != g:
                up -= 1
                yield rest[:up] + [g] * n_moved + rest[up:]


@pytest.mark.parametrize(("move", "neighbours"), [(swap_runs, swaps), (shift_runs, shifts)])
@settings(max_examples=150)
@given(
    problem=several_chains((3, 4), 4), seed=st.integers(0, 999), power=st.sampled_from(POWERS),
    penalty=st.sampled_from([0.05, 1.0, 5.0]), allowance=st.sampled_from([0.0, 0.1]),
    signed=st.booleans(),
)
def test_moves_gain_until_none_is_left(move, neighbours, problem, seed, power, penalty,
                                       allowance, signed):
    several, _ = problem
    rng = np.random.default_rng(seed)
    sequence = rng.permutation(np.repeat(np.arange(several.n_chains), np.diff(several.start)))
    multipliers = rng.normal(0.0, 0.1, (several.n_chains,) * 2) * signed
    multipliers -= multipliers.T
    before = several.judged(sequence.copy())
    gaps = before.signed.copy()
    auc, n_moves = move(
        sequence, several.blocks, several.start, 1.0 / several.auc_pairs, several.per_won,
        several.per_any, several.per_chain, before.auc, gaps, multipliers, power, penalty,
        allowance, False, 1e-12, 100,
    )
    after = several.judged(sequence)
    assert (np.bincount(sequence) == np.diff(several.start)).all()
    assert auc == pytest.approx(after.auc, abs=1e-12)
    np.testing.assert_allclose(gaps, after.signed, atol=1e-12)
    judge = (multipliers, power, penalty, allowance)
    assert value(after, *judge) >= value(before, *judge) - 1e-12
    assert (n_moves > 0) == (value(after, *judge) > value(before, *judge) + 1e-13)
    for other in neighbours(sequence.tolist()):
        neighbour = several.judged(np.array(other))
        assert value(neighbour, *judge) <= value(after, *judge) + 1e-11
