"""Three and more groups: time and certified gap of the hull solver, and the iterative lattice."""

from __future__ import annotations

import time

import numpy as np
from tables import Table

from fairrank.ranking import fair_ordering
from fairrank.ranking._interleavings import Several
from fairrank.ranking._lattice_several import largest_merge, lattice_one_by_one
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Chain

DISPARITIES = ("xauc", "prf", "urf")
# Iterative lattices beyond so many cells a merge are left out; when it must be quick, too.
MAX_CELLS, QUICK_CELLS = 300_000_000, 10_000_000


def scored_rows(n: int, n_groups: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, score and group; groups differ in size, base rate, shift and spread of scores."""
    rng = np.random.default_rng(seed)
    share = np.arange(1, n_groups + 1.0)
    group = rng.choice(n_groups, n, p=share / share.sum())
    outcome = (rng.random(n) < np.linspace(0.25, 0.55, n_groups)[group]).astype(np.int64)
    noise = rng.normal(size=n) * (1 + 0.1 * (group % 3))
    return outcome, outcome * (1 + 0.2 * group / n_groups) + noise + 0.5 * np.sin(3 * group), group


def several_groups(quick: bool) -> list[Table]:
    """Hull solver at trade-off 1, and what the paper's iterative variant reaches."""
    tables = []
    most = QUICK_CELLS if quick else MAX_CELLS
    for n_groups in (3, 5, 10):
        table = Table(
            f"{n_groups} groups, trade-off 1, continuous scores",
            ["n", "disparity", "hull s", "objective", "gap to the bound", "disparity left",
             "iterative lattice s", "its objective", "below the bound by"],
            notes=[f"One run each, sorting included. -: merges of more than {most:.0e} cells."],
        )
        for n in (2000, 20_000) if quick else (2000, 20_000, 100_000):
            y, score, group = scored_rows(n, n_groups)
            for disparity in DISPARITIES:
                begun = time.perf_counter()
                found = fair_ordering(
                    y, score, sensitive_features=group, disparity=disparity, trade_off=1.0
                )
                seconds = time.perf_counter() - begun
                reached, taken = lattice(y, score, group, disparity, most)
                table.rows.append([
                    f"{n:,}", disparity, seconds, f"{found.objective:.5f}",
                    f"{found.optimality_gap:.1e}", f"{found.disparity_after:.1e}", taken,
                    "-" if np.isnan(reached) else f"{reached:.5f}",
                    "-" if np.isnan(reached) else f"{found.upper_bound - reached:.1e}",
                ])
        tables.append(table)
    return tables


def lattice(y: np.ndarray, score: np.ndarray, group: np.ndarray, disparity: str,
            most: int) -> tuple[float, float]:
    """Objective and seconds of the iterative lattice at trade-off 1; NaN where it is too large."""
    code = y.astype(np.uint16)
    several = Several(
        tuple(
            Chain.of(score, code, None, np.flatnonzero(group == g))
            for g in range(int(group.max()) + 1)
        ),
        disparity,
    )
    if largest_merge(several) > most:
        return float("nan"), float("nan")
    begun = time.perf_counter()
    order = lattice_one_by_one(several, 1.0)
    return order.worth(Objective(1.0)), time.perf_counter() - begun


BENCHMARKS = {"several_groups": several_groups}
