"""Scorers: a metric, the place its groups come from, and the way a model is asked.

One immutable object serves both ways. With a column it reads the groups from the ``X`` that it
is given and needs nothing else; without one it asks scikit-learn's metadata routing for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from typing import Any

import joblib
import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping

from fairrank._sensitive import read_groups
from fairrank.metrics._rank_graduation import rgd_score, rgf_score
from fairrank.metrics._rgf_curve import aurgf_score

__all__ = [
    "FairnessScorer",
    "aurgf_scorer",
    "centered_rgf_scorer",
    "make_fairness_scorer",
    "rgf_scorer",
]

RESPONSE_METHODS = ("predict_proba", "decision_function", "predict")
NAMED_METRICS: dict[str, tuple[Callable, dict]] = {
    "rgf": (rgf_score, {}),
    "centered_rgf": (rgf_score, {"centered": True}),
    "aurgf": (aurgf_score, {}),
    "rgd": (rgd_score, {}),
}
# What a metric is handed row by row; fixed ahead, it would have the length of other rows.
ROW_ARGUMENTS = ("y_true", "y_pred", "y_score", "sensitive_features", "sample_weight")


@dataclass(frozen=True, slots=True)
class _Measure:
    """A metric whose direction is known, with its options and the arguments that it takes."""

    metric: Callable
    sign: int
    options: dict
    takes: frozenset[str]

    def value(self, y_true, y_pred, *, groups, sample_weight, pos_label) -> float:
        offered = {
            "sensitive_features": groups,
            "sample_weight": sample_weight,
            "pos_label": pos_label,
        }
        given = {k: v for k, v in offered.items() if v is not None and k in self.takes}
        return float(self.sign * self.metric(y_true, y_pred, **self.options, **given))


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
    """

    metric: Any
    sensitive_features: Any = None
    response_method: Any = "predict_proba"
    greater_is_better: Any = None
    metadata_name: str = "sensitive_features"
    kwargs: dict = field(default_factory=dict)
    weight_request: bool | str | None = None
    _measures: dict = field(init=False)

    def __post_init__(self):
        def settle(name, value):
            object.__setattr__(self, name, value)

        settle("kwargs", dict(self.kwargs))
        settle("sensitive_features", _checked_columns(self.sensitive_features))
        settle("response_method", _checked_methods(self.response_method))
        if not (isinstance(self.metadata_name, str) and self.metadata_name.isidentifier()):
            raise ValueError(
                f"metadata_name must be a valid Python name, got {self.metadata_name!r}."
            )
        if isinstance(self.metric, Mapping):
            settle("metric", dict(self.metric))
        settle("_measures", _measures(self.metric, self.greater_is_better, self.kwargs))

    def __call__(self, estimator, X, y_true, *, sensitive_features=None, sample_weight=None):
        """Score `estimator` on `X` and `y_true`, greater being better.

        Parameters
        ----------
        estimator : object
            A fitted model with the response method.
        X : array-like or data frame of shape (n_samples, n_features)
            What the model predicts from, and where a named column is read.
        y_true : array-like of shape (n_samples,)
            The outcomes.
        sensitive_features : array-like, default=None
            The groups, when the scorer names no column.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for the metrics that take them.

        Returns
        -------
        float, or dict of float when there are several metrics.

        Raises
        ------
        ValueError
            The groups are given twice, or not at all though the metric needs them.
        """
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
        y_pred = _towards(pos_label, y_pred, method=method, classes=classes, estimator=estimator)
        scores = {}
        for name, measure in self._measures.items():
            pair = (y_true, y_pred)
            if chosen is not None and "pos_label" not in measure.takes:
                # Such a metric would take the greater label, or 1, for the positive one.
                coded = _coded(y_pred, chosen) if method == "predict" else y_pred
                pair = (_coded(y_true, chosen), coded)
            scores[name] = measure.value(
                *pair, groups=groups, sample_weight=sample_weight, pos_label=pos_label
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
                "routing, sklearn.set_config(enable_metadata_routing=True), and pass the groups "
                f'on: params={{"{self.metadata_name}": g}} in cross_validate, '
                f"fit(X, y, {self.metadata_name}=g) in a search."
            )
        return sensitive_features

    def _method_of(self, estimator) -> str:
        for method in self.response_method:
            if getattr(estimator, method, None) is not None:
                return method
        raise AttributeError(
            f"{type(estimator).__name__} has no {' and no '.join(self.response_method)}: pass "
            "response_method= to make_fairness_scorer, or use a model that has it."
        )

    def _forwarded(self, estimator, method: str, groups) -> dict:
        """Pass groups to the model's own `method`, as scikit-learn's scorers never do."""
        # The flag comes first: asking an estimator for its requests copies them (.65 ms).
        if groups is None or not get_config()["enable_metadata_routing"]:
            return {}
        router = MetadataRouter(owner=self)
        mapping = MethodMapping().add(caller="score", callee=method)
        try:
            router.add(estimator=estimator, method_mapping=mapping)
        except NotImplementedError:  # a meta-estimator of scikit-learn's without routing
            return {}
        metadata = {self.metadata_name: groups}
        return dict(router.route_params(caller="score", params=metadata)["estimator"][method])

    def get_metadata_routing(self):
        """Say what the scorer asks of metadata routing: nothing with a column, else the groups.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        request = MetadataRequest(owner=self)
        if self.sensitive_features is None:
            request.score.add_request(param="sensitive_features", alias=self.metadata_name)
        if self._accept_sample_weight():
            request.score.add_request(param="sample_weight", alias=self.weight_request)
        return request

    def set_score_request(self, **requests):
        """Return a scorer with other requests; this one is left as it is.

        Parameters
        ----------
        **requests : bool, str or None
            ``sample_weight=`` True, False, None (an error when weights are passed) or the
            name it goes by; ``sensitive_features=`` True or the name it goes by.

        Returns
        -------
        FairnessScorer
        """
        changes: dict[str, Any] = {}
        for name, alias in requests.items():
            if not (alias in (True, False, None) or (isinstance(alias, str) and alias)):
                raise ValueError(f"{name} must be True, False, None or a name, got {alias!r}.")
            if name == "sample_weight" and self._accept_sample_weight():
                changes["weight_request"] = alias
            elif name == "sensitive_features" and self.sensitive_features is None and alias:
                changes["metadata_name"] = name if alias is True else alias
            else:
                raise ValueError(f"{self!r} cannot request {name}={alias!r}.")
        return replace(self, **changes)

    _get_metadata_request = get_metadata_routing  # scikit-learn 1.8's TunedThreshold asks it

    def _accept_sample_weight(self) -> bool:
        return any("sample_weight" in measure.takes for measure in self._measures.values())

    def __getattr__(self, name):
        # TunedThresholdClassifierCV takes a scorer apart and calls its metric on labels.
        if name not in ("_score_func", "_sign", "_kwargs"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        measure = self.__dict__.get("_measures", {}).get(None)
        takes = frozenset() if measure is None else measure.takes
        reads_column = self.sensitive_features is not None and "sensitive_features" in takes
        chosen = {k: v for k, v in self.kwargs.items() if k == "pos_label" and v is not None}
        if measure is None or reads_column or not takes.issuperset(chosen):
            raise AttributeError(
                f"{self!r} cannot be taken apart into a metric and its options. Where only the "
                "metric is called (TunedThresholdClassifierCV), use one metric that takes all "
                "options, and pass the groups as metadata."
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
        measures = {
            name: (_key(m.metric), m.sign, _key(m.options)) for name, m in self._measures.items()
        }
        return (
            isinstance(self.metric, Mapping), tuple(measures.items()), self.sensitive_features,
            self.response_method, self.metadata_name, self.kwargs.get("pos_label"),
            self.weight_request,
        )

    def __eq__(self, other):
        return self._value() == other._value() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash(self._value())

    def __repr__(self):
        names = ("sensitive_features", "response_method", "greater_is_better", "metadata_name")
        default = {name: getattr(type(self), name) for name in names}
        default["response_method"] = (default["response_method"],)
        parts = [_spelled(self.metric)]
        for name in names:
            value = getattr(self, name)
            if value != default[name]:
                single = name == "response_method" and len(value) == 1
                parts.append(f"{name}={_spelled(value[0] if single else value)}")
        parts += [f"{name}={_spelled(value)}" for name, value in self.kwargs.items()]
        request = self.weight_request
        asked = "" if request is None else f".set_score_request(sample_weight={request!r})"
        return f"make_fairness_scorer({', '.join(parts)}){asked}"

    _routing_repr = __repr__


def make_fairness_scorer(
    metric,
    *,
    sensitive_features=None,
    response_method="predict_proba",
    greater_is_better=None,
    metadata_name="sensitive_features",
    **kwargs,
):
    """Make a scorer that knows the groups, for ``scoring=`` anywhere in scikit-learn.

    Parameters
    ----------
    metric : callable, str or mapping
        ``metric(y_true, y_pred, ...)``, or one of "rgf", "centered_rgf", "aurgf" and "rgd". A
        mapping from names to these makes a scorer that returns a dict of them all from one
        prediction. A metric without a ``sensitive_features`` argument, such as
        `sklearn.metrics.roc_auc_score`, is not given the groups, but the model is.
    sensitive_features : str, int, list of these, callable or None, default=None
        The column of ``X`` that holds the groups: its name, its position (negative counts from
        the end), a list of them (their intersections), or ``X -> groups``. None asks metadata
        routing for them, which must then be enabled.
    response_method : str or list of str, default="predict_proba"
        How the model is asked: "predict_proba", "decision_function" or "predict"; of a list,
        the first that the model has.
    greater_is_better : bool, default=None
        None takes it from each metric: its attribute ``greater_is_better``, as fairrank's have
        and yours may, or else its name: ``*_score`` is better when greater; ``*_error``,
        ``*_loss`` and ``*_difference`` when smaller. The scorer negates what is better smaller.
    metadata_name : str, default="sensitive_features"
        The name under which the groups are passed to ``params=`` or ``fit``.
    **kwargs : dict
        Options of the metric; with several metrics, each gets those that it takes. `pos_label`
        is the scorer's own: it says which class the score is the probability of (by default
        the greater, ``estimator.classes_[1]``). Metrics with such an argument are passed it;
        for others, when it is given, labels are coded as 1 for it and 0 for the other.

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
    A call costs one prediction and the metrics. With routing enabled and the groups passed as
    metadata, they are also handed on to the model where it requests them
    (``set_predict_proba_request(sensitive_features=True)``), which scikit-learn's scorers do
    not do: a post-processor that needs them can then be scored and searched, as long as *every*
    scorer is one of these. With routing disabled scikit-learn passes metadata to ``fit`` alone.

    ``sample_weight`` is routed as in scikit-learn: with routing enabled it must be requested,
    ``scorer = scorer.set_score_request(sample_weight=True)``, which returns another scorer.

    RFECV and SequentialFeatureSelector score reduced arrays, and TunedThresholdClassifierCV
    only calls the metric: pass the groups as metadata there. `permutation_importance` shuffles
    the column of the groups like any other. A search refitted on one of scikit-learn's scorers
    does not take the groups in its ``score``, and never in its ``predict``. A scorer of several
    metrics is a whole ``scoring=``; it cannot be one entry of a dict.

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
    >>> scorer = make_fairness_scorer(rgf_score, sensitive_features=2)
    >>> scorer
    make_fairness_scorer(rgf_score, sensitive_features=2)
    >>> result = cross_validate(
    ...     LogisticRegression(), X, y, scoring={"auc": "roc_auc", "rgf": scorer}, cv=3
    ... )
    >>> result["test_rgf"].shape
    (3,)

    Several metrics from one prediction, and a search that takes the fairest:

    >>> both = make_fairness_scorer({"auc": roc_auc_score, "rgf": rgf_score}, sensitive_features=2)
    >>> search = GridSearchCV(
    ...     LogisticRegression(), {"C": [0.01, 1.0]}, scoring=both, refit="rgf", cv=3
    ... ).fit(X, y)
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


def _measures(metric, greater_is_better, kwargs) -> dict[str | None, _Measure]:
    metrics = metric if isinstance(metric, Mapping) else {None: metric}
    if not metrics:
        raise ValueError("metric is an empty mapping: name at least one metric.")
    if isinstance(metric, Mapping) and not all(isinstance(name, str) for name in metric):
        raise TypeError(f"metric must map names to metrics, got the keys {list(metric)!r}.")
    options = {name: value for name, value in kwargs.items() if name != "pos_label"}
    measures = {
        name: _measure(one, greater_is_better, options) for name, one in metrics.items()
    }
    for name in options:
        if name in ROW_ARGUMENTS:
            raise TypeError(
                f"{name} has one value a row and cannot be fixed in a scorer, which is used on "
                "other rows: pass it as metadata."
            )
        if not any(name in measure.options for measure in measures.values()):
            taken = sorted(set().union(*(m.takes for m in measures.values())) - {*ROW_ARGUMENTS})
            raise TypeError(
                f"{' and '.join(_spelled(one) for one in metrics.values())} takes no {name}=: "
                f"its options are {', '.join(taken) or 'none'}."
            )
    return measures


def _measure(metric, greater_is_better, options) -> _Measure:
    if isinstance(metric, str):
        if metric not in NAMED_METRICS:
            raise ValueError(
                f"metric={metric!r} is not one of {', '.join(map(repr, NAMED_METRICS))}: pass one "
                "of these or a function metric(y_true, y_pred, ...)."
            )
        metric, preset = NAMED_METRICS[metric]
    else:
        preset = {}
    if not callable(metric):
        raise TypeError(
            f"metric must be a function metric(y_true, y_pred, ...), got {metric!r} of type "
            f"{type(metric).__name__}."
        )
    function = metric
    while isinstance(function, functools.partial):
        bound = [name for name in function.keywords if name in (*ROW_ARGUMENTS, "pos_label")]
        if bound:
            raise TypeError(
                f"{_spelled(metric)} has {bound[0]}= bound already: leave it to the scorer."
            )
        function = function.func
    parameters = signature(metric).parameters
    takes = frozenset(parameters)
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        # Nothing says what is in **kwargs, so it gets the groups and whatever option is given.
        takes |= {"sensitive_features", *options}
    return _Measure(
        metric=metric,
        sign=1 if _direction(function, greater_is_better) else -1,
        options={**preset, **{k: v for k, v in options.items() if k in takes}},
        takes=takes,
    )


def _direction(function, greater_is_better) -> bool:
    name = getattr(function, "__name__", type(function).__name__)
    if greater_is_better is not None and not isinstance(greater_is_better, (bool, np.bool_)):
        raise TypeError(f"greater_is_better must be True, False or None, got {greater_is_better!r}.")
    declared = getattr(function, "greater_is_better", None)
    if declared is not None:
        if greater_is_better is not None and bool(greater_is_better) != bool(declared):
            raise ValueError(
                f"{name} declares greater_is_better={declared!r}, but {greater_is_better!r} was "
                "passed, so a search would prefer the worst: leave it out."
            )
        return bool(declared)
    if greater_is_better is not None:
        return bool(greater_is_better)
    if name.endswith("_score"):
        return True
    if name.endswith(("_error", "_loss", "_difference")):
        return False
    raise ValueError(
        f"Nothing says whether a greater {name} is better: it has no attribute greater_is_better "
        "and no name ending in _score, _error, _loss or _difference. Pass greater_is_better="
        "True or False to make_fairness_scorer."
    )


def _checked_columns(columns):
    if columns is None or callable(columns):
        return columns
    listed = list(columns) if isinstance(columns, (list, tuple)) else [columns]
    for column in listed:
        if isinstance(column, (bool, np.bool_)) or not isinstance(column, (str, int, np.integer)):
            raise TypeError(
                "sensitive_features must be a column name, a position, a list of these or a "
                f"callable X -> groups, got {type(column).__name__}. A scorer cannot hold the "
                "groups themselves, since it is used on other rows: name their column of X, or "
                "leave it out and pass them as metadata."
            )
    if len(set(listed)) != len(listed):
        raise ValueError(
            f"sensitive_features names a column twice: {listed[:9]!r}. If these are the groups "
            "themselves, name their column of X instead, or pass them as metadata."
        )
    listed = [column if isinstance(column, str) else int(column) for column in listed]
    return tuple(listed) if isinstance(columns, (list, tuple)) else listed[0]


def _checked_methods(response_method) -> tuple[str, ...]:
    methods = (response_method,) if isinstance(response_method, str) else tuple(response_method)
    if not methods or any(method not in RESPONSE_METHODS for method in methods):
        raise ValueError(
            f"response_method must be one or several of {', '.join(map(repr, RESPONSE_METHODS))}, "
            f"got {response_method!r}."
        )
    return methods


def _two_classes(estimator) -> list | None:
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2 or np.ndim(classes[0]):  # a list: several outputs
        return None
    return np.asarray(classes).tolist()


def _towards(pos_label, y_pred, *, method, classes, estimator):
    """One number a row that grows with the chance of `pos_label`, where classes are two."""
    if method == "predict" or not hasattr(estimator, "classes_"):
        return y_pred
    if method == "decision_function":
        return -np.asarray(y_pred) if classes and pos_label == classes[0] else y_pred
    if len(estimator.classes_) == 1:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on one class only, "
            f"{estimator.classes_[0]!r}: there is no score to rank by. Stratify the folds."
        )
    return np.asarray(y_pred)[:, classes.index(pos_label)] if classes else y_pred


def _coded(labels, pos_label):
    return (np.asarray(labels) == pos_label).astype(int)


def _key(value):
    """Something hashable that is equal for equal metrics and options."""
    if isinstance(value, functools.partial):
        return ("partial", _key(value.func), tuple(map(_key, value.args)), _key(value.keywords))
    if isinstance(value, Mapping):
        return frozenset((name, _key(one)) for name, one in value.items())
    try:
        hash(value)
    except TypeError:
        return joblib.hash(value)
    return value


def _spelled(value) -> str:
    """Source text of a metric or an option, to be pasted where the names are imported."""
    if isinstance(value, functools.partial):
        parts = [*map(_spelled, (value.func, *value.args))]
        parts += [f"{name}={_spelled(one)}" for name, one in value.keywords.items()]
        return f"functools.partial({', '.join(parts)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name!r}: {_spelled(one)}' for name, one in value.items())}}}"
    return getattr(value, "__name__", None) or repr(value)


rgf_scorer = make_fairness_scorer(rgf_score)
centered_rgf_scorer = make_fairness_scorer(rgf_score, centered=True)
aurgf_scorer = make_fairness_scorer(aurgf_score)
