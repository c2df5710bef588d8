"""Refits of an audit: one task a feature, fold and seed, run by joblib and read as they finish."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning

from fairrank._columns import take_rows
from fairrank.audit._audited_features import AuditedFeature
from fairrank.audit._folds import Split
from fairrank.audit._neutralized import neutralized
from fairrank.audit._reduced_model import ReducedModel
from fairrank.audit._scoring import Scoring


@dataclass(frozen=True, kw_only=True)
class AuditData:
    """What every task reads: processes map its large arrays, a cluster is sent it once.

    Attributes
    ----------
    estimator : estimator
    X, y : array or frame, and array
    named : tuple of int
        The group's columns, which no model sees.
    groups : ndarray
        Of every row, for scorers that ask for them.
    splits : list of (train, test)
        A task names its own by number.
    fit_params : dict
    pos_label : label
    scoring : Scoring
    needs_probability : bool
        The burden is a distance to a probability.
    neutralize : str or None
        "mean" or "draws"; None to refit.
    strata : ndarray of int, or None
        Within which features are neutralised.
    words : tuple of int
        Entropy of every task's draws.
    """

    estimator: Any
    X: Any
    y: np.ndarray
    named: tuple[int, ...]
    groups: Any
    splits: list[Split]
    fit_params: dict
    pos_label: Any
    scoring: Scoring
    needs_probability: bool
    neutralize: str | None
    strata: np.ndarray | None
    words: tuple

    def __sizeof__(self) -> int:
        """Roughly the bytes of X; joblib sends a cluster apart, once, what is not small."""
        return object.__sizeof__(self) + 8 * int(np.prod(self.X.shape))


@dataclass(frozen=True, kw_only=True)
class Task:
    """One fit: the full model (feature None) or a reduced one, in a fold, with a seed."""

    features: tuple[AuditedFeature, ...]
    full: bool
    fold: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class HeldOutScore:
    """What a model gave on the held-out rows of one fold, or why it gave nothing.

    Attributes
    ----------
    feature : AuditedFeature or None
        None for the full model.
    """

    feature: AuditedFeature | None
    fold: int
    seed: int
    score: np.ndarray | None
    values: dict[str, float]
    error: Exception | None = None


def audit_tasks(
    features: tuple[AuditedFeature, ...], n_folds: int, n_seeds: int, neutralize: bool
) -> list[Task]:
    """The full model first, then feature after feature, so that what is done early is whole.

    Neutralising fits the full model only, so all features share its task.
    """
    folds = [(k, s) for k in range(n_folds) for s in range(n_seeds)]
    if neutralize:
        return [Task(features=features, full=True, fold=k, seed=s) for k, s in folds]
    whole = [Task(features=(), full=True, fold=k, seed=s) for k, s in folds]
    return whole + [
        Task(features=(feature,), full=False, fold=k, seed=s)
        for feature in features
        for k, s in folds
    ]


def run_tasks(
    data: AuditData, tasks: list[Task], *, n_jobs: Any, verbose: int
) -> Iterator[tuple[list[HeldOutScore], float]]:
    """Held-out scores of every task, and the seconds it took, as they finish."""
    parallel = Parallel(
        n_jobs=n_jobs, verbose=max(0, verbose - 1), return_as="generator_unordered"
    )
    finished = parallel(delayed(run_task)(data, task) for task in tasks)
    try:
        for part in finished:  # noqa: UP028 - `yield from` would close it before the filter
            yield part
    finally:
        with warnings.catch_warnings():
            # An audit that stops early says why; joblib's count of cancelled tasks adds nothing.
            warnings.filterwarnings("ignore", message=".*have been cancelled")
            finished.close()


def run_task(data: AuditData, task: Task) -> tuple[list[HeldOutScore], float]:
    """Fit one model and score the fold's held-out rows."""
    start = time.perf_counter()
    with _own_loops_in_order():
        if data.neutralize is not None:
            found = _neutralized_scores(data, task)
        else:
            found = [_refitted_score(data, task, None if task.full else task.features[0])]
    return found, time.perf_counter() - start


def _own_loops_in_order() -> AbstractContextManager:
    """Keep a cluster from spreading the loops of an estimator that asks for no jobs.

    A forest adds its trees in the order they come back, and its last digits would change.
    """
    if effective_n_jobs() == 1:
        return nullcontext()
    return parallel_config(backend="threading", n_jobs=1)


def _refitted_score(data: AuditData, task: Task, feature: AuditedFeature | None) -> HeldOutScore:
    removed = data.named if feature is None else (*data.named, *feature.columns)
    train, test = data.splits[task.fold]
    try:
        model = _fitted(data, task, tuple(sorted(removed)), take_rows(data.X, train))
        return _scored(data, task, feature, model, take_rows(data.X, test))
    except Exception as error:
        return _failed(task, feature, error)


def _neutralized_scores(data: AuditData, task: Task) -> list[HeldOutScore]:
    train, test = data.splits[task.fold]
    X_train, X_test = take_rows(data.X, train), take_rows(data.X, test)
    try:
        model = _fitted(data, task, data.named, X_train)
        found = [_scored(data, task, None, model, X_test)]
    except Exception as error:
        return [_failed(task, None, error)]
    strata = np.zeros(len(data.y), dtype=np.intp) if data.strata is None else data.strata
    for i, feature in enumerate(task.features):
        seed = np.random.SeedSequence(data.words, spawn_key=(3, task.seed, task.fold, i))
        try:
            X_without = neutralized(
                X_train, X_test, feature.columns, how=str(data.neutralize),
                strata_train=strata[train], strata_test=strata[test],
                rng=np.random.default_rng(seed),
            )
            found.append(_scored(data, task, feature, model, X_without))
        except Exception as error:
            found.append(_failed(task, feature, error))
    return found


def _fitted(data: AuditData, task: Task, removed: tuple[int, ...], X_train: Any) -> ReducedModel:
    train = data.splits[task.fold][0]
    fit_params = {
        name: take_rows(values, train) if _is_by_row(values, len(data.y)) else values
        for name, values in data.fit_params.items()
    }
    estimator = seeded(data.estimator, data.words, task.seed)
    return ReducedModel(estimator, removed).fit(X_train, data.y[train], **fit_params)


def _is_by_row(values: Any, n_rows: int) -> bool:
    return hasattr(values, "shape") and len(values.shape) > 0 and values.shape[0] == n_rows


def _scored(
    data: AuditData, task: Task, feature: AuditedFeature | None, model: Any, X_test: Any
) -> HeldOutScore:
    test = data.splits[task.fold][1]
    return HeldOutScore(
        feature=feature,
        fold=task.fold,
        seed=task.seed,
        score=positive_score(model, X_test, data.pos_label, data.needs_probability),
        values=data.scoring.values(model, X_test, data.y[test], data.groups[test]),
    )


def _failed(task: Task, feature: AuditedFeature | None, error: Exception) -> HeldOutScore:
    return HeldOutScore(
        feature=feature, fold=task.fold, seed=task.seed, score=None, values={}, error=error
    )


def positive_score(model: Any, X: Any, pos_label: Any, needs_probability: bool) -> np.ndarray:
    """Probability of `pos_label`; or a decision value that grows with it."""
    classes = np.asarray(model.classes_).tolist()
    if pos_label not in classes or len(classes) != 2:
        raise ValueError(
            f"The training rows hold the classes {classes}: both outcomes are needed. Stratify "
            "the folds."
        )
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)[:, classes.index(pos_label)]
    if needs_probability or not hasattr(model, "decision_function"):
        raise AttributeError(
            f"{type(model.estimator).__name__} has no predict_proba, and a burden by name is a "
            "distance to a probability: calibrate it with CalibratedClassifierCV, or pass "
            "burden= a callable of (y, decision value)."
        )
    value = np.asarray(model.decision_function(X), dtype=np.float64)
    return value if classes.index(pos_label) == 1 else -value


def seeded(estimator: Any, words: tuple, seed: int) -> Any:
    """Fill the estimator's nested `random_state`: only None for the first seed, then all.

    The same seed gives every feature and fold the same numbers, so that models differ by the
    feature alone.
    """
    parameters = estimator.get_params(deep=True)
    places = sorted(
        name for name in parameters
        if name == "random_state" or name.endswith("__random_state")
    )
    wanted = [name for name in places if seed > 0 or parameters[name] is None]
    if not wanted:
        return estimator
    state = np.random.SeedSequence(words, spawn_key=(2, seed)).generate_state(len(places))
    drawn = dict(zip(places, (state % np.uint32(2**31 - 1)).tolist()))
    return clone(estimator).set_params(**{name: int(drawn[name]) for name in wanted})


def warn_of_failures(errors: dict[str, str]) -> None:
    """One warning for all features that could not be refitted."""
    if errors:
        listed = "\n".join(f"  {name}: {message}" for name, message in errors.items())
        warnings.warn(
            f"{len(errors)} feature(s) could not be measured and have NaN:\n{listed}",
            FitFailedWarning,
            stacklevel=3,
        )
