"""The rows an audit of error burdens looks at: checked at the door, then sorted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fairrank._kernels import order as _order
from fairrank._kernels.best_first import least_first
from fairrank._sensitive import encode_groups
from fairrank._validation import (
    check_burden,
    check_count,
    check_fraction,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._repeated_rows import repeated_positions

# Sorted neighbours closer than this fraction of the largest burden are tied: |1 - 0.7| and
# |0 - 0.3| differ in doubles. Relative to the burden itself, true ties among small ones are lost.
TIE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSample:
    """Burdens, groups and weights of the rows that are audited, in the order they came.

    Attributes
    ----------
    burden : ndarray of float64, shape (n,)
    outcome : ndarray of uint8, shape (n,), or None
        1 where y_true is the positive label; None when the burden was given as an array.
    score : ndarray of float64, shape (n,), or None
    group : ndarray of uint8, shape (n,)
        Index into `labels`.
    labels : tuple
    weight : ndarray of int64 or float64, shape (n,), or None
    row : ndarray of intp, shape (n,)
        Positions of these rows in what the user passed.
    n_passed : int
        Rows that the user passed.
    n_dropped : int
        Rows left out because their group is missing.
    left_out : tuple of (label, n_rows)
        Groups below `min_group_rows`.
    tie_tolerance : float
        Sorted neighbours closer than this part of the largest burden are tied.
    """

    burden: np.ndarray
    outcome: np.ndarray | None
    score: np.ndarray | None
    group: np.ndarray
    labels: tuple
    weight: np.ndarray | None
    row: np.ndarray
    n_passed: int
    n_dropped: int
    left_out: tuple
    tie_tolerance: float

    @property
    def n_samples(self) -> int:
        """Rows that are audited."""
        return self.burden.shape[0]

    @property
    def weighting(self) -> str:
        """How `sample_weight` was read: "none", "repetition" or "mass"."""
        if self.weight is None:
            return "none"
        return "repetition" if self.weight.dtype.kind == "i" else "mass"

    def take(self, rows: np.ndarray) -> AuditSample:
        """The sample restricted to `rows` (positions or a mask); labels keep their codes."""
        return replace(
            self,
            burden=self.burden[rows],
            outcome=None if self.outcome is None else self.outcome[rows],
            score=None if self.score is None else self.score[rows],
            group=self.group[rows],
            weight=None if self.weight is None else self.weight[rows],
            row=self.row[rows],
        )


def audit_sample(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    min_group_rows: int = 1,
    tie_tolerance: float = TIE_TOLERANCE,
) -> AuditSample:
    """Check everything a user can pass and return the rows to audit.

    Raises
    ------
    DegenerateGroupError
        No row, or a group whose weights are all 0. One group only is left to `sorted_burdens`.
    ValueError, TypeError
        As the door's messages say.
    """
    loss, outcome, score = check_burden(y_true, y_score, burden=burden, pos_label=pos_label)
    groups = encode_groups(sensitive_features, missing=missing)
    weight = check_sample_weight(sample_weight)
    name = "y_true" if outcome is not None else "burden"
    check_same_length(
        **{name: loss, "sensitive_features": groups.codes, "sample_weight": weight}
    )
    check_count(min_group_rows, "min_group_rows")
    check_fraction(tie_tolerance, "tie_tolerance", low_open=False, high_open=True)
    keep, group = groups.keep, groups.codes
    if weight is not None:
        keep = keep & (weight > 0)
    kept = group if keep.all() else group[keep]
    sizes = _order.code_counts(kept, len(groups.labels))
    if weight is not None and (sizes == 0).any():
        empty = groups.labels[int(np.flatnonzero(sizes == 0)[0])]
        raise DegenerateGroupError(
            f"sample_weight is 0 in every row of group {empty!r}: leave the group out, or give "
            "its rows a weight."
        )
    small = np.flatnonzero(sizes < min_group_rows)
    left_out = tuple((groups.labels[g], int(sizes[g])) for g in small)
    remaining = np.flatnonzero(sizes >= min_group_rows)
    if remaining.size == 0:
        raise DegenerateGroupError(
            f"sensitive_features: every group has fewer than min_group_rows={min_group_rows} "
            f"rows (the largest has {sizes.max()}): merge groups or lower min_group_rows."
        )
    if small.size:
        keep = keep & ~np.isin(group, small)
        code = np.zeros(len(groups.labels), dtype=np.uint8)
        code[remaining] = np.arange(remaining.size, dtype=np.uint8)
        group = code[group]
    sample = AuditSample(
        burden=loss,
        outcome=outcome,
        score=score,
        group=group,
        labels=tuple(groups.labels[g] for g in remaining),
        weight=weight,
        row=np.arange(loss.shape[0]),
        n_passed=loss.shape[0],
        n_dropped=groups.n_dropped,
        left_out=left_out,
        tie_tolerance=float(tie_tolerance),
    )
    return sample if keep.all() else sample.take(keep)


@dataclass(frozen=True)
class SortedBurdens:
    """Burdens in ascending order, tied ones pooled, ready for the kernels.

    Attributes
    ----------
    order : ndarray of intp, shape (n,)
        Sorted position -> position in the sample.
    burden : ndarray of float64, shape (n,)
        Ascending; every row of a block of ties holds the block's mean.
    group : ndarray of uint8, shape (n,)
    weight : ndarray of float64, shape (n,)
    block_start : ndarray of intp, shape (n_blocks + 1,)
    labels : tuple
    at_ranks : bool
        Sums run over whole positions (no weights, or repetitions); else over cumulated weight.
    """

    order: np.ndarray
    burden: np.ndarray
    group: np.ndarray
    weight: np.ndarray
    block_start: np.ndarray
    labels: tuple
    at_ranks: bool

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    @property
    def n_effective(self) -> float:
        """Rows, repetitions counted; for masses Kish's number, which no rescaling changes."""
        total = float(self.weight.sum())
        return total if self.at_ranks else total**2 / float((self.weight**2).sum())

    @property
    def n_tied(self) -> int:
        """Rows that share their burden with another row."""
        sizes = np.diff(self.block_start)
        return int(sizes[sizes > 1].sum())

    @cached_property
    def block(self) -> np.ndarray:
        """Block of every sorted row, int32."""
        return _order.block_of_row(self.block_start)

    @cached_property
    def share(self) -> np.ndarray:
        """Each row's part ``v_i`` of the total burden, ascending (unweighted rows)."""
        return self.burden / self.burden.sum()


def sorted_burdens(sample: AuditSample) -> SortedBurdens:
    """Sort the sample by burden, equal ones as they came, and pool ties. One sort, by radix.

    Raises
    ------
    DegenerateGroupError
        One group only, fewer than two rows, or all burdens equal.
    """
    labels, n_rows = sample.labels, sample.n_samples
    if len(labels) < 2:
        raise DegenerateGroupError(
            f"sensitive_features holds one group only, {labels[0]!r} ({n_rows} rows): at least "
            "two groups are needed to compare. In cross-validation, stratify the folds by group "
            "or pass undefined='nan'."
        )
    order = least_first(sample.burden)
    values = sample.burden[order]
    group = sample.group[order]
    if sample.weight is None:
        weight = np.ones(n_rows)
    else:
        weight = sample.weight[order].astype(np.float64)
    block_start = _order.tie_blocks(values, sample.tie_tolerance * values[-1])
    if block_start.shape[0] == 2:
        raise DegenerateGroupError(
            f"burden is constant ({values[0]:.6g} in all {n_rows} rows), so no row ranks above "
            "another and rank graduation is undefined. Check the model, or pass undefined='nan'."
        )
    if block_start.shape[0] <= n_rows:
        values = _order.pool_ties(values, weight, block_start)
    return SortedBurdens(
        order=order,
        burden=values,
        group=group,
        weight=weight,
        block_start=block_start,
        labels=labels,
        at_ranks=sample.weighting != "mass",
    )


def repeated(sample: AuditSample) -> AuditSample:
    """The sample with integer weights written out as repeated rows.

    Raises
    ------
    ValueError
        Float weights: a permutation or a resample of masses has no meaning here.
    """
    if sample.weight is None:
        return sample
    if sample.weighting == "mass":
        raise ValueError(
            "sample_weight holds floats, which are masses: scores integrate over them, but tests "
            "and intervals need rows. Pass integer weights (repetitions), or none."
        )
    return replace(sample.take(repeated_positions(sample.weight)), weight=None)
