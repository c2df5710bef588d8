"""Interleavings of two chains, run by run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank.ranking._steps import Pair


@dataclass(frozen=True)
class BlockOrder:
    """An interleaving whose runs of steps, its blocks, stay together.

    Attributes
    ----------
    a_cut, b_cut : ndarray of intp
        Where blocks begin among the chains' steps, the number of steps last.
    before : ndarray of intp, shape (n_blocks of a,)
        Blocks of b before each block of a.
    auc, disparity : float
        D is signed: positive when a is favoured.
    """

    a_cut: np.ndarray
    b_cut: np.ndarray
    before: np.ndarray
    auc: float
    disparity: float

    def value(self, multiplier: float) -> float:
        """AUC - multiplier * D."""
        return self.auc - multiplier * self.disparity

    @property
    def steps_before(self) -> np.ndarray:
        """Steps of b before each step of a."""
        return np.repeat(self.b_cut[self.before], np.diff(self.a_cut))

    def before_on(self, a_cut: np.ndarray, b_cut: np.ndarray) -> np.ndarray:
        """`before` on finer cuts, which hold those of this order."""
        blocks = np.diff(np.searchsorted(a_cut, self.a_cut))
        return np.repeat(np.searchsorted(b_cut, self.b_cut[self.before]), blocks)

    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Cuts of a and b where the path turns, and no others."""
        turns = np.flatnonzero(np.diff(self.before, prepend=0, append=self.b_cut.size - 1))
        a_turn = self.a_cut[turns]
        b_turn = self.b_cut[self.before[turns[turns < self.before.size]]]
        return (
            np.unique(np.concatenate((a_turn, self.a_cut[[0, -1]]))),
            np.unique(np.concatenate((b_turn, self.b_cut[[0, -1]]))),
        )


def every_step(n_steps: int) -> np.ndarray:
    """Cuts that leave every step by itself."""
    return np.arange(n_steps + 1, dtype=np.intp)


def counts_of(pair: Pair, before: np.ndarray) -> np.ndarray:
    """C10, C01 and C any of an interleaving of the pair's steps."""
    a, b = pair.a, pair.b
    placed = b.sums[before]
    left = b.counts - placed
    return np.array(
        [
            (a.positive * left[:, 0]).sum(),
            (a.negative * placed[:, 1]).sum(),
            ((a.positive + a.negative) * (left[:, 0] + left[:, 1])).sum(),
        ]
    )


def block_order(pair: Pair, a_cut: np.ndarray, b_cut: np.ndarray, before: np.ndarray,
                coarse: Pair | None = None) -> BlockOrder:
    """An order of blocks with its AUC and disparity; `coarse` is the pair cut there."""
    counts = counts_of(pair.cut_at(a_cut, b_cut) if coarse is None else coarse, before)
    return BlockOrder(a_cut, b_cut, before, pair.auc(counts), pair.signed_disparity(counts))


@dataclass(frozen=True)
class Objective:
    """What an order is worth: ``AUC - penalty * max(|D| - allowance, 0)``.

    Attributes
    ----------
    penalty : float
        The trade-off; `UNBOUNDED` where the disparity comes first.
    allowance : float
    hard : bool
        Any order with more than the allowance is worse than any without.
    """

    penalty: float
    allowance: float = 0.0
    hard: bool = False

    def meets(self, gap: float) -> bool:
        """Whether the disparity lies within the allowance, but for rounding."""
        return abs(gap) <= self.allowance + MET

    def of(self, auc: float, gap: float) -> float:
        """Value of an order by its AUC and its signed disparity."""
        if self.hard and self.meets(gap):
            return auc
        excess = max(abs(gap) - self.allowance, 0.0)
        return auc - self.penalty * excess - (2.0 if self.hard else 0.0)

    def of_order(self, order: BlockOrder) -> float:
        """Value of an order."""
        return self.of(order.auc, order.disparity)


# A multiplier this large stands for "disparity before anything else".
UNBOUNDED = 1e7
# A condition on |D| is met but for rounding.
MET = 1e-12
