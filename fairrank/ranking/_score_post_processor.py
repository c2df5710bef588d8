"""What post-processors share: scores out of fold, an order fitted on them, a refit, a report."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    clone,
    is_classifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import validate_data

from fairrank._binary_target import binary_target
from fairrank._columns import indexable_rows, kept_columns, named_columns, take_columns
from fairrank._sensitive import MISSING_RULES, GroupCodes, encode_groups, groups_of_rows
from fairrank._validation import check_choice, check_same_length, check_sample_weight
from fairrank.metrics._ranking_sample import DISPARITIES
from fairrank.ranking._asked_scores import RESPONSE_METHODS, asked_scores
from fairrank.ranking._held_out import (
    Maps,
    held_out_folds,
    mean_over_folds,
    standard_error_of_mean,
)
from fairrank.ranking._out_of_fold import OutOfFold, fold_splits, out_of_fold
from fairrank.ranking._predicts_fair_scores import PredictsFairScores
from fairrank.ranking._recalibration import recalibration
from fairrank.ranking._scored_rows import ScoredRows, scored_rows

METHODS = ("fit", "predict", "predict_proba", "decision_function", "transform", "score")


class ScorePostProcessor(PredictsFairScores, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base of post-processors: a subclass orders scored rows, and this does the rest.

    A subclass has the parameters named in `fit`, and `_ordering`.
    """

    __metadata_request__fit = {"sensitive_features": True, "sample_weight": True}  # noqa: RUF012
    __metadata_request__predict = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__predict_proba = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__decision_function = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__transform = {"sensitive_features": True}  # noqa: RUF012
    __metadata_request__score = {"sensitive_features": True}  # noqa: RUF012

    estimator: Any
    drop_sensitive: bool
    disparity: str
    cv: Any
    fold_ensemble: bool
    pos_label: Any
    missing: str
    n_jobs: Any
    random_state: Any

    def _ordering(self, rows: ScoredRows, sensitive_features: np.ndarray, *,
                  lenient: bool = False) -> Any:
        """Order the rows: a result with `score_maps`, AUC and disparity before and after.

        A lenient order comes as near to a condition as it can, and raises nothing for it.
        """
        raise NotImplementedError

    def fit(self, X, y, *, sensitive_features=None, **fit_params):
        """Score every row out of fold, order the rows fairly, and fit the estimator on all.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Of pandas, polars or numpy; with the group's column where the constructor names it.
        y : array-like of shape (n_samples,)
            Two labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        **fit_params : dict
            Passed to the estimator's ``fit``, those with one value a row restricted to the
            training rows; with metadata routing enabled, what the estimator requests. The order
            is weighted too by ``sample_weight``, or by the one parameter that ends in
            ``__sample_weight``.

        Returns
        -------
        estimator
            Itself, fitted.
        """
        self._check_parameters()
        routed = self._routed_fit_params(sensitive_features, fit_params)
        original, X = X, indexable_rows(X)
        if len(X.shape) != 2 or 0 in X.shape:
            # Only the estimator knows what it takes.
            clone(self.estimator).fit(original, y, **routed)
            raise ValueError(f"X must have rows and columns, got shape {X.shape}.")
        validate_data(self, X, skip_check_array=True)
        if X.shape[0] < 2:
            raise ValueError("X has 1 sample (n_samples=1), and one row is no ranking.")
        y, outcome, pos_label = binary_target(
            y, self.pos_label, type(self).__name__, "a ranking needs"
        )
        groups = self._groups_at_fit(X, y, sensitive_features)
        weight = check_sample_weight(_weight_among(fit_params))
        check_same_length(X=np.empty(X.shape[0]), y=y, sensitive_features=groups.codes,
                          sample_weight=weight)
        if weight is not None and np.unique(y[weight > 0]).size < 2:
            raise ValueError("y holds one class only where sample_weight is above 0.")
        n_columns = X.shape[1]
        named = named_columns(X, n_columns, self.sensitive_features)
        dropped = named if self.drop_sensitive else ()
        seen = take_columns(X, kept_columns(n_columns, dropped)) if dropped else X
        # A regressor is fitted to the outcome, so that it grows with the positive label.
        target = y if is_classifier(self.estimator) else outcome.astype(np.float64)
        found = self._out_of_fold(seen, y, target, groups, routed, pos_label)
        rows = scored_rows(found.score, found.fold, outcome, groups, weight)
        ordering = self._ordering(rows, rows.group)
        self._report(rows, ordering)
        self.out_of_fold_scores_ = found.score
        fair_score = np.full(y.size, np.nan)
        fair_score[rows.place] = ordering.fair_score
        self.ordering_ = replace(ordering, fair_score=fair_score)
        self._recalibration = recalibration(ordering.fair_score, rows.outcome, rows.weight)
        self._rows, self._dropped = rows, dropped
        # Groups without a row that was scored have no map: to predict they are unseen.
        self.groups_ = tuple(ordering.score_maps)
        self._maps = list(ordering.score_maps.values())
        self.classes_ = np.unique(y)
        self._positive = int(self.classes_[1] == pos_label)
        if self.fold_ensemble:
            self.estimators_ = found.models
            return self
        self.estimator_ = clone(self.estimator).fit(seen, target, **routed)
        self.estimators_ = [self.estimator_]
        return self

    def fit_transform(self, X, y, *, sensitive_features=None, **fit_params):
        """Fit, then give the fair scores of the same rows by the refitted estimator.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            Two labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        **fit_params : dict
            As in `fit`.

        Returns
        -------
        ndarray or frame of shape (n_samples, 1)
            Of models that saw these rows; ``ordering_.fair_score`` holds those out of fold.
        """
        self.fit(X, y, sensitive_features=sensitive_features, **fit_params)
        return self.transform(X, sensitive_features=sensitive_features)

    def _check_parameters(self) -> None:
        check_choice(self.disparity, DISPARITIES, "disparity")
        check_choice(self.response_method, RESPONSE_METHODS, "response_method")
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
        frozen = isinstance(self.estimator, FrozenEstimator)
        if self.fold_ensemble and (frozen or self.cv is None):
            raise ValueError(
                "fold_ensemble=True averages the models of the folds, and "
                f"{'a FrozenEstimator' if frozen else 'cv=None'} has none."
            )

    def _routed_fit_params(self, sensitive_features, fit_params: dict) -> dict:
        if not get_config()["enable_metadata_routing"]:
            return dict(fit_params)
        passed = dict(fit_params)
        if sensitive_features is not None:
            passed["sensitive_features"] = sensitive_features
        if not passed:
            return {}
        return dict(process_routing(self, "fit", **passed)["estimator"]["fit"])

    def _groups_at_fit(self, X, y, metadata) -> GroupCodes:
        chosen = self.sensitive_features
        try:
            groups = groups_of_rows(X, chosen, metadata, type(self).__name__, "fit")
            return encode_groups(groups, missing=self.missing)
        except Exception:
            if callable(chosen):
                # What is wrong with X the estimator says best; a callable stumbles over it.
                clone(self.estimator).fit(X, y)
            raise

    def _out_of_fold(self, seen, y, target, groups, routed, pos_label) -> OutOfFold:
        ask = partial(asked_scores, response_method=self.response_method, pos_label=pos_label)
        if self.cv is None and not isinstance(self.estimator, FrozenEstimator):
            score = ask(clone(self.estimator).fit(seen, target, **routed), seen)
            return OutOfFold(score, np.full(score.size, -1, dtype=np.intp), [])
        splits = []
        if self.cv is not None:
            group = np.where(groups.keep, groups.codes.astype(np.intp), len(groups.labels))
            # By the classes' order, so that the folds do not depend on which is positive.
            cell = 2 * group + np.unique(y, return_inverse=True)[1]
            splits = fold_splits(self.cv, seen, cell, self.random_state)
        return out_of_fold(self.estimator, seen, target, splits, routed, ask, self.n_jobs)

    def _report(self, rows: ScoredRows, ordering: Any) -> None:
        self.auc_before_, self.auc_after_ = ordering.auc_before, ordering.auc_after
        self.disparity_before_ = ordering.disparity_before
        self.disparity_after_ = ordering.disparity_after

        def maps_without(fold: int) -> Maps:
            others = rows.take(rows.fold != fold)
            return self._ordering(others, others.code, lenient=True).score_maps

        self.held_out_folds_ = held_out_folds(rows, maps_without, self.disparity)
        self.held_out_auc_ = mean_over_folds(self.held_out_folds_["auc"])
        self.held_out_disparity_ = mean_over_folds(self.held_out_folds_["disparity"])
        self.held_out_standard_error_ = standard_error_of_mean(
            self.held_out_folds_["standard_error"]
        )

    def get_metadata_routing(self):
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
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = False
        tags.non_deterministic = inner.non_deterministic
        return tags

    @property
    def _doc_link_module(self):
        return "fairrank"


def _weight_among(fit_params: dict) -> Any:
    """Weights of the rows, under whatever name a pipeline gives them."""
    if "sample_weight" in fit_params:
        return fit_params["sample_weight"]
    ending = [name for name in fit_params if name.endswith("__sample_weight")]
    return fit_params[ending[0]] if len(ending) == 1 else None
