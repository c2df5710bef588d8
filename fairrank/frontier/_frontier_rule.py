"""Decisions in one direction as a rule for any row: who is treated, and what breaks ties."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fairrank._validation import as_array, as_finite_float, check_fraction
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._direction import as_direction
from fairrank.frontier._support_function import SupportFunction

# Sums of weights nearer than this are one.
SAME_SHARE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FrontierRule:
    """Decision 1 for rows whose k = sum of q_g delta_theta_g / mu_g is above a price.

    The group of a row is not asked for. Rows whose k is the price, but for rounding, are decided
    by lot or not treated; a row of zeros is never treated.

    Attributes
    ----------
    direction : ndarray, shape (n_groups,)
        q, in the order of `group_names`.
    group_shares : ndarray, shape (n_groups,)
        mu, the groups' shares where the rule was made.
    price : float
        At least 0, in units of k; 0 without a capacity that binds.
    tie_probability : float in [0, 1]
        Probability of decision 1 for rows whose k is the price; with `then`, for those of them
        that the direction turned a little towards `then` treats. 0 where k is 0 without `then`.
    group_names : tuple
        Groups in the order of coordinates.
    capacity : float in (0, 1] or None
        Largest share that may be treated, on the rows where the rule was made.
    then : ndarray, shape (n_groups,), or None
        Second direction, which tells apart rows whose k is 0.
    away_probability : float in [0, 1]
        Probability of decision 1 for rows whose k is 0, and that the direction turned away from
        `then` treats. 0 without `then`.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, frontier_rule
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> rule = frontier_rule(support, "rawlsian")
    >>> rule
    FrontierRule(direction 0 r, -1 b)
    >>> new = make_frontier_data(3, random_state=1)
    >>> print(rule.score(new.delta_theta(new.data)).round(2))
    [-0.22 -0.83  0.24]
    >>> rule.probability(new.delta_theta(new.data)).tolist()
    [0.0, 0.0, 1.0]
    """

    direction: np.ndarray
    group_shares: np.ndarray
    price: float
    tie_probability: float
    group_names: tuple
    capacity: float | None
    then: np.ndarray | None = None
    away_probability: float = 0.0

    def __repr__(self) -> str:
        """Weights of the groups, and the price of the capacity."""
        weights = ", ".join(
            f"{q:.4g} {name}" for q, name in zip(self.direction, self.group_names)
        )
        if self.capacity is None:
            return f"FrontierRule(direction {weights})"
        price = f"capacity {self.capacity:.4g}, price {self.price:.4g}"
        return f"FrontierRule(direction {weights}, {price})"

    def score(self, delta_theta: Any) -> np.ndarray:
        """Give k less the price: what decision 1 gains in q'risk, less what its place costs.

        Parameters
        ----------
        delta_theta : array-like of shape (n_samples, n_groups)
            Estimates of E[(loss_1 - loss_0) 1{group g} | X].

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of q times loss; exactly 0 where rounding is all that is left.
        """
        score, tied = self._compared(self._scaled(delta_theta))
        return np.where(tied, 0.0, score)

    def probability(self, delta_theta: Any) -> np.ndarray:
        """Give the probability of decision 1.

        Parameters
        ----------
        delta_theta : array-like of shape (n_samples, n_groups)
            Estimates of E[(loss_1 - loss_0) 1{group g} | X].

        Returns
        -------
        ndarray of shape (n_samples,)
            In [0, 1]; 0 or 1 but for ties.
        """
        return self._chance(self._scaled(delta_theta))

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value.tolist() if isinstance(value, np.ndarray)
            else list(map(str, value)) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    def _scaled(self, delta_theta: Any) -> np.ndarray:
        array = as_array(delta_theta, "delta_theta")
        if array.ndim != 2 or array.shape[1] != self.direction.size:
            raise ValueError(
                f"delta_theta has shape {array.shape}, and must have one column a group, in the "
                f"order {', '.join(map(repr, self.group_names))}."
            )
        finite = as_finite_float(array.ravel(), "delta_theta").reshape(array.shape)
        return finite / self.group_shares

    def _compared(self, scaled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give k less the price, and whether that is rounding."""
        score = _product(scaled, self.direction) - self.price
        return score, np.abs(score) <= _rounding(scaled, self.direction)

    def _chance(self, scaled: np.ndarray) -> np.ndarray:
        """Probability of decision 1 by delta_theta over the group shares."""
        score, tied = self._compared(scaled)
        chance = np.where(score > 0, 1.0, 0.0)
        if self.then is None:
            chance[tied] = self.tie_probability
            return chance
        side, aside = _product(scaled, self.then), _rounding(scaled, self.then)
        chance[tied] = 0.0
        chance[tied & (side > aside)] = self.tie_probability
        chance[tied & (side < -aside)] = self.away_probability
        return chance


def frontier_rule(
    support: SupportFunction, direction: Any, *, capacity: float | None = None
) -> FrontierRule:
    """Give the rule that attains a direction's support point, within a capacity if there is one.

    Without a capacity everybody with k > 0 is treated. With one, and if more than that share
    would be treated, those with the largest k are: k must be above a price, and those at the
    price are drawn so that the expected share is the capacity, exactly on these rows.

    Parameters
    ----------
    support : SupportFunction
        The rows that give the group shares, and the price.
    direction : str, array-like of shape (n_groups,) or Direction
        As `as_direction` has it.
    capacity : float in (0, 1], optional
        Largest share of all, by weight, that may be treated.

    Returns
    -------
    FrontierRule
        For any rows; on those of `support` it decides as `SupportFunction.decisions` does.

    Raises
    ------
    ValueError, TypeError
        No such direction, or a capacity outside (0, 1].

    Notes
    -----
    O(n), and O(n log n) where the capacity binds. The capacity is kept in expectation where the
    rule was made; among new rows the share is what it is.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "Support Function of the Feasible Set"; the capacity is fairrank's own.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, frontier_rule
    >>> data = make_frontier_data(5000, random_state=0)
    >>> delta_theta = data.delta_theta(data.data)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, delta_theta,
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> rule = frontier_rule(support, "utilitarian", capacity=0.25)
    >>> print(round(rule.price, 2), rule.probability(delta_theta).mean().round(12))
    0.32 0.25
    """
    found = as_direction(support, direction)
    share = support.group_shares
    free = FrontierRule(
        direction=found.q, group_shares=share, price=0.0,
        tie_probability=0.0 if found.then is None else found.part,
        group_names=support.group_names, capacity=None, then=found.then,
        away_probability=0.0 if found.then is None else 1.0 - found.part,
    )
    if capacity is None:
        return free
    return _within(free, support, check_fraction(capacity, "capacity"))


def _within(free: FrontierRule, support: SupportFunction, capacity: float) -> FrontierRule:
    """The rule with the price at which the capacity is kept, or with fewer of its ties."""
    sample = support._sample
    mass = sample.weight / sample.mass.sum()
    k, tied = free._compared(sample.scaled)
    above = (k > 0) & ~tied
    room = capacity - float(mass[above].sum())
    if room < -SAME_SHARE * capacity:
        return _at_price(free, sample.scaled, mass, capacity, np.where(above, k, -np.inf))
    asked = float((mass * free._chance(sample.scaled))[~above].sum())
    part = 1.0 if asked <= room + SAME_SHARE * capacity else max(room, 0.0) / asked
    return replace(
        free, capacity=capacity, tie_probability=part * free.tie_probability,
        away_probability=part * free.away_probability,
    )


def _at_price(
    free: FrontierRule, scaled: np.ndarray, mass: np.ndarray, capacity: float, k: np.ndarray
) -> FrontierRule:
    """The rule whose price is the k at which the capacity is used up."""
    order = np.argsort(-k, kind="stable")
    full = np.cumsum(mass[order]) >= capacity * (1.0 - SAME_SHARE)
    rule = replace(
        free, capacity=capacity, price=float(k[order[np.argmax(full)]]), then=None,
        tie_probability=1.0, away_probability=0.0,
    )
    score, tied = rule._compared(scaled)
    room = capacity - float(mass[(score > 0) & ~tied].sum())
    part = min(max(room / float(mass[tied].sum()), 0.0), 1.0)
    return replace(rule, tie_probability=part)


def _product(scaled: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Row by row, so that a row's k does not depend on the rows it comes with."""
    return (scaled * q).sum(axis=1)


def _rounding(scaled: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What rounding can make of a product that is 0."""
    return TIED * np.sqrt((scaled * scaled).sum(axis=1)) * np.sqrt(q @ q)
