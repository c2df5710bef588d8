"""Rows that were decided with and without a condition, and means over their groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm


@dataclass(frozen=True, slots=True)
class DecidedRows:
    """Rows with a decision before and after.

    Attributes
    ----------
    code : ndarray of uint8, shape (n,)
    labels : tuple
    weight : ndarray, shape (n,)
    repeats : bool
        Whether weights count rows that are alike; they are masses otherwise.
    before, after : ndarray, shape (n,)
        Acceptance without and with the condition; equal where only rounding parts them.
    confidence_level : float or None
        None: the rows are everybody there is, and nothing is uncertain.
    """

    code: np.ndarray
    labels: tuple
    weight: np.ndarray
    repeats: bool
    before: np.ndarray
    after: np.ndarray
    confidence_level: float | None

    @property
    def mass(self) -> np.ndarray:
        """Total weight of every group."""
        return self.total(np.ones(self.code.size))

    @property
    def share(self) -> np.ndarray:
        """P(A = a)."""
        return self.mass / self.weight.sum()

    @property
    def critical_value(self) -> float:
        """Standard errors that a change must pass; 0 where nothing is uncertain."""
        return float(norm.isf(self.tail))

    @property
    def tail(self) -> float:
        """Probability left on either side of an interval."""
        level = self.confidence_level
        return 0.5 if level is None else (1.0 - level) / 2.0

    def total(self, values: np.ndarray) -> np.ndarray:
        """Weighted sum in every group."""
        return np.bincount(
            self.code, weights=values * self.weight, minlength=len(self.labels)
        )

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Weighted mean in every group."""
        return self.total(values) / self.mass

    def standard_error(self, influence: np.ndarray, *, overall: bool = False) -> np.ndarray:
        """Standard error of a mean of `influence`, which sums to 0; NaN for a single row.

        Parameters
        ----------
        influence : (n,)
        overall : bool
            Of everybody, and not of every group.
        """
        if self.confidence_level is None:
            return np.zeros(1 if overall else len(self.labels))
        code = np.zeros_like(self.code) if overall else self.code
        n_groups = 1 if overall else len(self.labels)

        def summed(values: np.ndarray) -> np.ndarray:
            return np.bincount(code, weights=values, minlength=n_groups)

        mass = summed(self.weight)
        if self.repeats:
            count, squares = mass, summed(self.weight * influence**2)
        else:
            count = summed((self.weight > 0).astype(np.float64))
            # The same as above where all weights are 1.
            squares = summed((self.weight * influence) ** 2)
        alone = count <= 1
        spare = np.where(alone, 1.0, count - 1.0)
        squares = squares * count / spare
        return np.where(alone, np.nan, np.sqrt(squares) / mass)

    def any(self, marked: np.ndarray) -> np.ndarray:
        """Whether a row of the group, of weight above 0, is marked."""
        return np.bincount(
            self.code[marked & (self.weight > 0)], minlength=len(self.labels)
        ).astype(bool)
