"""What an order is worth on rows that had no part in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.metrics import ranking_disparity

# By code of the group.
Maps = dict[int, Callable[[np.ndarray], np.ndarray]]
COLUMNS = ("n_rows", "auc_before", "auc", "disparity_before", "disparity", "standard_error")


def mapped(rows: ScoredRows, maps: Maps) -> np.ndarray:
    """Fair scores of the rows, each by the map of its group; NaN without one."""
    fair = np.full(rows.score.size, np.nan)
    for code, to_fair in maps.items():
        own = rows.code == code
        fair[own] = to_fair(rows.score[own])
    return fair


def held_out_folds(
    rows: ScoredRows, maps_without: Callable[[int], Maps], disparity: str
) -> dict[str, np.ndarray]:
    """One line a fold: measures of its rows under maps that its rows had no part in.

    Parameters
    ----------
    rows : ScoredRows
    maps_without : callable
        Fold -> maps fitted on the others.
    disparity : {"xauc", "prf", "urf"}

    Returns
    -------
    dict of str to ndarray of shape (n_folds,)
        See `COLUMNS`; NaN where a fold's measures are undefined, no fold at all for fewer than
        two.
    """
    folds = np.unique(rows.fold[rows.fold >= 0])
    lines = []
    for k in folds if folds.size > 1 else []:
        held_out = rows.take(rows.fold == k)
        try:
            before = _measures(held_out, held_out.score, disparity)
            fair = mapped(held_out, maps_without(int(k)))
            if np.isnan(fair).any():  # a group that is in this fold only
                raise DegenerateGroupError("a group is in one fold only")
            after = _measures(held_out, fair, disparity)
        except DegenerateGroupError:
            lines.append((held_out.score.size, *[np.nan] * 5))
            continue
        lines.append(
            (held_out.score.size, before.auc, after.auc, before.value, after.value,
             after.standard_error)
        )
    table = np.array(lines, dtype=np.float64).reshape(-1, len(COLUMNS))
    return dict(zip(COLUMNS, table.T))


def mean_over_folds(values: np.ndarray) -> float:
    """Mean of the folds in which the value is defined; NaN when there is none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def standard_error_of_mean(errors: np.ndarray) -> float:
    """Standard error of a mean over folds, whose rows are distinct."""
    known = errors[~np.isnan(errors)]
    return float(np.sqrt((known**2).sum()) / known.size) if known.size else float("nan")


def _measures(rows: ScoredRows, score: np.ndarray, disparity: str) -> Any:
    return ranking_disparity(
        rows.outcome, score, sensitive_features=rows.code, disparity=disparity,
        sample_weight=rows.weight,
    )
