"""The finish for several groups: from the best order at the bound's multipliers to a fair one.

At the multipliers mu of the bound, the best order of AUC - sum of mu D is close to the bound, and
orders as good as that, or nearly, have any disparities that are wanted: ends of runs of tied steps
change places for nothing. So what is maximised goes by degrees from that signed objective, whose
ties are free, to the objective itself, and only moves that cost little are ever taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairrank._kernels.runs import swap_runs
from fairrank._kernels.shifts import shift_runs
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._orders import Objective

# The largest |D| alone stalls: to lower it, another pair that is as large must often rise.
POWERS = (2.0, 4.0, 8.0, 16.0, 48.0, np.inf)
# Penalties of the first degrees, as multiples of the bound's largest multiplier.
DEGREES = tuple(2.0**power for power in range(-3, 6))
FINE_DEGREES = tuple(2.0 ** (0.5 * half) for half in range(-10, 11))
# Ever larger penalties on the way to one without bound.
GROWTH = 30.0
MAX_TURNS, MAX_SWEEPS = 10, 40


def improved(several: Several, order: Interleaving, objective: Objective,
             multipliers: np.ndarray, power: float, *, margin: float = 1e-13,
             max_turns: int = MAX_TURNS, max_sweeps: int = MAX_SWEEPS) -> Interleaving:
    """Moves of runs until none gains AUC - sum of multiplier * D - penalty * norm of the excess.

    The excess of a pair is what its |D| has beyond the allowance.
    """
    sequence, signed, auc = order.sequence.copy(), order.signed.copy(), order.auc
    total = 0
    for turn in range(2 * max_turns):
        move = (swap_runs, shift_runs)[turn % 2]
        auc, n_moves = move(
            sequence, several.blocks, several.start, 1.0 / several.auc_pairs, several.per_won,
            several.per_any, several.per_chain, auc, signed, multipliers, power,
            objective.penalty, objective.allowance, objective.hard and power == np.inf,
            margin * max(1.0, objective.penalty), max_sweeps,
        )
        total += n_moves
        if n_moves == 0 and turn:
            break
    return several.judged(sequence) if total else order


def finished(several: Several, order: Interleaving, objective: Objective, *,
             powers: Sequence[float] = POWERS, **options: Any) -> Interleaving:
    """The objective itself, for norms of D that grow to the largest |D|. Never worse."""
    best = order
    none = np.zeros_like(order.signed)
    for penalty in penalties_up_to(objective.penalty):
        softer = Objective(penalty, objective.allowance)
        for power in powers:
            last = penalty == objective.penalty and power == np.inf
            order = improved(
                several, order, objective if last else softer, none, power, **options
            )
            best = max(best, order, key=lambda each: each.worth(objective))
    if best is not order:
        best = improved(several, best, objective, none, np.inf, **options)
    return best


def by_degrees(several: Several, order: Interleaving, objective: Objective,
               multipliers: np.ndarray, *, powers: Sequence[float] = (2.0, np.inf),
               degrees: Sequence[float] = DEGREES, **options: Any) -> Interleaving:
    """From the signed objective at `multipliers` towards the objective, part by part.

    A part of t maximises ``AUC - (1 - t) sum of multiplier * D - t penalty * norm of D``.
    """
    unit = float(np.abs(multipliers).max())
    softest = penalties_up_to(objective.penalty)[0]
    for degree in degrees:
        if not 0.0 < degree * unit < softest:
            continue
        part = degree * unit / softest
        for power in powers:
            order = improved(
                several, order, Objective(part * softest, objective.allowance),
                (1.0 - part) * multipliers, power, **options,
            )
    return order


def penalties_up_to(penalty: float) -> list[float]:
    """The penalty, after gentler ones where it is so large that AUC would have no say."""
    found = [penalty]
    while found[0] > GROWTH:
        found.insert(0, max(found[0] / GROWTH, 1.0))
    return found
