"""Which rows are held out: folds stratified by outcome and group, a holdout, or what is given."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._cross_fitting import Split, dealt_out, in_cells


def held_out_splits(
    cv: Any,
    X: Any,
    y: Any,
    *,
    cell: np.ndarray,
    group: np.ndarray,
    labels: tuple,
    rng: np.random.Generator,
) -> list[Split]:
    """Training and held-out rows of every fold; no row is held out twice.

    Parameters
    ----------
    cv : int, float, splitter or iterable of (train, test)
        A number of folds, or the fraction of one holdout: both stratified by `cell`.
    cell : ndarray of int, shape (n_samples,)
        Combination of group and outcome, numbered so that a group's cells follow one another.
    group : ndarray of int, shape (n_samples,)
        Group codes; -1 where a row has none and is not audited.
    labels : tuple
        The groups, for messages.

    Raises
    ------
    DegenerateGroupError
        A fold holds no row of some group, or the group has fewer rows than there are folds.
    ValueError, TypeError
        Bad `cv`, or rows that are held out twice.
    """
    n = cell.size
    if isinstance(cv, (bool, str, bytes)) or cv is None:  # a string can split too
        raise TypeError(_wanted(cv))
    if isinstance(cv, Integral):
        splits = _stratified_folds(int(cv), cell, group, labels, rng)
    elif isinstance(cv, Real):
        splits = [_stratified_holdout(float(cv), cell, rng)]
    elif hasattr(cv, "split"):
        splits = [_rows(split, n) for split in cv.split(X, y)]
    elif hasattr(cv, "__iter__"):
        splits = [_rows(split, n) for split in cv]
    else:
        raise TypeError(_wanted(cv))
    if not splits:
        raise ValueError("cv gave no split.")
    held_out = np.zeros(n, dtype=np.intp)
    for k, (_, test) in enumerate(splits):
        held_out[test] += 1
        present = np.bincount(group[test] + 1, minlength=len(labels) + 1)[1:]
        if (present == 0).any():
            label = labels[int(np.flatnonzero(present == 0)[0])]
            raise DegenerateGroupError(
                f"cv: fold {k} holds out no row of group {label!r} ({test.size} rows held out), "
                "and labels are exchanged inside folds. Pass cv as a number, which stratifies by "
                "outcome and group; use fewer folds; or merge the group."
            )
    if held_out.max() > 1:
        raise ValueError(
            f"cv holds out {np.count_nonzero(held_out > 1)} rows more than once, and a row has "
            "one score out of fold: pass folds that part the rows, and n_seeds for repetitions."
        )
    return splits


def _wanted(cv: Any) -> str:
    return (
        "cv must be a number of folds (5), the fraction of one holdout (0.3), a splitter or an "
        f"iterable of (train, test), got {cv!r}."
    )


def _stratified_folds(
    n_folds: int, cell: np.ndarray, group: np.ndarray, labels: tuple, rng: np.random.Generator
) -> list[Split]:
    if n_folds < 2:
        raise ValueError(f"cv={n_folds} must be at least 2, or a fraction such as 0.3.")
    sizes = np.bincount(group + 1, minlength=len(labels) + 1)[1:]
    if sizes.min() < n_folds:
        label = labels[int(sizes.argmin())]
        raise DegenerateGroupError(
            f"cv={n_folds}: group {label!r} has {sizes.min()} rows, too few for one in every "
            "fold. Use fewer folds, or merge the group."
        )
    # A group's cells follow one another, so every fold gets its part of it.
    return dealt_out(in_cells(cell, rng.permutation(cell.size)), n_folds)


def _stratified_holdout(fraction: float, cell: np.ndarray, rng: np.random.Generator) -> Split:
    if not 0.0 < fraction < 1.0:
        raise ValueError(f"cv={fraction} must lie in (0, 1) to be the fraction held out.")
    place = np.arange(cell.size + 1) * fraction
    # Every 1/fraction-th row along the cells: each is held out in proportion.
    taken = np.floor(place[1:] + 0.5) > np.floor(place[:-1] + 0.5)
    held_out = np.zeros(cell.size, dtype=bool)
    held_out[in_cells(cell, rng.permutation(cell.size))[taken]] = True
    if held_out.all() or not held_out.any():
        raise ValueError(
            f"cv={fraction} leaves {np.count_nonzero(~held_out)} rows for training and "
            f"{np.count_nonzero(held_out)} held out of {cell.size}."
        )
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def _rows(split: Any, n: int) -> Split:
    train, test = (np.asarray(part) for part in split)
    rows = [np.flatnonzero(part) if part.dtype == bool else part for part in (train, test)]
    for part in rows:
        if part.ndim != 1 or part.size == 0 or part.dtype.kind not in "iu":
            raise ValueError(
                "cv: a split must be two arrays of row positions (or masks), neither empty, got "
                f"shapes {train.shape} and {test.shape}."
            )
        if part.min() < -n or part.max() >= n:
            raise ValueError(f"cv: a split names row {part.max()}, but X has {n} rows.")
    train, test = (part.astype(np.intp) % n for part in rows)
    if np.intersect1d(train, test).size:
        raise ValueError("cv: a split trains on rows that it holds out.")
    return train, test
