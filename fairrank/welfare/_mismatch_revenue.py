"""What a policy costs the lender, and whether good cases come as often as was promised."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.welfare._decided_rows import DecidedRows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RevenueChange:
    """Revenue per person without and with the condition.

    Attributes
    ----------
    unconstrained, constrained, change : float
        Of everybody.
    standard_error : float
        Of the change; 0 where the rows are everybody there is.
    unconstrained_standard_error, constrained_standard_error : float
        Of the revenues themselves.
    unconstrained_by_group, constrained_by_group : ndarray, shape (n_groups,)
        Per member.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 0.5, 1, 0], "demographic_parity", y_prob=[0.9, 0.8, 0.6, 0.1],
    ...     assumed_utility="demographic_parity", sensitive_features=list("aabb"),
    ...     gain=1, loss=1,
    ... )
    >>> round(report.revenue.change, 4), round(report.revenue.relative_price, 4)
    (-0.075, 0.1875)
    """

    unconstrained: float
    constrained: float
    change: float
    standard_error: float
    unconstrained_standard_error: float
    constrained_standard_error: float
    unconstrained_by_group: np.ndarray
    constrained_by_group: np.ndarray

    @property
    def price(self) -> float:
        """Revenue per person that the condition costs."""
        return 0.0 - self.change

    @property
    def relative_price(self) -> float:
        """Part of the revenue that is lost; NaN where there was none."""
        return self.price / self.unconstrained if self.unconstrained > 0 else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out = {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in asdict(self).items()
        }
        return out | {"price": self.price, "relative_price": self.relative_price}


def revenue_change(rows: DecidedRows, revenue: np.ndarray) -> RevenueChange:
    """Revenue per person before and after. O(n).

    Parameters
    ----------
    rows : DecidedRows
    revenue : (n,)
        Of accepting each row.
    """
    columns = []
    for accepted in (rows.before, rows.after, rows.after - rows.before):
        by_group = rows.mean(revenue * accepted)
        mean = float(rows.share @ by_group)
        error = rows.standard_error(revenue * accepted - mean, overall=True)
        columns.append((mean, float(error[0]), by_group))
    before, after, change = columns
    return RevenueChange(
        unconstrained=before[0], constrained=after[0], change=change[0],
        unconstrained_standard_error=before[1], constrained_standard_error=after[1],
        standard_error=change[1],
        unconstrained_by_group=before[2], constrained_by_group=after[2],
    )


def excess_of_good_cases(
    rows: DecidedRows, outcome: np.ndarray, probability: np.ndarray, chosen: np.ndarray
) -> np.ndarray:
    """Good cases beyond those expected in every group, in standard deviations. O(n).

    Parameters
    ----------
    rows : DecidedRows
    outcome, probability : (n,)
    chosen : (n,), in [0, 1]
        How much each row counts.

    Returns
    -------
    ndarray of shape (n_groups,)
        NaN where nothing is uncertain or nobody chosen.
    """
    excess = rows.total(chosen * (outcome - probability))
    spread = probability * (1.0 - probability) * chosen**2
    variance = rows.total(spread if rows.repeats else spread * rows.weight)
    some = variance > 0
    return np.where(some, excess / np.sqrt(np.where(some, variance, 1.0)), np.nan)
