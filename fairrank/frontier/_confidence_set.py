"""Confidence sets for the frontier, the Pareto frontier, and the attainable risks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import check_choice, check_count, check_fraction
from fairrank.exceptions import InfeasibleError
from fairrank.frontier._arcs import as_coordinates
from fairrank.frontier._bootstrap_test import pvalues, repeatable_seed, upper_quantiles
from fairrank.frontier._candidate_grid import candidate_grid
from fairrank.frontier._joint_statistic import KINDS
from fairrank.frontier._limit_draws import METHODS, slack_of
from fairrank.frontier._near_runs import many_statistics
from fairrank.inference._permutation import entropy_of

N_CANDIDATES = 2000
# Candidates that are tested on the same pass through the draws.
BATCH = 8192


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FrontierConfidenceSet:
    """Risks that a test does not reject.

    Attributes
    ----------
    kind : {"frontier", "pareto", "feasible"}
        What the set covers, point by point.
    confidence_level : float
        In (0, 1).
    candidates : ndarray, shape (m, 2)
        Risks of r and b that were tested.
    statistic, critical_value, pvalue : ndarray, shape (m,)
        Of the test of each candidate.
    inside : ndarray of bool, shape (m,)
        Candidates in the set: not rejected.
    spacing : float
        Of the lattice of candidates; NaN where they were given.
    group_names : tuple
        r and b.
    critical_values : {"set", "hybrid", "gaussian"}
        How the draws were made.
    n_samples, n_draws : int
        Rows, and bootstrap draws.
    seed : tuple of int
        Entropy of the draws' SeedSequence.
    warnings : tuple of str
        Empty where nothing was found.
    support : SupportFunction
        What was tested.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, confidence_set
    >>> data = make_frontier_data(1000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> found = confidence_set(support, candidates=300, n_draws=100, random_state=0)
    >>> found.contains(data.fairest_point), found.contains(data.status_quo_risks)
    (True, False)
    """

    kind: str
    confidence_level: float
    candidates: np.ndarray
    statistic: np.ndarray
    critical_value: np.ndarray
    pvalue: np.ndarray
    inside: np.ndarray
    spacing: float
    group_names: tuple
    critical_values: str
    n_samples: int
    n_draws: int
    seed: tuple
    warnings: tuple
    support: Any

    def contains(self, e: Any) -> Any:
        """Whether risks are in the set, by the same test with the same draws.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)
            Risks of r and b; they need not be among the candidates.

        Returns
        -------
        bool or ndarray of bool, shape (m,)
            True where they are not rejected.
        """
        points = as_coordinates(e, "e", 2)
        found = confidence_set(
            self.support, self.kind, candidates=np.atleast_2d(points),
            confidence_level=self.confidence_level, critical_values=self.critical_values,
            n_draws=self.n_draws, random_state=np.random.SeedSequence(self.seed),
        ).inside
        return bool(found[0]) if points.ndim == 1 else found

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; without the support function."""
        out = {name: getattr(self, name) for name in self.__slots__ if name != "support"}
        out["group_names"] = [str(name) for name in self.group_names]
        out["spacing"] = self.spacing if np.isfinite(self.spacing) else None
        return {
            name: value.tolist() if isinstance(value, np.ndarray)
            else list(value) if isinstance(value, tuple) else value
            for name, value in out.items()
        }

    def __repr__(self) -> str:
        """How many candidates are inside."""
        return (
            f"FrontierConfidenceSet(kind={self.kind!r}, confidence_level={self.confidence_level}, "
            f"{int(self.inside.sum())} of {self.inside.size} candidates inside, "
            f"n_draws={self.n_draws})"
        )


def confidence_set(
    support: Any,
    kind: str = "frontier",
    *,
    candidates: Any = None,
    confidence_level: float = 0.95,
    critical_values: str = "set",
    n_draws: int = 1000,
    random_state: Any = None,
    n_jobs: Any = None,
) -> FrontierConfidenceSet:
    """Give the risks that a test does not reject.

    Each point of the frontier is in the set with the confidence asked for; not all of them at
    once [1]_.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    kind : {"frontier", "pareto", "feasible"}, default="frontier"
        The fairness-accuracy frontier; the Pareto frontier, for which fairness does not count; or
        all attainable risks.
    candidates : int or array-like of shape (m, 2), optional
        Risks to test, or about how many points of a lattice near the estimate; by default 2000.
    confidence_level : float, default=0.95
        In (0, 1).
    critical_values : {"set", "hybrid", "gaussian"}, default="set"
        As for `point_test`.
    n_draws : int, default=1000
        Bootstrap draws, the same for all candidates.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads. The numbers do not depend on it.

    Returns
    -------
    FrontierConfidenceSet
        Candidates, their tests, and which are inside.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    InfeasibleError
        No point of the lattice is near the estimate, in tiny samples.
    ValueError
        More than two groups, or arguments of other shapes or ranges.

    Notes
    -----
    O(n) a candidate and O(n) a draw. A candidate in a draw costs two look-ups for each run of
    near directions; with "hybrid" it costs O(n).

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Estimation and Inference for the Frontier".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, confidence_set
    >>> data = make_frontier_data(1000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> risks = [data.best_points[0], data.status_quo_risks]
    >>> confidence_set(
    ...     support, "pareto", candidates=risks, n_draws=100, random_state=0
    ... ).inside.tolist()
    [True, False]
    """
    support._for_two_groups("The confidence set")
    support._check_spread("confidence_set")
    check_choice(kind, KINDS, "kind")
    check_choice(critical_values, METHODS, "critical_values")
    check_fraction(confidence_level, "confidence_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws")
    spacing, reach = np.nan, np.inf
    if candidates is None or np.ndim(candidates) == 0:
        n_candidates = N_CANDIDATES if candidates is None else candidates
        check_count(n_candidates, "candidates")
        points, spacing, reach = candidate_grid(support, kind, n_candidates)
        if not len(points):
            raise InfeasibleError(
                f"no risks are near the {kind} estimated from {support.n_samples} rows, which are "
                "not those of a set: give candidates, gather more rows, or mend delta_theta: are "
                "its columns in the order of group_names, "
                f"{', '.join(map(repr, support.group_names))}?"
            )
    else:
        points = np.ascontiguousarray(np.atleast_2d(as_coordinates(candidates, "candidates", 2)))
        if not len(points):
            raise ValueError("candidates holds no risks: give at least one pair, or a number.")
    # 1 - 0.9 is a hair less than 0.1, which 4 of 40 p-values attain.
    significance_level = round(1.0 - confidence_level, 12)
    entropy = entropy_of(repeatable_seed(random_state))
    statistics, critical, found = [], [], []
    for batch in np.array_split(points, -(-len(points) // BATCH)):
        joints, limits = many_statistics(support, batch, kind, critical_values, n_jobs)
        drawn = support.draws(
            limits, n_draws, random_state=np.random.SeedSequence(entropy), n_jobs=n_jobs
        )
        statistic = np.array([joint.value for joint in joints])
        slack = np.array([slack_of(joint, critical_values) for joint in joints])
        statistics.append(statistic)
        critical.append(upper_quantiles(drawn, significance_level) + slack)
        found.append(pvalues(statistic, drawn, slack))
    pvalue, critical_value = np.concatenate(found), np.concatenate(critical)
    root_n = joints[0].root_n
    warnings: tuple = ()
    if np.isfinite(reach) and critical_value.max() > root_n * reach:
        warnings = (
            f"Critical values reach {critical_value.max():.3g}, and the lattice holds statistics "
            f"up to {root_n * reach:.3g} only: the set may reach beyond it. Give candidates.",
        )
    return FrontierConfidenceSet(
        kind=kind, confidence_level=float(confidence_level), candidates=points,
        statistic=np.concatenate(statistics), critical_value=critical_value, pvalue=pvalue,
        inside=~(pvalue <= significance_level), spacing=float(spacing),
        group_names=support.group_names, critical_values=critical_values,
        n_samples=support.n_samples, n_draws=n_draws, seed=entropy, warnings=warnings,
        support=support,
    )
