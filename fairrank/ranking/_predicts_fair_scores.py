"""Predictions of a fitted post-processor: every row's score through the map of its group."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairrank.inference._asked_scores import asked_scores
from fairrank.inference._group_aware_classifier import GroupAwareClassifier


class PredictsFairScores(TransformerMixin, GroupAwareClassifier):
    """Fair scores, probabilities and labels of new rows, each by itself.

    Attributes
    ----------
    estimators_ : list of estimator
        Whose fair scores are averaged; mostly one.
    classes_ : ndarray of shape (2,)
    """

    estimators_: list
    classes_: np.ndarray
    response_method: str
    _maps: list
    _positive: int
    _recalibration: Any

    def __sklearn_is_fitted__(self) -> bool:
        """Tell a whole fit from one that broke off."""
        return hasattr(self, "estimators_")

    def _fair_score(self, X, sensitive_features, method: str) -> np.ndarray:
        rows, seen = self._rows_at_predict(X)
        pos_label = self.classes_[self._positive]
        scores = self._answers_at_predict(
            lambda: [
                asked_scores(model, seen, self.response_method, pos_label)
                for model in self.estimators_
            ],
            rows, sensitive_features, method,
        )
        codes = self._codes_at_predict(rows, sensitive_features, method, scores[0])
        fair = np.empty((len(scores), codes.size))
        for code, to_fair in enumerate(self._maps):
            own = codes == code
            for one, score in zip(fair, scores):
                one[own] = to_fair(score[own])
        return fair.mean(axis=0)

    def decision_function(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Fair score less the one at which probabilities pass one half.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive where `predict` gives ``classes_[1]``. Ranks as the fair score does, and the
            other way round where `pos_label` is ``classes_[0]``.
        """
        fair = self._fair_score(X, sensitive_features, "decision_function")
        over = fair - self._recalibration.cut
        return over if self._positive == 1 else -over

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Probabilities: the fair score, recalibrated by one strictly increasing curve for all.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            One column a class. AUC and disparities are those of the fair score.
        """
        return self._probabilities(self._fair_score(X, sensitive_features, "predict_proba"))

    def _probabilities(self, fair: np.ndarray) -> np.ndarray:
        positive = self._recalibration(fair)
        columns = (1.0 - positive, positive)
        return np.column_stack(columns if self._positive == 1 else columns[::-1])

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
        """Label with the larger probability.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            Of `classes_`. One threshold on the fair score, the same for every group.
        """
        fair = self._fair_score(X, sensitive_features, "predict")
        return self.classes_[np.argmax(self._probabilities(fair), axis=1)]

    def transform(self, X: Any, *, sensitive_features: Any = None) -> Any:
        """Fair scores as one column.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray or frame of shape (n_samples, 1)
            In [0, 1], higher for those more likely to be positive; never dependent on the other
            rows. A frame after ``set_output(transform=...)``.
        """
        return self._fair_score(X, sensitive_features, "transform")[:, None]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Name of the column that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Ignored.

        Returns
        -------
        ndarray of shape (1,)
            ``["fair_score"]``.
        """
        check_is_fitted(self)
        return np.array(["fair_score"], dtype=object)
