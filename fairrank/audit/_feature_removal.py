"""Measure feature removal: held-out scores of the full and the reduced models become a result."""

from __future__ import annotations

import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from fairrank.audit._audited_features import AuditedFeature
from fairrank.audit._feature_removal_result import (
    ALPHA,
    FeatureRemoval,
    FeatureRemovalResult,
    FullModel,
    MeasuredChange,
)
from fairrank.audit._removal_changes import (
    change_interval,
    change_pvalue,
    contribution_interval,
    fairness_change_interval,
    fairness_contribution,
)
from fairrank.audit._removal_text import removal_reading
from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.inference._holm import holm
from fairrank.inference._paired_bootstrap import STATISTICS, paired_distribution
from fairrank.inference._permutation import entropy_of
from fairrank.inference._rgf_test import burden_name, rgf_test
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from fairrank.metrics._rank_graduation import measure_separation
from fairrank.metrics._rgf_curve import MIN_GROUP_SIZE, check_grid, curve_of


@dataclass(frozen=True, kw_only=True)
class HeldOutRows:
    """The audited rows: what every model is measured on.

    Attributes
    ----------
    outcome : ndarray of uint8, shape (n,)
    group : ndarray of uint8, shape (n,)
    labels : tuple
    fold : ndarray of intp, shape (n,)
        Labels are exchanged inside folds only: scores out of fold come from different models.
    burden : str or callable
    n_dropped : int
    pooled : dict of str to str
        Names of scorers that are one of the bootstrap's `STATISTICS`, and which.
    """

    outcome: np.ndarray
    group: np.ndarray
    labels: tuple
    fold: np.ndarray
    burden: Any
    n_dropped: int
    pooled: dict[str, str]

    @property
    def n_folds(self) -> int:
        """Folds that hold rows out."""
        return int(np.unique(self.fold).size)

    @property
    def null_reference(self) -> float:
        """What plain RGF comes to at this mix of groups when burdens are shared alike."""
        share = np.bincount(self.group, minlength=len(self.labels)) / self.group.size
        first, second = np.triu_indices(share.size, 1)
        return float(1.0 - np.abs(share[first] - share[second]).mean() / 2.0)


@dataclass(frozen=True, kw_only=True)
class MeasuredModel:
    """One model on the held-out rows, an array entry a seed.

    Attributes
    ----------
    centered_rgf, rgf, aurgf : ndarray, shape (n_seeds,)
    burden : ndarray, shape (n_seeds, n)
    score : ndarray, shape (n_seeds, n)
    scores : dict of str to ndarray, shape (n_seeds,)
    defined : bool
        False when all burdens are equal with some seed: fairness is NaN then.
    """

    centered_rgf: np.ndarray
    rgf: np.ndarray
    aurgf: np.ndarray
    burden: np.ndarray
    score: np.ndarray
    scores: dict[str, np.ndarray]
    defined: bool


def measured_model(
    rows: HeldOutRows, score: np.ndarray, scores: Mapping[str, np.ndarray], name: str,
    undefined: str = "raise",
) -> MeasuredModel:
    """Fairness of one model's held-out scores, shape (n_seeds, n).

    Raises
    ------
    DegenerateGroupError
        All burdens are equal, unless ``undefined="nan"``: then NaN, with a warning.
    """
    fairness = np.full((3, score.shape[0]), np.nan)
    samples = [
        audit_sample(rows.outcome, one, sensitive_features=rows.group, burden=rows.burden)
        for one in score
    ]
    defined = True
    for s, sample in enumerate(samples):
        try:
            burdens = sorted_burdens(replace(sample, labels=rows.labels))
        except DegenerateGroupError as error:
            message = f"{name}: {error}"
            if undefined == "raise":
                raise DegenerateGroupError(message) from error
            warnings.warn(f"NaN is returned: {message}", UndefinedMetricWarning, stacklevel=4)
            defined = False
            continue
        measured = measure_separation(burdens)
        area = curve_of(burdens, check_grid(None), MIN_GROUP_SIZE).area
        fairness[:, s] = measured.rgf(True), measured.rgf(False), area
    return MeasuredModel(
        centered_rgf=fairness[0],
        rgf=fairness[1],
        aurgf=fairness[2],
        burden=np.array([sample.burden for sample in samples]),
        score=score,
        scores=dict(scores),
        defined=defined,
    )


def removal_result(
    rows: HeldOutRows,
    full: MeasuredModel,
    models: Mapping[AuditedFeature, MeasuredModel | str],
    *,
    column_labels: Any,
    strategy: str = "refit",
    n_permutations: int = 2000,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    seed: np.random.SeedSequence,
    n_jobs: Any = None,
) -> FeatureRemovalResult:
    """Compare every reduced model with the full one.

    Parameters
    ----------
    rows : HeldOutRows
    full : MeasuredModel
    models : mapping of AuditedFeature to MeasuredModel or str
        A string says why the feature could not be measured.
    column_labels : callable
        Position -> name of a column of X.
    strategy : {"refit", "neutralize"}
    n_permutations, n_resamples : int
        0 switches tests or intervals off.
    confidence_level : float
    seed : SeedSequence
    n_jobs : int, optional
        Threads of the draws.
    """
    words = entropy_of(seed)
    measured = {f: model for f, model in models.items() if isinstance(model, MeasuredModel)}
    tests = [
        _tested(rows, model, n_permutations, words, n_jobs) for model in (full, *measured.values())
    ]
    whole = FullModel(
        centered_rgf=float(full.centered_rgf.mean()),
        rgf=float(full.rgf.mean()),
        aurgf=float(full.aurgf.mean()),
        null_reference=rows.null_reference,
        pvalue=tests[0][0],
        effect_size=tests[0][1],
        scores={name: float(values.mean()) for name, values in full.scores.items()},
    )
    draws = _paired_draws(rows, (full, *measured.values()), n_resamples, words, n_jobs)
    removals = {}
    for i, (feature, model) in enumerate(measured.items(), start=1):
        removals[feature] = _removal(
            rows, feature, full, model, whole, tests[i],
            None if draws is None else (draws[:, 0], draws[:, i]), confidence_level, column_labels,
        )
    adjusted = _adjusted(removals)
    features = tuple(
        adjusted[feature] if feature in adjusted
        else FeatureRemoval.failed(
            feature.name, tuple(map(column_labels, feature.columns)), str(model), whole.scores
        )
        for feature, model in models.items()
    )
    _warn_undefined(features)
    counts = np.bincount(rows.group, minlength=len(rows.labels))
    return FeatureRemovalResult(
        full=whole,
        features=features,
        sensitive_features={str(g): int(n) for g, n in zip(rows.labels, counts)},
        strategy=strategy,
        burden=burden_name(rows.burden),
        n_samples=rows.outcome.size,
        n_folds=rows.n_folds,
        n_seeds=full.rgf.size,
        n_dropped=rows.n_dropped,
        n_permutations=n_permutations,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=words,
        versions={"python": platform.python_version()}
        | {name: version(name) for name in ("fairrank", "numpy", "scipy", "scikit-learn")},
    )


def _tested(
    rows: HeldOutRows, model: MeasuredModel, n_permutations: int, words: tuple, n_jobs: Any
) -> tuple[float, float]:
    """P-value and effect size, on each row's mean burden over the seeds."""
    if not n_permutations or not model.defined:
        return np.nan, np.nan
    # The same permutations for every model: their p-values differ by the models alone.
    seed = np.random.SeedSequence(words, spawn_key=(0,))
    test = rgf_test(
        None, None, sensitive_features=rows.group, burden=model.burden.mean(axis=0),
        strata=rows.fold if rows.n_folds > 1 else None, n_permutations=n_permutations,
        comparisons="none", n_jobs=n_jobs, random_state=seed,
    )
    return test.pvalue, test.effect_size


def _paired_draws(
    rows: HeldOutRows, models: tuple, n_resamples: int, words: tuple, n_jobs: Any
) -> np.ndarray | None:
    """Means over the seeds of `STATISTICS` in every draw, shape (n_resamples, n_models, 4)."""
    if not n_resamples:
        return None
    n_seeds = models[0].score.shape[0]
    found = paired_distribution(
        np.concatenate([model.burden for model in models]),
        np.concatenate([model.score for model in models]),
        group=rows.group, outcome=rows.outcome, n_resamples=n_resamples,
        seed=np.random.SeedSequence(words, spawn_key=(1,)), n_jobs=n_jobs,
    )
    return found.reshape(n_resamples, len(models), n_seeds, len(STATISTICS)).mean(axis=2)


def _removal(
    rows: HeldOutRows, feature: AuditedFeature, full: MeasuredModel, model: MeasuredModel,
    whole: FullModel, test: tuple[float, float], draws: tuple[np.ndarray, np.ndarray] | None,
    level: float, column_labels: Any,
) -> FeatureRemoval:
    changes = {
        name: _change(
            getattr(full, name), getattr(model, name),
            _drawn(draws, name if name in STATISTICS else None), level, fairness=True,
        )
        for name in ("centered_rgf", "rgf", "aurgf")
    }
    scores = {
        name: _change(before, model.scores[name], _drawn(draws, rows.pooled.get(name)), level)
        for name, before in full.scores.items()
    }
    centered, rgf = changes["centered_rgf"], changes["rgf"]
    low = high = pvalue = np.nan
    contribution = float(fairness_contribution(centered.full, centered.without))
    if draws is not None:
        place = STATISTICS.index("centered_rgf")
        before, after = draws[0][:, place], draws[1][:, place]
        parts = fairness_contribution(before, after)
        low, high = contribution_interval(centered.full, centered.low, centered.high, parts, level)
        pvalue = change_pvalue(centered.change, after - before)
    return FeatureRemoval(
        feature=feature.name,
        columns=tuple(map(column_labels, feature.columns)),
        contribution=contribution,
        contribution_low=low,
        contribution_high=high,
        paper_contribution=float(fairness_contribution(rgf.full, rgf.without)),
        centered_rgf=centered,
        rgf=rgf,
        aurgf=changes["aurgf"],
        scores=scores,
        pvalue=test[0],
        effect_size=test[1],
        change_pvalue=pvalue,
        reading=removal_reading(feature.name, whole, centered, rgf, test[0], ALPHA),
    )


def _drawn(draws: tuple | None, statistic: str | None) -> tuple | None:
    """Paired draws of one statistic, of the full model and without the feature."""
    if draws is None or statistic is None:
        return None
    place = STATISTICS.index(statistic)
    return draws[0][:, place], draws[1][:, place]


def _change(
    before: np.ndarray, after: np.ndarray, drawn: tuple | None, level: float,
    fairness: bool = False,
) -> MeasuredChange:
    full, without = float(before.mean()), float(after.mean())
    low = high = np.nan
    if drawn is not None:
        draws_full, draws_without = drawn
        if fairness:
            low, high = fairness_change_interval(full, without, draws_full, draws_without, level)
        else:
            low, high = change_interval(
                without - full, draws_without - draws_full, level, hull=False
            )
    return MeasuredChange(
        full=full,
        without=without,
        change=without - full,
        low=low,
        high=high,
        refit_noise=float((after - before).std(ddof=1)) if before.size > 1 else np.nan,
    )


def _adjusted(removals: dict) -> dict:
    """P-values adjusted over the features that have one."""
    found = list(removals.values())
    columns: dict[str, list[float]] = {}
    for name in ("pvalue", "change_pvalue"):
        values = np.array([getattr(removal, name) for removal in found], dtype=np.float64)
        known = ~np.isnan(values)
        ordered = np.full(values.size, np.nan)
        if known.any():
            ordered[known] = false_discovery_control(values[known], method="bh")
        columns[f"{name}_holm"] = holm(values).tolist()
        columns[f"{name}_bh"] = ordered.tolist()
    return {
        feature: replace(removal, **{name: values[i] for name, values in columns.items()})
        for i, (feature, removal) in enumerate(removals.items())
    }


def _warn_undefined(features: tuple[FeatureRemoval, ...]) -> None:
    undefined = [
        f"{name} of {removal.feature}"
        for removal in features
        if removal.error is None
        for name, measured in (
            ("contribution", removal.centered_rgf), ("paper_contribution", removal.rgf)
        )
        if not np.isnan(measured.change) and np.isnan(getattr(removal, name))
    ]
    if undefined:
        warnings.warn(
            f"NaN is returned for {', '.join(undefined)}: a score fell, and it is not positive "
            "with the feature or without it, so that no part of it can be told. See its change.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
