"""The best order of three and more short chains, and the proof that it is."""

from __future__ import annotations

import numpy as np

from fairrank._kernels.several_labels import best_labelled
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._lattice_several import n_cells
from fairrank.ranking._orders import Objective

# Labels are looked at while the lattice of all chains has at most so many cells.
MAX_LABEL_CELLS = 6000
# Numbers that all labels may take, and labels a cell.
MAX_NUMBERS, MAX_LABELS = 3_000_000, 1000
# Multipliers of one pair alone whose signed problems serve as bounds, besides the penalty.
STEEP = 4.0


def searched_by_labels(several: Several, order: Interleaving, objective: Objective,
                       multipliers: np.ndarray) -> tuple[Interleaving, float]:
    """`order`, or a better one, and what no other order exceeds beyond that one.

    The latter is -inf where all orders were looked at or bounded away.
    """
    if n_cells(several) > MAX_LABEL_CELLS:
        return order, np.inf
    pairs = np.tril_indices(several.n_chains, -1)
    n_pairs = pairs[0].size
    alone = np.vstack((np.eye(n_pairs), -np.eye(n_pairs)))
    steepness = sorted({min(objective.penalty, STEEP), objective.penalty})
    bounding = np.vstack(
        (multipliers[pairs], np.zeros(n_pairs), *(steep * alone for steep in steepness))
    )
    spent = np.abs(bounding).sum(axis=1)
    if several.disparity == "prf":
        # D are differences of one number a group: the positive parts of its shares count.
        spent[0] = multipliers.sum(axis=1).clip(0.0).sum()
    n_labels = MAX_NUMBERS // (n_cells(several) * (n_pairs + 2))
    sequence, thinned = best_labelled(
        several.blocks, several.start, 1.0 / several.auc_pairs, several.per_won, several.per_any,
        several.per_chain,
        sum(chain.concordant for chain in several.steps) / several.auc_pairs,
        np.ascontiguousarray(bounding), spent, objective.penalty, objective.allowance,
        objective.hard, order.worth(objective), min(n_labels, MAX_LABELS),
    )
    if sequence is None:
        return order, thinned
    found = several.judged(sequence)
    # The kernel sums along the path: a tie may be a rounding apart.
    return max(order, found, key=lambda each: each.worth(objective)), thinned
