"""Scorers: a metric, the place its groups come from, and the way a model is asked.

One immutable object serves both ways. With a column it reads the groups from the ``X`` that it
is given and needs nothing else; without one it asks scikit-learn's metadata routing for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping

from fairrank._sensitive import read_groups
from fairrank.metrics._measure import measures_of, spelled, value_key
from fairrank.metrics._rank_graduation import rgf_score
from fairrank.metrics._rgf_curve import aurgf_score

RESPONSE_METHODS = ("predict_proba", "decision_function", "predict")
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FairnessScorer:
    """Score a fitted model as ``scorer(estimator, X, y)``; made by `make_fairness_scorer`.

    Immutable and compared by value, so clones, copies and pickles are equal to it.

    Attributes
    ----------
    metric, sensitive_features, response_method, greater_is_better, metadata_name, kwargs
        As `make_fairness_scorer` was given them.
    weight_request : bool, str or None
        The request for ``sample_weight``, see `set_score_request`.

    Examples
    --------
    >>> from fairrank.metrics import make_fairness_scorer
    >>> make_fairness_scorer("rgf").set_score_request(sensitive_features="race")
    make_fairness_scorer('rgf', metadata_name='race')
    """

    metric: Any
    sensitive_features: Any = None
    response_method: Any = "predict_proba"
    greater_is_better: bool | None = None
    metadata_name: str = "sensitive_features"
    kwargs: dict = field(default_factory=dict)
    weight_request: bool | str | None = None
    _measures: dict = field(init=False)

    def __post_init__(self):
        methods = self.response_method
        methods = (methods,) if isinstance(methods, str) else tuple(methods)
        if not methods or any(method not in RESPONSE_METHODS for method in methods):
            raise ValueError(
                f"response_method must be one or several of {RESPONSE_METHODS}, got {methods!r}."
            )
        if not (isinstance(self.metadata_name, str) and self.metadata_name.isidentifier()):
            raise ValueError(f"metadata_name must be a Python name, got {self.metadata_name!r}.")
        settled = {
            "metric": dict(self.metric) if isinstance(self.metric, Mapping) else self.metric,
            "sensitive_features": _checked_columns(self.sensitive_features),
            "response_method": methods,
            "kwargs": dict(self.kwargs),
            "_measures": measures_of(self.metric, self.greater_is_better, self.kwargs),
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def __call__(self, estimator, X, y_true, *, sensitive_features=None, sample_weight=None):
        """Score `estimator` on `X` and `y_true`: a float, or a dict of them; greater is better."""
        groups = self._groups(X, sensitive_features)
        if sample_weight is not None and not self._accept_sample_weight():
            raise TypeError(f"{self!r} takes no sample_weight: its metric has no such argument.")
        method = self._method_of(estimator)
        classes = _two_classes(estimator)
        chosen = self.kwargs.get("pos_label")
        pos_label = classes[1] if chosen is None and classes else chosen
        if classes and pos_label not in classes:
            raise ValueError(
                f"pos_label={pos_label!r} is not a class of {type(estimator).__name__}, whose "
                f"classes are {classes[0]!r} and {classes[1]!r}."
            )
        forwarded = self._forwarded(estimator, method, sensitive_features)
        y_pred = getattr(estimator, method)(X, **forwarded)
        if method != "predict":
            y_pred = _toward(pos_label, y_pred, method, classes, estimator)
        scores = {}
        for name, measure in self._measures.items():
            labels, answer = y_true, y_pred
            if chosen is not None and "pos_label" not in measure.takes:
                # Such a metric would take the greater label, or 1, for the positive one.
                labels = (np.asarray(y_true) == chosen).astype(int)
                answer = (np.asarray(y_pred) == chosen) * 1 if method == "predict" else y_pred
            scores[name] = measure.value(
                labels, answer,
                sensitive_features=groups, sample_weight=sample_weight, pos_label=pos_label,
            )
        return scores if isinstance(self.metric, Mapping) else scores[None]

    def _groups(self, X, sensitive_features):
        needed = any("sensitive_features" in m.takes for m in self._measures.values())
        if self.sensitive_features is not None:
            if sensitive_features is not None:
                raise ValueError(
                    f"{self!r} reads the groups from X, so sensitive_features= must not be passed "
                    "as well: leave out one of the two."
                )
            return read_groups(X, self.sensitive_features) if needed else None
        if sensitive_features is None and needed:
            raise ValueError(
                f"{self!r} was given no sensitive_features. Either name the column of X that "
                'holds the group, make_fairness_scorer(..., sensitive_features="race"); or enable '
                "routing, sklearn.set_config(enable_metadata_routing=True), and pass the groups: "
                f'params={{"{self.metadata_name}": g}} in cross_validate, '
                f"fit(X, y, {self.metadata_name}=g) in a search."
            )
        return sensitive_features

    def _method_of(self, estimator) -> str:
        for method in self.response_method:
            if hasattr(estimator, method):
                return method
        raise AttributeError(
            f"{type(estimator).__name__} has no {' and no '.join(self.response_method)}: pass "
            "another response_method= to make_fairness_scorer."
        )

    def _forwarded(self, estimator, method: str, groups) -> dict:
        """Route the groups to the model's own `method`, as scikit-learn's scorers never do."""
        # The flag comes first: asking an estimator for its requests copies them (.65 ms).
        if groups is None or not get_config()["enable_metadata_routing"]:
            return {}
        mapping = MethodMapping().add(caller="score", callee=method)
        try:
            router = MetadataRouter(owner=self).add(estimator=estimator, method_mapping=mapping)
        except NotImplementedError:  # a meta-estimator of scikit-learn's without routing
            return {}
        routed = router.route_params(caller="score", params={self.metadata_name: groups})
        return dict(routed["estimator"][method])

    def get_metadata_routing(self) -> MetadataRequest:
        """Say what is asked of metadata routing: nothing with a column, else the groups.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            With ``sample_weight`` among the requests where the metric takes it.
        """
        request = MetadataRequest(owner=self)
        if self.sensitive_features is None:
            request.score.add_request(param="sensitive_features", alias=self.metadata_name)
        if self._accept_sample_weight():
            request.score.add_request(param="sample_weight", alias=self.weight_request)
        return request

    _get_metadata_request = get_metadata_routing  # TunedThresholdClassifierCV of 1.8 calls it

    def set_score_request(self, **requests: Any) -> FairnessScorer:
        """Return a scorer with other requests; this one is left as it is.

        Parameters
        ----------
        **requests : bool, str or None
            ``sample_weight=`` True, False, None (weights passed are then an error) or the name
            it goes by; ``sensitive_features=`` True or the name it goes by.

        Returns
        -------
        FairnessScorer
            Equal to this one but for the requests.
        """
        changes: dict[str, Any] = {}
        for name, alias in requests.items():
            known = alias is None or isinstance(alias, (bool, str))
            routed = name == "sensitive_features" and self.sensitive_features is None
            if known and name == "sample_weight" and self._accept_sample_weight():
                changes["weight_request"] = alias
            elif known and alias and routed:
                changes["metadata_name"] = name if alias is True else alias
            else:
                raise ValueError(f"{self!r} cannot request {name}={alias!r}.")
        return replace(self, **changes)

    def _accept_sample_weight(self) -> bool:
        return any("sample_weight" in measure.takes for measure in self._measures.values())

    def __getattr__(self, name):
        # TunedThresholdClassifierCV takes a scorer apart and calls its metric on labels.
        if name not in ("_score_func", "_sign", "_kwargs"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        measure = self.__dict__.get("_measures", {}).get(None)
        takes = frozenset() if measure is None else measure.takes
        reads_column = self.sensitive_features is not None and "sensitive_features" in takes
        chosen = {k: v for k, v in self.kwargs.items() if k == "pos_label"}
        if measure is None or reads_column or not takes.issuperset(chosen):
            raise AttributeError(
                f"{self!r} cannot be taken apart into a metric and its options. Where only the "
                "metric is called (TunedThresholdClassifierCV), use one metric that takes all "
                "options, and pass the groups as metadata."
            )
        routed = get_config()["enable_metadata_routing"]
        if name == "_score_func" and "sensitive_features" in takes and not routed:
            raise AttributeError(
                f"{self!r} has no groups where only the metric is called "
                "(TunedThresholdClassifierCV). Enable routing, "
                "sklearn.set_config(enable_metadata_routing=True), and pass them: "
                f"fit(X, y, {self.metadata_name}=g)."
            )
        apart = {"_score_func": measure.metric, "_sign": measure.sign}
        return {**apart, "_kwargs": {**measure.options, **chosen}}[name]

    def __sklearn_clone__(self):
        return self

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _value(self):
        measures = tuple(
            (name, value_key(m.metric), m.sign, value_key(m.options))
            for name, m in self._measures.items()
        )
        return (
            measures, self.kwargs.get("pos_label"), self.sensitive_features,
            self.response_method, self.metadata_name, self.weight_request,
        )

    def __eq__(self, other):
        return self._value() == other._value() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash(self._value())

    def __repr__(self):
        parts = [spelled(self.metric)]
        one_method = self.response_method[0] if len(self.response_method) == 1 else None
        settings = {
            "sensitive_features": self.sensitive_features,
            "response_method": one_method or self.response_method,
            "greater_is_better": self.greater_is_better,
            "metadata_name": self.metadata_name,
        }
        for name, value in settings.items():
            if value != getattr(type(self), name):
                parts.append(f"{name}={spelled(value)}")
        parts += [f"{name}={spelled(value)}" for name, value in self.kwargs.items()]
        weighted = f".set_score_request(sample_weight={self.weight_request!r})"
        asked = "" if self.weight_request is None else weighted
        return f"make_fairness_scorer({', '.join(parts)}){asked}"

    _routing_repr = __repr__  # scikit-learn names a scorer so in its messages


def make_fairness_scorer(
    metric: Any,
    *,
    sensitive_features: Any = None,
    response_method: Any = "predict_proba",
    greater_is_better: bool | None = None,
    metadata_name: str = "sensitive_features",
    **kwargs: Any,
) -> FairnessScorer:
    """Make a scorer that knows the groups, for ``scoring=`` anywhere in scikit-learn.

    Parameters
    ----------
    metric : callable, str or mapping
        ``metric(y_true, y_pred, ...)``, or one of "rgf", "centered_rgf", "aurgf" and "rgd". A
        mapping from names to these gives a dict of them all from one prediction. A metric
        without a ``sensitive_features`` argument, such as `sklearn.metrics.roc_auc_score`, is
        not given the groups, but the model is.
    sensitive_features : str, int, list of these, callable or None, default=None
        The column of ``X`` that holds the groups: its name, its position (negative counts from
        the end), a list of them (their intersections), or ``X -> groups``. None asks metadata
        routing for the groups, which must then be enabled.
    response_method : str or list of str, default="predict_proba"
        How the model is asked: "predict_proba", "decision_function" or "predict"; of a list,
        the first that the model has.
    greater_is_better : bool, default=None
        None takes it from each metric: its attribute ``greater_is_better``, as fairrank's have
        and yours may, or else its name: ``*_score`` is better when greater; ``*_error``,
        ``*_loss``, ``*_difference`` when smaller. The scorer negates the latter.
    metadata_name : str, default="sensitive_features"
        The name under which the groups are passed to ``params=`` or ``fit``.
    **kwargs : dict
        Options of the metric; of several metrics, each gets those that it takes. `pos_label` is
        the scorer's own: the class that the score is the probability of, by default
        ``estimator.classes_[1]``. A metric with that argument is passed it; for another, when it
        is given here, labels are coded as 1 for it and 0 for the other.

    Returns
    -------
    FairnessScorer
        An immutable ``scorer(estimator, X, y, *, sensitive_features=None, sample_weight=None)``.

    Raises
    ------
    TypeError
        An option that no metric takes, or the groups themselves in place of their column.
    ValueError
        The direction is neither declared nor named nor given, or given against the declared.

    Notes
    -----
    A call costs one prediction and the metrics. With routing enabled, groups passed as metadata
    are handed on to a model that requests them
    (``set_predict_proba_request(sensitive_features=True)``), which scikit-learn's own scorers
    never do: a post-processor that needs them can be scored and searched, provided *every*
    scorer is one of these. With routing disabled scikit-learn passes metadata to ``fit`` alone.

    ``sample_weight`` is routed as by scikit-learn's scorers: with routing enabled request it by
    ``scorer = scorer.set_score_request(sample_weight=True)``, which returns another scorer.

    RFECV and SequentialFeatureSelector drop columns before they score, so that a position may
    mean another column, and TunedThresholdClassifierCV only calls the metric: pass the groups as
    metadata there. `permutation_importance` shuffles the column of the groups like any other. A
    search takes no groups in its ``predict``, and in its ``score`` only if refitted on one of
    these scorers; to cross-validate such a search leave ``scoring=`` out. A scorer of several
    metrics is the whole of ``scoring=``, never one entry of a dict, and `learning_curve` and
    HalvingGridSearchCV take one metric only.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.metrics import make_fairness_scorer, rgf_score
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.metrics import roc_auc_score
    >>> from sklearn.model_selection import GridSearchCV, cross_validate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> X[:, 2] = X[:, 2] > 0
    >>> y = (X[:, 0] + X[:, 2] + rng.normal(size=300) > 0).astype(int)
    >>> rgf = make_fairness_scorer(rgf_score, sensitive_features=2)
    >>> model = LogisticRegression()
    >>> sorted(cross_validate(model, X, y, scoring={"auc": "roc_auc", "rgf": rgf}))
    ['fit_time', 'score_time', 'test_auc', 'test_rgf']

    Several metrics from one prediction, and a search that takes the fairest:

    >>> both = make_fairness_scorer({"auc": roc_auc_score, "rgf": rgf_score}, sensitive_features=2)
    >>> search = GridSearchCV(model, {"C": [0.1, 1.0]}, scoring=both, refit="rgf").fit(X, y)
    >>> sorted(both(search, X, y))
    ['auc', 'rgf']
    """
    return FairnessScorer(
        metric=metric,
        sensitive_features=sensitive_features,
        response_method=response_method,
        greater_is_better=greater_is_better,
        metadata_name=metadata_name,
        kwargs=kwargs,
    )


def _checked_columns(columns):
    if columns is None or callable(columns):
        return columns
    listed = list(columns) if isinstance(columns, (list, tuple)) else [columns]
    for column in listed:
        if isinstance(column, bool) or not isinstance(column, (str, int, np.integer)):
            raise TypeError(
                "sensitive_features must be a column name, a position, a list of these or a "
                f"callable X -> groups, got {type(column).__name__}. A scorer cannot hold the "
                "groups themselves, since it is used on other rows: name their column of X, or "
                "leave it out and pass them as metadata."
            )
    if not listed or len(set(listed)) < len(listed):
        raise ValueError(
            f"sensitive_features must name at least one column, each once, got {listed[:9]!r}. "
            "If these are the groups themselves, name their column or pass them as metadata."
        )
    listed = [column if isinstance(column, str) else int(column) for column in listed]
    return tuple(listed) if isinstance(columns, (list, tuple)) else listed[0]


def _two_classes(estimator) -> list | None:
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2 or np.ndim(classes[0]):  # arrays: several outputs
        return None
    return np.asarray(classes).tolist()


def _toward(pos_label, y_pred, method, classes, estimator):
    """One number a row that grows with the chance of `pos_label`, where classes are two."""
    if classes and method == "decision_function":
        return -np.asarray(y_pred) if pos_label == classes[0] else y_pred
    if classes:
        return np.asarray(y_pred)[:, classes.index(pos_label)]
    if len(getattr(estimator, "classes_", ())) == 1:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on one class, {estimator.classes_[0]}: it "
            "has no score to rank by. Stratify the folds."
        )
    return y_pred


#: RGF as a scorer. It names no column: enable metadata routing and pass ``sensitive_features``.
#: `make_fairness_scorer` makes one that takes the groups from a column of X.
rgf_scorer = make_fairness_scorer(rgf_score)
#: Centred RGF as a scorer, 1 where burdens are alike at every mix of groups; groups as for
#: `rgf_scorer`.
centered_rgf_scorer = make_fairness_scorer(rgf_score, centered=True)
#: Area under the RGF curve as a scorer; groups as for `rgf_scorer`.
aurgf_scorer = make_fairness_scorer(aurgf_score)
