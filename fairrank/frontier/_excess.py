"""How far a pair of risks lies beyond a support function, and from being undominated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels import sweep as _sweep
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import Arcs, as_coordinates, as_directions

RANGES = ("all", "frontier", "pareto")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Excess:
    """A maximum over directions, and where it is.

    Attributes
    ----------
    value : float or ndarray, shape (m,)
    direction : ndarray, shape (2,) or (m, 2)
        Unit vectors of the feasible set; of several the first counterclockwise.
    arc : int or ndarray, shape (m,)
        Arc whose support point the value belongs to: pass it on where the direction ends an arc.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> better = support.separation(data.status_quo_risks)
    >>> print(round(better.value, 2), better.direction.round(1))
    -0.07 [-0.7 -0.7]
    """

    value: Any
    direction: np.ndarray
    arc: Any


def largest_excess(arcs: Arcs, e: Any, over: Any = "all") -> Excess:
    """Largest q'e - h(q) over unit directions q, exactly. O(n_arcs) a point.

    Parameters
    ----------
    arcs : Arcs
    e : array-like of shape (2,) or (m, 2)
        Risks of the two groups.
    over : {"all", "frontier", "pareto"} or pair of directions
        "frontier" are the angles from 3pi/4 to 7pi/4, "pareto" those from pi to 3pi/2; a pair is
        passed through counterclockwise, and round the circle where both are equal.

    Returns
    -------
    Excess
        Above 0 where `e` is not attainable.
    """
    points = as_coordinates(e, "e", 2)
    found = _over_arcs(arcs, np.atleast_2d(points), *arcs_of_range(arcs, over))
    return _shaped(found, points.ndim)


def separation(arcs: Arcs, e: Any) -> Excess:
    """Largest -h_C(e)(-q) - h(q) over the directions of the frontier. O(n_arcs) a point.

    C(e) holds the risks that are as accurate as `e` for both groups and as fair. An attainable
    `e` is on the fairness-accuracy frontier where a line separates the attainable risks from
    C(e), which is where the maximum is not below 0.

    Parameters
    ----------
    arcs : Arcs
    e : array-like of shape (2,) or (m, 2)

    Returns
    -------
    Excess
        Its value with a minus sign is how much better an alternative can be, in the risk of the
        group or mix of groups that its direction weighs.

    Notes
    -----
    -h_C(e)(-q) is q'v with v = e between the angles pi and 3pi/2, v = (e_r, min(e_b, 2 e_r - e_b))
    before, and v = (min(e_r, 2 e_b - e_r), e_b) after: three ranges of arcs with one target each.
    """
    points = as_coordinates(e, "e", 2)
    many = np.atleast_2d(points)
    parts = [_over_arcs(arcs, *sector) for sector in better_targets(arcs, many)]
    best = np.argmax([value for value, _, _ in parts], axis=0)
    row = np.arange(many.shape[0])
    chosen = tuple(np.stack(column)[best, row] for column in zip(*parts))
    return _shaped(chosen, points.ndim)


def on_frontier(arcs: Arcs, e: Any, slack: float) -> Any:
    """Whether points are on the fairness-accuracy frontier but for `slack`. O(n_arcs) a point.

    Parameters
    ----------
    arcs : Arcs
    e : array-like of shape (2,) or (m, 2)
    slack : float
        At least 0: bound on the positive part of `largest_excess` plus the negative part of
        `separation`.

    Returns
    -------
    bool or ndarray of bool, shape (m,)
    """
    beyond = np.maximum(largest_excess(arcs, e).value, 0.0)
    behind = np.maximum(-np.asarray(separation(arcs, e).value), 0.0)
    near = beyond + behind <= slack
    return bool(near) if np.ndim(near) == 0 else near


def better_targets(arcs: Arcs, e: np.ndarray) -> list[tuple[np.ndarray, int, int, np.ndarray]]:
    """Points v with -h_C(e)(-q) = q'v in the three sectors of the frontier's directions.

    Parameters
    ----------
    arcs : Arcs
    e : ndarray, shape (m, 2)

    Returns
    -------
    list of (target, first, n_arcs, ends)
        Before the angle pi, from pi to 3pi/2, and after.
    """
    r, b = e[:, 0], e[:, 1]
    targets = (
        np.column_stack([r, np.minimum(b, 2 * r - b)]),
        e,
        np.column_stack([np.minimum(r, 2 * b - r), b]),
    )
    cuts = [*map(int, arcs.forced), arcs.breaks.shape[0]]
    starts = np.concatenate([arcs.breaks, -arcs.breaks[:1]])
    return [
        (target, cuts[i], cuts[i + 1] - cuts[i], starts[[cuts[i], cuts[i + 1]]])
        for i, target in enumerate(targets)
    ]


def _over_arcs(
    arcs: Arcs, points: np.ndarray, first: int, n_arcs: int, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _sweep.largest_excess(
        np.ascontiguousarray(points), arcs.breaks, arcs.points, arcs.total, first, n_arcs,
        np.ascontiguousarray(ends),
    )


def arcs_of_range(arcs: Arcs, over: Any) -> tuple[int, int, np.ndarray]:
    """First arc of a range of directions, number of arcs, and the two end directions."""
    k = arcs.breaks.shape[0]
    if isinstance(over, str):
        if over == "all":
            return 0, 2 * k, arcs.breaks[[0, 0]]
        if over == "frontier":
            return 0, k, np.stack([arcs.breaks[0], -arcs.breaks[0]])
        if over == "pareto":
            first, last = int(arcs.forced[1]), int(arcs.forced[2])
            return first, last - first, arcs.breaks[[first, last]]
        raise ValueError(f"over must be one of {RANGES} or a pair of directions, got {over!r}.")
    ends = as_directions(over, 2)
    if ends.shape != (2, 2):
        raise ValueError(
            f"over must be one of {RANGES} or two directions, got shape {ends.shape}."
        )
    ends = ends / np.abs(ends).max(axis=1, keepdims=True)
    ends = ends / np.hypot(ends[:, 0], ends[:, 1])[:, np.newaxis]
    arc, at = _sweep.locate(ends, arcs.breaks, TIED)
    first, last = int(arc[0]), int(arc[1]) - int(at[1] >= 0)
    ends = np.where((at >= 0)[:, np.newaxis], arcs.starts[np.maximum(at, 0)], ends)
    n_arcs = (last - first) % (2 * k) + 1
    turn = ends[0, 0] * ends[1, 1] - ends[0, 1] * ends[1, 0]
    if n_arcs == 1 and turn <= 0:
        n_arcs = 2 * k + 1
    return first, n_arcs, ends


def _shaped(found: tuple[np.ndarray, np.ndarray, np.ndarray], ndim: int) -> Excess:
    value, direction, arc = found
    if ndim == 2:
        return Excess(value=value, direction=direction, arc=arc)
    return Excess(value=float(value[0]), direction=direction[0], arc=int(arc[0]))
