"""Bias and coverage of the frontier where outcomes are seen for selected rows only."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np
from scipy.special import expit
from tables import Table

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import NuisanceWarning, SmallGroupWarning
from fairrank.frontier import FrontierEstimator, SupportFunction
from fairrank.frontier._selective_labels import pseudo_losses
from studies.runs import new_seed, simulated

ROWS = (1000, 4000)
DESIGNS = ("balanced", "r_skewed")
DIRECTIONS = {"R": (-1.0, 0.0), "B": (0.0, -1.0), "both": (-(0.5**0.5), -(0.5**0.5))}
WAYS = ("all seen", "pseudo-losses, true nuisances", "pseudo-losses", "selected rows")
QUANTILE = 1.959963984540054
TRUTH_ROWS = 2_000_000


@lru_cache
def truth(design: str) -> np.ndarray:
    """h in every direction, from a large draw of covariates and the true nuisances."""
    data = make_frontier_data(TRUTH_ROWS, design=design, random_state=11)
    theta = data.theta(data.data) / data.group_shares
    q = np.array(list(DIRECTIONS.values())).T
    change = (theta[:, 1] - theta[:, 0]) @ q
    return np.mean(theta[:, 0] @ q + np.maximum(change, 0.0), axis=0)


def propensity(data) -> np.ndarray:
    """P(selected | X, G): the first covariate counts, and r is favoured."""
    favoured = data.sensitive_features == "r"
    return expit(0.3 + 1.2 * data.data[:, 0] + 0.8 * favoured)


def estimates(rng: np.random.Generator, n: int, design: str) -> np.ndarray:
    """h and its standard error, (ways, directions, 2)."""
    data = make_frontier_data(n, design=design, random_state=new_seed(rng))
    pi = propensity(data)
    selected = rng.random(n) < pi
    seed = new_seed(rng)
    y, group, p = data.target, data.sensitive_features, data.probability

    def fitted(rows, **fit) -> SupportFunction:
        model = FrontierEstimator(group_names=("r", "b"), random_state=seed, overlap=1e-4)
        with warnings.catch_warnings():
            for category in (NuisanceWarning, SmallGroupWarning):
                warnings.simplefilter("ignore", category)
            model.fit(data.data[rows], y[rows], sensitive_features=group[rows], **fit)
        return model.support_function_

    known = SupportFunction(
        *(pseudo_losses((y != d).astype(float), mean, selected, pi)
          for d, mean in enumerate((p, 1.0 - p))),
        data.delta_theta(data.data), sensitive_features=group, group_names=("r", "b"),
    )
    every = slice(None)
    supports = (fitted(every), known, fitted(every, selected=selected), fitted(selected))
    return np.array(
        [[[s.h(q), s.standard_error(q)] for q in DIRECTIONS.values()] for s in supports]
    )


def frontier_selective_labels(n_runs: int, n_jobs: int, seed: int = 8100) -> list[Table]:
    """Mean error of h and coverage of its 95 % interval."""
    n_runs = max(20, n_runs // 20)
    tables = []
    for design in DESIGNS:
        table = Table(
            f"Selective labels, {design}; {n_runs} samples",
            ["n", "way", *(f"{word} {name}" for name in DIRECTIONS
                           for word in ("bias", "coverage %"))],
            notes=[
                "h of risks in the directions of R, B and their sum; bias below 0 means risks "
                "that look too large. 95 % intervals by influence functions.",
            ],
        )
        for n in ROWS:
            seed += 1
            found = simulated(estimates, n_runs, n_jobs, seed, n, design)
            error = found[..., 0] - truth(design)
            covered = np.abs(error) <= QUANTILE * found[..., 1]
            for w, way in enumerate(WAYS):
                cells = []
                for d in range(len(DIRECTIONS)):
                    spread = error[:, w, d].std() / np.sqrt(n_runs)
                    cells += [f"{error[:, w, d].mean():+.4f} ({spread:.4f})",
                              f"{100 * covered[:, w, d].mean():.0f}"]
                table.rows.append([f"{n:,}", way, *cells])
        tables.append(table)
    return tables
