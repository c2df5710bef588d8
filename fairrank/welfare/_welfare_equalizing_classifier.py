"""WelfareEqualizingClassifier: the optimal welfare-equalizing policy behind an estimator."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

from fairrank._validation import check_choice, check_fraction
from fairrank.welfare._lending_policy import PolicyOptions, lending_policy
from fairrank.welfare._lending_terms import TermSources
from fairrank.welfare._predicts_decisions import PredictsDecisions

CAPACITY_UNITS = ("people", "amount")


class WelfareEqualizingClassifier(PredictsDecisions):
    """Accept those who bring most revenue, such that every group has the same welfare.

    The estimator gives P(good case) out of fold, `welfare_optimal_policy` finds the multiplier of
    every group, and new rows are accepted where their expected revenue passes that multiple of
    their expected utility. Every row is decided by itself.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned and refitted. A FrozenEstimator is asked as it is, for all rows, which must be rows
        that it was not trained on: of those it half knows the outcomes, so that policy, promises
        and what is called held out and realized are all fiction, and nothing here can tell it for
        certain (see Warns).
    sensitive_features : str, int, list of these, callable or None, default=None
        The group's column of X by name or position (negative counts from the end), a list of
        them (their intersections), or ``X -> groups``. None takes the groups from `fit` and from
        every method that predicts, which scikit-learn's scorers and searches never pass on.
    drop_sensitive : bool, default=False
        Take the named columns out of what the estimator sees. Its probabilities are then wrong
        inside the groups unless they are recalibrated.
    utility : str, int, list of one column, callable or array, default="demographic_parity"
        What being accepted is worth to a person: "demographic_parity", "equal_opportunity" or
        "heterogeneous_opportunity" (see `expected_utility`); a column of X that holds the expected
        utility; ``(X, sensitive_features) -> (n, 2)``, utilities at y = bad and y = good, the
        groups coming as one label a row; or an array of shape (n_samples,) or (n_samples, 2).
    gain, loss : float, str, list of one column, callable or array, default=1.0
        What a good case brings and a bad one costs, above 0: one number; the name of a column, or
        its name or position in a list (``[3]``, because 3 is a number); ``X -> (n,)``; an array.
        Arrays hold the rows of `fit` only, and predicting raises.
    amount : the same, or None, default=None
        What each person asks for, above 0. Read where "heterogeneous_opportunity" or
        ``capacity_unit="amount"`` need it; gain and loss are not multiplied by it.
    scale : {"attainable", "amount"}, default="attainable"
        Of "heterogeneous_opportunity", as in `expected_utility`.
    drop_terms : bool, default=False
        Take the columns that `utility`, `gain`, `loss` and `amount` name out of what the
        estimator sees, as columns of `drop_sensitive`.
    tolerance : float, default=0.0
        Largest difference between the groups' welfare.
    smoothing : float in [0, 1), default=0.0
        As in `welfare_optimal_policy`.
    capacity : float in (0, 1], default=None
        Share of the people that can be accepted, or of the money they ask for that can be lent.
    capacity_unit : {"people", "amount"}, default="people"
        What `capacity` is a share of: people, or the money they ask for (`amount`).
    method : {"sweep", "linprog", "search"}, default="sweep"
        As in `welfare_optimal_policy`.
    recalibrate : {None, "logistic", "isotonic"}, default=None
        Pass the probabilities through one increasing curve a group, fitted on those out of fold;
        needed where the model cannot see the group. Groups with few cases take "logistic".
    cv : int, splitter, iterable or None, default=5
        Folds that the probabilities come from. A number stratifies by outcome and group, and a
        splitter is given them both in one as y. None takes those of the training rows, which are
        too sure of themselves. For a FrozenEstimator folds only part the rows for
        recalibration and the held-out report.
    nested : bool, default=False
        Find the policy of the held-out report on probabilities of models that saw nothing of the
        fold held out: ``cv * (cv - 1) / 2`` more fits, each without two folds.
    pos_label : label, default=None
        The good case, which brings `gain`, and what `predict` gives to accepted persons. By
        default the greater label: 1 of 0 and 1, or of -1 and 1, and True. Of other labels too, as
        scikit-learn expects, but with a warning: "late" is greater than "good", and the whole
        policy would be the wrong way round.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out. "drop" fits
        the estimator to them and leaves them out of the policy; to predict, a row without a group
        is an error.
    n_jobs : int, default=None
        Folds fitted in parallel (joblib). No number depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds. That of the estimator is the estimator's own.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    policy_ : WelfarePolicy
        On the probabilities out of fold, with bound and frontiers. Its `acceptance` is NaN for
        rows without a group. With a capacity, see `CapacityPolicy.policy`: where it binds,
        `acceptance_probability` of the classifier decides on other rows, not that of the policy.
    thresholds_ : dict of str to list
        A line a group: "group", "share", "multiplier" (lambda), "tie_probability" (tau),
        "welfare", "acceptance_rate" and "revenue" with and without the condition, and
        "threshold", that on the probability of `pos_label_` where it is one number for the
        group, else None; and "pos_label" itself. It is one number where the utility is a named
        one and gain, loss and amount, where they count, differ between the rows of the fit by one
        factor only: all the same, or all multiples of the amount.
    groups_, raised_groups_, lowered_groups_ : tuple
        All, and those whose welfare the condition moves.
    disadvantaged_group_ : group or None
        Least welfare without the condition, by what happened; None where it is less than 2
        standard errors below the next.
    disadvantage_ : dict of str to list
        How sure that is, a line a group: "welfare", "standard_error" (no less than what few rows
        that are all decided alike leave open), "z" from the lowest,
        "probability_lowest".
    price_of_fairness_ : float
        Revenue per person that the condition is expected to cost (on the rows of the fit).
    promised_, realized_ : PolicyOutcome
        Revenue, price and welfare on the rows of the fit by probability, and by what happened.
        Standard errors of what is promised are those of sampling rows, with the probabilities
        taken as true.
    held_out_promised_, held_out_realized_ : PolicyOutcome or None
        The same, each fold decided by the policy of the others; None without folds. With `nested`
        nothing that decides on a row knows its outcome. Without, in one way only: the models
        that scored the other folds, on whose probabilities policy and recalibration rest, were
        trained with it. Of a FrozenEstimator nothing was held out but from recalibration and
        policy: give `fit` rows that it was not trained on.
    held_out_folds_ : dict of str to ndarray of shape (n_folds,)
        A line a fold: "n_rows", "revenue_unconstrained", "revenue_promised", "revenue",
        "revenue_standard_error", "price_of_fairness", "welfare_gap_promised", "welfare_gap".
    calibration_ : dict of str to list
        Two lines a group, "rows" being "accepted" persons or those whose decision is "changed":
        "expected" and "observed" good cases, and "z", their difference in standard errors; NaN
        where there are none, or all probabilities are 0 or 1 and right. "n_rows" adds the parts
        of persons, since a tie is accepted with a probability, times their weights: it need not
        be a whole number.
    deterministic_welfare_gap_ : float
        Difference between the groups' welfare that `predict` leaves by drawing for nobody.
    shadow_price_ : float
        Revenue that one more unit of capacity brings; 0 where it does not bind.
    out_of_fold_probabilities_ : ndarray of shape (n_samples,)
        Before recalibration; NaN where no fold held a row out.
    policy_probabilities_ : ndarray of shape (n_samples,)
        Those that the policy was found on: after recalibration, by curves without the row's fold.
        NaN for rows that had no part in it. With ``policy_.acceptance`` they are for
        `fairrank.welfare.mismatch_report` on the rows of the fit; on new rows the method of that
        name takes those of `predict_proba`.
    classes_ : ndarray of shape (2,)
    pos_label_ : label
        Of `classes_`, the one that was taken for the good case.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Raises
    ------
    DegenerateGroupError
        One group only, a group without a good case where the utility needs one, or one whose
        welfare no decision changes.
    UnseenGroupError
        To predict: a group that was not there at fit.
    ValueError, TypeError, AttributeError
        Bad input: the message names the argument, what was seen and what to do.

    Warns
    -----
    CalibrationWarning
        Probabilities are more than 3 standard errors wrong inside a group; where they are wrong
        the same way in all groups, the message names over-fitting and rows seen in training. All
        accepted persons of a group have probability 0 or 1. The group's column was dropped and
        nothing recalibrates.
    UserWarning
        `pos_label` is None, and the labels are neither 0 and 1, nor -1 and 1, nor booleans.

    See Also
    --------
    welfare_optimal_policy : The policy of given revenues and utilities.
    capacity_constrained_policy : The same within a capacity.

    Notes
    -----
    Costs ``cv + 1`` fits, more with `nested`, and ``cv + 1`` policies of O(n log n). To predict:
    the estimator and O(1) a row.

    Thresholds that depend on the group are disparate treatment in the law of some countries
    (credit in the United States is one): ask before such a policy is used. Equal welfare is
    neither the largest least welfare nor the largest total: `thresholds_` shows who gains, and
    ``policy_.values.total_welfare`` the total. What is equalized depends on the scale of the
    utility: one twice as large in a group halves what its members get, and the named utilities
    take their scale (beta) from the probabilities at fit.

    What is promised rests on the probabilities. Where they are wrong inside a group, the price is
    not what it seems and welfare is not equal: see `calibration_`, and compare `promised_` with
    `held_out_realized_`, which without `nested` is nearly, not fully, nested (see there).

    `predict_proba` is P(good case) of the estimator, recalibrated where asked, so that log loss,
    Brier score and calibration keep their meaning. `acceptance_probability` is the policy, a
    number strictly between 0 and 1 only for ties (and for smoothing or a capacity). `predict`
    accepts from one half on; `decision_function` is revenue less its threshold and has that sign.
    Decisions are drawn only by `draw`, from a seed.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", sections 2 and 4. Probabilities out of fold, held-out reports, recalibration and
    capacity are fairrank's own.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank import WelfareEqualizingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=4000), rng.random(4000) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=4000) > 0.5).astype(int)
    >>> lender = WelfareEqualizingClassifier(
    ...     LogisticRegression(), sensitive_features=1, utility="equal_opportunity", loss=2.0,
    ...     random_state=0,
    ... ).fit(X, y)
    >>> lender.raised_groups_, lender.lowered_groups_, round(lender.price_of_fairness_, 4)
    ((0.0,), (1.0,), 0.0198)
    >>> round(lender.held_out_realized_.price_of_fairness, 4)
    0.0245
    >>> lender.disadvantaged_group_
    0.0
    >>> [round(threshold, 3) for threshold in lender.thresholds_["threshold"]]
    [0.56, 0.795]
    >>> lender.acceptance_probability(X[:3])
    array([0., 0., 1.])
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: Any = None,
        drop_sensitive: bool = False,
        utility: Any = "demographic_parity",
        gain: Any = 1.0,
        loss: Any = 1.0,
        amount: Any = None,
        scale: str = "attainable",
        drop_terms: bool = False,
        tolerance: float = 0.0,
        smoothing: float = 0.0,
        capacity: float | None = None,
        capacity_unit: str = "people",
        method: str = "sweep",
        recalibrate: Any = None,
        cv: Any = 5,
        nested: bool = False,
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.drop_sensitive = drop_sensitive
        self.utility = utility
        self.gain = gain
        self.loss = loss
        self.amount = amount
        self.scale = scale
        self.drop_terms = drop_terms
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.capacity = capacity
        self.capacity_unit = capacity_unit
        self.method = method
        self.recalibrate = recalibrate
        self.cv = cv
        self.nested = nested
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **fit_params: Any) -> Self:
        """Find probabilities out of fold and the policy on them, and fit the estimator on all.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Of pandas, polars or numpy; with the columns that the constructor names.
        y : array-like of shape (n_samples,)
            Two labels: whether the case turned out well.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        **fit_params : dict
            Passed to the estimator's ``fit``, those with one value a row restricted to the
            training rows; with metadata routing enabled, what the estimator requests. Policy and
            reports are weighted too by ``sample_weight``, or by the one parameter that ends in
            ``__sample_weight``.

        Returns
        -------
        WelfareEqualizingClassifier
            Itself, fitted.
        """
        self._check_parameters()
        given = self._rows_at_fit(X, y, sensitive_features, fit_params, "a policy needs")
        options = PolicyOptions(
            solver={
                "tolerance": self.tolerance, "smoothing": self.smoothing, "method": self.method
            },
            capacity=self.capacity, by_amount=self.capacity_unit == "amount",
            recalibrate=self.recalibrate,
        )
        terms = self._fit_policy(given, partial(lending_policy, options=options))
        self.thresholds_["threshold"] = self._found.thresholds(terms)
        self.shadow_price_ = self._found.shadow_price
        return self

    def _check_parameters(self) -> None:
        self._check_policy()
        check_choice(self.capacity_unit, CAPACITY_UNITS, "capacity_unit")
        check_fraction(self.smoothing, "smoothing", low_open=False, high_open=True)
        if self.capacity is not None:
            check_fraction(self.capacity, "capacity")

    def _term_sources(self) -> TermSources:
        by_amount = self.capacity is not None and self.capacity_unit == "amount"
        named = isinstance(self.utility, str) and self.utility == "heterogeneous_opportunity"
        return TermSources(
            gain=self.gain, loss=self.loss, amount=self.amount, utility=self.utility,
            scale=self.scale, needs_amount=by_amount or named,
        )
