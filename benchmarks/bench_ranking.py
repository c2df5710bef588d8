"""Ranking metrics against `roc_auc_score`, and the solvers against the sort before them."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np
from fairrank._kernels.best_first import best_first
from sklearn.metrics import roc_auc_score
from tables import Table
from timing import take_turns

from fairrank.metrics import prf_disparity, ranking_disparity, urf_disparity, xauc_disparity
from fairrank.metrics._ranking_sample import DISPARITIES
from fairrank.ranking import fair_ordering, fair_ordering_path
from fairrank.ranking._lattice import lattice_order
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Chain, Pair
from fairrank.ranking._two_chains import solve_pair


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


def sorted_chains(score: np.ndarray, y: np.ndarray, group: np.ndarray) -> list[Chain]:
    """Both groups' rows as chains, each sorted by itself."""
    code = y.astype(np.uint16)
    return [Chain.of(score, code, None, np.flatnonzero(group == g)) for g in (0, 1)]


def hull(quick: bool) -> list[Table]:
    """Pooling, kink and finish of sorted chains, the whole call, and the gap that is left."""
    table = Table(
        "solver=\"hull\", xAUC, trade-off 1, continuous scores, 30 % minority",
        ["n", "argsort ms", "solver ms", "solver / argsort", "call ms", "own sort ms",
         "(call - own sort) / argsort", "(call - argsort) / argsort", "gap"],
        notes=[
            "argsort: np.argsort of the scores. Own sort: the one sort that the call makes, by "
            "radix, of the same scores.",
            "Solver: prefix sums, pooling, kink and finish of chains that are sorted.",
            "Call: fair_ordering with its checks, sort, maps, and values before and after. Below "
            "0 in the last ratio: the call takes less time than np.argsort alone.",
            "Best of the rounds in turn. finish=\"auto\" ends with the split once the gap is "
            "below 1e-6, and searches labels otherwise.",
        ],
    )
    sizes = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000, 10_000_000)
    for n in sizes:
        y, score, group = scored_rows(n)
        chains = sorted_chains(score, y, group)

        def solved(chains: list[Chain] = chains) -> float:
            # Steps without the sums that an earlier round has cached.
            pair = Pair(*(replace(chain) for chain in chains), "xauc")
            found = solve_pair(pair, Objective(1.0))
            return found.bound - found.value

        rivals = {
            "sort": partial(np.argsort, score),
            "solve": solved,
            "call": partial(fair_ordering, y, score, sensitive_features=group, trade_off=1.0),
            "own": partial(best_first, score),
        }
        seconds = take_turns(rivals, 3 if n > 10**6 else 7)
        sort, solve, call, own = (seconds[name].min() for name in rivals)
        table.rows.append(
            [f"{n:,}", 1e3 * sort, 1e3 * solve, solve / sort, 1e3 * call, 1e3 * own,
             (call - own) / sort, (call - sort) / sort, f"{solved():.1e}"]
        )
    return [table]


def hull_finishes(quick: bool) -> list[Table]:
    """The gap before and after labels, by size and disparity."""
    table = Table(
        "Gap to the bound by finish, trade-off 1, mean over seeds",
        ["n", "disparity", "two_split", "labels", "proven", "two_split ms", "labels ms"],
        notes=["proven: share of the seeds in which the order is the best of all."],
    )
    for n in (100, 1000, 10_000) if quick else (100, 1000, 10_000, 100_000):
        for disparity in DISPARITIES:
            gaps: dict[str, list] = {"two_split": [], "labels": []}
            proven, times = [], {"two_split": [], "labels": []}
            for seed in range(3 if n > 10_000 else 10):
                y, score, group = scored_rows(n, seed)
                chains = sorted_chains(score, y, group)
                for finish, found in gaps.items():
                    pair = Pair(*(replace(chain) for chain in chains), disparity)
                    start = perf_counter()
                    solved = solve_pair(pair, Objective(1.0), finish=finish)
                    times[finish].append(perf_counter() - start)
                    found.append(solved.bound - solved.value)
                proven.append(solved.proven)
            table.rows.append(
                [f"{n:,}", disparity, *(f"{np.mean(found):.1e}" for found in gaps.values()),
                 np.mean(proven), *(1e3 * np.median(taken) for taken in times.values())]
            )
    return [table]


def lattice(quick: bool) -> list[Table]:
    """Algorithm 1 on square lattices, and the memory it takes."""
    table = Table(
        "solver=\"lattice\", xAUC, trade-off 1",
        ["steps a side", "ms", "ns a cell", "bytes a cell"],
        notes=["Bytes: the peak that numpy's allocations reach, over the cells."],
    )
    for side in (500, 1000) if quick else (500, 1000, 2000, 4000):
        rng = np.random.default_rng(0)
        n = 2 * side
        group = np.arange(n) % 2
        y = (rng.random(n) < 0.3 + 0.2 * group).astype(np.int64)
        chains = sorted_chains(y + rng.normal(size=n) - 0.5 * group, y, group)
        pair = Pair(*chains, "xauc")
        seconds = take_turns({"lattice": partial(lattice_order, pair, 1.0)}, 5)["lattice"].min()
        tracemalloc.start()
        lattice_order(pair, 1.0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        table.rows.append([f"{side:,}", 1e3 * seconds, 1e9 * seconds / side**2, peak / side**2])
    return [table]


def path(quick: bool) -> list[Table]:
    """Fifty points of a path against one ordering."""
    table = Table(
        "fair_ordering_path with 50 points against one fair_ordering, xAUC, two_split",
        ["n", "one ms", "path ms", "path / one", "largest gap"],
    )
    for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        y, score, group = scored_rows(n)
        known = {"sensitive_features": group, "finish": "two_split"}
        rivals = {
            "one": partial(fair_ordering, y, score, max_disparity=0.01, **known),
            "path": partial(fair_ordering_path, y, score, **known),
        }
        seconds = take_turns(rivals, 3)
        one, whole = (seconds[name].min() for name in rivals)
        found = fair_ordering_path(y, score, **known)
        gap = (found.upper_bound - found.auc)[:-1].max()
        table.rows.append([f"{n:,}", 1e3 * one, 1e3 * whole, whole / one, f"{gap:.1e}"])
    return [table]


BENCHMARKS = {
    "ranking_metrics": metrics, "hull_solver": hull, "hull_finishes": hull_finishes,
    "lattice_solver": lattice, "fair_ordering_path": path,
}
