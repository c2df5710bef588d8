"""Ten million rows: seconds and memory of each main job, in a process of its own.

    python benchmarks/run.py --only ten_million_rows [--quick] [--record]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tables import Table

from fairrank.frontier import SupportFunction
from fairrank.inference import rgf_test
from fairrank.metrics import rgf_score, xauc_disparity
from fairrank.ranking import fair_ordering
from fairrank.welfare import welfare_optimal_policy

N_ROWS = 10_000_000
STATUS, CLEAR_REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def scored(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcomes, scores and groups: a byte, a double and a byte a row."""
    rng = np.random.default_rng(0)
    score = rng.random(n)
    y = (rng.random(n) < score).astype(np.uint8)
    return y, score, (rng.random(n) < 0.3).astype(np.uint8)


def rank_graduation(n: int) -> Callable[[], Any]:
    y, score, group = scored(n)
    return lambda: rgf_score(y, score, sensitive_features=group)


def permutation_test(n: int) -> Callable[[], Any]:
    y, score, group = scored(n)
    return lambda: rgf_test(
        y, score, sensitive_features=group, n_permutations=99, n_jobs=1, random_state=0
    )


def xauc(n: int) -> Callable[[], Any]:
    y, score, group = scored(n)
    return lambda: xauc_disparity(y, score, sensitive_features=group)


def ordering(n: int) -> Callable[[], Any]:
    y, score, group = scored(n)
    return lambda: fair_ordering(y, score, sensitive_features=group, max_disparity=0.01)


def policy(n: int) -> Callable[[], Any]:
    _, score, group = scored(n)
    revenue = 2.0 * score - 1.0
    return lambda: welfare_optimal_policy(revenue, score, sensitive_features=group)


def support(n: int) -> Callable[[], Any]:
    y, score, group = scored(n)
    loss_0, loss_1 = (y == 1).astype(np.float64), (y == 0).astype(np.float64)
    delta = np.empty((n, 2))
    delta[:, 0], delta[:, 1] = 0.7 * (1.0 - 2.0 * score), 0.3 * (1.0 - 2.0 * score**2)
    return lambda: SupportFunction(
        loss_0, loss_1, delta, sensitive_features=group
    ).h([-1.0, -1.0])


JOBS = {
    "rgf_score": rank_graduation, "rgf_test, 99 permutations": permutation_test,
    "xauc_disparity": xauc, "fair_ordering, |D| at most 0.01": ordering,
    "welfare_optimal_policy": policy, "SupportFunction and h in one direction": support,
}


def kilobytes(field: str) -> int:
    """What the system says of this process."""
    (line,) = (one for one in STATUS.read_text().splitlines() if one.startswith(field))
    return int(line.split()[1])


def measured(name: str, n: int) -> dict[str, float]:
    """Seconds, and bytes a row that were held before and at most beyond that."""
    small = JOBS[name](1000)
    small()  # imports and first calls are not what is measured
    run = JOBS[name](n)
    CLEAR_REFS.write_text("5")  # forget the peak so far
    before = kilobytes("VmRSS")
    start, spent = time.perf_counter(), time.process_time()
    run()
    return {
        "seconds": time.perf_counter() - start, "cpu": time.process_time() - spent,
        "held": 1024.0 * before / n, "more": 1024.0 * (kilobytes("VmHWM") - before) / n,
    }


def ten_million_rows(quick: bool) -> list[Table]:
    """Each job once, alone in a process."""
    n = N_ROWS // 100 if quick else N_ROWS
    table = Table(
        f"n = {n:,}, two groups, one thread, once",
        ["what", "seconds", "CPU seconds", "CPU ns a row", "bytes a row of input",
         "bytes a row beyond it"],
        notes=[
            "CPU seconds are those of the process; others shared the machine. Input: what the "
            "process held before the call, Python and libraries included. Beyond it: the peak of "
            "resident memory during the call, less that.",
            "Scores are continuous, so that every row is a step or an arc of its own; 30 % of the "
            "rows are of the second group.",
        ],
    )
    for name in JOBS:
        answer = subprocess.run(
            [sys.executable, __file__, name, str(n)], capture_output=True, text=True,
            check=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        found = json.loads(answer.stdout)
        table.rows.append([
            name, found["seconds"], found["cpu"], 1e9 * found["cpu"] / n, found["held"],
            found["more"],
        ])
        print("  ", table.rows[-1], flush=True)
    return [table]


BENCHMARKS = {"ten_million_rows": ten_million_rows}

if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
