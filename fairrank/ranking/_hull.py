"""Orders that are best for a signed disparity, and the multiplier at which its sign turns.

For AUC - l D the best interleaving pools each group to its hull and merges by direction: exact, at
the cost of a merge of far fewer blocks than steps. Its value phi(l), minimised over l in
[-penalty, penalty], bounds AUC - penalty |D| from above, and the two orders at the minimum differ
in the region where the best |D| order is to be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fairrank._kernels.chain import merge_chains, pool_chain
from fairrank.ranking._orders import BlockOrder, Objective
from fairrank.ranking._steps import Pair, Steps

MAX_MERGES = 200
# Values of phi agree this far when the kink is found: AUC has about 16 digits.
AGREEMENT = 1e-15


class HullSolver:
    """Best orders of one pair of chains for any multiplier; each pooling is made once.

    Parameters
    ----------
    pair : Pair
    """

    def __init__(self, pair: Pair):
        self.pair = pair
        self._pooled = lru_cache(maxsize=None)(self._pool)

    def _pool(self, which: str, turn: int) -> tuple[np.ndarray, np.ndarray]:
        chain: Steps = getattr(self.pair, which)
        start = pool_chain(chain.negative, chain.positive, turn)
        return start, chain.blocks(start)

    def best(self, multiplier: float) -> BlockOrder:
        """The order that maximises AUC - multiplier * D. O(#blocks) after the first pooling."""
        gain = self.pair.gain(multiplier)
        # image @ (neg, pos) of b: u_b0 = (F10, -F00), u_b1 = (F11, -F01) as columns.
        image = np.array([[gain[1, 0], gain[1, 1]], [-gain[0, 0], -gain[0, 1]]])
        determinant = image[0, 0] * image[1, 1] - image[0, 1] * image[1, 0]
        # URF's is 1 at every multiplier, whatever rounding says. Where it is 0 a class of b has no
        # direction left: all of b is collinear, one block.
        turn_b = 1 if self.pair.disparity == "urf" else int(np.sign(determinant))
        a_start, a = self._pooled("a", 1)
        b_start, b = self._pooled("b", turn_b)
        # Opposite directions: alpha < 0 turns b's negatives to the left, the larger angle;
        # beta < 0 turns b's positives down, and a's is larger.
        before, counts = merge_chains(a, b, image, bool(gain[1, 0] >= 0.0))
        return BlockOrder(
            a_start, b_start, before, self.pair.auc(counts), self.pair.signed_disparity(counts)
        )


@dataclass(frozen=True)
class Kink:
    """Where AUC - l D + |l| allowance, maximised over orders, is smallest in l.

    Attributes
    ----------
    multiplier : float
    bound : float
        That smallest maximum: no order is worth more.
    above, below : BlockOrder
        Best orders there with D at least, and at most, the nearer end of the allowance; the same
        one where |l| = penalty or l = 0.
    """

    multiplier: float
    bound: float
    above: BlockOrder
    below: BlockOrder


def find_kink(solver: HullSolver, objective: Objective) -> Kink:
    """Minimise a convex, piecewise linear function of the multiplier. A handful of merges."""
    free = solver.best(0.0)
    allowance = objective.allowance
    if abs(free.disparity) <= allowance or objective.penalty == 0.0:
        return Kink(0.0, free.auc, free, free)
    side = 1.0 if free.disparity > 0.0 else -1.0
    low, high = sorted((0.0, side * objective.penalty))
    above, below = (free, None) if side > 0.0 else (None, free)
    # Short of where b's plane turns over the kink mostly lies, and b need not be pooled again.
    near = solver.pair.turns_over(side)
    if low < near < high:
        found = solver.best(near)
        if found.disparity >= side * allowance:
            above, low = found, near
        else:
            below, high = found, near
    above = solver.best(low) if above is None else above
    below = solver.best(high) if below is None else below
    return _between(solver, above, below, low, high, side * allowance)


def _between(solver: HullSolver, above: BlockOrder, below: BlockOrder, low: float, high: float,
             shift: float) -> Kink:
    """Secants on [low, high], whose best orders are `above` and `below`.

    Both lines at hand are kept; every third step is a bisection, so that a far line cannot stall
    it.
    """
    if above.disparity <= shift:
        return Kink(low, above.value(low) + low * shift, above, above)
    if below.disparity >= shift:
        return Kink(high, below.value(high) + high * shift, below, below)
    for merge in range(MAX_MERGES):
        # Lines AUC - l (D - shift) of both orders cross here, between low and high.
        crossing = (above.auc - below.auc) / (above.disparity - below.disparity)
        crossing = min(max(crossing, low), high)
        level = above.value(crossing) + crossing * shift
        multiplier = 0.5 * (low + high) if merge % 3 == 2 else crossing
        found = solver.best(multiplier)
        value = found.value(multiplier) + multiplier * shift
        if multiplier == crossing and value <= level + AGREEMENT:
            return Kink(crossing, max(value, level), above, below)
        if found.disparity >= shift:
            above, low = found, multiplier
        else:
            below, high = found, multiplier
        if high - low <= 1e-15 * max(abs(low), abs(high)):
            break
    crossing = 0.5 * (low + high)
    bound = solver.best(crossing).value(crossing) + crossing * shift
    return Kink(crossing, bound, above, below)
