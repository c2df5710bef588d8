"""The test's size for decisions that other information brings to the frontier by chance.

Decisions of the same covariates whose risks are on the frontier are its rule but for ties, so
that their estimated gain has hardly an error there. Decisions that rest on something else may
have the same risks and another error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from tables import Table

from fairrank.datasets import make_frontier_data
from fairrank.frontier import less_discriminatory_alternative_test
from studies.frontier_tests import (
    DEFAULT,
    LEVEL,
    N_DRAWS,
    POINTS,
    algorithms,
    population,
    support_by,
)
from studies.runs import new_seed, rate_and_error, simulated

ON_FRONTIER = ("R", "B", "F", "between R and B")
# Part of the people who are decided by the other information.
PARTS = (0.0, 0.2, 1.0)
CALIBRATIONS = ("maximum", "direction")


def by_other_information(
    rng: np.random.Generator, data: Any, decided: np.ndarray, risks: np.ndarray, part: float
) -> np.ndarray:
    """Decisions of the same risks, `part` of which are right or wrong whatever X says."""
    of_group = np.where(data.sensitive_features == data.group_names[0], *risks)
    wrong = rng.random(data.target.size) < of_group
    replaced = rng.random(data.target.size) < part
    return np.where(replaced, np.where(wrong, 1 - data.target, data.target), decided)


def rejections(
    rng: np.random.Generator, n: int, design: str, nuisance: str, truth: tuple
) -> np.ndarray:
    """Whether the test rejects; (points, parts, calibrations)."""
    data = make_frontier_data(n, design=design, random_state=new_seed(rng))
    seed = new_seed(rng)
    support = support_by(nuisance, data, seed)
    chosen = dict(zip(POINTS, algorithms(data, truth)))
    return np.array([
        [
            [
                less_discriminatory_alternative_test(
                    support, decisions, calibration=calibration, significance_level=LEVEL,
                    n_draws=N_DRAWS, random_state=seed, n_jobs=1,
                ).reject
                for calibration in CALIBRATIONS
            ]
            for part in PARTS
            for decisions in [by_other_information(rng, data, *chosen[point], part)]
        ]
        for point in ON_FRONTIER
    ], dtype=float)


def frontier_other_information(n_runs: int, n_jobs: int) -> list[Table]:
    """Rejection at 5 % on the frontier, by how much of the decisions X does not explain."""
    tables = []
    for i, (nuisance, rows) in enumerate((("true theta", (300, 1000)), (DEFAULT, (1000,)))):
        runs = max(n_runs // (8 if nuisance != DEFAULT else 20), 1)
        error = np.sqrt(LEVEL * (1.0 - LEVEL) / runs)
        table = Table(
            f"{nuisance}: rejection at 5 %, all of it size; {runs} samples",
            ["design", "n", "point", "other information",
             *(f'calibration="{calibration}"' for calibration in CALIBRATIONS)],
            notes=[
                "other information: the part of the people who are decided by it, each rightly or "
                "wrongly with the probability that keeps the risks those of the point.",
                f"B = {N_DRAWS}. Monte Carlo error of a rate of 5 %: {error:.3f}.",
            ],
        )
        for j, (design, n) in enumerate((d, n) for d in ("balanced", "r_skewed") for n in rows):
            found = simulated(
                rejections, runs, n_jobs, 9500 + 10 * i + j, n, design, nuisance,
                population(design),
            )
            for p, point in enumerate(ON_FRONTIER):
                for k, part in enumerate(PARTS):
                    rates = [f"{rate_and_error(c)[0]:.3f}" for c in found[:, p, k].T]
                    table.rows.append([design, f"{n:,}", point, f"{part:g}", *rates])
        tables.append(table)
    return tables
