"""Ranking metrics against `roc_auc_score`, and the hull solver against the sort before it."""

from __future__ import annotations

from functools import partial

import numpy as np
from fairrank.ranking._absolute import find_kink, two_split
from sklearn.metrics import roc_auc_score
from tables import Table
from timing import take_turns

from fairrank.metrics import prf_disparity, ranking_disparity, urf_disparity, xauc_disparity
from fairrank.ranking._hull import HullSolver
from fairrank.ranking._steps import Chain, Pair


def scored_rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, score and group of n rows: group 1 is rarer, scored lower, and less positive."""
    rng = np.random.default_rng(seed)
    group = (rng.random(n) < 0.3).astype(np.int64)
    outcome = (rng.random(n) < np.where(group == 1, 0.3, 0.5)).astype(np.int64)
    return outcome, outcome + rng.normal(size=n) - 0.5 * group, group


def metrics(quick: bool) -> list[Table]:
    """The disparities on a million rows."""
    n = 100_000 if quick else 1_000_000
    y, score, group = scored_rows(n)
    rivals = {"roc_auc_score": partial(roc_auc_score, y, score)}
    for metric in (xauc_disparity, prf_disparity, urf_disparity, ranking_disparity):
        rivals[metric.__name__] = partial(metric, y, score, sensitive_features=group)
    seconds = take_turns(rivals, 3 if quick else 7)
    reference = seconds["roc_auc_score"].min()
    table = Table(
        f"Two groups, n = {n:,}, the same arrays", ["who", "ms", "times roc_auc_score"],
        notes=["ranking_disparity adds standard errors and the AUC."],
    )
    for name, taken in seconds.items():
        table.rows.append([name, 1e3 * taken.min(), taken.min() / reference])
    return [table]


def hull(quick: bool) -> list[Table]:
    """Pooling, kink and two-split of sorted chains, and the gap that is left."""
    table = Table(
        "Hull solver with the two-split finish, xAUC, trade-off 1, continuous scores",
        ["n", "argsort ms", "solver ms", "solver / argsort", "gap to the bound"],
        notes=["Solver: everything after the chains are sorted. Best of the rounds in turn."],
    )
    for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        y, score, group = scored_rows(n)
        weight = np.ones(n)
        chains = [Chain.of(score, y, weight, np.flatnonzero(group == g)) for g in (0, 1)]

        def solved(chains: list[Chain] = chains) -> float:
            pair = Pair(*chains, "xauc")
            kink = find_kink(HullSolver(pair), -1.0, 1.0, 0.0)
            return kink.bound - two_split(pair, kink, 1.0, 0.0).penalised(1.0)

        seconds = take_turns({"sort": partial(np.argsort, score), "solve": solved}, 5)
        sort, solve = seconds["sort"].min(), seconds["solve"].min()
        table.rows.append([f"{n:,}", 1e3 * sort, 1e3 * solve, solve / sort, f"{solved():.1e}"])
    return [table]


BENCHMARKS = {"ranking_metrics": metrics, "hull_solver": hull}
