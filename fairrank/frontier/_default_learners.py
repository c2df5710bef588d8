"""The learners a frontier takes when none is named: lasso penalties, chosen without folds.

A frontier is biased inward where its nuisances are noisy. On `make_frontier_data` this leaves
about as little bias as an L1 penalty chosen by inner folds, which costs ten times as much, and
about half that of an L2 penalty or none (``benchmarks/results/frontier_nuisances.md``).
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fairrank.frontier._lasso_logit import lasso_logit

INNER_FOLDS = 5


class LassoLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression on standardised columns, its L1 penalty by Hannan and Quinn's criterion.

    More than two classes: each against the rest, the probabilities scaled to sum to 1.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray, shapes (n_features, n_models) and (n_models,)
        One model, or one a class; of the columns as they come.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]!r}.")
        X = X.toarray() if hasattr(X, "toarray") else X
        weight = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight)
        listed = self.classes_[1:] if self.classes_.size == 2 else self.classes_
        found = [lasso_logit(X, y == label, weight) for label in listed]
        self.coef_ = np.column_stack([one.coefficients for one in found])
        self.intercept_ = np.array([one.intercept for one in found])
        return self

    def predict_proba(self, X):
        """Give the probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        found = expit(X @ self.coef_ + self.intercept_)
        if found.shape[1] == 1:
            return np.column_stack([1.0 - found, found])
        return found / found.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Give the likeliest class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LassoRegression(RegressorMixin, BaseEstimator):
    """Linear regression on standardised columns, its L1 penalty chosen by inner folds."""

    def fit(self, X, y, sample_weight=None):
        """Fit."""
        X, y = validate_data(self, X, y, accept_sparse="csr", y_numeric=True)
        X = X.toarray() if hasattr(X, "toarray") else X
        folds = min(INNER_FOLDS, X.shape[0])
        if folds < 2:
            raise ValueError(f"n_samples={X.shape[0]}: a regression needs more than one row.")
        weight = {} if sample_weight is None else {"lassocv__sample_weight": sample_weight}
        model = make_pipeline(StandardScaler(), LassoCV(cv=folds))
        with config_context(enable_metadata_routing=False), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_ = model.fit(X, y, **weight)
        return self

    def predict(self, X):
        """Give the conditional mean."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr")
        return self.model_.predict(X.toarray() if hasattr(X, "toarray") else X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
