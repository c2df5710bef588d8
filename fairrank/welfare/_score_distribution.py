"""Where the members of every group stand on a score, and which of them are accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import as_finite_float, check_same_length
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._policy_sample import PolicySample
from fairrank.welfare._policy_values import unconstrained_choice

# Of the people, left out at either end of a score without bounds.
TAIL = 0.05
# Scores nearer than this, relative to their range, are the same.
SAME_SCORE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreDistribution:
    """A histogram a group, and the part of every bin that is accepted.

    Attributes
    ----------
    score_name : str
    edges : ndarray, shape (n_bins + 1,)
    share, accepted, unconstrained : ndarray, shape (n_groups, n_bins)
        Of a group's members: those in each bin, those of them accepted by the policy, and those
        accepted without the condition. NaN where the last are not known.
    outside : ndarray, shape (n_groups,)
        Share of a group that lies beyond the edges.
    cut, unconstrained_cut : ndarray, shape (n_groups,)
        Least score that is accepted, where nobody above it is turned away for sure; NaN where
        there is no such number.
    """

    score_name: str
    edges: np.ndarray
    share: np.ndarray
    accepted: np.ndarray
    unconstrained: np.ndarray
    outside: np.ndarray
    cut: np.ndarray
    unconstrained_cut: np.ndarray


def score_distribution(
    score: np.ndarray,
    accepted: np.ndarray,
    unconstrained: np.ndarray | None,
    code: np.ndarray,
    weight: np.ndarray,
    n_groups: int,
    *,
    score_name: str,
    n_bins: int,
    trim: bool,
) -> ScoreDistribution:
    """Count, in O(n log n).

    Parameters
    ----------
    score, accepted, unconstrained : (n,)
        NaN scores are nowhere on the axis; decisions are in [0, 1].
    code, weight : (n,)
    n_groups : int
    score_name : str
    n_bins : int
    trim : bool
        Let the edges leave out `TAIL` of the people at either end, but no cut.
    """
    n = score.size
    counts = (weight > 0) & np.isfinite(score)
    free = np.full(n, np.nan) if unconstrained is None else unconstrained
    cut, free_cut = (
        np.array([
            _least_accepted(score[rows], by[rows])
            for g in range(n_groups)
            for rows in [counts & (code == g)]
        ])
        for by in (accepted, free)
    )
    shown = score[counts]
    if shown.size == 0:
        shown = np.zeros(1)
    low, high = float(shown.min()), float(shown.max())
    if trim:
        order = np.argsort(shown)
        way = np.cumsum(weight[counts][order]) if counts.any() else np.ones(1)
        ends = np.searchsorted(way, np.array([TAIL, 1.0 - TAIL]) * way[-1])
        inner = np.append(shown[order[np.minimum(ends, order.size - 1)]], [*cut, *free_cut])
        low, high = float(np.nanmin(inner)), float(np.nanmax(inner))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, n_bins + 1)
    place = np.minimum(np.searchsorted(edges, score, "right") - 1, n_bins - 1)
    inside = counts & (score >= low) & (score <= high)
    mass = np.bincount(code, weights=weight, minlength=n_groups)

    def binned(values: np.ndarray) -> np.ndarray:
        return np.bincount(
            code[inside] * np.intp(n_bins) + place[inside], weights=values[inside],
            minlength=n_groups * n_bins,
        ).reshape(n_groups, n_bins) / mass[:, None]

    share = binned(weight)
    return ScoreDistribution(
        score_name=score_name, edges=edges, share=share, accepted=binned(weight * accepted),
        unconstrained=(
            np.full_like(share, np.nan) if unconstrained is None else binned(weight * free)
        ),
        outside=np.maximum(1.0 - share.sum(axis=1), 0.0), cut=cut, unconstrained_cut=free_cut,
    )


def _least_accepted(score: np.ndarray, accepted: np.ndarray) -> float:
    """Where a group's acceptance goes from 0 to 1 along the score; NaN where it does not once."""
    taken, refused = score[accepted > 0], score[accepted < 1]
    if taken.size == 0:
        return np.nan
    least = float(taken.min())
    same = SAME_SCORE * float(np.ptp(score))
    return least if refused.size == 0 or float(refused.max()) <= least + same else np.nan


def distribution_of_rows(
    sample: PolicySample, policy: WelfarePolicy, y_score: Any, score_name: str | None, n_bins: int
) -> ScoreDistribution | None:
    """Count the rows of a policy by the scores given, or by revenue / utility.

    None where no score was given and this ratio does not order everybody by what pays: a utility
    is negative, or there are several options.

    Raises
    ------
    ValueError
        Scores for several options, or not one finite number a row.
    """
    if sample.is_menu:
        if y_score is None:
            return None
        raise ValueError(
            f"y_score orders acceptances, but the policy chooses among "
            f"{policy.acceptance.shape[1]} options: leave it out."
        )
    if y_score is not None:
        score = as_finite_float(y_score, "y_score")
        check_same_length(revenue=sample.revenue, y_score=score)
    elif (sample.utility < 0).any():
        return None
    else:
        score = np.full(sample.revenue.size, np.nan)
        np.divide(sample.revenue, sample.utility, out=score, where=sample.utility > 0)
    return score_distribution(
        score, policy.acceptance, unconstrained_choice(sample), sample.code,
        sample.weight if sample.weight.size else np.ones(score.size), sample.n_groups,
        score_name=score_name or ("revenue / utility" if y_score is None else "score"),
        n_bins=n_bins, trim=y_score is None,
    )
