"""What estimators around a policy share: the way from rows to a policy, and back to rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from fairrank._binary_target import warn_of_taken_label
from fairrank._validation import check_at_least_zero, check_choice
from fairrank.inference._group_aware_classifier import GroupAwareClassifier, RowsAtFit
from fairrank.inference._scored_rows import ScoredRows, scored_rows
from fairrank.welfare._asked_probability import asked_probability
from fairrank.welfare._group_calibration import warn_of_calibration
from fairrank.welfare._group_recalibration import RECALIBRATIONS
from fairrank.welfare._lending_policy import with_groups_present
from fairrank.welfare._lending_report import lending_report
from fairrank.welfare._policy import METHODS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedRows:
    """Rows that a fitted lender was asked about.

    Attributes
    ----------
    X : array or frame with n rows
    probability : ndarray, shape (n,)
        Of a good case, recalibrated where asked.
    code : ndarray of int, shape (n,)
        Index into `groups`.
    groups : tuple
    """

    X: Any
    probability: np.ndarray
    code: np.ndarray
    groups: tuple

    def labels(self) -> np.ndarray:
        """Group of every row, shape (n,) of object."""
        return np.fromiter(self.groups, object, len(self.groups))[self.code]


class PolicyEstimator(GroupAwareClassifier):
    """Base: a subclass says where its terms come from and how it solves.

    Attributes
    ----------
    estimator_ : classifier
    classes_ : ndarray of shape (2,)
    pos_label_ : label
        The good case.
    """

    estimator_: Any
    classes_: np.ndarray
    pos_label_: Any
    recalibrate: Any
    tolerance: Any
    method: Any
    drop_terms: bool
    nested: bool
    _found: Any
    _sources: Any
    _positive: int

    def _term_sources(self) -> Any:
        """Where the terms come from: TermSources or ProductSources."""
        raise NotImplementedError

    def _check_policy(self) -> None:
        self._check_estimator()
        check_choice(self.recalibrate, RECALIBRATIONS, "recalibrate")
        check_choice(self.method, METHODS, "method")
        check_at_least_zero(self.tolerance, "tolerance")
        if self.nested and self.cv is None:
            raise ValueError("nested=True needs folds and cv is None: pass cv=5, or nested=False.")
        self._term_sources().check()

    def _columns_to_drop(self, X: Any) -> tuple[int, ...]:
        terms = self._term_sources().columns(X)
        dropped = super()._columns_to_drop(X)
        return tuple(sorted({*dropped, *terms})) if self.drop_terms else dropped

    def _fit_policy(
        self, given: RowsAtFit, solve: Callable[[ScoredRows, Any], Any]
    ) -> Any:
        """Out of fold, solve and report; fit the estimator to all rows. Gives the rows' terms."""
        warn_of_taken_label(given.y, self.pos_label, given.pos_label, called="the good case")
        sources = self._term_sources()
        terms = self._terms_at_fit(sources, given)
        asked = self._out_of_fold(
            given, given.y, lambda model, seen: asked_probability(model, seen, given.pos_label),
            nested=self.nested,
        )
        rows = with_groups_present(
            scored_rows(asked.score, asked.fold, given.outcome, given.groups, given.weight)
        )
        terms = terms.take(rows.place)
        found = solve(rows, terms)
        report = lending_report(rows, terms, found, solve, asked.without)
        frozen = isinstance(self.estimator, FrozenEstimator)
        warn_of_calibration(
            report.calibration, recalibrated=self.recalibrate is not None,
            group_dropped=self.drop_sensitive,
            source="frozen" if frozen else "training" if self.cv is None else "folds",
        )
        self.promised_, self.realized_ = report.promised, report.realized
        self.held_out_promised_ = report.held_out.promised
        self.held_out_realized_ = report.held_out.realized
        self.held_out_folds_ = report.held_out.folds
        self.calibration_ = report.calibration
        self.disadvantaged_group_ = report.disadvantaged_group
        self.disadvantage_ = report.disadvantage
        self.deterministic_welfare_gap_ = report.deterministic_welfare_gap
        self.out_of_fold_probabilities_ = asked.score
        self.policy_probabilities_ = np.full(given.y.size, np.nan)
        self.policy_probabilities_[rows.place] = found.probability
        acceptance = np.full((given.y.size, *found.policy.acceptance.shape[1:]), np.nan)
        acceptance[rows.place] = found.policy.acceptance
        self.policy_ = replace(found.policy, acceptance=acceptance)
        self.pos_label_ = given.pos_label
        self.thresholds_ = {
            **found.policy.to_table(), "pos_label": [given.pos_label] * len(rows.labels)
        }
        self.raised_groups_ = found.policy.raised_groups
        self.lowered_groups_ = found.policy.lowered_groups
        self.price_of_fairness_ = found.policy.price_of_fairness
        self._found, self._sources, self._dropped = found, sources, given.dropped
        self.groups_ = rows.labels
        self.classes_ = np.unique(given.y)
        self._positive = int(self.classes_[1] == given.pos_label)
        self.estimator_ = clone(self.estimator).fit(given.seen, given.y, **given.fit_params)
        return terms

    def _terms_at_fit(self, sources: Any, given: RowsAtFit) -> Any:
        groups = given.groups

        def group() -> np.ndarray:
            labels = np.fromiter([*groups.labels, None], object, len(groups.labels) + 1)
            return labels[np.where(groups.keep, groups.codes.astype(np.intp), -1)]

        computed = next(iter(sources.callables()), None)
        return self._read_at_fit(
            computed, given.X, given.y,
            lambda: sources.read(given.X, given.y.size, group, "fit"),
        )

    def __sklearn_is_fitted__(self) -> bool:
        """Tell a whole fit from one that broke off."""
        return hasattr(self, "estimator_")

    def _asked_rows(self, X: Any, sensitive_features: Any, method: str) -> AskedRows:
        rows, seen = self._rows_at_predict(X)
        raw = self._raw_probability(rows, seen, sensitive_features, method)
        code = self._codes_at_predict(rows, sensitive_features, method, raw)
        return AskedRows(
            X=rows, probability=self._found.calibrated(raw, code), code=code, groups=self.groups_
        )

    def _decided(self, X: Any, sensitive_features: Any, method: str) -> Any:
        """Decisions on rows: what the solution's `decide` gives."""
        rows = self._asked_rows(X, sensitive_features, method)
        terms = self._sources.read(rows.X, rows.code.size, rows.labels, method)
        return self._found.decide(rows.probability, rows.code, terms)

    def _raw_probability(
        self, rows: Any, seen: Any, sensitive_features: Any, method: str
    ) -> np.ndarray:
        return self._answers_at_predict(
            lambda: asked_probability(self.estimator_, seen, self.pos_label_),
            rows, sensitive_features, method,
        )

    def _labels(self, accepted: np.ndarray) -> np.ndarray:
        return self.classes_[np.where(accepted, self._positive, 1 - self._positive)]

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Give the probabilities of the cases, not of being accepted.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column; without `recalibrate` they
            are not looked at.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            One column a class; those of the estimator, recalibrated where asked.
        """
        rows, seen = self._rows_at_predict(X)
        good = self._raw_probability(rows, seen, sensitive_features, "predict_proba")
        if self._found.curves is not None:
            code = self._codes_at_predict(rows, sensitive_features, "predict_proba", good)
            good = self._found.calibrated(good, code)
        columns = (1.0 - good, good)
        return np.column_stack(columns if self._positive == 1 else columns[::-1])
