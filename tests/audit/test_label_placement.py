"""Labels cover neither each other nor the points where there is room."""

import itertools

import numpy as np

from fairrank.audit._label_placement import place_labels

BOUNDS = (0.0, 0.0, 500.0, 400.0)


def placed(points, sizes, obstacles=None, weights=None):
    points, sizes = np.array(points, dtype=float), np.array(sizes, dtype=float)
    obstacles = np.empty((0, 4)) if obstacles is None else np.array(obstacles, dtype=float)
    weights = np.ones(len(obstacles)) if weights is None else np.array(weights)
    corners = place_labels(points, sizes, BOUNDS, obstacles, weights)
    return np.column_stack([corners, corners + sizes])


def overlap(one, other):
    return bool((one[:2] < other[2:]).all() and (other[:2] < one[2:]).all())


def test_a_lone_label_stands_to_the_right():
    ((left, bottom, _, top),) = placed([[100, 100]], [[40, 12]])
    assert left > 100
    assert bottom < 100 < top


def test_labels_of_a_cluster_do_not_overlap():
    rng = np.random.default_rng(0)
    points = 250 + 10 * rng.normal(size=(10, 2))
    dots = np.column_stack([points - 4, points + 4])
    boxes = placed(points, [[50, 12]] * 10, dots)
    assert not any(overlap(*pair) for pair in itertools.combinations(boxes, 2))
    assert not any(overlap(box, dot) for box in boxes for dot in dots)


def test_labels_stay_inside():
    boxes = placed([[1, 1], [499, 399], [499, 1], [1, 399]], [[60, 12]] * 4)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= [500, 400]).all()


def test_lines_are_avoided_where_a_place_is_near():
    line = [0, 99, 500, 101]
    (box,) = placed([[100, 100]], [[40, 12]], [line], [0.1])
    assert not overlap(box, np.array(line))


def test_no_points_have_no_labels():
    assert placed(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 4)
