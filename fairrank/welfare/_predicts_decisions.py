"""Predictions of a fitted lender: every row's decision by the rule of its group."""

from __future__ import annotations

from sklearn.utils import check_random_state

from fairrank.welfare._policy_estimator import PolicyEstimator


class PredictsDecisions(PolicyEstimator):
    """Decisions and labels of new rows, each by itself."""

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
