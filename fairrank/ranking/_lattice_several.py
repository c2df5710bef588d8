"""Algorithm 1 for three and more groups: on one lattice, or one group after another."""

from __future__ import annotations

from math import prod

import numpy as np

from fairrank._kernels.several_lattice import best_sequence, inserted_sequence
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._lattice import check_memory
from fairrank.ranking._orders import Objective

# The lattice of all groups at once is walked up to so many cells.
MAX_CELLS = 20_000_000
# Bisections of the trade-off by which the lattice meets a condition on the disparity.
BISECTIONS = 30


def n_cells(several: Several) -> int:
    """Cells of the lattice of all chains."""
    return prod(chain.n_steps + 1 for chain in several.steps)


def largest_merge(several: Several) -> int:
    """Cells of the largest lattice when the chains are merged one after another."""
    size = np.diff(several.start)
    return int(((np.cumsum(size)[:-1] + 1) * (size[1:] + 1)).max())


def lattice_of_all(several: Several, trade_off: float) -> Interleaving:
    """The path through the lattice of all chains: one byte a cell, O(cells G^3) time."""
    # Layers are those of the longest chain: one of them is kept in doubles.
    longest = int(np.argmax(np.diff(several.start)))
    turn = np.array(
        [longest, *(g for g in range(several.n_chains) if g != longest)], dtype=np.intp
    )
    turned = Several(tuple(several.steps[g] for g in turn), several.disparity)
    sequence = best_sequence(
        turned.blocks, turned.start, 1.0 / turned.auc_pairs, turned.per_won, turned.per_any,
        turned.per_chain, trade_off,
    )
    return several.judged(turn[sequence])


def lattice_one_by_one(several: Several, trade_off: float) -> Interleaving:
    """The paper's iterative variant: merge two chains, freeze their order, merge the next.

    Each merge is judged by AUC and disparities among the chains that it has. One byte a cell of
    the largest merge.
    """
    sequence = np.zeros(several.steps[0].n_steps, dtype=np.intp)
    for n_merged in range(2, several.n_chains + 1):
        part = Several(several.steps[:n_merged], several.disparity)
        if not part.counts.sum(axis=0).all():
            # No pairs to count as yet: side by side.
            sequence = np.repeat(np.arange(n_merged), np.diff(part.start))
            continue
        sequence = inserted_sequence(
            sequence, part.blocks, part.start, 1.0 / part.auc_pairs, part.per_won, part.per_any,
            part.per_chain, trade_off,
        )
    return several.judged(sequence)


def lattice_several(several: Several, objective: Objective) -> Interleaving:
    """Algorithm 1 at the trade-off; for a condition, at the smallest trade-off that meets it.

    Raises
    ------
    MemoryError
        The lattice would not fit.
    """
    if n_cells(several) <= MAX_CELLS:
        layer = n_cells(several) // (max(np.diff(several.start)) + 1)
        n_pairs = several.n_chains * (several.n_chains - 1) // 2
        check_memory(n_cells(several) + 8 * (1 + n_pairs) * layer, "all groups at once")
        walked = lattice_of_all
    else:
        check_memory(largest_merge(several), "one group after another")
        walked = lattice_one_by_one
    if not objective.hard:
        return walked(several, objective.penalty)
    found = walked(several, 0.0)
    if objective.meets(found.gap):
        return found
    low, high = 0.0, 1.0
    found = walked(several, objective.penalty)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        order = walked(several, middle)
        if order.worth(objective) > found.worth(objective):
            found = order
        low, high = (low, middle) if objective.meets(order.gap) else (middle, high)
    return found
