"""Every public function on rows, with legal columns for its arguments: what robustness varies."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairrank import datasets, frontier, inference, metrics, ranking, welfare

FEW = {"n_permutations": 19, "n_resamples": 19, "n_null_draws": 5, "n_draws": 19}


@dataclass(frozen=True)
class PublicCall:
    """One way to call something public.

    Attributes
    ----------
    name : str
        What it is called.
    run : callable
        Takes one array an argument, by name.
    columns : mapping of str to str
        Argument -> the legal column that it gets.
    words : frozenset of str
        Names of arguments that a message may give.
    """

    name: str
    run: Callable[..., Any]
    columns: Mapping[str, str] = field(default_factory=dict)
    words: frozenset = frozenset()

    def arguments(self, columns):
        """A legal call, ready to have one argument replaced."""
        return {argument: columns[column] for argument, column in self.columns.items()}

    def __call__(self, **arguments):
        return self.run(**arguments)


def legal_columns(n_rows=24, seed=0):
    """Columns that every public call accepts, both classes and groups in all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) // 2 % 2
    group = np.array(["a", "b"])[np.arange(n_rows) % 2]
    delta = rng.normal(size=(n_rows, 2))
    return {
        "label": y, "score": rng.uniform(0.05, 0.95, n_rows), "group": group,
        "weight": rng.uniform(0.5, 2.0, n_rows), "loss_0": (y == 1).astype(float),
        "loss_1": (y == 0).astype(float), "delta": delta, "own": delta.sum(axis=1),
        "decision": np.arange(n_rows) // 4 % 2, "burden": rng.uniform(size=n_rows),
        "revenue": rng.normal(size=n_rows), "utility": rng.uniform(0.1, 1.0, n_rows),
        "amount": rng.uniform(1.0, 5.0, n_rows), "stratum": np.arange(n_rows) % 3,
        "cluster": np.arange(n_rows) // 4, "use": rng.uniform(0.5, 1.5, n_rows),
        "repeat": rng.integers(1, 4, n_rows),
        "pvalue": rng.uniform(size=n_rows), "low": -np.ones(n_rows), "high": np.ones(n_rows),
        "estimate": np.zeros(n_rows),
    }


LABELS = {"y_true": "label", "y_score": "score", "sensitive_features": "group"}
WEIGHED = {**LABELS, "sample_weight": "weight"}
# Resampling repeats rows, so that weights are whole.
REPEATED = {**LABELS, "sample_weight": "repeat"}
SUPPORT = {
    "loss_0": "loss_0", "loss_1": "loss_1", "delta_theta": "delta", "sensitive_features": "group",
    "sample_weight": "weight", "clusters": "cluster",
}
POLICY = {
    "revenue": "revenue", "utility": "utility", "sensitive_features": "group",
    "sample_weight": "weight",
}


def _few(function):
    taken = inspect.signature(function).parameters
    options = {name: value for name, value in FEW.items() if name in taken}
    return options | ({"random_state": 0} if "random_state" in taken else {})


def _words(function):
    return frozenset(inspect.signature(function).parameters)


def _call(function, columns, *, label="", **options):
    fixed = {**_few(function), **options}
    return PublicCall(
        name=f"{function.__name__}{label}", columns=columns, words=_words(function),
        run=lambda **arguments: function(**arguments, **fixed),
    )


def _of_support(ask, *functions, label=None, **more):
    """A call that builds a support function of its own, then asks it something."""
    def run(loss_0, loss_1, delta_theta, sensitive_features, sample_weight=None, clusters=None,
            **rest):
        support = frontier.SupportFunction(
            loss_0, loss_1, delta_theta, sensitive_features=sensitive_features,
            sample_weight=sample_weight, clusters=clusters,
        )
        return ask(support, **rest)

    words = _words(frontier.SupportFunction).union(*map(_words, functions))
    name = label or functions[0].__name__
    return PublicCall(name=name, run=run, columns={**SUPPORT, **more}, words=words)


def _asks(function, *, label=None, columns=None, **options):
    fixed = {**_few(function), **options}
    return _of_support(
        lambda support, **rest: function(support, **rest, **fixed), function, label=label,
        **(columns or {}),
    )


def _directions(support):
    q = np.array([[1.0, 0.0], [-1.0, -1.0], [0.3, -2.0]])
    return {
        "h": support.h(q), "points": support.support_points, "fairest": support.fairest_point,
        "best": support.best_points, "skew": support.skew,
        "error": support.standard_error([-1.0, -1.0]), "decided": support.decisions([-1.0, 0.5]),
    }


def _mismatch(policy, underlying_utility, y_prob, sensitive_features, sample_weight, y_true,
              amount):
    return welfare.mismatch_report(
        policy, underlying_utility, y_prob=y_prob, sensitive_features=sensitive_features,
        assumed_utility="equal_opportunity", sample_weight=sample_weight, y_true=y_true,
        amount=amount, gain=1.0, loss=amount,
    )


METRICS = [
    _call(metrics.rgf_score, WEIGHED),
    _call(metrics.rgf_score, WEIGHED, label=", centered", centered=True, burden="squared"),
    _call(metrics.rgd_score, WEIGHED),
    PublicCall(
        name="rgf_score of burdens", words=_words(metrics.rgf_score),
        columns={"burden": "burden", "sensitive_features": "group", "sample_weight": "weight"},
        run=lambda **arguments: metrics.rgf_score(None, None, **arguments),
    ),
    _call(metrics.rgf_curve, WEIGHED, min_group_size=1),
    _call(metrics.aurgf_score, WEIGHED, min_group_size=1),
    _call(metrics.prf_score, WEIGHED, group="a"),
    _call(metrics.xauc_score, WEIGHED, above="a", below="b"),
    _call(metrics.xroc_curve, WEIGHED, above="a", below="b"),
    _call(metrics.xauc_disparity, WEIGHED),
    _call(metrics.prf_disparity, WEIGHED),
    _call(metrics.urf_disparity, WEIGHED),
    _call(metrics.ranking_disparity, WEIGHED),
]
INFERENCE = [
    _call(inference.rgf_test, {**REPEATED, "strata": "stratum"}),
    _call(inference.rgf_test, LABELS, label=", calibrated", reference="calibrated"),
    _call(inference.rgf_interval, REPEATED),
    _call(inference.burden_curve, {**REPEATED, "strata": "stratum"}),
    _call(inference.ranking_disparity_interval, REPEATED),
    _call(inference.rgf_report, REPEATED, min_group_size=1),
]
RANKING = [
    _call(ranking.fair_ordering, WEIGHED, max_disparity=0.1),
    _call(ranking.fair_ordering, WEIGHED, label=", lattice", solver="lattice", trade_off=1.0),
    _call(ranking.fair_ordering, WEIGHED, label=", prf", disparity="prf", trade_off=1.0),
    _call(ranking.fair_ordering_path, WEIGHED, n_points=4),
    _call(ranking.post_logit, WEIGHED),
]
WELFARE = [
    _call(welfare.welfare_optimal_policy, POLICY),
    _call(welfare.welfare_optimal_policy, POLICY, label=", smoothed", smoothing=0.1,
          tolerance=0.05),
    _call(welfare.capacity_constrained_policy, {**POLICY, "use": "use"}, capacity=0.3),
    _call(welfare.price_of_fairness_path, POLICY),
    _call(welfare.expected_revenue, {"y_prob": "score", "gain": "amount", "loss": "amount"}),
    _call(
        welfare.expected_utility,
        {"y_prob": "score", "sensitive_features": "group", "amount": "amount",
         "sample_weight": "weight"},
        utility="heterogeneous_opportunity",
    ),
    _call(
        welfare.unaware_policy,
        {"y_prob_unaware": "score", "y_prob": "score", "sensitive_features": "group",
         "amount": "amount", "sample_weight": "weight"},
        utility="heterogeneous_opportunity",
    ),
    PublicCall(
        name="mismatch_report", run=_mismatch, words=_words(welfare.mismatch_report),
        columns={"policy": "decision", "underlying_utility": "utility", "y_prob": "score",
                 "sensitive_features": "group", "sample_weight": "weight", "y_true": "label",
                 "amount": "amount"},
    ),
]
DECIDED = {"decisions": "decision"}
FRONTIER = [
    _of_support(_directions, label="SupportFunction"),
    _asks(frontier.capacity_support, direction="utilitarian", capacity=0.4),
    _asks(frontier.confidence_set, candidates=5),
    _asks(frontier.cost_of_group_ban, direction="utilitarian", columns={"own_delta": "own"}),
    _asks(frontier.group_ban_band, columns={"own_delta": "own"}),
    _asks(frontier.distance_to_fairest, columns=DECIDED),
    _asks(frontier.distance_to_fairest, label="distance_to_fairest, infimum",
          columns=DECIDED, fairest="infimum"),
    _asks(frontier.group_skew_test),
    _asks(frontier.group_skew_test, label="group_skew_test, inversion", method="inversion"),
    _asks(frontier.less_discriminatory_alternative_test, columns=DECIDED),
    _asks(frontier.less_discriminatory_alternatives, columns=DECIDED),
    _asks(frontier.pareto_test, columns=DECIDED),
    _asks(frontier.point_test, e=[0.4, 0.4]),
    _asks(frontier.frontier_rule, direction="egalitarian"),
    _call(
        frontier.decision_risks,
        {"loss_0": "loss_0", "loss_1": "loss_1", "decisions": "decision",
         "sensitive_features": "group", "sample_weight": "weight", "clusters": "cluster"},
    ),
    _call(frontier.median_pvalue, {"pvalues": "pvalue"}),
    _call(frontier.median_interval, {"lows": "low", "highs": "high", "estimates": "estimate"},
          confidence_level=0.9),
]
DATASETS = [
    _call(datasets.perturb_scores, {"y_score": "score", "sensitive_features": "group"}, group="a"),
]
PARTS = {
    "metrics": METRICS, "inference": INFERENCE, "ranking": RANKING, "welfare": WELFARE,
    "frontier": FRONTIER, "datasets": DATASETS,
}
CALLS = [call for calls in PARTS.values() for call in calls]


def numbers_of(value):
    """Everything that a result holds, as plain containers of arrays that can be compared."""
    if isinstance(value, np.ndarray | str | bytes | int | float | type(None) | np.generic):
        return value
    if isinstance(value, Mapping):
        return {str(key): numbers_of(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [numbers_of(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {
            one.name: numbers_of(getattr(value, one.name)) for one in dataclasses.fields(value)
        }
    return repr(value)


def complaint(call, arguments):
    """What is wrong with how a call ends, or None: a result, or an error that names an argument.

    A warning is an error under pytest, so that numpy's are complained of too.
    """
    try:
        numbers_of(call(**arguments))
    except (TypeError, ValueError) as error:
        text = str(error)
        if not any(re.search(rf"\b{re.escape(word)}\b", text) for word in call.words):
            return f"names no argument: {type(error).__name__}: {text[:200]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return None


def assert_same_numbers(found, expected):
    """Equal to the last bit, NaN where NaN is."""
    np.testing.assert_equal(numbers_of(found), numbers_of(expected))
