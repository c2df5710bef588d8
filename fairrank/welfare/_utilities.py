"""What being accepted is worth to a person: named utilities, or one's own numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._sensitive import encode_groups
from fairrank._validation import (
    as_amounts,
    as_array,
    check_choice,
    check_probability,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError
from fairrank.welfare._expected_revenue import positive_amounts

UTILITIES = ("demographic_parity", "equal_opportunity", "heterogeneous_opportunity")
SCALES = ("attainable", "amount")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedUtility:
    """A named utility, scaled on the people it was fitted to.

    Attributes
    ----------
    name : {"demographic_parity", "equal_opportunity", "heterogeneous_opportunity"}
        1; ``y * beta_a``; ``y * amount * beta_a``.
    scale : ndarray, shape (n_groups,)
        beta_a; 1 for demographic parity.
    """

    name: str
    scale: np.ndarray

    def of(self, probability: np.ndarray, code: np.ndarray, amount: Any = None) -> np.ndarray:
        """Expected utility of each row.

        Parameters
        ----------
        probability : (n,), in [0, 1]
        code : (n,)
        amount : (n,), where the utility grows with it

        Returns
        -------
        ndarray of shape (n,)
        """
        if self.name == "demographic_parity":
            return np.ones(probability.size)
        expected = probability * self.scale[code]
        return expected * amount if self.name == "heterogeneous_opportunity" else expected


def named_utility(
    name: str,
    probability: np.ndarray,
    code: np.ndarray,
    labels: tuple,
    *,
    amount: np.ndarray | None = None,
    weight: np.ndarray | None = None,
    scale: str = "attainable",
) -> NamedUtility:
    """Scale a named utility so that the welfare of accepting everybody compares between groups.

    Parameters
    ----------
    name : str
        See `UTILITIES`.
    probability, code, amount, weight : (n,)
    labels : tuple
        For messages.
    scale : {"attainable", "amount"}
        For "heterogeneous_opportunity": beta_a = 1 / E[Y m | a], or the paper's 1 / E[m | a].

    Raises
    ------
    DegenerateGroupError
        A group in which no good case is expected.
    """
    n_groups = len(labels)
    if name == "demographic_parity":
        return NamedUtility(name=name, scale=np.ones(n_groups))
    worth = probability if name == "equal_opportunity" else probability * amount
    if name == "heterogeneous_opportunity" and scale == "amount":
        worth = amount
    mass = np.ones(code.size) if weight is None else weight
    top = np.bincount(code, weights=mass * worth, minlength=n_groups)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        beta = np.bincount(code, weights=mass, minlength=n_groups) / top
    if not (beta < np.inf).all():
        group = labels[int(np.flatnonzero(~(beta < np.inf))[0])]
        raise DegenerateGroupError(
            f"y_prob: group {group!r} has no good case among its rows (y_prob is 0 in all, or "
            f"next to it), so utility={name!r} is undefined there. Take "
            "utility='demographic_parity', or leave the group out."
        )
    return NamedUtility(name=name, scale=beta)


def expected_utility(
    utility: Any,
    y_prob: Any,
    *,
    sensitive_features: Any = None,
    amount: Any = None,
    sample_weight: Any = None,
    scale: str = "attainable",
) -> np.ndarray:
    """Expected utility of being accepted, for each person.

    Parameters
    ----------
    utility : str or array-like of shape (n_samples,) or (n_samples, 2)
        "demographic_parity": 1. "equal_opportunity": ``y * beta_a`` with
        ``beta_a = 1 / E[Y | a]``, so that welfare is the share of good cases that is accepted.
        "heterogeneous_opportunity": ``y * amount * beta_a``, the share of the money that good
        cases ask for. An array of shape (n_samples,) is the expected utility itself; one of
        shape (n_samples, 2) the utility at y = 0 and at y = 1. Utilities may be negative.
    y_prob : array-like of shape (n_samples,), in [0, 1]
        P(Y = 1).
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), optional
        Needed for beta_a.
    amount : float or array-like of shape (n_samples,), optional
        What is asked for, above 0; needed for "heterogeneous_opportunity".
    sample_weight : array-like of shape (n_samples,), optional
        Not negative.
    scale : {"attainable", "amount"}, default="attainable"
        For "heterogeneous_opportunity": ``beta_a = 1 / E[Y m | a]``, which makes the largest
        welfare 1 in every group, or the paper's ``1 / E[m | a]``, which does not.

    Returns
    -------
    ndarray of shape (n_samples,)
        Of each person.

    Raises
    ------
    DegenerateGroupError
        A group in which no good case is expected.
    ValueError, TypeError
        An unknown name or scale; probabilities outside [0, 1]; a utility that is neither one
        number a row nor two; numbers that are not finite; a missing group; groups or amounts that
        the utility needs and that were not passed; an amount that is not above 0; lengths that
        differ.

    Notes
    -----
    The scale of the utilities decides what is equalized: a utility twice as large in one group
    halves what its members get. O(n).

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", section 2.1.

    Examples
    --------
    >>> from fairrank.welfare import expected_utility
    >>> group = ["a", "a", "b", "b"]
    >>> expected_utility("equal_opportunity", [0.5, 1.0, 0.2, 0.3], sensitive_features=group)
    array([0.66666667, 1.33333333, 0.8       , 1.2       ])
    >>> expected_utility([[-1, 1], [-1, 1]], [0.5, 1.0])
    array([0., 1.])
    """
    probability = check_probability(y_prob, "y_prob")
    if not isinstance(utility, str):
        return utility_of_outcomes(utility, probability)
    check_choice(utility, UTILITIES, "utility")
    check_choice(scale, SCALES, "scale")
    if utility == "demographic_parity":
        return np.ones(probability.size)
    if sensitive_features is None:
        raise ValueError(
            f"sensitive_features is None, but utility={utility!r} is scaled in every group: pass "
            "the group of every row."
        )
    groups = encode_groups(sensitive_features, missing=None)
    weight = check_sample_weight(sample_weight)
    check_same_length(
        y_prob=probability, sensitive_features=groups.codes, sample_weight=weight
    )
    amounts = None
    if utility == "heterogeneous_opportunity":
        amounts = needed_amount(amount, probability.size)
    named = named_utility(
        utility, probability, groups.codes, groups.labels, amount=amounts, weight=weight,
        scale=scale,
    )
    return named.of(probability, groups.codes, amounts)


def needed_amount(amount: Any, n: int) -> np.ndarray:
    """Amounts of all rows.

    Raises
    ------
    ValueError
        None, or not above 0.
    """
    if amount is None:
        raise ValueError(
            "amount is None, but utility='heterogeneous_opportunity' grows with what is asked "
            "for: pass the amount of every row."
        )
    return np.broadcast_to(positive_amounts(amount, "amount", n), (n,))


def utility_of_outcomes(
    utility: Any, probability: np.ndarray, name: str = "utility"
) -> np.ndarray:
    """Expected utility from numbers: that of each row, or those at y = 0 and y = 1.

    Raises
    ------
    ValueError
        Another shape.
    """
    array = as_array(utility, name)
    if array.ndim == 2 and array.shape[1] == 2:
        check_same_length(y_prob=probability, **{name: array})
        bad, good = (as_amounts(column, name) for column in array.T)
        return good * probability + bad * (1.0 - probability)
    if array.ndim == 2 and array.shape[1] != 1:
        raise ValueError(
            f"{name} has shape {array.shape}: give one expected utility a row, or two columns, "
            "the utility at y = 0 and at y = 1."
        )
    expected = as_amounts(array, name)
    check_same_length(y_prob=probability, **{name: expected})
    return expected
