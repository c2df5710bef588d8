"""Decisions of a fitted frontier: its own, those of its other algorithms, and better ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from fairrank._binary_target import target_column
from fairrank.frontier._direction import direction_to
from fairrank.frontier._frontier_classifier import FrontierClassifier
from fairrank.frontier._frontier_rule import FrontierRule, frontier_rule
from fairrank.frontier._less_discriminatory_alternatives import (
    LessDiscriminatoryAlternatives,
    less_discriminatory_alternatives,
)
from fairrank.frontier._losses import check_labels, losses_of_predictions
from fairrank.frontier._shows_frontier import ShowsFrontier, rows_of_support


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AlternativesToDecisions(LessDiscriminatoryAlternatives):
    """Less discriminatory alternatives, and the chosen one as a classifier.

    Attributes
    ----------
    risks, frontier, point, slacks, rule, decisions, realised_risks, realised_slacks, group_names
        As in `LessDiscriminatoryAlternatives`.
    classifier : FrontierClassifier or None
        Decides new rows by `rule`; None where no alternative was found.

    Examples
    --------
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(group_names=("r", "b"), random_state=0).fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features
    ... )
    >>> found = frontier.less_discriminatory_alternatives(data.status_quo(data.data))
    >>> found
    LessDiscriminatoryAlternatives(smallest slack 0.0318 at r 0.3752, b 0.4741)
    >>> new = make_frontier_data(2000, random_state=1)
    >>> risks = found.classifier.evaluate(
    ...     new.data, new.target, sensitive_features=new.sensitive_features
    ... )
    >>> print(risks.risks.round(2), data.status_quo_risks.round(2))
    [0.4  0.43] [0.41 0.54]
    """

    classifier: FrontierClassifier | None

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; the classifier is none."""
        return LessDiscriminatoryAlternatives(**_values(self)).to_dict()


def _values(found: LessDiscriminatoryAlternatives) -> dict[str, Any]:
    return {name: getattr(found, name) for name in LessDiscriminatoryAlternatives.__slots__}


class DecidesByFrontier(ShowsFrontier):
    """The part of `FrontierEstimator` that decides.

    Attributes
    ----------
    rule_ : FrontierRule
    nuisance_ : object with ``delta_theta(X)``
    """

    sensitive_features: Any
    loss: Any
    direction: Any
    capacity: Any
    classes_: np.ndarray
    pos_label_: Any
    n_features_in_: int
    rule_: FrontierRule
    nuisance_: Any
    _place: np.ndarray
    _n_rows: int
    _loss_is_known: bool

    def algorithm(
        self, direction: Any = None, *, point: Any = None, capacity: Any = "fitted"
    ) -> FrontierClassifier:
        """Give an algorithm on the frontier as a classifier of its own. Nothing is fitted again.

        Parameters
        ----------
        direction : str, array-like of shape (n_groups,) or FrontierRule, optional
            "rawlsian": least risk of the disadvantaged group; "majority": of the largest;
            "utilitarian": least sum of the groups' risks; "egalitarian": the fairest point, for
            two groups; or weights, negative for risks that are to be small. By default that of
            the constructor. A rule is taken as it is.
        point : array-like of shape (2,), optional
            Risks that are aimed at, in place of a direction. Two groups: the direction is the
            plug-in zonogon's.
        capacity : float in (0, 1], None or "fitted", default="fitted"
            Largest share that may get decision 1; "fitted" is that of the constructor.

        Returns
        -------
        FrontierClassifier
            Judge it by its ``evaluate`` on rows that `fit` has not seen.
        """
        check_is_fitted(self)
        if point is not None and direction is not None:
            raise ValueError("direction and point are two ways to say which: pass one of them.")
        if isinstance(direction, FrontierRule):
            return self._classifier(direction)
        if point is not None:
            direction = direction_to(self.support_function_, point)
        elif direction is None:
            direction = self.direction
        if isinstance(capacity, str):
            if capacity != "fitted":
                raise ValueError(
                    f"capacity={capacity!r} must be a share, None, or 'fitted' for that of the "
                    "constructor."
                )
            capacity = self.capacity
        return self._classifier(
            frontier_rule(self.support_function_, direction, capacity=capacity)
        )

    def less_discriminatory_alternatives(
        self, decisions: Any, X: Any = None, *, choose: Any = "largest_smallest_slack"
    ) -> AlternativesToDecisions:
        """Find algorithms that harm no group, are as fair, and are better in something.

        Parameters
        ----------
        decisions : array-like of shape (n_samples,) or classifier
            Probability of decision 1 in [0, 1] for the rows of `fit`, those without a group too,
            or a fitted classifier of the same labels. Of a model that was not trained on them,
            or it looks better than it is.
        X : array-like or frame of shape (n_samples, n_features), optional
            The rows of `fit` as the classifier takes them, when `decisions` is one.
        choose : str or array-like of shape (2,), default="largest_smallest_slack"
            Which alternative, as in `fairrank.frontier.less_discriminatory_alternatives`.

        Returns
        -------
        AlternativesToDecisions
            The part of the plug-in frontier that is better, and one of it as ``classifier``.
            Falsy where there is none.

        See Also
        --------
        fairrank.frontier.less_discriminatory_alternatives : The same from a support function.
        """
        check_is_fitted(self)
        found = less_discriminatory_alternatives(
            self.support_function_, self._decided_by(decisions, X), choose=choose
        )
        return AlternativesToDecisions(
            **_values(found),
            classifier=None if found.rule is None else self._classifier(found.rule),
        )

    def decision_probability(self, X: Any) -> np.ndarray:
        """Probability of decision 1 under the rule of `direction`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1]; 0 or 1 but for ties.
        """
        return self._of_rule().decision_probability(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """What decision 1 gains in the direction of the rule, less the price of its place.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of the direction times loss. Positive where `predict` gives ``classes_[1]``:
            negated where `pos_label` is ``classes_[0]``; next to 0, with the sign of the
            decision, for ties.
        """
        return self._of_rule().decision_function(X)

    def predict(self, X: Any) -> np.ndarray:
        """Decide without chance: decision 1 where its probability is at least one half.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit. The group is not asked for.

        Returns
        -------
        ndarray of shape (n_samples,)
            `pos_label_` for decision 1, the other label for decision 0.
        """
        return self._of_rule().predict(X)

    def draw(self, X: Any, *, random_state: Any) -> np.ndarray:
        """Decide by lot, each row with the rule's probability.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        random_state : int or RandomState
            The same seed and rows give the same decisions.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, as in `predict`.
        """
        return self._of_rule().draw(X, random_state=random_state)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy of `predict`, or minus its mean loss.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            With the columns of the fit.
        y : array-like of shape (n_samples,)
            Outcomes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
            With ``loss="zero_one"`` the accuracy, in [0, 1]; with another loss minus the mean of
            it. Either is of all rows together: for the groups' risks see
            ``algorithm().evaluate``.
        """
        check_is_fitted(self)
        if not self._loss_is_known:
            raise ValueError(
                "the losses were given to fit as arrays, loss_0 and loss_1, so that nothing says "
                "what decisions cost in new rows: use algorithm().evaluate with theirs."
            )
        predicted = self.predict(X)
        if isinstance(self.loss, str) and self.loss == "zero_one":
            return float(accuracy_score(y, predicted, sample_weight=sample_weight))
        if isinstance(self.loss, Mapping):
            check_labels(target_column(y), self.classes_)
        losses = losses_of_predictions(
            self.loss, y, predicted == self.pos_label_, pos_label=self.pos_label_
        )
        return -float(np.average(losses, weights=sample_weight))

    def _of_rule(self) -> FrontierClassifier:
        check_is_fitted(self)
        return self._classifier(self.rule_)

    def _classifier(self, rule: FrontierRule) -> FrontierClassifier:
        return FrontierClassifier(
            self.nuisance_, rule, classes=self.classes_, pos_label=self.pos_label_,
            loss=self.loss if self._loss_is_known else None,
            sensitive_features=self.sensitive_features, n_features=self.n_features_in_,
            feature_names=getattr(self, "feature_names_in_", None),
        )

    def _rows_of_support(self, values: Any, name: str) -> np.ndarray:
        """Values of the rows of `fit` at those of the support function."""
        return rows_of_support(values, self._place, self._n_rows, name)

    def _decided_by(self, decisions: Any, X: Any) -> np.ndarray:
        """Probability of decision 1 at the rows of the support function."""
        check_is_fitted(self)
        if not hasattr(decisions, "predict"):
            if X is not None:
                raise ValueError(
                    "X is for decisions that are a fitted classifier; an array of decisions was "
                    "given, which needs none."
                )
            return self._rows_of_support(decisions, "decisions")
        if X is None:
            raise ValueError(
                f"decisions is a {type(decisions).__name__}: pass the rows of fit as X too, so "
                "that it can decide them."
            )
        if hasattr(decisions, "decision_probability"):
            decided = decisions.decision_probability(X)
            known = decisions.classes_.tolist()
            if set(known) != set(self.classes_.tolist()):
                raise ValueError(
                    f"decisions decides between {known}, and fit saw the labels "
                    f"{self.classes_.tolist()}: pass its decisions as an array of probabilities "
                    "of decision 1."
                )
            if decisions.pos_label_ != self.pos_label_:
                decided = 1.0 - decided  # what it calls decision 1 is decision 0 here
        else:
            predicted = np.asarray(decisions.predict(X))
            strange = np.setdiff1d(predicted, self.classes_).tolist()
            if strange:
                raise ValueError(
                    f"decisions predicts {strange[0]!r}, which is none of the labels of fit, "
                    f"{', '.join(map(repr, self.classes_.tolist()))}: pass its decisions as an "
                    "array of 0 and 1."
                )
            decided = (predicted == self.pos_label_).astype(np.float64)
        return self._rows_of_support(decided, "decisions")
