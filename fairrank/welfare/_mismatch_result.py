"""Whom a welfare-equalizing policy helps and harms when people's utility is another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.welfare._mismatch_conditions import GroupGuarantee, UtilityAgreement
from fairrank.welfare._mismatch_revenue import RevenueChange
from fairrank.welfare._mismatch_text import mismatch_text, mismatch_verdict
from fairrank.welfare._mismatch_welfare import VERDICTS, WelfareChange


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UtilityMismatch:
    """What the policy does in one underlying utility.

    Attributes
    ----------
    name : str
    welfare : WelfareChange
        Expected.
    realised : WelfareChange or None
        By the outcomes that happened, where they were given.
    guarantees : tuple of GroupGuarantee
        Theorem 4 in every group.
    agreement : UtilityAgreement
        With the assumed utility on who is disadvantaged.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 0.5, 1, 0], {"a loan": [1, 1, 1, 1], "its size": [9, 4, 2, 1]},
    ...     y_prob=[0.9, 0.8, 0.6, 0.1], assumed_utility="demographic_parity",
    ...     sensitive_features=list("aabb"), gain=1, loss=1, confidence_level=None,
    ... )
    >>> report.underlying["its size"].welfare.change.tolist()
    [-1.0, 0.0]
    """

    name: str
    welfare: WelfareChange
    realised: WelfareChange | None
    guarantees: tuple[GroupGuarantee, ...]
    agreement: UtilityAgreement

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "name": self.name,
            "welfare": self.welfare.to_dict(),
            "realised": None if self.realised is None else self.realised.to_dict(),
            "guarantees": [one.to_dict() for one in self.guarantees],
            "agreement": self.agreement.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RealisedOutcome:
    """What happened on the same rows.

    Attributes
    ----------
    assumed : WelfareChange
    revenue : RevenueChange or None
        None where `revenue` was given instead of gain and loss.
    accepted_z, changed_z : ndarray, shape (n_groups,)
        Good cases beyond those that y_prob expects, in standard deviations, among persons that
        either policy accepts and among those whose decision changes; NaN where there are none.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 0.5, 1, 0], "demographic_parity", y_prob=[0.9, 0.8, 0.6, 0.1],
    ...     assumed_utility="demographic_parity", sensitive_features=list("aabb"),
    ...     gain=1, loss=1, y_true=[1, 0, 1, 0],
    ... )
    >>> report.realised.revenue.constrained, report.realised.accepted_z.round(2).tolist()
    (0.375, [-1.4, 0.82])
    """

    assumed: WelfareChange
    revenue: RevenueChange | None
    accepted_z: np.ndarray
    changed_z: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "assumed": self.assumed.to_dict(),
            "revenue": None if self.revenue is None else self.revenue.to_dict(),
            "accepted_z": self.accepted_z.tolist(),
            "changed_z": self.changed_z.tolist(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MismatchReport:
    """Whom equalizing one utility helps and harms in another.

    Attributes
    ----------
    groups : tuple
    share : ndarray, shape (n_groups,)
        P(A = a).
    n_samples : ndarray of int, shape (n_groups,)
        Rows.
    assumed_name : str
        What is equalized.
    assumed : WelfareChange
        Welfare in the utility that is equalized.
    underlying : dict of str to UtilityMismatch
        The same in the utilities that people have.
    revenue : RevenueChange
    admitted, dropped : ndarray, shape (n_groups,), in [0, 1]
        Share of a group's members who are accepted only with the condition, and only without it;
        one whose probability changes counts by the difference.
    realised : RealisedOutcome or None
        Where outcomes were given.
    confidence_level : float or None
        Of intervals and verdicts; None where the rows are everybody there is.

    Examples
    --------
    >>> from fairrank.welfare import mismatch_report
    >>> report = mismatch_report(
    ...     [1, 1, 0, 0.5, 0, 0], "demographic_parity", y_prob=[0.7, 0.7, 0.3, 1, 0, 0],
    ...     assumed_utility="equal_opportunity", sensitive_features=list("aaabbb"),
    ...     gain=1, loss=1, confidence_level=None,
    ... )
    >>> report
    MismatchReport(equal opportunity: price 27.8 %; demographic parity: harmed 'b')
    >>> report.harmed_groups("demographic_parity"), report.dropped.round(4).tolist()
    (('b',), [0.0, 0.1667])
    """

    groups: tuple
    share: np.ndarray
    n_samples: np.ndarray
    assumed_name: str
    assumed: WelfareChange
    underlying: dict[str, UtilityMismatch]
    revenue: RevenueChange
    admitted: np.ndarray
    dropped: np.ndarray
    realised: RealisedOutcome | None
    confidence_level: float | None

    def harmed_groups(self, name: str | None = None) -> tuple:
        """Name the groups that lose in one underlying utility, or in any of them.

        Parameters
        ----------
        name : str, optional
            One of `underlying`.

        Returns
        -------
        tuple
            Of groups, in the order of `groups`.
        """
        chosen = self.underlying if name is None else {name: self.underlying[name]}
        harmed = [one.welfare.groups_that_are("harmed") for one in chosen.values()]
        return tuple(group for group in self.groups if any(group in one for one in harmed))

    @property
    def verdict(self) -> str:
        """One line a utility: whom the condition helps and harms, and what is not determined.

        Where outcomes were given and contradict y_prob, it says so.
        """
        return mismatch_verdict(self)

    def summary(self) -> str:
        """Lay the report out as plain text.

        Returns
        -------
        str
            Lines of at most 99 columns, unless names are long.
        """
        return mismatch_text(self)

    def __str__(self) -> str:
        """Give the summary."""
        return self.summary()

    def to_table(self) -> dict[str, list]:
        """One row a utility and group, one list a column: ready for a data frame.

        Returns
        -------
        dict of str to list
            All of one length.

        Examples
        --------
        >>> from fairrank.welfare import mismatch_report
        >>> report = mismatch_report(
        ...     [1, 0.5, 1, 0], [3, 2, 1, 1], y_prob=[0.9, 0.8, 0.6, 0.1],
        ...     assumed_utility="demographic_parity", sensitive_features=list("aabb"),
        ...     gain=1, loss=1, confidence_level=None,
        ... )
        >>> table = report.to_table()
        >>> table["role"], table["group"]
        (['assumed', 'assumed', 'underlying', 'underlying'], ['a', 'b', 'a', 'b'])
        >>> table["change"]
        [-0.25, 0.0, -0.5, 0.0]
        """
        changes = [(self.assumed_name, "assumed", self.assumed)]
        changes += [
            (name, "underlying", one.welfare) for name, one in self.underlying.items()
        ]
        table: dict[str, list] = {"utility": [], "role": [], "group": [], "share": []}
        arrays = ("unconstrained", "constrained", "change", "standard_error", "low", "high")
        table |= {name: [] for name in (*arrays, "verdict", "admitted", "dropped")}
        for name, role, one in changes:
            table["utility"] += [name] * len(self.groups)
            table["role"] += [role] * len(self.groups)
            table["group"] += self.groups
            table["verdict"] += one.verdict
            for column in arrays:
                table[column] += getattr(one, column).tolist()
            for column in ("share", "admitted", "dropped"):
                table[column] += getattr(self, column).tolist()
        return table

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "groups": [str(group) for group in self.groups],
            "share": self.share.tolist(),
            "n_samples": self.n_samples.tolist(),
            "assumed_name": self.assumed_name,
            "assumed": self.assumed.to_dict(),
            "underlying": {name: one.to_dict() for name, one in self.underlying.items()},
            "revenue": self.revenue.to_dict(),
            "admitted": self.admitted.tolist(),
            "dropped": self.dropped.tolist(),
            "realised": None if self.realised is None else self.realised.to_dict(),
            "confidence_level": self.confidence_level,
            "verdict": self.verdict,
        }

    def __repr__(self) -> str:
        """State the price, and whom it helps and harms in every utility."""
        price = self.revenue.relative_price
        parts = [
            f"{self.assumed_name.replace('_', ' ')}: price "
            + (f"{100 * price:.1f} %" if price == price else f"{self.revenue.price:.4g}")
        ]
        for name, one in self.underlying.items():
            moved = [
                f"{word} {', '.join(map(repr, one.welfare.groups_that_are(word)))}"
                for word in VERDICTS
                if word != "unchanged" and one.welfare.groups_that_are(word)
            ]
            parts.append(f"{name.replace('_', ' ')}: {', '.join(moved) or 'nobody moved'}")
        return f"MismatchReport({'; '.join(parts)})"
