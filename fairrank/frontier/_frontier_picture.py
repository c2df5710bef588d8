"""What `FrontierDisplay` draws, piece by piece, below its checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# Okabe and Ito's colours, told apart by colour-blind readers too.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
AMBER, GREY = "#E69F00", "#666666"
SET_COLORS = ("#CC79A7", "#009E73", "#F0E442", "#56B4E9")
# Neither of these is the mark of R, B or F.
MARKERS = ("o", "s", "D", "^", "P", "X", "p", "h", "d", ">")
FILLS = ("full", "left", "bottom")
DASHES = ("-.", "--", (0, (1, 1.5)), (0, (8, 3)), (0, (6, 2, 1, 2, 1, 2)))
ARROW = 24.0  # points
EQUAL_RISKS = "equal risks"


def few_corners(path: np.ndarray, n_corners: int) -> np.ndarray:
    """Corners at even distances along a path, both ends among them; all where they are few.

    Parameters
    ----------
    path : ndarray, shape (n, 2)
    n_corners : int
        Most that are taken, at least 2.

    Returns
    -------
    ndarray, shape (m, 2)
        What is left out lies within one even distance of what is taken.
    """
    if len(path) <= n_corners:
        return path
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    taken = np.searchsorted(way, np.linspace(0.0, way[-1], n_corners))
    taken = np.unique(np.append(np.minimum(taken, len(path) - 1), [0, len(path) - 1]))
    return path[taken]


def square_limits(
    points: np.ndarray, margin: float, present: np.ndarray | None = None
) -> np.ndarray:
    """Limits of equal length on both axes that hold all points.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
    margin : float
        Part of the length that is left free at both ends.
    present : ndarray, shape (2, 2), optional
        Limits that must stay in sight: a row an axis.

    Returns
    -------
    ndarray, shape (2, 2)
        A row an axis: from, to.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    room = margin * float((high - low).max())
    low, high = low - room, high + room
    if present is not None:
        low, high = np.minimum(low, present[:, 0]), np.maximum(high, present[:, 1])
    length = float((high - low).max()) or 0.1 * (float(np.abs(high).max()) or 1.0)
    middle = 0.5 * (low + high)
    return np.column_stack([middle - 0.5 * length, middle + 0.5 * length])


def improvements(e: np.ndarray, reach: float) -> np.ndarray:
    """Corners of C(e), the risks as accurate as `e` for both groups and as fair; (4, 2).

    C(e) is a strip along the line of equal risks without an end; `reach` cuts it far away.
    """
    near = np.minimum(e, 2.0 * e[::-1] - e)
    return np.array([e, near, near - reach, e - reach])


def frontiers_on(ax: Any) -> list[tuple]:
    """Names of the groups of every frontier that is drawn already."""
    return [line.fairrank_groups for line in ax.lines if hasattr(line, "fairrank_groups")]


def draw_equal_risks(ax: Any) -> Any:
    """Draw the line of equal risks, unless it is there."""
    for line in ax.lines:
        if line.get_label() == EQUAL_RISKS:
            return line
    return ax.axline(
        (0, 0), slope=1, color=GREY, linewidth=0.9, linestyle=":", zorder=2, label=EQUAL_RISKS
    )


def draw_best_points(
    ax: Any, best: np.ndarray, fairest: np.ndarray, group_names: tuple, color: str, nth: int
) -> tuple[list, list]:
    """Mark R, B and F, hollow, and name them beside the set.

    The names of a second frontier on the same axes stand inside, so that they do not cover those
    of the first, and further ones have marks alone.
    """
    gap = fairest[0] - fairest[1]
    if gap:  # away from the set, towards the line of equal risks
        below = (0.75 * np.sign(-gap), 0.75 * np.sign(gap))
        above = (-below[0], -below[1])
    else:  # all F are on that line, so beside it
        below, above = (0.35, -0.95), (-0.75, 0.75)
    places: tuple = (
        ((-0.8, 0.7), (-0.75, -0.75), below) if nth == 0 else ((0.8, -0.7), (0.75, 0.75), above)
    )
    described = [
        ("R", best[0], "<", f"R: least risk of {group_names[0]}"),
        ("B", best[1], "v", f"B: least risk of {group_names[1]}"),
        ("F", fairest, "*", "F: risks nearest to each other"),
    ]
    marks, names = [], []
    for (letter, point, marker, words), place in zip(described, places):
        marks += ax.plot(
            *point, marker=marker, markersize=11 if marker == "*" else 8, linestyle="none",
            color=color, markerfacecolor="white", markeredgewidth=1.5, zorder=5,
            label=words if nth == 0 else "_" + letter,
        )
        if nth < 2:
            names.append(
                ax.annotate(
                    letter, point, xytext=tuple(14.0 * x for x in place), color=color,
                    textcoords="offset points", ha="center", va="center", zorder=6,
                    fontweight="bold", **halo(),
                )
            )
    return marks, names


def halo() -> dict[str, Any]:
    """White around letters, which keeps them apart from lines below."""
    from matplotlib import patheffects

    return {"path_effects": [patheffects.withStroke(linewidth=2.5, foreground="white")]}


def draw_points(
    ax: Any, points: Mapping[str, np.ndarray], bars: Mapping[str, np.ndarray], prefix: str,
    color: str, options: Mapping[str, Any],
) -> tuple[dict, dict]:
    """A mark an algorithm, each of another shape, and error bars where half-lengths are given."""
    marks, containers = {}, {}
    for k, (name, point) in enumerate(points.items()):
        look = {
            "marker": MARKERS[k % len(MARKERS)], "color": color, "markeredgecolor": "black",
            "fillstyle": FILLS[k // len(MARKERS) % len(FILLS)], "markersize": 8,
            "linestyle": "none", "zorder": 4.5, "label": prefix + name, **options,
        }
        (marks[name],) = ax.plot(*point, **look)
        if name in bars:
            containers[name] = ax.errorbar(
                *point, xerr=bars[name][0], yerr=bars[name][1], ecolor=marks[name].get_color(),
                fmt="none", elinewidth=1.2, capsize=2.5, zorder=4.4, label="_bars",
            )
    return marks, containers


def draw_supporting_lines(
    ax: Any, directions: np.ndarray, touching: np.ndarray, names: Sequence[str], prefix: str,
    color: str,
) -> tuple[list, list]:
    """Lines q'e = h(q), each of another dash, and a short arrow along q where each touches."""
    lines, arrows = [], []
    for k, (q, point) in enumerate(zip(directions, touching)):
        unit = q / np.hypot(*q)
        lines.append(
            ax.axline(
                point, point + np.array([-unit[1], unit[0]]), color=color, linewidth=1.0,
                linestyle=DASHES[k % len(DASHES)] if names[k] else DASHES[0], zorder=2.5,
                label=prefix + "supporting line" + (f", {names[k]}" if names[k] else ""),
            )
        )
        arrows.append(
            ax.annotate(
                "", point, xytext=tuple(ARROW * unit), textcoords="offset points", zorder=4.6,
                arrowprops={"arrowstyle": "<-", "color": color, "shrinkA": 0, "shrinkB": 0},
            )
        )
    return lines, arrows


def draw_confidence_set(ax: Any, found: Any, label: str, color: str) -> Any:
    """Shade the candidates that are inside: as cells where all of them make a grid, else as dots.

    Parameters
    ----------
    ax : matplotlib Axes
    found : object
        With `candidates`, shape (m, 2), and `inside`, bool of shape (m,).
    label, color : str
    """
    from matplotlib.collections import PolyCollection

    candidates, inside = np.asarray(found.candidates), np.asarray(found.inside, dtype=bool)
    x, y = (np.unique(column) for column in candidates.T)
    if x.size * y.size != len(candidates) or min(x.size, y.size) < 2:
        return ax.scatter(
            *candidates[inside].T, s=9, marker="s", color=color, alpha=0.6, linewidths=0,
            zorder=1.5, label=label,
        )
    edges = [
        np.concatenate([[v[0] - (v[1] - v[0]) / 2], (v[1:] + v[:-1]) / 2,
                        [v[-1] + (v[-1] - v[-2]) / 2]])
        for v in (x, y)
    ]
    i, j = (np.searchsorted(v, column) for v, column in zip((x, y), candidates[inside].T))
    left, right, low, top = edges[0][i], edges[0][i + 1], edges[1][j], edges[1][j + 1]
    cells = np.stack([left, low, right, low, right, top, left, top], axis=1).reshape(-1, 4, 2)
    return ax.add_collection(
        # Without smoothed edges, or neighbours would show a seam.
        PolyCollection(list(cells), facecolors=color, alpha=0.3, linewidths=0, antialiased=False,
                       zorder=1.5, label=label),
        autolim=False,
    )


def draw_legend(ax: Any, options: Mapping[str, Any]) -> Any:
    """One entry a label; beside the axes where the figure's layout makes room, else inside."""
    entries: dict[str, Any] = {}
    for handle, label in zip(*ax.get_legend_handles_labels()):
        entries.setdefault(label, handle)
    place: dict[str, Any] = {"loc": "best"}
    if ax.figure.get_layout_engine() is not None:
        place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
    return ax.legend(
        list(entries.values()), list(entries),
        **{"frameon": False, "fontsize": "small", **place, **options},
    )
