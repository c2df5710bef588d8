"""Parts of arcs against plain numpy, and where they degenerate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank._kernels import arc_parts

# A half-turn of four arcs, and its opposite.
ANGLES = np.array([0.75, 0.8, 1.0, 1.5]) * math.pi
BREAKS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
STARTS = np.concatenate([BREAKS, -BREAKS])
values = st.integers(-4, 4).map(float)


def directions_above(e, level, points, total, first=0, n_arcs=8):
    ends = STARTS[[first, (first + n_arcs) % 8]]
    return arc_parts.directions_above(*e, level, BREAKS, points, total, first, n_arcs, ends)


def turn(a, b):
    return a[0] * b[1] - a[1] * b[0]


@given(
    st.lists(values, min_size=12, max_size=12), st.integers(-12, 12), st.integers(0, 7),
    st.integers(1, 8),
)
def test_parts_are_where_the_excess_is_at_least_the_level(cells, level, first, n_arcs):
    e, total, points = np.array(cells[:2]), np.array(cells[2:4]), np.reshape(cells[4:], (4, 2))
    level = level / 2 + 0.01
    arc, part = directions_above(e, level, points, total, first, n_arcs)
    every = np.concatenate([points, total - points])
    for a in range(first, first + n_arcs):
        start, stop = STARTS[a % 8], STARTS[(a + 1) % 8]
        own = part[arc == a % 8]
        for mix in np.linspace(0.02, 0.98, 15):
            q = (1 - mix) * start + mix * stop
            q /= math.hypot(*q)
            excess = q @ (e - every[a % 8])
            inside = any(turn(p[:2], q) >= 0 and turn(q, p[2:]) >= 0 for p in own)
            if abs(excess - level) > 1e-9:
                assert inside == (excess > level)
    ends = part.reshape(-1, 2, 2)
    assert np.allclose(np.hypot(*ends.T), 1)
    assert (turn(ends[:, 0].T, ends[:, 1].T) >= -1e-12).all()


def test_an_arc_can_lose_its_middle():
    # The excess of the third arc is least in its middle.
    points = np.full((4, 2), [-1.0, -1.0])
    arc, part = directions_above([0.0, 0.0], -1.2, points, np.zeros(2), 2, 1)
    assert arc.tolist() == [2, 2]
    assert part[0, :2].tolist() == [-1, pytest.approx(0)]
    assert part @ [1, 1, 0, 0] == pytest.approx([-1, -1.2])
    assert part @ [0, 0, 1, 1] == pytest.approx([-1.2, -1])


def test_a_level_that_is_only_touched_leaves_one_direction():
    points = np.full((4, 2), [3.0, 4.0])
    arc, part = directions_above([0.0, 0.0], 5.0, points, np.zeros(2), 2, 1)
    assert arc.tolist() == [2]
    assert part[0] == pytest.approx([-0.6, -0.8, -0.6, -0.8])


def test_a_point_on_a_support_point_is_near_everywhere_or_nowhere():
    points = np.zeros((4, 2))
    assert directions_above([0.0, 0.0], 0.0, points, np.zeros(2))[0].tolist() == list(range(8))
    assert directions_above([0.0, 0.0], 0.1, points, np.zeros(2))[0].size == 0


def test_over_no_part_nothing_is_largest():
    empty = np.empty(0, dtype=np.intp)
    value = arc_parts.largest_over_parts(
        np.empty((0, 2)), empty, np.empty((0, 4)), np.zeros((4, 2)), np.zeros(2)
    )
    assert value == -math.inf


def test_the_largest_over_a_part_is_the_length_inside_and_an_end_outside():
    arc, part = np.array([2, 6]), np.concatenate([STARTS[[2, 6]], STARTS[[3, 7]]], axis=1)
    points, total = np.zeros((4, 2)), np.array([1.0, 1.0])
    inside = np.array([[-3.0, -4.0], [0.0, 0.0]])
    assert arc_parts.largest_over_parts(inside, arc, part, points, total) == 5.0
    outside = np.array([[-1.0, 5.0], [1.0, 1.0]])
    assert arc_parts.largest_over_parts(outside, arc, part, points, total) == pytest.approx(1.0)
