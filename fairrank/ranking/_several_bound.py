"""What no order of several groups exceeds, from the pairs of groups one by one.

For multipliers mu, AUC - sum of mu D splits into what each pair of groups contributes by itself:
its part of AUC, counted once, and its own disparity. Let every pair choose its best order, whether
or not these orders fit together, and the sum is a bound for xAUC and URF.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from fairrank.ranking._hull import HullSolver, Kink, find_kink
from fairrank.ranking._interleavings import Several
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Pair

# Bisections of the price at which the pairs share the penalty.
BISECTIONS = 15


@dataclass(frozen=True)
class Bound:
    """A bound and where it was found.

    Attributes
    ----------
    value : float
        No order is worth more.
    multipliers : ndarray, shape (G, G)
        Antisymmetric; of the signed problem whose value it is.
    """

    value: float
    multipliers: np.ndarray


@dataclass(frozen=True)
class PairOfSeveral(Pair):
    """Two of several chains; AUC counts the pairs across these two only.

    Attributes
    ----------
    all_pairs : float
        Positives times negatives of all chains.
    """

    all_pairs: float

    @property
    def auc_pairs(self) -> float:
        """Positives times negatives, whatever the group."""
        return self.all_pairs

    def auc(self, counts: np.ndarray) -> float:
        """What an order of these two adds to the AUC of everybody."""
        return float((counts[0] + counts[1]) / self.all_pairs)


def pairwise_bound(several: Several, objective: Objective) -> Bound:
    """Sum over pairs of groups, at multipliers whose absolute values sum to the penalty at most.

    The sum is convex and separable: pairs share the penalty by one price, which acts like an
    allowance. Between the last two prices the multipliers are mixed so that nothing is left.
    """
    index = list(combinations(range(several.n_chains), 2))
    solvers = [
        HullSolver(
            PairOfSeveral(
                several.steps[g], several.steps[h], several.disparity, several.auc_pairs
            )
        )
        for g, h in index
    ]

    def at_price(price: float) -> list[Kink]:
        priced = Objective(objective.penalty, objective.allowance + price)
        return [find_kink(solver, priced) for solver in solvers]

    def spent(kinks: list[Kink]) -> float:
        return sum(abs(kink.multiplier) for kink in kinks)

    kinks = at_price(0.0)
    found = np.array([kink.multiplier for kink in kinks])
    if spent(kinks) > objective.penalty:
        low, high = 0.0, 1.0
        dear = at_price(high)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            now = at_price(middle)
            if spent(now) > objective.penalty:
                low, kinks = middle, now
            else:
                high, dear = middle, now
        found, cheap = (np.array([kink.multiplier for kink in each]) for each in (dear, kinks))
        left = objective.penalty - np.abs(found).sum()
        more = np.abs(cheap).sum() - np.abs(found).sum()
        if more > 0.0:
            found = found + min(left / more, 1.0) * (cheap - found)
    # Feasible whatever rounding did: only then it is a bound.
    total = np.abs(found).sum()
    if total > objective.penalty:
        found *= objective.penalty / total
    value = sum(chain.concordant for chain in several.steps) / several.auc_pairs
    multipliers = np.zeros((several.n_chains, several.n_chains))
    for (g, h), solver, mu in zip(index, solvers, found):
        value += solver.best(mu).value(mu) + objective.allowance * abs(mu)
        multipliers[g, h], multipliers[h, g] = mu, -mu
    return Bound(float(value), multipliers)
