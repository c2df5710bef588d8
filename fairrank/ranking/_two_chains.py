"""The hull solver for two groups: bound, two-split, lattice where it is cheap, labels."""

from __future__ import annotations

from dataclasses import dataclass

from fairrank.ranking._hull import HullSolver, find_kink
from fairrank.ranking._label_lattice import Finished, label_finish
from fairrank.ranking._lattice import lattice_order
from fairrank.ranking._orders import BlockOrder, Objective
from fairrank.ranking._steps import Pair
from fairrank.ranking._two_split import two_split

# An order this near the bound attains it but for rounding.
EXACT = 1e-15
# "auto" is content with a split that leaves this little to the bound.
CONTENT = 1e-6
# The lattice is a start for labels where it costs about as much as they do.
MAX_LATTICE_CELLS = 1_000_000


@dataclass(frozen=True)
class Solved:
    """An order of two chains with its certificate.

    Attributes
    ----------
    order : BlockOrder
    value, bound : float
        Its worth, and what no order exceeds.
    proven : bool
    multiplier : float
        Of the signed problem whose value is the bound.
    """

    order: BlockOrder
    value: float
    bound: float
    proven: bool
    multiplier: float


def solve_pair(pair: Pair, objective: Objective, *, finish: str = "auto",
               solver: HullSolver | None = None) -> Solved:
    """Best order of two chains that is found, and the bound. Near linear in the steps."""
    kink = find_kink(HullSolver(pair) if solver is None else solver, objective)
    order = two_split(pair, kink, objective)
    value = objective.of_order(order)
    finished = Finished(order, kink.bound, False)
    left = kink.bound - value
    if left > EXACT and finish != "two_split" and not (finish == "auto" and left <= CONTENT):
        if pair.a.n_steps * pair.b.n_steps <= MAX_LATTICE_CELLS:
            order = max(order, lattice_order(pair, objective.penalty), key=objective.of_order)
        finished = label_finish(pair, kink, order, objective)
        value = objective.of_order(finished.order)
    bound = max(value, finished.bound)
    return Solved(
        finished.order, value, bound, finished.proven or bound - value <= EXACT, kink.multiplier
    )
