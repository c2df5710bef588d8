"""Holm's correction of the p-values of several tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import as_vector


def holm(pvalues: Any) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's step-down method.

    Rejecting whatever is at most alpha keeps the chance of a single false rejection among all of
    them at alpha, however the tests depend on each other [1]_. The smallest p-value is multiplied
    by the number of tests, the next by one less, and none falls below the one before.

    Parameters
    ----------
    pvalues : array-like of shape (n_tests,)
        In [0, 1]. NaN is of a test that could not be made: it stays, and is not counted.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values in [0, 1], in the order they came in.

    Raises
    ------
    ValueError, TypeError
        Values outside [0, 1], or that are no numbers.

    Notes
    -----
    O(n log n). `rgf_test` and `FeatureRemovalAuditor` adjust what they compare themselves; this
    is for tests of one's own choice, such as those of several algorithms on one frontier.

    References
    ----------
    .. [1] S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal
       of Statistics 6, 1979.

    Examples
    --------
    >>> from fairrank.inference import holm
    >>> holm([0.01, 0.5, 0.02, float("nan")]).tolist()
    [0.03, 0.5, 0.04, nan]
    """
    given = as_vector(pvalues, "pvalues")
    if given.dtype.kind not in "biuf":
        raise TypeError(
            f"pvalues must hold numbers in [0, 1], got values of type {given.dtype}: pass each "
            "result's pvalue."
        )
    given = given.astype(np.float64)
    outside = (given < 0.0) | (given > 1.0)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"pvalues must be in [0, 1], and number {at} is {given[at]:g}.")
    adjusted = np.full_like(given, np.nan)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    factor = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(given[order] * factor), 1.0)
    return adjusted
