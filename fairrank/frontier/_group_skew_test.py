"""Should group identity be banned as an input? A test against weak group skew."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from fairrank._validation import check_choice, check_count, check_fraction
from fairrank.frontier._draws import drawn
from fairrank.frontier._influence import covariance_of_means
from fairrank.frontier._inverted_skew import least_skewed_misfit, misfit_of_draw
from fairrank.inference._permutation import entropy_of, seed_sequence

if TYPE_CHECKING:
    from fairrank.frontier._support_function import SupportFunction

METHODS = ("intersection_union", "inversion")
# What the paper adds to a bootstrap quantile.
INFINITESIMAL = 1e-6
# Standard errors below this part of the largest loss are rounding.
NO_ERROR = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupSkewTestResult:
    """Outcome of a test whose rejection speaks against banning group identity.

    The null hypothesis is weak group skew: one group has no higher risk than the other both at
    R, the best point of the first, and at B, that of the second.

    Attributes
    ----------
    statistic : float
        The smaller of `z_scores`, or the least misfit of a skewed pair (R, B) times the
        root of the number of independent rows.
    critical_value : float
        The null hypothesis is rejected where `statistic` exceeds it.
    pvalue : float
        1 where a standard error is 0 in the intersection-union test.
    reject : bool
        Whether there is evidence that R and B are strictly on both sides of equal risks.
    method : {"intersection_union", "inversion"}
        The test.
    significance_level : float
        In (0, 1).
    effect_size : float
        Delta, in units of loss: how much the least equal risk that weighs both groups, at
        `direction`, is above the larger of both groups' least risks. Above 0 where balanced.
    lower_bound : float
        One-sided confidence bound of Delta at level 1 - `significance_level`; at least 0.
    direction : ndarray, shape (2,)
        Where the plug-in zonogon has its least equal risk; unit vector of the Pareto range.
    gaps, standard_errors, z_scores : ndarray, shape (2,)
        Of the least equal risk above the least risk of r, and of b; z is 0 where the error is.
    best_points : ndarray, shape (2, 2)
        Estimated R and B.
    group_names : tuple
        The groups, r first.
    n_samples : int
        Rows.
    n_draws : int
        Bootstrap draws behind the critical value; 0 without.
    seed : tuple of int
        Entropy of the draws' SeedSequence; empty without.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, group_skew_test
    >>> data = make_frontier_data(5000, design="r_skewed", random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> result = group_skew_test(support)
    >>> result.reject, result.pvalue > 0.4
    (False, True)
    """

    statistic: float
    critical_value: float
    pvalue: float
    reject: bool
    method: str
    significance_level: float
    effect_size: float
    lower_bound: float
    direction: np.ndarray
    gaps: np.ndarray
    standard_errors: np.ndarray
    z_scores: np.ndarray
    best_points: np.ndarray
    group_names: tuple
    n_samples: int
    n_draws: int
    seed: tuple

    @property
    def reading(self) -> str:
        """What was tested and found, in plain words."""
        r, b = map(str, self.group_names)
        found = (
            f"statistic {self.statistic:.3f}, critical value {self.critical_value:.3f}, "
            f"p = {self.pvalue:.4g}"
        )
        size = (
            f"The least risk that both can have is {self.effect_size:.4f} above what either has "
            f"at its best (at least {self.lower_bound:.4f} with "
            f"{100 * (1 - self.significance_level):g} % confidence)."
        )
        if self.reject:
            return (
                f"Evidence of strict group balance ({found}): each group has the lower risk at "
                f"its own best point, {r} at R and {b} at B. Then every point of the frontier "
                "without group identity is dominated by one with it, so that, as far as risks "
                "and their equality go, identity should not be banned as an input, however the "
                f"two are weighed. {size}"
            )
        return (
            f"No evidence of strict group balance ({found}). Under weak group skew whether to "
            "ban group identity depends on how accuracy is weighed against fairness, and risks "
            "worse for both groups can be justified by fairness. Not to reject is no evidence of "
            "skew, nor a reason to ban."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }
        return plain | {
            "group_names": [str(name) for name in self.group_names], "seed": list(self.seed),
            "reading": self.reading,
        }

    def __repr__(self) -> str:
        """The numbers a reader wants first."""
        return (
            f"GroupSkewTestResult(statistic={self.statistic:.5g}, "
            f"critical_value={self.critical_value:.5g}, pvalue={self.pvalue:.4g}, "
            f"reject={self.reject}, effect_size={self.effect_size:.4g}, method={self.method!r})"
        )

    def __str__(self) -> str:
        """The reading."""
        return self.reading


def group_skew_test(
    support: SupportFunction,
    *,
    method: str = "intersection_union",
    significance_level: float = 0.05,
    n_draws: int = 1000,
    random_state: Any = None,
    n_jobs: Any = None,
) -> GroupSkewTestResult:
    """Test weak group skew against strict balance: rejecting speaks against banning identity.

    Where each group strictly has the lower risk at its own best point, algorithms that also see
    the group dominate every frontier point of those that do not [1]_.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    method : {"intersection_union", "inversion"}
        "intersection_union": reject where the least equal risk is above the least risk of r and
        above that of b, each in a one-sided z test. "inversion": reject where no skewed pair is
        in the joint confidence set of (R, B), the paper's test. It has less power.
    significance_level : float
        In (0, 1).
    n_draws : int
        Bootstrap draws for the critical value of "inversion".
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.

    Returns
    -------
    GroupSkewTestResult
        Read by name; `reading` puts it in words.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    ValueError, TypeError
        Other than two groups, or an argument out of range.

    Notes
    -----
    Balance is strict just where ``Delta = max -h(q) / |q_r + q_b| - max(R_r, B_b)`` over the
    angles from pi to 3pi/2 is above 0. The direction comes from the plug-in zonogon and the level
    from realised losses, so that the level is not chosen by its own noise. Any direction gives a
    lower bound of Delta, hence a wrong one costs power and not size. Where the direction is that
    of R or B, a standard error is 0 and nothing is rejected. O(n).

    The inversion minimises the misfit of (R, B) exactly, and draws it at the estimated pair by
    the numerical directional derivative, O(n) a draw.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "How to Test Whether Group Identity Should be Banned".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, group_skew_test
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> result = group_skew_test(support)
    >>> result.reject, round(result.effect_size, 2), round(result.lower_bound, 2)
    (True, 0.14, 0.12)
    """
    check_choice(method, METHODS, "method")
    check_fraction(significance_level, "significance_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws")
    support._for_two_groups("group_skew_test")
    support._check_spread("group_skew_test")
    direction = least_equal_risk_direction(support)
    gaps, errors = _gaps(support, direction)
    exact = errors == 0.0
    z_scores = np.divide(gaps, errors, out=np.zeros(2), where=~exact)
    quantile = float(norm.isf(significance_level))
    bound = 0.0 if exact.any() else max(0.0, float((gaps - quantile * errors).min()))
    seed = None
    if method == "inversion":
        n = support._sample.n_clusters
        seed = seed_sequence(random_state)
        statistic = float(np.sqrt(n) * least_skewed_misfit(support.realised))
        draws = drawn(
            support._swept, misfit_of_draw(support.realised, n), n_draws, seed, n_jobs,
            np.empty((support.n_samples, 0)),
        )
        # The draw that p-values at most the significance level leave above.
        n_above = int(np.floor(round(significance_level * (n_draws + 1), 9)))
        critical = float(np.sort(draws)[-n_above] if n_above else np.inf) + INFINITESIMAL
        pvalue = float((1 + np.count_nonzero(draws + INFINITESIMAL >= statistic)) / (1 + n_draws))
        reject = statistic > critical
    else:
        statistic, critical = float(z_scores.min()), quantile
        pvalue = 1.0 if exact.any() else float(norm.sf(statistic))
        reject = not exact.any() and statistic > critical
    return GroupSkewTestResult(
        statistic=statistic, critical_value=critical, pvalue=pvalue, reject=bool(reject),
        method=method, significance_level=float(significance_level),
        effect_size=float(gaps.min()), lower_bound=bound, direction=direction, gaps=gaps,
        standard_errors=errors, z_scores=z_scores, best_points=support.best_points,
        group_names=support.group_names, n_samples=support.n_samples,
        n_draws=0 if seed is None else n_draws, seed=() if seed is None else entropy_of(seed),
    )


def least_equal_risk_direction(support: SupportFunction) -> np.ndarray:
    """Where -h(q) / |q_r + q_b| of the plug-in zonogon is largest from angle pi to 3pi/2.

    Unlike the direction of F it never weighs one group's risk as a good. Inside an arc the ratio
    is monotone, and h of a zonogon is continuous, so that the breaks suffice.
    """
    arcs = support.plug_in
    first, last = int(arcs.forced[1]), int(arcs.forced[2])
    q = arcs.breaks[first : last + 1]
    # The arc before the last break also ends there.
    points = arcs.points[np.minimum(np.arange(first, last + 1), last - 1)]
    level = np.einsum("ij,ij->i", q, points) / q.sum(axis=1)
    return q[int(np.argmax(level))].copy()


def _gaps(support: SupportFunction, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least equal risk above either group's least risk, with standard errors."""
    sample, total = support._sample, float(direction.sum())
    level = support.h(direction) / total
    gaps, errors = np.empty(2), np.empty(2)
    rounding = NO_ERROR * float(np.abs(sample.loss).max() + np.abs(sample.change).max())
    for group, own in enumerate(-np.eye(2)):
        gaps[group] = level + support.h(own)
        moved = support.influence(direction) / total + support.influence(own)
        error = float(np.sqrt(covariance_of_means(sample, moved, moved)))
        errors[group] = error if error > rounding else 0.0
    return gaps, errors
