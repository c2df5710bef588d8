"""Places for the labels of points, so that they cover neither each other nor the points."""

from __future__ import annotations

from typing import Any

import numpy as np

# Directions to try at every distance, the readable ones first.
DIRECTIONS = np.deg2rad(
    [0, 180, 45, 135, -45, -135, 90, -90, 22, 158, -22, -158, 67, 113, -67, -113]
)
DISTANCES = (9.0, 16.0, 26.0, 38.0, 54.0, 72.0, 92.0)
# What covering another label counts, against 400 pixels of distance.
LABEL_WEIGHT = 5.0


def label_points(
    ax: Any, points: np.ndarray, low: np.ndarray, high: np.ndarray, names: list[str],
    n_labels: int, others: list,
) -> list:
    """Name the points farthest from 0, where names cover nothing, with a line to each.

    Parameters
    ----------
    ax : matplotlib Axes
    points, low, high : ndarray, shape (n, 2)
        Points and the ends of their crosses; NaN where there is none.
    names : list of str
    n_labels : int
    others : list of matplotlib Text
        Better not covered.

    Returns
    -------
    list of matplotlib Annotation
    """
    known = np.flatnonzero(~np.isnan(points).any(axis=1))
    if not known.size or not n_labels:
        return []
    figure = ax.figure
    figure.draw_without_rendering()  # settles the layout, so that pixels mean something
    renderer = figure.canvas.get_renderer()

    def pixels_of(values: np.ndarray) -> np.ndarray:
        return ax.transData.transform(np.where(np.isnan(values), points, values)[known])

    pixels, left_low, right_high = pixels_of(points), pixels_of(low), pixels_of(high)
    origin = ax.transData.transform((0.0, 0.0))
    far = np.argsort(-np.hypot(*(pixels - origin).T), kind="stable")[:n_labels]
    labels = [
        ax.annotate(
            names[known[i]], tuple(points[known[i]]), xytext=(0, 0),
            textcoords="offset pixels", fontsize="small", va="bottom", ha="left", zorder=5,
        )
        for i in far
    ]
    boxes = [label.get_window_extent(renderer) for label in labels]
    sizes = np.array([(box.width + 2.0, box.height + 2.0) for box in boxes])
    radius = 4.0 * figure.dpi / 72.0
    dots = np.column_stack([pixels - radius, pixels + radius])
    level = np.column_stack([left_low[:, 0], pixels[:, 1] - 1, right_high[:, 0], pixels[:, 1] + 1])
    upright = np.column_stack(
        [pixels[:, 0] - 1, left_low[:, 1], pixels[:, 0] + 1, right_high[:, 1]]
    )
    texts = [other.get_window_extent(renderer).extents for other in others]
    weights = np.repeat([1.0, 0.1, 1.0], [len(dots), 2 * len(dots), len(texts)])
    obstacles = np.array([*dots, *level, *upright, *texts])
    inside = ax.get_window_extent(renderer).extents
    corners = place_labels(pixels[far], sizes, tuple(inside), obstacles, weights)
    for label, corner, size, point in zip(labels, corners, sizes, pixels[far]):
        label.set_position(tuple(corner + 1.0 - point))
        label.set_in_layout(False)
        nearest = np.clip(point, corner, corner + size)
        if np.hypot(*(nearest - point)) > 2.5 * radius:
            end = ax.transData.inverted().transform(np.vstack([point, nearest]))
            ax.plot(*end.T, color="0.35", linewidth=0.7, zorder=4)
    return labels


def place_labels(
    points: np.ndarray, sizes: np.ndarray, bounds: tuple, obstacles: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """Lower left corners of the labels' boxes, one a point, in the points' units.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
        Where the labelled points are, in pixels.
    sizes : ndarray, shape (n, 2)
        Width and height of every label.
    bounds : (left, bottom, right, top)
        Labels stay inside where any place does.
    obstacles : ndarray, shape (m, 4)
        Boxes (left, bottom, right, top) better not covered.
    weights : ndarray, shape (m,)
        How much better: 1 counts as 400 pixels of distance.

    Returns
    -------
    ndarray, shape (n, 2)
        Greedy: in the order of the points, each the nearest place that covers least.
    """
    placed: list[np.ndarray] = []
    corners = np.empty((len(points), 2))
    for i, (point, size) in enumerate(zip(points, sizes)):
        best, least = None, np.inf
        for distance in DISTANCES:
            for angle in DIRECTIONS:
                box = _box_beside(point, size, distance, angle)
                cost = distance / 400.0 + 50.0 * _outside(box, bounds)
                cost += float(weights[_touched(box, obstacles)].sum())
                if placed:
                    cost += LABEL_WEIGHT * _touched(box, np.array(placed)).sum()
                if cost < least:
                    best, least = box, cost
        assert best is not None
        placed.append(best)
        corners[i] = best[:2]
    return corners


def _box_beside(point: np.ndarray, size: np.ndarray, distance: float, angle: float) -> np.ndarray:
    """The box whose edge towards the point is `distance` away from it."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    centre = point + distance * direction + direction * size / 2.0
    return np.concatenate((centre - size / 2.0, centre + size / 2.0))


def _outside(box: np.ndarray, bounds: tuple) -> bool:
    return bool(
        box[0] < bounds[0] or box[1] < bounds[1] or box[2] > bounds[2] or box[3] > bounds[3]
    )


def _touched(box: np.ndarray, obstacles: np.ndarray) -> np.ndarray:
    """Which obstacles the box touches."""
    apart = (
        (obstacles[:, 0] > box[2]) | (obstacles[:, 2] < box[0])
        | (obstacles[:, 1] > box[3]) | (obstacles[:, 3] < box[1])
    )
    return ~apart
