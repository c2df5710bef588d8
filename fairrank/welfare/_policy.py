"""welfare_optimal_policy: the largest revenue when every group's welfare must be the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank._validation import check_at_least_zero, check_choice, check_fraction
from fairrank.welfare._equal_welfare import check_movable, equal_welfare
from fairrank.welfare._group_frontier import GroupFrontier, group_frontiers
from fairrank.welfare._linear_program import linear_program
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._policy_sample import PolicySample, policy_sample
from fairrank.welfare._policy_values import judged, unaware_choice, values_of
from fairrank.welfare._search import golden_search
from fairrank.welfare._smoothing import SmoothedRule, smoothed_rule
from fairrank.welfare._threshold_rule import ThresholdRule

METHODS = ("sweep", "linprog", "search")
SMALLEST_SMOOTHING = 1e-8
Rule = ThresholdRule | SmoothedRule


def welfare_optimal_policy(
    revenue: Any,
    utility: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    tolerance: float = 0.0,
    rejected_utility: Any = 0.0,
    smoothing: float = 0.0,
    method: str = "sweep",
    search_tol: float = 1e-6,
    missing: str = "raise",
    unaware_revenue: Any = None,
) -> WelfarePolicy:
    """Find the accept/reject policy of largest revenue that gives every group the same welfare.

    Parameters
    ----------
    revenue : array-like of shape (n_samples,) or (n_samples, n_options)
        Expected revenue of accepting each person (`expected_revenue`), or of giving each of
        several options; being rejected brings 0.
    utility : array-like of the same shape
        Expected utility to the person (`expected_utility`); may be negative.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative.
    tolerance : float, default=0.0
        Largest difference between the groups' welfare, in the unit of `utility`.
    rejected_utility : float, array-like of shape (n_samples,) or None, default=0.0
        Utility of being rejected. None: nobody can be rejected, which needs several options.
    smoothing : float in [0, 1), default=0.0
        From 1e-8 on, acceptance rises gradually across the cut: revenue and utility are shifted at
        random by up to this part of their largest size, and multipliers are solved again, so
        that small errors in either move decisions a little only. Costs revenue; needs
        utilities that are not negative.
    method : {"sweep", "linprog", "search"}, default="sweep"
        "sweep": exact, one sort. "linprog": the linear program over all rows by HiGHS. "search":
        the paper's golden section over welfare with a binary search inside.
    search_tol : float in (0, 1), default=1e-6
        For "search": the revenue that may be lost, relative to the largest ``|revenue|``.
    missing : {"raise", "group", "drop"}, default="raise"
        Rows whose group is None or NaN: an error, a group of their own, or left out. Dropped rows
        have a NaN acceptance.
    unaware_revenue : array-like of the same shape as `revenue`, optional
        Expected revenue by a model that does not see the group. The policy that is best by it is
        valued by `revenue` and `utility`, and stands beside the others as `unaware`.

    Returns
    -------
    WelfarePolicy
        Multiplier and tie probability of every group, acceptance probabilities, welfare and
        revenue with and without the condition, the bound, the groups' frontiers.

    Raises
    ------
    DegenerateGroupError
        One group only, a group without weight, or, without a tolerance, one whose welfare no
        decision changes.
    InfeasibleError
        No welfare is within reach of all groups; only where rejection has a utility or is no
        option.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    expected_revenue, expected_utility : Where the two arrays come from.
    unaware_policy : Whom not seeing the group helps and harms.

    Notes
    -----
    One sort a group, then O(n). Accept iff ``revenue > multiplier[group] * utility`` (Proposition
    2), where the multiplier is a super-gradient of the group's frontier; the frontiers are paths
    of steps by falling revenue / utility, and the welfare of all is the corner where their
    weighted slopes sum to 0. It is exact up to rounding, and `upper_bound` proves it.
    Of several optimal levels of welfare the one nearest to the least welfare without the
    condition is taken. Lenders' revenue is what is maximised: equal welfare is neither the
    largest least welfare nor the largest total. With three and more groups only the lowest and
    the highest are sure to move towards the others; a group in the middle can lose.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", Proposition 2 and Appendix E. The sweep and its bound are fairrank's own.

    Examples
    --------
    Example 3 of the paper, where equal opportunity harms the group that is worse off:

    >>> from fairrank.welfare import expected_revenue, expected_utility, welfare_optimal_policy
    >>> y_prob, group = [0.75, 0.75, 0.25, 1, 0, 0], [0, 0, 0, 1, 1, 1]
    >>> policy = welfare_optimal_policy(
    ...     expected_revenue(y_prob, gain=1, loss=2),
    ...     expected_utility("equal_opportunity", y_prob, sensitive_features=group),
    ...     sensitive_features=group,
    ... )
    >>> policy
    WelfarePolicy(welfare 0.8571, revenue 0.25 -> 0.2262, price 9.5 %, lowered: 1)
    >>> policy.acceptance.round(4).tolist()
    [1.0, 1.0, 0.0, 0.8571, 0.0, 0.0]
    """
    solver = policy_solver(tolerance, smoothing, method, search_tol)
    sample = policy_sample(
        revenue, utility, sensitive_features=sensitive_features, sample_weight=sample_weight,
        rejected_utility=rejected_utility, missing=missing,
    )
    found = solver.solve(sample, rejected_utility=rejected_utility)
    if unaware_revenue is None:
        return found
    return replace(found, unaware=values_of(sample, unaware_choice(sample, unaware_revenue)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySolver:
    """How to solve, checked.

    Attributes
    ----------
    tolerance, smoothing : float
    method : {"sweep", "linprog", "search"}
    search_tol : float
    """

    tolerance: float
    smoothing: float
    method: str
    search_tol: float

    def solve(
        self, sample: PolicySample, *, rejected_utility: Any = 0.0,
        scale_of_revenue: float | None = None,
    ) -> WelfarePolicy:
        """The policy of a sample.

        Parameters
        ----------
        sample : PolicySample
        rejected_utility
            That the sample was made with.
        scale_of_revenue : float, optional
            For smoothing; by default the sample's own.

        Returns
        -------
        WelfarePolicy
        """
        frontiers = group_frontiers(sample)
        acceptance, rule, multiplier = _solved(sample, frontiers, self, scale_of_revenue)
        found = judged(sample, acceptance, multiplier)
        worth = found.chosen.total_revenue
        bound = max(worth, bound_of(sample.share, multiplier, found.support, self.tolerance))
        return WelfarePolicy(
            groups=sample.labels, share=sample.share,
            acceptance=sample.of_all_rows(acceptance), rule=rule,
            values=found.chosen, unconstrained=found.unconstrained,
            frontiers=dict(zip(sample.labels, frontiers)),
            upper_bound=bound, optimality_gap=bound - worth,
            tolerance=self.tolerance, rejected_utility=rejected_utility,
            smoothing=self.smoothing, method=self.method,
        )


def policy_solver(
    tolerance: float, smoothing: float, method: str, search_tol: float
) -> PolicySolver:
    """Check how to solve.

    Raises
    ------
    ValueError, TypeError
        As the messages say.
    """
    check_choice(method, METHODS, "method")
    tolerance = check_at_least_zero(tolerance, "tolerance")
    smoothing = check_fraction(smoothing, "smoothing", low_open=False, high_open=True)
    if 0 < smoothing < SMALLEST_SMOOTHING:
        raise ValueError(
            f"smoothing={smoothing} is finer than the multipliers can be told apart, which would "
            f"leave welfare unequal: pass 0, or at least {SMALLEST_SMOOTHING}."
        )
    search_tol = check_fraction(search_tol, "search_tol", high_open=True)
    if smoothing and method != "sweep":
        raise ValueError(
            f"smoothing={smoothing} has a solution of its own, and method={method!r} asks for "
            "another: leave method at 'sweep'."
        )
    return PolicySolver(
        tolerance=tolerance, smoothing=smoothing, method=method, search_tol=search_tol
    )


def _solved(
    sample: PolicySample, frontiers: list[GroupFrontier], solver: PolicySolver,
    scale_of_revenue: float | None,
) -> tuple[np.ndarray, Rule, np.ndarray]:
    """Acceptance of every row, the rule for others, and the multipliers of the bound."""
    rule: Rule
    tolerance = solver.tolerance
    free = np.array([one.unconstrained for one in frontiers])
    if tolerance == 0.0:
        check_movable(frontiers, sample.labels)
    if solver.method == "linprog":
        acceptance, multiplier, welfare = linear_program(sample, tolerance)
        return acceptance, rule_at(frontiers, multiplier, welfare), multiplier
    if solver.smoothing:
        rule = smoothed_rule(sample, solver.smoothing, tolerance, scale_of_revenue)
        multiplier = rule.multiplier
    else:
        solved = equal_welfare(frontiers, sample.share, free, tolerance, sample.labels)
        multiplier = solved.multiplier
        if solver.method == "search":
            rule = golden_search(sample, free, tolerance, solver.search_tol)
            # Of those between its cuts, the ones that sum to 0 or come nearest.
            nearest = np.clip(multiplier, rule.cut_low, rule.cut_high)
            rule = replace(rule, multiplier=nearest)
        else:
            rule = rule_at(frontiers, multiplier, solved.welfare)
    return rule.acceptance(sample.revenue, sample.utility, sample.code), rule, multiplier


def bound_of(
    share: np.ndarray, multiplier: np.ndarray, support: np.ndarray, tolerance: float
) -> float:
    """Revenue that no policy passes whose welfares are at most `tolerance` apart.

    Weak duality: revenue is that of the Lagrangian, at most its support, plus what the
    multipliers earn on welfares in a window; any multipliers with weighted sum 0 will do.
    """
    return float(share @ support + tolerance * np.maximum(share * multiplier, 0.0).sum())


def rule_at(
    frontiers: list[GroupFrontier], multiplier: np.ndarray, welfare: np.ndarray
) -> ThresholdRule:
    """Cuts that hold each group at its welfare."""
    low, high, tie = np.array(
        [one.cut_at(m, w) for one, m, w in zip(frontiers, multiplier, welfare)]
    ).T
    return ThresholdRule(
        multiplier=multiplier, tie_probability=np.ascontiguousarray(tie),
        cut_low=np.ascontiguousarray(low), cut_high=np.ascontiguousarray(high),
    )
