"""What estimators around a classifier share when they must know the group of every row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, validate_data

from fairrank._binary_target import binary_target
from fairrank._columns import indexable_rows, kept_columns, named_columns, take_columns
from fairrank._sensitive import (
    MISSING_RULES,
    GroupCodes,
    encode_groups,
    encode_seen_groups,
    groups_of_rows,
)
from fairrank._validation import check_choice, check_same_length, check_sample_weight
from fairrank.exceptions import UnseenGroupError
from fairrank.inference._cross_fitting import OutOfFold, fold_splits, out_of_fold

METHODS = ("fit", "predict", "predict_proba", "decision_function", "transform", "score")


@dataclass(frozen=True, kw_only=True)
class RowsAtFit:
    """What `fit` was given, checked.

    Attributes
    ----------
    X : array or frame of shape (n_samples, n_features)
    seen : array or frame
        `X` without the columns `dropped`, for the inner estimator.
    dropped : tuple of int
    y : ndarray of shape (n_samples,)
    outcome : ndarray of uint8, shape (n_samples,)
        1 where y is `pos_label`, unless the reader of y says otherwise.
    pos_label : label
    groups : GroupCodes
    weight : ndarray of shape (n_samples,), or None
    fit_params : dict
        For the inner estimator's ``fit``.
    """

    X: Any
    seen: Any
    dropped: tuple[int, ...]
    y: np.ndarray
    outcome: np.ndarray
    pos_label: Any
    groups: GroupCodes
    weight: np.ndarray | None
    fit_params: dict


class GroupAwareClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base: groups from a column of X, a callable or metadata; an inner estimator out of fold.

    Attributes
    ----------
    groups_ : tuple
        Seen at fit.
    """

    __metadata_request__fit = {"sensitive_features": True, "sample_weight": True}  # noqa: RUF012
    __metadata_request__predict = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__predict_proba = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__decision_function = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__score = {"sensitive_features": True}  # noqa: RUF012

    estimator: Any
    sensitive_features: Any
    drop_sensitive: bool
    cv: Any
    missing: str
    pos_label: Any
    n_jobs: Any
    random_state: Any
    groups_: tuple
    _dropped: tuple[int, ...]

    def _check_estimator(self) -> None:
        check_choice(self.missing, MISSING_RULES, "missing")
        if not hasattr(self.estimator, "fit") or not hasattr(self.estimator, "get_params"):
            raise TypeError(
                "estimator must be a scikit-learn estimator, or a FrozenEstimator for a fitted "
                f"one, got {self.estimator!r}."
            )
        names_nothing = self.sensitive_features is None or callable(self.sensitive_features)
        if self.drop_sensitive and names_nothing:
            raise ValueError(
                "drop_sensitive=True drops the column that sensitive_features names, and it is "
                f"{self.sensitive_features!r}: name the column, or drop it inside the estimator."
            )

    def _learner(self) -> Any:
        """Give the estimator that says what X may be, and what is wrong with it."""
        return self.estimator

    def _rows_at_fit(
        self, X: Any, y: Any, sensitive_features: Any, fit_params: dict, needs: str,
        read_target: Callable[[Any], tuple[np.ndarray, np.ndarray, Any]] | None = None,
    ) -> RowsAtFit:
        """Check what `fit` was given.

        `needs` is "a ranking needs" or the like, for messages. `read_target` gives y as an array,
        as 0 and 1, and its positive label; by default y must hold two labels.
        """
        routed = self._routed_fit_params(sensitive_features, fit_params)
        original, X = X, indexable_rows(X)
        if len(X.shape) != 2 or 0 in X.shape:
            # Only the estimator knows what it takes.
            clone(self._learner()).fit(original, y, **routed)
            raise ValueError(f"X must have rows and columns, got shape {X.shape}.")
        validate_data(self, X, skip_check_array=True)
        if X.shape[0] < 2:
            raise ValueError(f"X has 1 sample (n_samples=1), and {needs} more than one row.")
        if read_target is None:
            y, outcome, pos_label = binary_target(y, self.pos_label, type(self).__name__, needs)
        else:
            y, outcome, pos_label = read_target(y)
        groups = self._read_at_fit(
            self.sensitive_features, X, y,
            lambda: encode_groups(
                groups_of_rows(
                    X, self.sensitive_features, sensitive_features, type(self).__name__, "fit"
                ),
                missing=self.missing,
            ),
        )
        weight = check_sample_weight(weight_among(fit_params))
        check_same_length(X=np.empty(X.shape[0]), y=y, sensitive_features=groups.codes,
                          sample_weight=weight)
        if weight is not None and np.unique(y[weight > 0]).size < 2:
            raise ValueError("y holds one class only where sample_weight is above 0.")
        dropped = self._columns_to_drop(X)
        return RowsAtFit(
            X=X,
            seen=take_columns(X, kept_columns(X.shape[1], dropped)) if dropped else X,
            dropped=dropped, y=y, outcome=outcome, pos_label=pos_label, groups=groups,
            weight=weight, fit_params=routed,
        )

    def _columns_to_drop(self, X: Any) -> tuple[int, ...]:
        """Positions of the columns of X that the estimator is not to see."""
        named = named_columns(X, X.shape[1], self.sensitive_features)
        return named if self.drop_sensitive else ()

    def _read_at_fit(self, source: Any, X: Any, y: Any, read: Callable[[], Any]) -> Any:
        """What `read` gives; what is wrong with X the estimator says better than a callable."""
        try:
            return read()
        except Exception:
            if callable(source):
                clone(self._learner()).fit(X, y)
            raise

    def _routed_fit_params(self, sensitive_features: Any, fit_params: dict) -> dict:
        if not get_config()["enable_metadata_routing"]:
            return dict(fit_params)
        passed = dict(fit_params)
        if sensitive_features is not None:
            passed["sensitive_features"] = sensitive_features
        if not passed:
            return {}
        return dict(process_routing(self, "fit", **passed)["estimator"]["fit"])

    def _out_of_fold(
        self, rows: RowsAtFit, target: np.ndarray, ask: Callable[[Any, Any], np.ndarray],
        *, nested: bool = False,
    ) -> OutOfFold:
        """Ask models that did not see the rows; without folds, one that saw them all."""
        if self.cv is None and not isinstance(self.estimator, FrozenEstimator):
            model = clone(self.estimator).fit(rows.seen, target, **rows.fit_params)
            score = ask(model, rows.seen)
            return OutOfFold(score, np.full(score.size, -1, dtype=np.intp), [])
        splits = []
        if self.cv is not None:
            codes = rows.groups.codes.astype(np.intp)
            group = np.where(rows.groups.keep, codes, len(rows.groups.labels))
            # By the classes' order, so that the folds do not depend on which is positive.
            cell = 2 * group + np.unique(rows.y, return_inverse=True)[1]
            splits = fold_splits(self.cv, rows.seen, cell, self.random_state)
        return out_of_fold(
            self.estimator, rows.seen, target, splits, rows.fit_params, ask, self.n_jobs,
            nested=nested,
        )

    def _rows_at_predict(self, X: Any) -> tuple[Any, Any]:
        """`X` with indexable rows, and what the models are shown of it."""
        check_is_fitted(self)
        rows = indexable_rows(X)
        if not self._dropped:
            return rows, X
        if len(rows.shape) == 2:
            validate_data(self, rows, reset=False, skip_check_array=True)
        return rows, take_columns(rows, kept_columns(rows.shape[1], self._dropped))

    def _answers_at_predict(
        self, ask: Callable[[], Any], rows: Any, sensitive_features: Any, method: str
    ) -> Any:
        """What `ask` gives of the models.

        They look at X first, and say best what is wrong with it, unless that is the group: an
        encoder inside them knows neither its name nor what to do.

        Raises
        ------
        UnseenGroupError
            The models fail, and a group was not there at fit.
        """
        try:
            return ask()
        except Exception as failure:
            unseen = None
            try:
                self._seen_codes(rows, sensitive_features, method)
            except Exception as error:
                unseen = error
            if isinstance(unseen, UnseenGroupError):
                raise unseen from failure
            raise

    def _codes_at_predict(
        self, rows: Any, sensitive_features: Any, method: str, answers: np.ndarray
    ) -> np.ndarray:
        """Codes into `groups_`, one for each of the models' answers."""
        codes = self._seen_codes(rows, sensitive_features, method)
        check_same_length(X=answers, sensitive_features=codes)
        return codes

    def _seen_codes(self, rows: Any, sensitive_features: Any, method: str) -> np.ndarray:
        groups = groups_of_rows(
            rows, self.sensitive_features, sensitive_features, type(self).__name__, method
        )
        return encode_seen_groups(groups, self.groups_)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None
    ) -> float:
        """Accuracy of `predict`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        float
            In [0, 1]. Rankings are judged by ``scoring="roc_auc"``, and groups by
            `fairrank.metrics.make_fairness_scorer`.
        """
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what is asked of metadata routing: the groups, unless a column holds them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the estimator's own requests for ``fit``.
        """
        request = self._get_metadata_request()
        if self.sensitive_features is not None:
            for method in METHODS:
                getattr(request, method).add_request(param="sensitive_features", alias=False)
        return (
            MetadataRouter(owner=self)
            .add_self_request(request)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def __sklearn_tags__(self):
        """Those of the estimator, for two classes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self._learner())
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = False
        tags.non_deterministic = inner.non_deterministic
        return tags

    @property
    def _doc_link_module(self):
        return "fairrank"


def weight_among(fit_params: dict) -> Any:
    """Weights of the rows, under whatever name a pipeline gives them."""
    if "sample_weight" in fit_params:
        return fit_params["sample_weight"]
    ending = [name for name in fit_params if name.endswith("__sample_weight")]
    return fit_params[ending[0]] if len(ending) == 1 else None
