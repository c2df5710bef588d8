"""A utility as the mismatch report needs it: expected, at either outcome, and its scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import as_array, check_choice
from fairrank.exceptions import DegenerateGroupError
from fairrank.welfare._utilities import (
    SCALES,
    UTILITIES,
    named_utility,
    needed_amount,
    utility_of_outcomes,
)


@dataclass(frozen=True, slots=True)
class RowUtility:
    """Utility of being accepted, for each row.

    Attributes
    ----------
    name : str
    expected : ndarray, shape (n,)
    at_bad, at_good : ndarray, shape (n,)
        At y = 0 and y = 1; the expected one where only that is known.
    scaled_by : ndarray, shape (n,)
        Numbers of mean 1 in every group; not all 1 where the scale is estimated on these rows.
    """

    name: str
    expected: np.ndarray
    at_bad: np.ndarray
    at_good: np.ndarray
    scaled_by: np.ndarray

    def over(self, base: float) -> RowUtility:
        """Utility over that of being rejected."""
        return RowUtility(
            self.name, self.expected - base, self.at_bad - base, self.at_good - base,
            self.scaled_by,
        )


def row_utility(
    utility: Any,
    name: str,
    probability: np.ndarray,
    code: np.ndarray,
    labels: tuple,
    *,
    amount: Any,
    scale: str,
    weight: np.ndarray,
    argument: str = "assumed_utility",
) -> RowUtility:
    """Check a utility and take it at every row.

    Parameters
    ----------
    utility : str or array-like of shape (n,) or (n, 2)
    name : str
        To call it by.
    probability : (n,)
        P(Y = 1), or the outcome itself.
    code : (n,)
    labels : tuple
    amount : float, (n,) or None
    scale : {"attainable", "amount"}
    weight : (n,)
    argument : str
        Where it was passed, for messages.

    Raises
    ------
    DegenerateGroupError
        A named utility in a group without a good case.
    ValueError
        As the messages say.
    """
    n = probability.size
    if not isinstance(utility, str):
        expected = utility_of_outcomes(utility, probability, argument)
        array = as_array(utility, argument)
        of_outcomes = array.ndim == 2 and array.shape[1] == 2
        bad, good = array.astype(np.float64).T if of_outcomes else (expected, expected)
        return RowUtility(name, expected, bad, good, np.ones(n))
    check_choice(utility, UTILITIES, "utility")
    check_choice(scale, SCALES, "scale")
    if utility == "demographic_parity":
        one = np.ones(n)
        return RowUtility(name, one, one, one, one)
    amounts = needed_amount(amount, n) if utility == "heterogeneous_opportunity" else None
    named = named_utility(
        utility, probability, code, labels, amount=amounts, weight=weight, scale=scale
    )
    expected = named.of(probability, code, amounts)
    good = named.of(np.ones(n), code, amounts)
    by_amount = utility == "heterogeneous_opportunity" and scale == "amount"
    return RowUtility(name, expected, np.zeros(n), good, good if by_amount else expected)


def realised_utility(
    utility: Any, name: str, outcome: np.ndarray, code: np.ndarray, labels: tuple, **scaled: Any
) -> RowUtility:
    """The same at the outcomes that happened, scaled by these.

    Raises
    ------
    DegenerateGroupError
        A named utility in a group without a good case.
    """
    try:
        return row_utility(utility, name, outcome, code, labels, **scaled)
    except DegenerateGroupError as error:
        good = np.bincount(code, weights=outcome, minlength=len(labels))
        group = labels[int(good.argmin())]
        raise DegenerateGroupError(
            f"y_true: group {group!r} has no good case, so {utility!r} is undefined in what "
            "happened. Pass y_true=None, or leave the group out."
        ) from error
