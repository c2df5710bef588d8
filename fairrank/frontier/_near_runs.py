"""Joint statistics of many fixed points, and one draw of the limits of all of them at once.

With a fixed point only the support function moves, by the same -q'D in every direction whatever
the point: a draw finds the largest movement on each arc once, and a point looks up those of its
own near directions, which are a few runs of arcs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from fairrank._kernels import arc_runs as _arc_runs
from fairrank.frontier._arcs import Arcs
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import Excess, largest_excess
from fairrank.frontier._joint_statistic import JointStatistic, behind_of, joint_statistic
from fairrank.frontier._limit_draws import STEP_POWER, near_parts

CHUNK = 50


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearRuns:
    """Near directions of many points, as runs of whole arcs and parts of arcs.

    Attributes
    ----------
    run_start, edge_start : ndarray of intp, shape (m + 1,)
        Where those of each point begin.
    runs : ndarray of intp, shape (n_runs, 2)
        First and last arc.
    edge : ndarray of intp, shape (n_edges,)
        Arcs of which only a part is near.
    edge_part : ndarray, shape (n_edges, 4)
        Its first and last direction.
    """

    run_start: np.ndarray
    edge_start: np.ndarray
    runs: np.ndarray
    edge: np.ndarray
    edge_part: np.ndarray

    def largest(self, on_arcs: np.ndarray, move: np.ndarray, total_move: np.ndarray) -> np.ndarray:
        """Largest -q'D of every point, shape (m,). O(n_arcs + n_runs + n_edges)."""
        return _arc_runs.largest_over_runs(
            on_arcs, self.run_start, self.runs, self.edge_start, self.edge, self.edge_part,
            move, total_move,
        )


def many_statistics(
    support: Any, points: np.ndarray, kind: str, method: str, n_jobs: Any
) -> tuple[list[JointStatistic], Callable[[FrontierDraw], np.ndarray]]:
    """Joint statistics at points, and the function that draws the limits of all. O(n) a point.

    Parameters
    ----------
    support : SupportFunction
    points : ndarray, shape (m, 2)
    kind : {"frontier", "pareto", "feasible"}
    method : {"set", "hybrid", "gaussian"}
    n_jobs : int or None
        Threads.

    Returns
    -------
    list of JointStatistic, and callable
        The latter of a `FrontierDraw`; gives an array of shape (m,), root n times both parts.
    """
    arcs = support.realised
    chunks = [points[i : i + CHUNK] for i in range(0, len(points), CHUNK)]
    jobs = n_jobs if len(points) * arcs.n_arcs > 1_000_000 else 1
    found = [
        one
        for part in Parallel(n_jobs=jobs, prefer="threads")(
            delayed(_chunk)(support, chunk, kind, method) for chunk in chunks
        )
        for one in part
    ]
    joints = [joint for joint, _ in found]
    if method == "set":
        far = _gathered([runs[0] for _, runs in found])
        near = _gathered([runs[1] for _, runs in found]) if kind != "feasible" else None
        return joints, _set_draws(arcs, joints, far, near)
    if method == "hybrid":
        return joints, _hybrid_draws(arcs, joints, points, kind)
    return joints, _gaussian_draws(arcs, joints)


def _chunk(support: Any, points: np.ndarray, kind: str, method: str) -> list:
    arcs, found = support.realised, []
    for e in points:
        joint, runs = joint_statistic(support, e, kind), []
        if method == "set":
            runs = [
                _arc_runs.whole_runs(one.arc, one.part, arcs.breaks)
                for one in near_parts(arcs, joint) if one is not None
            ]
        found.append((joint, runs))
    return found


def _gathered(found: list[tuple]) -> NearRuns:
    def starts(column: int) -> np.ndarray:
        sizes = [one[column].shape[0] for one in found]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    return NearRuns(
        run_start=starts(0), edge_start=starts(1),
        runs=np.concatenate([one[0] for one in found]),
        edge=np.concatenate([one[1] for one in found]),
        edge_part=np.ascontiguousarray(np.concatenate([one[2] for one in found])),
    )


def _set_draws(
    arcs: Arcs, joints: list[JointStatistic], far: NearRuns, near: NearRuns | None
) -> Callable[[FrontierDraw], np.ndarray]:
    root_n = joints[0].root_n

    def limits(draw: FrontierDraw) -> np.ndarray:
        move, total_move = draw.arcs.points - arcs.points, draw.arcs.total - arcs.total
        on_arcs = _arc_runs.largest_on_arcs(arcs.breaks, move, total_move)
        value = np.maximum(far.largest(on_arcs, move, total_move), 0.0)
        if near is not None:
            value -= np.minimum(near.largest(on_arcs, move, total_move), 0.0)
        return root_n * value

    return limits


def _hybrid_draws(
    arcs: Arcs, joints: list[JointStatistic], points: np.ndarray, kind: str
) -> Callable[[FrontierDraw], np.ndarray]:
    root_n = joints[0].root_n
    step = root_n ** (-2.0 * STEP_POWER)
    beyond = np.array([joint.beyond.value for joint in joints])
    parts: list[Any] = [joint.behind for joint in joints]

    def limits(draw: FrontierDraw) -> np.ndarray:
        moved = arcs.blended(draw.arcs, step * root_n)
        value = np.maximum(largest_excess(moved, points).value - beyond, 0.0)
        behind = behind_of(moved, points, kind)
        if behind is not None:
            value += np.maximum([part.value for part in parts] - behind.value, 0.0)
        return value / step

    return limits


def _gaussian_draws(
    arcs: Arcs, joints: list[JointStatistic]
) -> Callable[[FrontierDraw], np.ndarray]:
    root_n = joints[0].root_n
    far = _directions([joint.beyond for joint in joints])
    near = _directions([part for part in (joint.behind for joint in joints) if part is not None])

    def moved(draw: FrontierDraw, at: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        move = draw.arcs.point_of_arc(at[1]) - arcs.point_of_arc(at[1])
        return -np.einsum("ij,ij->i", at[0], move)

    def limits(draw: FrontierDraw) -> np.ndarray:
        value = np.maximum(moved(draw, far), 0.0)
        if near[1].size:
            value -= np.minimum(moved(draw, near), 0.0)
        return root_n * value

    return limits


def _directions(parts: list[Excess]) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.array([part.direction for part in parts]).reshape(-1, 2),
        np.array([part.arc for part in parts], dtype=np.intp),
    )
