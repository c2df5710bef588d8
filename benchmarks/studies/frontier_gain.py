"""How often the interval and the bound of an alternative's gain miss it."""

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
    TRUTH_ROWS,
    algorithms,
    population,
    support_by,
    support_of,
)
from studies.runs import new_seed, rate_and_error, simulated

IMPROVABLE = ("(R+B)/2", "e*")
CALIBRATIONS = ("maximum", "direction")


def improvable(data: Any, truth: tuple) -> list[np.ndarray]:
    """Decisions that have an alternative."""
    chosen = dict(zip(POINTS, algorithms(data, truth)))
    return [chosen[point][0] for point in IMPROVABLE]


def true_gains(design: str) -> list[float]:
    """Gains by the true theta of a huge sample."""
    data = make_frontier_data(TRUTH_ROWS, design=design, random_state=77)
    support = support_of(data, data.delta_theta(data.data))
    return [
        less_discriminatory_alternative_test(support, decisions, n_draws=1, random_state=0).gain
        for decisions in improvable(data, population(design))
    ]


def misses(
    rng: np.random.Generator, n: int, design: str, nuisance: str, truth: tuple, gains: list
) -> np.ndarray:
    """Bound above the gain, interval above, interval below; (points, calibrations, 3)."""
    data = make_frontier_data(n, design=design, random_state=new_seed(rng))
    seed = new_seed(rng)
    support = support_by(nuisance, data, seed)
    found = []
    for decisions, gain in zip(improvable(data, truth), gains):
        tests = [
            less_discriminatory_alternative_test(
                support, decisions, calibration=calibration, significance_level=LEVEL,
                n_draws=N_DRAWS, random_state=seed, n_jobs=1,
            )
            for calibration in CALIBRATIONS
        ]
        found.append([
            [test.gain_lower_bound > gain, test.gain_interval[0] > gain,
             test.gain_interval[1] < gain]
            for test in tests
        ])
    return np.array(found, dtype=float)


def frontier_gain(n_runs: int, n_jobs: int) -> list[Table]:
    """Non-coverage of the one-sided bound and of both sides of the interval."""
    runs = max(n_runs // 8, 1)
    tables = []
    for i, nuisance in enumerate(("true theta", DEFAULT)):
        error = np.sqrt(LEVEL * (1.0 - LEVEL) / runs)
        table = Table(
            f"{nuisance}: the gain missed by 95 % statements; {runs} samples of 1,000 rows",
            ["design", "point", "true gain", "calibration", "below the one-sided bound",
             "below the interval", "above the interval"],
            notes=[
                f"B = {N_DRAWS}; promised are .05, .025 and .025. Monte Carlo error of a rate of "
                f"5 %: {error:.3f}.",
            ],
        )
        for j, design in enumerate(("balanced", "r_skewed")):
            gains = true_gains(design)
            found = simulated(
                misses, runs, n_jobs, 9700 + 10 * i + j, 1000, design, nuisance,
                population(design), gains,
            )
            for p, (point, gain) in enumerate(zip(IMPROVABLE, gains)):
                for c, calibration in enumerate(CALIBRATIONS):
                    rates = [f"{rate_and_error(one)[0]:.3f}" for one in found[:, p, c].T]
                    table.rows.append([design, point, f"{gain:.4f}", calibration, *rates])
        tables.append(table)
    return tables
