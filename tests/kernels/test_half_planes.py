import numpy as np
from fairrank._kernels.half_planes import intersect_half_planes
from hypothesis import given
from hypothesis import strategies as st

import oracles_frontier as oracles


@st.composite
def lines(draw):
    """Normals less than half a turn apart, with whole offsets."""
    tenths = set(draw(st.lists(st.integers(0, 62), max_size=12))) | {3, 20, 35, 51}
    angle = np.array(sorted(tenths)) / 10
    offset = draw(st.lists(st.integers(-3, 9), min_size=angle.size, max_size=angle.size))
    return np.column_stack([np.cos(angle), np.sin(angle)]), np.array(offset, dtype=float)


@given(lines())
def test_corners_are_those_of_clipping_line_by_line(case):
    normal, offset = case
    found = intersect_half_planes(normal, offset, 1e-12)
    inner = oracles.clipped(normal, offset - 1e-6)
    outer = oracles.clipped(normal, offset + 1e-6)
    if len(inner):
        assert len(found)
    if not len(outer):
        assert len(found) == 0
    if len(found):
        assert ((normal @ found.T).max(axis=1) <= offset + 1e-9).all()
        for q in normal:
            reached = oracles.hull_support(found, q)
            assert oracles.hull_support(inner, q) - 1e-9 <= reached
            assert reached <= oracles.hull_support(outer, q) + 1e-9


def test_a_point_is_left_of_lines_that_only_touch():
    angle = np.arange(8) * np.pi / 4
    normal = np.column_stack([np.cos(angle), np.sin(angle)])
    point = np.array([0.3, -0.7])
    found = intersect_half_planes(normal, normal @ point, 1e-12)
    assert len(found)
    assert np.abs(found - point).max() < 1e-12


def test_corners_go_counterclockwise():
    normal = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], dtype=float)
    found = intersect_half_planes(normal, np.array([2.0, 1.0, 0.0, 0.0]), 0.0)
    assert found.tolist() == [[2, 1], [0, 1], [0, 0], [2, 0]]
