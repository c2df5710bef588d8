"""Bootstrap draws of a support function: new weights of rows, and one prefix sum a draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from fairrank._kernels import redraw as _redraw
from fairrank._kernels import sweep as _sweep
from fairrank.frontier._angular_order import AngularOrder
from fairrank.frontier._arcs import Arcs
from fairrank.frontier._frontier_sample import FrontierSample
from fairrank.inference._permutation import SERIAL_WORK, chunk_seeds

CHUNK = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierDraw:
    """The support function under other weights; its arrays are overwritten by the next draw.

    Attributes
    ----------
    arcs : Arcs
        Breaks as estimated, support points under the draw's weights.
    weight : ndarray, shape (n,)
        Of every row, in the order in which the sweep meets them, not that of the rows given.
    risks : ndarray, shape (n_losses, 2)
        Mean in each group, under the same weights, of the losses that were passed along.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> def gain_of_best_for_r(draw):
    ...     return draw.risks[0, 0] + draw.arcs.h([-1, 0])
    >>> gains = support.draws(gain_of_best_for_r, 200, losses=data.target != 1, random_state=0)
    >>> gains.shape, bool(gains.min() > 0)
    ((200,), True)
    """

    arcs: Arcs
    weight: np.ndarray
    risks: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SweptRows:
    """Rows side by side as the sweep meets them, so that a draw reads memory in order.

    Attributes
    ----------
    order : AngularOrder
    loss : ndarray, shape (n,)
        Of each row just before the half-turn starts.
    change : ndarray, shape (n,)
        What is added to it at the row's break.
    place : ndarray of int8, shape (n,)
        2 * group + (1 if the row enters at its break).
    code : ndarray of intp, shape (n,)
    weight : ndarray, shape (n,)
    equal_weights : bool
    cluster : ndarray of intp, shape (n,) or (0,)
    n_clusters : int
    """

    order: AngularOrder
    loss: np.ndarray
    change: np.ndarray
    place: np.ndarray
    code: np.ndarray
    weight: np.ndarray
    equal_weights: bool
    cluster: np.ndarray
    n_clusters: int

    def empty_arcs(self) -> Arcs:
        """Arcs whose points are yet to be written."""
        shape = self.order.breaks.shape
        return Arcs(
            breaks=self.order.breaks, points=np.empty(shape), entering=np.empty(shape),
            total=np.empty(2), forced=self.order.forced,
        )

    def sweep(self, weight: np.ndarray, arcs: Arcs) -> None:
        """Write the support points under weights in the order of the sweep. O(n)."""
        _sweep.weighted_arc_points(
            weight, self.loss, self.change, self.place, self.order.start, arcs.points,
            arcs.entering, arcs.total,
        )


def swept_rows(sample: FrontierSample, order: AngularOrder) -> SweptRows:
    """Arrange the rows. O(n)."""
    rows = order.order
    turn = order.turn[rows]
    change = sample.change[rows]
    code = sample.code[rows]
    weight = sample.weight[rows]
    return SweptRows(
        order=order,
        loss=sample.loss[rows] + np.where(turn < 0, change, 0.0),
        change=turn * change,
        place=(2 * code.astype(np.int8) + (turn > 0)).astype(np.int8),
        code=code.astype(np.intp),
        weight=weight,
        equal_weights=bool((weight == weight[0]).all()),
        cluster=sample.cluster[rows] if sample.cluster.size else sample.cluster,
        n_clusters=sample.n_clusters,
    )


def drawn(
    rows: SweptRows,
    statistic: Callable[[FrontierDraw], Any],
    n_draws: int,
    seed: np.random.SeedSequence,
    n_jobs: Any,
    losses: np.ndarray,
) -> np.ndarray:
    """A statistic of `n_draws` draws, shape (n_draws, ...). O(n) a draw.

    Parameters
    ----------
    rows : SweptRows
    statistic : callable
        Of a `FrontierDraw`; must copy what it keeps.
    n_draws : int
    seed : SeedSequence
        One child a chunk of draws, so that the numbers do not depend on `n_jobs`.
    n_jobs : int or None
        Threads.
    losses : ndarray, shape (n, n_losses)
        Of rows as they came, or (n, 0).
    """
    losses = np.ascontiguousarray(losses[rows.order.order])
    tasks = chunk_seeds(seed, n_draws, CHUNK)
    jobs = n_jobs if rows.weight.size * n_draws >= SERIAL_WORK else 1
    parts = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(_chunk)(rows, statistic, size, state, losses) for state, size in tasks
    )
    return np.concatenate(parts)


def _chunk(
    rows: SweptRows,
    statistic: Callable[[FrontierDraw], Any],
    n_draws: int,
    state: np.ndarray,
    losses: np.ndarray,
) -> np.ndarray:
    arcs, weight = rows.empty_arcs(), np.empty(rows.weight.size)
    exponential = np.empty(rows.n_clusters) if rows.cluster.size else weight
    state = state.copy()
    state[3] |= np.uint64(1)  # the all-zero state is the one that never moves
    found, nothing = [], np.empty((0, 2))
    for _ in range(n_draws):
        _redraw.draw_exponentials(state, exponential)
        if rows.cluster.size:
            _redraw.weigh_rows(exponential, rows.cluster, rows.weight, weight)
        elif not rows.equal_weights:
            _redraw.weigh(rows.weight, weight)
        rows.sweep(weight, arcs)
        risks = nothing
        if losses.shape[1]:
            risks = _redraw.group_risks(weight, losses, rows.code, 2)
        value = statistic(FrontierDraw(arcs=arcs, weight=weight, risks=risks))
        found.append(np.array(value, dtype=np.float64))
    return np.stack(found)
