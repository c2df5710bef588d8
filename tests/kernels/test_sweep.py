"""Kernels of the sweep round the circle against plain numpy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from fairrank._kernels import sweep

TIED = 1e-12
FORCED = np.array([3 * math.pi / 4, math.pi, 3 * math.pi / 2])
small = st.integers(-3, 3).map(float)


@st.composite
def vectors(draw, max_rows=12):
    n = draw(st.integers(0, max_rows))
    values = np.array(draw(st.lists(small, min_size=2 * n, max_size=2 * n))).reshape(n, 2)
    scale = draw(st.sampled_from([1.0, 1e-200, 1e200, 5e-324]))
    return values * scale


def swept(change):
    key, turn, direction = sweep.half_turn(change, TIED)
    order = np.argsort(key)[: np.count_nonzero(turn)]
    start, breaks, forced = sweep.arc_blocks(key, direction, order, TIED)
    return key, turn, direction, order, start, breaks, forced


def unit(angle):
    return np.array([math.cos(angle), math.sin(angle)])


@given(vectors())
def test_a_row_changes_a_quarter_turn_from_its_direction(change):
    key, turn, direction = sweep.half_turn(change, TIED)
    for d, k, t, q in zip(change, key, turn, direction):
        if not d.any():
            assert (k, t) == (2.0, 0)
            continue
        d = d / np.abs(d).max()
        assert math.hypot(*q) == pytest.approx(1)
        assert q @ d == pytest.approx(0, abs=1e-15)
        assert q.sum() < 0 or np.array_equal(q, [-math.sqrt(0.5), math.sqrt(0.5)])
        later = unit(math.atan2(q[1], q[0]) + 0.01)
        assert (later @ d > 0) == (t == 1)
    angle = np.arctan2(direction[:, 1], direction[:, 0]) % (2 * math.pi)
    ranked = np.argsort(key[turn != 0], kind="stable")
    assert (np.diff(angle[turn != 0][ranked]) > -1e-12).all()
    assert ((key >= -1) & (key < 1) | (turn == 0)).all()


def test_directions_along_the_forced_breaks_are_exact():
    change = np.array([[1, 1], [-1, -1], [0, 1], [0, -3], [2, 0], [-1, 0]], dtype=float)
    key, turn, direction = sweep.half_turn(change * (1 + 2e-16), TIED)
    root = math.sqrt(0.5)
    assert direction.tolist() == 2 * [[-root, root]] + 2 * [[-1, 0]] + 2 * [[0, -1]]
    assert turn.tolist() == [-1, 1, -1, 1, 1, -1]
    assert key.tolist() == [-1, -1, -0.5, -0.5, 0.5, 0.5]


@given(vectors())
def test_blocks_hold_rows_of_one_direction_and_the_forced_ones(change):
    _, turn, direction, order, start, breaks, forced = swept(change)
    angles = [*FORCED, *(math.atan2(y, x) % (2 * math.pi) for x, y in direction[turn != 0])]
    expected = []
    for angle in sorted(angles):
        if not expected or angle - expected[-1] > 1e-9:
            expected.append(angle)
    assert_allclose(breaks, [unit(a) for a in expected], atol=1e-12)
    assert_allclose(breaks[forced], [unit(a) for a in FORCED], atol=1e-15)
    assert breaks[forced[1]].tolist() == [-1, 0]
    assert breaks[forced[2]].tolist() == [0, -1]
    assert (start[0], start[-1]) == (0, order.size)
    for j, q in enumerate(breaks):
        assert_allclose(direction[order[start[j] : start[j + 1]]] - q, 0, atol=1e-12)


def test_a_block_is_measured_from_its_first_row():
    angle = 4.0 + np.array([0, 0.6, 1.2, 1.8, 2.4]) * 1e-12
    change = np.column_stack([-np.sin(angle), np.cos(angle)])
    start = swept(change)[4]
    # 0 and .6; 1.2 and 1.8; 2.4. The other two blocks are forced, before and after.
    assert np.diff(start).tolist() == [0, 0, 2, 2, 1, 0]


@given(vectors(), st.data())
def test_points_are_running_sums_of_what_enters_and_leaves(change, data):
    _, turn, _, order, start, breaks, _ = swept(change)
    n = len(change)
    step = np.array(data.draw(st.lists(small, min_size=2 * n, max_size=2 * n))).reshape(n, 2)
    points, entering, total = sweep.arc_points(step, turn, order, start, 0.5, -2.0)
    block = np.zeros(n, dtype=int)
    block[order] = np.repeat(np.arange(len(breaks)), np.diff(start))
    for j in range(len(breaks)):
        inside = ((turn > 0) & (block <= j)) | ((turn < 0) & (block > j))
        assert points[j].tolist() == (np.array([0.5, -2.0]) + step[inside].sum(axis=0)).tolist()
        here = (turn > 0) & (block == j)
        assert entering[j].tolist() == step[here].sum(axis=0).tolist()
    assert total.tolist() == (np.array([1.0, -4.0]) + step[turn != 0].sum(axis=0)).tolist()


@given(vectors(), st.data())
def test_weighted_points_are_group_means_of_what_is_treated(change, data):
    _, turn, _, order, start, breaks, _ = swept(change)
    n = len(change)
    rows = np.concatenate([order, np.flatnonzero(turn == 0)])
    loss, delta = (
        np.array(data.draw(st.lists(small, min_size=n, max_size=n))) for _ in range(2)
    )
    code = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=int)
    weight = np.array(data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), dtype=float)
    if len(set(code)) < 2:
        return
    points, entering, total = np.empty(breaks.shape), np.empty(breaks.shape), np.empty(2)
    t = turn[rows]
    sweep.weighted_arc_points(
        weight[rows], loss[rows] + np.where(t < 0, delta[rows], 0), t * delta[rows],
        (2 * code[rows] + (t > 0)).astype(np.int8), start, points, entering, total,
    )
    mass = np.bincount(code, weights=weight)
    step = np.zeros((n, 2))
    step[np.arange(n), code] = weight * delta / mass[code]
    origin = np.bincount(code, weights=weight * loss) / mass
    expected = sweep.arc_points(step, turn, order, start, *origin)
    for found, value in zip((points, entering, total), expected):
        assert_allclose(found, value, atol=1e-13)


@given(vectors(), st.lists(st.integers(0, 359), min_size=1), st.sampled_from([1.0, 1e-300, 1e300]))
def test_a_direction_is_found_in_its_arc_or_at_its_break(change, turned, length):
    breaks = swept(change)[5]
    starts = np.concatenate([breaks, -breaks])
    q = np.array([unit(math.radians(a)) for a in turned])
    arc, at = sweep.locate(q * length, breaks, TIED)
    origin = FORCED[0]
    angle = (np.arctan2(starts[:, 1], starts[:, 0]) - origin + 1e-9) % (2 * math.pi)
    for i, degree in enumerate(turned):
        place = (math.radians(degree) - origin + 1e-9) % (2 * math.pi)
        assert arc[i] == np.flatnonzero(angle <= place + 1e-10).max()
        on = np.abs(angle - place).min() < 1e-10
        assert at[i] == (arc[i] if on else -1)


@given(vectors())
def test_every_break_is_found_at_itself(change):
    breaks = swept(change)[5]
    starts = np.concatenate([breaks, -breaks])
    arc, at = sweep.locate(starts, breaks, TIED)
    assert arc.tolist() == at.tolist() == list(range(len(starts)))


@given(vectors(), st.data())
def test_the_largest_excess_is_the_best_over_arcs_one_by_one(change, data):
    breaks = swept(change)[5]
    k = len(breaks)
    cells = st.lists(small, min_size=2 * k, max_size=2 * k)
    points = np.array(data.draw(cells)).reshape(k, 2)
    total, e = (np.array(data.draw(st.lists(small, min_size=2, max_size=2))) for _ in range(2))
    first, n_arcs = data.draw(st.integers(0, 2 * k - 1)), data.draw(st.integers(1, 2 * k))
    starts = np.concatenate([breaks, -breaks])
    every = np.concatenate([points, total - points])
    ends = np.array([starts[first], starts[(first + n_arcs) % (2 * k)]])
    value, direction, arc = sweep.largest_excess(
        e[np.newaxis], breaks, points, total, first, n_arcs, ends
    )
    best = -math.inf
    for a in range(first, first + n_arcs):
        p, q, v = starts[a % (2 * k)], starts[(a + 1) % (2 * k)], e - every[a % (2 * k)]
        best = max(best, p @ v, q @ v)
        if p[0] * v[1] > p[1] * v[0] and v[0] * q[1] > v[1] * q[0]:
            best = max(best, math.hypot(*v))
    assert value[0] == pytest.approx(best, abs=1e-12)
    assert direction[0] @ (e - every[arc[0]]) == pytest.approx(best, abs=1e-12)


def test_memory_mapped_arrays_are_read(tmp_path):
    rng = np.random.default_rng(0)
    change = rng.standard_normal((20, 2))
    np.save(tmp_path / "change.npy", change)
    mapped = np.load(tmp_path / "change.npy", mmap_mode="r")
    for found, expected in zip(sweep.half_turn(mapped, TIED), sweep.half_turn(change, TIED)):
        assert_array_equal(found, expected)
