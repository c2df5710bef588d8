"""mismatch_report: whom a policy that equalizes one utility helps and harms in another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairrank._sensitive import GroupCodes, encode_groups
from fairrank._validation import (
    check_binary_labels,
    check_fraction,
    check_probability,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError
from fairrank.welfare._decided_rows import DecidedRows
from fairrank.welfare._expected_revenue import expected_revenue
from fairrank.welfare._mismatch_conditions import group_guarantees, utility_agreement
from fairrank.welfare._mismatch_decisions import (
    acceptance_with,
    acceptance_without,
    revenue_of_rows,
    utility_of_rejection,
)
from fairrank.welfare._mismatch_result import (
    MismatchReport,
    RealisedOutcome,
    UtilityMismatch,
)
from fairrank.welfare._mismatch_revenue import excess_of_good_cases, revenue_change
from fairrank.welfare._mismatch_utility import realised_utility, row_utility
from fairrank.welfare._mismatch_welfare import WelfareChange, welfare_change
from fairrank.welfare._policy_result import SAME, WelfarePolicy


def mismatch_report(
    policy: WelfarePolicy | Any,
    underlying_utility: Any,
    *,
    y_prob: Any,
    sensitive_features: Any,
    assumed_utility: Any,
    gain: Any = None,
    loss: Any = None,
    revenue: Any = None,
    unconstrained: Any = None,
    amount: Any = None,
    scale: str = "attainable",
    sample_weight: Any = None,
    y_true: Any = None,
    pos_label: Any = None,
    confidence_level: float | None = 0.95,
) -> MismatchReport:
    """Tell whom a welfare-equalizing policy helps and harms in people's own utility.

    Parameters
    ----------
    policy : WelfarePolicy or array-like of shape (n_samples,), in [0, 1]
        What `welfare_optimal_policy` found on other rows or on these; or the probability that
        each of these rows is accepted, from whatever decides. What was found under a capacity is
        passed as probabilities: its rule alone does not decide.
    underlying_utility : str, array-like of shape (n_samples,) or (n_samples, 2), or dict of these
        Utility that people have of being accepted rather than rejected, as `expected_utility`
        takes it; several by name.
    y_prob : array-like of shape (n_samples,), in [0, 1]
        P(Y = 1) from a model that sees the group. It is taken as true.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    assumed_utility : str or array-like of shape (n_samples,) or (n_samples, 2)
        The utility whose welfare the policy equalizes. A named one is scaled on these rows. On
        others than the policy was found on its scale differs a little from the policy's own; to
        keep that one, pass as `policy` the probabilities that it accepts these rows with.
    gain, loss : float or array-like of shape (n_samples,)
        What a good case brings and a bad one costs: the terms that the policy was made with,
        which nothing here can know.
    revenue : array-like of shape (n_samples,), optional
        Expected revenue of accepting each person, instead of `gain` and `loss`.
    unconstrained : array-like of shape (n_samples,), in [0, 1], optional
        Probability that each row is accepted without the condition. Without it, whoever's
        expected revenue is above 0. Under a capacity pass what the lender who need not equalize
        would accept within it, or the report takes the capacity for a harm of equality.
    amount : float or array-like of shape (n_samples,), optional
        For "heterogeneous_opportunity".
    scale : {"attainable", "amount"}, default="attainable"
        See `expected_utility`.
    sample_weight : array-like of shape (n_samples,), optional
        Whole numbers repeat a row; others are its mass.
    y_true : array-like of shape (n_samples,), optional
        Outcomes: adds what happened to what was expected. Named utilities are scaled by them.
    pos_label : label, optional
        Which label of `y_true` is the good case.
    confidence_level : float in (0, 1) or None, default=0.95
        Of intervals and verdicts. None: the rows are everybody there is, a table of cells with
        their shares for instance, so that a verdict is the sign of the change.

    Returns
    -------
    MismatchReport
        ``print`` it for the verdict in words.

    Raises
    ------
    DegenerateGroupError
        One group only, a group without weight, or one without a good case where a named
        utility needs one.
    UnseenGroupError
        `policy` does not know a group.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    welfare_optimal_policy : Find the policy.
    unaware_policy : What not seeing the group does.

    Notes
    -----
    The standard error of a change is that of a mean of ``utility * (c - c_unconstrained)``, the
    same rows before and after, with the policy held fixed; a scale that is a mean of these rows
    enters by the delta method. Each group has its own interval: they do not hold all at once.

    Theorem 4 is used in a stronger form, for any number of groups and any tolerance: whoever's
    group does not fall in the assumed utility u stays accepted if u >= 0 there, so the group
    keeps its welfare in any utility that is at least 0 for those whose decision changes. It fails
    for utilities of both signs, against the paper's remark. That both utilities agree on who is
    disadvantaged only says which group that is. Corollary 6 gives when they must agree; its
    alpha is infinite for equal opportunity, so that the ratio of expected utilities over accepted
    persons is given too, which has no unit. Both forms are fairrank's own. O(n) a utility.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", section 3.

    Examples
    --------
    Example 3 of the paper: equal opportunity harms the group that gets fewer loans.

    >>> from fairrank.welfare import (
    ...     expected_revenue, expected_utility, mismatch_report, welfare_optimal_policy,
    ... )
    >>> y_prob, group = [0.75, 0.75, 0.25, 1, 0, 0], [0, 0, 0, 1, 1, 1]
    >>> policy = welfare_optimal_policy(
    ...     expected_revenue(y_prob, gain=1, loss=2),
    ...     expected_utility("equal_opportunity", y_prob, sensitive_features=group),
    ...     sensitive_features=group,
    ... )
    >>> report = mismatch_report(
    ...     policy, "demographic_parity", y_prob=y_prob, assumed_utility="equal_opportunity",
    ...     gain=1, loss=2, sensitive_features=group, confidence_level=None,
    ... )
    >>> print(report.verdict)
    Measured by demographic parity, equal opportunity would harm group 1 (the disadvantaged one,
    welfare 0.3333 -> 0.2857).
    """
    probability = check_probability(y_prob, "y_prob")
    groups = encode_groups(sensitive_features, missing=None)
    weight = check_sample_weight(sample_weight)
    check_same_length(
        y_prob=probability, sensitive_features=groups.codes, sample_weight=weight
    )
    if confidence_level is not None:
        confidence_level = check_fraction(confidence_level, "confidence_level", high_open=True)
    mass = np.ones(probability.size) if weight is None else weight.astype(np.float64)
    _check_groups(groups, mass)
    expected_worth = revenue_of_rows(revenue, probability, gain, loss)
    rows = DecidedRows(
        code=groups.codes, labels=groups.labels, weight=mass,
        repeats=weight is None or weight.dtype.kind == "i",
        before=acceptance_without(unconstrained, expected_worth), after=np.empty(0),
        confidence_level=confidence_level,
    )
    known = {
        "code": groups.codes, "labels": groups.labels, "amount": amount, "scale": scale,
        "weight": mass,
    }
    assumed_name = assumed_utility if isinstance(assumed_utility, str) else "assumed utility"
    assumed = row_utility(
        assumed_utility, assumed_name, probability, argument="assumed_utility", **known
    )
    base = utility_of_rejection(policy)
    after = acceptance_with(policy, expected_worth, assumed.expected, sensitive_features)
    after = np.where(np.abs(after - rows.before) <= SAME, rows.before, after)
    rows = replace(rows, after=after)
    in_assumed = welfare_change(rows, assumed.expected, assumed.scaled_by, base)

    realised = None
    if y_true is not None:
        outcome = check_binary_labels(y_true, pos_label).astype(np.float64)
        check_same_length(y_prob=probability, y_true=outcome)
        worth = None if revenue is not None else expected_revenue(outcome, gain, loss)
        real = realised_utility(assumed_utility, assumed_name, outcome, **known)
        in_real = welfare_change(rows, real.expected, real.scaled_by, base)
        realised = _realised(rows, outcome, probability, worth, in_real)

    underlying = {}
    for name, utility in _named(underlying_utility).items():
        one = row_utility(utility, name, probability, argument="underlying_utility", **known)
        welfare = welfare_change(rows, one.expected, one.scaled_by)
        happened = None
        if y_true is not None:
            real = realised_utility(utility, name, outcome, **known)
            happened = welfare_change(rows, real.expected, real.scaled_by)
        underlying[name] = UtilityMismatch(
            name=name, welfare=welfare, realised=happened,
            guarantees=group_guarantees(rows, assumed.over(base), one, in_assumed),
            agreement=utility_agreement(rows, assumed.over(base), one, in_assumed, welfare, base),
        )
    moved = rows.after - rows.before
    return MismatchReport(
        groups=rows.labels, share=rows.share,
        n_samples=np.bincount(rows.code, minlength=len(rows.labels)),
        assumed_name=assumed_name, assumed=in_assumed, underlying=underlying,
        revenue=revenue_change(rows, expected_worth), admitted=rows.mean(np.maximum(moved, 0.0)),
        dropped=rows.mean(np.maximum(-moved, 0.0)), realised=realised,
        confidence_level=confidence_level,
    )


def _realised(
    rows: DecidedRows, outcome: np.ndarray, probability: np.ndarray, worth: np.ndarray | None,
    in_assumed: WelfareChange,
) -> RealisedOutcome:
    either = np.maximum(rows.before, rows.after)
    changed = np.abs(rows.after - rows.before)
    return RealisedOutcome(
        assumed=in_assumed,
        revenue=None if worth is None else revenue_change(rows, worth),
        accepted_z=excess_of_good_cases(rows, outcome, probability, either),
        changed_z=excess_of_good_cases(rows, outcome, probability, changed),
    )


def _check_groups(groups: GroupCodes, weight: np.ndarray) -> None:
    if len(groups.labels) < 2:
        raise DegenerateGroupError(
            f"sensitive_features holds one group, {groups.labels[0]!r}: there is no other to "
            "compare it with."
        )
    mass = np.bincount(groups.codes, weights=weight, minlength=len(groups.labels))
    if not mass.all():
        group = groups.labels[int(np.flatnonzero(mass == 0)[0])]
        raise DegenerateGroupError(
            f"sensitive_features: group {group!r} has sample_weight 0 in every row, so it has no "
            "welfare. Take its rows out."
        )


def _named(utility: Any) -> dict[str, Any]:
    if isinstance(utility, str):
        return {utility: utility}
    if not isinstance(utility, dict):
        return {"underlying utility": utility}
    if not utility or not all(isinstance(name, str) for name in utility):
        raise ValueError(
            f"underlying_utility must name at least one utility by a string, got the names "
            f"{list(utility)!r}."
        )
    return utility
