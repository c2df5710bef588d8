"""unaware_policy: the best policy that does not see the group, and what it does to everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import check_probability, check_same_length
from fairrank.welfare._expected_revenue import expected_revenue
from fairrank.welfare._mismatch_decisions import check_terms_given
from fairrank.welfare._policy_result import SAME, WelfarePolicy
from fairrank.welfare._policy_sample import PolicySample, policy_sample
from fairrank.welfare._policy_values import PolicyValues, unconstrained_choice, values_of
from fairrank.welfare._utilities import expected_utility


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class UnawarePolicy:
    """The best policy of a lender who must not see the group.

    Attributes
    ----------
    groups : tuple
    share : ndarray, shape (n_groups,)
    acceptance : ndarray, shape (n_samples,)
        1 where the group-blind model expects a profit, 0 elsewhere.
    values : PolicyValues
        What it comes to under the model that sees the group.
    unconstrained : PolicyValues
        The same of the lender's own policy, which sees the group.
    equalizing : PolicyValues or None
        The same of the welfare-equalizing policy, where one was given.
    promised_revenue : float
        Revenue per person that the group-blind model expects of its policy. It is
        ``values.total_revenue`` where that model is the mean of the other over the groups.

    Examples
    --------
    >>> from fairrank.welfare import unaware_policy
    >>> unaware = unaware_policy(
    ...     [0.5, 0.5, 0.8, 0.8], [0.9, 0.1, 0.8, 0.8], sensitive_features=list("abab")
    ... )
    >>> unaware
    UnawarePolicy(revenue 0.5 -> 0.3, welfare gap 0.5 -> 0, harmed: 'a')
    """

    groups: tuple
    share: np.ndarray
    acceptance: np.ndarray
    values: PolicyValues
    unconstrained: PolicyValues
    equalizing: PolicyValues | None
    promised_revenue: float

    @property
    def price_of_unawareness(self) -> float:
        """Revenue per person that not seeing the group costs."""
        return self.unconstrained.total_revenue - self.values.total_revenue

    @property
    def harmed_groups(self) -> tuple:
        """Groups whose welfare is smaller than under the lender's own policy."""
        return self._moved(self.unconstrained.welfare - self.values.welfare)

    @property
    def helped_groups(self) -> tuple:
        """Groups whose welfare is larger than under the lender's own policy."""
        return self._moved(self.values.welfare - self.unconstrained.welfare)

    @property
    def harms_everybody(self) -> bool:
        """Whether every group and the lender are worse off."""
        same = SAME * max(abs(self.unconstrained.total_revenue), abs(self.values.total_revenue))
        return len(self.harmed_groups) == len(self.groups) and self.price_of_unawareness > same

    def to_table(self) -> dict[str, list]:
        """One row a policy and group, one list a column: ready for a data frame.

        Returns
        -------
        dict of str to list
            All of one length.

        Examples
        --------
        >>> from fairrank.welfare import unaware_policy
        >>> unaware = unaware_policy(
        ...     [0.5, 0.5, 0.8, 0.8], [0.9, 0.1, 0.8, 0.8], sensitive_features=list("abab")
        ... )
        >>> unaware.to_table()["policy"], unaware.to_table()["welfare"]
        (['unconstrained', 'unconstrained', 'unaware', 'unaware'], [1.0, 0.5, 0.5, 0.5])
        """
        named = self._named()
        n_groups = len(self.groups)
        return {
            "policy": [name for name in named for _ in range(n_groups)],
            "group": list(self.groups) * len(named),
            **{
                column: [x for one in named.values() for x in getattr(one, column).tolist()]
                for column in ("welfare", "revenue", "acceptance_rate")
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; without acceptance of the rows."""
        return {
            "groups": [str(group) for group in self.groups],
            "share": self.share.tolist(),
            **{name: one.to_dict() for name, one in self._named().items()},
            "promised_revenue": self.promised_revenue,
            "price_of_unawareness": self.price_of_unawareness,
            "harmed_groups": [str(group) for group in self.harmed_groups],
            "helped_groups": [str(group) for group in self.helped_groups],
            "harms_everybody": self.harms_everybody,
        }

    def __repr__(self) -> str:
        """State revenue, the welfare gap, and whom it moves."""
        moved = "".join(
            f", {word}: {', '.join(map(repr, groups))}"
            for word, groups in (("helped", self.helped_groups), ("harmed", self.harmed_groups))
            if groups
        )
        return (
            f"UnawarePolicy(revenue {self.unconstrained.total_revenue:.4g} -> "
            f"{self.values.total_revenue:.4g}, welfare gap {self.unconstrained.welfare_gap:.4g} "
            f"-> {self.values.welfare_gap:.4g}{moved})"
        )

    def _named(self) -> dict[str, PolicyValues]:
        named = {
            "unconstrained": self.unconstrained, "unaware": self.values,
            "equalizing": self.equalizing,
        }
        return {name: one for name, one in named.items() if one is not None}

    def _moved(self, by: np.ndarray) -> tuple:
        scale = max(np.abs(self.unconstrained.welfare).max(), np.abs(self.values.welfare).max())
        return tuple(self.groups[g] for g in np.flatnonzero(by > SAME * scale))


def unaware_policy(
    y_prob_unaware: Any,
    y_prob: Any,
    utility: Any = "demographic_parity",
    *,
    sensitive_features: Any,
    gain: Any = None,
    loss: Any = None,
    amount: Any = None,
    scale: str = "attainable",
    sample_weight: Any = None,
    policy: WelfarePolicy | None = None,
) -> UnawarePolicy:
    """Value the best policy that does not see the group, beside those that do.

    Parameters
    ----------
    y_prob_unaware : array-like of shape (n_samples,), in [0, 1]
        P(Y = 1 | X) from a model that sees neither the group nor anything computed from it.
    y_prob : array-like of shape (n_samples,), in [0, 1]
        P(Y = 1 | X, A) from a model that sees the group; all policies are valued under it.
    utility : str or array-like, default="demographic_parity"
        Of being accepted, as `expected_utility` takes it.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    gain, loss : float or array-like of shape (n_samples,), optional
        What a good case brings and a bad one costs; they must not tell the group either. 1
        without a `policy`; beside one, the terms that it was made with must be passed.
    amount : float or array-like of shape (n_samples,), optional
        For "heterogeneous_opportunity".
    scale : {"attainable", "amount"}, default="attainable"
        See `expected_utility`.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative.
    policy : WelfarePolicy, optional
        A policy that equalizes this utility, to be valued on these rows as well.

    Returns
    -------
    UnawarePolicy
        Acceptance of every row, and what it and the others come to.

    Raises
    ------
    DegenerateGroupError
        One group only, a group without weight, or one in which no good case is expected.
    UnseenGroupError
        `policy` does not know a group.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    mismatch_report : The same question of a policy that equalizes welfare.

    Notes
    -----
    It accepts iff ``y_prob_unaware > loss / (gain + loss)``. Nothing makes it good for anybody:
    where X means one thing in one group and another in the other, it can take from both groups
    and from the lender (Example 10). O(n).

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", Appendix C.

    Examples
    --------
    Example 10 of the paper: X is a good sign in one group and a bad one in the other.

    >>> from fairrank.welfare import unaware_policy
    >>> unaware = unaware_policy(
    ...     [1 / 2, 1 / 2, 1 / 2, 1 / 2], [2 / 3, 1 / 3, 1 / 3, 2 / 3],
    ...     sensitive_features=[0, 0, 1, 1], gain=2, loss=3,
    ... )
    >>> unaware
    UnawarePolicy(revenue 0.1667 -> 0, welfare gap 0 -> 0, harmed: 0, 1)
    >>> unaware.harms_everybody
    True
    """
    if policy is not None:
        check_terms_given(gain, loss)
    gain, loss = (1.0 if term is None else term for term in (gain, loss))
    blind = check_probability(y_prob_unaware, "y_prob_unaware")
    seeing = check_probability(y_prob, "y_prob")
    check_same_length(y_prob_unaware=blind, y_prob=seeing)
    revenue = expected_revenue(seeing, gain, loss)
    worth = expected_utility(
        utility, seeing, sensitive_features=sensitive_features, amount=amount,
        sample_weight=sample_weight, scale=scale,
    )
    sample = policy_sample(
        revenue, worth, sensitive_features=sensitive_features, sample_weight=sample_weight
    )
    expected = expected_revenue(blind, gain, loss)
    acceptance = (expected > 0).astype(np.float64)
    weight = sample.weight if sample.weight.size else None
    return UnawarePolicy(
        groups=sample.labels, share=sample.share, acceptance=acceptance,
        values=values_of(sample, acceptance),
        unconstrained=values_of(sample, unconstrained_choice(sample)),
        equalizing=None if policy is None else _valued(policy, sample, sensitive_features),
        promised_revenue=float(np.average(expected * acceptance, weights=weight)),
    )


def _valued(policy: WelfarePolicy, sample: PolicySample, sensitive_features: Any) -> PolicyValues:
    if policy.acceptance.ndim == 2:
        raise ValueError(
            f"policy chooses among {policy.acceptance.shape[1]} options: pass one that accepts or "
            "rejects, with one utility of rejection for all."
        )
    acceptance = policy.acceptance_probability(
        sample.revenue, sample.utility, sensitive_features=sensitive_features
    )
    return values_of(sample, acceptance)
