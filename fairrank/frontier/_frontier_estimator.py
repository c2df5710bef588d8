"""FrontierEstimator: the fairness-accuracy frontier of a data set behind an estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
)

from fairrank._binary_target import warn_of_taken_label
from fairrank._columns import named_columns, take_rows
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier._cross_fitted_nuisance import (
    RowNuisance,
    combined,
    known_nuisance,
    repeatedly_cross_fitted,
)
from fairrank.frontier._default_learners import LassoLogistic
from fairrank.frontier._frontier_parameters import (
    check_frontier_parameters,
    check_group_weights,
    checked_weights,
)
from fairrank.frontier._frontier_rule import frontier_rule
from fairrank.frontier._frontier_sample import encoded_clusters, in_named_order
from fairrank.frontier._infers_frontier import InfersFrontier
from fairrank.frontier._learners import LEARNERS, learners_of, weights_of_learners
from fairrank.frontier._losses import (
    DecisionLosses,
    decision_losses,
)
from fairrank.frontier._nuisance import NuisanceForm, NuisanceModel, NuisanceRows
from fairrank.frontier._nuisance_quality import (
    nuisance_quality,
    warn_of_nuisances,
    warn_of_small_group,
)
from fairrank.frontier._selective_labels import check_selected
from fairrank.frontier._support_function import SupportFunction
from fairrank.inference._group_aware_classifier import GroupAwareClassifier, RowsAtFit


class FrontierEstimator(InfersFrontier, GroupAwareClassifier):  # type: ignore[misc]
    """Estimate the fairness-accuracy frontier of a data set, and decide as one of its algorithms.

    A decision rule a(X) that does not see the group gives every group a risk, the mean loss of
    its members. The frontier holds the risks that no other rule betters for both groups and for
    the difference between them [1]_. Nuisances are fitted out of fold, the support function of
    the attainable risks is made of them (`SupportFunction`), and the estimator itself decides
    new rows by the rule of its `direction`, which needs nobody's group.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Learner of outcomes given X, one a group: a classifier with ``predict_proba`` where two
        outcomes set the losses, a regressor of the losses' change otherwise (or in place of a
        classifier). None takes a logistic, or linear, regression with an L1 penalty on
        standardised columns, which must be numbers. A FrozenEstimator is asked as it is, alike
        for all groups. An object with ``delta_theta(X) -> (n, n_groups)`` is taken at its word,
        and nothing is fitted.
    sensitive_features : str, int, list of these, callable or None, default=None
        The group's column of X by name or position (negative counts from the end), a list of
        them (their intersections), or ``X -> groups``. None takes the groups from `fit`. Named
        columns are always dropped from what the learners see; with a callable you must drop them
        yourself, inside the estimator, for the rules to be blind to the group.
    loss : {"zero_one", "squared"}, dict or callable, default="zero_one"
        Loss of decision d at outcome y. "zero_one": 1 where d is not y, d = 1 being `pos_label`.
        A dict ``{"false_positive": a, "false_negative": b}``: what either error costs, above 0.
        "squared": (d - y) squared for a real y. A callable ``loss(d, y) -> array`` of one finite
        number a row, d being an array of 0 or of 1 and y the labels as they are given.
    nuisance : {"factorized", "direct"}, default="factorized"
        "factorized": P(G = g | X) times E[loss_1 - loss_0 | X, G = g], by a classifier of groups
        and one learner a group. "direct", the paper's: E[(loss_1 - loss_0) 1{G = g} | X], by one
        classifier of all cells of group and outcome, or one regression a group on all rows.
    cv : int, splitter, iterable or None, default=5
        Folds that part the rows. A number stratifies by group and outcome (and selection), and
        keeps clusters together; a splitter is given them in one as y. None takes the nuisances of
        the training rows, which are too sure of themselves.
    capacity : float in (0, 1], default=None
        Largest share of the rows that `direction`'s rule may give decision 1.
    direction : str or array-like of shape (n_groups,), default="utilitarian"
        Which algorithm the estimator decides as: "rawlsian", "majority", "utilitarian",
        "egalitarian", or weights, negative for risks that are to be small.
    n_repeats : int, default=1
        Times the folds are dealt out anew. The support function is that of the medians of
        `delta_theta_` over the repeats (which only sign decisions) and, where labels are
        selective, the means of the pseudo-losses; each repeat's own is in `support_functions_`.
    group_names : sequence, default=None
        Groups in the order of coordinates; the first is called r, the second b. By default
        sorted.
    group_estimator : classifier, default=None
        Of the group given X. By default `estimator` where that is a classifier that is not frozen,
        else the logistic regression that None stands for.
    selection_estimator : classifier, default=None
        Of being selected given X, one a group. By default that of the group.
    overlap : float in (0, 1), default=0.01
        Least estimated probability of being selected that is put up with.
    pos_label : label, default=None
        What decision 1 is called, by default the greater label. Of an outcome without two labels
        decisions are called 0 and 1.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out. "drop" leaves
        them out of everything; to predict no group is needed.
    n_jobs : int, default=None
        Folds fitted in parallel (joblib). No number depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the folds. That of a learner is the learner's own.

    Attributes
    ----------
    support_function_ : SupportFunction
        Attainable risks in every direction. Its rows are those of `fit` that have a group.
    support_functions_ : list of SupportFunction
        One a repeat.
    best_points_ : ndarray of shape (n_groups, n_groups)
        Row g: risks of all groups where that of group g is least. Of two groups R and B.
    fairest_point_ : FairestPoint
        F. Two groups, as all that follows up to `pareto_frontier_`; with more, they raise
        AttributeError.
    skew_ : {"balanced", "r", "b"}
        Whether R and B lie on both sides of equal risks. r is the first of `group_names_` and b
        the second, whatever they are called.
    skewed_towards_ : tuple
        The group that has the lower risk at R and at B, by its own name; empty when balanced.
    feasible_set_ : ndarray of shape (n_corners, 2)
        Corners of the risks that no direction excludes.
    frontier_, pareto_frontier_ : ndarray of shape (n_corners, 2)
        Corners of the plug-in frontiers.
    standard_errors_ : dict of str to ndarray
        "best_points" (n_groups, n_groups) and, of two groups, "fairest_point" (2,), from
        influence functions.
    group_names_ : tuple
        Groups in the order of coordinates. Also as `groups_`.
    rule_ : FrontierRule
        Of `direction` within `capacity`.
    nuisance_ : object with ``delta_theta(X)``
        The learners, fitted on all rows.
    nuisance_quality_ : dict of str to NuisanceQuality
        Out of fold, of the first repeat; empty where `delta_theta` was known.
    delta_theta_ : ndarray of shape (n_samples, n_groups)
        E[(loss_1 - loss_0) 1{group g} | X] out of fold. NaN, as in the next two, for rows without
        a group.
    own_delta_ : ndarray of shape (n_samples,) or None
        E[loss_1 - loss_0 | X, G] at the row's own group; None where it was not estimated.
    out_of_fold_decisions_ : ndarray of shape (n_samples,)
        Probability of decision 1 under `rule_`, by nuisances that did not see the row.
    folds_ : ndarray of int, shape (n_repeats, n_samples)
        The fold that held each row out; -1 where none.
    classes_ : ndarray of shape (2,)
    pos_label_ : label
        Of `classes_`, what decision 1 is called.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.

    Raises
    ------
    DegenerateGroupError
        One group only, or one that a fold trains on no row of.
    NotIdentifiedError
        Labels are selective, and rows have next to no chance of being selected.
    ValueError, TypeError, AttributeError
        Bad input: the message names the argument, what was seen and what to do.

    Warns
    -----
    NuisanceWarning
        Out of fold a nuisance predicts worse than a constant, or is too sure of itself; or a
        learner takes no weights.
    SmallGroupWarning
        The smallest group has fewer than 500 rows.
    UserWarning
        `pos_label` is None, and the labels are neither 0 and 1, nor -1 and 1, nor booleans.

    See Also
    --------
    SupportFunction : The same from losses and nuisances of one's own.

    Notes
    -----
    Costs ``cv * n_repeats + 1`` times a fit of the learners (1 + n_groups of them, factorized) and
    O(n log n). Regularise nuisances well, above all those that X tells little of: their noise
    draws the estimated frontier inward.

    The levels of the frontier rest on what happened and on decisions out of fold. What
    `predict` gets on the rows of `fit` does not: judge it on other rows.

    **Selective labels.** With `selected` the outcome was seen for those rows only, as lenders see
    repayment of those they lent to. It is taken to depend on nothing but X and the group who was
    selected. The losses are then pseudo-losses: the mean loss given X and group among the
    selected, plus what a selected row departs from it over the probability of being selected.
    The group's share given X is learnt on all rows. scikit-learn's cross-validation refuses NaN
    in y: put some label there.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Support Function Estimator and Its Asymptotic Distribution". Factorized
       nuisances, their quality, pseudo-losses and capacity are fairrank's own.

    Examples
    --------
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(group_names=("r", "b"), random_state=0).fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features
    ... )
    >>> frontier.skew_
    'balanced'
    >>> print(frontier.best_points_.round(2))
    [[0.27 0.64]
     [0.65 0.29]]
    >>> print(frontier.fairest_point_.point.round(2))
    [0.4 0.4]
    >>> frontier.predict(data.data[:3])
    array([0, 1, 1])
    """

    __metadata_request__fit = dict.fromkeys(
        ("sensitive_features", "sample_weight", "clusters", "selected", "loss_0", "loss_1"), True
    )
    __metadata_request__predict = {"sensitive_features": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"sensitive_features": UNUSED}  # noqa: RUF012
    __metadata_request__decision_function = {"sensitive_features": UNUSED}  # noqa: RUF012
    __metadata_request__score = {"sensitive_features": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any = None,
        *,
        sensitive_features: Any = None,
        loss: Any = "zero_one",
        nuisance: str = "factorized",
        cv: Any = 5,
        capacity: float | None = None,
        direction: Any = "utilitarian",
        n_repeats: int = 1,
        group_names: Any = None,
        group_estimator: Any = None,
        selection_estimator: Any = None,
        overlap: float = 0.01,
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.loss = loss
        self.nuisance = nuisance
        self.cv = cv
        self.capacity = capacity
        self.direction = direction
        self.n_repeats = n_repeats
        self.group_names = group_names
        self.group_estimator = group_estimator
        self.selection_estimator = selection_estimator
        self.overlap = overlap
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        selected: Any = None,
        loss_0: Any = None,
        loss_1: Any = None,
    ) -> Self:
        """Estimate the nuisances out of fold, the frontier on them, and the rule of `direction`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Of pandas, polars or numpy; with the columns that the constructor names.
        y : array-like of shape (n_samples,)
            Outcomes: two labels, or what `loss` takes. With `selected`, any value where the
            outcome was not seen, NaN and None too; it is not looked at.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        sample_weight : array-like of shape (n_samples,), optional
            Survey weights, at least 0, of risks and nuisances.
        clusters : array-like of shape (n_samples,), optional
            Rows of one cluster are dependent: a number of folds keeps them together, and errors
            count them as one.
        selected : array-like of bool of shape (n_samples,), optional
            True where the outcome was seen.
        loss_0, loss_1 : array-like of shape (n_samples,), optional
            What decision 0 and decision 1 cost in each row, in place of `loss`.

        Returns
        -------
        FrontierEstimator
            Itself, fitted.
        """
        check_frontier_parameters(self)
        sample_weight = checked_weights(sample_weight)
        metadata = {
            "sensitive_features": sensitive_features, "sample_weight": sample_weight,
            "clusters": clusters, "selected": selected, "loss_0": loss_0, "loss_1": loss_1,
        }
        metadata = {name: value for name, value in metadata.items() if value is not None}
        found: dict[str, Any] = {}

        def read_target(y: Any) -> tuple[np.ndarray, np.ndarray, Any]:
            seen = None
            if selected is not None:
                seen = check_selected(selected, np.shape(y)[0])
            losses = decision_losses(
                self.loss, y, pos_label=self.pos_label, selected=seen, loss_0=loss_0,
                loss_1=loss_1, owner=type(self).__name__,
            )
            found.update(losses=losses, seen=seen)
            return losses.y, losses.outcome, losses.pos_label

        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        given = self._rows_at_fit(
            X, y, sensitive_features, weights, "a frontier needs", read_target
        )
        self._fit_rows(given, found["losses"], found["seen"], clusters, metadata)
        return self

    def _learner(self) -> Any:
        if self.estimator is None or hasattr(self.estimator, "delta_theta"):
            return LassoLogistic()
        return self.estimator

    def _columns_to_drop(self, X: Any) -> tuple[int, ...]:
        return named_columns(X, X.shape[1], self.sensitive_features)

    def _routed_fit_params(self, sensitive_features: Any, fit_params: dict) -> dict:
        # The learners get weights only, each by its own name; see `_fit_rows`.
        return {}

    def _fit_rows(
        self, given: RowsAtFit, losses: DecisionLosses, seen: np.ndarray | None, clusters: Any,
        metadata: dict,
    ) -> None:
        code, names = in_named_order(given.groups.codes, given.groups.labels, self.group_names)
        if len(names) < 2:
            raise DegenerateGroupError(
                f"sensitive_features holds one group, {names[0]!r}: a frontier is between two or "
                "more."
            )
        if losses.by_outcome is not None:
            warn_of_taken_label(losses.y, self.pos_label, losses.pos_label, called="decision 1")
        n_rows = code.size
        place = np.flatnonzero(given.groups.keep)
        cluster, _ = encoded_clusters(clusters)
        if cluster is not None and cluster.size != n_rows:
            raise ValueError(f"clusters has {cluster.size} rows, and X {n_rows}.")
        weight = None if given.weight is None else given.weight[place]
        whole = place.size == n_rows
        seen_rows = np.ones(n_rows, dtype=bool) if seen is None else seen
        rows = NuisanceRows(
            code=code.astype(np.intp)[place], outcome=losses.outcome.astype(np.intp)[place],
            loss_0=losses.loss_0[place], change=(losses.loss_1 - losses.loss_0)[place],
            selected=seen_rows[place],
        )
        X = given.seen if whole else take_rows(given.seen, place)
        cluster = None if cluster is None else cluster[place]
        check_group_weights(rows.code, weight, names)
        warn_of_small_group(rows.code, names, self.n_repeats)
        repeats, model = self._nuisances(X, rows, losses, weight, cluster, names, metadata)

        def support_function(nuisance: RowNuisance) -> SupportFunction:
            # By codes, since a group that is None is one here, and nowhere below.
            support = SupportFunction(
                nuisance.loss_0, nuisance.loss_1, nuisance.delta_theta,
                sensitive_features=rows.code, sample_weight=weight, clusters=cluster,
            )
            support._sample = replace(support._sample, group_names=names)
            return support

        whole_nuisance = combined(repeats)
        self.support_function_ = support_function(whole_nuisance)
        self.support_functions_ = (
            [self.support_function_] if len(repeats) == 1 else list(map(support_function, repeats))
        )
        self.rule_ = frontier_rule(
            self.support_function_, self.direction, capacity=self.capacity
        )
        self.delta_theta_ = _among(n_rows, place, whole_nuisance.delta_theta)
        own = whole_nuisance.own_delta
        self.own_delta_ = None if own is None else _among(n_rows, place, own)
        self.out_of_fold_decisions_ = _among(
            n_rows, place, self.rule_.probability(whole_nuisance.delta_theta)
        )
        self.folds_ = np.full((len(repeats), n_rows), -1, dtype=np.intp)
        self.folds_[:, place] = [one.fold for one in repeats]
        self.classes_, self.pos_label_ = losses.classes, losses.pos_label
        self.group_names_ = self.groups_ = names
        self._place, self._n_rows = place, n_rows
        self._loss_is_known = "loss_0" not in metadata
        self.nuisance_ = model

    def _nuisances(
        self, X: Any, rows: NuisanceRows, losses: DecisionLosses, weight: np.ndarray | None,
        cluster: np.ndarray | None, names: tuple, metadata: dict,
    ) -> tuple[list[RowNuisance], Any]:
        """Nuisances of the rows, one a repeat, and of rows to come."""
        selective = "selected" in metadata
        self.nuisance_quality_ = {}
        if hasattr(self.estimator, "delta_theta"):
            return [known_nuisance(self.estimator, X, rows, names, selective)], self.estimator
        learners = learners_of(
            self.estimator, self.group_estimator, self.selection_estimator,
            two_outcomes=losses.by_outcome is not None,
        )
        negative = losses.classes[losses.classes != losses.pos_label]
        form = NuisanceForm(
            kind=self.nuisance, group_names=names, selective=selective,
            classes=np.append(negative, losses.pos_label).astype(losses.classes.dtype),
            by_outcome=None if is_regressor(learners[0]) else losses.by_outcome,
        )
        model = NuisanceModel(*learners, form, weights_of_learners(self, learners, metadata))
        repeats = repeatedly_cross_fitted(
            model, X, rows, cv=self.cv, n_repeats=self.n_repeats, overlap=self.overlap,
            weight=weight, clusters=cluster, n_jobs=self.n_jobs, random_state=self.random_state,
        )
        self.nuisance_quality_ = nuisance_quality(form, rows, repeats[0], weight)
        if self.cv is not None:
            warn_of_nuisances(self.nuisance_quality_)
        params = {} if weight is None else {"sample_weight": weight}
        return repeats, clone(model).fit(X, rows.table(), **params)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell a whole fit from one that broke off."""
        return hasattr(self, "nuisance_")

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what is asked of metadata routing: the groups at fit, unless a column holds them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the learners' own requests for ``fit``.
        """
        request = self._get_metadata_request()
        if self.sensitive_features is not None:
            request.fit.add_request(param="sensitive_features", alias=False)
        router = MetadataRouter(owner=self).add_self_request(request)
        for name in LEARNERS:
            if getattr(self, name) is not None:
                router.add(
                    **{name: getattr(self, name)},
                    method_mapping=MethodMapping().add(caller="fit", callee="fit"),
                )
        return router


def _among(n_rows: int, place: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of some rows among all; NaN elsewhere."""
    if place.size == n_rows:
        return values
    filled = np.full((n_rows, *values.shape[1:]), np.nan)
    filled[place] = values
    return filled
