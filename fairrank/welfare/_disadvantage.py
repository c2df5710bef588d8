"""Which group is worst off without a condition, and how sure that is."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from fairrank.welfare._policy_outcome import PolicyOutcome, Terms
from fairrank.welfare._product_menu import ProductMenu
from fairrank.welfare._unseen_rows import largest_of_groups, rows_that_count, unseen_share

# Standard errors between the two lowest welfares from which the lowest is named.
SURE = 2.0
N_NODES = 201


def disadvantage(
    realized: PolicyOutcome, terms: Terms, good: np.ndarray, code: np.ndarray,
    weight: np.ndarray | None,
) -> tuple[Any, dict[str, list]]:
    """The group of least welfare without the condition, and how sure that is. O(n).

    Parameters
    ----------
    realized : PolicyOutcome
        Of these rows.
    terms : LendingTerms or ProductMenu
    good : ndarray, shape (n,)
        Outcomes.
    code : ndarray of int, shape (n,)
    weight : ndarray, shape (n,), or None
        Whole numbers are repetitions.

    Returns
    -------
    group or None
    dict of str to list
        See `named_lowest`.
    """
    error = realized.welfare_unconstrained_standard_error
    floor = error_of_unseen(realized.welfare_unconstrained, terms, good, code, weight)
    return named_lowest(
        realized.groups, realized.welfare_unconstrained, np.maximum(error, floor)
    )


def error_of_unseen(
    welfare: np.ndarray, terms: Terms, good: np.ndarray, code: np.ndarray,
    weight: np.ndarray | None,
) -> np.ndarray:
    """Standard error below which so few rows do not come, even if all are decided alike.

    `SURE` of it is the largest share of the group that its rows may leave unseen, times what
    another decision there would change. Only rows that welfare is a mean of count: good cases in
    equal opportunity.
    """
    base = terms.base(good)
    has_part = base > 0 if weight is None else (base > 0) & (weight > 0)
    options = terms.terms if isinstance(terms, ProductMenu) else (terms,)
    worth = np.column_stack([one.worth(good) for one in options])[has_part]
    sizes, own = np.abs(worth).max(axis=1) / base[has_part], code[has_part]
    largest = largest_of_groups(sizes, own, welfare.size)
    w = np.ones(own.size) if weight is None else weight[has_part].astype(np.float64)
    repeats = weight is None or weight.dtype.kind in "biu"
    count = rows_that_count(own, w, welfare.size, repeats=repeats)
    least, most = -largest * bool((worth < 0).any()), largest * bool((worth > 0).any())
    unseen = unseen_share(count, float(ndtr(-SURE)))
    return unseen * np.maximum(welfare - least, most - welfare) / SURE


def named_lowest(
    groups: tuple, welfare: np.ndarray, standard_error: np.ndarray
) -> tuple[Any, dict[str, list]]:
    """The group of least welfare, or None where it is tied within error, and a line a group.

    Parameters
    ----------
    groups : tuple
    welfare, standard_error : ndarray, shape (n_groups,)
        Of groups sampled apart from each other.

    Returns
    -------
    group or None
    dict of str to list
        "group", "welfare", "standard_error"; "z", how many standard errors of the difference lie
        between the lowest group and this one (0 for the lowest itself); "probability_lowest",
        of each to be lowest in truth, were the errors normal and nothing known before.
    """
    if np.isnan(welfare).any():
        table = {
            "group": list(groups), "welfare": welfare.tolist(),
            "standard_error": standard_error.tolist(), "z": [float("nan")] * len(groups),
            "probability_lowest": [float("nan")] * len(groups),
        }
        return None, table
    lowest = int(welfare.argmin())
    apart = welfare - welfare[lowest]
    error = np.hypot(standard_error, standard_error[lowest])
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(apart > 0, apart / error, 0.0)
    others = np.delete(z, lowest)
    table = {
        "group": list(groups),
        "welfare": welfare.tolist(),
        "standard_error": standard_error.tolist(),
        "z": z.tolist(),
        "probability_lowest": probability_lowest(welfare, standard_error).tolist(),
    }
    return (groups[lowest] if others.min() >= SURE else None), table


def probability_lowest(mean: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Probability that each of several independent normal numbers is the least.

    Numbers without error that tie share.
    """
    scale = max(float(np.abs(mean).max()), float(error.max()), 1.0)
    spread = np.maximum(error, 1e-9 * scale)
    # Quantiles at midpoints of equal probability.
    standard = ndtri((np.arange(N_NODES) + 0.5) / N_NODES)
    found = np.empty(mean.size)
    for a in range(mean.size):
        at = mean[a] + spread[a] * standard
        others = np.arange(mean.size) != a
        above = ndtr((mean[others] - at[:, None]) / spread[others])
        found[a] = above.prod(axis=1).mean()
    return found / found.sum()
