"""Decisions that are compared: with the condition, and without it under the same terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import as_amounts, as_finite_float, check_same_length
from fairrank.welfare._expected_revenue import expected_revenue
from fairrank.welfare._policy_result import WelfarePolicy


def check_terms_given(gain: Any, loss: Any, instead: str = "") -> None:
    """Refuse to guess the terms that a policy was made with.

    Parameters
    ----------
    gain, loss : as the caller was given them
    instead : str
        What else would do, for the message.

    Raises
    ------
    ValueError
        One of them is None.
    """
    absent = [name for name, value in (("gain", gain), ("loss", loss)) if value is None]
    if absent:
        raise ValueError(
            f"{' and '.join(absent)} {'are' if len(absent) == 2 else 'is'} None, and nobody but "
            "you knows the terms that the policy was made with: pass gain and loss as they were "
            f"then (an estimator takes 1.0 for what it is not told){instead}."
        )


def revenue_of_rows(revenue: Any, probability: np.ndarray, gain: Any, loss: Any) -> np.ndarray:
    """Expected revenue of accepting each row, as given or from gain and loss.

    Raises
    ------
    ValueError
        Neither is given, or both are.
    """
    if revenue is None:
        check_terms_given(gain, loss, ", or revenue, what accepting each row is expected to bring")
        return expected_revenue(probability, gain, loss)
    for name, value in (("gain", gain), ("loss", loss)):
        if value is not None:
            raise ValueError(
                f"revenue and {name} are both given: pass either revenue, or gain and loss."
            )
    expected = as_amounts(revenue, "revenue")
    check_same_length(y_prob=probability, revenue=expected)
    return expected


def utility_of_rejection(policy: Any) -> float:
    """Utility of being rejected that the policy was found with, 0 if it does not say.

    Raises
    ------
    ValueError
        It chooses among more than two options.
    """
    if not isinstance(policy, WelfarePolicy):
        return 0.0
    if policy.acceptance.ndim == 2:
        raise ValueError(
            f"policy chooses among {policy.acceptance.shape[1]} options: pass one that accepts or "
            "rejects, with one utility of rejection for all."
        )
    return float(policy.rejected_utility or 0.0)


def acceptance_with(
    policy: Any, revenue: np.ndarray, utility: np.ndarray, sensitive_features: Any
) -> np.ndarray:
    """Probability that the policy accepts each row.

    Raises
    ------
    TypeError, ValueError
        It is no policy and no probability of every row.
    """
    if isinstance(policy, WelfarePolicy):
        return policy.acceptance_probability(
            revenue, utility, sensitive_features=sensitive_features
        )
    if not hasattr(policy, "__len__"):
        raise TypeError(
            f"policy must be a WelfarePolicy or one probability of acceptance a row, got a "
            f"{type(policy).__name__}. Of a fitted classifier pass policy_, or its acceptance "
            "probabilities on these rows; of what was found under a capacity pass the "
            "probabilities."
        )
    return _probabilities(policy, "policy", revenue.size)


def acceptance_without(unconstrained: Any, revenue: np.ndarray) -> np.ndarray:
    """Probability that each row is accepted without the condition; 1 where it pays if not given.

    Raises
    ------
    ValueError
        It is no probability of every row.
    """
    if unconstrained is None:
        return (revenue > 0).astype(np.float64)
    return _probabilities(unconstrained, "unconstrained", revenue.size)


def _probabilities(given: Any, name: str, n_rows: int) -> np.ndarray:
    acceptance = as_finite_float(given, name)
    check_same_length(y_prob=np.empty(n_rows), **{name: acceptance})
    if acceptance.min() < 0 or acceptance.max() > 1:
        raise ValueError(
            f"{name} has values from {acceptance.min():.6g} to {acceptance.max():.6g}: give the "
            "probability that each row is accepted, in [0, 1]."
        )
    return acceptance
