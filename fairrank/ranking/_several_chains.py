"""The hull solver for three and more groups: the bound, its order, and moves of runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fairrank.ranking._insertion import lagrangian_orders, reinserted
from fairrank.ranking._interleavings import Interleaving, Several, on_steps
from fairrank.ranking._local_search import (
    DEGREES,
    FINE_DEGREES,
    by_degrees,
    finished,
    improved,
)
from fairrank.ranking._orders import Objective
from fairrank.ranking._several_bound import Bound, pairwise_bound
from fairrank.ranking._several_labels import searched_by_labels
from fairrank.ranking._several_prf import prf_dual
from fairrank.ranking._super_steps import even_cuts, fine_cuts, on_runs

# Above so many steps, runs of steps are moved, and single ones only beside the corners.
MAX_STEPS = 2500
# Up to so many, degrees are half as far apart, and two ways are gone.
FINELY = 1500
WAYS = ((2.0, np.inf), (2.0, 6.0))
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
        Its worth, and what no order exceeds whose places hold a step of one group each.
    dual : float
        What no order exceeds, shared places or not: a tie is half of either order.
    proven : bool
        It is worth the bound: every order was looked at or bounded away.
    multipliers : ndarray, shape (G, G)
        Antisymmetric; of the signed problem that gives the bound.
    """

    order: Interleaving
    value: float
    bound: float
    dual: float
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
    starts += [signed_best, side_by_side]
    if several.start[-1] <= FEW_STEPS:
        order, left = _few(several, objective, mu, [*starts, *orders])
    elif several.start[-1] <= MAX_STEPS:
        order, left = _searched(several, signed_best, objective, mu), np.inf
    else:
        order, left = _on_super_steps(several, signed_best, objective, mu), np.inf
    order = max([order, *starts], key=lambda each: each.worth(objective))
    value = order.worth(objective)
    reached = max(value, min(left, bound.value))
    dual = max(value, bound.value)
    return SolvedSeveral(order, value, reached, dual, value >= reached - 1e-15, mu)


def _few(several: Several, objective: Objective, mu: np.ndarray,
         starts: list[Interleaving]) -> tuple[Interleaving, float]:
    """Labels where they prove the optimum; where they do not, every way there is."""
    best = max(starts, key=lambda each: each.worth(objective))
    order = finished(several, best, objective)
    order, left = searched_by_labels(several, order, objective, mu)
    if left > order.worth(objective):
        order = thorough_order(several, objective, mu, [order, *starts])
        order, left = searched_by_labels(several, order, objective, mu)
    return order, left


def _searched(several: Several, order: Interleaving, objective: Objective,
              mu: np.ndarray) -> Interleaving:
    """The better of two ways by degrees, each to the end; of one for many steps."""
    few = several.start[-1] <= FINELY
    found = []
    for powers in WAYS if few else WAYS[:1]:
        way = by_degrees(
            several, order, objective, mu, powers=powers,
            degrees=FINE_DEGREES if few else DEGREES, margin=1e-9, max_turns=3, max_sweeps=5,
        )
        found.append(
            finished(several, way, objective, margin=1e-10, max_turns=4, max_sweeps=10)
        )
    return max(found, key=lambda each: each.worth(objective))


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
        found = finished(
            coarse, found, objective, powers=(16.0, np.inf), margin=1e-10, max_turns=2,
            max_sweeps=5,
        )
        sequence = on_steps(found.sequence, cuts)
    return several.judged(sequence)


def thorough_order(several: Several, objective: Objective, mu: np.ndarray,
                   starts: list[Interleaving]) -> Interleaving:
    """All starts, and orders that re-insertion meets on the way, through all degrees."""
    found = [
        *starts,
        *lagrangian_orders(several, starts[-1], mu, objective, N_ROUNDS),
        *lagrangian_orders(several, starts[0], np.zeros_like(mu), objective, N_ROUNDS),
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
