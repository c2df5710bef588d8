"""The inward bias that repeats expect, beside the one that there is."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from tables import Table

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import NuisanceWarning, SmallGroupWarning
from fairrank.frontier import FrontierEstimator
from studies.runs import new_seed, simulated

DIRECTIONS = {"R": (-1.0, 0.0), "B": (0.0, -1.0), "both": (-(0.5**0.5), -(0.5**0.5))}
N_REPEATS = 3
LEARNERS = {
    "default": lambda: None,
    "no penalty": lambda: LogisticRegression(C=np.inf, solver="newton-cholesky"),
    "boosting, 50 rounds": lambda: HistGradientBoostingClassifier(max_iter=50, random_state=0),
}
# Rows, design, learner, and every which run is taken.
CASES = (
    (1000, "balanced", "default", 1), (1000, "r_skewed", "default", 1),
    (5000, "balanced", "default", 4), (1000, "balanced", "no penalty", 1),
    (5000, "balanced", "no penalty", 1), (1000, "balanced", "boosting, 50 rounds", 8),
)


def biases(rng: np.random.Generator, n: int, design: str, learner: str) -> np.ndarray:
    """What the signs lose and what the repeats expect, in standard errors; (directions, 2)."""
    data = make_frontier_data(n, design=design, random_state=new_seed(rng))
    model = FrontierEstimator(
        LEARNERS[learner](), n_repeats=N_REPEATS, group_names=("r", "b"),
        random_state=new_seed(rng),
    )
    with warnings.catch_warnings():
        for category in (NuisanceWarning, SmallGroupWarning):
            warnings.simplefilter("ignore", category)
        model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    change = data.delta_theta(data.data) / data.group_shares
    found = []
    for q in np.array(list(DIRECTIONS.values())):
        expected = model.expected_inward_bias(q)
        k = change @ q
        decided = model.delta_theta_ @ (q / model.support_function_.group_shares) > 0
        lost = np.mean(np.maximum(k, 0.0) - k * decided)
        found.append([lost / expected.standard_error, expected.in_standard_errors])
    return np.array(found)


def frontier_inward_bias(n_runs: int, n_jobs: int, seed: int = 8400) -> list[Table]:
    """Mean and spread of both."""
    n_runs = max(8, n_runs // 100)
    table = Table(
        f"Inward bias of h in parts of its standard error: true, and expected by {N_REPEATS} "
        "repeats",
        ["n", "design", "learner", "samples",
         *(f"{word} {name}" for name in DIRECTIONS for word in ("true", "expected"))],
        notes=[
            "true: E[k 1{k > 0}] less E[k 1{estimate > 0}] on the rows of the sample, k known; "
            "expected: FrontierEstimator.expected_inward_bias. Mean over samples (standard "
            "deviation between samples).",
        ],
    )
    for n, design, learner, every in CASES:
        seed += 1
        runs = max(4, n_runs // every)
        found = simulated(biases, runs, n_jobs, seed, n, design, learner)
        mean, spread = found.mean(axis=0).ravel(), found.std(axis=0).ravel()
        table.rows.append(
            [f"{n:,}", design, learner, f"{runs}",
             *(f"{m:.2f} ({s:.2f})" for m, s in zip(mean, spread))]
        )
    return [table]
