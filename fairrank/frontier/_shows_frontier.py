"""What a fitted frontier tells of its rows: points, sets and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank.frontier._by_direction import treated
from fairrank.frontier._fairest_point import FairestPoint
from fairrank.frontier._influence import covariance_of_means, influence
from fairrank.frontier._support_function import SupportFunction


class ShowsFrontier:
    """The part of `FrontierEstimator` that reads its support function.

    Attributes
    ----------
    support_function_ : SupportFunction
    """

    support_function_: SupportFunction

    @property
    def best_points_(self) -> np.ndarray:
        """Risks of all groups where each group's is least."""
        return self._support("best_points_").best_points

    @property
    def fairest_point_(self) -> FairestPoint:
        """The attainable risks that are nearest to each other, by the plug-in direction."""
        return self._of_two_groups("fairest_point_").fairest_point()

    @property
    def skew_(self) -> str:
        """Whether the groups' best points lie on both sides of equal risks."""
        return self._of_two_groups("skew_").skew

    @property
    def skewed_towards_(self) -> tuple:
        """The group that has the lower risk at both best points, empty when balanced."""
        return self._of_two_groups("skewed_towards_").skewed_towards

    @property
    def feasible_set_(self) -> np.ndarray:
        """Corners of the risks that no direction excludes."""
        return self._of_two_groups("feasible_set_").feasible_set

    @property
    def frontier_(self) -> np.ndarray:
        """Corners of the plug-in fairness-accuracy frontier."""
        return self._of_two_groups("frontier_").frontier()

    @property
    def pareto_frontier_(self) -> np.ndarray:
        """Corners of the plug-in Pareto frontier."""
        return self._of_two_groups("pareto_frontier_").pareto_frontier()

    @property
    def standard_errors_(self) -> dict[str, np.ndarray]:
        """Standard errors of the coordinates of the best points, and of the fairest one. O(n)."""
        support = self._support("standard_errors_")
        errors = {"best_points": _errors_of_best_points(support)}
        if support.n_groups == 2:
            errors["fairest_point"] = _errors_of_fairest_point(support)
        return errors

    def fairest_point(self, method: str = "plug_in") -> FairestPoint:
        """Give the attainable risks that are nearest to each other. Two groups, O(n).

        Parameters
        ----------
        method : {"plug_in", "infimum", "crossing"}, default="plug_in"
            As in `SupportFunction.fairest_point`.

        Returns
        -------
        FairestPoint
            Risks, direction, and where the level came from.
        """
        return self._of_two_groups("fairest_point").fairest_point(method)

    def covariance(self, q_1: Any, q_2: Any) -> float:
        """Covariance of the support function in two directions. O(n).

        Parameters
        ----------
        q_1, q_2 : array-like of shape (n_groups,)
            Directions, in the order of `group_names_`.

        Returns
        -------
        float
            In squared units of loss. The nuisances' own error does not enter: in large samples
            it does not count.
        """
        return self._support("covariance").covariance(q_1, q_2)

    def _support(self, name: str) -> SupportFunction:
        check_is_fitted(self, msg=f"%(name)s is not fitted yet: call fit before {name}.")
        return self.support_function_

    def _of_two_groups(self, name: str) -> SupportFunction:
        support = self._support(name)
        if support.n_groups != 2:
            raise AttributeError(
                f"{name} is for two groups, and there are {support.n_groups}: "
                f"{', '.join(map(repr, support.group_names))}. Merge them, or compare two at a "
                "time; best_points_ and algorithm(weights) are for any number."
            )
        return support


def _errors_of_best_points(support: SupportFunction) -> np.ndarray:
    """Standard errors of all groups' risks at each group's best point; (n_groups, n_groups)."""
    errors = np.empty((support.n_groups, support.n_groups))
    for g in range(support.n_groups):
        q = np.zeros(support.n_groups)
        q[g] = -1.0
        decided = treated(support._sample, q, np.where(q == 0, -1.0, 0.0))
        errors[g] = _errors_of_risks(support, decided)
    return errors


def _errors_of_fairest_point(support: SupportFunction) -> np.ndarray:
    fairest = support.fairest_point()
    if fairest.side == "across":
        level = support.standard_error(fairest.direction) / abs(fairest.direction.sum())
        return np.array([level, level])
    return _errors_of_risks(support, support.decisions(fairest.direction, fairest.arc))


def _errors_of_risks(support: SupportFunction, decided: np.ndarray) -> np.ndarray:
    """Standard error of each group's risk under fixed decisions, shape (n_groups,).

    NaN for a group of a single row, or cluster.
    """
    sample = support._sample
    moved = [influence(sample, unit, decided) for unit in np.eye(support.n_groups)]
    errors = np.sqrt([covariance_of_means(sample, one, one) for one in moved])
    return np.where(sample.without_spread, np.nan, errors)


def rows_of_support(values: Any, place: np.ndarray, n_rows: int, name: str) -> np.ndarray:
    """Values of the rows of `fit` at those of the support function.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        One for every row of `fit`, those without a group too.
    place : ndarray of intp
        Positions of the support function's rows.
    n_rows : int
    name : str
        The argument's name in messages.
    """
    array = np.asarray(values)
    if array.ndim == 0:
        raise TypeError(
            f"{name} must hold one value for each of the {n_rows} rows of fit, got {values!r} of "
            f"type {type(values).__name__}: pass an array, such as a classifier's decisions."
        )
    if array.ndim != 1 or array.shape[0] != n_rows:
        raise ValueError(
            f"{name} has shape {array.shape}, and fit was given {n_rows} rows: give one a row, in "
            "their order."
        )
    return array[place]
