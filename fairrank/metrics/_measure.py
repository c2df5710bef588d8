"""What a scorer measures: a metric, its direction, its options and the arguments it takes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import joblib

from fairrank.metrics._rank_graduation import rgd_score, rgf_score
from fairrank.metrics._rgf_curve import aurgf_score

NAMED_METRICS: dict[str, Callable] = {
    "rgf": rgf_score,
    "centered_rgf": functools.partial(rgf_score, centered=True),
    "aurgf": aurgf_score,
    "rgd": rgd_score,
}
# One value a row: bound to a scorer, these would have the length of other rows.
ROW_ARGUMENTS = frozenset({"y_true", "y_pred", "y_score", "sensitive_features", "sample_weight"})




@dataclass(frozen=True, slots=True)
class Measure:
    """A metric whose direction is known, with its options and the arguments that it takes."""

    metric: Callable
    sign: int
    options: dict
    takes: frozenset[str]

    def value(self, y_true, y_pred, **offered) -> float:
        """Signed value, with those of the `offered` arguments that the metric takes."""
        given = {k: v for k, v in offered.items() if v is not None and k in self.takes}
        return float(self.sign * self.metric(y_true, y_pred, **self.options, **given))


def measures_of(metric, greater_is_better, kwargs) -> dict[str | None, Measure]:
    """Read every metric's signature once, and refuse an option that none takes."""
    metrics = metric if isinstance(metric, Mapping) else {None: metric}
    if not metrics or (metrics is metric and not all(isinstance(name, str) for name in metrics)):
        raise TypeError(f"metric must map names to metrics, got the keys {list(metrics)!r}.")
    options = {name: value for name, value in kwargs.items() if name != "pos_label"}
    for name in ROW_ARGUMENTS.intersection(options):
        raise TypeError(f"{name} has one value a row and cannot be bound: pass it as metadata.")
    measures = {name: measure_of(one, greater_is_better, options) for name, one in metrics.items()}
    taken = frozenset().union(*(measure.takes for measure in measures.values()))
    for name in options:
        if name not in taken:
            raise TypeError(
                f"{name} is no option of {' or '.join(map(spelled, metrics.values()))}, which "
                f"take {', '.join(sorted(taken - ROW_ARGUMENTS)) or 'none'}."
            )
    return measures


def measure_of(metric, greater_is_better, options) -> Measure:
    if isinstance(metric, str) and metric in NAMED_METRICS:
        metric = NAMED_METRICS[metric]
    if not callable(metric):
        raise TypeError(
            "metric must be a function metric(y_true, y_pred, ...), a mapping from names to them "
            f"or one of {', '.join(map(repr, NAMED_METRICS))}, got {metric!r}."
        )
    function: Any = metric
    preset: dict[str, Any] = {}
    while isinstance(function, functools.partial) and not function.args:
        function, preset = function.func, {**function.keywords, **preset}
    for name in ("pos_label", *ROW_ARGUMENTS):
        if name in preset:
            raise TypeError(f"{spelled(metric)} binds {name}=, which the scorer has to pass.")
    parameters = signature(function).parameters
    takes = frozenset(parameters)
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        takes |= {"sensitive_features", *options}  # nothing tells what it hands on
    return Measure(
        metric=function,
        sign=1 if _direction(function, greater_is_better) else -1,
        options={**preset, **{name: options[name] for name in options if name in takes}},
        takes=takes,
    )


def _direction(function, greater_is_better) -> bool:
    name = getattr(function, "__name__", type(function).__name__)
    if greater_is_better not in (None, True, False):
        raise TypeError(f"greater_is_better must be True, False or None: {greater_is_better!r}.")
    declared = getattr(function, "greater_is_better", greater_is_better)
    if greater_is_better is not None and greater_is_better != declared:
        raise ValueError(
            f"{name} declares greater_is_better={declared!r}, but {greater_is_better!r} was "
            "passed, so that a search would prefer the worst: leave it out."
        )
    if declared is not None:
        return bool(declared)
    if not name.endswith(("_score", "_error", "_loss", "_difference")):
        raise ValueError(
            f"Nothing says whether a greater {name} is better: it has no attribute "
            "greater_is_better and no name in _score, _error, _loss or _difference. Pass "
            "greater_is_better=True or False."
        )
    return name.endswith("_score")


def value_key(value):
    """Something hashable that is equal for equal metrics and options."""
    if isinstance(value, functools.partial):
        args = tuple(map(value_key, value.args))
        return (value_key(value.func), args, value_key(value.keywords))
    if isinstance(value, Mapping):
        return frozenset((name, value_key(one)) for name, one in value.items())
    try:
        hash(value)
    except TypeError:
        return joblib.hash(value)
    return value


def spelled(value) -> str:
    """Source text of a metric or option, to be pasted where its name is imported."""
    if isinstance(value, functools.partial):
        parts = [*map(spelled, (value.func, *value.args))]
        parts += [f"{name}={spelled(one)}" for name, one in value.keywords.items()]
        return f"partial({', '.join(parts)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name!r}: {spelled(one)}' for name, one in value.items())}}}"
    return getattr(value, "__name__", None) or repr(value)
