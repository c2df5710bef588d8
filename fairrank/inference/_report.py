"""Everything about one score in one call: scores, references, tests, intervals, provenance."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from fairrank._kernels.placement import drawn_labels
from fairrank._validation import check_count, check_fraction
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._bootstrap import ConfidenceInterval, interval_of, resampled_distances
from fairrank.inference._burden_profile import GroupBurden
from fairrank.inference._exchangeability import Exchangeability
from fairrank.inference._permutation import DrawPlan, chunk_seeds, entropy_of, seed_sequence
from fairrank.inference._report_text import report_reading, report_text
from fairrank.inference._rgf_test import burden_name, rgf_test
from fairrank.inference._rgf_test_result import RGFTestResult
from fairrank.inference._strata import read_strata
from fairrank.metrics._audit_sample import (
    TIE_TOLERANCE,
    AuditSample,
    SortedBurdens,
    audit_sample,
    repeated,
    sorted_burdens,
)
from fairrank.metrics._rank_graduation import measure_separation
from fairrank.metrics._rgf_curve import MIN_GROUP_SIZE, RGFCurve, check_grid, curve_of

NULL_CHUNK = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """What a reader asks of one group first: an entry of `RGFReport.groups`.

    Attributes
    ----------
    burden : GroupBurden
        Its part of the burden, and where along the ranking.
    positive_rate : float
        Part of its rows with the positive outcome, in [0, 1]; NaN when the burden was given as an
        array.
    mean_score : float
        Of its rows; NaN when the burden was given as an array.
    auc : float
        ROC-AUC inside the group, in [0, 1]; NaN where it holds one outcome only, and when the
        burden was given as an array.

    See Also
    --------
    rgf_report : The report that holds one of these a group.

    Examples
    --------
    >>> from fairrank.inference import rgf_report
    >>> y, score = [0, 1, 0, 1, 0, 1], [0.1, 0.7, 0.3, 0.6, 0.6, 0.3]
    >>> report = rgf_report(
    ...     y, score, sensitive_features=["a", "a", "b", "a", "b", "b"], n_permutations=99,
    ...     n_resamples=99, min_group_size=1, random_state=0,
    ... )
    >>> [(one.burden.group, round(one.positive_rate, 2), one.auc) for one in report.groups]
    [('a', 0.67, 1.0), ('b', 0.33, 0.25)]
    """

    burden: GroupBurden
    positive_rate: float
    mean_score: float
    auc: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, those of `burden` among them; the group as text."""
        return self.burden.to_dict() | {
            "positive_rate": self.positive_rate, "mean_score": self.mean_score, "auc": self.auc
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RGFReport:
    """One score audited: `str(report)` is the page for a model-risk file.

    Attributes
    ----------
    rgf, centered_rgf : float
    null_reference : float
        ``1 - mean |pi_g - pi_h| / 2``, what plain RGF comes to when burdens are shared alike.
    null_mean, null_centered_mean : float
        Means of RGF and centred RGF over label permutations of this very sample.
    gini : float
        Gini coefficient of the burdens.
    curve : RGFCurve
        With the area (AURGF), its grid, q_min and minimum group size.
    interval, centered_interval : ConfidenceInterval
    test : RGFTestResult
        Labels exchanged among all rows (inside `strata`, when given).
    given_outcome, given_score, calibrated : RGFTestResult or None
        The conditional tests and the calibrated reference. None when the burden was an array, and
        where `not_tested` says why.
    groups : tuple of GroupSummary
    n_samples, n_dropped, n_tied : int
    groups_left_out : tuple of (label, n_rows)
    not_tested : dict of str to str
        Of the conditional tests and the calibrated reference those that this sample leaves
        undefined, and why: no two groups share an outcome or a bin of the score, or scores are
        all 0 or 1.
    burden, weighting, strata : str
    data_hash : str
        SHA-256 of burdens, groups, outcomes and scores as audited, in their order.
    seed : tuple of int
    versions : dict

    Examples
    --------
    >>> from fairrank.inference import rgf_report
    >>> burden, group = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9], ["a", "a", "b", "a", "b", "b"]
    >>> report = rgf_report(
    ...     None, None, sensitive_features=group, burden=burden, min_group_size=1, random_state=0
    ... )
    >>> report.test.pvalue, report.calibrated is None
    (0.3, True)
    """

    rgf: float
    centered_rgf: float
    null_reference: float
    null_mean: float
    null_centered_mean: float
    gini: float
    curve: RGFCurve
    interval: ConfidenceInterval
    centered_interval: ConfidenceInterval
    test: RGFTestResult
    given_outcome: RGFTestResult | None
    given_score: RGFTestResult | None
    calibrated: RGFTestResult | None
    groups: tuple[GroupSummary, ...]
    n_samples: int
    n_dropped: int
    n_tied: int
    groups_left_out: tuple
    not_tested: dict[str, str]
    burden: str
    weighting: str
    strata: str
    data_hash: str
    seed: tuple
    versions: dict[str, str]

    @property
    def reading(self) -> str:
        """What the numbers say together, in plain language; no cause."""
        return report_reading(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if hasattr(value, "to_dict"):
                value = value.to_dict()
            elif field.name == "groups":
                value = [group.to_dict() for group in value]
            elif field.name == "groups_left_out":
                value = [[str(label), n_rows] for label, n_rows in value]
            out[field.name] = value
        return out | {"reading": self.reading}

    def to_text(self) -> str:
        """The report as plain text of at most 99 columns."""
        return report_text(self)

    def __str__(self) -> str:
        """Return the whole report."""
        return self.to_text()

    def __repr__(self) -> str:
        """Summarise in one line; print the report for all of it."""
        return (
            f"RGFReport(rgf={self.rgf:.4f}, null_reference={self.null_reference:.4f}, "
            f"centered_rgf={self.centered_rgf:.4f}, pvalue={self.test.pvalue:.4g}, "
            f"effect_size={self.test.effect_size:.3g}, n_samples={self.n_samples})"
        )


def rgf_report(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    strata: Any = None,
    n_bins: int | None = None,
    n_permutations: int = 2000,
    n_resamples: int = 2000,
    n_null_draws: int = 200,
    confidence_level: float = 0.95,
    grid: Any = None,
    min_group_size: int = MIN_GROUP_SIZE,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    min_group_rows: int = 1,
    tie_tolerance: float = TIE_TOLERANCE,
    n_jobs: Any = None,
    random_state: Any = None,
) -> RGFReport:
    """Audit how one score's prediction error is shared between groups, all in one call.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; None when `burden` is an array.
    y_score : array-like of shape (n_samples,), or None
        Probability of the positive label, in [0, 1], best from rows not used to fit.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row; several columns are read as their intersections.
    burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
        As in `fairrank.metrics.rgf_score`.
    strata : array-like or tuple, optional
        Strata inside which alone labels may change places, in every permutation test: the folds
        of cross-fitted scores, years, branches. See `rgf_test`.
    n_bins : int, optional
        Bins of the score in the test given the score.
    n_permutations, n_resamples : int
        Draws of every test, and of the bootstrap.
    n_null_draws : int
        Permutations for the null means of RGF and centred RGF, O(n) each.
    confidence_level : float
        Of the intervals, in (0, 1).
    grid : array-like, optional
        Kept fractions of the RGF curve.
    min_group_size : int
        Rows of every group inside before the area under the curve begins.
    sample_weight : array-like of int, shape (n_samples,), optional
        Repetitions.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    min_group_rows : int
        Smaller groups are left out, and listed.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.
    random_state : int, RandomState or None
        Seed of all draws.

    Returns
    -------
    RGFReport
        ``print(report)`` for the page, ``report.to_dict()`` for the record.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, all burdens equal, or nothing to exchange inside `strata`.
    ValueError, TypeError
        Bad input, as in `rgf_test`.

    See Also
    --------
    rgf_test : One test with all its options.

    Notes
    -----
    A few sorts, then O(n) a bootstrap draw and O(rows outside the largest group) a permutation.
    The tests answer different questions and are not adjusted for one another: the plain test is
    the headline, the others say how to read it.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import rgf_report
    >>> rng = np.random.default_rng(0)
    >>> score, group = rng.beta(2, 5, 2000), np.repeat(["a", "b"], [1600, 400])
    >>> y = rng.random(2000) < score
    >>> report = rgf_report(y, score, sensitive_features=group, n_resamples=200, random_state=0)
    >>> report.test.pvalue > 0.05, report.calibrated.pvalue > 0.05
    (True, True)
    """
    check_count(n_permutations, "n_permutations")
    check_count(n_resamples, "n_resamples", minimum=2)
    check_count(n_null_draws, "n_null_draws")
    check_count(min_group_size, "min_group_size")
    check_fraction(confidence_level, "confidence_level", high_open=True)
    q_grid = check_grid(grid)
    sample = repeated(
        audit_sample(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden,
            sample_weight=sample_weight, pos_label=pos_label, missing=missing,
            min_group_rows=min_group_rows, tie_tolerance=tie_tolerance,
        )
    )
    burdens = sorted_burdens(sample)
    measured = measure_separation(burdens)
    seed = seed_sequence(random_state)
    seeds = seed.spawn(6)
    inside = read_strata(strata, sample, n_bins)

    def tested(which: int, **options: Any) -> RGFTestResult:
        return rgf_test(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden, n_bins=n_bins,
            n_permutations=n_permutations, sample_weight=sample_weight, pos_label=pos_label,
            missing=missing, min_group_rows=min_group_rows, tie_tolerance=tie_tolerance,
            n_jobs=n_jobs,
            random_state=seeds[which], **options,
        )

    test = tested(0, strata=strata)
    conditional: dict[str, RGFTestResult] = {}
    not_tested: dict[str, str] = {}
    if sample.outcome is not None:
        outer = () if strata is None else strata if isinstance(strata, tuple) else (strata,)
        asked: dict[str, dict[str, Any]] = {
            "given_outcome": {"strata": ("outcome", *outer), "comparisons": "none"},
            "given_score": {"strata": ("score", *outer), "comparisons": "none"},
            "calibrated": {"reference": "calibrated"},
        }
        for which, (name, options) in enumerate(asked.items(), 1):
            try:
                conditional[name] = tested(which, **options)
            except DegenerateGroupError as error:
                # The headline stands without them: they only say how to read it.
                not_tested[name] = str(error)
    exchange = Exchangeability.of(
        burdens, None if inside.code is None else inside.code[burdens.order]
    )
    null_mean, null_centered = _null_means(exchange, burdens, n_null_draws, seeds[4])
    distances = resampled_distances(burdens, n_resamples, seeds[5], n_jobs)
    interval, centered_interval = (
        interval_of(burdens, distances, statistic, confidence_level, "auto", seeds[5])
        for statistic in ("rgf", "centered_rgf")
    )
    return RGFReport(
        rgf=measured.rgf(False),
        centered_rgf=measured.rgf(True),
        null_reference=measured.null_reference,
        null_mean=null_mean,
        null_centered_mean=null_centered,
        gini=measured.gini,
        curve=curve_of(burdens, q_grid, min_group_size),
        interval=interval,
        centered_interval=centered_interval,
        test=test,
        given_outcome=conditional.get("given_outcome"),
        given_score=conditional.get("given_score"),
        calibrated=conditional.get("calibrated"),
        groups=tuple(_summaries(sample, test.groups)),
        n_samples=sample.n_samples,
        n_dropped=sample.n_dropped,
        n_tied=burdens.n_tied,
        groups_left_out=sample.left_out,
        not_tested=not_tested,
        burden=burden_name(burden),
        weighting="none" if sample_weight is None else "repetition",
        strata=inside.name,
        data_hash=_data_hash(sample),
        seed=entropy_of(seed),
        versions={"python": platform.python_version()}
        | {name: version(name) for name in ("fairrank", "numpy", "scipy", "scikit-learn")},
    )


def _null_means(
    exchange: Exchangeability, burdens: SortedBurdens, n_draws: int, seed: np.random.SeedSequence
) -> tuple[float, float]:
    """Mean RGF and centred RGF over permutations. O(n G^2) a draw."""
    plan = DrawPlan.of(exchange)
    totals = np.zeros(2)
    for state, size in chunk_seeds(seed, n_draws, NULL_CHUNK):
        drawn = drawn_labels(plan.position, plan.stratum_start, plan.n_drawn, state, size)
        codes = plan.column.astype(np.uint8)[drawn]
        for group in codes:
            permuted = SortedBurdens(
                order=burdens.order, burden=burdens.burden, group=group, weight=burdens.weight,
                block_start=burdens.block_start, labels=burdens.labels, at_ranks=True,
            )
            measured = measure_separation(permuted)
            totals += measured.rgf(False), measured.rgf(True)
    return float(totals[0] / n_draws), float(totals[1] / n_draws)


def _summaries(sample: AuditSample, groups: tuple[GroupBurden, ...]) -> list[GroupSummary]:
    out = []
    for code, burden in enumerate(groups):
        rate = mean_score = auc = float("nan")
        if sample.outcome is not None and sample.score is not None:
            mine = sample.group == code
            outcome, score = sample.outcome[mine], sample.score[mine]
            rate, mean_score = float(outcome.mean()), float(score.mean())
            if 0.0 < rate < 1.0:
                auc = float(roc_auc_score(outcome, score))
        out.append(
            GroupSummary(burden=burden, positive_rate=rate, mean_score=mean_score, auc=auc)
        )
    return out


def _data_hash(sample: AuditSample) -> str:
    digest = hashlib.sha256(repr(sample.labels).encode())
    for values in (sample.burden, sample.group, sample.outcome, sample.score):
        if values is not None:
            # One byte order, so that the hash is the same on every machine.
            array = np.ascontiguousarray(values)
            digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()
