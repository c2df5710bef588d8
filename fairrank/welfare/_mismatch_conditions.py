"""When the condition is sure not to harm: Theorem 4, Lemma 5 and Corollary 6, checked on rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.welfare._decided_rows import DecidedRows
from fairrank.welfare._mismatch_utility import RowUtility
from fairrank.welfare._mismatch_welfare import WelfareChange
from fairrank.welfare._policy_result import SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGuarantee:
    """Whether Theorem 4 protects a group in one underlying utility.

    A group whose assumed welfare does not fall keeps whoever was accepted (Lemma 5), if the
    assumed utility is nowhere negative in it; then its underlying welfare does not fall either,
    if being accepted harms none of those whose decision changes.

    Attributes
    ----------
    group : hashable
    raised : bool
        The assumed welfare is at least what it was.
    n_negative_assumed : int
        Members whose assumed utility is below 0.
    n_dropped : int
        Members accepted without the condition, and less likely to be so with it.
    n_changed : int
        Members whose decision changes.
    n_negative_underlying : int
        Of these, whose underlying utility is below 0.
    from_admitted, from_dropped : float
        What those accepted more often, and less often, add to the group's underlying welfare.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", section 3, Theorem 4 and Lemma 5.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 1, 0, 0.5, 0, 0], "demographic_parity", y_prob=[0.7, 0.7, 0.3, 1, 0, 0],
    ...     assumed_utility="equal_opportunity", sensitive_features=list("aaabbb"),
    ...     gain=1, loss=1, confidence_level=None,
    ... )
    >>> [one.applies for one in report.underlying["demographic_parity"].guarantees]
    [True, False]
    """

    group: Any
    raised: bool
    n_negative_assumed: int
    n_dropped: int
    n_changed: int
    n_negative_underlying: int
    from_admitted: float
    from_dropped: float

    @property
    def applies(self) -> bool:
        """Whether every condition holds, so that the group cannot be harmed."""
        return (
            self.raised
            and self.n_negative_assumed == 0
            and self.n_dropped == 0
            and self.n_negative_underlying == 0
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {**asdict(self), "group": str(self.group), "applies": self.applies}


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityAgreement:
    """Whether two utilities name the same group as disadvantaged, and whether they must.

    Attributes
    ----------
    assumed_group, underlying_group : hashable or None
        Of least welfare without the condition in either utility; None where several share it.
    determined : bool
        Both lie below the others by more than their error.
    assumed_ratio : float
        Least over second least assumed welfare without the condition; NaN unless the second is
        above 0.
    alpha : float
        Smallest with ``1 / alpha <= v / u <= alpha`` at every row and outcome, u being the
        assumed and v the underlying utility, and 0 / 0 skipped; infinite where one of them is
        negative, or is 0 and the other is not: equal opportunity is 0 at y = 0.
    smallest_ratio, largest_ratio : float
        m and M, the least and the largest expected v over expected u among persons accepted
        without the condition; NaN where there is none.

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", section 3, Corollary 6; the form with m and M is fairrank's own.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 1, 0, 0.5, 0, 0], "demographic_parity", y_prob=[0.7, 0.7, 0.3, 1, 0, 0],
    ...     assumed_utility="equal_opportunity", sensitive_features=list("aaabbb"),
    ...     gain=1, loss=1, confidence_level=None,
    ... )
    >>> agreement = report.underlying["demographic_parity"].agreement
    >>> agreement.agree, agreement.alpha, agreement.scale_free_satisfied
    (False, inf, False)
    """

    assumed_group: Any
    underlying_group: Any
    determined: bool
    assumed_ratio: float
    alpha: float
    smallest_ratio: float
    largest_ratio: float

    @property
    def agree(self) -> bool | None:
        """Whether it is the same group on these rows; None where one of them has no lowest."""
        if self.assumed_group is None or self.underlying_group is None:
            return None
        return bool(self.assumed_group == self.underlying_group)

    @property
    def literal_bound(self) -> float:
        """``1 / alpha**2``: Corollary 6 asks for a ratio between 0 and this."""
        return self.alpha**-2.0

    @property
    def literal_satisfied(self) -> bool:
        """Whether Corollary 6 holds as the paper states it."""
        return bool(0.0 < self.assumed_ratio < self.literal_bound)

    @property
    def scale_free_bound(self) -> float:
        """``m / M``, whatever unit the utilities have; 0 where it says nothing."""
        m, largest = self.smallest_ratio, self.largest_ratio
        return m / largest if 0.0 < m <= largest < np.inf else 0.0

    @property
    def scale_free_satisfied(self) -> bool:
        """Whether the ratio of assumed welfare is so small that the utilities must agree."""
        return bool(0.0 <= self.assumed_ratio < self.scale_free_bound)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out = asdict(self)
        for name in ("assumed_group", "underlying_group"):
            out[name] = None if out[name] is None else str(out[name])
        return out | {
            name: getattr(self, name)
            for name in (
                "agree", "literal_bound", "literal_satisfied", "scale_free_bound",
                "scale_free_satisfied",
            )
        }


def group_guarantees(
    rows: DecidedRows, assumed: RowUtility, underlying: RowUtility, welfare: WelfareChange
) -> tuple[GroupGuarantee, ...]:
    """Check Theorem 4 and Lemma 5 in every group. O(n).

    Parameters
    ----------
    rows : DecidedRows
    assumed, underlying : RowUtility
    welfare : WelfareChange
        In the assumed utility.
    """
    moved = rows.after - rows.before
    counted = rows.weight > 0

    def count(marked: np.ndarray) -> list[int]:
        return np.bincount(
            rows.code[marked & counted], minlength=len(rows.labels)
        ).tolist()

    admitted = rows.mean(underlying.expected * np.maximum(moved, 0.0))
    dropped = rows.mean(underlying.expected * np.minimum(moved, 0.0))
    columns = {
        "group": rows.labels,
        "raised": (welfare.change >= 0.0).tolist(),
        "n_negative_assumed": count(assumed.expected < 0),
        "n_dropped": count(moved < 0),
        "n_changed": count(moved != 0),
        "n_negative_underlying": count((moved != 0) & (underlying.expected < 0)),
        "from_admitted": admitted.tolist(),
        "from_dropped": dropped.tolist(),
    }
    return tuple(
        GroupGuarantee(**dict(zip(columns, values)))
        for values in zip(*columns.values())
    )


def utility_agreement(
    rows: DecidedRows, assumed: RowUtility, underlying: RowUtility,
    in_assumed: WelfareChange, in_underlying: WelfareChange, base: float,
) -> UtilityAgreement:
    """Compare the two utilities where nobody is constrained. O(n).

    Parameters
    ----------
    rows : DecidedRows
    assumed, underlying : RowUtility
    in_assumed, in_underlying : WelfareChange
    base : float
        Assumed utility of being rejected, which the ratio of welfare is taken without.
    """
    least, second = np.sort(in_assumed.unconstrained - base)[:2]
    counted = rows.weight > 0
    accepted = counted & (rows.before > 0)
    low, high = _ratios(assumed.expected[accepted], underlying.expected[accepted])
    pointwise = [
        _ratios(u[counted], v[counted])
        for u, v in (
            (assumed.at_bad, underlying.at_bad), (assumed.at_good, underlying.at_good)
        )
    ]
    lows = [one for one, _ in pointwise if one == one]
    highs = [one for _, one in pointwise if one == one]
    alpha = np.inf
    if lows and min(lows) > 0:
        alpha = max(1.0, *highs, 1.0 / min(lows))
    return UtilityAgreement(
        assumed_group=in_assumed.disadvantaged_group,
        underlying_group=in_underlying.disadvantaged_group,
        determined=in_assumed.disadvantage_determined and in_underlying.disadvantage_determined,
        assumed_ratio=float(least / second) if second > SAME * abs(least) else float("nan"),
        alpha=float(alpha), smallest_ratio=low, largest_ratio=high,
    )


def _ratios(assumed: np.ndarray, underlying: np.ndarray) -> tuple[float, float]:
    """Smallest and largest underlying / assumed, 0 / 0 skipped; (-inf, inf) if assumed < 0."""
    if (assumed < 0).any():
        return -np.inf, np.inf
    some = (assumed != 0) | (underlying != 0)
    if not some.any():
        return float("nan"), float("nan")
    with np.errstate(divide="ignore", over="ignore"):
        ratio = underlying[some] / assumed[some]
    return float(ratio.min()), float(ratio.max())
