"""AUC against disparity: what every allowed disparity costs, fitted and held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError, InfeasibleError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.ranking._fair_ordering_result import FairOrdering
from fairrank.ranking._held_out import held_out_folds, mean_over_folds, standard_error_of_mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RankingTradeOff:
    """Points from the smallest disparity to that of the best AUC.

    Attributes
    ----------
    max_disparity : ndarray, shape (n_points,)
        What was allowed, ascending.
    auc, disparity : ndarray, shape (n_points,)
        Of the orders on the rows they were fitted on.
    upper_bound : ndarray, shape (n_points,)
        No order of those scores with the allowed disparity has a larger AUC; NaN where no bound
        is known.
    held_out_auc, held_out_disparity : ndarray, shape (n_points,)
        Means over folds, on rows that neither the model nor the map saw; NaN without folds.
    held_out_standard_error : ndarray, shape (n_points,)
        Of `held_out_disparity`.
    auc_before, disparity_before : float
        Of the scores as they came.
    measure : {"xauc", "prf", "urf"}
        What the disparity is one of.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.ranking import XOrderPostProcessor
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=600), rng.random(600) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=600) > 0.5).astype(int)
    >>> model = XOrderPostProcessor(LogisticRegression(), sensitive_features=1, random_state=0)
    >>> path = model.fit(X, y).trade_off_path(n_points=3)
    >>> path
    RankingTradeOff(3 points, xauc 0.0000 to 0.2602, AUC 0.8114 to 0.8256)
    """

    max_disparity: np.ndarray
    auc: np.ndarray
    disparity: np.ndarray
    upper_bound: np.ndarray
    held_out_auc: np.ndarray
    held_out_disparity: np.ndarray
    held_out_standard_error: np.ndarray
    auc_before: float
    disparity_before: float
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }

    def __repr__(self) -> str:
        """State how far the path reaches."""
        return (
            f"RankingTradeOff({self.auc.size} points, {self.measure} {self.disparity[0]:.4f} to "
            f"{self.disparity[-1]:.4f}, AUC {self.auc[0]:.4f} to {self.auc[-1]:.4f})"
        )


def trade_off_of(rows: ScoredRows, order: Callable[..., FairOrdering],
                 n_points: int) -> RankingTradeOff:
    """Orders of all rows and of all but each fold, at the same allowances.

    Parameters
    ----------
    rows : ScoredRows
    order : callable
        ``order(rows, trade_off=..., max_disparity=...) -> FairOrdering``.
    n_points : int
        At least 2.
    """
    least = order(rows)
    free = order(rows, trade_off=0.0)
    most = min(1.0, max(least.disparity_after, free.disparity_after))
    allowed = np.linspace(least.disparity_after, most, n_points)
    fitted = _along(rows, order, allowed, least)
    # Every fold's orders once; then one table of folds a point.
    without = {
        int(k): _maps_without(rows, order, allowed, int(k)) for k in np.unique(rows.fold) if k >= 0
    }
    tables = []
    for point in range(n_points):

        def maps_without(fold: int, point: int = point) -> Any:
            found = without[fold]
            if isinstance(found, DegenerateGroupError):
                raise found
            return found[point]

        tables.append(held_out_folds(rows, maps_without, least.disparity))
    return RankingTradeOff(
        max_disparity=allowed,
        auc=np.array([one.auc_after for one in fitted]),
        disparity=np.array([one.disparity_after for one in fitted]),
        upper_bound=np.array([one.upper_bound for one in fitted]),
        held_out_auc=np.array([mean_over_folds(table["auc"]) for table in tables]),
        held_out_disparity=np.array([mean_over_folds(table["disparity"]) for table in tables]),
        held_out_standard_error=np.array(
            [standard_error_of_mean(table["standard_error"]) for table in tables]
        ),
        auc_before=least.auc_before,
        disparity_before=least.disparity_before,
        measure=least.disparity,
    )


def _along(rows: ScoredRows, order: Callable[..., FairOrdering], allowed: np.ndarray,
           least: FairOrdering) -> list[FairOrdering]:
    """An order at every allowance; where none is found, the one before, which is allowed too."""
    found = [least]
    for allowance in allowed[1:]:
        try:
            found.append(order(rows, max_disparity=float(allowance)))
        except InfeasibleError:
            found.append(found[-1])
    return found


def _maps_without(rows: ScoredRows, order: Callable[..., FairOrdering], allowed: np.ndarray,
                  fold: int) -> list | DegenerateGroupError:
    others = rows.take(rows.fold != fold)
    try:
        found = _along(others, order, allowed, order(others))
    except DegenerateGroupError as error:
        return error
    return [one.score_maps for one in found]
