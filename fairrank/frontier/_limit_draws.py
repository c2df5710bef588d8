"""Draws of what a joint statistic is, to first order, where the null is true.

The statistic is a sum of maxima over directions, and a maximum has no linear expansion where
several directions attain it. Three ways to draw its limit:

* "set": maxima over the directions that nearly attain them, found once;
* "hybrid": the paper's numerical derivative, the statistic of the estimate moved by a multiple of
  the draw's error that grows more slowly than the error shrinks;
* "gaussian": only the directions that attain the maxima, which is too small a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._excess import Excess, largest_excess
from fairrank.frontier._joint_statistic import (
    JointStatistic,
    behind_of,
    moved_targets,
    sector_of,
)
from fairrank.frontier._near_maximum import NearMaximum, near_largest_excess, near_separation

METHODS = ("set", "hybrid", "gaussian")
# The paper's: step of the numerical derivative n^-.245, and what is added to its quantile.
STEP_POWER = 0.245
ATOM = 1e-6

Limit = Callable[[Arcs, np.ndarray], tuple]


def limit_draws(arcs: Arcs, joint: JointStatistic, method: str) -> Limit:
    """The function that gives both parts of one draw, root n times.

    Parameters
    ----------
    arcs : Arcs
        As estimated.
    joint : JointStatistic
    method : {"set", "hybrid", "gaussian"}

    Returns
    -------
    callable
        Of the draw's arcs and how far the draw moves `e`: the limits of `too_far` and `too_near`.
    """
    if method == "set":
        return _over_near_directions(arcs, joint)
    return _numerical(arcs, joint) if method == "hybrid" else _at_the_maxima(arcs, joint)


def slack_of(joint: JointStatistic, method: str) -> float:
    """What is added to draws: the rounding of statistics, and the paper's constant."""
    rounding = joint.root_n * joint.rounding
    return max(rounding, ATOM) if method == "hybrid" else rounding


def near_parts(arcs: Arcs, joint: JointStatistic) -> tuple[NearMaximum, NearMaximum | None]:
    """Directions in which either part nearly is what it is at most. O(n_arcs).

    Parameters
    ----------
    arcs : Arcs
    joint : JointStatistic
    """
    # The maximum itself must be among them where the standard error is 0.
    levels = [
        part.value - tolerance - joint.rounding
        for part, tolerance in zip((joint.beyond, joint.behind), joint.tolerances)
        if part is not None
    ]
    far = near_largest_excess(arcs, joint.e, levels[0])
    if joint.kind == "frontier":
        return far, near_separation(arcs, joint.e, levels[1])
    if joint.kind == "pareto":
        return far, near_largest_excess(arcs, joint.e, levels[1], "pareto")
    return far, None


def moved_at(
    arcs: Arcs, drawn: Arcs, part: Excess, target: np.ndarray
) -> float:
    """How much q'v - h(q) moves in the one direction of a maximum when v moves by `target`."""
    moved = drawn.point_of_arc(part.arc) - arcs.point_of_arc(part.arc)
    return float(part.direction @ (target - moved))


def target_of_behind(arcs: Arcs, joint: JointStatistic, move: np.ndarray) -> np.ndarray:
    """How the target of the second part moves in its own direction."""
    if joint.kind != "frontier" or joint.behind is None:
        return move
    targets = moved_targets(joint.e, move, joint.tolerances[1])
    return targets[sector_of(arcs, joint.behind.arc)]


def _at_the_maxima(arcs: Arcs, joint: JointStatistic) -> Limit:
    def limit(drawn: Arcs, move: np.ndarray) -> tuple:
        far = moved_at(arcs, drawn, joint.beyond, move)
        near = 0.0
        if joint.behind is not None:
            target = target_of_behind(arcs, joint, move)
            near = -moved_at(arcs, drawn, joint.behind, target)
        return joint.root_n * max(far, 0.0), joint.root_n * max(near, 0.0)

    return limit


def _over_near_directions(arcs: Arcs, joint: JointStatistic) -> Limit:
    far_parts, near = near_parts(arcs, joint)

    def limit(drawn: Arcs, move: np.ndarray) -> tuple:
        moved = replace(
            arcs, points=drawn.points - arcs.points, total=drawn.total - arcs.total
        )
        far = far_parts.largest(moved, move)
        behind = 0.0
        if near is not None:
            target = move
            if joint.kind == "frontier":
                target = moved_targets(joint.e, move, joint.tolerances[1])[near.sector]
            behind = -near.largest(moved, target)
        return joint.root_n * max(far, 0.0), joint.root_n * max(behind, 0.0)

    return limit


def _numerical(arcs: Arcs, joint: JointStatistic) -> Limit:
    step = joint.root_n ** (-2.0 * STEP_POWER)
    part = step * joint.root_n

    def limit(drawn: Arcs, move: np.ndarray) -> tuple:
        moved = arcs.blended(drawn, part)
        e = joint.e + part * move
        far = largest_excess(moved, e).value - joint.beyond.value
        near = 0.0
        behind: Any = behind_of(moved, e, joint.kind)
        if behind is not None and joint.behind is not None:
            near = joint.behind.value - behind.value
        return max(far, 0.0) / step, max(near, 0.0) / step

    return limit
