"""Predictions of a fitted lender: every row's decision by the rule of its group."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairrank.inference._group_aware_classifier import GroupAwareClassifier
from fairrank.welfare._asked_probability import asked_probability
from fairrank.welfare._lending_policy import Decisions, LendingPolicy
from fairrank.welfare._lending_terms import TermSources


class PredictsDecisions(GroupAwareClassifier):
    """Chances, decisions and labels of new rows, each by itself.

    Attributes
    ----------
    estimator_ : classifier
    classes_ : ndarray of shape (2,)
    """

    estimator_: Any
    classes_: np.ndarray
    _lending: LendingPolicy
    _sources: TermSources
    _positive: int

    def __sklearn_is_fitted__(self) -> bool:
        """Tell a whole fit from one that broke off."""
        return hasattr(self, "estimator_")

    def _decided(self, X: Any, sensitive_features: Any, method: str) -> Decisions:
        rows, seen = self._rows_at_predict(X)
        # The model looks at X first: it says best what is wrong with it.
        raw = asked_probability(self.estimator_, seen, self.classes_[self._positive])
        code = self._codes_at_predict(rows, sensitive_features, method, raw)

        def group() -> np.ndarray:
            return np.fromiter(self.groups_, object, len(self.groups_))[code]

        terms = self._sources.read(rows, raw.size, group, method)
        return self._lending.decide(self._lending.calibrated(raw, code), code, terms)

    def acceptance_probability(self, X, *, sensitive_features=None):
        """Probability that each person is accepted.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1]; 0 or 1 but for ties, smoothing and a capacity.
        """
        return self._decided(X, sensitive_features, "acceptance_probability").accepted

    def decision_function(self, X, *, sensitive_features=None):
        """Expected revenue less the group's multiple of expected utility.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            In the unit of `gain`. Positive where `predict` gives ``classes_[1]``: negated where
            `pos_label` is ``classes_[0]``; next to 0, with the sign of the decision, for ties.
            With smoothing the mean of what is shifted; with a capacity, less the price of use.
        """
        margin = self._decided(X, sensitive_features, "decision_function").margin
        return margin if self._positive == 1 else -margin

    def predict_proba(self, X, *, sensitive_features=None):
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
        good = asked_probability(self.estimator_, seen, self.classes_[self._positive])
        if self._lending.curves is not None:
            code = self._codes_at_predict(rows, sensitive_features, "predict_proba", good)
            good = self._lending.calibrated(good, code)
        columns = (1.0 - good, good)
        return np.column_stack(columns if self._positive == 1 else columns[::-1])

    def predict(self, X, *, sensitive_features=None):
        """Decide without chance: accepted where the probability of it is at least one half.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            `pos_label` for those accepted, the other label for the rest. What equality ties lose
            by it is `deterministic_welfare_gap_`.
        """
        accepted = self._decided(X, sensitive_features, "predict").accepted >= 0.5
        return self._labels(accepted)

    def draw(self, X, *, random_state, sensitive_features=None):
        """Decide by lot, each person with the policy's probability.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        random_state : int or RandomState
            The same seed and rows give the same decisions. Keep it: with another seed somebody on
            the tie set may be decided otherwise.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, as in `predict`.
        """
        if random_state is None:
            raise ValueError("random_state is None: decisions are drawn from a seed only.")
        accepted = self._decided(X, sensitive_features, "draw").accepted
        return self._labels(check_random_state(random_state).random_sample(accepted.size)
                            < accepted)

    def _labels(self, accepted: np.ndarray) -> np.ndarray:
        return self.classes_[np.where(accepted, self._positive, 1 - self._positive)]
