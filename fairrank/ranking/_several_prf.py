"""PRF of several groups: the signed problem is planar, and its dual bounds the other.

PRF compares each group's positives with everybody's negatives, so a multiplier m_g for every
group, with sum 0, makes a positive of g weigh ``1 / (n1 n0) - m_g / (n1_g n0)``: steps are planar
vectors (negatives, weighted positives), each group pools to its hull, and all hulls merge by
direction. Exact, for any number of groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import linprog

from fairrank._kernels.chain import pool_chain
from fairrank.ranking._interleavings import Interleaving, Several, on_steps
from fairrank.ranking._orders import Objective

MAX_CUTS = 300
# So many cuts without a better value end the search, too.
MAX_IDLE = 25
# The next cut is made this far from the best point towards the programme's.
INWARD = 0.3
# The dual is minimised when it is known up to this.
AGREEMENT = 1e-8
# Multipliers are looked for within this, and farther out while they end at its edge.
FIRST_RADIUS, FARTHER = 2.0, 8.0


class PlanarSolver:
    """Best orders for any multiplier a group; each pooling is made once.

    Parameters
    ----------
    several : Several
        Its disparity is PRF.
    """

    def __init__(self, several: Several):
        self.several = several
        self._pooled = lru_cache(maxsize=None)(self._pool)

    def _pool(self, g: int, turn: int) -> tuple[np.ndarray, np.ndarray]:
        chain = self.several.steps[g]
        cut = pool_chain(chain.negative, chain.positive, turn)
        return cut, chain.blocks(cut)

    def best(self, shares: np.ndarray) -> Interleaving:
        """The order that maximises AUC - sum of shares * PRF of the groups."""
        several = self.several
        weight = 1.0 - several.auc_pairs * shares * several.per_chain
        cuts, slopes = [], []
        for g, of_positive in enumerate(weight):
            cut, blocks = self._pooled(g, int(np.sign(of_positive)))
            rise = of_positive * blocks[:, 1]
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = rise / blocks[:, 0]
            # A vector of length 0 may stand anywhere.
            slopes.append(np.where(np.isnan(slope), 0.0, slope))
            cuts.append(cut)
        chain = np.repeat(np.arange(several.n_chains), [cut.size - 1 for cut in cuts])
        merged = chain[np.argsort(-np.concatenate(slopes), kind="stable")]
        judged = several.cut_at(cuts).judged(merged)
        return Interleaving(on_steps(merged, cuts), judged.auc, judged.signed)


@dataclass(frozen=True)
class Dual:
    """The least value of the dual that was found, and the orders met on the way.

    Attributes
    ----------
    value : float
        No order is worth more.
    shares : ndarray, shape (G,)
        Of the groups; their sum is 0.
    orders : list of Interleaving
    """

    value: float
    shares: np.ndarray
    orders: list[Interleaving]


def prf_dual(several: Several, objective: Objective) -> Dual:
    """Minimise max over orders of AUC - sum of m PRF by cutting planes.

    The largest difference of PRF, times the penalty, is the largest sum of m PRF over m with sum 0
    whose positive part sums to the penalty; an allowance is paid back on that part.
    """
    solver = PlanarSolver(several)
    radius = min(FIRST_RADIUS, objective.penalty)
    orders: list[Interleaving] = []
    here = best_shares = np.zeros(several.n_chains)
    best, idle = np.inf, 0
    for _ in range(MAX_CUTS):
        order = solver.best(here)
        orders.append(order)
        value = (order.auc - here @ order.signed[:, 0]
                 + objective.allowance * np.maximum(here, 0.0).sum())
        idle += 1
        if value < best:
            idle = 0 if value < best - AGREEMENT else idle
            best, best_shares = value, here
        least, cheapest = _programme(orders, objective.allowance, radius)
        if best - least <= AGREEMENT or idle >= MAX_IDLE:
            if best_shares.clip(0.0).sum() < 0.99 * radius or radius >= objective.penalty:
                break
            radius, idle = min(FARTHER * radius, objective.penalty), 0
            continue
        here = INWARD * cheapest + (1.0 - INWARD) * best_shares
    return Dual(best, best_shares, orders)


def _programme(orders: list[Interleaving], allowance: float,
               radius: float) -> tuple[float, np.ndarray]:
    """Least height over all cuts, and where: what the dual is at least."""
    # PRF up to a constant, which multipliers with sum 0 do not see.
    favours = np.array([order.signed[:, 0] for order in orders])
    n_cuts, n = favours.shape
    # Variables: the positive and the negative part of m, and the height.
    found = linprog(
        np.concatenate((np.full(n, allowance), np.zeros(n), [1.0])),
        A_ub=np.vstack((
            np.column_stack((-favours, favours, np.full(n_cuts, -1.0))),
            np.repeat([1.0, 0.0], [n, n + 1]),
        )),
        b_ub=[*(-order.auc for order in orders), radius],
        A_eq=np.repeat([1.0, -1.0, 0.0], [n, n, 1])[None],
        b_eq=[0.0],
        bounds=[(0.0, None)] * (2 * n) + [(None, None)],
        method="highs",
    )
    if found.x is None:
        return -np.inf, np.zeros(n)
    return float(found.fun), found.x[:n] - found.x[n : 2 * n]
