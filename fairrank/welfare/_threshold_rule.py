"""The rule of an optimal policy: accept where revenue passes a multiple of utility."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank._kernels import menu as _menu
from fairrank._kernels import policy as _policy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdRule:
    """Cut of every group on the slope revenue / utility.

    Attributes
    ----------
    multiplier : ndarray, shape (n_groups,)
        lambda of each group.
    tie_probability : ndarray, shape (n_groups,)
        Part of the steps between the cuts that is taken.
    cut_low, cut_high : ndarray, shape (n_groups,)
        Steps with slopes in between are tied; lambda itself where no row is.
    """

    multiplier: np.ndarray
    tie_probability: np.ndarray
    cut_low: np.ndarray
    cut_high: np.ndarray

    def acceptance(self, revenue: np.ndarray, utility: np.ndarray, code: np.ndarray) -> np.ndarray:
        """Probability of acceptance, or of every option, for each row. O(n).

        Parameters
        ----------
        revenue, utility : (n,) or (n, n_options)
        code : (n,)

        Returns
        -------
        ndarray of the same shape
        """
        kernel = _menu.choose if revenue.ndim == 2 else _policy.accept
        return kernel(
            revenue, utility, code, self.cut_low, self.cut_high, self.tie_probability
        )


def nobody_constrained(n_groups: int) -> ThresholdRule:
    """Take every step that pays: multipliers of 0."""
    zero = np.zeros(n_groups)
    return ThresholdRule(multiplier=zero, tie_probability=zero, cut_low=zero, cut_high=zero)
