"""What the test could have seen: power from the null mean and the draws.

Under a shift of the paths the statistic is close to a shifted and scaled noncentral chi-square
whose scale, degrees of freedom and offset match the draws' first three moments (Pearson 1959); a
shift of the paths adds noncentrality, which grows in proportion to n. Two moments alone spread the
shift over too many directions and promise too much. It stays an approximation: where a small
group's own burdens vary more as they grow, power is less (``benchmarks/results/power.md``).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.stats import ncx2, norm

LARGEST_EFFECT = 1e6
# Draws of less spread, relative to their mean, differ by rounding only.
ROUNDING = 1e-9
# With as many degrees of freedom a chi-square is normal, its skewness being below .003.
NORMAL_FROM = 1e6


def detectable_effect(null_distribution: np.ndarray, *, power: float, alpha: float) -> float:
    """Smallest expected ``T / E[T]`` that a test at level `alpha` finds with this `power`.

    NaN when the draws do not vary; infinity when no effect up to 10^6 is found, as when the
    smallest attainable p is above `alpha`.
    """
    mean, variance = float(null_distribution.mean()), float(null_distribution.var())
    if not (mean > 0.0 and variance > (ROUNDING * mean) ** 2):
        return float("nan")
    third = float(((null_distribution - mean) ** 3).mean())
    if third > 0.0:
        scale, df = third / (4.0 * variance), 8.0 * variance**3 / third**2
    else:
        scale, df = variance / (2.0 * mean), 2.0 * mean**2 / variance
    n_draws = null_distribution.size
    if 1.0 / (n_draws + 1.0) > alpha:
        return float("inf")
    # p <= alpha needs fewer than alpha (B + 1) draws at or above T.
    rank = int(np.floor(alpha * (n_draws + 1))) - 1
    largest_kept = float(np.sort(null_distribution)[::-1][max(rank, 0)])
    if df > NORMAL_FROM:
        return max(1.0, (largest_kept - variance**0.5 * float(norm.isf(power))) / mean)
    offset = mean - scale * df
    critical = (largest_kept - offset) / scale

    def shortfall(noncentrality: float) -> float:
        return float(ncx2.sf(critical, df, noncentrality)) - power

    high = 1.0
    while shortfall(high) < 0.0:
        high *= 2.0
        if high > LARGEST_EFFECT * df:
            return float("inf")
    if shortfall(1e-9) >= 0.0:
        return 1.0
    return 1.0 + scale * float(brentq(shortfall, 1e-9, high)) / mean


def samples_needed(n_samples: int, effect_size: float, detectable: float) -> float:
    """Rows at which the observed effect, were it the true one, would be found.

    The excess ``T / E[T] - 1`` grows in proportion to n while E[T] stays; infinity when there is
    no excess to find.
    """
    if not effect_size > 1.0:
        return float("inf")
    return float(np.ceil(n_samples * (detectable - 1.0) / (effect_size - 1.0)))
