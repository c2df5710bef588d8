"""Scores of rows by models that were not fitted on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from fairrank._columns import take_rows

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class OutOfFold:
    """A score for every row, or several, and the models.

    Attributes
    ----------
    score : ndarray of float64, shape (n_samples,) or (n_samples, n_answers)
        NaN where no fold held the row out.
    fold : ndarray of intp, shape (n_samples,)
        -1 where none.
    models : list of estimator
        One a fold; none when nothing was fitted for it.
    without : ndarray of float64, shape (n_folds, n_samples), or None
        At [k, i] the score of row i by a model that saw neither its fold nor fold k; NaN for the
        rows of fold k, and where `score` is. None when not asked for.
    """

    score: np.ndarray
    fold: np.ndarray
    models: list
    without: np.ndarray | None = None


def fold_splits(
    cv: Any, X: Any, cell: np.ndarray, random_state: Any, clusters: np.ndarray | None = None
) -> list[Split]:
    """Training and held-out rows of every fold; no row is held out twice.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        A number of folds deals out the rows of each `cell` in turn. A splitter is given the
        cells for y, so that a stratified one stratifies by them.
    cell : ndarray of int, shape (n_samples,)
        Group and outcome in one.
    clusters : ndarray of int, shape (n_samples,), optional
        Rows that a number of folds keeps together; a splitter is given them for groups.

    Raises
    ------
    ValueError, TypeError
        Bad `cv`, or a row that is held out twice.
    """
    n = cell.size
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        splits = _stratified(int(cv), cell, random_state, clusters)
    elif hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        splits = [_rows(split, n) for split in cv.split(X, cell, clusters)]
    elif hasattr(cv, "__iter__") and not isinstance(cv, (str, bytes)):
        splits = [_rows(split, n) for split in cv]
    else:
        raise TypeError(
            "cv must be a number of folds (5), a splitter, an iterable of (train, test), or None "
            f"for scores of the training rows, got {cv!r}."
        )
    if not splits:
        raise ValueError("cv gave no split.")
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=n)
    if times.max() > 1:
        raise ValueError(
            f"cv holds out {np.count_nonzero(times > 1)} rows more than once, and a row has one "
            "score out of fold: pass folds that part the rows."
        )
    return splits


def _stratified(
    n_folds: int, cell: np.ndarray, random_state: Any, clusters: np.ndarray | None = None
) -> list[Split]:
    if not 2 <= n_folds <= cell.size:
        raise ValueError(
            f"cv={n_folds} folds of n_samples={cell.size} rows: pass a number from 2 to the "
            "number of rows, or cv=None for scores of the training rows."
        )
    if clusters is not None:
        return _of_whole_clusters(n_folds, cell, random_state, clusters)
    shuffled = check_random_state(random_state).permutation(cell.size)
    return dealt_out(in_cells(cell, shuffled), n_folds)


def _of_whole_clusters(
    n_folds: int, cell: np.ndarray, random_state: Any, clusters: np.ndarray
) -> list[Split]:
    n_clusters = np.unique(clusters).size
    if n_clusters < n_folds:
        raise ValueError(
            f"cv={n_folds} folds of {n_clusters} clusters: a cluster stays in one fold, so that "
            "there are at least as many clusters as folds."
        )
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        # That a cell is smaller than the number of folds; it goes where its cluster goes.
        warnings.simplefilter("ignore", UserWarning)
        splits = list(splitter.split(np.empty((cell.size, 0)), cell, clusters))
    if any(not test.size for _, test in splits):
        raise ValueError(
            f"cv={n_folds}: the clusters are so unequal that a fold is left empty. Take fewer "
            "folds, or pass a splitter."
        )
    return splits


def in_cells(cell: np.ndarray, shuffled: np.ndarray) -> np.ndarray:
    """Rows sorted by cell, inside each in the order `shuffled`."""
    return shuffled[np.argsort(cell[shuffled], kind="stable")]


def dealt_out(rows: np.ndarray, n_folds: int) -> list[Split]:
    """Folds that take the rows in turn: of a cell, each gets its part to within one row."""
    fold = np.empty(rows.size, dtype=np.intp)
    fold[rows] = np.arange(rows.size) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def _rows(split: Any, n: int) -> Split:
    train, test = (np.arange(n)[np.asarray(part)] for part in split)
    if not train.size or not test.size or np.intersect1d(train, test).size:
        raise ValueError("cv: a split must train on some rows and hold others out.")
    return train, test


def out_of_fold(estimator: Any, X: Any, target: np.ndarray, splits: list[Split],
                fit_params: dict, ask: Callable, n_jobs: Any, *,
                nested: bool = False) -> OutOfFold:
    """Fit a clone without each fold, and ask it for the fold's scores.

    Parameters
    ----------
    estimator : estimator
        A FrozenEstimator is not fitted: it is asked once, for all rows, and folds only part them.
    X, target : array or frame, and ndarray
    splits : list of (train, test)
        May be empty for a frozen estimator.
    fit_params : dict
        What has one value a row is restricted to the training rows.
    ask : callable
        ``ask(model, X) -> scores``, of one or two dimensions.
    nested : bool
        Fit a clone without each pair of folds too, for scores of one dimension. Of no meaning for
        a frozen estimator, which learned from no fold.

    Raises
    ------
    ValueError
        Nested, and two folds only.
    """
    n = target.shape[0]
    fold = np.full(n, -1, dtype=np.intp)
    for k, (_, test) in enumerate(splits):
        fold[test] = k
    if isinstance(estimator, FrozenEstimator):
        return OutOfFold(ask(clone(estimator).fit(X, target), X), fold, [])
    found = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_without)(estimator, X, target, split, fit_params, ask) for split in splits
    )
    score = np.full((n, *found[0][0].shape[1:]), np.nan)
    for (_, test), (held_out, _) in zip(splits, found):
        score[test] = held_out
    models = [model for _, model in found]
    if not nested:
        return OutOfFold(score, fold, models)
    without = _without_pairs(estimator, X, target, splits, fit_params, ask, n_jobs)
    return OutOfFold(score, fold, models, without)


def _without_pairs(estimator: Any, X: Any, target: np.ndarray, splits: list[Split],
                   fit_params: dict, ask: Callable, n_jobs: Any) -> np.ndarray:
    if len(splits) < 3:
        raise ValueError(
            f"nested=True trains without two folds at once, and cv gave {len(splits)}: pass three "
            "or more."
        )
    pairs = list(combinations(range(len(splits)), 2))
    left = [
        (np.intersect1d(splits[j][0], splits[k][0]), np.concatenate([splits[j][1], splits[k][1]]))
        for j, k in pairs
    ]
    found = Parallel(n_jobs=n_jobs)(
        delayed(_fitted_without)(estimator, X, target, split, fit_params, ask) for split in left
    )
    without = np.full((len(splits), target.shape[0]), np.nan)
    for (j, k), (held_out, _) in zip(pairs, found):
        in_j = splits[j][1].size
        without[k, splits[j][1]], without[j, splits[k][1]] = held_out[:in_j], held_out[in_j:]
    return without


def _fitted_without(estimator: Any, X: Any, target: np.ndarray, split: Split, fit_params: dict,
                    ask: Callable) -> tuple[np.ndarray, Any]:
    train, test = split
    restricted = {
        name: _safe_indexing(value, train) if _is_by_row(value, target.shape[0]) else value
        for name, value in fit_params.items()
    }
    model = clone(estimator).fit(take_rows(X, train), target[train], **restricted)
    return ask(model, take_rows(X, test)), model


def _is_by_row(value: Any, n_rows: int) -> bool:
    if hasattr(value, "shape"):
        return len(value.shape) > 0 and value.shape[0] == n_rows
    return isinstance(value, (list, tuple)) and len(value) == n_rows
