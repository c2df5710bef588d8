"""Orders that are best for a signed disparity, and the multiplier at which its sign turns.

For AUC - l D the best interleaving pools each group to its hull and merges by direction: exact, at
the cost of a merge of a few hundred blocks. Its value phi(l), minimised over l in [-trade_off,
trade_off], bounds AUC - trade_off |D| from above, and the two orders at the minimum differ in the
region where the best |D| order is to be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fairrank._kernels.chain import merge_chains, pool_chain
from fairrank.ranking._steps import Chain, Pair

MAX_MERGES = 200


@dataclass(frozen=True)
class SignedOrder:
    """An interleaving of pooled blocks.

    Attributes
    ----------
    a_start, b_start : ndarray of intp
        Starts of the blocks among the chains' steps, the number of steps last.
    n_b_before : ndarray of intp, shape (n_blocks of a,)
        Blocks of b before each block of a.
    auc, disparity : float
    """

    a_start: np.ndarray
    b_start: np.ndarray
    n_b_before: np.ndarray
    auc: float
    disparity: float

    def value(self, multiplier: float) -> float:
        """AUC - multiplier * D."""
        return self.auc - multiplier * self.disparity

    @property
    def steps_before(self) -> np.ndarray:
        """Steps of b before each step of a."""
        return np.repeat(self.b_start[self.n_b_before], np.diff(self.a_start))


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
        chain: Chain = getattr(self.pair, which)
        start = pool_chain(chain.negative, chain.positive, turn)
        return start, np.ascontiguousarray(chain.blocks(start))

    def best(self, multiplier: float) -> SignedOrder:
        """The order that maximises AUC - multiplier * D. O(#blocks) after the first pooling."""
        gain = self.pair.gain(multiplier)
        # image @ (neg, pos) of b: u_b0 = (F10, -F00), u_b1 = (F11, -F01) as columns.
        image = np.array([[gain[1, 0], gain[1, 1]], [-gain[0, 0], -gain[0, 1]]])
        determinant = image[0, 0] * image[1, 1] - image[0, 1] * image[1, 0]
        turn_b = int(np.sign(determinant))
        a_start, a = self._pooled("a", 1)
        if turn_b == 0 and self.pair.disparity != "urf":
            # One class of b has no direction left: all of b is collinear, one block.
            b_start, b = self._pooled("b", 0)
        else:
            b_start, b = self._pooled("b", turn_b)
        # Opposite directions: alpha < 0 turns b's negatives to the left, the larger angle;
        # beta < 0 turns b's positives down, and a's is larger.
        before, counts = merge_chains(a, b, image, bool(gain[1, 0] >= 0.0))
        return SignedOrder(
            a_start, b_start, before, self.pair.auc(counts), self.pair.signed_disparity(counts)
        )
