"""What accepting each person is worth to the lender."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from fairrank._validation import (
    LARGEST_AMOUNT,
    as_amounts,
    check_probability,
    check_same_length,
)


def expected_revenue(y_prob: Any, gain: Any = 1.0, loss: Any = 1.0) -> np.ndarray:
    """Expected revenue of accepting each person, ``(gain + loss) * (y_prob - t)``.

    Here ``t = loss / (gain + loss)``: above it, accepting brings something.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples,), in [0, 1]
        P(Y = 1), Y = 1 being the good case.
    gain : float or array-like of shape (n_samples,), default=1.0
        What a good case brings; above 0.
    loss : float or array-like of shape (n_samples,), default=1.0
        What a bad case costs; above 0.

    Returns
    -------
    ndarray of shape (n_samples,)
        In the unit of `gain` and `loss`; above 0 where ``y_prob > t``.

    Raises
    ------
    ValueError
        Probabilities outside [0, 1]; a gain or loss that is not above 0; lengths that differ.

    Notes
    -----
    The product has the sign of ``y_prob - t`` even where they nearly agree, which
    ``gain * y_prob - loss * (1 - y_prob)`` has not. O(n).

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", section 2.

    Examples
    --------
    >>> from fairrank.welfare import expected_revenue
    >>> expected_revenue([0.9, 0.75, 0.5], gain=1, loss=3).round(6).tolist()
    [0.6, 0.0, -1.0]
    """
    probability = check_probability(y_prob, "y_prob")
    gained = positive_amounts(gain, "gain", probability.size)
    lost = positive_amounts(loss, "loss", probability.size)
    both = gained + lost
    return both * (probability - lost / both)


def positive_amounts(values: Any, name: str, n: int) -> np.ndarray:
    """One number for all, or one a row; above 0.

    Raises
    ------
    ValueError
        Another length, or a number that is not above 0.
    """
    one = np.shape(values) == () if isinstance(values, np.ndarray) else isinstance(values, Number)
    amounts = as_amounts([values] if one else values, name)
    if not one:
        check_same_length(y_prob=np.empty(n), **{name: amounts})
    if not amounts.min(initial=np.inf) > 0:
        raise ValueError(
            f"{name} must be above 0, got {np.count_nonzero(amounts <= 0)} values that are not "
            f"(smallest {amounts.min():.6g}): it is an amount of money, without a sign."
        )
    if amounts.min(initial=np.inf) < 1.0 / LARGEST_AMOUNT:
        raise ValueError(
            f"{name} is as small as {amounts.min():.3g}, and below {1.0 / LARGEST_AMOUNT:.0e} "
            "ratios overflow: measure it in a smaller unit."
        )
    return amounts
