"""The learners a frontier takes when none is named: lasso penalties, chosen by inner folds.

The risks of a frontier's rules are biased inward where the nuisances are noisy. With twenty
covariates of which four matter and 1000 rows, an L1 penalty leaves about 0.35 standard errors of
bias, and an L2 penalty or none 0.6 to 1.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

INNER_FOLDS = 5
PENALTIES = np.logspace(-2.5, 0.5, 7)
# saga leaves the intercept free, as liblinear does not, and rare outcomes need it; its passes over
# the rows are shuffled by a seed. A finer tolerance moves coefficients by less than .002.
SOLVER: dict[str, Any] = {"solver": "saga", "tol": 1e-2, "max_iter": 500, "random_state": 0}


class LassoLogistic(ClassifierMixin, BaseEstimator):
    """Logistic regression on standardised columns, its L1 penalty chosen by log loss.

    More than two classes: each against the rest, the probabilities scaled to sum to 1.

    Attributes
    ----------
    classes_ : ndarray
    models_ : list of estimator
        One, or one a class.
    """

    def fit(self, X, y, sample_weight=None):
        """Fit."""
        X, y = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        one = self.classes_.size == 2
        targets = [y == label for label in (self.classes_[1:] if one else self.classes_)]
        self.models_ = [_penalised_logit(X, target, sample_weight) for target in targets]
        return self

    def predict_proba(self, X):
        """Give the probabilities of the classes."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr")
        columns = [model.predict_proba(X)[:, 1] for model in self.models_]
        if len(columns) == 1:
            return np.column_stack([1.0 - columns[0], columns[0]])
        stacked = np.column_stack(columns)
        return stacked / stacked.sum(axis=1, keepdims=True)

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
        folds = min(INNER_FOLDS, X.shape[0])
        if folds < 2:
            raise ValueError(f"n_samples={X.shape[0]}: a regression needs more than one row.")
        weight = {} if sample_weight is None else {"lassocv__sample_weight": sample_weight}
        model = make_pipeline(StandardScaler(with_mean=not issparse(X)), LassoCV(cv=folds))
        with config_context(enable_metadata_routing=False), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model_ = model.fit(X, y, **weight)
        return self

    def predict(self, X):
        """Give the conditional mean."""
        check_is_fitted(self)
        return self.model_.predict(validate_data(self, X, reset=False, accept_sparse="csr"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _penalised_logit(X: Any, target: np.ndarray, weight: Any) -> Any:
    counted = target if weight is None else target[np.asarray(weight) > 0]
    folds = min(INNER_FOLDS, int(min(counted.sum(), (~counted).sum())))
    if folds < 2:
        # Nothing to choose the penalty by.
        last = LogisticRegression(C=PENALTIES[len(PENALTIES) // 2], l1_ratio=1.0, **SOLVER)
    else:
        last = LogisticRegressionCV(
            Cs=PENALTIES, cv=folds, l1_ratios=(1.0,), scoring="neg_log_loss",
            use_legacy_attributes=False, **SOLVER,
        )
    model = make_pipeline(StandardScaler(with_mean=not issparse(X)), last)
    name = f"{type(last).__name__.lower()}__sample_weight"
    # The penalty is chosen among candidates, so that one which did not converge only loses.
    with config_context(enable_metadata_routing=False), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, target, **({} if weight is None else {name: weight}))
