"""Rank graduation: the test, the score and the bootstrap against numpy and scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy_peers import (
    labels_shuffled,
    paths_of_all_groups,
    resample_by_counts,
    resample_sorted_again,
    rows_chosen,
)
from sklearn.metrics import roc_auc_score
from tables import Table
from timing import peak_memory, take_turns

from fairrank.inference import rgf_interval, rgf_test
from fairrank.metrics import aurgf_score, rgf_score

# The test rows of the paper's mortgage data, and the minority among them.
N_ROWS, N_MINORITY = 134_071, 12_562
N_PERMUTATIONS = 2000


def groups_of_sizes(sizes: list[int], rng: np.random.Generator) -> np.ndarray:
    """Integer groups of these sizes, shuffled."""
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def permutation_test(quick: bool) -> list[Table]:
    """`rgf_test` against a loop of O(n) draws in numpy."""
    rng = np.random.default_rng(0)
    burden = rng.beta(2, 6, N_ROWS)
    two = groups_of_sizes([N_ROWS - N_MINORITY, N_MINORITY], rng)
    half = groups_of_sizes([N_ROWS - N_ROWS // 2, N_ROWS // 2], rng)
    five = groups_of_sizes([N_ROWS - 53_000, 24_000, 14_000, 9000, 6000], rng)
    cases = [
        ("two groups, 9.37 %", burden, two),
        ("the same, ties (2 digits)", burden.round(2), two),
        ("balanced halves", burden, half),
        ("five groups", burden, five),
    ]
    rounds, n_numpy = (1, 6) if quick else (9, 10)
    table = Table(
        f"rgf_test, n = {N_ROWS:,}, B = {N_PERMUTATIONS}, one thread",
        ["case", "rgf_test s", "numpy s", "ratio", "of medians",
         "fastest numpy s", "ratio", "of medians"],
        notes=[
            "rgf_test: the whole public call with comparisons='none' (checks, sort, draws).",
            f"numpy: {n_numpy} draws a round in turn with rgf_test, {rounds} rounds; the best "
            f"round, times {N_PERMUTATIONS} over {n_numpy}. Sorted before the clock starts.",
            "numpy: Generator.permutation of float labels (the fastest of permutation, permuted, "
            "shuffle on float64, bool, uint8), one cumsum, centred difference, dot. Five groups: "
            "a cumsum for each.",
            "fastest numpy: Generator.choice(replace=False) of the rows outside the largest "
            "group, cumsum down columns, centring by inner products: see numpy_peers.rows_chosen.",
        ],
    )
    for name, values, group in cases:
        ordered = np.sort(values)
        plain = labels_shuffled if group.max() == 1 else paths_of_all_groups
        written = plain(ordered, group, np.random.default_rng(1))
        fastest = rows_chosen(ordered, group, np.random.default_rng(2))
        seconds = take_turns(
            {
                "fairrank": partial(
                    rgf_test, None, None, sensitive_features=group, burden=values,
                    n_permutations=N_PERMUTATIONS, comparisons="none", n_jobs=1, random_state=0,
                ),
                "numpy": partial(repeat, written, n_numpy),
                "fastest": partial(repeat, fastest, n_numpy),
            },
            rounds,
        )
        scale = N_PERMUTATIONS / n_numpy
        ours = seconds["fairrank"]
        loop, best = seconds["numpy"] * scale, seconds["fastest"] * scale
        table.rows.append(
            [
                name, ours.min(), loop.min(), f"{loop.min() / ours.min():.1f}x",
                f"{np.median(loop) / np.median(ours):.1f}x",
                best.min(), f"{best.min() / ours.min():.1f}x",
                f"{np.median(best) / np.median(ours):.1f}x",
            ]
        )
    return [table]


def repeat(run: Callable[[], object], times: int) -> None:
    """Call `run` so often."""
    for _ in range(times):
        run()


def score(quick: bool) -> list[Table]:
    """`rgf_score` against `roc_auc_score` on the same arrays."""
    n = 100_000 if quick else 1_000_000
    rng = np.random.default_rng(0)
    y_score = rng.beta(1, 4, n)
    y_true = (rng.random(n) < y_score).astype(np.int64)
    integers = (rng.random(n) < 0.0937).astype(np.int64)
    words = np.array(["majority", "minority"])[integers]
    groups = {
        "integers": integers,
        "numpy str": words,
        "object str": words.astype(object),
        "five integers": rng.integers(5, size=n),
    }
    rivals: dict[str, Callable] = {"roc_auc_score": partial(roc_auc_score, y_true, y_score)}
    for name, group in groups.items():
        rivals[name] = partial(rgf_score, y_true, y_score, sensitive_features=group)
    rounds = 3 if quick else 9
    seconds = take_turns(rivals, rounds)
    reference = seconds.pop("roc_auc_score")
    table = Table(
        f"rgf_score against sklearn.metrics.roc_auc_score, n = {n:,}, the same y and p",
        ["groups", "rgf_score ms", "roc_auc_score ms", "ratio of best", "ratio of medians"],
        notes=[f"In turn, {rounds} rounds; a ratio below 1 is faster than scikit-learn."],
    )
    for name, taken in seconds.items():
        table.rows.append(
            [
                name, 1e3 * taken.min(), 1e3 * reference.min(), taken.min() / reference.min(),
                np.median(taken) / np.median(reference),
            ]
        )
    return [table]


def bootstrap(quick: bool) -> list[Table]:
    """`rgf_interval` a draw against numpy that sorts each resample, and one that does not."""
    rng = np.random.default_rng(0)
    burden = np.sort(rng.beta(2, 6, N_ROWS))
    group = groups_of_sizes([N_ROWS - N_MINORITY, N_MINORITY], rng)
    n_draws, rounds = (20, 1) if quick else (200, 5)
    n_numpy = 10
    sorting = resample_sorted_again(burden, group, np.random.default_rng(1))
    counting = resample_by_counts(burden, group, np.random.default_rng(2))
    shuffled = rng.permutation(N_ROWS)
    seconds = take_turns(
        {
            "fairrank": partial(
                rgf_interval, None, None, sensitive_features=group[shuffled],
                burden=burden[shuffled], n_resamples=n_draws, n_jobs=1, random_state=0,
            ),
            "sorts": partial(repeat, sorting, n_numpy),
            "counts": partial(repeat, counting, n_numpy),
        },
        rounds,
    )
    ours = seconds["fairrank"] / n_draws
    table = Table(
        f"Group-stratified bootstrap, n = {N_ROWS:,}, one draw of RGF and centred RGF, one thread",
        ["who", "ms a draw", "times rgf_interval", "of medians"],
        [["rgf_interval", 1e3 * ours.min(), 1.0, 1.0]],
        [
            f"rgf_interval: the whole call with {n_draws} resamples, divided by {n_draws}; numpy: "
            f"{n_numpy} draws a round, in turn; best of {rounds} rounds.",
            "numpy by counts: bincount of the drawn rows, repeat of the sorted burdens, no sort "
            "(continuous burdens only: it does not pool ties between groups).",
        ],
    )
    for name, key in (("numpy, sorting each resample", "sorts"), ("numpy by counts", "counts")):
        taken = seconds[key] / n_numpy
        table.rows.append(
            [name, 1e3 * taken.min(), taken.min() / ours.min(), np.median(taken) / np.median(ours)]
        )
    return [table]


def growth(quick: bool) -> list[Table]:
    """Time against n log n and `np.argsort`, and peak memory, from 10^4 to 10^7 rows."""
    sizes = [10_000, 100_000] if quick else [10_000, 100_000, 1_000_000, 10_000_000]
    names = ["rgf_score", "aurgf_score", "rgf_test", "rgf_interval"]
    ratios = Table(
        "Time as a multiple of np.argsort of the burdens",
        ["n", "argsort ms", "rgf_score", "aurgf_score", "rgf_test B=200", "rgf_interval B=20"],
        notes=["9.37 % minority, continuous burdens, integer groups, one thread. Best of 5, 5, 3 "
               "and (10^7 rows) 1 rounds in turn."],
    )
    rates = Table(
        "Nanoseconds per n log2(n)",
        ["n", "argsort", "rgf_score", "aurgf_score", "rgf_test B=200", "rgf_interval B=20"],
        notes=["A level column means n log n; what is linear in n falls, caches missed raise it."],
    )
    memory = Table(
        "Peak memory beyond the input, bytes a row (tracemalloc)",
        ["n", "argsort", "rgf_score", "aurgf_score", "rgf_test B=200", "rgf_interval B=20"],
        notes=["The input holds 16 bytes a row: burden and group."],
    )
    for n in sizes:
        rng = np.random.default_rng(0)
        burden = rng.beta(2, 6, n)
        group = (rng.random(n) < 0.0937).astype(np.int64)
        given = {"sensitive_features": group, "burden": burden}
        drawn = given | {"n_jobs": 1, "random_state": 0}
        rivals: dict[str, Callable] = {
            "argsort": partial(np.argsort, burden),
            "rgf_score": partial(rgf_score, None, None, **given),
            "aurgf_score": partial(aurgf_score, None, None, **given),
            "rgf_test": partial(rgf_test, None, None, **drawn, n_permutations=200),
            "rgf_interval": partial(rgf_interval, None, None, **drawn, n_resamples=20),
        }
        rounds = 1 if n >= 10**7 else 3 if n >= 10**6 else 5
        seconds = take_turns(rivals, rounds, warm_up=n < 10**7)
        best = {name: taken.min() for name, taken in seconds.items()}
        sort = best["argsort"]
        ratios.rows.append([f"{n:,}", 1e3 * sort, *(best[name] / sort for name in names)])
        per = 1e9 / (n * np.log2(n))
        rates.rows.append([f"{n:,}", *(per * best[name] for name in rivals)])
        memory.rows.append([f"{n:,}", *(peak_memory(run) / n for run in rivals.values())])
    return [ratios, rates, memory]


BENCHMARKS = {
    "rgf_test": permutation_test,
    "rgf_score": score,
    "rgf_bootstrap": bootstrap,
    "rgf_growth": growth,
}
