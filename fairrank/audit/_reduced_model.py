"""A model that takes all columns of X and hands its estimator those that are not removed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from fairrank._columns import kept_columns, take_columns
from fairrank.audit._without_features import without_columns


def _estimator_has(method: str) -> Any:
    def has(self: Any) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    return has


class ReducedModel(MetaEstimatorMixin, BaseEstimator):
    """Clone of an estimator, fitted and asked without some columns of X.

    Scorers can be given all columns: those that read the group from X find it there.

    Parameters
    ----------
    estimator : estimator
        Its selectors are adapted in a clone.
    removed : tuple of int
        Positions.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on the columns that are left.
    """

    def __init__(self, estimator: Any, removed: Any = ()):
        self.estimator = estimator
        self.removed = removed

    def fit(self, X: Any, y: Any, **fit_params: Any) -> ReducedModel:
        """Fit without the removed columns."""
        estimator = without_columns(self.estimator, X, self.removed)
        self.estimator_ = estimator.fit(self.reduced(X), y, **fit_params)
        return self

    def reduced(self, X: Any) -> Any:
        """`X` without the removed columns; `X` itself when there are none."""
        if not len(self.removed):
            return X
        return take_columns(X, kept_columns(X.shape[1], self.removed))

    @property
    def classes_(self) -> np.ndarray:
        """Classes of the fitted estimator."""
        return self.estimator_.classes_

    @available_if(_estimator_has("predict"))
    def predict(self, X: Any) -> np.ndarray:
        """Labels."""
        return self.estimator_.predict(self.reduced(X))

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return self.estimator_.predict_proba(self.reduced(X))

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Decision values."""
        return self.estimator_.decision_function(self.reduced(X))

    @available_if(_estimator_has("score"))
    def score(self, X: Any, y: Any) -> float:
        """The estimator's own score."""
        return self.estimator_.score(self.reduced(X), y)

    def __sklearn_tags__(self) -> Any:
        """Those of the estimator, so that scorers treat it alike."""
        return get_tags(self.estimator)
