"""What is estimated given X: whose loss a decision changes, and by how much.

Every learner is fitted by one object, `NuisanceModel`, so that one cross-fitting serves all: it
answers for a row with a line of numbers, from which the changes of the groups' risks are made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from fairrank._columns import take_rows
from fairrank._validation import as_finite_float, check_probability
from fairrank.exceptions import DegenerateGroupError

NUISANCES = ("factorized", "direct")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NuisanceForm:
    """Which conditional means are estimated, and where their columns stand.

    Attributes
    ----------
    kind : {"factorized", "direct"}
    group_names : tuple
    classes : ndarray, shape (2,)
        Labels of the outcome; the second is `pos_label`'s, outcome 1.
    by_outcome : ndarray, shape (2, 2), or None
        Losses at [decision, outcome] where a probability of the outcome tells their mean; None
        where the losses' change itself is regressed.
    selective : bool
        Outcomes of some rows only were seen; then also the loss of decision 0 and the
        probability of being seen are estimated.
    """

    kind: str
    group_names: tuple
    classes: np.ndarray
    by_outcome: np.ndarray | None
    selective: bool

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_names)

    @property
    def by_class(self) -> bool:
        """Whether outcomes are classified, not losses regressed."""
        return self.by_outcome is not None

    def delta_theta(self, answers: np.ndarray) -> np.ndarray:
        """E[(loss_1 - loss_0) 1{group g} | X], shape (n, n_groups)."""
        if self.kind == "factorized":
            return self.shares(answers) * self.change(answers)
        if self.by_outcome is None:
            return answers
        gain = self.by_outcome[1] - self.by_outcome[0]
        return answers[:, 0::2] * gain[0] + answers[:, 1::2] * gain[1]

    def shares(self, answers: np.ndarray) -> np.ndarray:
        """P(G = g | X), shape (n, n_groups); not of regressions in one."""
        if self.kind == "factorized":
            return answers[:, : self.n_groups]
        return answers[:, 0::2] + answers[:, 1::2]

    def change(self, answers: np.ndarray) -> np.ndarray | None:
        """E[loss_1 - loss_0 | X, G = g], shape (n, n_groups); None of regressions in one."""
        if self.kind == "direct":
            if self.by_outcome is None:
                return None
            shares = self.shares(answers)
            mean = np.divide(
                self.delta_theta(answers), shares, out=np.zeros_like(shares), where=shares > 0
            )
            return mean
        return self.mean_loss(answers, 1) - self.mean_loss(answers, 0)

    def mean_loss(self, answers: np.ndarray, decision: int) -> np.ndarray:
        """E[loss of a decision | X, G = g], shape (n, n_groups), but for what both share.

        Regressions of a change alone take decision 0 to lose nothing.
        """
        first = self.conditional(answers)
        if self.by_outcome is not None:
            losses = self.by_outcome[decision]
            return losses[0] + first * (losses[1] - losses[0])
        below = answers[:, 2 * self.n_groups : 3 * self.n_groups] if self.selective else 0.0
        return first + below if decision else below + np.zeros_like(first)

    def conditional(self, answers: np.ndarray) -> np.ndarray:
        """P(outcome 1 | X, G = g), or E[loss_1 - loss_0 | X, G = g], shape (n, n_groups)."""
        return answers[:, self.n_groups : 2 * self.n_groups]

    def seen(self, answers: np.ndarray) -> np.ndarray:
        """P(outcome seen | X, G = g), shape (n, n_groups)."""
        return answers[:, -self.n_groups :]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NuisanceRows:
    """What the learners are fitted to, besides X.

    Attributes
    ----------
    code : ndarray of intp, shape (n,)
    outcome : ndarray of intp, shape (n,)
    loss_0, change : ndarray, shape (n,)
    selected : ndarray of bool, shape (n,)
        All of them unless labels are selective.
    """

    code: np.ndarray
    outcome: np.ndarray
    loss_0: np.ndarray
    change: np.ndarray
    selected: np.ndarray

    def table(self) -> np.ndarray:
        """One line a row, as cross-fitting restricts it."""
        return np.column_stack([self.code, self.outcome, self.loss_0, self.change, self.selected])

    @classmethod
    def of_table(cls, table: np.ndarray) -> NuisanceRows:
        """The rows again."""
        return cls(
            code=table[:, 0].astype(np.intp), outcome=table[:, 1].astype(np.intp),
            loss_0=table[:, 2], change=table[:, 3], selected=table[:, 4] > 0,
        )


class Constant(BaseEstimator):
    """What is left to learn where all rows have one class."""

    def __init__(self, label: Any) -> None:
        self.label = label

    def predict_proba(self, X: Any) -> np.ndarray:
        """Give probability 1 to the only class."""
        return np.ones((X.shape[0], 1))

    @property
    def classes_(self) -> np.ndarray:
        """The only class."""
        return np.array([self.label])


class NuisanceModel(BaseEstimator):
    """All the learners of one frontier.

    Parameters
    ----------
    outcome_learner, group_learner, seen_learner : estimator
    form : NuisanceForm
    weighted : dict of str to str, optional
        Name of the weights in the fit of the learners that take them: "outcome", "group", "seen".
    """

    def __init__(
        self, outcome_learner: Any, group_learner: Any, seen_learner: Any, form: NuisanceForm,
        weighted: dict[str, str] | None = None,
    ) -> None:
        self.outcome_learner = outcome_learner
        self.group_learner = group_learner
        self.seen_learner = seen_learner
        self.form = form
        self.weighted = weighted

    def fit(self, X: Any, table: np.ndarray, sample_weight: Any = None) -> NuisanceModel:
        """Fit all learners; `table` is of `NuisanceRows`."""
        rows = NuisanceRows.of_table(table)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        if self.form.kind == "direct":
            self._fit_direct(X, rows, weight)
        else:
            self._fit_factorized(X, rows, weight)
        return self

    def _fit_factorized(self, X: Any, rows: NuisanceRows, weight: np.ndarray | None) -> None:
        form = self.form
        names, every = form.group_names, np.arange(rows.code.size)
        self.group_model_ = self._fitted("group", X, every, rows.code, weight)
        self.outcome_models_, self.loss_models_, self.seen_models_ = [], [], []
        for g in range(form.n_groups):
            mine = rows.code == g
            learnt = np.flatnonzero(mine & rows.selected)
            if not learnt.size or (weight is not None and not weight[learnt].any()):
                raise DegenerateGroupError(
                    f"sensitive_features: group {names[g]!r} has no row with a known outcome "
                    f"{'' if weight is None else 'and positive weight '}among those that a fold "
                    "trains on, so its losses cannot be learnt. Take fewer folds, or merge the "
                    "group."
                )
            target = form.classes[rows.outcome[learnt]] if form.by_class else rows.change[learnt]
            self.outcome_models_.append(self._fitted("outcome", X, learnt, target, weight))
            if form.selective:
                if not form.by_class:
                    self.loss_models_.append(
                        self._fitted("outcome", X, learnt, rows.loss_0[learnt], weight)
                    )
                all_mine = np.flatnonzero(mine)
                self.seen_models_.append(
                    self._fitted("seen", X, all_mine, rows.selected[all_mine], weight)
                )

    def _fit_direct(self, X: Any, rows: NuisanceRows, weight: np.ndarray | None) -> None:
        every = np.arange(rows.code.size)
        if self.form.by_class:
            cell = 2 * rows.code + rows.outcome
            self.cell_model_ = self._fitted("outcome", X, every, cell, weight)
            return
        self.change_models_ = [
            self._fitted("outcome", X, every, rows.change * (rows.code == g), weight)
            for g in range(self.form.n_groups)
        ]

    def _fitted(
        self, role: str, X: Any, chosen: np.ndarray, target: np.ndarray,
        weight: np.ndarray | None,
    ) -> Any:
        learner = getattr(self, f"{role}_learner")
        classifies = role != "outcome" or self.form.by_class
        if not isinstance(learner, FrozenEstimator) and classifies:
            counted = target if weight is None else target[weight[chosen] > 0]
            if len(set(counted.tolist())) < 2:
                return Constant(target[0] if not counted.size else counted[0])
        whole = chosen.size == X.shape[0]
        name = (self.weighted or {}).get(role)
        weights = {name: weight[chosen]} if weight is not None and name else {}
        return clone(learner).fit(X if whole else take_rows(X, chosen), target, **weights)

    def answers(self, X: Any) -> np.ndarray:
        """What the learners say of every row, shape (n, n_columns), in the order of `form`."""
        form = self.form
        if form.kind == "direct":
            if form.by_class:
                return class_probabilities(self.cell_model_, X, list(range(2 * form.n_groups)))
            columns = [_predicted(model, X) for model in self.change_models_]
            return np.column_stack(columns)
        # A frozen model was fitted on the groups' names.
        frozen = isinstance(self.group_model_, FrozenEstimator)
        groups = list(form.group_names if frozen else range(form.n_groups))
        shares = class_probabilities(self.group_model_, X, groups)
        columns = [self._outcome_answer(model, X) for model in self.outcome_models_]
        columns += [_predicted(model, X) for model in self.loss_models_]
        columns += [class_probabilities(model, X, [True])[:, 0] for model in self.seen_models_]
        return np.column_stack([shares, *columns])

    def _outcome_answer(self, model: Any, X: Any) -> np.ndarray:
        if not self.form.by_class:
            return _predicted(model, X)
        return class_probabilities(model, X, self.form.classes.tolist())[:, 1]

    def delta_theta(self, X: Any) -> np.ndarray:
        """E[(loss_1 - loss_0) 1{group g} | X] of new rows, shape (n, n_groups)."""
        return self.form.delta_theta(self.answers(X))


def class_probabilities(model: Any, X: Any, wanted: list) -> np.ndarray:
    """Probabilities of the classes `wanted`, 0 for one that the model was not fitted on.

    Raises
    ------
    AttributeError
        No ``predict_proba``.
    ValueError
        The model knows none of the classes, or gives what are no probabilities.
    """
    if not hasattr(model, "predict_proba"):
        raise AttributeError(
            f"{type(model).__name__} has no predict_proba, and a frontier needs probabilities. "
            "Take a classifier that has it, or wrap it in CalibratedClassifierCV."
        )
    answer = np.asarray(model.predict_proba(X))
    listed = np.asarray(model.classes_).tolist()
    place = {label: j for j, label in enumerate(listed)}
    found = [place.get(label) for label in wanted]
    if isinstance(model, FrozenEstimator) and None in found:
        raise ValueError(
            f"the frozen {type(model.estimator).__name__} was fitted on the classes {listed}, and "
            f"must know {wanted}."
        )
    columns = np.zeros((answer.shape[0], len(wanted)))
    for j, at in enumerate(found):
        if at is not None:
            columns[:, j] = check_probability(answer[:, at], "estimator.predict_proba(X)")
    return columns


def _predicted(model: Any, X: Any) -> np.ndarray:
    return as_finite_float(model.predict(X), "estimator.predict(X)")


def weight_name(learner: Any) -> str | None:
    """Name by which a learner's fit takes weights of rows; None if it takes none."""
    if isinstance(learner, Pipeline):
        name, last = learner.steps[-1]
        below = weight_name(last)
        return None if below is None else f"{name}__{below}"
    return "sample_weight" if has_fit_parameter(learner, "sample_weight") else None


def classifies(learner: Any) -> bool:
    """Whether a learner gives probabilities of classes."""
    return is_classifier(learner) or hasattr(learner, "predict_proba")
