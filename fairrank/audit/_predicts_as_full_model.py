"""Predictions of an auditor: those of the model fitted on all rows and every feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from fairrank._columns import indexable_rows, kept_columns, take_columns


def _estimator_has(method: str) -> Any:
    def has(self: Any) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return has


class PredictsAsFullModel:
    """Hands X, without the group's columns, to `estimator_`; has the methods that it has.

    Attributes
    ----------
    estimator : classifier
    estimator_ : classifier
        Fitted on all rows.
    """

    _named: tuple[int, ...]
    estimator_: Any

    def __sklearn_is_fitted__(self) -> bool:
        """Tell a whole fit from one that broke off and left `partial_result_`."""
        return hasattr(self, "estimator_")

    def _reduced(self, X):
        if not self._named:
            return X
        return take_columns(X, kept_columns(X.shape[1], self._named))

    def _seen(self, X):
        """What the fitted estimator is given of `X`."""
        check_is_fitted(self)
        if not self._named:
            return X
        X = indexable_rows(X)
        if len(X.shape) == 2:
            validate_data(self, X, reset=False, skip_check_array=True)
        return self._reduced(X)

    @available_if(_estimator_has("predict"))
    def predict(self, X: Any) -> np.ndarray:
        """Labels, from the estimator fitted on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            Of `classes_`.
        """
        seen = self._seen(X)
        return self.estimator_.predict(seen)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities, from the estimator fitted on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            One column a class.
        """
        seen = self._seen(X)
        return self.estimator_.predict_proba(seen)

    @available_if(_estimator_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Give logarithms of the probabilities, from the estimator fitted on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            One column a class.
        """
        seen = self._seen(X)
        return self.estimator_.predict_log_proba(seen)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values, from the estimator fitted on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for ``classes_[1]``.
        """
        seen = self._seen(X)
        return self.estimator_.decision_function(seen)

    @available_if(_estimator_has("score"))
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the estimator fitted on all rows, by its own method.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With the columns of the fit.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Passed on when given.

        Returns
        -------
        float
            Accuracy, for most classifiers.
        """
        seen = self._seen(X)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.estimator_.score(seen, y, **weighted)
