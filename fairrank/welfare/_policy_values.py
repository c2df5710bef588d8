"""What a policy comes to: welfare, revenue and acceptance of every group and of all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank._kernels import policy as _policy
from fairrank.welfare._policy_sample import PolicySample, payoffs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicyValues:
    """Expected outcomes per person.

    Attributes
    ----------
    welfare : ndarray, shape (n_groups,)
        Mean utility of each group's members.
    revenue : ndarray, shape (n_groups,)
        Mean revenue from each group's members.
    acceptance_rate : ndarray, shape (n_groups,), in [0, 1]
        Of any option but rejection.
    total_welfare, total_revenue, total_acceptance_rate : float
        The same of everybody.

    Examples
    --------
    >>> from fairrank.welfare import welfare_optimal_policy
    >>> policy = welfare_optimal_policy(
    ...     [0.5, -0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb")
    ... )
    >>> policy.unconstrained.welfare.tolist(), policy.unconstrained.total_revenue
    ([0.5, 0.5], 0.2)
    """

    welfare: np.ndarray
    revenue: np.ndarray
    acceptance_rate: np.ndarray
    total_welfare: float
    total_revenue: float
    total_acceptance_rate: float

    @property
    def welfare_gap(self) -> float:
        """Largest difference of two groups' welfare."""
        return float(np.ptp(self.welfare))

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in ((name, getattr(self, name)) for name in self.__slots__)
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """A policy beside the one without a constraint, and what bounds both.

    Attributes
    ----------
    chosen, unconstrained : PolicyValues
    support : ndarray, shape (n_groups,)
        Largest revenue - multiplier * welfare of each group, per person.
    """

    chosen: PolicyValues
    unconstrained: PolicyValues
    support: np.ndarray


def judged(sample: PolicySample, acceptance: np.ndarray, multiplier: np.ndarray) -> Judged:
    """Sum the rows of a policy, of the unconstrained one, and of the Lagrangian. O(n)."""
    if sample.is_menu:
        sums = _menu_totals(sample, acceptance, multiplier)
    else:
        sums = _policy.totals(
            acceptance, sample.revenue, sample.utility, sample.weight, sample.code, multiplier
        )
    return Judged(
        _values(sample, sums[:, 1:4]), _values(sample, sums[:, 4:7]),
        sums[:, 7] / sample.mass - multiplier * sample.base,
    )


def unconstrained_choice(sample: PolicySample) -> np.ndarray:
    """Whoever pays is accepted; of several options the best, and of equal ones the first."""
    if not sample.is_menu:
        return (sample.revenue > 0).astype(np.float64)
    chosen = np.zeros_like(sample.revenue)
    chosen[np.arange(len(chosen)), sample.revenue.argmax(axis=1)] = 1.0
    return chosen


def unaware_choice(sample: PolicySample, unaware_revenue: Any) -> np.ndarray:
    """Choose what is best by the revenue that a model expects which does not see the group.

    Raises
    ------
    ValueError, TypeError
        Another shape than that of the revenue, or values that are not finite.
    """
    revenue = payoffs(unaware_revenue, "unaware_revenue")
    rejection_first = sample.is_menu and sample.can_reject
    options = sample.revenue.shape[1] - rejection_first if sample.is_menu else 1
    expected = (sample.kept.size,) if options == 1 else (sample.kept.size, options)
    if revenue.shape != expected:
        raise ValueError(
            f"unaware_revenue has shape {revenue.shape} and revenue {expected}: give both one "
            "value a row, or one a row and option."
        )
    revenue = revenue[sample.kept]
    if rejection_first:
        revenue = np.column_stack([np.zeros(len(revenue)), revenue])
    return unconstrained_choice(replace(sample, revenue=revenue))


def values_of(sample: PolicySample, acceptance: np.ndarray) -> PolicyValues:
    """Outcomes of any policy. O(n)."""
    return judged(sample, acceptance, np.zeros(sample.n_groups)).chosen


def _values(sample: PolicySample, sums: np.ndarray) -> PolicyValues:
    mass = sample.mass
    total = sums.sum(axis=0) / mass.sum()
    return PolicyValues(
        welfare=sums[:, 0] / mass + sample.base,
        revenue=sums[:, 1] / mass,
        acceptance_rate=sums[:, 2] / mass,
        total_welfare=float(total[0] + sample.base),
        total_revenue=float(total[1]),
        total_acceptance_rate=float(total[2]),
    )


def _menu_totals(
    sample: PolicySample, acceptance: np.ndarray, multiplier: np.ndarray
) -> np.ndarray:
    def of_groups(per_row: np.ndarray) -> np.ndarray:
        weighted = per_row * sample.weight if sample.weight.size else per_row
        return np.bincount(sample.code, weights=weighted, minlength=sample.n_groups)

    free = unconstrained_choice(sample)
    # Rejection is the first option where it is one; then it is no acceptance.
    rejected = 1 if sample.can_reject else 0
    beyond = sample.revenue - multiplier[sample.code][:, None] * sample.utility
    rows = [np.ones(sample.code.size)]
    for chosen in (acceptance, free):
        rows += [
            (chosen * sample.utility).sum(axis=1), (chosen * sample.revenue).sum(axis=1),
            chosen[:, rejected:].sum(axis=1),
        ]
    return np.stack([of_groups(row) for row in [*rows, beyond.max(axis=1)]], axis=1)
