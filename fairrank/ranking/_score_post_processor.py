"""What post-processors share: scores out of fold, an order fitted on them, a refit, a report."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator

from fairrank._validation import check_choice
from fairrank.inference._asked_scores import RESPONSE_METHODS, asked_scores
from fairrank.inference._scored_rows import ScoredRows, scored_rows
from fairrank.metrics._ranking_sample import DISPARITIES
from fairrank.ranking._held_out import (
    Maps,
    held_out_folds,
    mean_over_folds,
    standard_error_of_mean,
)
from fairrank.ranking._predicts_fair_scores import PredictsFairScores
from fairrank.ranking._recalibration import recalibration


class ScorePostProcessor(PredictsFairScores):
    """Base of post-processors: a subclass orders scored rows, and this does the rest.

    A subclass has the parameters named in `fit`, and `_ordering`.
    """

    __metadata_request__transform = {"sensitive_features": True}  # noqa: RUF012

    disparity: str
    fold_ensemble: bool

    def _ordering(self, rows: ScoredRows, sensitive_features: np.ndarray, *,
                  lenient: bool = False) -> Any:
        """Order the rows: a result with `score_maps`, AUC and disparity before and after.

        A lenient order comes as near to a condition as it can, and raises nothing for it.
        """
        raise NotImplementedError

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **fit_params: Any) -> Self:
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
        given = self._rows_at_fit(X, y, sensitive_features, fit_params, "a ranking needs")
        # A regressor is fitted to the outcome, so that it grows with the positive label.
        by_label = is_classifier(self.estimator)
        target = given.y if by_label else given.outcome.astype(np.float64)
        ask = partial(
            asked_scores, response_method=self.response_method, pos_label=given.pos_label
        )
        found = self._out_of_fold(given, target, ask)
        rows = scored_rows(
            found.score, found.fold, given.outcome, given.groups, given.weight
        )
        ordering = self._ordering(rows, rows.group)
        self._report(rows, ordering)
        self.out_of_fold_scores_ = found.score
        fair_score = np.full(given.y.size, np.nan)
        fair_score[rows.place] = ordering.fair_score
        self.ordering_ = replace(ordering, fair_score=fair_score)
        self._recalibration = recalibration(ordering.fair_score, rows.outcome, rows.weight)
        self._rows, self._dropped = rows, given.dropped
        # Groups without a row that was scored have no map: to predict they are unseen.
        self.groups_ = tuple(ordering.score_maps)
        self._maps = list(ordering.score_maps.values())
        self.classes_ = np.unique(given.y)
        self._positive = int(self.classes_[1] == given.pos_label)
        if self.fold_ensemble:
            self.estimators_ = found.models
            return self
        self.estimator_ = clone(self.estimator).fit(given.seen, target, **given.fit_params)
        self.estimators_ = [self.estimator_]
        return self

    def fit_transform(
        self, X: Any, y: Any, *, sensitive_features: Any = None, **fit_params: Any
    ) -> Any:
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
        self._check_estimator()
        frozen = isinstance(self.estimator, FrozenEstimator)
        if self.fold_ensemble and (frozen or self.cv is None):
            raise ValueError(
                "fold_ensemble=True averages the models of the folds, and "
                f"{'a FrozenEstimator' if frozen else 'cv=None'} has none."
            )

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
