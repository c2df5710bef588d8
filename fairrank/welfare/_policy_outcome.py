"""What a policy came to, by probabilities (promised) or by what happened (realized)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fairrank.welfare._lending_terms import LendingTerms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PolicyOutcome:
    """Revenue and welfare of a policy beside those without the condition.

    Attributes
    ----------
    groups : tuple
    n_rows : ndarray of int, shape (n_groups,)
    welfare, welfare_unconstrained : ndarray, shape (n_groups,)
        NaN for a group without a good case where the utility needs one.
    welfare_standard_error, welfare_unconstrained_standard_error : ndarray, shape (n_groups,)
        For the given decisions, by the delta method: welfare is a ratio where its scale comes
        from the same rows.
    acceptance_rate, acceptance_rate_unconstrained : ndarray, shape (n_groups,)
    revenue, revenue_unconstrained : ndarray, shape (n_groups,)
        Per person of the group.
    total_revenue, total_revenue_unconstrained, price_of_fairness : float
        Per person of everybody; the price is their difference.
    total_revenue_standard_error, price_of_fairness_standard_error : float

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank.welfare import WelfareEqualizingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=2000), rng.random(2000) < 0.4])
    >>> y = (X.sum(axis=1) + rng.normal(size=2000) > 0.5).astype(int)
    >>> lender = WelfareEqualizingClassifier(
    ...     LogisticRegression(), sensitive_features=1, random_state=0
    ... ).fit(X, y)
    >>> round(lender.promised_.total_revenue, 4), round(lender.promised_.price_of_fairness, 4)
    (0.2227, 0.0364)
    >>> held_out = lender.held_out_realized_
    >>> round(held_out.total_revenue, 4), round(held_out.total_revenue_standard_error, 4)
    (0.2035, 0.0145)
    >>> held_out.welfare.round(4).tolist()
    [0.4592, 0.4649]
    """

    groups: tuple
    n_rows: np.ndarray
    welfare: np.ndarray
    welfare_standard_error: np.ndarray
    welfare_unconstrained: np.ndarray
    welfare_unconstrained_standard_error: np.ndarray
    acceptance_rate: np.ndarray
    acceptance_rate_unconstrained: np.ndarray
    revenue: np.ndarray
    revenue_unconstrained: np.ndarray
    total_revenue: float
    total_revenue_standard_error: float
    total_revenue_unconstrained: float
    price_of_fairness: float
    price_of_fairness_standard_error: float

    @property
    def welfare_gap(self) -> float:
        """Largest difference of two groups' welfare."""
        return float(np.ptp(self.welfare))

    @property
    def relative_price_of_fairness(self) -> float:
        """The price as a part of the revenue without the condition; NaN where there is none."""
        free = self.total_revenue_unconstrained
        return self.price_of_fairness / free if free > 0 else float("nan")

    def to_table(self) -> dict[str, list]:
        """One list a column and one entry a group: ready for a data frame.

        Returns
        -------
        dict of str to list
            The attributes that have one value a group.
        """
        return {
            "group": list(self.groups),
            **{
                field.name: getattr(self, field.name).tolist()
                for field in fields(self)
                if isinstance(getattr(self, field.name), np.ndarray)
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "table": {**self.to_table(), "group": [str(group) for group in self.groups]},
            **{
                field.name: getattr(self, field.name)
                for field in fields(self)
                if isinstance(getattr(self, field.name), float)
            },
            "welfare_gap": self.welfare_gap,
            "relative_price_of_fairness": self.relative_price_of_fairness,
        }

    def __repr__(self) -> str:
        """State revenue, its price, and welfare, with standard errors."""
        welfare = ", ".join(
            f"{group!r}: {value:.4g} ± {error:.1g}"
            for group, value, error in zip(
                self.groups, self.welfare, self.welfare_standard_error
            )
        )
        return (
            f"PolicyOutcome(revenue {self.total_revenue:.4g} ± "
            f"{self.total_revenue_standard_error:.1g}, price {self.price_of_fairness:.4g} ± "
            f"{self.price_of_fairness_standard_error:.1g}, welfare {{{welfare}}})"
        )


def policy_outcome(
    terms: LendingTerms, good: np.ndarray, accepted: np.ndarray, free: np.ndarray,
    code: np.ndarray, labels: tuple, weight: np.ndarray | None,
) -> PolicyOutcome:
    """Revenue and welfare with standard errors. O(n).

    Parameters
    ----------
    good : ndarray, shape (n,)
        P(Y = 1) of each row, or its outcome.
    accepted, free : ndarray, shape (n,)
        Probability of acceptance by the policy, and without the condition.
    code : ndarray of int, shape (n,)
    weight : ndarray, shape (n,), or None
        Whole numbers are repetitions.
    """
    earned = terms.revenue(good)
    worth, base = terms.worth(good)
    one = np.ones(good.size)
    by_group = []
    for g in range(len(labels)):
        own = code == g
        w = None if weight is None else weight[own]
        chosen, unchosen = accepted[own], free[own]
        with_it = ratio(chosen * worth[own], base[own], w)
        without = ratio(unchosen * worth[own], base[own], w)
        by_group.append(
            (
                *with_it, *without,
                *(
                    ratio(values, one[own], w)[0]
                    for values in (
                        chosen, unchosen, chosen * earned[own], unchosen * earned[own]
                    )
                ),
            )
        )
    columns = np.array(by_group).reshape(-1, 8).T
    total, total_error = ratio(accepted * earned, one, weight)
    price, price_error = ratio((free - accepted) * earned, one, weight)
    return PolicyOutcome(
        groups=labels, n_rows=np.bincount(code, minlength=len(labels)),
        welfare=columns[0], welfare_standard_error=columns[1],
        welfare_unconstrained=columns[2], welfare_unconstrained_standard_error=columns[3],
        acceptance_rate=columns[4], acceptance_rate_unconstrained=columns[5],
        revenue=columns[6], revenue_unconstrained=columns[7],
        total_revenue=total, total_revenue_standard_error=total_error,
        total_revenue_unconstrained=ratio(free * earned, one, weight)[0],
        price_of_fairness=price, price_of_fairness_standard_error=price_error,
    )


def ratio(
    numerator: np.ndarray, denominator: np.ndarray, weight: np.ndarray | None
) -> tuple[float, float]:
    """``sum(w numerator) / sum(w denominator)`` and its standard error by linearization.

    Weights of whole numbers are repetitions of a row, others the mass of one. NaN for 0 / 0.
    """
    w = np.ones(numerator.size) if weight is None else weight.astype(np.float64)
    below = float(w @ denominator)
    if not below > 0:
        return float("nan"), float("nan")
    value = float(w @ numerator) / below
    rest = numerator - value * denominator
    repeated = weight is None or weight.dtype.kind in "biu"
    spread = float((w if repeated else w * w) @ (rest * rest))
    return value, float(np.sqrt(spread)) / below
