"""The finish by labels: the lattice of two chains, searched with the signed problem as a bound."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fairrank._kernels.labels import best_labels
from fairrank.ranking._hull import Kink
from fairrank.ranking._orders import (
    BlockOrder,
    Objective,
    block_order,
    crossing_counts,
    every_step,
)
from fairrank.ranking._steps import Pair, Steps

# Below so many cells every step is a step; above, runs of steps are.
MAX_EXACT_CELLS = 40_000
# Labels a cell where every step is a step: as many as these fill, between the two numbers. Small
# problems are then mostly proven.
MAX_LABELS, FEWEST_LABELS, MOST_LABELS = 4_000_000, 64, 2000
# Labels a cell where steps are runs.
RUN_LABELS = 16
# Runs a chain at most, and points inside each block at which the kink's blocks are cut.
MAX_RUNS, N_TOUCHING = 400, 100
# Cuts are laid anew about the corners of the best order so often.
MAX_ROUNDS = 2


@dataclass(frozen=True)
class Finished:
    """An order, and what is known about all others.

    Attributes
    ----------
    order : BlockOrder
    bound : float
        No order is worth more.
    proven : bool
        Every order was looked at or bounded away: this one is the best.
    """

    order: BlockOrder
    bound: float
    proven: bool


def label_finish(pair: Pair, kink: Kink, start: BlockOrder, objective: Objective) -> Finished:
    """Improve `start`; on small problems prove or bound what is left."""
    cells = pair.a.n_steps * pair.b.n_steps
    if cells <= MAX_EXACT_CELLS:
        cuts = every_step(pair.a.n_steps), every_step(pair.b.n_steps)
        n_labels = min(max(MAX_LABELS // cells, FEWEST_LABELS), MOST_LABELS)
        order, thinned = _searched(pair, kink, start, objective, *cuts, n_labels)
        bound = max(objective.of_order(order), thinned)
        return Finished(order, min(bound, kink.bound), not np.isfinite(thinned))
    order = start
    for _ in range(MAX_ROUNDS):
        cuts = _run_cuts(pair, kink, order)
        found, _ = _searched(pair, kink, order, objective, *cuts, RUN_LABELS)
        if found is order:
            break
        order = found
    return Finished(order, kink.bound, False)


def _searched(pair: Pair, kink: Kink, start: BlockOrder, objective: Objective, a_cut: np.ndarray,
              b_cut: np.ndarray, n_labels: int) -> tuple[BlockOrder, float]:
    """`start`, or a better order of the blocks between the cuts; the highest thinned bound.

    Only the blocks about the kink are searched when there are more than `MAX_RUNS`; the others
    stay where the kink's lower order has them.
    """
    base = kink.below.before_on(a_cut, b_cut)
    low_a, high_a, low_b, high_b = _window(kink, base, a_cut, b_cut)
    blocks = pair.a.blocks(a_cut), pair.b.blocks(b_cut)
    part_a, part_b = blocks[0][low_a:high_a], blocks[1][low_b:high_b]
    here = crossing_counts(part_a, part_b, base[low_a:high_a] - low_b)
    below = block_order(pair, a_cut, b_cut, base, blocks=blocks)
    single_a, single_b = (
        (np.diff(cut[low : high + 1]) == 1).astype(np.uint8)
        for cut, low, high in ((a_cut, low_a, high_a), (b_cut, low_b, high_b))
    )
    before, tied, _, thinned = best_labels(
        part_a, part_b, single_a, single_b, 1.0 / pair.auc_pairs, pair.per_count,
        below.auc - (here[0] + here[1]) / pair.auc_pairs,
        below.disparity - float(pair.per_count @ here),
        np.array([kink.multiplier, objective.penalty, -objective.penalty]),
        objective.penalty, objective.allowance, objective.hard, objective.of_order(start),
        n_labels,
    )
    if before is None:
        return start, thinned
    base[low_a:high_a] = before + low_b
    found = block_order(pair, a_cut, b_cut, base, low_a + np.flatnonzero(tied), blocks)
    # The kernel sums along the path, block_order by columns: a tie may be a rounding apart.
    better = objective.of_order(found) > objective.of_order(start)
    return (found if better else start), thinned


def _window(kink: Kink, base: np.ndarray, a_cut: np.ndarray,
            b_cut: np.ndarray) -> tuple[int, int, int, int]:
    """Blocks of a and of b to be searched: all, or those about the kink."""
    n_a, n_b = a_cut.size - 1, b_cut.size - 1
    if max(n_a, n_b) <= MAX_RUNS + 2 * N_TOUCHING:
        return 0, n_a, 0, n_b
    up = kink.above.before_on(a_cut, b_cut)
    moved = np.flatnonzero(up != base)
    middle = int(moved[moved.size // 2]) if moved.size else n_a // 2
    low_a, high_a = max(0, middle - MAX_RUNS // 2), min(n_a, middle + MAX_RUNS // 2)
    low_b, high_b = int(base[low_a]), int(base[high_a]) if high_a < n_a else n_b
    # A run of b that is too long is cut about the same place.
    if high_b - low_b > MAX_RUNS + 2 * N_TOUCHING:
        centre = int(base[middle])
        low_b = max(low_b, centre - MAX_RUNS // 2)
        high_b = min(high_b, centre + MAX_RUNS // 2)
        low_a = int(np.searchsorted(base, low_b))
        high_a = int(np.searchsorted(base, high_b, side="right"))
    return low_a, high_a, low_b, high_b


def _run_cuts(pair: Pair, kink: Kink, order: BlockOrder) -> tuple[np.ndarray, np.ndarray]:
    """Hull vertices, the order's corners, and points of the kink's blocks that nearly touch."""
    a_cut = np.union1d(kink.above.a_cut, kink.below.a_cut)
    b_cut = np.union1d(kink.above.b_cut, kink.below.b_cut)
    up, down = (each.before_on(a_cut, b_cut) for each in (kink.above, kink.below))
    moved = np.flatnonzero(up != down)
    passed = np.zeros(b_cut.size, dtype=np.intp)
    # Blocks of b that some block of a moves over.
    np.add.at(passed, up[moved], 1)
    np.add.at(passed, down[moved], -1)
    b_moved = np.flatnonzero(np.cumsum(passed)[:-1] > 0)
    a_corner, b_corner = order.corners()
    near_a = _touching(pair.a, a_cut, moved)
    near_b = _touching(pair.b, b_cut, b_moved)
    return (
        np.unique(np.concatenate((a_cut, a_corner, _around(a_corner, pair.a), near_a))),
        np.unique(np.concatenate((b_cut, b_corner, _around(b_corner, pair.b), near_b))),
    )


def _around(corner: np.ndarray, steps: Steps) -> np.ndarray:
    """The steps next to each corner."""
    near = np.concatenate([corner + shift for shift in (-2, -1, 1, 2)])
    return near[(near > 0) & (near < steps.n_steps)]


def _touching(steps: Steps, cut: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Points inside `blocks` whose path comes nearest to the block's chord.

    Half of them are nearest in a stretch of their own, half nearest of all.
    """
    found = [np.zeros(0, dtype=np.intp)]
    for block in blocks[:8]:
        first, last = int(cut[block]), int(cut[block + 1])
        if last - first < 2:
            continue
        across, up = steps.sums[last] - steps.sums[first]
        inside = steps.sums[first + 1 : last] - steps.sums[first]
        off = np.abs(across * inside[:, 1] - up * inside[:, 0])
        n_points = max(2, N_TOUCHING // max(1, min(8, blocks.size)))
        if off.size <= n_points:
            found.append(np.arange(first + 1, last))
            continue
        nearest = np.argpartition(off, n_points // 2)[: n_points // 2]
        stretch = np.linspace(0, off.size, n_points // 2 + 1).astype(np.intp)
        spread = [low + int(np.argmin(off[low:high]))
                  for low, high in pairwise(stretch)]
        found += [first + 1 + nearest, first + 1 + np.array(spread)]
    return np.concatenate(found)
