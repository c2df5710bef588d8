"""Test whether risks are on the fairness-accuracy frontier, or on the Pareto frontier."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fairrank._validation import check_choice, check_count, check_fraction
from fairrank.frontier._arcs import as_coordinates
from fairrank.frontier._bootstrap_test import bootstrap_test, repeatable_seed
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._joint_statistic import joint_statistic
from fairrank.frontier._lda_test import losses_of_decisions
from fairrank.frontier._limit_draws import METHODS, limit_draws, slack_of
from fairrank.inference._permutation import entropy_of

NAMES = {"frontier": "fairness-accuracy frontier", "pareto": "Pareto frontier"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PointTestResult:
    """Outcome of `point_test` or `pareto_test`.

    Attributes
    ----------
    kind : {"frontier", "pareto"}
        Which frontier the risks are on under the null.
    risks : ndarray, shape (2,)
        Of r and b; as given, or estimated from decisions.
    group_names : tuple
        r and b.
    of_decisions : bool
        Whether the risks are estimates.
    statistic : float
        Root n times what the risks are beyond the attainable ones, plus what is attainable beyond
        them.
    critical_value : float
        Rejected is what lies above.
    pvalue : float
        From the draws.
    reject : bool
        Whether the p-value is at most `significance_level`.
    significance_level : float
        In (0, 1).
    excess : float
        Largest q'e - h(q); above 0 where the risks are not estimated to be attainable.
    excess_direction : ndarray, shape (2,)
        Unit direction of that maximum.
    gain : float
        How much better an alternative can be; below 0 where none is estimated.
    gain_direction : ndarray, shape (2,)
        Unit direction in which it is the least.
    critical_values : {"set", "hybrid", "gaussian"}
        How the draws were made.
    n_samples, n_draws : int
        Rows, and bootstrap draws.
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, point_test
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> result = point_test(support, data.status_quo_risks, n_draws=200, random_state=0)
    >>> result.reject, round(result.excess, 2), round(result.gain, 2)
    (True, -0.08, 0.08)
    """

    kind: str
    risks: np.ndarray
    group_names: tuple
    of_decisions: bool
    statistic: float
    critical_value: float
    pvalue: float
    reject: bool
    significance_level: float
    excess: float
    excess_direction: np.ndarray
    gain: float
    gain_direction: np.ndarray
    critical_values: str
    n_samples: int
    n_draws: int
    seed: tuple

    @property
    def reading(self) -> str:
        """What was found, and what that does not say."""
        name, level = NAMES[self.kind], f"{100.0 * self.significance_level:.3g} %"
        r, b = self.group_names
        risks = f"the risks {self.risks[0]:.3g} of {r!s} and {self.risks[1]:.3g} of {b!s}"
        if not self.reject:
            return (
                f"At the {level} level {risks} are compatible with the {name} "
                f"(p = {self.pvalue:.3g}). That does not show that they are on it."
            )
        beyond = self.excess > 0.0 and self.excess > self.gain
        why = (
            f"they look better than any decisions without the group can be, by {self.excess:.3g}"
            if beyond else
            f"better ones look attainable, by {self.gain:.3g}"
        )
        return (
            f"At the {level} level there is evidence that {risks} are not on the {name} "
            f"(p = {self.pvalue:.3g}): {why} in units of loss."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value = value.tolist()
            out[field.name] = list(value) if isinstance(value, tuple) else value
        out["group_names"] = [str(name) for name in self.group_names]
        return out | {"reading": self.reading}

    def __repr__(self) -> str:
        """The numbers a reader wants first."""
        return (
            f"PointTestResult(kind={self.kind!r}, statistic={self.statistic:.4g}, "
            f"critical_value={self.critical_value:.4g}, pvalue={self.pvalue:.4g}, "
            f"reject={self.reject}, n_samples={self.n_samples}, n_draws={self.n_draws})"
        )

    def __str__(self) -> str:
        """Give the numbers and the reading."""
        return f"{self!r}\n{self.reading}"


def point_test(
    support: Any,
    e: Any,
    *,
    critical_values: str = "set",
    significance_level: float = 0.05,
    n_draws: int = 1000,
    random_state: Any = None,
    n_jobs: Any = None,
) -> PointTestResult:
    """Test whether given risks are on the fairness-accuracy frontier.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    e : array-like of shape (2,)
        Risks of r and b, not estimated from these rows.
    critical_values : {"set", "hybrid", "gaussian"}, default="set"
        Maxima over the directions that nearly attain them; the paper's numerical derivative; or
        the attaining directions alone, which rejects too often.
    significance_level : float, default=0.05
        In (0, 1).
    n_draws : int, default=1000
        Bootstrap draws.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads. The numbers do not depend on it.

    Returns
    -------
    PointTestResult
        Statistic, p-value, and how far the risks are from the frontier on either side.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    ValueError
        More than two groups, or arguments of other shapes or ranges.

    Notes
    -----
    O(n) a draw. The null is rejected on two grounds: because `e` is not attainable, or because
    risks are that are as accurate for both groups and as fair, and better in one of these [1]_.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Estimation and Inference for the FA-Frontier".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, point_test
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> point_test(support, data.fairest_point, n_draws=200, random_state=0).reject
    False
    """
    return _tested(
        support, _one_point(e), None, "frontier", critical_values, significance_level, n_draws,
        random_state, n_jobs,
    )


def pareto_test(
    support: Any,
    decisions: Any = None,
    *,
    e: Any = None,
    critical_values: str = "set",
    significance_level: float = 0.05,
    n_draws: int = 1000,
    random_state: Any = None,
    n_jobs: Any = None,
) -> PointTestResult:
    """Test whether decisions, or given risks, are on the Pareto frontier.

    On it no attainable risks are lower for one group and not higher for the other; fairness does
    not count [1]_.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    decisions : array-like of shape (n_samples,), optional
        Probability of decision 1 in every row of `support`, in [0, 1].
    e : array-like of shape (2,), optional
        Risks of r and b, not estimated from these rows; in place of decisions.
    critical_values : {"set", "hybrid", "gaussian"}, default="set"
        As for `point_test`.
    significance_level : float, default=0.05
        In (0, 1).
    n_draws : int, default=1000
        Bootstrap draws.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads. The numbers do not depend on it.

    Returns
    -------
    PointTestResult
        As of `point_test`, with ``kind="pareto"``.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    ValueError
        Both or neither of `decisions` and `e`, more than two groups, or arguments of other shapes
        or ranges.

    Notes
    -----
    O(n) a draw.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Estimation and Inference for the Pareto Frontier".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, pareto_test
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> pareto_test(
    ...     support, data.status_quo(data.data), n_draws=200, random_state=0
    ... ).reject
    True
    """
    if (decisions is None) == (e is None):
        raise ValueError("Give either decisions or e, the risks of decisions made elsewhere.")
    support._for_two_groups("The test")
    if decisions is None:
        risks, losses = _one_point(e), None
    else:
        losses = losses_of_decisions(support, decisions)
        risks = support._sample.group_means(losses)
    return _tested(
        support, risks, losses, "pareto", critical_values, significance_level, n_draws,
        random_state, n_jobs,
    )


def _one_point(e: Any) -> np.ndarray:
    point = as_coordinates(e, "e", 2)
    if point.ndim != 1:
        raise ValueError(f"e must be one pair of risks, got shape {point.shape}.")
    return point


def _tested(
    support: Any,
    e: np.ndarray,
    losses: np.ndarray | None,
    kind: str,
    critical_values: str,
    significance_level: float,
    n_draws: int,
    random_state: Any,
    n_jobs: Any,
) -> PointTestResult:
    support._for_two_groups("The test")
    support._check_spread("The test")
    check_choice(critical_values, METHODS, "critical_values")
    check_fraction(significance_level, "significance_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws")
    joint = joint_statistic(support, e, kind)
    limit = limit_draws(support.realised, joint, critical_values)
    still = np.zeros(2)

    def statistic(draw: FrontierDraw) -> float:
        return sum(limit(draw.arcs, still if losses is None else draw.risks[0] - e))

    seed = repeatable_seed(random_state)
    entropy = entropy_of(seed)
    drawn = support.draws(statistic, n_draws, losses=losses, random_state=seed, n_jobs=n_jobs)
    test = bootstrap_test(
        joint.value, drawn, significance_level=significance_level,
        slack=slack_of(joint, critical_values),
    )
    behind: Any = joint.behind
    return PointTestResult(
        kind=kind, risks=e, group_names=support.group_names, of_decisions=losses is not None,
        statistic=test.statistic, critical_value=test.critical_value, pvalue=test.pvalue,
        reject=test.reject, significance_level=float(significance_level),
        excess=joint.beyond.value, excess_direction=joint.beyond.direction,
        gain=-behind.value, gain_direction=behind.direction, critical_values=critical_values,
        n_samples=support.n_samples, n_draws=n_draws, seed=entropy,
    )
