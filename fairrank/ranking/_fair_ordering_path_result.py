"""A path of orderings: its arrays, its points, and what other rows say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank.exceptions import UnseenGroupError
from fairrank.metrics._ranking_disparity import disparity_of
from fairrank.metrics._ranking_sample import RankingSample, ranking_sample, sorted_ranking
from fairrank.ranking._chains import Chains
from fairrank.ranking._fair_ordering_result import FairOrdering, ordering_of
from fairrank.ranking._score_map import ScoreMap, maps_of
from fairrank.ranking._solvers import Placed, check_orderable, objective_of, ranks_of_order
from fairrank.ranking._two_chains import Solved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathValues:
    """AUC and disparity along a path, on some rows.

    Attributes
    ----------
    auc, disparity : ndarray, shape (n_points,)
        In [0, 1].
    auc_before, disparity_before : float
        Of the scores as they came.
    standard_error : float
        Of the disparity of the scores as they came.

    Examples
    --------
    >>> from fairrank.ranking import fair_ordering_path
    >>> y, score, group = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1], list("aabbab")
    >>> path = fair_ordering_path(y, score, sensitive_features=group, trade_offs=[0, 1])
    >>> path.evaluate(y, score, sensitive_features=group).disparity_before
    0.75
    """

    auc: np.ndarray
    disparity: np.ndarray
    auc_before: float
    disparity_before: float
    standard_error: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FairOrderingPath:
    """Orderings of one scored sample from the best AUC to the smallest disparity.

    Attributes
    ----------
    trade_off, max_disparity : ndarray, shape (n_points,)
        As asked for, point by point; NaN where the other one, or the smallest disparity, was.
    auc, disparity_after : ndarray, shape (n_points,)
        Of every point, on the rows given.
    upper_bound : ndarray, shape (n_points,)
        No order is worth more: in AUC where `max_disparity` is asked for, in
        ``AUC - trade_off * disparity`` where that is. At the point of the smallest disparity, of
        AUC at that disparity or less.
    met : ndarray of bool, shape (n_points,)
        False where no order was found that meets `max_disparity`: the point is the nearest.
    disparity : {"xauc", "prf", "urf"}
    solver : str
    auc_before, disparity_before : float
        Of the scores as they came.
    groups : tuple

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.ranking import fair_ordering_path
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 4000), rng.integers(0, 2, 4000)
    >>> score = rng.normal(size=4000) + y * (1 + (group == "b"))
    >>> path = fair_ordering_path(y, score, sensitive_features=group, disparity="prf", n_points=3)
    >>> path
    FairOrderingPath(3 points, prf 0.1044 -> 0.0000, AUC 0.8560 -> 0.8390; unadjusted 0.1868, \
AUC 0.8358)
    >>> path.auc.round(3).tolist()
    [0.856, 0.851, 0.839]
    >>> path.ordering(1)
    FairOrdering(prf 0.1868 -> 0.0522, AUC 0.8358 -> 0.8514, gap 2.2e-05, 'b' above 'a')
    """

    trade_off: np.ndarray
    max_disparity: np.ndarray
    auc: np.ndarray
    disparity_after: np.ndarray
    upper_bound: np.ndarray
    met: np.ndarray
    disparity: str
    solver: str
    auc_before: float
    disparity_before: float
    groups: tuple
    _sample: RankingSample
    _chains: Chains
    _solutions: tuple

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; every point, without its order and maps."""
        points = ("trade_off", "max_disparity", "auc", "disparity_after", "upper_bound", "met")
        return {
            **{name: getattr(self, name).tolist() for name in points},
            "disparity": self.disparity, "solver": self.solver, "auc_before": self.auc_before,
            "disparity_before": self.disparity_before,
            "groups": [str(group) for group in self.groups],
        }

    def _ranks(self, point: int) -> list[np.ndarray]:
        solution = self._solutions[point]
        if isinstance(solution, Solved):
            return ranks_of_order(self._chains, solution.order)
        return solution.step_ranks

    def score_maps(self, point: int) -> dict[Any, ScoreMap]:
        """Give the maps of one point, from scores to fair scores. O(n).

        Parameters
        ----------
        point : int
            Position along the path.

        Returns
        -------
        dict of group to ScoreMap
            Monotone maps.
        """
        return dict(zip(self.groups, maps_of(self._chains, self._ranks(point))))

    def ordering(self, point: int) -> FairOrdering:
        """One point as `fair_ordering` gives it. O(n).

        Parameters
        ----------
        point : int
            Position along the path.

        Returns
        -------
        FairOrdering
            With its fair scores and maps.

        Raises
        ------
        InfeasibleError
            The point does not meet its `max_disparity`.
        """
        solution = self._solutions[point]
        asked = {
            name: None if np.isnan(value) else float(value)
            for name, value in (
                ("trade_off", self.trade_off[point]),
                ("max_disparity", self.max_disparity[point]),
            )
        }
        placed = Placed(
            self._ranks(point), solution.bound, solution.proven, solution.multiplier
        )
        return ordering_of(
            self._sample, self._chains, self._chains, placed, objective_of(**asked),
            solver=self.solver, **asked,
        )

    def evaluate(
        self, y_true: Any, y_score: Any, *, sensitive_features: Any, sample_weight: Any = None,
        pos_label: Any = None, missing: str = "raise",
    ) -> PathValues:
        """AUC and disparity of every point's maps on other rows. O(n log n) a point.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,)
            Labels, and scores of the same model as at fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Groups that the path has seen.
        sample_weight : array-like of shape (n_samples,), optional
            Integers are repetitions, floats masses.
        pos_label : label, optional
            The label that a higher score speaks for.
        missing : {"raise", "group", "drop"}
            Rows whose group is None or NaN: an error, a group of their own, or left out.

        Returns
        -------
        PathValues
            What held-out rows say of the path.

        Raises
        ------
        DegenerateGroupError
            A group has no row, or the path has not seen it.
        """
        sample = ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing,
        )
        check_orderable(sample, self.disparity)
        position = {label: i for i, label in enumerate(self.groups)}
        codes = [
            position[label] if label in position else _unseen(label, self.groups)
            for label in sample.labels
        ]
        group = sample.code >> 1
        rows = [np.flatnonzero(group == g) for g in range(sample.n_groups)]
        values = [_judged(sample, sample.score, self.disparity)]
        for point in range(self.auc.size):
            maps = maps_of(self._chains, self._ranks(point))
            score = np.empty(sample.score.size)
            for g, of_group in zip(codes, rows):
                score[of_group] = maps[g](sample.score[of_group])
            values.append(_judged(sample, score, self.disparity))
        auc, gap, error = np.array(values).T
        return PathValues(
            auc=auc[1:], disparity=gap[1:], auc_before=float(auc[0]),
            disparity_before=float(gap[0]), standard_error=float(error[0]),
        )

    def __repr__(self) -> str:
        """Say how far the path goes, and what it costs."""
        return (
            f"FairOrderingPath({self.auc.size} points, {self.disparity} "
            f"{self.disparity_after[0]:.4f} -> {self.disparity_after[-1]:.4f}, AUC "
            f"{self.auc[0]:.4f} -> {self.auc[-1]:.4f}; unadjusted {self.disparity_before:.4f}, "
            f"AUC {self.auc_before:.4f})"
        )


def _judged(sample: RankingSample, score: np.ndarray, disparity: str) -> tuple[float, ...]:
    moved = replace(sample, score=score)
    found = disparity_of(moved, sorted_ranking(moved), disparity)
    return found.auc, found.value, found.standard_error


def _unseen(label: Any, groups: tuple) -> int:
    raise UnseenGroupError(
        f"sensitive_features: group {label!r} was not among those of the path, "
        f"{', '.join(map(repr, groups))}. Merge it into one of these."
    )
