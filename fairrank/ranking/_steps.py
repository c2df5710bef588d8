"""Each group's rows as a chain of steps, best first, and the counts an order is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairrank._kernels.best_first import best_first
from fairrank._kernels.steps import steps_of_rows

# So near to where the plane turns over, and no nearer.
SHORT_OF = 0.999


@dataclass(frozen=True)
class Steps:
    """Steps of one group in a fixed order, best first.

    Attributes
    ----------
    negative, positive : ndarray of float64, shape (n_steps,)
        Weight of either class in every step.
    concordant : float
        Weight of (positive, negative) pairs of the group in their order, ties one half. A step
        made of several keeps what they had.
    """

    negative: np.ndarray
    positive: np.ndarray
    concordant: float

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return self.negative.size

    @cached_property
    def sums(self) -> np.ndarray:
        """Negatives and positives of the first steps, shape (n_steps + 1, 2)."""
        sums = np.zeros((self.n_steps + 1, 2))
        np.cumsum(self.negative, out=sums[1:, 0])
        np.cumsum(self.positive, out=sums[1:, 1])
        return sums

    @cached_property
    def counts(self) -> np.ndarray:
        """Total weight of negatives and positives."""
        return np.array([self.negative.sum(), self.positive.sum()])

    def blocks(self, cut: np.ndarray) -> np.ndarray:
        """Negatives and positives between `cut` and the next, shape (n_blocks, 2)."""
        return np.column_stack(
            (
                np.add.reduceat(self.negative, cut[:-1]),
                np.add.reduceat(self.positive, cut[:-1]),
            )
        )

    def cut_at(self, cut: np.ndarray) -> Steps:
        """Runs of steps as one step each; `cut` runs from 0 to the number of steps."""
        blocks = self.blocks(cut)
        return Steps(
            np.ascontiguousarray(blocks[:, 0]), np.ascontiguousarray(blocks[:, 1]),
            self.concordant,
        )


@dataclass(frozen=True)
class Chain(Steps):
    """One group's rows in descending order of score; equal scores are one step.

    Attributes
    ----------
    row : ndarray of uint32, shape (n_rows,)
        Rows of the sample, best first.
    opens : ndarray of uint8, shape (n_rows,)
        1 where a row of `row` is the first of its step, else 0.
    score : ndarray, shape (n_steps,)
        A view, backwards, of an increasing array.
    """

    row: np.ndarray
    opens: np.ndarray
    score: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, code: np.ndarray, weight: np.ndarray | None,
           rows: np.ndarray) -> Chain:
        """Sort one group's `rows`; the last bit of `code` is the outcome. O(n)."""
        row = rows[best_first(score[rows])]
        return chains_of_rows(row, np.array([rows.size]), score, code & 1, weight)[0]


def chains_of_rows(row: np.ndarray, n_rows: np.ndarray, score: np.ndarray, code: np.ndarray,
                   weight: np.ndarray | None) -> tuple[Chain, ...]:
    """The chain of every group, ``n_rows[g]`` of whose rows are among `row`. O(n).

    Those of one group stand there by falling score; `row` is overwritten. `score`, `code` and
    `weight` are those of all rows of the sample, ``2 * group + outcome`` the code.
    """
    first = np.cumsum([0, *n_rows])
    rows, opens, of_step, negative, positive, n_steps, concordant = steps_of_rows(
        row, score, code, weight, first
    )
    return tuple(
        Chain(
            negative[begin : begin + size],
            positive[begin : begin + size],
            float(concordant[g]),
            rows[begin:end],
            opens[begin:end],
            of_step[end - size : end][::-1],
        )
        for g, (begin, end, size) in enumerate(zip(first, first[1:], n_steps))
    )


@dataclass(frozen=True)
class Pair:
    """Two chains to interleave, with the weights by which AUC and disparity count pairs.

    With C10 the weight of (positive of a, negative of b) pairs in that order, C01 of (positive of
    b, negative of a) and C any of (a, b), AUC and the signed disparity D are linear in them.

    Attributes
    ----------
    a, b : Steps
    disparity : {"xauc", "prf", "urf"}
    """

    a: Steps
    b: Steps
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

    def cut_at(self, a_cut: np.ndarray, b_cut: np.ndarray) -> Pair:
        """Both chains with runs of steps as one step each."""
        return Pair(self.a.cut_at(a_cut), self.b.cut_at(b_cut), self.disparity)

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

    def turns_over(self, side: float) -> float:
        """A multiplier of this sign just short of the first that turns b's plane over.

        `gain` of a positive before a negative, or of a negative after one, changes its sign there;
        infinite where neither does.
        """
        if self.disparity == "urf":
            return side * np.inf
        per_10, per_01 = self.per_count[:2]
        return SHORT_OF / self.auc_pairs / float(per_10 if side > 0.0 else per_01)
