"""What a policy changes: means over rows with and without it, and how sure the change is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from fairrank.welfare._policy_result import SAME


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
        level = self.confidence_level
        return 0.0 if level is None else float(norm.isf((1.0 - level) / 2.0))

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WelfareChange:
    """Welfare of every group in one utility, without and with the condition.

    Attributes
    ----------
    groups : tuple
    unconstrained, constrained, change : ndarray, shape (n_groups,)
        Mean utility of a group's members, and the difference.
    standard_error : ndarray, shape (n_groups,)
        Of the change: the same rows before and after, by the delta method where the utility is
        scaled by a mean of these rows. 0 where the rows are everybody.
    low, high : ndarray, shape (n_groups,)
        Interval of the change.
    verdict : tuple of {"helped", "harmed", "unchanged", "undetermined"}
        Undetermined where the interval holds 0.
    total_unconstrained, total_constrained : float
        Mean utility of everybody.
    disadvantaged_group : hashable or None
        Of least welfare without the condition; None where several share it.
    disadvantage_determined : bool
        Whether it lies below every other group by more than its error.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 1, 0, 0.5, 0, 0], "demographic_parity", y_prob=[0.7, 0.7, 0.3, 1, 0, 0],
    ...     assumed_utility="equal_opportunity", sensitive_features=list("aaabbb"),
    ...     gain=1, loss=1, confidence_level=None,
    ... )
    >>> welfare = report.underlying["demographic_parity"].welfare
    >>> welfare.verdict, welfare.change.round(4).tolist()
    (('unchanged', 'harmed'), [0.0, -0.1667])
    >>> welfare.gap_unconstrained < welfare.gap_constrained
    True
    """

    groups: tuple
    unconstrained: np.ndarray
    constrained: np.ndarray
    change: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    verdict: tuple
    total_unconstrained: float
    total_constrained: float
    disadvantaged_group: Any
    disadvantage_determined: bool

    @property
    def gap_unconstrained(self) -> float:
        """Largest difference of two groups' welfare without the condition."""
        return float(np.ptp(self.unconstrained))

    @property
    def gap_constrained(self) -> float:
        """The same with it."""
        return float(np.ptp(self.constrained))

    @property
    def closed_by_raising(self) -> float:
        """How much of the closed gap comes from the least welfare, which rose by that."""
        return float(self.constrained.min() - self.unconstrained.min())

    @property
    def closed_by_lowering(self) -> float:
        """How much of the closed gap comes from the largest welfare, which fell by that."""
        return float(self.unconstrained.max() - self.constrained.max())

    @property
    def levelling_down(self) -> float:
        """Share of the closed gap that comes from lowering; NaN where no gap was closed.

        Above 1 where the least welfare fell as well.
        """
        closed = self.gap_unconstrained - self.gap_constrained
        scale = max(np.abs(self.unconstrained).max(), np.abs(self.constrained).max())
        return self.closed_by_lowering / closed if closed > SAME * scale else float("nan")

    def groups_that_are(self, verdict: str) -> tuple:
        """Name the groups of one verdict.

        Parameters
        ----------
        verdict : {"helped", "harmed", "unchanged", "undetermined"}
            As in `verdict`.

        Returns
        -------
        tuple
            Of groups, in the order of `groups`.
        """
        return tuple(g for g, one in zip(self.groups, self.verdict) if one == verdict)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out: dict[str, Any] = {"groups": [str(group) for group in self.groups]}
        for name in ("unconstrained", "constrained", "change", "standard_error", "low", "high"):
            out[name] = getattr(self, name).tolist()
        alone = self.disadvantaged_group
        return out | {
            "verdict": list(self.verdict),
            **{
                name: getattr(self, name)
                for name in (
                    "total_unconstrained", "total_constrained", "gap_unconstrained",
                    "gap_constrained", "closed_by_raising", "closed_by_lowering",
                    "levelling_down", "disadvantage_determined",
                )
            },
            "disadvantaged_group": None if alone is None else str(alone),
        }


def welfare_change(
    rows: DecidedRows, utility: np.ndarray, scaled_by: np.ndarray, base: float = 0.0
) -> WelfareChange:
    """Welfare before and after, and whether the difference is more than chance. O(n).

    Parameters
    ----------
    rows : DecidedRows
    utility : (n,)
        Of being accepted.
    scaled_by : (n,)
        What makes the utility's scale uncertain too: its mean in every group is 1.
    base : float
        Utility of being rejected.
    """

    def judged(acceptance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, rate = rows.mean(utility * acceptance), rows.mean(acceptance)
        influence = utility * acceptance - mean[rows.code] * scaled_by
        if base:
            influence -= base * (acceptance - rate[rows.code])
        return mean - base * rate, rows.standard_error(influence)

    before, error_before = judged(rows.before)
    after, _ = judged(rows.after)
    change, error = judged(rows.after - rows.before)
    # Errors of rounding are no change of anybody's welfare.
    size = rows.mean(np.abs((utility - base) * (rows.after - rows.before)))
    change = np.where(np.abs(change) <= SAME * size, 0.0, change)
    reach = rows.critical_value * error
    lowest, determined = _lowest(before, error_before, rows)
    share = rows.share
    return WelfareChange(
        groups=rows.labels, unconstrained=before + base, constrained=after + base, change=change,
        standard_error=error, low=change - reach, high=change + reach,
        verdict=tuple(map(_verdict, change, reach, size)),
        total_unconstrained=float(share @ before + base),
        total_constrained=float(share @ after + base),
        disadvantaged_group=None if lowest is None else rows.labels[lowest],
        disadvantage_determined=determined,
    )


def _verdict(change: float, reach: float, size: float) -> str:
    if size == 0.0:
        return "unchanged"
    if abs(change) > reach:
        return "helped" if change > 0 else "harmed"
    return "unchanged" if change == reach == 0.0 else "undetermined"


def _lowest(welfare: np.ndarray, error: np.ndarray, rows: DecidedRows) -> tuple[int | None, bool]:
    near = np.flatnonzero(welfare - welfare.min() <= SAME * np.abs(welfare).max())
    if near.size > 1:
        return None, False
    lowest = int(near[0])
    others = np.delete(np.arange(welfare.size), lowest)
    apart = welfare[others] - welfare[lowest]
    reach = rows.critical_value * np.hypot(error[others], error[lowest])
    return lowest, bool((apart > reach).all())
