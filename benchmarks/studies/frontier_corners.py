"""The tests on the frontier of covariates of eight values: corners, edges, and their crossing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold
from tables import Table

from fairrank.frontier import SupportFunction, less_discriminatory_alternative_test
from studies.runs import new_seed, rate_and_error, simulated

LEVEL = 0.05
# At 5 % exact: the five largest of 100 reject.
N_DRAWS = 99
N_FOLDS = 5
ROWS = (1000, 4000)
NUISANCES = ("true theta", "cell means")
POINTS = ("R", "corner", "edge", "B", "F", "edge, blurred")
RULES = ("set", "hybrid", "gaussian")
# Of the LDA part, one beside each rule of the joint test.
CALIBRATIONS = ("maximum", "direction", "direction")
# Of each value of X: its weight, P(r | x), P(Y = 1 | x, r), P(Y = 1 | x, b).
WEIGHT = (2.0, 1.0, 1.5, 1.0, 1.5, 1.0, 1.0, 1.0)
SHARE = (0.7, 0.4, 0.6, 0.5, 0.6, 0.5, 0.7, 0.5)
OUTCOME = {
    "balanced": (
        (0.85, 0.75, 0.7, 0.6, 0.35, 0.25, 0.15, 0.2), (0.35, 0.3, 0.2, 0.45, 0.6, 0.7, 0.8, 0.15)
    ),
    "r_skewed": (
        (0.95, 0.92, 0.9, 0.85, 0.1, 0.08, 0.12, 0.05), (0.7, 0.4, 0.6, 0.35, 0.4, 0.62, 0.3, 0.25)
    ),
}


@dataclass(frozen=True)
class Cells:
    """A population that is known.

    `mass` (8,) and `share` (8,) of r; `outcome` (8, 2) by group; `decided` (6, 8) and `risks`
    (6, 2) of `POINTS`; `delta` (8, 2) is the true theta.
    """

    mass: np.ndarray
    share: np.ndarray
    outcome: np.ndarray
    delta: np.ndarray
    decided: np.ndarray
    risks: np.ndarray


def population(name: str) -> Cells:
    """Corners by sorting cells round the circle; the edge's middle; F where an edge crosses."""
    mass, share, outcome = np.array(WEIGHT), np.array(SHARE), np.array(OUTCOME[name]).T
    mass = mass / mass.sum()
    member = np.column_stack([share, 1.0 - share])
    delta = member * (1.0 - 2.0 * outcome)
    inside = mass[:, np.newaxis] * member
    inside /= inside.sum(axis=0)
    step = inside * (1.0 - 2.0 * outcome)

    def risks(decided: np.ndarray) -> np.ndarray:
        return (inside * outcome).sum(axis=0) + decided @ step

    # A cell's treatment changes where q is at right angles to its step.
    turns = np.arctan2(step[:, 1], step[:, 0])[:, np.newaxis] + np.pi * np.array([0.5, 1.5])
    turns = np.sort(turns.ravel() % (2.0 * np.pi))
    first, last = np.pi * np.array([0.75, 1.75])
    ends = np.concatenate([[first], turns[(turns > first) & (turns < last)], [last]])
    angle = (ends[1:] + ends[:-1]) / 2.0
    path = np.array([(step @ [np.cos(a), np.sin(a)] > 0).astype(float) for a in angle])
    at = np.array([risks(decided) for decided in path])
    gap = at[:, 0] - at[:, 1]
    over = int(np.flatnonzero(gap >= 0)[0])
    part = gap[over - 1] / (gap[over - 1] - gap[over])
    best = [path[int(np.flatnonzero(ends <= end)[-1])] for end in (np.pi, 1.5 * np.pi - 1e-12)]
    corner = int(np.flatnonzero((path == best[0]).all(axis=1))[0]) + 2
    edge = (path[corner - 1] + path[corner]) / 2.0
    fairest = path[over - 1] + part * (path[over] - path[over - 1])
    decided = np.array([
        best[0], path[corner], edge, best[1], fairest, 0.8 * edge + 0.1,
    ])
    return Cells(mass, share, outcome, delta, decided, np.array([risks(d) for d in decided]))


def cell_means(cell: np.ndarray, in_b: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Mean change of loss of either group in each cell, of the rows outside each row's fold."""
    change = (1.0 - 2.0 * y)[:, np.newaxis] * np.column_stack([~in_b, in_b])
    delta = np.empty_like(change)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(cell, 2 * in_b + y):
        size = np.bincount(cell[train], minlength=len(WEIGHT))
        means = np.column_stack([
            np.bincount(cell[train], column, minlength=len(WEIGHT)) / np.maximum(size, 1)
            for column in change[train].T
        ])
        delta[test] = means[cell[test]]
    return delta


def rejections(rng: np.random.Generator, n: int, cells: Cells) -> np.ndarray:
    """LDA part both ways, the joint test by each of `RULES`; (nuisances, points, 5)."""
    cell = rng.choice(len(WEIGHT), size=n, p=cells.mass)
    in_b = rng.random(n) >= cells.share[cell]
    y = (rng.random(n) < cells.outcome[cell, in_b.astype(int)]).astype(int)
    seed = new_seed(rng)
    found = []
    for delta in (cells.delta[cell], cell_means(cell, in_b, y, seed)):
        support = SupportFunction(
            y != 0, y != 1, delta, sensitive_features=np.where(in_b, "b", "r"),
            group_names=("r", "b"),
        )
        of_points = []
        for decided in cells.decided:
            tests = [
                less_discriminatory_alternative_test(
                    support, decided[cell], calibration=calibration, critical_values=rule,
                    significance_level=LEVEL, n_draws=N_DRAWS, random_state=seed, n_jobs=1,
                )
                for calibration, rule in zip(CALIBRATIONS, RULES)
            ]
            of_points.append([
                *(test.reject for test in tests[:2]), *(test.joint.reject for test in tests)
            ])
        found.append(of_points)
    return np.array(found, dtype=float)


def frontier_corners(n_runs: int, n_jobs: int) -> list[Table]:
    """Rejection at corners and on edges, where the support function has kinks."""
    runs = max(n_runs // 30, 1)
    tables = []
    for i, name in enumerate(OUTCOME):
        cells = population(name)
        error = np.sqrt(LEVEL * (1.0 - LEVEL) / runs)
        table = Table(
            f"X of eight values, {name}: rejection at 5 %; {runs} samples",
            ["n", "nuisance", "point", "risks of r, b", "LDA part", "one direction",
             *(f"joint, {rule}" for rule in RULES)],
            notes=[
                "Size, but power at the last point. edge: one cell decided by a fair coin, "
                "halfway between two corners; F: likewise, by a coin that makes risks equal; "
                "blurred: the edge's decisions, one in five of all by a fair coin instead.",
                f"Decisions are the population's. cell means: out of {N_FOLDS} folds. "
                f"B = {N_DRAWS}. Monte Carlo error of a rate of 5 %: {error:.3f}.",
                'LDA part: calibration="maximum", the default; one direction: '
                'calibration="direction".',
            ],
        )
        for j, n in enumerate(ROWS):
            found = simulated(rejections, runs, n_jobs, 9100 + 10 * i + j, n, cells)
            for v, nuisance in enumerate(NUISANCES):
                for p, point in enumerate(POINTS):
                    rates = [f"{rate_and_error(c)[0]:.3f}" for c in found[:, v, p].T]
                    at = ", ".join(f"{risk:.3f}" for risk in cells.risks[p])
                    table.rows.append([f"{n:,}", nuisance, point, at, *rates])
        tables.append(table)
    return tables
