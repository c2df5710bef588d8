"""One group's frontier: the largest revenue at every welfare it can be given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank._kernels import policy as _policy
from fairrank._kernels.best_first import best_first
from fairrank.welfare._policy_sample import PolicySample

# Equal ratios revenue / utility come out of a division that many bits apart.
TIED = 1e-12
# Beyond this, products of slopes and widths overflow.
LARGEST_SLOPE = 1e150


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GroupFrontier:
    """The concave path of (welfare, revenue) per person of a group.

    Attributes
    ----------
    welfare, revenue : ndarray, shape (n_corners,)
        Corners, welfare rising. Between two corners a tie set is taken in part.
    slope : ndarray, shape (n_corners - 1,)
        Revenue that one more unit of welfare brings; strictly falling.
    unconstrained : float
        Welfare where the lender is free: whoever pays is accepted.

    Examples
    --------
    >>> from fairrank.welfare import welfare_optimal_policy
    >>> policy = welfare_optimal_policy(
    ...     [0.5, -0.2, 0.1, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb")
    ... )
    >>> policy.frontiers["a"].welfare.tolist(), policy.frontiers["a"].revenue.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 0.15])
    """

    welfare: np.ndarray
    revenue: np.ndarray
    slope: np.ndarray
    unconstrained: float
    _high: np.ndarray
    _low: np.ndarray

    def __repr__(self) -> str:
        """Number of corners and both ends."""
        return (
            f"GroupFrontier({self.welfare.size} corners, welfare {self.welfare[0]:.4g} to "
            f"{self.welfare[-1]:.4g})"
        )

    def revenue_at(self, welfare: np.ndarray | float) -> np.ndarray:
        """Largest revenue per person at a welfare; NaN beyond the ends.

        Parameters
        ----------
        welfare : float or ndarray
            Per person of the group.

        Returns
        -------
        ndarray
            In the unit of revenue.
        """
        return np.interp(welfare, self.welfare, self.revenue, left=np.nan, right=np.nan)

    def cut_at(self, multiplier: float, welfare: float) -> tuple[float, float, float]:
        """Find the slopes tied with `multiplier`, and the part of them that reaches `welfare`.

        Parameters
        ----------
        multiplier : float
            A super-gradient at `welfare`.
        welfare : float
            Per person of the group.

        Returns
        -------
        low, high, tie : float
            ``low == high == multiplier`` and 0 where no step is tied.
        """
        k = self.slope.size
        if not k:
            return multiplier, multiplier, 0.0
        b = int(np.searchsorted(-self.slope, -multiplier))
        near = [j for j in (b - 1, b) if 0 <= j < k]
        b = min(near, key=lambda j: abs(self.slope[j] - multiplier))
        if abs(self.slope[b] - multiplier) > TIED * abs(multiplier):
            return multiplier, multiplier, 0.0
        width = self.welfare[b + 1] - self.welfare[b]
        part = (welfare - self.welfare[b]) / width if width > 0 else 0.0
        low, high = self._low[b], self._high[b]
        # New rows with the same true ratio may fall a few bits aside, where no other block is.
        wider_low, wider_high = low - TIED * abs(low), high + TIED * abs(high)
        if b + 1 == k or self._high[b + 1] < wider_low:
            low = wider_low
        if b == 0 or self._low[b - 1] > wider_high:
            high = wider_high
        return float(low), float(high), snapped(part)


def snapped(part: float) -> float:
    """A part of a step, in [0, 1], and 0 or 1 where only rounding keeps it from there."""
    return 0.0 if part < TIED else 1.0 if part > 1.0 - TIED else float(part)


def group_frontiers(sample: PolicySample) -> list[GroupFrontier]:
    """Frontier of every group, per person of it. One sort a group, then O(n).

    A group whose welfare no decision changes has one corner.

    Raises
    ------
    ValueError
        A slope that overflows.
    """
    slope, width, start, corner = sample.steps()
    frontiers = []
    for g, label in enumerate(sample.labels):
        part = slice(start[g], start[g + 1])
        own = slope[part]
        if own.size and not max(own.max(), -own.min()) <= LARGEST_SLOPE:
            raise ValueError(
                f"revenue / utility passes {LARGEST_SLOPE:.0e} in group {label!r}: a utility is "
                "next to 0 there (round to 0 what is meant as 0), or revenue is out of bounds."
            )
        welfare, revenue, slopes, high, low = _policy.path_of_steps(
            own, width[part], best_first(own), corner[g, 0], corner[g, 1], TIED
        )
        # The end is summed once more in its own order, so that 0 stays 0.
        welfare[-1] = corner[g, 2]
        np.minimum(welfare, corner[g, 2], out=welfare)
        welfare /= sample.mass[g]
        revenue /= sample.mass[g]
        if sample.base:
            welfare += sample.base
        frontiers.append(
            GroupFrontier(
                welfare=welfare, revenue=revenue, slope=slopes,
                unconstrained=float(corner[g, 3] / sample.mass[g] + sample.base),
                _high=high, _low=low,
            )
        )
    return frontiers
