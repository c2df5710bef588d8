"""Interleavings of two chains, run by run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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
    tied : ndarray of intp, shape (n_ties,)
        Blocks of a that share their place with the block of b next after those before it. Both
        are single steps.
    """

    a_cut: np.ndarray
    b_cut: np.ndarray
    before: np.ndarray
    auc: float
    disparity: float
    tied: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

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


def crossing_counts(a: np.ndarray, b: np.ndarray, before: np.ndarray,
                    tied: Any = ()) -> np.ndarray:
    """C10, C01 and C any of blocks (negatives, positives) of two chains."""
    sums = np.vstack((np.zeros(2), np.cumsum(b, axis=0)))
    placed = sums[before]
    left = sums[-1] - placed
    for i in tied:
        # Half of the partner counts as placed.
        half = 0.5 * b[before[i]]
        placed[i] += half
        left[i] -= half
    return np.array(
        [
            (a[:, 1] * left[:, 0]).sum(),
            (a[:, 0] * placed[:, 1]).sum(),
            (a.sum(axis=1) * left.sum(axis=1)).sum(),
        ]
    )


def block_order(pair: Pair, a_cut: np.ndarray, b_cut: np.ndarray, before: np.ndarray,
                tied: np.ndarray | None = None,
                blocks: tuple[np.ndarray, np.ndarray] | None = None) -> BlockOrder:
    """An order of blocks with its AUC and disparity; `blocks` are those between the cuts."""
    tied = np.zeros(0, dtype=np.intp) if tied is None else tied
    a, b = (pair.a.blocks(a_cut), pair.b.blocks(b_cut)) if blocks is None else blocks
    counts = crossing_counts(a, b, before, tied)
    return BlockOrder(
        a_cut, b_cut, before, pair.auc(counts), pair.signed_disparity(counts), tied
    )


@dataclass(frozen=True)
class Objective:
    """What an order is worth: ``AUC - penalty * max(|D| - allowance, 0)``.

    Attributes
    ----------
    penalty : float
        The trade-off; `UNBOUNDED` where there is a condition, `SMALLEST` where there is neither.
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


# A multiplier this large stands for a condition on the disparity.
UNBOUNDED = 1e7
# And this one for the smallest disparity: a difference of 1e-5 outweighs any AUC; one of 1e-9,
# which means nothing to anybody, is not bought with more than 1e-4 of it.
SMALLEST = 1e5
# A condition on |D| is met but for rounding.
MET = 1e-12
