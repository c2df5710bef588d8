"""One answer from several cross-fittings: the median, and the price of their dependence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import (
    as_amounts,
    as_finite_float,
    check_fraction,
    check_same_length,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MedianTest:
    """A test whose p-value is the median over cross-fittings, made valid.

    Attributes
    ----------
    pvalue : float
        `factor` times the median of `pvalues`, at most 1.
    reject : bool
        Whether it is at most `significance_level`.
    significance_level : float
        That of the tests.
    statistic : float
        Median of the tests' statistics.
    pvalues : ndarray, shape (n_repeats,)
        Of the tests.
    factor : float
        n / (n // 2 + 1) of n repeats: below 2.
    n_repeats : int
        Cross-fittings.
    results : tuple
        The tests, one a cross-fitting.

    Examples
    --------
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(n_repeats=3, random_state=0).fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features
    ... )
    >>> test = frontier.median_over_repeats("group_skew_test")
    >>> test.reject, test.n_repeats, test.factor
    (True, 3, 1.5)
    """

    pvalue: float
    reject: bool
    significance_level: float
    statistic: float
    pvalues: np.ndarray
    factor: float
    n_repeats: int
    results: tuple

    @property
    def reading(self) -> str:
        """What was found, in plain words."""
        found = "is rejected" if self.reject else "is not rejected"
        return (
            f"The null hypothesis {found} at the {100.0 * self.significance_level:.3g} % level: "
            f"over {self.n_repeats} cross-fittings the p-value is {self.pvalue:.3g}, "
            f"{self.factor:.3g} times the median (of {self.pvalues.min():.3g} to "
            f"{self.pvalues.max():.3g})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "pvalue": self.pvalue, "reject": self.reject,
            "significance_level": self.significance_level, "statistic": self.statistic,
            "pvalues": self.pvalues.tolist(), "factor": self.factor,
            "n_repeats": self.n_repeats, "results": [one.to_dict() for one in self.results],
            "reading": self.reading,
        }

    def __repr__(self) -> str:
        """The numbers a reader wants first."""
        return (
            f"MedianTest(pvalue={self.pvalue:.4g}, reject={self.reject}, "
            f"statistic={self.statistic:.4g}, n_repeats={self.n_repeats})"
        )

    def __str__(self) -> str:
        """Give the numbers and the reading."""
        return f"{self!r}\n{self.reading}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """A confidence interval whose ends are medians over cross-fittings.

    Attributes
    ----------
    low, high : float
        Ends, in units of what is estimated.
    estimate : float
        Median of the estimates.
    confidence_level : float
        Less than that of the intervals, which are dependent.
    n_repeats : int
        Cross-fittings.

    Examples
    --------
    >>> from fairrank.frontier import median_interval
    >>> median_interval([0.1, 0.3, 0.2], [0.5, 0.6, 0.9], [0.3, 0.4, 0.5], confidence_level=0.96)
    MedianInterval(low=0.2, high=0.6, estimate=0.4, confidence_level=0.94, n_repeats=3)
    """

    low: float
    high: float
    estimate: float
    confidence_level: float
    n_repeats: int

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def price_of_median(n_repeats: int) -> float:
    """What a median p-value is multiplied by: n / k, k being more than half of n."""
    return n_repeats / (n_repeats // 2 + 1)


def median_pvalue(pvalues: Any) -> float:
    """Give one valid p-value of several, however they depend on each other.

    Parameters
    ----------
    pvalues : array-like of shape (n,)
        Each valid by itself.

    Returns
    -------
    float
        In [0, 1]: n / k times the k-th smallest, and at most 1, k being the least number above
        n / 2: the median of an odd number, and the larger of both middle ones of an even number.

    Raises
    ------
    ValueError, TypeError
        None, or some outside [0, 1] or not a number.

    Notes
    -----
    It is at most a where more than half of the tests reject at the level a k / n, which under the
    null hypothesis has probability a at most, by Markov's inequality for their number [1]_. Twice
    the median is the familiar form [2]_, and its limit for many. O(n log n).

    References
    ----------
    .. [1] B. Rueger. Das maximale Signifikanzniveau des Tests "Lehne H0 ab, wenn k unter n
       gegebenen Tests zur Ablehnung fuehren". Metrika 25, 1978.
    .. [2] N. Meinshausen, L. Meier and P. Buehlmann. p-Values for High-Dimensional Regression.
       Journal of the American Statistical Association 104, 2009, Theorem 3.1 with gamma = 1/2.

    Examples
    --------
    >>> from fairrank.frontier import median_pvalue
    >>> median_pvalue([0.01, 0.02, 0.4]), median_pvalue([0.01, 0.02])
    (0.03, 0.02)
    """
    found = np.sort(as_finite_float(pvalues, "pvalues"))
    if not found.size or found[0] < 0.0 or found[-1] > 1.0:
        seen = f"they reach from {found[0]:.6g} to {found[-1]:.6g}" if found.size else "none"
        raise ValueError(f"pvalues must be one or more numbers in [0, 1], got {seen}.")
    return float(min(1.0, price_of_median(found.size) * found[found.size // 2]))


def median_test(results: Sequence) -> MedianTest:
    """Give one test of those of several cross-fittings.

    Parameters
    ----------
    results : sequence
        Results of one test, each with `pvalue`, `statistic` and `significance_level`.

    Returns
    -------
    MedianTest
        Valid at the level of the tests.
    """
    pvalues = np.array([one.pvalue for one in results])
    level, combined = float(results[0].significance_level), median_pvalue(pvalues)
    return MedianTest(
        pvalue=combined, reject=combined <= level, significance_level=level,
        statistic=float(np.median([one.statistic for one in results])), pvalues=pvalues,
        factor=price_of_median(len(results)), n_repeats=len(results), results=tuple(results),
    )


def median_interval(
    lows: Any, highs: Any, estimates: Any, *, confidence_level: float
) -> MedianInterval:
    """Give one interval of those of several cross-fittings.

    Parameters
    ----------
    lows, highs : array-like of shape (n,)
        Ends of intervals, each of which holds by itself.
    estimates : array-like of shape (n,)
        Of the same.
    confidence_level : float
        Of each interval.

    Returns
    -------
    MedianInterval
        From the median of `lows` to the median of `highs`; of an even number of intervals from
        the lower middle one of `lows` to the upper middle one of `highs`. Its level is lower than
        that of the intervals, see Notes.

    Raises
    ------
    DegenerateGroupError
        No interval.
    ValueError, TypeError
        Lengths that differ, numbers that are not finite, or a level outside (0, 1).

    Notes
    -----
    A value below `low` lies below more than half of the intervals, and one above `high` above
    more than half. By Markov's inequality, as in `median_pvalue` [1]_, the true value does so
    with probability at most n / k times that of one interval missing it, k being the least number
    above n / 2, however the intervals depend on each other. The level of n intervals of
    `confidence_level` is therefore ``1 - n / k * (1 - confidence_level)``, which is below 0 where
    theirs is low: pass intervals of a level so much higher. Own derivation. O(n log n).

    References
    ----------
    .. [1] B. Rueger. Das maximale Signifikanzniveau des Tests "Lehne H0 ab, wenn k unter n
       gegebenen Tests zur Ablehnung fuehren". Metrika 25, 1978.

    Examples
    --------
    >>> from fairrank.frontier import median_interval
    >>> median_interval([0.1, 0.2], [0.5, 0.6], [0.3, 0.4], confidence_level=0.98).low
    0.1
    """
    low, high = np.sort(as_amounts(lows, "lows")), np.sort(as_amounts(highs, "highs"))
    estimate = as_amounts(estimates, "estimates")
    check_same_length(lows=low, highs=high, estimates=estimate)
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    k = low.size // 2
    return MedianInterval(
        low=float(low[-k - 1]), high=float(high[k]), estimate=float(np.median(estimate)),
        confidence_level=round(1.0 - price_of_median(low.size) * (1.0 - level), 12),
        n_repeats=low.size,
    )
