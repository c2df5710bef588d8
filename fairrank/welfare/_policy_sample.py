"""The people a policy decides on: what accepting each is worth to the lender and to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels import menu as _menu
from fairrank._kernels import policy as _policy
from fairrank._sensitive import encode_groups
from fairrank._validation import (
    LARGEST_PAYOFF,
    as_amounts,
    as_array,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError

NO_WEIGHT = np.empty(0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicySample:
    """Rows in the order they came.

    Attributes
    ----------
    revenue, utility : ndarray, shape (n,) or (n, n_options)
        One-dimensional: of being accepted, over being rejected. Two-dimensional: of every option,
        being rejected the first of them where that is allowed.
    base : float
        Utility of being rejected that was taken off a one-dimensional `utility`.
    can_reject : bool
        Whether rejection is among the options.
    weight : ndarray of float64, shape (n,) or (0,)
        Empty where every row counts once.
    code : ndarray of uint8, shape (n,)
    labels : tuple
        The groups.
    mass : ndarray, shape (n_groups,)
        Total weight of each group, above 0.
    kept : ndarray of bool, shape (n_given,)
        Which of the rows that were given these are: those with a group.
    """

    revenue: np.ndarray
    utility: np.ndarray
    base: float
    can_reject: bool
    weight: np.ndarray
    code: np.ndarray
    labels: tuple
    mass: np.ndarray
    kept: np.ndarray

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.labels)

    @property
    def is_menu(self) -> bool:
        """Whether there are several options beside each other."""
        return self.revenue.ndim == 2

    def of_all_rows(self, values: np.ndarray) -> np.ndarray:
        """Values of these rows among those that were given, NaN for rows without a group."""
        if self.kept.all():
            return values
        spread = np.full((self.kept.size, *values.shape[1:]), np.nan)
        spread[self.kept] = values
        return spread

    @property
    def share(self) -> np.ndarray:
        """P(A = a) of every group."""
        return self.mass / self.mass.sum()

    def steps(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Slopes and widths grouped, where each group's begin, and the ends of its path."""
        kernel = _menu.menu_steps if self.is_menu else _policy.acceptance_steps
        return kernel(self.revenue, self.utility, self.weight, self.code, self.n_groups)


def policy_sample(
    revenue: Any,
    utility: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    rejected_utility: Any = 0.0,
    missing: str | None = None,
) -> PolicySample:
    """Check everything a user can pass.

    Raises
    ------
    DegenerateGroupError
        No row, one group only, or a group without weight.
    ValueError, TypeError
        As the messages say.
    """
    revenue = payoffs(revenue, "revenue")
    utility = payoffs(utility, "utility")
    if revenue.shape != utility.shape:
        raise ValueError(
            f"revenue has shape {revenue.shape} and utility {utility.shape}: give both one value "
            "a row, or one a row and option."
        )
    groups = encode_groups(sensitive_features, missing=missing)
    weight = check_sample_weight(sample_weight)
    if weight is not None and weight.dtype.kind == "f" and weight.size:
        # Only their ratios count: brought near 1, exactly, their products cannot underflow.
        weight = np.ldexp(weight, -np.frexp(weight.max())[1])
    n = check_same_length(
        revenue=revenue, sensitive_features=groups.codes, sample_weight=weight
    )
    if len(groups.labels) < 2:
        raise DegenerateGroupError(
            f"sensitive_features holds one group, {groups.labels[0]!r}: there is no other to "
            "equalize its welfare with."
        )
    revenue, utility, base = over_rejection(revenue, utility, rejected_utility, n)
    code = groups.codes
    if groups.n_dropped:
        revenue, utility, code = revenue[groups.keep], utility[groups.keep], code[groups.keep]
        weight = None if weight is None else weight[groups.keep]
    counted = np.bincount(code, weights=weight, minlength=len(groups.labels))
    if not counted.all():
        group = groups.labels[int(np.flatnonzero(counted == 0)[0])]
        raise DegenerateGroupError(
            f"sensitive_features: group {group!r} has sample_weight 0 in every row, so it has no "
            "welfare. Take its rows out."
        )
    return PolicySample(
        revenue=revenue, utility=utility, base=base, can_reject=rejected_utility is not None,
        weight=NO_WEIGHT if weight is None else weight.astype(np.float64),
        code=code, labels=groups.labels, mass=counted.astype(np.float64), kept=groups.keep,
    )


def payoffs(values: Any, name: str) -> np.ndarray:
    """Finite numbers, one a row, or one a row and option."""
    array = as_array(values, name)
    if array.ndim != 2:
        return as_amounts(array, name, LARGEST_PAYOFF)
    if array.shape[1] == 0:
        raise ValueError(f"{name} has no option: give one column an option.")
    columns = [as_amounts(column, name, LARGEST_PAYOFF) for column in array.T]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def over_rejection(
    revenue: np.ndarray, utility: np.ndarray, rejected: Any, n: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Payoffs with rejection taken off (one option) or put first (several)."""
    if rejected is None:
        if revenue.ndim == 1:
            raise ValueError(
                "rejected_utility=None leaves a single option to everybody, so there is nothing "
                "to decide: pass the utility of being rejected, or several options."
            )
        return revenue, utility, 0.0
    if np.ndim(rejected) == 0:
        rejected = float(as_amounts([rejected], "rejected_utility", LARGEST_PAYOFF)[0])
    else:
        rejected = as_amounts(rejected, "rejected_utility", LARGEST_PAYOFF)
        check_same_length(revenue=revenue, rejected_utility=rejected)
    varies = not isinstance(rejected, float)
    if revenue.ndim == 1 and not varies:
        return revenue, utility - rejected if rejected else utility, rejected
    # A utility of being rejected that varies between persons cannot be taken off.
    of_rejection = np.full(n, rejected) if not varies else rejected
    return (
        np.column_stack([np.zeros(n), revenue]),
        np.column_stack([of_rejection, utility]),
        0.0,
    )

