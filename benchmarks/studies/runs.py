"""Many independent runs of one experiment, each with its own child of a SeedSequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed

BATCH = 20


def simulated(
    experiment: Callable[..., Any], n_runs: int, n_jobs: int, seed: int, *arguments: Any
) -> np.ndarray:
    """``experiment(rng, *arguments)`` of every run, stacked; the same for every n_jobs."""
    children = np.random.SeedSequence(seed).spawn(n_runs)
    parts = Parallel(n_jobs=n_jobs)(
        delayed(_batch)(experiment, children[i : i + BATCH], arguments)
        for i in range(0, n_runs, BATCH)
    )
    return np.array([row for part in parts for row in part], dtype=float)


def _batch(experiment: Callable[..., Any], seeds: list, arguments: tuple) -> list:
    return [experiment(np.random.default_rng(seed), *arguments) for seed in seeds]


def new_seed(rng: np.random.Generator) -> int:
    """A `random_state` for fairrank."""
    return int(rng.integers(2**31))


def groups_of(*sizes: int) -> np.ndarray:
    """Group 0 first, then group 1, ..."""
    return np.repeat(np.arange(len(sizes)), sizes)


def rate_and_error(hits: np.ndarray) -> tuple[float, float]:
    """Frequency and its Monte Carlo standard error."""
    rate = float(np.mean(hits))
    return rate, float(np.sqrt(rate * (1.0 - rate) / len(hits)))
