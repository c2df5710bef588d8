"""FeatureRemovalAuditor: which features carry the unfairness, and what removing them costs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import validate_data

from fairrank._binary_target import binary_target
from fairrank._columns import indexable_rows
from fairrank._sensitive import MISSING_RULES
from fairrank._validation import (
    check_choice,
    check_count,
    check_fraction,
    check_same_length,
    check_sample_weight,
    is_missing,
)
from fairrank.audit._audit_plan import (
    AuditPlan,
    check_refittable,
    column_label,
    plan_audit,
)
from fairrank.audit._held_out_scores import HeldOutScores
from fairrank.audit._predicts_as_full_model import PredictsAsFullModel
from fairrank.audit._progress import CallbackSupportMixin, RefitProgress, with_callbacks
from fairrank.audit._refits import AuditData, audit_tasks, run_tasks, seeded
from fairrank.audit._scoring import read_scoring
from fairrank.audit._without_features import without_columns
from fairrank.inference._group_aware_classifier import weight_among
from fairrank.inference._permutation import entropy_of, seed_sequence


class FeatureRemovalAuditor(
    PredictsAsFullModel, CallbackSupportMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator
):
    """Which features go with unequally shared errors, and what removing each gains and costs.

    Every feature is taken away in turn, and the classifier is measured on rows it was not fitted
    on: fairness along the error ranking (RGF, centred RGF, AURGF, the permutation test) and every
    scorer, with paired bootstrap intervals of the changes. The group's column is taken out
    first, and is neither removed nor replaced.

    What is found is association: another feature may stand in for a removed one, and a feature
    that changes nothing may matter together with others.

    Parameters
    ----------
    estimator : classifier
        Binary. Cloned, never fitted itself. Selectors inside it (ColumnTransformer by name,
        position, slice, mask or callable; `categorical_features` and the like) are adapted to
        the columns that are left. They count the columns of X as `fit` is given it, the group's
        among them.
    sensitive_features : str, int, list of these, callable or None, default=None
        The group's column of X by name or position, a list of them (their intersections), or
        ``X -> groups``; None takes the groups from `fit`.
    drop_sensitive : bool, default=True
        Take the columns named by `sensitive_features` out of what the estimator sees. False
        leaves them, for estimators that read or drop the group themselves.
    features : None, list of columns or dict, default=None
        What to remove one after another. None is every column but the group's. A dict maps names
        to a column or a list of columns that go together: a one-hot block, a topic.
    strategy : {"refit", "neutralize"}, default="refit"
        "refit" fits the estimator again without the feature. "neutralize" keeps the full model
        and replaces the feature in held-out rows; it is cheaper, and asks another question: what
        this model does with the feature, not what models do without it.
    neutralize : {"mean", "draws"}, default="mean"
        Replace by the training rows' mean (most frequent value where it is not a number) or by
        values drawn from training rows, a set of columns together.
    neutralize_strata : str, int, list of these, callable or None, default=None
        Column of X, or ``X -> strata``, within which features are neutralised.
    burden : {"absolute", "squared"} or callable, default="absolute"
        As in `fairrank.metrics.rgf_score`.
    scoring : str, list, dict, callable or None, default=("roc_auc", "average_precision")
        Scorers as in scikit-learn; None is the estimator's own score. "roc_auc" and
        "average_precision" are computed from all held-out scores together and have intervals;
        others are averaged over folds and have none. Scorers are given X with all its columns,
        so that those of `fairrank.metrics.make_fairness_scorer` find the group.
    cv : int, float, splitter or iterable, default=5
        A number of folds or the fraction of one holdout (0.3 in the paper), both stratified by
        outcome and group; or a splitter or splits that hold no row out twice.
    n_permutations : int, default=2000
        Draws of every test; 0 for none. Labels are exchanged inside folds.
    n_resamples : int, default=2000
        Draws of the paired bootstrap; 0 for no intervals.
    confidence_level : float, default=0.95
        Of the intervals, in (0, 1).
    n_seeds : int, default=1
        Refits of every model with other random states. Numbers are means over them, and their
        spread is reported. The first keeps random states that are set; the others replace all.
    error_score : "raise" or nan, default=nan
        What to do when a feature cannot be measured: an error, or NaN for it, with the reason
        stored and a warning, while the other features are kept.
        The full model must fit in any case.
    undefined : {"raise", "nan"}, default="raise"
        All burdens are equal without a feature, or with all of them: an error, or NaN with a
        warning.
    pos_label : label, default=None
        The outcome that scores are the probability of; the greater label by default.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out. "drop" trains
        on them and leaves them out of all measures.
    n_jobs : int, default=None
        Refits in parallel (joblib): features x folds x seeds. No number depends on it.
    random_state : int, RandomState or None, default=None
        Seed of folds, refits and draws.
    verbose : int, default=0
        1 prints a line a feature, 2 a line a refit. See also `set_callbacks`.

    Attributes
    ----------
    result_ : FeatureRemovalResult
        The audit.
    estimator_ : classifier
        Fitted on all rows and all columns but the group's; `predict` and the others ask it.
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when X has string column names.
    held_out_scores_ : dict of str to ndarray of shape (n_seeds, n_samples)
        Score of every row by the models that were not fitted on it; NaN where it was not held
        out. The full model is under None.
    partial_result_ : FeatureRemovalResult
        Only after a fit that was interrupted or failed: the features finished by then, without
        tests and intervals.

    Raises
    ------
    DegenerateGroupError
        One group only; a fold that holds out no row of some group, or a group of fewer rows than
        there are folds; with ``undefined="raise"``, all burdens of a model equal.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.
    RuntimeError
        ``error_score="raise"``, and a feature cannot be measured.

    Warns
    -----
    sklearn.exceptions.FitFailedWarning
        Features could not be measured.
    UndefinedMetricWarning
        A contribution is undefined; with ``undefined="nan"``, all burdens of a model are equal.

    See Also
    --------
    FeatureRemovalDisplay : The result in one picture.
    fairrank.inference.rgf_report : One score, audited in full.

    Notes
    -----
    Costs ``(1 + n_features) * n_folds * n_seeds`` fits and one on all rows ("neutralize":
    ``n_folds * n_seeds`` and one), then O(n log n) a model, O(n) a model and bootstrap draw.

    The contribution FC of a feature is the change d of a fairness score without it, in parts of
    what can change: ``d / (1 - full)`` where d is above 0, ``d / full`` where it is below, and 0
    where it is 0; full is the score of the full model. Where d is below 0 and either score is not
    positive, FC is NaN. Feature removal and FC are the paper's (arXiv 2609.39025, Tables 3 and
    4). The headline `contribution` is FC of the centred score, because plain RGF rises as a
    minority's burden grows.

    Intervals resample held-out rows inside groups and do not refit: they tell how far the
    measures of these models may be trusted, not how models vary with the training rows.
    Where burdens are shared alike the bootstrap errs, and the ends of fairness intervals are
    widened by what a model that may be fair falls short of 1. At 95 % they covered at least .938
    of the changes in centred RGF (percentile intervals .685, their hull with the basic .845), and
    nearly all where both models are fair, at 1.8 times the percentile's width:
    ``benchmarks/results/removal_coverage.md``.

    In an array, positions that were counted without the group's column, and a FunctionTransformer
    that indexes columns by position, read another column than was meant after a removal, and
    nothing tells. Select columns by name, or in a ColumnTransformer by their positions in X.

    With scikit-learn 1.9 or later, ``auditor.set_callbacks(ProgressBar())`` shows progress.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.audit import FeatureRemovalAuditor
    >>> rng = np.random.default_rng(0)
    >>> group = rng.random(2000) < 0.3
    >>> proxy = rng.normal(size=2000) + 2.0 * group
    >>> skill = rng.normal(size=2000)
    >>> y = (skill - group + rng.normal(size=2000) > 0).astype(int)
    >>> X = np.column_stack([skill, proxy, rng.normal(size=2000)])
    >>> auditor = FeatureRemovalAuditor(
    ...     LogisticRegression(), features={"skill": 0, "proxy": 1, "noise": 2}, random_state=0
    ... )
    >>> auditor.fit(X, y, sensitive_features=group).score(X, y) > 0.7
    True
    >>> auditor.result_.sorted_by("change_roc_auc").features[-1].feature
    'skill'
    """

    __metadata_request__fit = {"sensitive_features": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        sensitive_features: Any = None,
        drop_sensitive: bool = True,
        features: Any = None,
        strategy: str = "refit",
        neutralize: str = "mean",
        neutralize_strata: Any = None,
        burden: Any = "absolute",
        scoring: Any = ("roc_auc", "average_precision"),
        cv: Any = 5,
        n_permutations: int = 2000,
        n_resamples: int = 2000,
        confidence_level: float = 0.95,
        n_seeds: int = 1,
        error_score: Any = np.nan,
        undefined: str = "raise",
        pos_label: Any = None,
        missing: str = "raise",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.sensitive_features = sensitive_features
        self.drop_sensitive = drop_sensitive
        self.features = features
        self.strategy = strategy
        self.neutralize = neutralize
        self.neutralize_strata = neutralize_strata
        self.burden = burden
        self.scoring = scoring
        self.cv = cv
        self.n_permutations = n_permutations
        self.n_resamples = n_resamples
        self.confidence_level = confidence_level
        self.n_seeds = n_seeds
        self.error_score = error_score
        self.undefined = undefined
        self.pos_label = pos_label
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None, **fit_params: Any) -> Self:
        """Audit every feature, and fit the estimator on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Of pandas, polars or numpy; with the group's column where the constructor names it.
        y : array-like of shape (n_samples,)
            Two labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
            Groups of the rows, when the constructor names no column.
        **fit_params : dict
            Passed to the estimator's ``fit``, those with one value a row restricted to the
            training rows. With metadata routing enabled, what the estimator requests.

        Returns
        -------
        FeatureRemovalAuditor
            Fitted; the audit is in `result_`.
        """
        self._check_parameters()
        routed = self._routed_fit_params(sensitive_features, fit_params)
        original, X = X, indexable_rows(X)
        if len(X.shape) != 2 or 0 in X.shape:
            # Only the estimator knows what it takes.
            seeded(self.estimator, (0,), 0).fit(original, y, **routed)
            raise ValueError(f"X must have rows and columns, got shape {X.shape}.")
        validate_data(self, X, skip_check_array=True)
        if X.shape[0] < 2:
            raise ValueError(f"X has 1 sample (n_samples=1), of which none can be held out: {X}.")
        y, outcome, pos_label = binary_target(
            y, self.pos_label, type(self).__name__, "burdens need"
        )
        check_same_length(y=y, sample_weight=check_sample_weight(weight_among(fit_params)))
        seed = seed_sequence(self.random_state)
        words = entropy_of(seed)
        plan = plan_audit(
            self, X, y, outcome, pos_label, sensitive_features,
            np.random.SeedSequence(words, spawn_key=(4,)),
        )
        if hasattr(self, "partial_result_"):
            del self.partial_result_
        data = self._audit_data(X, y, plan, routed, words)
        scores = self._held_out_scores(data, plan)
        self.held_out_scores_ = scores.by_feature()
        self.result_ = scores.result(self, self.n_permutations, self.n_resamples, seed)
        self._fit_on_all_rows(data)
        return self

    def _held_out_scores(self, data: AuditData, plan: AuditPlan) -> HeldOutScores:
        """Run all refits; what is done when they are interrupted is kept."""
        tasks = audit_tasks(
            plan.features, len(plan.splits), self.n_seeds, self.strategy == "neutralize"
        )
        scores = HeldOutScores(data, plan, self.n_seeds, column_label(data.X))
        progress = RefitProgress(self, len(tasks), self.verbose)
        progress.begin(data.X, data.y)
        try:
            for found, seconds in run_tasks(
                data, tasks, n_jobs=self.n_jobs, verbose=self.verbose
            ):
                progress.task_done(seconds)
                for one in found:
                    scores.add(one, raising=self.error_score == "raise")
                    if scores.is_complete(one.feature):
                        progress.feature_done(scores.name_of(one.feature))
        except BaseException:
            if scores.is_complete(None):
                seed = np.random.SeedSequence(data.words)
                self.partial_result_ = scores.finished().result(self, 0, 0, seed)
            raise
        progress.end(data.X, data.y)
        return scores

    def _audit_data(self, X, y, plan: AuditPlan, routed: dict, words: tuple) -> AuditData:
        by_row = {
            name: np.asarray(values) if isinstance(values, list) else values
            for name, values in routed.items()
        }
        return AuditData(
            estimator=self.estimator,
            X=X,
            y=y,
            named=plan.named,
            groups=plan.groups.codes,
            splits=plan.splits,
            fit_params=by_row,
            pos_label=plan.pos_label,
            scoring=read_scoring(self.scoring, self.estimator),
            needs_probability=isinstance(self.burden, str),
            neutralize=self.neutralize if self.strategy == "neutralize" else None,
            strata=plan.strata,
            words=words,
        )

    def _fit_on_all_rows(self, data: AuditData) -> None:
        self._named = data.named
        estimator = without_columns(
            seeded(self.estimator, data.words, 0), data.X, data.named
        )
        self.estimator_ = estimator.fit(self._reduced(data.X), data.y, **data.fit_params)
        self.classes_ = self.estimator_.classes_

    def _check_parameters(self) -> None:
        check_choice(self.strategy, ("refit", "neutralize"), "strategy")
        check_choice(self.neutralize, ("mean", "draws"), "neutralize")
        check_choice(self.undefined, ("raise", "nan"), "undefined")
        check_choice(self.missing, MISSING_RULES, "missing")
        check_count(self.n_permutations, "n_permutations", minimum=0)
        check_count(self.n_resamples, "n_resamples", minimum=0)
        check_count(self.n_seeds, "n_seeds")
        check_fraction(self.confidence_level, "confidence_level", high_open=True)
        if self.error_score != "raise" and not is_missing(self.error_score):
            raise ValueError(f"error_score must be 'raise' or nan, got {self.error_score!r}.")
        if not isinstance(self.burden, str) and not callable(self.burden):
            raise TypeError(
                "burden must be 'absolute', 'squared' or a callable burden(y, p): burdens of "
                "models that are fitted here cannot be given as an array."
            )
        if self.neutralize_strata is not None and self.strategy == "refit":
            raise ValueError("neutralize_strata belongs to strategy='neutralize'.")
        check_refittable(self.estimator, self.strategy)

    def _routed_fit_params(self, sensitive_features, fit_params: dict) -> dict:
        if not get_config()["enable_metadata_routing"]:
            return dict(fit_params)
        passed = dict(fit_params)
        if sensitive_features is not None:
            passed["sensitive_features"] = sensitive_features
        if not passed:
            return {}
        return dict(process_routing(self, "fit", **passed)["estimator"]["fit"])

    def get_metadata_routing(self) -> MetadataRouter:
        """Say what is asked of metadata routing: the groups, unless a column holds them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the estimator's own requests for ``fit``.
        """
        router = MetadataRouter(owner=self)
        if self.sensitive_features is None:
            router.add_self_request(self)
        return router.add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )

    def __sklearn_tags__(self):
        """Those of the estimator, for two classes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        tags.classifier_tags.multi_class = False
        tags.non_deterministic = inner.non_deterministic
        tags.target_tags.required = True
        return tags

    @property
    def _doc_link_module(self):
        return "fairrank"
