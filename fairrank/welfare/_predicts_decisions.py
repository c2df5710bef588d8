"""Predictions of a fitted lender: every row's decision by the rule of its group."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fairrank.welfare._lending_terms import utility_of_rows
from fairrank.welfare._mismatch import mismatch_report
from fairrank.welfare._mismatch_result import MismatchReport
from fairrank.welfare._policy_estimator import PolicyEstimator


class PredictsDecisions(PolicyEstimator):
    """Decisions and labels of new rows, each by itself."""

    def acceptance_probability(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
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

    def decision_function(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
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

    def predict(self, X: Any, *, sensitive_features: Any = None) -> np.ndarray:
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

    def draw(self, X: Any, *, random_state: Any, sensitive_features: Any = None) -> np.ndarray:
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

    def mismatch_report(
        self,
        X: Any,
        y: Any = None,
        *,
        underlying_utility: Any,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        confidence_level: Any = 0.95,
    ) -> MismatchReport:
        """Tell whom the policy helps and harms in people's own utility, on new rows.

        `fairrank.welfare.mismatch_report` with all that the lender knows: its decisions with and
        without the condition (within the capacity, both), its probabilities, recalibrated where
        asked, its gain, loss and amount, and the utility that it equalizes, scaled as at fit.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit, of rows that the model was not trained on. For those of
            the fit see Notes.
        y : array-like of shape (n_samples,), optional
            Labels: adds what happened to what was expected.
        underlying_utility : str, int, callable, array-like, or dict of these
            What people have of being accepted rather than rejected, in the forms that `utility`
            takes (an array holds these rows); several by name. A named one is scaled on these
            rows.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column. None of them missing.
        sample_weight : array-like of shape (n_samples,), optional
            Whole numbers repeat a row; others are its mass.
        confidence_level : float in (0, 1) or None, default=0.95
            As in `fairrank.welfare.mismatch_report`.

        Returns
        -------
        MismatchReport
            ``print`` it for the verdict in words.

        Notes
        -----
        On the rows of the fit the model has seen the outcomes. There call the function, with
        ``policy_.acceptance`` and ``policy_probabilities_``, which are out of fold.
        """
        method = "mismatch_report"
        rows = self._asked_rows(X, sensitive_features, method)
        n = rows.code.size

        def of_rows(source):
            return utility_of_rows(source, rows.X, n, rows.labels, "fit")

        if isinstance(underlying_utility, dict):
            underlying = {name: of_rows(one) for name, one in underlying_utility.items()}
        else:
            values = of_rows(underlying_utility)
            named = isinstance(underlying_utility, str)
            underlying = {underlying_utility if named else "underlying utility": values}
        by_amount = any(
            isinstance(one, str) and one == "heterogeneous_opportunity"
            for one in underlying.values()
        )
        sources = self._sources
        if by_amount and sources.amount is not None:
            sources = replace(sources, needs_amount=True)
        terms = sources.read(rows.X, n, rows.labels, method)
        decisions = self._found.decide(rows.probability, rows.code, terms)
        # Without a capacity that binds it is who brings revenue, which the function knows.
        free = {"unconstrained": decisions.free} if self._found.free_rule.price > 0 else {}
        report = mismatch_report(
            decisions.accepted, underlying, y_prob=rows.probability,
            sensitive_features=rows.labels(),
            assumed_utility=terms.utility_by_outcome(rows.code, self._found.named),
            gain=terms.gain, loss=terms.loss, amount=terms.amount, scale=terms.scale,
            sample_weight=sample_weight, y_true=y,
            pos_label=None if y is None else self.pos_label_,
            confidence_level=confidence_level, **free,
        )
        named = self._found.named
        return report if named is None else replace(report, assumed_name=named.name)
