"""The result of a test for a less discriminatory alternative, and what it does not say."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fairrank.frontier._bootstrap_test import BootstrapTest

# Below this many rows in a group its risks, and the estimated frontier, are rough.
FEW_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LDATestResult:
    """Outcome of `less_discriminatory_alternative_test`.

    Attributes
    ----------
    statistic : float
        Root n times the estimated gain, 0 where none is estimated.
    critical_value : float
        Rejected is what lies above.
    pvalue : float
        Of the null that no alternative, which sees the covariates and not the group, is as
        accurate for both groups and as fair, and better in one of these.
    reject : bool
        Whether the p-value is at most `significance_level`.
    significance_level : float
        Level of all tests in this result.
    gain : float
        How much better an alternative can be, in units of loss: the least over directions of
        what attainable risks reach beyond those that are as accurate and as fair. Below 0
        where no alternative is estimated.
    gain_lower_bound : float
        One-sided, at confidence 1 - `significance_level`; above 0 just where the test rejects.
    gain_interval : tuple of float
        Two-sided, at the same confidence; the upper end allows for a `gain` that is too small on
        average, being a minimum over directions.
    direction : ndarray, shape (2,)
        Unit direction of the risks of r and b in which the gain is measured.
    risks : ndarray, shape (2,)
        Estimated risks of the decisions, r and b.
    group_names : tuple
        r and b.
    feasibility : BootstrapTest
        Whether the decisions' risks lie beyond what is attainable without the group, as those of
        decisions that see it or were trained on these rows do. No evidence of an alternative.
    joint : BootstrapTest
        The paper's statistic, both parts together, by `critical_values`.
    calibration : {"maximum", "direction"}
        How `pvalue` and the bounds of the gain are drawn.
    critical_values : {"set", "hybrid", "gaussian"}
        How the draws of `feasibility` and `joint` are made.
    decisions_in_sample : bool
        Whether the decisions were chosen on these rows.
    n_samples, n_draws : int
        Rows, and bootstrap draws.
    seed : tuple of int
        Entropy of the draws' SeedSequence.
    warnings : tuple of str
        What makes the test less reliable here; empty where nothing was found.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, less_discriminatory_alternative_test
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> result = less_discriminatory_alternative_test(
    ...     support, data.status_quo(data.data), n_draws=200, random_state=0
    ... )
    >>> result.reject, round(result.gain, 3), round(result.gain_lower_bound, 3)
    (True, 0.076, 0.064)
    """

    statistic: float
    critical_value: float
    pvalue: float
    reject: bool
    significance_level: float
    gain: float
    gain_lower_bound: float
    gain_interval: tuple
    direction: np.ndarray
    risks: np.ndarray
    group_names: tuple
    feasibility: BootstrapTest
    joint: BootstrapTest
    calibration: str
    critical_values: str
    decisions_in_sample: bool
    n_samples: int
    n_draws: int
    seed: tuple
    warnings: tuple

    @property
    def reading(self) -> str:
        """Two plain sentences: what was found, and what that does not say."""
        level = f"{100.0 * self.significance_level:.3g} %"
        r, b = self.group_names
        low, high = self.gain_interval
        if self.reject:
            return (
                f"At the {level} level there is evidence that a less discriminatory alternative "
                f"exists (p = {self.pvalue:.3g}): decisions from the same covariates, without the "
                f"group, that are as accurate for {r!s} and {b!s} and as fair, and better in one "
                f"of these. Its estimated gain is {self.gain:.3g} in units of loss, at least "
                f"{self.gain_lower_bound:.3g} with confidence "
                f"{100.0 * (1.0 - self.significance_level):.3g} %."
            )
        return (
            f"At the {level} level there is no evidence that a less discriminatory alternative "
            f"exists (p = {self.pvalue:.3g}). That is absence of evidence and does not show that "
            f"there is none: the interval of the gain reaches from {low:.3g} to {high:.3g} in "
            "units of loss."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value.tolist()
            elif isinstance(value, BootstrapTest):
                value = value.to_dict()
            elif isinstance(value, tuple):
                value = list(value)
            out[field.name] = value
        out["group_names"] = [str(name) for name in self.group_names]
        return out | {"reading": self.reading}

    def __repr__(self) -> str:
        """The numbers a reader wants first."""
        low, high = self.gain_interval
        return (
            f"LDATestResult(statistic={self.statistic:.4g}, "
            f"critical_value={self.critical_value:.4g}, pvalue={self.pvalue:.4g}, "
            f"reject={self.reject}, gain={self.gain:.4g} ({low:.4g}, {high:.4g}), "
            f"n_samples={self.n_samples}, n_draws={self.n_draws})"
        )

    def __str__(self) -> str:
        """Give the numbers, the reading, and the warnings."""
        return "\n".join([repr(self), self.reading, *(f"Note: {w}" for w in self.warnings)])
