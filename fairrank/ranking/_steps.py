"""Each group's rows as a chain of steps, best first, and the counts an order is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairrank._kernels.order import tie_blocks


@dataclass(frozen=True)
class Chain:
    """One group's rows in descending order of score; equal scores are one step.

    Attributes
    ----------
    row : ndarray of intp, shape (n_rows,)
        Rows of the sample, best first.
    step_start : ndarray of intp, shape (n_steps + 1,)
        Step s holds ``row[step_start[s]:step_start[s + 1]]``.
    score : ndarray, shape (n_steps,)
    negative, positive : ndarray of float64, shape (n_steps,)
        Weight of either class in every step.
    """

    row: np.ndarray
    step_start: np.ndarray
    score: np.ndarray
    negative: np.ndarray
    positive: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, outcome: np.ndarray, weight: np.ndarray,
           rows: np.ndarray) -> Chain:
        """Sort one group's `rows`. O(n log n)."""
        order = rows[np.argsort(-score[rows], kind="stable")]
        start = tie_blocks(np.ascontiguousarray(-score[order]), 0.0)
        positive = np.add.reduceat(weight[order] * outcome[order], start[:-1])
        total = np.add.reduceat(weight[order], start[:-1])
        return cls(order, start, score[order[start[:-1]]], total - positive, positive)

    @property
    def n_steps(self) -> int:
        """Distinct scores."""
        return self.score.size

    @cached_property
    def counts(self) -> np.ndarray:
        """Total weight of negatives and positives."""
        return np.array([self.negative.sum(), self.positive.sum()])

    @cached_property
    def concordant(self) -> float:
        """Weight of (positive, negative) pairs inside the group in that order; ties one half."""
        above = np.cumsum(self.positive) - self.positive / 2.0
        return float((above * self.negative).sum())

    def blocks(self, start: np.ndarray) -> np.ndarray:
        """Negatives and positives of runs of steps, shape (n_blocks, 2)."""
        return np.column_stack(
            (
                np.add.reduceat(self.negative, start[:-1]),
                np.add.reduceat(self.positive, start[:-1]),
            )
        )


@dataclass(frozen=True)
class Pair:
    """Two chains to interleave, with the weights by which AUC and disparity count pairs.

    With C10 the weight of (positive of a, negative of b) pairs in that order, C01 of (positive of
    b, negative of a) and C any of (a, b), AUC and the signed disparity D are linear in them.

    Attributes
    ----------
    a, b : Chain
    disparity : {"xauc", "prf", "urf"}
    """

    a: Chain
    b: Chain
    disparity: str

    @cached_property
    def auc_pairs(self) -> float:
        """Positives times negatives, whatever the group."""
        total = self.a.counts + self.b.counts
        return float(total[0] * total[1])

    @cached_property
    def per_count(self) -> np.ndarray:
        """What one pair in C10, C01 and C any adds to D."""
        (a_neg, a_pos), (b_neg, b_pos) = self.a.counts, self.b.counts
        if self.disparity == "xauc":
            return np.array([1.0 / a_pos / b_neg, -1.0 / b_pos / a_neg, 0.0])
        if self.disparity == "prf":
            negatives = a_neg + b_neg
            return np.array([1.0 / a_pos / negatives, -1.0 / b_pos / negatives, 0.0])
        return np.array([0.0, 0.0, 2.0 / (a_neg + a_pos) / (b_neg + b_pos)])

    @cached_property
    def constant(self) -> float:
        """D when no pair counts."""
        if self.disparity == "urf":
            return -1.0
        if self.disparity == "xauc":
            return 0.0
        negatives = self.a.counts[0] + self.b.counts[0]
        return float(
            self.a.concordant / self.a.counts[1] / negatives
            - self.b.concordant / self.b.counts[1] / negatives
        )

    def auc(self, counts: np.ndarray) -> float:
        """ROC-AUC of an order from its counts."""
        inside = self.a.concordant + self.b.concordant
        return float((inside + counts[0] + counts[1]) / self.auc_pairs)

    def signed_disparity(self, counts: np.ndarray) -> float:
        """D, positive when a is favoured."""
        return float(self.constant + self.per_count @ counts)

    def gain(self, multiplier: float) -> np.ndarray:
        """``F[y, y']`` of AUC - multiplier * D, times positives times negatives: numbers near 1.

        Gain of placing a step of a (row: its label) before a step of b (column).
        """
        scaled = multiplier * self.auc_pairs * self.per_count
        both = -scaled[2]
        return np.array([[both, -1.0 + scaled[1] + both], [1.0 - scaled[0] + both, both]])
