"""Kernels of several options against plain numpy: hulls by every pair, choices by every option."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank._kernels import menu

small = st.integers(-3, 3).map(float)


@st.composite
def menus(draw, max_rows=6, max_options=5, n_groups=2):
    n, k = draw(st.integers(1, max_rows)), draw(st.integers(1, max_options))
    cells = st.lists(small, min_size=n * k, max_size=n * k)
    revenue, utility = (np.array(draw(cells)).reshape(n, k) for _ in range(2))
    weight = np.empty(0)
    if draw(st.booleans()):
        weight = np.array(draw(st.lists(st.integers(0, 3).map(float), min_size=n, max_size=n)))
    code = np.array(
        draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n)), dtype=np.uint8
    )
    return revenue, utility, weight, code


def hull(utility, revenue):
    """Corners (utility, revenue) of the upper hull: points that no pair of others covers."""
    points = sorted(set(zip(utility.tolist(), revenue.tolist())))
    corners = []
    for u, r in points:
        if any(v == u and s > r for v, s in points):
            continue
        others = [point for point in points if point != (u, r)]
        if not any(
            v < u < w and s + (q - s) * (u - v) / (w - v) >= r - 1e-12
            for (v, s), (w, q) in itertools.permutations(others, 2)
        ):
            corners.append((u, r))
    return corners


@given(menus())
def test_steps_are_the_edges_of_every_persons_hull(case):
    revenue, utility, weight, code = case
    slope, width, start, end = menu.menu_steps(revenue, utility, weight, code, 2)
    mass = weight if weight.size else np.ones(code.size)
    for g in range(2):
        expected, ends = [], np.zeros(4)
        for i in np.flatnonzero((code == g) & (mass > 0)):
            corners = hull(utility[i], revenue[i])
            for (u, r), (v, s) in itertools.pairwise(corners):
                expected.append(((s - r) / (v - u), mass[i] * (v - u)))
            ends += mass[i] * np.array(
                    [*corners[0], corners[-1][0], utility[i, revenue[i].argmax()]]
                )
        part = slice(start[g], start[g + 1])
        found = sorted(zip(slope[part].tolist(), width[part].tolist()))
        assert np.array(found) == pytest.approx(np.array(sorted(expected)))
        assert end[g] == pytest.approx(ends)


@pytest.mark.parametrize("last_bits", [0.1 * 3, 0.3])
def test_revenues_equal_but_for_their_last_bits_make_a_flat_edge(last_bits):
    revenue, utility = np.array([[0.0, last_bits, 0.6 - last_bits]]), np.array([[0.0, -1.0, 1.0]])
    slope, width, _, _ = menu.menu_steps(revenue, utility, np.empty(0), np.zeros(1, np.uint8), 1)
    assert slope.tolist() == [0.0]
    assert width.tolist() == [2.0]


@given(menus(), st.floats(-4, 4), st.floats(0, 1))
def test_an_untied_cut_chooses_what_is_worth_most(case, cut, tie):
    revenue, utility, _, code = case
    cut = cut + np.pi * 1e-3  # beside every slope of small whole numbers
    at = np.full(2, cut)
    chosen = menu.choose(revenue, utility, code, at, at, np.full(2, tie))
    assert (np.isin(chosen, [0.0, 1.0])).all()
    assert (chosen.sum(axis=1) == 1).all()
    worth = revenue - cut * utility
    assert (worth * chosen).sum(axis=1) == pytest.approx(worth.max(axis=1))


def test_a_tied_edge_mixes_its_ends():
    utility, revenue = np.array([[0.0, 1.0, 2.0, 2.0]]), np.array([[0.0, 3.0, 4.0, 4.0]])
    code, at = np.zeros(1, dtype=np.uint8), np.array([1.0])
    chosen = menu.choose(revenue, utility, code, at, at, np.array([0.25]))
    assert chosen.tolist() == [[0.0, 0.75, 0.25, 0.0]]  # the lower of two equal options
    both = menu.choose(revenue, utility, code, at, np.array([3.0]), np.array([0.25]))
    assert both.tolist() == [[0.75, 0.0, 0.25, 0.0]]
