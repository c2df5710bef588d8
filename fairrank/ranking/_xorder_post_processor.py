"""XOrderPostProcessor: fair_ordering behind an estimator, for new rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank._validation import check_count
from fairrank.exceptions import InfeasibleError
from fairrank.inference._scored_rows import ScoredRows
from fairrank.ranking._fair_ordering import fair_ordering
from fairrank.ranking._fair_ordering_result import FairOrdering
from fairrank.ranking._ranking_trade_off import RankingTradeOff, trade_off_of
from fairrank.ranking._score_post_processor import ScorePostProcessor


class XOrderPostProcessor(ScorePostProcessor):
    """Re-rank the groups of any binary scorer so that AUC suffers least from a smaller disparity.

    The estimator scores rows out of fold, `fair_ordering` interleaves the groups, and what it
    finds is kept as one monotone map a group: score -> fair score. New rows go through the map of
    their group, each by itself. Inside a group the order by score is kept.

    Parameters
    ----------
    estimator : estimator
        Cloned and refitted; a FrozenEstimator is asked as it is, for all rows. A classifier, or a
        regressor or ranker with ``response_method="predict"``, which is fitted to 1 for the
        positive label and 0 for the other.
    sensitive_features : str, int, list of these, callable or None, default=None
        The group's column of X by name or position (negative counts from the end), a list of
        them (their intersections), or ``X -> groups``. None takes the groups from `fit` and from
        every method that predicts, which scikit-learn's scorers and searches never pass on.
    drop_sensitive : bool, default=False
        Take the named columns out of what the estimator sees.
    disparity : {"xauc", "prf", "urf"}, default="xauc"
        As in `fairrank.metrics.ranking_disparity`; of more than two groups the largest over
        pairs.
    max_disparity : float in [0, 1], default=None
        Largest disparity accepted. With neither this nor `trade_off`, the smallest that is found.
    trade_off : float, default=None
        Maximise ``AUC - trade_off * disparity``; from 0 to 1e5.
    solver : {"calibrated", "hull", "lattice"}, default="calibrated"
        As in `fair_ordering`. "calibrated" does best on new rows; "hull" is certified on the rows
        of the fit and follows their noise more closely; "lattice" is the paper's.
    finish : {"auto", "two_split", "labels"}, default="auto"
        How "hull" ends where two orders tie.
    calibrator : {"logistic", "hull"} or classifier, default=None
        For "calibrated": how scores become odds inside a group.
    cv : int, splitter, iterable or None, default=5
        Folds that the order's scores come from. A number stratifies by outcome and group, and a
        splitter is given them both in one as y. None orders the scores of the training rows, as
        the paper does: with flexible models such maps fail on new rows. For a FrozenEstimator
        folds only make the held-out report.
    fold_ensemble : bool, default=False
        Average the fair scores of the folds' models, whose scores the maps were fitted on,
        instead of refitting the estimator on all rows.
    subsample : int, default=None
        Order about so many rows, every m-th of each sorted group.
    response_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        What the score is; "auto" is the first of the first two that the estimator has.
    pos_label : label, default=None
        The outcome that a higher fair score speaks for; the greater label by default.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out. "drop" fits
        the estimator to them and leaves them out of the order; to predict, a row without a group
        is an error.
    n_jobs : int, default=None
        Folds fitted in parallel (joblib). No number depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds. That of the estimator is the estimator's own.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all rows; absent with `fold_ensemble`.
    estimators_ : list of estimator
        Those whose fair scores are averaged: `estimator_` alone, or those of the folds.
    ordering_ : FairOrdering
        The order of the rows of the fit, its maps, its bound.
    score_maps_ : dict of group to dict
        Knots of every group's map, ``{"score": ascending, "fair_score": never decreasing}``:
        linear between, clamped outside.
    groups_ : tuple
        The groups that have a map.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.
    out_of_fold_scores_ : ndarray of shape (n_samples,)
        The scores that were ordered; NaN where no fold held a row out.
    auc_before_, auc_after_ : float
        Of the scores that were ordered, as they came and in the fair order.
    disparity_before_, disparity_after_ : float
        Likewise.
    optimality_gap_ : float
        What the AUC (or the objective) could still gain on the rows of the fit, at most; NaN
        where no bound is known.
    held_out_auc_, held_out_disparity_ : float
        Means over the folds, each by a model and maps that were fitted without it, though the
        models that scored the other folds for the maps were trained with it; NaN without folds.
    held_out_standard_error_ : float
        Of `held_out_disparity_` for given maps.
    held_out_folds_ : dict of str to ndarray of shape (n_folds,)
        A line a fold: "n_rows", "auc_before", "auc", "disparity_before", "disparity",
        "standard_error".

    Raises
    ------
    DegenerateGroupError
        One group only, or a group that lacks the class which the disparity needs.
    InfeasibleError
        No order was found with `max_disparity` or less.
    UnseenGroupError
        To predict: a group that was not there at fit.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    fair_ordering : The order of one scored sample.
    PostLogitPostProcessor : The baseline.
    fairrank.inference.ranking_disparity_interval : How sure a disparity is.
    fairrank.metrics.make_fairness_scorer : Scores it in a search.

    Notes
    -----
    Costs ``cv + 1`` fits, and ``cv + 1`` orders of O(n log n). To predict: the estimator, and
    O(log n) a row.

    Optimality is a statement about the rows of the fit. On new rows the sampling noise of the
    disparity remains, whatever the solver: its size is `held_out_standard_error_`.
    `held_out_disparity_` shows it at the size of a fold, as `cross_validate` does: where nothing
    but noise is left, folds show more than a new sample as large as that of the fit will.
    (Disparities of the folds, added with their signs, would cancel: what a fold has too much of,
    the map of the others was fitted without.)

    Scores out of fold are decisive with flexible models: those of a forest's own training rows
    lie far from what it gives to others, and maps fitted on them are wrong.

    `decision_function` is the fair score less the one at which probabilities pass one half, so
    that its sign is the prediction; `transform` gives the fair score itself. `predict_proba` is
    one increasing function of the fair score for all groups: ranking metrics are the same by any
    of them, and it is calibrated on everybody together, not inside every group.

    In scikit-learn name the group's column, and drop it inside where the model must not see it:
    ``XOrderPostProcessor(make_pipeline(drop_race, model), sensitive_features="race")``.

    References
    ----------
    Cui, Pan, Zhang, Wang: "Bipartite Ranking Fairness through a Model Agnostic Ordering
    Adjustment" (xOrder). The maps, out-of-fold scores and solver "calibrated" are fairrank's own.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> from fairrank import XOrderPostProcessor, make_fairness_scorer, xauc_disparity
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=2000), rng.random(2000) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=2000) > 0.5).astype(int)
    >>> model = XOrderPostProcessor(
    ...     LogisticRegression(), sensitive_features=1, max_disparity=0.05, random_state=0
    ... ).fit(X, y)
    >>> model.ordering_
    FairOrdering(xauc 0.2445 -> 0.0500, AUC 0.8675 -> 0.8570, gap 6.0e-03, 1.0 above 0.0)
    >>> xauc = make_fairness_scorer(xauc_disparity, sensitive_features=1)
    >>> found = cross_validate(model, X, y, scoring={"auc": "roc_auc", "xauc": xauc})
    >>> bool(found["test_xauc"].mean() > -0.1)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: Any = None,
        drop_sensitive: bool = False,
        disparity: str = "xauc",
        max_disparity: float | None = None,
        trade_off: float | None = None,
        solver: str = "calibrated",
        finish: str = "auto",
        calibrator: Any = None,
        cv: Any = 5,
        fold_ensemble: bool = False,
        subsample: int | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.drop_sensitive = drop_sensitive
        self.disparity = disparity
        self.max_disparity = max_disparity
        self.trade_off = trade_off
        self.solver = solver
        self.finish = finish
        self.calibrator = calibrator
        self.cv = cv
        self.fold_ensemble = fold_ensemble
        self.subsample = subsample
        self.response_method = response_method
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _ordering(self, rows: ScoredRows, sensitive_features: np.ndarray, *,
                  lenient: bool = False) -> FairOrdering:
        try:
            return self._solved(
                rows, sensitive_features, trade_off=self.trade_off,
                max_disparity=self.max_disparity,
            )
        except InfeasibleError:
            if not lenient:
                raise
            return self._solved(rows, sensitive_features)

    def _solved(self, rows: ScoredRows, sensitive_features: np.ndarray,
                **objective: Any) -> FairOrdering:
        return fair_ordering(
            rows.outcome,
            rows.score,
            sensitive_features=sensitive_features,
            disparity=self.disparity,
            solver=self.solver,
            finish=self.finish,
            calibrator=self.calibrator,
            subsample=self.subsample,
            sample_weight=rows.weight,
            missing="group",
            **objective,
        )

    def _report(self, rows: ScoredRows, ordering: FairOrdering) -> None:
        super()._report(rows, ordering)
        self.optimality_gap_ = ordering.optimality_gap
        self.score_maps_ = {
            group: {"score": to_fair.score, "fair_score": to_fair.fair_score}
            for group, to_fair in ordering.score_maps.items()
        }

    def trade_off_path(self, n_points: int = 11) -> RankingTradeOff:
        """AUC against disparity, from the smallest disparity to that of the best AUC.

        Parameters
        ----------
        n_points : int, default=11
            Allowed disparities, evenly spaced; at least 2.

        Returns
        -------
        RankingTradeOff
            Fitted on the scores of the fit, with the bound, and held out. Whatever
            `max_disparity` and `trade_off` of this estimator are.

        Notes
        -----
        Nothing is refitted: ``n_points * (1 + n_folds)`` orders of O(n log n).
        """
        check_is_fitted(self)
        check_count(n_points, "n_points", minimum=2)

        def order(rows: ScoredRows, **objective: Any) -> FairOrdering:
            return self._solved(rows, rows.code, **objective)

        return trade_off_of(self._rows, order, int(n_points))
