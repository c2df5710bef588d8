"""What the learner of the nuisances does to the frontier: its bias, and what a fit costs."""

from __future__ import annotations

import time
from functools import lru_cache

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import Table

from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._default_learners import LassoLogistic
from studies.runs import new_seed, simulated

ROWS = (1000, 5000)
DESIGNS = ("balanced", "r_skewed")
DIRECTIONS = {"R": (-1.0, 0.0), "B": (0.0, -1.0), "both": (-(0.5**0.5), -(0.5**0.5))}
PENALTIES = np.geomspace(1e-3, 10.0, 9)
JUDGED_ROWS = 50_000


def by_folds(l1_ratio: float, solver: str):
    """A penalty chosen by five inner folds and log loss."""
    return LogisticRegressionCV(
        Cs=PENALTIES, cv=5, l1_ratios=(l1_ratio,), solver=solver, scoring="neg_log_loss",
        use_legacy_attributes=False, random_state=0,
    )


LEARNERS = {
    "default": LassoLogistic,
    "L1, inner folds": lambda: by_folds(1.0, "liblinear"),
    "L2, inner folds": lambda: by_folds(0.0, "newton-cholesky"),
    "no penalty": lambda: LogisticRegression(C=np.inf, solver="newton-cholesky"),
    "boosting, untuned": lambda: HistGradientBoostingClassifier(random_state=0),
}


@lru_cache
def judged(design: str):
    """Rows that rules are judged on, with the true change of every group's risk."""
    data = make_frontier_data(JUDGED_ROWS, design=design, random_state=99)
    theta = data.theta(data.data) / data.group_shares
    return data.data, theta[:, 1] - theta[:, 0]


def shortfalls(rng: np.random.Generator, n: int, design: str, name: str) -> np.ndarray:
    """How far q'risk of the estimated rules is below h, in standard errors of h; and seconds."""
    data = make_frontier_data(n, design=design, random_state=new_seed(rng))
    group, y = data.sensitive_features, data.target
    X, change = judged(design)
    start = time.perf_counter()

    def learnt(rows, target):
        model = make_pipeline(StandardScaler(), LEARNERS[name]())
        return model.fit(data.data[rows], target[rows]).predict_proba(X)[:, 1]

    share = learnt(slice(None), group == "r")
    seconds = time.perf_counter() - start
    delta = np.column_stack(
        [share * (1.0 - 2.0 * learnt(group == "r", y)),
         (1.0 - share) * (1.0 - 2.0 * learnt(group == "b", y))]
    )
    mu = np.array([np.mean(group == "r"), np.mean(group == "b")])
    known = SupportFunction(
        y != 0, y != 1, data.delta_theta(data.data), sensitive_features=group,
        group_names=("r", "b"),
    )
    found = []
    for q in np.array(list(DIRECTIONS.values())):
        gain, decided = change @ q, delta @ (q / mu) > 0
        short = np.mean(np.maximum(gain, 0.0)) - np.mean(gain * decided)
        found.append(short / known.standard_error(q))
    return np.array([*found, seconds])


def frontier_nuisances(n_runs: int, n_jobs: int, seed: int = 8200) -> list[Table]:
    """Mean inward bias by learner."""
    n_runs = max(10, n_runs // 40)
    tables = []
    for design in DESIGNS:
        table = Table(
            f"Learners of nuisances, {design}; {n_runs} samples",
            ["n", "learner", *(f"inward bias {name}" for name in DIRECTIONS), "seconds a fit"],
            notes=["Bias of h in parts of its standard error; nuisances fitted on all n rows."],
        )
        for n in ROWS:
            seed += 1
            for name in LEARNERS:
                found = simulated(shortfalls, n_runs, n_jobs, seed, n, design, name).mean(axis=0)
                table.rows.append(
                    [f"{n:,}", name, *(f"{value:.2f}" for value in found[:3]), f"{found[3]:.3f}"]
                )
        tables.append(table)
    return tables
