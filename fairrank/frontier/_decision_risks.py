"""The risk that decisions bring to every group, with standard errors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from fairrank._sensitive import encode_groups
from fairrank._validation import as_finite_float, check_fraction, check_same_length
from fairrank.frontier._frontier_sample import FrontierSample, frontier_sample
from fairrank.frontier._influence import covariance_of_means, influence


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskDifference:
    """The risk of one group less that of another.

    Attributes
    ----------
    first, second : group
        The risk of `first` less that of `second`.
    difference : float
        In units of loss.
    standard_error : float
        NaN where one of the groups has a single row, or cluster.
    low, high : float
        Normal confidence interval.
    statistic : float
        The difference over its standard error; NaN where that is 0 or NaN.
    pvalue : float
        Two-sided, of the hypothesis that both risks are equal.

    Examples
    --------
    >>> from fairrank.frontier import decision_risks
    >>> risks = decision_risks(
    ...     [0, 1, 0, 1, 1, 1], [1, 0, 1, 0, 0, 0], [0, 1, 1, 0, 0, 1],
    ...     sensitive_features=list("aaabbb"),
    ... )
    >>> found = risks.difference("b", "a")
    >>> round(found.difference, 2), round(found.standard_error, 2), round(found.pvalue, 2)
    (0.33, 0.38, 0.39)
    """

    first: Any
    second: Any
    difference: float
    standard_error: float
    low: float
    high: float
    statistic: float
    pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; the groups as text."""
        return asdict(self) | {"first": str(self.first), "second": str(self.second)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DecisionRisks:
    """Mean loss of every group under decisions, with standard errors.

    Attributes
    ----------
    group_names : tuple
        Groups in the order of coordinates.
    risks : ndarray, shape (n_groups,)
        Weighted mean loss of the group's members, in units of loss.
    standard_errors : ndarray, shape (n_groups,)
        NaN for a group with a single row, or cluster, of positive weight.
    low, high : ndarray, shape (n_groups,)
        Normal confidence intervals, each of its own level.
    covariance : ndarray, shape (n_groups, n_groups)
        Of the risks; off the diagonal 0 unless clusters hold several groups.
    selection_rate : float in [0, 1]
        Weighted share of rows with decision 1.
    selection_rates : ndarray, shape (n_groups,)
        That share within each group.
    n_samples : ndarray of intp, shape (n_groups,)
        Rows of positive weight.
    confidence_level : float
        Of the intervals.

    Examples
    --------
    >>> from fairrank.frontier import decision_risks
    >>> decision_risks(
    ...     [0, 1, 0, 1, 1, 1], [1, 0, 1, 0, 0, 0], [0, 1, 1, 0, 0, 1],
    ...     sensitive_features=list("aaabbb"),
    ... )
    DecisionRisks(a 0.3333 (se 0.2722), b 0.6667 (se 0.2722), selection rate 0.5000)
    """

    group_names: tuple
    risks: np.ndarray
    standard_errors: np.ndarray
    low: np.ndarray
    high: np.ndarray
    covariance: np.ndarray
    selection_rate: float
    selection_rates: np.ndarray
    n_samples: np.ndarray
    confidence_level: float

    def __repr__(self) -> str:
        """Risk and standard error of every group."""
        groups = ", ".join(
            f"{name} {risk:.4f} (se {error:.4f})"
            for name, risk, error in zip(self.group_names, self.risks, self.standard_errors)
        )
        return f"DecisionRisks({groups}, selection rate {self.selection_rate:.4f})"

    def __str__(self) -> str:
        """One line a group."""
        width = max(5, *(len(str(name)) for name in self.group_names))
        level = f"{100 * self.confidence_level:g} % interval"
        lines = [f"{'group':<{width}} {'n':>8} {'risk':>8} {level:>20} {'selected':>9}"]
        for g, name in enumerate(self.group_names):
            interval = f"[{self.low[g]:.4f}, {self.high[g]:.4f}]"
            lines.append(
                f"{name!s:<{width}} {self.n_samples[g]:>8} {self.risks[g]:>8.4f} "
                f"{interval:>20} {self.selection_rates[g]:>9.4f}"
            )
        return "\n".join(lines)

    def difference(self, first: Any = None, second: Any = None) -> RiskDifference:
        """Give the risk of one group less that of another.

        Parameters
        ----------
        first, second : group, optional
            Names among `group_names`; with two groups by default the first and the second.

        Returns
        -------
        RiskDifference
            With its standard error, interval and p-value.

        Raises
        ------
        ValueError
            No such group, twice the same, or no names with more than two groups.
        """
        names = self.group_names
        if first is None and second is None and len(names) == 2:
            first, second = names
        for argument, name in (("first", first), ("second", second)):
            if name not in names:
                raise ValueError(
                    f"{argument}={name!r} is none of the groups, {', '.join(map(repr, names))}: "
                    "name one."
                )
        i, j = names.index(first), names.index(second)
        if i == j:
            raise ValueError(f"first and second are both {first!r}: name two groups.")
        c = self.covariance
        # Rounding can take it below 0 where clusters make both risks move as one; NaN stays.
        error = float(np.sqrt(np.maximum(c[i, i] - c[i, j] + c[j, j] - c[j, i], 0.0)))
        gap = float(self.risks[i] - self.risks[j])
        reach = half_width(self.confidence_level) * error
        statistic = gap / error if error > 0 else np.nan
        return RiskDifference(
            first=first, second=second, difference=gap, standard_error=error,
            low=gap - reach, high=gap + reach, statistic=statistic,
            pvalue=float(2.0 * ndtr(-abs(statistic))),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: value.tolist() if isinstance(value, np.ndarray)
            else list(map(str, value)) if isinstance(value, tuple) else value
            for name, value in values.items()
        }


def decision_risks(
    loss_0: Any,
    loss_1: Any,
    decisions: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    clusters: Any = None,
    group_names: Any = None,
    confidence_level: float = 0.95,
) -> DecisionRisks:
    """Estimate the mean loss of every group under decisions.

    Parameters
    ----------
    loss_0, loss_1 : array-like of shape (n_samples,)
        Realised loss of either decision; pseudo-losses where labels are selective.
    decisions : array-like of shape (n_samples,)
        Probability of decision 1 in [0, 1], or the decision itself.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row; two groups or more.
    sample_weight : array-like of shape (n_samples,), optional
        Survey weights, at least 0. Their scale does not matter.
    clusters : array-like of shape (n_samples,), optional
        Rows of one cluster are dependent.
    group_names : sequence, optional
        The groups in the order of coordinates. By default sorted.
    confidence_level : float in (0, 1), default=0.95
        Of the intervals.

    Returns
    -------
    DecisionRisks
        Risks, standard errors and intervals, and how many are decided 1.

    Raises
    ------
    DegenerateGroupError
        No row, one group only, or a group without weight.
    ValueError, TypeError
        Arrays of other lengths, values that are not finite, or decisions outside [0, 1].

    Notes
    -----
    O(n n_groups). The decisions are taken as given: made by a model that saw these rows they look
    better than they are. A group's risk is a ratio of sums, and its standard error that of the
    ratio, so that the group's share is estimated too. It falls with the group's own size.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "Support Function Estimator and Its Asymptotic Distribution".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import decision_risks
    >>> data = make_frontier_data(5000, random_state=0)
    >>> risks = decision_risks(
    ...     data.target != 0, data.target != 1, data.status_quo(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> print(risks)
    group        n     risk        95 % interval  selected
    r         3032   0.4117     [0.4060, 0.4175]    0.6272
    b         1968   0.5381     [0.5302, 0.5459]    0.6225
    """
    code = encode_groups(sensitive_features)
    decided = as_decisions(decisions)
    n = check_same_length(
        loss_0=as_finite_float(loss_0, "loss_0"), decisions=decided,
        sensitive_features=code.codes,
    )
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    sample = frontier_sample(
        loss_0, loss_1, np.zeros((n, len(code.labels))), sensitive_features=sensitive_features,
        sample_weight=sample_weight, clusters=clusters, group_names=group_names,
    )
    return risks_of_sample(sample, decided, level)


def risks_of_sample(
    sample: FrontierSample, decided: np.ndarray, confidence_level: float = 0.95
) -> DecisionRisks:
    """Estimate the mean loss of every group of a checked sample. O(n n_groups).

    Parameters
    ----------
    sample : FrontierSample
    decided : ndarray, shape (n,)
        In [0, 1].
    confidence_level : float in (0, 1)

    Returns
    -------
    DecisionRisks
    """
    n_groups = sample.n_groups
    risks = sample.group_means(sample.loss + decided * sample.change)
    moved = [influence(sample, unit, decided) for unit in np.eye(n_groups)]
    covariance = np.array([[covariance_of_means(sample, a, b) for b in moved] for a in moved])
    single = sample.without_spread
    covariance[single] = np.nan
    covariance[:, single] = np.nan
    errors = np.sqrt(np.diag(covariance))
    reach = half_width(confidence_level) * errors
    return DecisionRisks(
        group_names=sample.group_names, risks=risks, standard_errors=errors,
        low=risks - reach, high=risks + reach, covariance=covariance,
        selection_rate=float(sample.weight @ decided / sample.mass.sum()),
        selection_rates=sample.group_means(decided),
        n_samples=np.bincount(sample.code[sample.weight > 0], minlength=n_groups),
        confidence_level=confidence_level,
    )


def as_decisions(decisions: Any, name: str = "decisions") -> np.ndarray:
    """Probabilities of decision 1 as floats in [0, 1]."""
    decided = as_finite_float(decisions, name)
    outside = (decided < 0) | (decided > 1)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueError(
            f"{name} must be probabilities of decision 1, in [0, 1]; {int(outside.sum())} are "
            f"not, the first {decided[row]:.6g} in row {row}. Pass decisions as 0 and 1."
        )
    return decided


def half_width(confidence_level: float) -> float:
    """Standard errors on either side of a normal confidence interval."""
    return float(ndtri(0.5 + confidence_level / 2))
