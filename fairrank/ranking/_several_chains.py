"""The hull solver for three and more groups: the bound, its order, and moves of runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fairrank.ranking._insertion import lagrangian_orders, reinserted
from fairrank.ranking._interleavings import Interleaving, Several, on_steps
from fairrank.ranking._local_search import by_degrees, finished, improved
from fairrank.ranking._orders import Objective
from fairrank.ranking._several_bound import Bound, pairwise_bound
from fairrank.ranking._several_prf import prf_dual
from fairrank.ranking._super_steps import even_cuts, fine_cuts, on_runs

# Above so many steps, runs of steps are moved, and single ones only beside the corners.
MAX_STEPS = 2500
# Below so many, every start is taken through all degrees, and gains are followed to rounding.
FEW_STEPS = 300
# Rounds of re-insertion for few steps.
N_ROUNDS = 20


@dataclass(frozen=True)
class SolvedSeveral:
    """An order of several chains with its certificate.

    Attributes
    ----------
    order : Interleaving
    value, bound : float
        Its worth, and what no order exceeds.
    proven : bool
        It is worth the bound.
    multipliers : ndarray, shape (G, G)
        Antisymmetric; of the signed problem that gives the bound.
    """

    order: Interleaving
    value: float
    bound: float
    proven: bool
    multipliers: np.ndarray


def bound_of(several: Several, objective: Objective) -> tuple[Bound, list[Interleaving]]:
    """The bound of the disparity at hand, and orders met on the way to it."""
    if several.disparity != "prf":
        return pairwise_bound(several, objective), []
    dual = prf_dual(several, objective)
    shares = (dual.shares[:, None] - dual.shares) / several.n_chains
    return Bound(dual.value, shares), dual.orders


def solve_several(several: Several, objective: Objective,
                  starts: Iterable[Interleaving] = ()) -> SolvedSeveral:
    """Best order of three and more chains that is found; none of `starts` is better."""
    bound, orders = bound_of(several, objective)
    mu = bound.multipliers
    starts = list(starts)
    side_by_side = several.by_keys(
        [np.linspace(1.0, 0.0, chain.n_steps + 2)[1:-1] for chain in several.steps]
    )
    signed_best = max(
        [reinserted(several, side_by_side, mu), *orders],
        key=lambda each: each.signed_worth(mu),
    )
    if several.start[-1] <= FEW_STEPS:
        order = _thorough(several, objective, mu, [signed_best, side_by_side, *orders, *starts])
    elif several.start[-1] <= MAX_STEPS:
        order = _searched(several, signed_best, objective, mu)
    else:
        order = _on_super_steps(several, signed_best, objective, mu)
    for start in starts:
        if start.worth(objective) > order.worth(objective):
            order = start
    value = order.worth(objective)
    return SolvedSeveral(
        order, value, max(value, bound.value), value >= bound.value - 1e-15, mu
    )


def _searched(several: Several, order: Interleaving, objective: Objective,
              mu: np.ndarray) -> Interleaving:
    quick = {"margin": 1e-9, "max_turns": 3, "max_sweeps": 5}
    order = by_degrees(several, order, objective, mu, **quick)
    return finished(several, order, objective, margin=1e-10, max_turns=4, max_sweeps=10)


def _on_super_steps(several: Several, order: Interleaving, objective: Objective,
                    mu: np.ndarray) -> Interleaving:
    """Runs of equal length first, then single steps about the corners of what was found."""
    cuts = even_cuts(several, order.sequence, MAX_STEPS)
    coarse = several.cut_at(cuts)
    found = _searched(coarse, coarse.judged(on_runs(order.sequence, cuts)), objective, mu)
    sequence = on_steps(found.sequence, cuts)
    for _ in range(2):
        cuts = fine_cuts(several, sequence)
        coarse = several.cut_at(cuts)
        found = coarse.judged(on_runs(sequence, cuts))
        found = finished(coarse, found, objective, margin=1e-10, max_turns=2, max_sweeps=5)
        sequence = on_steps(found.sequence, cuts)
    return several.judged(sequence)


def _thorough(several: Several, objective: Objective, mu: np.ndarray,
              starts: list[Interleaving]) -> Interleaving:
    """All starts, and the orders that re-insertion meets from the first, through all degrees."""
    found = [
        *starts,
        *lagrangian_orders(several, starts[0], mu, objective, N_ROUNDS),
        *lagrangian_orders(several, starts[1], np.zeros_like(mu), objective, N_ROUNDS),
    ]
    distinct = {each.sequence.tobytes(): each for each in found}
    best = max(found, key=lambda each: each.worth(objective))
    none = np.zeros_like(mu)
    for start in distinct.values():
        for way in (start, by_degrees(several, start, objective, mu)):
            order = finished(several, way, objective)
            order = improved(several, order, objective, none, np.inf)
            best = max(best, order, key=lambda each: each.worth(objective))
    return best
