"""The paper's Algorithm 1: one path through the lattice of two chains, kept for comparison."""

from __future__ import annotations

import os

import numpy as np

from fairrank._kernels.lattice import best_path
from fairrank.ranking._orders import BlockOrder, block_order, every_step
from fairrank.ranking._steps import Pair

# Half of what is free: the solver is not alone on the machine.
PART_OF_FREE_MEMORY = 0.5
# Where the system does not say.
ASSUMED_FREE = 4 * 2**30


def lattice_order(pair: Pair, trade_off: float) -> BlockOrder:
    """The path that Algorithm 1 finds for AUC - trade_off |D|. O(n_a n_b), one byte a cell."""
    a, b = pair.a, pair.b
    scale = trade_off * pair.auc_pairs * pair.per_count
    left_a = a.counts - a.sums
    left_b = b.counts - b.sums
    # Within the group: PRF counts its own negatives too, ties one half.
    own_a, own_b = np.zeros(a.n_steps), np.zeros(b.n_steps)
    if pair.disparity == "prf":
        own_a = scale[0] * a.positive * (left_a[1:, 0] + 0.5 * a.negative)
        own_b = -scale[1] * b.positive * (left_b[1:, 0] + 0.5 * b.negative)
    if pair.disparity == "urf":
        # P(a above b) - P(b above a): either move counts what is left of the other chain.
        unit_a, unit_b = (0.5 * scale[2] * (each.negative + each.positive) for each in (a, b))
        units_left_a, units_left_b = left_a.sum(axis=1), left_b.sum(axis=1)
    else:
        unit_a, unit_b = scale[0] * a.positive, -scale[1] * b.positive
        units_left_a, units_left_b = left_a[:, 0], left_b[:, 0]
    before = best_path(
        np.column_stack((a.positive, unit_a, own_a)),
        np.column_stack((b.positive, unit_b, own_b)),
        np.column_stack((left_a[:, 0], units_left_a)),
        np.column_stack((left_b[:, 0], units_left_b)),
    )
    return block_order(pair, every_step(a.n_steps), every_step(b.n_steps), before)


def check_lattice_memory(n_a: int, n_b: int) -> None:
    """Refuse a lattice that would not fit.

    Raises
    ------
    MemoryError
        With what it would take, and what to do instead.
    """
    check_memory((n_a + 1) * (n_b + 1), f"{n_a} and {n_b} distinct scores")


def check_memory(needed: int, what: str) -> None:
    """Refuse a lattice of so many bytes for `what`.

    Raises
    ------
    MemoryError
        With what it would take, and what to do instead.
    """
    free = _free_memory()
    if needed > PART_OF_FREE_MEMORY * free:
        raise MemoryError(
            f"solver='lattice' would need {needed / 2**30:.3g} GiB for {what}, one byte a cell, "
            f"and {free / 2**30:.3g} GiB are free. Pass subsample=2000, "
            "or solver='hull', which needs memory in proportion to the rows and loses nothing."
        )


def _free_memory() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return ASSUMED_FREE
