"""The rows that ranking metrics compare: checked at the door, sorted once by score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank._kernels import cross as _cross
from fairrank._kernels import order as _order
from fairrank._kernels.best_first import least_first
from fairrank._sensitive import encode_groups, encode_seen_groups
from fairrank._validation import (
    as_finite_float,
    as_vector,
    check_binary_labels,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.metrics._repeated_rows import repeated_positions

DISPARITIES = ("xauc", "prf", "urf")
NAMES = {"xauc": "cross-group AUC", "prf": "PRF", "urf": "URF"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankingSample:
    """Scores, outcomes, groups and weights of the rows that count, in the order they came.

    Attributes
    ----------
    score : ndarray of float64, shape (n,)
    code : ndarray of uint16, shape (n,)
        ``2 * group + outcome``; the outcome is 0 everywhere when no labels were given.
    weight : ndarray of int64 or float64, shape (n,), or None
    labels : tuple
        The groups. One whose weights are all 0 is listed and has no row.
    has_outcome : bool
    """

    score: np.ndarray
    code: np.ndarray
    weight: np.ndarray | None
    labels: tuple
    has_outcome: bool

    @property
    def weighting(self) -> str:
        """How `sample_weight` was read: "none", "repetition" or "mass"."""
        if self.weight is None:
            return "none"
        return "repetition" if self.weight.dtype.kind == "i" else "mass"

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    def counts(self) -> np.ndarray:
        """Rows of every group without and with the positive outcome, shape (G, 2)."""
        return _order.code_counts(self.code, 2 * self.n_groups).reshape(-1, 2)

    def take(self, rows: np.ndarray) -> RankingSample:
        """The sample restricted to `rows` (positions or a mask); groups keep their codes."""
        return replace(
            self,
            score=self.score[rows],
            code=self.code[rows],
            weight=None if self.weight is None else self.weight[rows],
        )

    def code_of(self, label: Any, name: str) -> int:
        """Position of the group `label` among `labels`.

        Raises
        ------
        DegenerateGroupError
            There is no such group here.
        """
        try:
            return int(encode_seen_groups([label], self.labels, name=name)[0])
        except UnseenGroupError:
            shown = ", ".join(f"{seen!r} ({type(seen).__name__})" for seen in self.labels[:20])
            raise DegenerateGroupError(
                f"{name}={label!r} ({type(label).__name__}) is no group of sensitive_features, "
                f"which holds {shown}: name one of these, of the same type. In cross-validation, "
                "stratify the folds by group or pass undefined='nan'."
            ) from None


def repeated_rows(sample: RankingSample) -> RankingSample:
    """The sample with integer weights written out as repeated rows.

    Raises
    ------
    ValueError
        Float weights: a resample of masses has no meaning here.
    """
    if sample.weight is None:
        return sample
    if sample.weighting == "mass":
        raise ValueError(
            "sample_weight holds floats, which are masses: scores and standard errors take them, "
            "but resampling needs rows. Pass integer weights (repetitions), or none."
        )
    return replace(sample.take(repeated_positions(sample.weight)), weight=None)


def ranking_sample(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    labelled: bool = True,
) -> RankingSample:
    """Check everything a user can pass and return the rows that count.

    Without `labelled`, `y_true` may be None.

    Raises
    ------
    DegenerateGroupError
        No row at all; groups that lack a class are left to those who need it.
    ValueError, TypeError
        As the door's messages say.
    """
    score = as_vector(y_score, "y_score")
    groups = encode_groups(sensitive_features, missing=missing)
    weight = check_sample_weight(sample_weight)
    outcome = None if y_true is None and not labelled else as_vector(y_true, "y_true")
    check_same_length(
        y_true=outcome, y_score=score, sensitive_features=groups.codes, sample_weight=weight
    )
    score = as_finite_float(score, "y_score")
    code = groups.codes.astype(np.uint16)
    code *= 2
    if outcome is not None:
        code += check_binary_labels(outcome, pos_label)
    sample = RankingSample(
        score=score, code=code, weight=weight, labels=groups.labels,
        has_outcome=outcome is not None,
    )
    keep = groups.keep if weight is None else groups.keep & (weight > 0)
    if keep.all():
        return sample
    if not keep.any():
        raise DegenerateGroupError(
            "sample_weight is 0 in every row whose group is not missing: no row is left."
        )
    return sample.take(keep)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedRanking:
    """The sample by ascending score, ready for the kernels.

    Attributes
    ----------
    score, weight : ndarray of float64, shape (n,)
    code : ndarray of uint16, shape (n,)
    block_start : ndarray of intp, shape (n_blocks + 1,)
        Equal scores are tied, and no others.
    """

    score: np.ndarray
    weight: np.ndarray
    code: np.ndarray
    block_start: np.ndarray


def sorted_ranking(sample: RankingSample) -> SortedRanking:
    """Sort the sample by score, equal ones as they came. One sort, by radix."""
    order = least_first(sample.score)
    score = sample.score[order]
    weight = np.ones(order.size) if sample.weight is None else sample.weight[order] * 1.0
    return SortedRanking(
        score=score,
        weight=weight,
        code=sample.code[order],
        block_start=_order.tie_blocks(score, 0.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Which rows are to outrank which: tables from a row's code to its sample, -1 for none.

    Attributes
    ----------
    above_of, below_of : ndarray of int16, shape (2 G,)
    n_above, n_below : int
    """

    above_of: np.ndarray
    below_of: np.ndarray
    n_above: int
    n_below: int

    @property
    def strata(self) -> np.ndarray:
        """Stratum of every code: rows on the same sides are drawn from one sample."""
        sides = self.above_of.astype(np.intp) * (self.n_below + 1) + self.below_of
        return np.unique(sides, return_inverse=True)[1].astype(np.uint16)

    def won(self, ranking: SortedRanking) -> np.ndarray:
        """``P(S_above > S_below)`` with ties one half, (A, B); NaN where a sample is empty."""
        return part_of_pairs(*self.pairs_won(ranking))

    def pairs_won(self, ranking: SortedRanking) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weight of the pairs that are won, (A, B), and of the samples above and below."""
        return _cross.concordance(
            ranking.code, ranking.weight, ranking.block_start, self.above_of, self.below_of,
            self.n_above, self.n_below,
        )


def part_of_pairs(won: np.ndarray, above_mass: np.ndarray, below_mass: np.ndarray) -> np.ndarray:
    """Part of all pairs that is won; NaN where there are none."""
    with np.errstate(invalid="ignore"):
        # Divided one after the other: the product of two whole totals may not be exact.
        return won / above_mass[:, None] / below_mass


def comparison_of(disparity: str, n_groups: int) -> Comparison:
    """The samples whose concordances make up a disparity.

    xauc: positives of each group above the negatives of each. prf: positives of each group
    above all negatives. urf: every group above every group, whatever the labels.
    """
    group = np.repeat(np.arange(n_groups, dtype=np.int16), 2)
    positive = np.tile([False, True], n_groups)
    absent = np.int16(-1)
    if disparity == "urf":
        return Comparison(above_of=group, below_of=group, n_above=n_groups, n_below=n_groups)
    below = group if disparity == "xauc" else np.zeros_like(group)
    return Comparison(
        above_of=np.where(positive, group, absent),
        below_of=np.where(positive, absent, below),
        n_above=n_groups,
        n_below=n_groups if disparity == "xauc" else 1,
    )


def signed_differences(won: np.ndarray) -> np.ndarray:
    """What each group is favoured by over each other, antisymmetric, shape (..., G, G)."""
    both = np.broadcast_to(won, (*won.shape[:-1], won.shape[-2]))
    return both - np.swapaxes(both, -1, -2)


def part_won(sample: RankingSample, above: list[int], below: list[int]) -> float:
    """Concordance of the rows with the codes `above` over those with the codes `below`."""
    n_codes = 2 * sample.n_groups
    above_of, below_of = np.full((2, n_codes), -1, dtype=np.int16)
    above_of[above] = 0
    below_of[below] = 0
    inside = (above_of >= 0) | (below_of >= 0)
    ranking = sorted_ranking(sample if inside.all() else sample.take(inside[sample.code]))
    comparison = Comparison(above_of=above_of, below_of=below_of, n_above=1, n_below=1)
    return float(comparison.won(ranking)[0, 0])


def lacking(sample: RankingSample, disparity: str) -> str | None:
    """Say what makes some pair's `disparity` undefined, naming the group; None if nothing."""
    counts = sample.counts()
    if sample.n_groups < 2:
        return (
            f"sensitive_features holds one group only, {sample.labels[0]!r} ({counts.sum()} "
            "rows): at least two groups are needed to compare. In cross-validation, stratify the "
            "folds by group or pass undefined='nan'."
        )
    for label, (n_negative, n_positive) in zip(sample.labels, counts.tolist()):
        if n_negative + n_positive == 0:
            return (
                f"sample_weight is 0 in every row of group {label!r}: leave the group out, or "
                "give its rows a weight."
            )
        if disparity != "urf" and n_positive == 0:
            return without_class(label, n_negative, "positive", NAMES[disparity])
        if disparity == "xauc" and n_negative == 0:
            return without_class(label, n_positive, "negative", NAMES[disparity])
    if disparity == "prf" and counts[:, 0].sum() == 0:
        return without_negatives(int(counts.sum()))
    return None


def without_class(label: Any, n_rows: int, outcome: str, quantity: str) -> str:
    """Say that a group has rows of one class only."""
    return (
        f"sensitive_features: group {label!r} has no {outcome} among its {n_rows} rows, so its "
        f"{quantity} is undefined. Merge the group or pass undefined='nan'."
    )


def without_negatives(n_rows: int) -> str:
    """Say that nobody is negative."""
    return (
        f"y_true has no negative among its {n_rows} rows, so there is nobody for a positive to "
        "outrank. Check pos_label, or pass undefined='nan'."
    )
