"""Largest values over runs of arcs against plain numpy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairrank._kernels import arc_runs


def breaks_of(n_breaks):
    """Breaks of a half-turn, no arc of more than a quarter turn."""
    angles = np.linspace(0.75, 1.75, n_breaks + 1)[:-1] * math.pi
    return np.column_stack([np.cos(angles), np.sin(angles)])


def along(first, last, v):
    """Largest q'v from first to last, by a fine grid."""
    a = math.atan2(first[1], first[0])
    width = (math.atan2(last[1], last[0]) - a) % (2 * math.pi)
    angles = a + width * np.linspace(0, 1, 2001)
    return (np.column_stack([np.cos(angles), np.sin(angles)]) @ v).max()


def moves(seed, n_breaks):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_breaks, 2)), rng.normal(size=2)


@pytest.mark.parametrize("n_breaks", [3, 4, 7])
def test_the_largest_on_an_arc_is_at_an_end_or_along_the_movement(n_breaks):
    breaks, (move, total_move) = breaks_of(n_breaks), moves(n_breaks, n_breaks)
    found = arc_runs.largest_on_arcs(breaks, move, total_move)
    starts = np.concatenate([breaks, -breaks])
    every = np.concatenate([move, total_move - move])
    expected = [
        along(starts[i], starts[(i + 1) % (2 * n_breaks)], -every[i]) for i in range(2 * n_breaks)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


@st.composite
def sets_of_runs(draw):
    n_breaks = draw(st.sampled_from([3, 20, 150]))
    n_arcs = 2 * n_breaks
    sets = []
    for _ in range(draw(st.integers(1, 4))):
        ends = draw(st.lists(st.integers(0, n_arcs - 1), max_size=8, unique=True))
        ends = sorted(ends)[: len(ends) // 2 * 2]
        runs = np.reshape(ends, (-1, 2))
        sets.append((runs, draw(st.lists(st.integers(0, n_arcs - 1), max_size=3))))
    return n_breaks, sets


@settings(max_examples=100)
@given(sets_of_runs(), st.integers(0, 99))
def test_the_largest_over_runs_and_edges_is_that_of_all_their_arcs(drawn, seed):
    n_breaks, sets = drawn
    breaks, (move, total_move) = breaks_of(n_breaks), moves(seed, n_breaks)
    starts = np.concatenate([breaks, -breaks, breaks[:1]])
    every = np.concatenate([move, total_move - move])
    on_arcs = arc_runs.largest_on_arcs(breaks, move, total_move)
    parts, expected = [], []
    for runs, edges in sets:
        values = [on_arcs[first : last + 1].max() for first, last in runs]
        for arc in edges:
            # The first half of the arc.
            middle = starts[arc] + starts[arc + 1]
            middle /= math.hypot(*middle)
            parts.append(np.concatenate([starts[arc], middle]))
            values.append(along(starts[arc], middle, -every[arc]))
        expected.append(max(values, default=-np.inf))
    found = arc_runs.largest_over_runs(
        on_arcs, np.cumsum([0] + [len(runs) for runs, _ in sets]),
        np.concatenate([runs for runs, _ in sets]).astype(np.intp),
        np.cumsum([0] + [len(edges) for _, edges in sets]),
        np.array([arc for _, edges in sets for arc in edges], dtype=np.intp),
        np.array(parts).reshape(-1, 4), move, total_move,
    )
    np.testing.assert_allclose(found, expected, atol=1e-5)


@settings(max_examples=100)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=8, max_size=8))
def test_neighbouring_whole_arcs_are_one_run_and_others_are_edges(which):
    breaks = breaks_of(4)
    starts = np.concatenate([breaks, -breaks, breaks[:1]])
    arc = [i for i, (used, _) in enumerate(which) if used]
    part = np.array([np.concatenate([starts[i], starts[i + 1]]) for i in arc]).reshape(-1, 4)
    cut = [which[i][1] for i in arc]
    part[cut, 2:] = part[cut, :2]
    runs, edge, edge_part = arc_runs.whole_runs(np.array(arc, dtype=np.intp), part, breaks)
    whole = [i for i, is_cut in zip(arc, cut) if not is_cut]
    assert [i for first, last in runs for i in range(first, last + 1)] == whole
    assert (runs[1:, 0] - runs[:-1, 1] > 1).all()
    assert edge.tolist() == [i for i, is_cut in zip(arc, cut) if is_cut]
    np.testing.assert_array_equal(edge_part, part[cut])


def test_no_directions_have_no_largest():
    none = np.zeros(2, dtype=np.intp)
    found = arc_runs.largest_over_runs(
        np.zeros(8), none, np.empty((0, 2), dtype=np.intp), none, np.empty(0, dtype=np.intp),
        np.empty((0, 4)), np.zeros((4, 2)), np.zeros(2),
    )
    assert found.tolist() == [-np.inf]
