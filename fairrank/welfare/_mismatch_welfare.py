"""What a policy changes: means over rows with and without it, and how sure the change is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.welfare._decided_rows import DecidedRows
from fairrank.welfare._policy_result import SAME
from fairrank.welfare._unseen_rows import (
    ENOUGH,
    largest_of_groups,
    rows_apart,
    rows_that_count,
    unseen_share,
)

ONE_SIGN = ("harmed or unchanged", "helped or unchanged")
VERDICTS = ("harmed", "helped", *ONE_SIGN, "unchanged", "undetermined")


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
        scaled by a mean of these rows. Where the decision of all rows of a group changes by the
        same, it is the exact bound of the interval over the critical value. 0 where the rows are
        everybody.
    low, high : ndarray, shape (n_groups,)
        Interval of the change: as far as the standard error reaches; where fewer than ten rows
        do not move as the rest of their group does, also as far as rows that were not drawn
        could move it, were they all to move the other way (Clopper and Pearson). Cut at what is
        possible: the largest utility either way, and 0 where somebody moves and all who do move
        to one side.
    verdict : tuple of str
        "helped" or "harmed" where the interval excludes 0 before it is cut at 0. Else "helped or
        unchanged" where nobody on these rows loses by it, "harmed or unchanged" where nobody
        gains, and "undetermined" where some do either. "unchanged": nobody moves on these rows.
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
        verdict : str
            One of those in `verdict`.

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
    worth = utility - base
    # Rows outside the scale have no part in the mean, as bad cases in equal opportunity; and no
    # mean is larger than the largest worth in units of a scale of mean 1.
    has_part = (rows.weight > 0) & ((scaled_by != 0.0) | (base != 0.0))
    scale = np.where(base == 0.0, scaled_by, 1.0)[has_part]
    code, n_groups = rows.code[has_part], len(rows.labels)
    largest = largest_of_groups(np.abs(worth[has_part]) / scale, code, n_groups)
    count = rows_that_count(code, rows.weight[has_part], n_groups, repeats=rows.repeats)
    unseen = unseen_share(count, rows.tail)

    def judged(
        acceptance: np.ndarray, least: np.ndarray, most: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Mean, its error, and how far below and above it the truth may lie."""
        mean, rate = rows.mean(utility * acceptance), rows.mean(acceptance)
        influence = utility * acceptance - mean[rows.code] * scaled_by
        if base:
            influence -= base * (acceptance - rate[rows.code])
        value, error = mean - base * rate, rows.standard_error(influence)
        reach = rows.critical_value * error
        if rows.confidence_level is None:
            return value, error, reach, reach
        apart = rows_apart(acceptance[has_part], code, n_groups)
        alike = (apart == 0) | ~(error > SAME * largest)
        few = np.where(alike | (apart < ENOUGH), unseen, 0.0)
        below = np.fmax(reach, few * (value - least))
        above = np.fmax(reach, few * (most - value))
        exact = np.maximum(below, above) / rows.critical_value
        return value, np.where(alike, exact, error), below, above

    bounds = -largest * bool((worth < 0).any()), largest * bool((worth > 0).any())
    before, _, *reach_before = judged(rows.before, *bounds)
    after = judged(rows.after, *bounds)[0]
    moved = worth * (rows.after - rows.before)
    change, error, below, above = judged(rows.after - rows.before, -largest, largest)
    # Errors of rounding are no change of anybody's welfare.
    change = np.where(np.abs(change) <= SAME * rows.mean(np.abs(moved)), 0.0, change)
    low, high = change - below, change + above
    gains, loses = rows.any(moved > 0), rows.any(moved < 0)
    verdict = tuple(map(_verdict, low, high, gains, loses))
    low = np.fmax(low, np.where(gains & ~loses, 0.0, -largest))
    high = np.fmin(high, np.where(loses & ~gains, 0.0, largest))
    lowest, determined = _lowest(before, np.maximum(*reach_before))
    share = rows.share
    return WelfareChange(
        groups=rows.labels, unconstrained=before + base, constrained=after + base, change=change,
        standard_error=error, low=np.minimum(low, change), high=np.maximum(high, change),
        verdict=verdict,
        total_unconstrained=float(share @ before + base),
        total_constrained=float(share @ after + base),
        disadvantaged_group=None if lowest is None else rows.labels[lowest],
        disadvantage_determined=determined,
    )


def _verdict(low: float, high: float, gains: bool, loses: bool) -> str:
    if not (gains or loses) or low == high == 0.0:
        return "unchanged"
    if low > 0 or high < 0:
        return "helped" if low > 0 else "harmed"
    if gains and loses:
        return "undetermined"
    return ONE_SIGN[int(gains)]


def _lowest(welfare: np.ndarray, reach: np.ndarray) -> tuple[int | None, bool]:
    near = np.flatnonzero(welfare - welfare.min() <= SAME * np.abs(welfare).max())
    if near.size > 1:
        return None, False
    lowest = int(near[0])
    others = np.delete(np.arange(welfare.size), lowest)
    apart = welfare[others] - welfare[lowest]
    return lowest, bool((apart > np.hypot(reach[others], reach[lowest])).all())
