"""The result of `rgf_test`: numbers by name, and one sentence that claims no more than they do."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from scipy.stats import beta

from fairrank.inference._burden_profile import GroupBurden
from fairrank.inference._comparisons import GroupComparison
from fairrank.inference._power import detectable_effect, samples_needed

LARGE_SAMPLE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationByGroup:
    """Mean score against observed rate in one group: an entry of `RGFTestResult.calibration`.

    Attributes
    ----------
    group : hashable
        The group, as it was passed.
    mean_score, observed_rate : float
        Mean score of its rows, and the part of them with the positive outcome, in [0, 1].
    difference : float
        ``observed_rate - mean_score``, in [-1, 1].
    z : float
        The difference over its standard deviation when outcomes are Bernoulli(score); NaN where
        every score is 0 or 1.

    See Also
    --------
    rgf_test : With ``reference="calibrated"`` its result holds one of these a group.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import rgf_test
    >>> rng = np.random.default_rng(0)
    >>> score, group = rng.random(400), np.repeat(["a", "b"], [300, 100])
    >>> y = rng.random(400) < np.where(group == "a", score, 0.5 * score)
    >>> test = rgf_test(
    ...     y, score, sensitive_features=group, reference="calibrated", n_permutations=99,
    ...     random_state=0,
    ... )
    >>> wrong = test.calibration[1]
    >>> wrong.group, round(wrong.difference, 2), round(wrong.z, 1)
    ('b', -0.21, -5.2)
    """

    group: Any
    mean_score: float
    observed_rate: float
    difference: float
    z: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values; the group as text."""
        return asdict(self) | {"group": str(self.group)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RGFTestResult:
    """Outcome of a test of equally shared burdens.

    Attributes
    ----------
    statistic : float
        T, the mean over pairs of the squared distance between centred paths (Cramer-von Mises).
    pvalue : float
    effect_size : float
        ``T / E[T]``; about 1 when burdens are shared alike, whatever n.
    expected_statistic : float
        E[T] under the null, in closed form (mean of the draws for the calibrated reference).
    null_distribution : ndarray
        Drawn statistics, or those of every labelling.
    method : {"exact", "monte_carlo", "sequential"}
    n_draws : int
        Draws made, or labellings enumerated.
    pvalue_standard_error : float
        Monte Carlo error of `pvalue`; 0 when exact.
    smallest_pvalue : float
        The smallest p-value this test could have given.
    reference : {"permutation", "calibrated"}
    strata : str
        "none", "outcome", "score", "given", or several joined by " x ".
    n_strata, n_informative_strata, n_informative_rows : int
        Strata, those where exchanging labels can change anything (they hold two groups and
        unlike burdens), and the rows inside these.
    rgf, centered_rgf : float
    null_reference : float
        What plain RGF comes to at this mix of groups when burdens are shared alike.
    groups : tuple of GroupBurden
    pairs, one_vs_rest : tuple of GroupComparison
        Empty for two groups, or when not asked for.
    calibration : tuple of CalibrationByGroup
        Only with the calibrated reference.
    n_samples, n_tied, n_dropped : int
        Rows tested, those sharing their burden with another, those without a group.
    groups_left_out : tuple of (label, n_rows)
    weighting : {"none", "repetition"}
    burden : str
    top : float
        Fraction of largest burdens kept before testing.
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> from fairrank.inference import rgf_test
    >>> burden, group = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9], ["a", "a", "b", "a", "b", "b"]
    >>> result = rgf_test(None, None, sensitive_features=group, burden=burden)
    >>> result.method, result.n_draws, result.pvalue
    ('exact', 20, 0.3)
    """

    statistic: float
    pvalue: float
    effect_size: float
    expected_statistic: float
    null_distribution: np.ndarray
    method: str
    n_draws: int
    pvalue_standard_error: float
    smallest_pvalue: float
    reference: str
    strata: str
    n_strata: int
    n_informative_strata: int
    n_informative_rows: int
    rgf: float
    centered_rgf: float
    null_reference: float
    groups: tuple[GroupBurden, ...]
    pairs: tuple[GroupComparison, ...]
    one_vs_rest: tuple[GroupComparison, ...]
    calibration: tuple[CalibrationByGroup, ...]
    n_samples: int
    n_tied: int
    n_dropped: int
    groups_left_out: tuple
    weighting: str
    burden: str
    top: float
    seed: tuple

    def pvalue_interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Clopper-Pearson interval of the exact p-value behind a sampled one.

        Parameters
        ----------
        confidence_level : float
            In (0, 1).

        Returns
        -------
        low, high : float
            Both equal `pvalue` when the test is exact.
        """
        if self.method == "exact":
            return self.pvalue, self.pvalue
        # A sequential test that stopped has p = h / l, every other sampled one (c + 1) / (B + 1).
        reached = round(self.pvalue * self.n_draws)
        if self.method != "sequential" or reached / self.n_draws != self.pvalue:
            reached = round(self.pvalue * (self.n_draws + 1)) - 1
        missed, tail = self.n_draws - reached, (1.0 - confidence_level) / 2.0
        low = float(beta.ppf(tail, reached, missed + 1)) if reached else 0.0
        high = float(beta.ppf(1.0 - tail, reached + 1, missed)) if missed else 1.0
        return low, high

    def minimum_detectable_effect(self, power: float = 0.8, alpha: float = 0.05) -> float:
        """Smallest expected ``T / E[T]`` found with this power at this level.

        Parameters
        ----------
        power, alpha : float
            In (0, 1).

        Returns
        -------
        float
            At least 1; infinity when no p-value can fall to `alpha`, and NaN when every labelling
            gives the same statistic.

        Notes
        -----
        An approximation: the statistic is taken for a shifted and scaled noncentral chi-square
        whose first three moments, without the shift, are those of the draws [1]_. Where a small
        group's own burdens vary more as they grow, power is less than asked for:
        ``benchmarks/results/power.md``.

        References
        ----------
        .. [1] E. S. Pearson (1959). Note on an approximation to the distribution of non-central
           chi-square. Biometrika 46, 364.
        """
        return detectable_effect(self.null_distribution, power=power, alpha=alpha)

    def samples_needed(self, power: float = 0.8, alpha: float = 0.05) -> float:
        """Number of rows at which an effect as large as the observed one would be found.

        Parameters
        ----------
        power, alpha : float
            In (0, 1).

        Returns
        -------
        float
            Infinity when the observed statistic does not exceed its null mean, and NaN when every
            labelling gives the same one.

        Notes
        -----
        An approximation: ``T / E[T] - 1`` is taken to grow in proportion to the rows, up to what
        `minimum_detectable_effect` approximates. With the effect of one small sample the number
        is far from certain: ``benchmarks/results/power.md``.
        """
        detectable = self.minimum_detectable_effect(power, alpha)
        return samples_needed(self.n_samples, self.effect_size, detectable)

    @property
    def most_burdened(self) -> GroupBurden:
        """The group whose burden exceeds its expected share most, as a ratio."""
        return max(self.groups, key=lambda group: np.nan_to_num(group.conditional_ratio))

    @property
    def reading(self) -> str:
        """One plain sentence or two: what was tested and what was found, no cause."""
        return reading_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON: groups as text, quantiles of the draws."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "null_distribution":
                levels = (0.05, 0.5, 0.95, 0.99)
                value = dict(zip(map(str, levels), np.quantile(value, levels).tolist()))
            elif field.name == "calibration":
                value = [row.to_dict() for row in value]
            elif field.name == "groups_left_out":
                value = [[str(label), n_rows] for label, n_rows in value]
            elif isinstance(value, tuple) and value and hasattr(value[0], "to_dict"):
                value = [part.to_dict() for part in value]
            out[field.name] = value
        return out | {"reading": self.reading}

    def __repr__(self) -> str:
        """The numbers a reader wants first."""
        given = "" if self.strata == "none" else f", strata={self.strata}"
        if self.reference == "calibrated":
            given += ", reference=calibrated"
        groups = ", ".join(
            f"{g.group!s} (n={g.n_samples}): {g.burden_ratio:.3f}" for g in self.groups
        )
        return (
            f"RGFTestResult(statistic={self.statistic:.5g}, pvalue={self.pvalue:.4g}, "
            f"effect_size={self.effect_size:.3g}, method={self.method}, n_draws={self.n_draws}"
            f"{given})\n"
            f"  rgf={self.rgf:.4f} (null reference {self.null_reference:.4f}), "
            f"centered_rgf={self.centered_rgf:.4f}\n"
            f"  burden ratio  {groups}\n"
            f"  {self.reading}"
        )


def _null_in_words(result: RGFTestResult) -> str:
    if result.reference == "calibrated":
        return "outcomes were drawn from the scores themselves (calibrated, base rates as scored)"
    if result.strata == "none":
        return "group labels were exchanged among all rows"
    inside = {
        "outcome": "rows of the same outcome",
        "score": "rows of like score",
        "given": "rows of the same stratum",
    }.get(result.strata, f"rows alike in {result.strata}")
    return f"group labels were exchanged among {inside}"


def reading_of(result: RGFTestResult, alpha: float = 0.05) -> str:
    """Plain-language reading of a test; never a cause, never "fair"."""
    null = _null_in_words(result)
    if result.smallest_pvalue > alpha:
        return (
            f"Too few labellings to tell: the smallest p-value this test can give is "
            f"{result.smallest_pvalue:.3g}."
        )
    found = f"when {null}, a separation this large came with p = {result.pvalue:.4g}"
    size = f"the statistic is {result.effect_size:.3g} times its mean under that null"
    if result.pvalue <= alpha:
        most = result.most_burdened
        if result.reference == "calibrated":
            text = (
                f"Burdens part more than calibrated scores would explain: {found}; {size}. Look "
                "at calibration by group before reading it as a difference between groups."
            )
        else:
            share = (
                f"{most.burden_ratio:.2f} times its share of the error"
                if result.strata == "none"
                else f"{most.conditional_ratio:.2f} times the error it would carry under that null"
            )
            text = (
                f"Burdens are not shared alike: {found}; {size}. Group {most.group!s} carries "
                f"{share}. The test does not say why."
            )
        if result.n_samples >= LARGE_SAMPLE:
            text += " With this many rows small differences are found: judge by the effect size."
        return text
    detectable = result.minimum_detectable_effect(0.8, alpha)
    if np.isnan(detectable):
        return (
            f"Nothing to tell: when {null}, every separation is as large as this one, whatever "
            "the labels."
        )
    return (
        f"No evidence that burdens part: {found}; {size}. That is not evidence of equality: an "
        f"effect below {detectable:.3g} is found less than 80 % of the time with these rows."
    )
