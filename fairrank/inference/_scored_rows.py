"""The rows an order is fitted on: a score that their own outcome did not make, and a fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank._sensitive import GroupCodes


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """Rows with a score and a group.

    Attributes
    ----------
    score : ndarray of float64, shape (n,)
    outcome : ndarray of uint8, shape (n,)
    code : ndarray of uint8, shape (n,)
        Index into `labels`.
    labels : tuple
        The groups, an intersection as a tuple; None where missing ones are kept.
    weight : ndarray or None
    fold : ndarray of intp, shape (n,)
        In which the row was held out; -1 for all when there were no folds.
    place : ndarray of intp, shape (n,)
        Position among the rows of X.
    """

    score: np.ndarray
    outcome: np.ndarray
    code: np.ndarray
    labels: tuple
    weight: np.ndarray | None
    fold: np.ndarray
    place: np.ndarray

    @property
    def group(self) -> np.ndarray:
        """Label of every row."""
        # Filled one by one: numpy would take tuples for rows.
        return np.fromiter(self.labels, dtype=object, count=len(self.labels))[self.code]

    def take(self, chosen: np.ndarray) -> ScoredRows:
        """The rows where the mask `chosen` holds."""
        return ScoredRows(
            score=self.score[chosen],
            outcome=self.outcome[chosen],
            code=self.code[chosen],
            labels=self.labels,
            weight=None if self.weight is None else self.weight[chosen],
            fold=self.fold[chosen],
            place=self.place[chosen],
        )


def scored_rows(
    score: np.ndarray, fold: np.ndarray, outcome: np.ndarray, groups: GroupCodes,
    weight: np.ndarray | None,
) -> ScoredRows:
    """Rows of X that were scored and have a group.

    Parameters
    ----------
    score : ndarray of float64, shape (n_samples,)
        NaN where a row was held out by no fold.
    fold : ndarray of intp, shape (n_samples,)
    outcome : ndarray of uint8, shape (n_samples,)
    groups : GroupCodes
    weight : ndarray of shape (n_samples,), or None
    """
    counted = groups.keep & ~np.isnan(score)
    return ScoredRows(
        score=score,
        outcome=outcome,
        code=groups.codes,
        labels=groups.labels,
        weight=weight,
        fold=fold,
        place=np.arange(score.size),
    ).take(counted)
