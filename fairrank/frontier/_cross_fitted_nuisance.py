"""Nuisances of the rows themselves, by learners that did not see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from fairrank._validation import as_array
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier._nuisance import NuisanceModel, NuisanceRows
from fairrank.frontier._selective_labels import check_overlap, pseudo_losses
from fairrank.inference._cross_fitting import Split, fold_splits, out_of_fold


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowNuisance:
    """What one cross-fitting says of the rows.

    Attributes
    ----------
    delta_theta : ndarray, shape (n, n_groups)
        E[(loss_1 - loss_0) 1{group g} | X].
    own_delta : ndarray, shape (n,), or None
        E[loss_1 - loss_0 | X, G] at the row's own group; None of one regression a group on all
        rows, which does not part it from the group's share.
    loss_0, loss_1 : ndarray, shape (n,)
        As they happened, or pseudo-losses where labels are selective.
    answers : ndarray, shape (n, n_columns)
    fold : ndarray of intp, shape (n,)
        -1 where a model saw the row.
    """

    delta_theta: np.ndarray
    own_delta: np.ndarray | None
    loss_0: np.ndarray
    loss_1: np.ndarray
    answers: np.ndarray
    fold: np.ndarray


def cross_fitted(
    model: NuisanceModel, X: Any, rows: NuisanceRows, splits: list[Split],
    *, weight: np.ndarray | None, overlap: float, n_jobs: Any = None,
) -> RowNuisance:
    """Fit the nuisances without each fold and ask for it.

    Parameters
    ----------
    model : NuisanceModel
        Cloned.
    X : array or frame
    rows : NuisanceRows
    splits : list of (train, test)
        Every row held out once; empty for the answers of a model that saw all rows.
    weight : ndarray, shape (n,), or None
    overlap : float
        Least probability of being selected, where labels are selective.

    Raises
    ------
    DegenerateGroupError
        A fold trains on no row of a group.
    NotIdentifiedError
        Rows that are next to never selected.
    """
    form, n = model.form, rows.code.size
    params = {} if weight is None else {"sample_weight": weight}
    if splits:
        _check_splits(splits, rows.code, weight, form.group_names)
        held_out = out_of_fold(
            model, X, rows.table(), splits, params, NuisanceModel.answers, n_jobs
        )
        answers, fold = held_out.score, held_out.fold
    else:
        answers = clone(model).fit(X, rows.table(), **params).answers(X)
        fold = np.full(n, -1, dtype=np.intp)
    every = np.arange(n)
    change = form.change(answers)
    loss_0, loss_1 = rows.loss_0, rows.loss_0 + rows.change
    if form.selective:
        propensity = form.seen(answers)[every, rows.code]
        check_overlap(propensity, rows.code, form.group_names, overlap)
        loss_0, loss_1 = (
            pseudo_losses(
                loss, form.mean_loss(answers, d)[every, rows.code], rows.selected, propensity
            )
            for d, loss in enumerate((loss_0, loss_1))
        )
    return RowNuisance(
        delta_theta=form.delta_theta(answers),
        own_delta=None if change is None else change[every, rows.code],
        loss_0=loss_0, loss_1=loss_1, answers=answers, fold=fold,
    )


def repeatedly_cross_fitted(
    model: NuisanceModel, X: Any, rows: NuisanceRows, *, cv: Any, n_repeats: int,
    weight: np.ndarray | None, clusters: np.ndarray | None, overlap: float, n_jobs: Any,
    random_state: Any,
) -> list[RowNuisance]:
    """Cross-fit with other folds each time; the first folds are those of a single time.

    Parameters
    ----------
    model : NuisanceModel
    X : array or frame
    rows : NuisanceRows
    cv : int, splitter, iterable or None
    n_repeats : int
    weight, clusters : ndarray, shape (n,), or None
    overlap : float
    n_jobs : int or None
    random_state : int, RandomState or None
    """
    if model.form.selective and model.form.kind == "direct":
        raise ValueError(
            "nuisance='direct' regresses losses on all rows, and with selected= those of some "
            "were not seen: take nuisance='factorized'."
        )
    cell = 2 * rows.code + rows.outcome
    if model.form.selective:
        cell = 3 * rows.code + np.where(rows.selected, 1 + rows.outcome, 0)
    random = check_random_state(random_state)
    return [
        cross_fitted(
            model, X, rows, [] if cv is None else fold_splits(cv, X, cell, random, clusters),
            weight=weight, overlap=overlap, n_jobs=n_jobs,
        )
        for _ in range(n_repeats)
    ]


def known_nuisance(
    known: Any, X: Any, rows: NuisanceRows, names: tuple, selective: bool
) -> RowNuisance:
    """Take the changes of an object with ``delta_theta(X)`` at its word.

    Raises
    ------
    ValueError
        Another shape than one column a group, or selective labels, which need more.
    """
    if selective:
        raise ValueError(
            "selected= needs more than delta_theta to be known: pass learners, fitted ones in a "
            "FrozenEstimator."
        )
    n = rows.code.size
    told = as_array(known.delta_theta(X), "estimator.delta_theta(X)")
    if told.shape != (n, len(names)):
        raise ValueError(
            f"estimator.delta_theta(X) has shape {told.shape}, and there are {n} rows and "
            f"{len(names)} groups, in the order {', '.join(map(repr, names))}."
        )
    return RowNuisance(
        delta_theta=told, own_delta=None, loss_0=rows.loss_0, loss_1=rows.loss_0 + rows.change,
        answers=told, fold=np.full(n, -1, dtype=np.intp),
    )


def _check_splits(
    splits: list[Split], code: np.ndarray, weight: np.ndarray | None, names: tuple
) -> None:
    n_held_out = sum(test.size for _, test in splits)
    if n_held_out < code.size:
        raise ValueError(
            f"cv holds out {n_held_out} of {code.size} rows, and every row needs nuisances from "
            "models that did not see it: pass folds that cover the rows."
        )
    counted = np.ones(code.size, dtype=bool) if weight is None else weight > 0
    rows = "rows" if weight is None else "rows of positive weight"
    for train, _ in splits:
        there = np.bincount(code[train], weights=counted[train], minlength=len(names))
        if not there.all():
            g = int(np.argmin(there))
            n_rows = np.count_nonzero(counted & (code == g))
            raise DegenerateGroupError(
                f"sensitive_features: group {names[g]!r} has {n_rows} {rows}, and a fold "
                "trains on none of them. Merge it with another, or take other folds."
            )


def combined(repeats: list[RowNuisance]) -> RowNuisance:
    """Medians of the changes over repeats, which only sign decisions, and means of the losses.

    The losses enter means, and must stay unbiased.
    """
    first = repeats[0]
    if len(repeats) == 1:
        return first
    own = None
    if first.own_delta is not None:
        own = np.median([one.own_delta for one in repeats], axis=0)
    return RowNuisance(
        delta_theta=np.median([one.delta_theta for one in repeats], axis=0), own_delta=own,
        loss_0=np.mean([one.loss_0 for one in repeats], axis=0),
        loss_1=np.mean([one.loss_1 for one in repeats], axis=0),
        answers=first.answers, fold=first.fold,
    )
