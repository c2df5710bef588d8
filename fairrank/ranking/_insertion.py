"""Orders of several groups that are best for one group at a time, at moving multipliers.

With the other groups' order fixed and one multiplier a pair of groups, the best places of one
group's steps are found exactly by one planar merge. Going round the groups until nothing moves,
and moving the multipliers against the disparities that are left, gives good orders for xAUC and
URF, whose signed problem for three and more groups is not planar as a whole.
"""

from __future__ import annotations

import numpy as np

from fairrank._kernels.interleaving import insert_chain
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._orders import Objective

MAX_ROUNDS = 20
# Gains up to this are rounding.
MARGIN = 1e-13


def reinserted(several: Several, order: Interleaving, multipliers: np.ndarray) -> Interleaving:
    """Take every group out in turn and put it back at its best places, until none moves.

    Never worse than `order` by ``signed_worth``.
    """
    gain = several.gains(multipliers)
    value = order.signed_worth(multipliers)
    unmoved = g = 0
    for _ in range(MAX_ROUNDS * several.n_chains):
        sequence = insert_chain(
            order.sequence, several.blocks, several.start, g, np.ascontiguousarray(gain[g])
        )
        g = (g + 1) % several.n_chains
        unmoved += 1
        if sequence is not None and (sequence != order.sequence).any():
            found = several.judged(sequence)
            new_value = found.signed_worth(multipliers)
            if new_value > value + MARGIN:
                order, value, unmoved = found, new_value, 0
        if unmoved == several.n_chains:
            break
    return order


def projected(multipliers: np.ndarray, radius: float) -> np.ndarray:
    """The nearest antisymmetric matrix whose pairs' absolute values sum to at most `radius`."""
    upper = np.abs(multipliers[np.triu_indices_from(multipliers, 1)])
    if upper.sum() <= radius:
        return multipliers
    falling = np.sort(upper)[::-1]
    excess = (np.cumsum(falling) - radius) / np.arange(1, falling.size + 1)
    threshold = excess[np.flatnonzero(falling > excess)[-1]]
    return np.sign(multipliers) * np.maximum(np.abs(multipliers) - threshold, 0.0)


def lagrangian_orders(several: Several, order: Interleaving, multipliers: np.ndarray,
                      objective: Objective, n_rounds: int) -> list[Interleaving]:
    """Orders that re-insertion finds while the multipliers move by the disparities left.

    Steps are Polyak's, towards the best value at hand, and shrink.
    """
    penalty, allowance = objective.penalty, objective.allowance
    found = [order]
    best = order.worth(objective)
    if best < 0.0:  # Far from any allowance: a step towards it must not be endless.
        best = order.auc - 0.1
    for t in range(n_rounds):
        order = reinserted(several, order, multipliers)
        found.append(order)
        best = max(best, order.worth(objective))
        excess = order.signed - np.sign(multipliers) * allowance
        excess[(multipliers == 0.0) & (np.abs(order.signed) <= allowance)] = 0.0
        steepness = 0.5 * float((excess**2).sum())
        if steepness < 1e-24:
            break
        dual = order.signed_worth(multipliers) + 0.5 * allowance * np.abs(multipliers).sum()
        step = max(dual - best, 1e-5) / steepness / (1.0 + t / 10.0)
        multipliers = projected(multipliers + step * excess, penalty)
    return found
