"""A policy that small errors in its inputs move a little only (Proposition 17).

Revenue and utility are shifted at random, by U[0, kappa max|revenue|] and U[0, kappa max utility],
and the probability of acceptance is that over the shifts. Both shifts go up: then whoever the
lender would accept stays accepted in a group that is raised (Lemma 5), which centred shifts would
not keep. The multipliers are solved again so that the smoothed welfares agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from fairrank._kernels import smoothing as _smoothing
from fairrank.welfare._policy_sample import PolicySample

# Of welfare, and of multipliers, relative to their size.
PRECISION = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothedRule:
    """Accept where shifted revenue passes a multiple of shifted utility.

    Attributes
    ----------
    multiplier : ndarray, shape (n_groups,)
    revenue_shift, utility_shift : float
        The largest shift of either, above 0 and at least 0.
    """

    multiplier: np.ndarray
    revenue_shift: float
    utility_shift: float

    @property
    def tie_probability(self) -> np.ndarray:
        """0: nobody is tied."""
        return np.zeros(self.multiplier.size)

    def acceptance(self, revenue: np.ndarray, utility: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Probability of acceptance of each row. O(n).

        Parameters
        ----------
        revenue, utility, code : (n,)

        Returns
        -------
        ndarray of shape (n,)
        """
        return _smoothing.smoothed_acceptance(
            revenue, utility, code, self.multiplier, self.revenue_shift, self.utility_shift
        )


def revenue_scale(sample: PolicySample) -> float:
    """Largest size of revenue, which shifts are relative to.

    Raises
    ------
    ValueError
        It is 0.
    """
    counted = sample.weight > 0 if sample.weight.size else slice(None)
    scale = float(np.abs(sample.revenue[counted]).max())
    if scale == 0.0:
        raise ValueError("smoothing is relative to revenue, and revenue is 0 in every row.")
    return scale


def smoothed_rule(
    sample: PolicySample, kappa: float, tolerance: float, scale_of_revenue: float | None = None
) -> SmoothedRule:
    """Multipliers with weighted sum 0 at which the smoothed welfares agree.

    Shifts of revenue are relative to `scale_of_revenue`, by default that of `sample`.

    Raises
    ------
    ValueError
        Several options, or a utility below that of being rejected.
    """
    if sample.is_menu:
        raise ValueError(
            "smoothing is defined for accepting or rejecting, and there are several options (or "
            "a rejected_utility that varies): pass smoothing=0."
        )
    if sample.utility.min() < 0:
        raise ValueError(
            f"smoothing needs utilities of at least that of being rejected, got one "
            f"{-sample.utility.min():.6g} below it: pass smoothing=0."
        )
    counted = sample.weight > 0 if sample.weight.size else slice(None)
    a = kappa * (revenue_scale(sample) if scale_of_revenue is None else scale_of_revenue)
    shift = kappa * float(sample.utility[counted].max())
    if shift == 0.0:  # welfare is 0 in every group, whatever the multipliers
        return SmoothedRule(
            multiplier=np.zeros(sample.n_groups), revenue_shift=a, utility_shift=0.0
        )
    of_group = [_welfare_of(sample, g, a, shift) for g in range(sample.n_groups)]
    free = np.array([welfare(0.0) for welfare, _ in of_group])
    scale = a / kappa / (shift / kappa)

    def multipliers(edge: float) -> np.ndarray:
        wanted = np.clip(free, edge, edge + tolerance) if tolerance else np.full(free.size, edge)
        return np.array(
            [
                _inverse(welfare, min(w, top), f, scale, PRECISION * top)
                for (welfare, top), w, f in zip(of_group, wanted, free)
            ]
        )

    reach = min(top for _, top in of_group)
    high = min(float(free.max()), reach)
    low = min(max(float(free.min()) - tolerance, 0.0), high)
    tops = np.array([top for _, top in of_group])
    found = _balanced(multipliers, sample.share, low, high, tops)
    return SmoothedRule(multiplier=found, revenue_shift=a, utility_shift=shift)


def _balanced(
    multipliers: Callable[[float], np.ndarray], share: np.ndarray, low: float, high: float,
    tops: np.ndarray,
) -> np.ndarray:
    """Multipliers with a weighted sum of 0, which falls as the edge of the window rises.

    Where welfare is flat in a multiplier the sum jumps; then it lies between those on both sides.
    """

    def imbalance(edge: float) -> float:
        return float(share @ multipliers(edge))

    if imbalance(low) <= 0.0:
        return multipliers(low)
    nearness = 4 * PRECISION * float(tops.max())
    if imbalance(high) >= 0.0:
        found = multipliers(high)
        # A group in which everybody is accepted stays so however low its multiplier is.
        full = tops <= high + nearness
        if full.any():
            found[full] -= float(share @ found) / float(share[full].sum())
        return found
    edge = float(brentq(imbalance, low, high, xtol=nearness / 8, rtol=1e-15))
    before, after = (
        multipliers(float(np.clip(edge + by, low, high))) for by in (-nearness, nearness)
    )
    above, below = float(share @ before), float(share @ after)
    part = above / (above - below) if above > below else 0.0
    return before + min(max(part, 0.0), 1.0) * (after - before)


def _welfare_of(
    sample: PolicySample, g: int, a: float, shift: float
) -> tuple[Callable[[float], float], float]:
    """Welfare of a group as a function of its multiplier, and the most it can be."""
    rows = sample.code == g
    revenue, utility = sample.revenue[rows], sample.utility[rows]
    weight = sample.weight[rows] if sample.weight.size else np.ones(revenue.size)
    mass = weight / weight.sum()

    def welfare(multiplier: float) -> float:
        return _smoothing.smoothed_welfare(revenue, utility, mass, multiplier, a, shift)

    return welfare, float((mass * utility).sum())


def _inverse(
    welfare: Callable[[float], float], wanted: float, free: float, scale: float, rounding: float
) -> float:
    """Multiplier at which a falling welfare is `wanted`; 0 where it is so without one."""
    if abs(wanted - free) <= rounding:
        return 0.0
    sign = -1.0 if wanted > free else 1.0
    step = scale * 1e-3

    def excess(size: float) -> float:
        return sign * (welfare(sign * size) - wanted) - rounding

    while excess(step) > 0 and step < scale * 1e18:
        step *= 4.0
    if excess(step) > 0:
        return sign * step
    # A bracket of 10^18 scales halves more than a hundred times, which is scipy's limit.
    return sign * float(
        brentq(excess, 0.0, step, xtol=PRECISION * scale, rtol=PRECISION, maxiter=1000)
    )
