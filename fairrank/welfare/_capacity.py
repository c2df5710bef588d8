"""Equal welfare when only so many can be accepted, or only so much can be lent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank._validation import check_choice
from fairrank.welfare._capacity_result import BestPaying, CapacityPolicy, PricedRule
from fairrank.welfare._expected_revenue import positive_amounts
from fairrank.welfare._group_frontier import TIED
from fairrank.welfare._policy import policy_solver
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._policy_sample import PolicySample, policy_sample
from fairrank.welfare._policy_values import values_of
from fairrank.welfare._smoothing import SmoothedRule, revenue_scale
from fairrank.welfare._threshold_rule import nobody_constrained

MOST_SWEEPS = 200
CLOSED = 1e-13


def capacity_constrained_policy(
    revenue: Any,
    utility: Any,
    *,
    sensitive_features: Any,
    capacity: float,
    use: Any = 1.0,
    sample_weight: Any = None,
    tolerance: float = 0.0,
    smoothing: float = 0.0,
    method: str = "sweep",
    search_tol: float = 1e-6,
    missing: str = "raise",
) -> CapacityPolicy:
    """Find the policy of largest revenue that equalizes welfare and stays within a capacity.

    Parameters
    ----------
    revenue, utility : array-like of shape (n_samples,)
        As in `welfare_optimal_policy`.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    capacity : float
        Largest mean use per person, above 0: with ``use=1`` the share of people that can be
        accepted, with amounts what can be lent per applicant.
    use : float or array-like of shape (n_samples,), default=1.0
        What accepting each person takes of the capacity; above 0.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative.
    tolerance : float, default=0.0
        Largest difference between the groups' welfare.
    smoothing : float in [0, 1), default=0.0
        As in `welfare_optimal_policy`; shifts are relative to the largest ``|revenue|`` before
        any price.
    method : {"sweep", "linprog", "search"}, default="sweep"
        As there.
    search_tol : float in (0, 1), default=1e-6
        For "search".
    missing : {"raise", "group"}, default="raise"
        Rows whose group is None or NaN: an error, or a group of their own.

    Returns
    -------
    CapacityPolicy
        The policy with its values and bound, what is used, and the price of the capacity.

    Raises
    ------
    DegenerateGroupError, ValueError, TypeError
        As in `welfare_optimal_policy`.

    Notes
    -----
    The capacity has a price mu: for a given one the policy is that of revenue less
    ``mu * use``. The dual function is convex in mu, with a line for every policy; from a policy
    that uses too much and one that uses too little, mu goes to where their lines cross, until no
    policy is above both. Then both are optimal at that price, and so is the mixture that meets
    the capacity. ``policy.upper_bound`` is the least value of the dual that was seen. Each price
    costs one solution; some 10 to 50 are needed. Rejecting everybody is always within the
    capacity, so that there is a policy.

    A smoothed policy is not the best at its price: there the price is halved in until the
    capacity is met, and `policy.upper_bound` is of all policies, smoothed or not.

    References
    ----------
    The capacity is fairrank's own addition to Ben-Porat, Sandomirskiy, Tennenholtz.

    Examples
    --------
    >>> from fairrank.welfare import capacity_constrained_policy
    >>> found = capacity_constrained_policy(
    ...     [0.5, 0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=list("aabb"), capacity=0.25
    ... )
    >>> found.policy.acceptance.tolist()
    [0.5, 0.0, 0.5, 0.0]
    """
    check_choice(missing, ("raise", "group"), "missing")
    sample = policy_sample(
        revenue, utility, sensitive_features=sensitive_features, sample_weight=sample_weight,
        missing=missing,
    )
    if sample.is_menu:
        raise ValueError("capacity takes one option beside rejection, got several in revenue.")
    if not np.isscalar(capacity) or isinstance(capacity, str) or not 0 < capacity < np.inf:
        raise ValueError(f"capacity must be a number above 0, got {capacity!r}.")
    n = sample.code.size
    used = np.broadcast_to(positive_amounts(use, "use", n), (n,))
    solver = policy_solver(tolerance, smoothing, method, search_tol)
    size = revenue_scale(sample) if smoothing else None

    def solve(price: float) -> WelfarePolicy:
        net = replace(sample, revenue=sample.revenue - price * used)
        return solver.solve(net, scale_of_revenue=size)

    found = _priced(sample, used, float(capacity), solve, shift=smoothing * size if size else 0.0)
    chosen = np.zeros(n)
    for point in found.points:
        chosen += point.part * point.policy.acceptance
    free = _within_capacity(sample, used, float(capacity))
    free_accepted = free.acceptance(sample.revenue, used)
    values = values_of(sample, chosen)
    bound = max(found.bound, values.total_revenue)
    main = max(found.points, key=lambda point: point.part)
    return CapacityPolicy(
        policy=replace(
            main.policy, acceptance=chosen, values=values,
            unconstrained=values_of(sample, free_accepted), upper_bound=bound,
            optimality_gap=bound - values.total_revenue,
            capacity_price=found.price if found.binds else None,
        ),
        capacity=float(capacity), used=_mean(sample, chosen * used), shadow_price=found.price,
        parts=tuple(
            PricedRule(part=point.part, price=point.price, rule=point.policy.rule)
            for point in found.points
        ),
        free_rule=free,
    )


@dataclass(slots=True)
class _Point:
    """A solution at a price: its line is ``revenue - price * used``."""

    price: float
    policy: WelfarePolicy
    revenue: float
    used: float
    part: float = 1.0


@dataclass(slots=True)
class _Priced:
    price: float
    points: list[_Point]
    bound: float
    binds: bool = True


def _mean(sample: PolicySample, values: np.ndarray) -> float:
    if not sample.weight.size:
        return float(values.mean())
    return float((sample.weight * values).sum() / sample.weight.sum())


def _priced(
    sample: PolicySample, used: np.ndarray, capacity: float,
    solve: Callable[[float], WelfarePolicy], *, shift: float,
) -> _Priced:
    """Prices on both sides of that at which the capacity is met, and what to mix of each.

    `shift` is the largest of revenue where the policy is smoothed, and 0 where it is not.
    """

    def at(price: float) -> tuple[_Point, float]:
        policy = solve(price)
        return _point(sample, used, price, policy), policy.upper_bound + price * capacity

    most, bound = at(0.0)
    if most.used <= capacity:
        return _Priced(0.0, [most], bound, binds=False)
    least = _nobody(sample, used, _price_nobody_pays(sample, used, shift), solve)
    # Of what is added up; rows without weight are not.
    scale = _mean(sample, most.policy.acceptance * np.abs(sample.revenue))
    price = least.price
    # Invariant: most.used > capacity >= least.used, so that the parts lie in [0, 1].
    for sweep in range(MOST_SWEEPS):
        low, high = most.price, least.price
        if not shift:
            price = _crossing(most, least)
        if shift or not low < price < high or sweep % 4 == 3:
            price = 0.5 * (low + high)
        if not low < price < high:
            break
        point, other = at(price)
        bound = min(bound, other)
        _mix(most, least, capacity)
        reached = most.part * most.revenue + least.part * least.revenue
        if not shift and bound - reached <= CLOSED * scale:
            break
        if point.used > capacity:
            most = point
        else:
            least = point
        if shift and most.used - least.used <= CLOSED * capacity:
            break
    _mix(most, least, capacity)
    if not shift:
        price = max(_crossing(most, least), 0.0)
    points = [one for one in (most, least) if one.part > 0]
    return _Priced(float(price), points, bound)


def _point(
    sample: PolicySample, used: np.ndarray, price: float, policy: WelfarePolicy
) -> _Point:
    return _Point(
        price, policy, _mean(sample, policy.acceptance * sample.revenue),
        _mean(sample, policy.acceptance * used),
    )


def _crossing(most: _Point, least: _Point) -> float:
    """The price at which both lines are equally high."""
    return (most.revenue - least.revenue) / (most.used - least.used)


def _price_nobody_pays(sample: PolicySample, used: np.ndarray, shift: float) -> float:
    """A price above 0 at which accepting anybody costs, even with the largest shift.

    Rejecting everybody, which is equal welfare, is then the best policy whatever the utilities.
    """
    counted = sample.weight > 0 if sample.weight.size else slice(None)
    revenue, use = sample.revenue[counted], used[counted]
    with np.errstate(over="ignore"):
        price = 2.0 * float(((revenue + shift) / use).max())
        if price <= 0.0:
            # Accepting costs at any price; one in the unit of revenue does not underflow.
            price = (float(np.abs(revenue).max()) or 1.0) / float(use.max())
        overflows = not np.isfinite(price * used.max())
    if overflows or price == 0.0:
        raise ValueError(
            f"revenue / use goes beyond floating point: use lies between {used.min():.3g} and "
            f"{used.max():.3g}. Give both in units in which they are near 1."
        )
    return price


def _nobody(
    sample: PolicySample, used: np.ndarray, price: float,
    solve: Callable[[float], WelfarePolicy],
) -> _Point:
    """The policy at a price that nobody pays, exact where a solution rounds."""
    policy = solve(price)
    rule = policy.rule
    if isinstance(rule, SmoothedRule):
        rule = replace(rule, multiplier=np.zeros(sample.n_groups))
    else:
        rule = nobody_constrained(sample.n_groups)
    accepted = rule.acceptance(sample.revenue - price * used, sample.utility, sample.code)
    return _point(sample, used, price, replace(policy, rule=rule, acceptance=accepted))


def _mix(most: _Point, least: _Point, capacity: float) -> None:
    most.part = (capacity - least.used) / (most.used - least.used)
    least.part = 1.0 - most.part


def _within_capacity(sample: PolicySample, used: np.ndarray, capacity: float) -> BestPaying:
    """The lender's own choice: the most revenue for what is used, as far as it goes."""
    weight = sample.weight if sample.weight.size else np.ones(used.size)
    paying = np.flatnonzero((sample.revenue > 0) & (weight > 0))
    rate = sample.revenue[paying] / used[paying]
    mass = (weight * used)[paying] / weight.sum()
    order = np.argsort(-rate, kind="stable")
    total = np.cumsum(mass[order])
    if not total.size or total[-1] <= capacity:
        return BestPaying(price=0.0, part=0.0)
    price = float(rate[order[np.searchsorted(total, capacity, "left")]])
    near = np.abs(rate - price) <= TIED * price
    room = capacity - float(mass[~near & (rate > price)].sum())
    return BestPaying(price=price, part=float(np.clip(room / mass[near].sum(), 0.0, 1.0)))
