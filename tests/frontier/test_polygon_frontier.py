"""A polygon's frontiers are those of the zonogon that it is."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._polygon_frontier import polygon_frontiers
from strategies_frontier import arguments, populations


def distinct(corners):
    """Corners without repeats and without those between two others on a line."""
    corners = corners[np.abs(corners - np.roll(corners, 1, axis=0)).max(axis=1) > 1e-12]
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return corners[turn > 1e-14] if len(corners) > 2 else corners


def distance_to_path(points, path):
    """Largest distance of points from a polyline."""
    if len(path) == 1:
        path = np.repeat(path, 2, axis=0)
    a, step = path[:-1], np.diff(path, axis=0)
    size = np.maximum(np.einsum("ij,ij->i", step, step), 1e-300)
    part = np.clip(np.einsum("pij,ij->pi", points[:, None] - a, step) / size, 0, 1)
    nearest = a + part[..., None] * step
    return np.sqrt(((points[:, None] - nearest) ** 2).sum(axis=-1)).min(axis=1).max()


@pytest.mark.parametrize(
    ("design", "added"), [("balanced", 0.0), ("r_skewed", 0.0), ("r_skewed", 1.0)]
)
@pytest.mark.parametrize("names", [("r", "b"), ("b", "r")])
def test_the_frontiers_of_the_plug_in_zonogon_are_those_of_its_corners(design, added, names):
    data = make_frontier_data(300, design=design, random_state=0)
    extra = added * (data.sensitive_features == "b")
    order = [data.group_names.index(name) for name in names]
    support = SupportFunction(
        (data.target != 0) + extra, (data.target != 1) + extra,
        data.delta_theta(data.data)[:, order], sensitive_features=data.sensitive_features,
        group_names=names,
    )
    found = polygon_frontiers(distinct(support.plug_in.support_points))
    for path, expected in (
        (found.frontier, support.frontier()), (found.pareto, support.pareto_frontier())
    ):
        assert_allclose(path[[0, -1]], expected[[0, -1]], atol=1e-12)
        assert distance_to_path(expected, path) < 1e-12
        assert distance_to_path(path, expected) < 1e-12


@given(populations())
def test_no_attainable_risks_dominate_those_of_the_pareto_frontier(population):
    corners = SupportFunction(**arguments(population.as_sample())).feasible_set
    found = polygon_frontiers(corners)
    low = corners.min(axis=0)
    assert_allclose([found.pareto[0, 0], found.pareto[-1, 1]], low, atol=1e-8)
    # R and B break ties for the other group.
    for g, point in enumerate(found.pareto[[0, -1]]):
        assert point[1 - g] <= corners[corners[:, g] <= low[g] + 1e-10][:, 1 - g].min() + 1e-9
    for e in found.pareto:
        assert not (corners < e - 1e-9).all(axis=1).any()
    # Along the way r loses and b gains.
    assert (np.diff(found.pareto, axis=0) * [1, -1] >= -1e-9).all()
    assert distance_to_path(found.pareto, found.frontier) < 1e-9


@given(populations())
def test_the_frontier_ends_nearest_to_equal_risks_where_one_group_is_favoured(population):
    corners = SupportFunction(**arguments(population.as_sample())).feasible_set
    gap = corners[:, 0] - corners[:, 1]
    least = 0.0 if gap.min() <= 0 <= gap.max() else np.abs(gap).min()
    found = polygon_frontiers(corners)
    ends = np.abs(found.frontier[:, 0] - found.frontier[:, 1])
    if len(found.frontier) != len(found.pareto):
        assert abs(ends[[0, -1]].min() - least) < 1e-9


def test_rounding_breaks_no_ties():
    noisy = np.array([[0.0, 0.5], [0.5, -1e-17], [1.0, 0.0], [1.0, 1.0], [-1e-17, 1.0]])
    assert_array_equal(polygon_frontiers(noisy).pareto, [[0.0, 0.5], [0.5, -1e-17]])


def test_one_corner_is_its_own_frontier():
    found = polygon_frontiers(np.array([[0.2, 0.3]]))
    assert_array_equal(found.pareto, [[0.2, 0.3]])
    assert_array_equal(np.unique(found.frontier, axis=0), [[0.2, 0.3]])
    equal = polygon_frontiers(np.array([[0.2, 0.2]]))
    assert_array_equal(equal.frontier, [[0.2, 0.2]])


def test_ties_go_to_the_other_group():
    square = np.array([[0.0, 1.0], [0.0, 2.0], [-1.0, 2.0], [-1.0, 1.0]])
    found = polygon_frontiers(square)
    assert_array_equal(found.pareto, [[-1.0, 1.0]])
    assert_array_equal(found.frontier, [[-1.0, 1.0], [0.0, 1.0]])
