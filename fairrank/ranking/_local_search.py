"""The finish for several groups: ends of runs change places with the begins of the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairrank._kernels.runs import swap_runs
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._orders import Objective

# The largest |D| alone stalls: to lower it, another pair that is as large must often rise.
POWERS = (2.0, 4.0, 8.0, 16.0, 48.0, np.inf)
MAX_SWEEPS = 40
MARGIN = 1e-13


def swapped(several: Several, order: Interleaving, objective: Objective, *,
            powers: Sequence[float] = POWERS, max_sweeps: int = MAX_SWEEPS) -> Interleaving:
    """Swaps of neighbouring runs until none gains, for norms of D that grow to the largest |D|.

    Never worse than `order`.
    """
    best = order
    for power in powers:
        last = power == np.inf
        sequence, signed = order.sequence.copy(), order.signed.copy()
        _, n_swaps = swap_runs(
            sequence, several.blocks, several.start, 1.0 / several.auc_pairs, several.per_won,
            several.per_any, several.per_chain, order.auc, signed, power, objective.penalty,
            objective.allowance, objective.hard and last,
            MARGIN * max(1.0, objective.penalty), max_sweeps,
        )
        if n_swaps:
            order = several.judged(sequence)
            best = max(best, order, key=lambda each: each.worth(objective))
    return best
