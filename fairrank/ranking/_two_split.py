"""A finish for the absolute disparity: one split where both orders at the kink part."""

from __future__ import annotations

import numpy as np

from fairrank._kernels.chain import best_split
from fairrank.ranking._hull import Kink
from fairrank.ranking._orders import BlockOrder, Objective, block_order
from fairrank.ranking._steps import Pair

# A penalty that no gain in AUC makes up for, however small the excess.
BEFORE_ALL = 1e15


def two_split(pair: Pair, kink: Kink, objective: Objective) -> BlockOrder:
    """Best of both ends of the kink and of ``a[:k] b[:l] a[k:] b[l:]`` in the region they part.

    Going from the lower order to the upper one, a's steps move up run by run; D grows with each,
    and the split is made in the run where it passes the interval that is allowed.
    """
    candidates = [kink.above, kink.below]
    if kink.above is kink.below:
        return kink.above
    a_cut = np.union1d(kink.above.a_cut, kink.below.a_cut)
    b_cut = np.union1d(kink.above.b_cut, kink.below.b_cut)
    blocks = pair.a.blocks(a_cut), pair.b.blocks(b_cut)
    up, down = (order.before_on(a_cut, b_cut) for order in (kink.above, kink.below))
    moved = np.flatnonzero(up != down)
    if moved.size:
        # Runs of a-steps that stand at one place in either order: rectangles.
        cut = np.flatnonzero(
            (np.diff(moved) > 1) | (np.diff(up[moved]) != 0) | (np.diff(down[moved]) != 0)
        )
        starts = moved[np.concatenate(([0], cut + 1))]
        stops = moved[np.concatenate((cut, [moved.size - 1]))] + 1
        now = block_order(pair, a_cut, b_cut, down, blocks=blocks)
        for start, stop in zip(starts, stops):
            after = down.copy()
            after[:stop] = up[:stop]
            reached = block_order(pair, a_cut, b_cut, after, blocks=blocks)
            if reached.disparity >= -objective.allowance:
                candidates.append(_split(pair, now, start, stop, up[start], objective))
            candidates.append(reached)
            if reached.disparity > objective.allowance:
                break
            now = reached
    return max(candidates, key=objective.of_order)


def _split(pair: Pair, now: BlockOrder, start: int, stop: int, first: int,
           objective: Objective) -> BlockOrder:
    """Split one rectangle, a's blocks ``start:stop`` over b's from `first`, at its best steps."""
    a, b, per = pair.a, pair.b, pair.per_count
    last = now.before[start]
    a_low, a_high = now.a_cut[start], now.a_cut[stop]
    b_low, b_high = now.b_cut[first], now.b_cut[last]
    k, moved, _ = best_split(
        np.column_stack((a.negative[a_low:a_high], a.positive[a_low:a_high])),
        np.column_stack((b.negative[b_low:b_high], b.positive[b_low:b_high])),
        1.0 / pair.auc_pairs, 1.0 / pair.auc_pairs, per[0], -per[1], per[2],
        now.auc, now.disparity, BEFORE_ALL if objective.hard else objective.penalty,
        objective.allowance,
    )
    a_cut = np.union1d(now.a_cut, a_low + k)
    b_cut = np.union1d(now.b_cut, b_low + moved)
    before = now.before_on(a_cut, b_cut)
    inside = np.searchsorted(a_cut, [a_low, a_low + k, a_high])
    before[inside[0] : inside[1]] = np.searchsorted(b_cut, b_low)
    before[inside[1] : inside[2]] = np.searchsorted(b_cut, b_low + moved)
    return block_order(pair, a_cut, b_cut, before)
