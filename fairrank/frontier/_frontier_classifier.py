"""A frontier rule that decides new rows by their covariates: an algorithm fitted already."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from fairrank._binary_target import target_column
from fairrank._columns import indexable_rows, kept_columns, named_columns, take_columns
from fairrank._sensitive import encode_seen_groups, groups_of_rows
from fairrank._validation import as_finite_float, check_same_length
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier._decision_risks import DecisionRisks, decision_risks
from fairrank.frontier._frontier_rule import FrontierRule
from fairrank.frontier._losses import check_labels, check_loss, losses_of_predictions

# Sign of the decision at a tie, where the score is 0.
NEXT_TO_NOTHING = float(np.nextafter(0.0, 1.0))


class FrontierClassifier(ClassifierMixin, BaseEstimator):
    """Decide rows by a rule on the frontier and a fitted nuisance. It is not fitted again.

    `fit` changes nothing, and `sklearn.base.clone` gives one that decides the same, with the same
    nuisance and rule: a search may try other rules. Decisions see the covariates and never the
    group.

    Parameters
    ----------
    nuisance : object
        Fitted: ``nuisance.delta_theta(X)`` gives estimates of E[(loss_1 - loss_0) 1{group g} | X]
        of shape (n_samples, n_groups), in the order of the rule's groups. It never sees the
        columns that `sensitive_features` names.
    rule : FrontierRule
        Which rows get decision 1.
    classes : sequence of two labels, default=(0, 1)
        Labels of the outcome.
    pos_label : label, optional
        What decision 1 is called; by default the second of `classes`.
    loss : {"zero_one", "squared"}, dict, callable or None, default="zero_one"
        What decisions cost, for `evaluate`, as `FrontierEstimator` takes it; None where that is
        known of rows only, which are then passed.
    sensitive_features : str, int, list of these, callable, or None, default=None
        Columns of X that hold the group: they are dropped before the nuisance, and `evaluate`
        reads the groups there. Of a callable, ``X -> groups``, nothing is dropped.
    n_features : int, optional
        Columns of the X that the nuisance was fitted on, the dropped ones among them.
    feature_names : sequence of str, optional
        Their names.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels of the outcome.
    pos_label_ : label
        What decision 1 is called.
    group_names_ : tuple
        Groups in the order of coordinates.
    n_features_in_, feature_names_in_
        `n_features` and `feature_names`, where they were given: X is compared with them.

    See Also
    --------
    sklearn.frozen.FrozenEstimator : The same idea for any fitted estimator.

    Notes
    -----
    There is no ``predict_proba``: what the rule knows of a row is a decision and a margin, and
    not the probability of the outcome. `decision_probability` is that of decision 1.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "Support Function of the Feasible Set".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import FrontierClassifier, SupportFunction, frontier_rule
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> algorithm = FrontierClassifier(data, frontier_rule(support, "egalitarian"))
    >>> new = make_frontier_data(5000, random_state=1)
    >>> algorithm.predict(new.data[:5]).tolist()
    [1, 1, 0, 1, 0]
    >>> print(algorithm.evaluate(
    ...     new.data, new.target, sensitive_features=new.sensitive_features
    ... ))
    group        n     risk        95 % interval  selected
    r         3005   0.4120     [0.3944, 0.4296]    0.7068
    b         1995   0.4170     [0.3954, 0.4387]    0.7083
    """

    def __init__(
        self,
        nuisance: Any,
        rule: Any,
        *,
        classes: Any = (0, 1),
        pos_label: Any = None,
        loss: Any = "zero_one",
        sensitive_features: Any = None,
        n_features: int | None = None,
        feature_names: Any = None,
    ) -> None:
        self.nuisance = nuisance
        self.rule = rule
        self.classes = classes
        self.pos_label = pos_label
        self.loss = loss
        self.sensitive_features = sensitive_features
        self.n_features = n_features
        self.feature_names = feature_names

    @property
    def classes_(self) -> np.ndarray:
        """Labels of the outcome, shape (2,)."""
        classes = np.asarray(self.classes)
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise ValueError(f"classes must be two labels, got {self.classes!r}.")
        return classes

    @property
    def pos_label_(self) -> Any:
        """What decision 1 is called."""
        return self.classes_.tolist()[self._positive]

    @property
    def group_names_(self) -> tuple:
        """Groups in the order of coordinates."""
        return self.rule.group_names

    @property
    def n_features_in_(self) -> int:
        """Columns of X; no attribute where they are not known."""
        if self.n_features is None:
            raise AttributeError("n_features was not given, so n_features_in_ is not known.")
        return self.n_features

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the columns of X; no attribute where they are not known."""
        if self.feature_names is None:
            raise AttributeError("feature_names was not given, so feature_names_in_ is not known.")
        return np.asarray(self.feature_names, dtype=object)

    @property
    def _positive(self) -> int:
        classes = self.classes_.tolist()
        if self.pos_label is None:
            return 1
        if self.pos_label not in classes:
            raise ValueError(f"pos_label={self.pos_label!r} is none of classes, {classes}.")
        return classes.index(self.pos_label)

    def __sklearn_is_fitted__(self) -> bool:
        """Say that it is."""
        return True

    def __sklearn_clone__(self) -> FrontierClassifier:
        """Give one with the same parameters: nothing in them could be fitted again.

        Not itself, or a search that tries rules would set them in one object for all its folds,
        and in the caller's.
        """
        return type(self)(**self.get_params(deep=False))

    def __sklearn_tags__(self):
        """Those of a classifier of two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.requires_fit = False
        return tags

    def fit(self, X: Any = None, y: Any = None, **fit_params: Any) -> Self:
        """Change nothing.

        Parameters
        ----------
        X : object, optional
            Ignored.
        y : object, optional
            Ignored.
        **fit_params : dict
            Ignored.

        Returns
        -------
        FrontierClassifier
            Itself.
        """
        return self

    def decision_probability(self, X: Any) -> np.ndarray:
        """Probability of decision 1.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns that the nuisance was fitted on, and those that are dropped.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1]; 0 or 1 but for ties.
        """
        delta_theta = self._delta_theta(X)
        return self.rule.probability(delta_theta)

    def decision_function(self, X: Any) -> np.ndarray:
        """What decision 1 gains in the direction of the rule, less the price of its place.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns that the nuisance was fitted on, and those that are dropped.

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of the direction times loss. Positive where `predict` gives ``classes_[1]``:
            negated where `pos_label` is ``classes_[0]``; next to 0, with the sign of the
            decision, for ties.
        """
        delta_theta = self._delta_theta(X)
        score = self.rule.score(delta_theta)
        decided = self.rule.probability(delta_theta) >= 0.5
        tied = score == 0
        score[tied] = np.where(decided[tied], NEXT_TO_NOTHING, -NEXT_TO_NOTHING)
        return score if self._positive == 1 else -score

    def predict(self, X: Any) -> np.ndarray:
        """Decide without chance: decision 1 where its probability is at least one half.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns that the nuisance was fitted on, and those that are dropped.

        Returns
        -------
        ndarray of shape (n_samples,)
            `pos_label` for decision 1, the other label for decision 0. Where many rows tie, the
            share of decision 1 is not that of `decision_probability`: `draw` keeps to it.
        """
        return self._labels(self.decision_probability(X) >= 0.5)

    def draw(self, X: Any, *, random_state: Any) -> np.ndarray:
        """Decide by lot, each row with its probability.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns that the nuisance was fitted on, and those that are dropped.
        random_state : int or RandomState
            The same seed and rows give the same decisions. Keep it: with another seed a row that
            ties may be decided otherwise.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, as in `predict`.
        """
        if random_state is None:
            raise ValueError("random_state is None: decisions are drawn from a seed only.")
        probability = self.decision_probability(X)
        drawn = check_random_state(random_state).random_sample(probability.size)
        return self._labels(drawn < probability)

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        loss: Any = None,
        loss_0: Any = None,
        loss_1: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        confidence_level: float = 0.95,
    ) -> DecisionRisks:
        """Estimate the risk of every group on rows that nothing was learnt from.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Rows that neither the nuisance nor the direction was found on.
        y : array-like of shape (n_samples,), optional
            Outcomes; not needed with the losses of the rows.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        loss : {"zero_one", "squared"}, dict or callable, optional
            In place of the constructor's.
        loss_0, loss_1 : array-like of shape (n_samples,), optional
            What either decision costs in every row, in place of `y` and `loss`.
        sample_weight : array-like of shape (n_samples,), optional
            Survey weights, at least 0.
        clusters : array-like of shape (n_samples,), optional
            Rows of one cluster are dependent.
        confidence_level : float in (0, 1), default=0.95
            Of the intervals.

        Returns
        -------
        DecisionRisks
            Of the decisions by lot, in the order of `group_names_`.

        Raises
        ------
        DegenerateGroupError
            A group of the rule has no row, or no weight.
        UnseenGroupError
            A group that the rule does not know.
        ValueError, TypeError
            Groups given nowhere or twice, one of two losses, or outcomes of other labels.
        """
        rows = indexable_rows(X)
        decided = self.decision_probability(X)
        names = self.group_names_
        code = encode_seen_groups(
            groups_of_rows(
                rows, self.sensitive_features, sensitive_features, type(self).__name__, "evaluate"
            ),
            names,
        )
        of_0, of_1 = self._losses(y, loss, loss_0, loss_1, decided.size)
        check_same_length(X=decided, sensitive_features=code, loss_0=of_0, loss_1=of_1)
        absent = np.flatnonzero(np.bincount(code, minlength=len(names)) == 0)
        if absent.size:
            raise DegenerateGroupError(
                f"sensitive_features: group {names[int(absent[0])]!r} has no row, so it has no "
                "risk. Evaluate on rows of all groups."
            )
        found = decision_risks(
            of_0, of_1, decided, sensitive_features=code, sample_weight=sample_weight,
            clusters=clusters, confidence_level=confidence_level,
        )
        return replace(found, group_names=names)

    def _losses(
        self, y: Any, loss: Any, loss_0: Any, loss_1: Any, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """What either decision costs in every row."""
        if (loss_0 is None) != (loss_1 is None):
            raise ValueError("loss_0 and loss_1 go together: pass both, or none.")
        if loss_0 is not None:
            return as_finite_float(loss_0, "loss_0"), as_finite_float(loss_1, "loss_1")
        if y is None:
            raise ValueError(
                "y is None: pass outcomes, or what decisions cost in every row as loss_0 and "
                "loss_1."
            )
        loss = self.loss if loss is None else loss
        if loss is None:
            raise ValueError(
                "no loss is known that would tell what decisions cost in new rows: pass loss, or "
                "what they cost in every row as loss_0 and loss_1."
            )
        check_loss(loss)
        outcome = target_column(y)
        if not callable(loss) and loss != "squared":
            check_labels(outcome, self.classes_)
        of_0, of_1 = (
            losses_of_predictions(loss, outcome, np.full(n, d), pos_label=self.pos_label_)
            for d in (False, True)
        )
        return of_0, of_1

    def _delta_theta(self, X: Any) -> np.ndarray:
        if not isinstance(self.rule, FrontierRule):
            raise TypeError(
                f"rule must be a FrontierRule, got {self.rule!r} of type "
                f"{type(self.rule).__name__}."
            )
        names = getattr(self.nuisance, "group_names_", self.group_names_)
        if tuple(names) != tuple(self.group_names_):
            raise ValueError(
                f"nuisance knows the groups {tuple(names)!r}, and rule {self.group_names_!r}: "
                "both must have the same in one order."
            )
        rows = indexable_rows(X)
        if self.n_features is not None and len(rows.shape) == 2:
            validate_data(self, rows, reset=False, skip_check_array=True)
        dropped: tuple[int, ...] = ()
        if len(rows.shape) == 2:
            dropped = named_columns(rows, rows.shape[1], self.sensitive_features)
        seen = take_columns(rows, kept_columns(rows.shape[1], dropped)) if dropped else X
        return self.nuisance.delta_theta(seen)

    def _labels(self, decided: np.ndarray) -> np.ndarray:
        return self.classes_[np.where(decided, self._positive, 1 - self._positive)]

    @property
    def _doc_link_module(self):
        return "fairrank"
