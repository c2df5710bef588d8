"""Sequences of several chains, and one chain inserted anew, against every interleaving."""

import itertools

import numpy as np
import pytest
from fairrank._kernels.interleaving import insert_chain, pairs_across
from hypothesis import given, settings
from hypothesis import strategies as st

masses = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
    lambda step: (float(step[0]), float(step[1]))
)
chain_lists = st.lists(st.lists(masses, min_size=1, max_size=3), min_size=2, max_size=4)


def arrays(chains):
    blocks = np.array([step for chain in chains for step in chain], dtype=float)
    return blocks, np.cumsum([0, *map(len, chains)]).astype(np.intp)


def shuffled(chains, seed):
    sequence = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    return np.random.default_rng(seed).permutation(sequence)


def places(sequence, chains):
    """(chain, step) at every place."""
    seen = [0] * len(chains)
    found = []
    for g in sequence:
        found.append((int(g), seen[g]))
        seen[g] += 1
    return found


def gained(order, chains, gain):
    """Sum of gains over pairs of steps in this order, every pair of chains once."""
    total = 0.0
    for (g, i), (h, j) in itertools.combinations(order, 2):
        if g != h:
            total += gain[g, h] @ np.array(chains[h][j]) @ np.array(chains[g][i])
    return total


@given(chain_lists, st.integers(0, 99))
def test_pairs_are_counted_once_in_their_order(chains, seed):
    sequence = shuffled(chains, seed)
    won, any_won = pairs_across(sequence, *arrays(chains))
    expected, any_expected = np.zeros_like(won), np.zeros_like(won)
    for (g, i), (h, j) in itertools.combinations(places(sequence, chains), 2):
        if g != h:
            expected[g, h] += chains[g][i][1] * chains[h][j][0]
            any_expected[g, h] += sum(chains[g][i]) * sum(chains[h][j])
    np.testing.assert_array_equal(won, expected)
    np.testing.assert_array_equal(any_won, any_expected)


def gains_of(draws, n_chains, kind):
    """Antisymmetric gains: ``F[g, h][y, y'] = -F[h, g][y', y]``."""
    gain = np.zeros((n_chains, n_chains, 2, 2))
    for g, h in itertools.combinations(range(n_chains), 2):
        if kind == "by label":  # xAUC and PRF: a weight for each direction
            up, down, both = draws.uniform(-0.5, 1.5), draws.uniform(-0.5, 1.5), 0.0
        else:  # URF: everybody weighs alike
            up, down, both = 1.0, 1.0, draws.uniform(-2.0, 2.0)
        gain[g, h] = [[both, both - down], [both + up, both]]
        gain[h, g] = -gain[g, h].T
    return gain


@settings(max_examples=300)
@given(chain_lists, st.integers(0, 9999), st.sampled_from(["by label", "for everybody"]))
def test_a_chain_is_inserted_at_its_best_places(chains, seed, kind):
    draws = np.random.default_rng(seed)
    gain = gains_of(draws, len(chains), kind)
    sequence = shuffled(chains, seed)
    moved = int(draws.integers(len(chains)))
    found = insert_chain(sequence, *arrays(chains), moved, np.ascontiguousarray(gain[moved]))
    if found is None:
        others = [g for g in range(len(chains)) if g != moved]
        assert kind == "by label"
        assert min(gain[moved, g, 1, 0] for g in others) < 0.0
        assert max(gain[moved, g, 0, 1] for g in others) > 0.0
        return
    rest = [place for place in places(sequence, chains) if place[0] != moved]
    assert [place for place in places(found, chains) if place[0] != moved] == rest
    own = [(moved, i) for i in range(len(chains[moved]))]
    best = max(
        gained([(rest if side else own)[at] for side, at in order], chains, gain)
        for order in merges(len(own), len(rest))
    )
    assert gained(places(found, chains), chains, gain) == pytest.approx(best, abs=1e-9)


def merges(n_own, n_rest):
    """Every interleaving of two lists as (which, index)."""
    for chosen in itertools.combinations(range(n_own + n_rest), n_own):
        own = rest = 0
        order = []
        for place in range(n_own + n_rest):
            if place in chosen:
                order.append((0, own))
                own += 1
            else:
                order.append((1, rest))
                rest += 1
        yield order


def test_opposite_directions_need_one_half_plane():
    # Positives of 1 and of 2 pull the moved chain both ways: no half-plane, no exact merge.
    chains = [[(1.0, 1.0)], [(2.0, 1.0)], [(1.0, 2.0)]]
    gain = np.zeros((3, 2, 2))
    gain[1] = [[0.0, -1.0], [-2.0, 0.0]]
    gain[2] = [[0.0, 2.0], [1.0, 0.0]]
    blocks, start = arrays(chains)
    assert insert_chain(np.arange(3), blocks, start, 0, gain) is None
