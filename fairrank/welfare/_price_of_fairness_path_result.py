"""The price of fairness at every tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.welfare._group_frontier import GroupFrontier
from fairrank.welfare._policy_values import PolicyValues


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PriceOfFairnessPath:
    """Largest revenue at every tolerance: concave, piecewise linear.

    Attributes
    ----------
    groups : tuple
    tolerance : ndarray, shape (n_corners,)
        Falling: from the gap without a condition to 0, or to the smallest that can be met.
    revenue : ndarray, shape (n_corners,)
        Per person of everybody; never rising along the path.
    lower, upper : ndarray, shape (n_corners,)
        Edges of the window that every group's welfare is brought into.
    price : ndarray, shape (n_corners - 1,)
        Revenue per unit of tolerance between two corners; never falling along the path.
    unconstrained : PolicyValues
        What the lender's own policy comes to.
    frontiers : dict of group to GroupFrontier

    Examples
    --------
    >>> from fairrank.welfare import price_of_fairness_path
    >>> path = price_of_fairness_path(
    ...     [0.5, 0.3, 0.4, -0.1], [1, 1, 1, 1], sensitive_features=list("aabb")
    ... )
    >>> path
    PriceOfFairnessPath(tolerance 0.5 -> 0, revenue 0.3 -> 0.275, 2 corners)
    >>> float(path.price_at(0.1)), path.tolerance_at(0.01), path.tolerance_at(0.05)
    (0.05, 0.5, 0.0)
    >>> path.welfare_at(0.2).tolist()
    [1.0, 0.8]
    """

    groups: tuple
    tolerance: np.ndarray
    revenue: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    price: np.ndarray
    unconstrained: PolicyValues
    frontiers: dict[Any, GroupFrontier]

    @property
    def smallest_tolerance(self) -> float:
        """0, or the least difference of welfare that some policy reaches."""
        return float(self.tolerance[-1])

    def revenue_at(self, tolerance: Any) -> np.ndarray:
        """Largest revenue per person at a tolerance.

        Parameters
        ----------
        tolerance : float or array-like
            In the unit of the utility.

        Returns
        -------
        ndarray of the same shape
            NaN below `smallest_tolerance`.
        """
        return self._between(self.revenue, tolerance)

    def window_at(self, tolerance: float) -> tuple[float, float]:
        """Least and greatest welfare that a tolerance leaves; NaN below `smallest_tolerance`.

        Parameters
        ----------
        tolerance : float
            In the unit of the utility.

        Returns
        -------
        lower, upper : float
            Edges of the window.
        """
        return (
            float(self._between(self.lower, tolerance)),
            float(self._between(self.upper, tolerance)),
        )

    def welfare_at(self, tolerance: float) -> np.ndarray:
        """Welfare of every group at a tolerance.

        Parameters
        ----------
        tolerance : float
            In the unit of the utility.

        Returns
        -------
        ndarray of shape (n_groups,)
            In the order of `groups`.
        """
        return np.clip(self.unconstrained.welfare, *self.window_at(tolerance))

    def price_at(self, tolerance: Any) -> np.ndarray:
        """Revenue that one more unit of tolerance would bring.

        Parameters
        ----------
        tolerance : float or array-like
            In the unit of the utility.

        Returns
        -------
        ndarray of the same shape
            0 from the unconstrained gap on; NaN below `smallest_tolerance`.
        """
        asked = np.asarray(tolerance, dtype=np.float64)
        rising = np.concatenate([self.price[::-1], [0.0]])
        place = np.searchsorted(self.tolerance[::-1], asked, "right") - 1
        return np.where(place < 0, np.nan, rising[np.maximum(place, 0)])[()]

    def tolerance_at(self, price: float) -> float:
        """Tolerance down to which no unit of it costs more than `price`.

        Parameters
        ----------
        price : float
            Revenue per unit of tolerance, not negative.

        Returns
        -------
        float
            One of the corners.
        """
        return float(self.tolerance[np.searchsorted(self.price, price, "right")])

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; every corner, without the groups' frontiers."""
        return {
            "groups": [str(group) for group in self.groups],
            **{
                name: getattr(self, name).tolist()
                for name in ("tolerance", "revenue", "lower", "upper", "price")
            },
            "unconstrained": self.unconstrained.to_dict(),
        }

    def __repr__(self) -> str:
        """State both ends and the number of corners."""
        return (
            f"PriceOfFairnessPath(tolerance {self.tolerance[0]:.4g} -> {self.tolerance[-1]:.4g}, "
            f"revenue {self.revenue[0]:.4g} -> {self.revenue[-1]:.4g}, "
            f"{self.tolerance.size} corners)"
        )

    def _between(self, values: np.ndarray, tolerance: Any) -> np.ndarray:
        asked = np.asarray(tolerance, dtype=np.float64)
        return np.interp(asked, self.tolerance[::-1], values[::-1], left=np.nan)
