"""Repeat the health application of the frontier paper (arXiv 2402.08879) on the hold-out rows.

    FAIRRANK_DATA=folder python benchmarks/reproduce/frontier_health.py [--seeds 10] [--record]
        [--figures DIR]

FAIRRANK_DATA names a folder that holds obermeyer_synth_holdout.csv.gz: 16,099 of the paper's
48,784 patients, and of its 149 covariates none, but the four scores that were made of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# tables.py lies one folder up.
sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from frontier_health_data import health_data  # noqa: E402
from frontier_health_figures import draw_frontiers  # noqa: E402
from frontier_health_shares import SHOWN, condition_table, share_table, thresholds  # noqa: E402
from frontier_health_tests import (  # noqa: E402
    all_frontiers,
    decision_table,
    distance_table,
    distances,
    frontier_table,
    lda_tests,
    risk_table,
    seed_table,
)
from frontier_health_verdicts import HERE, verdicts  # noqa: E402
from tables import Table, write_result  # noqa: E402
from verdicts import count_table, verdict_table  # noqa: E402

DIFFERENCES = (
    "Why numbers differ from the paper's: the hold-out third of the patients (its percentiles "
    "are their own); X is the four scores (original, and predicted cost, avoidable cost and "
    "conditions, learnt on the other patients) in place of 149 covariates; learners other than "
    "its forests of 5000 trees; data that are synthetic in both.",
    "Nothing of the outcome's year is in X: neither conditions, costs and enrolment, nor the two "
    "predicted counts that repeat that year's to .9999.",
    "Printed numbers are quoted from the paper's text, and its Tables II and III as far as they "
    "were at hand: the distances and the shares below the 97th percentile were not.",
)


def application(n_seeds: int, figures: Path | None = None) -> list[Table]:
    """All tables, verdicts first."""
    data = health_data()
    frontiers = all_frontiers(data)
    if figures is not None:
        draw_frontiers(data, frontiers, figures)
    tests, far = lda_tests(frontiers, data), distances(frontiers, data)
    found = {learner: thresholds(data, learner, frontiers[learner]) for learner in SHOWN}
    judged = verdicts(data, frontiers, tests, far, found)
    return [
        count_table(judged), risk_table(data, tests), decision_table(data, tests),
        seed_table(data, n_seeds), distance_table(far), frontier_table(frontiers),
        *(share_table(learner, rows) for learner, rows in found.items()),
        condition_table(data, frontiers), verdict_table(judged, [HERE]),
    ]


def main() -> None:
    """Read the command line, run, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="of folds; forests take a quarter")
    parser.add_argument("--figures", type=Path, help="folder for pictures of the frontiers")
    parser.add_argument("--record", action="store_true",
                        help="write benchmarks/results/frontier_health.md")
    options = parser.parse_args()
    start = time.perf_counter()
    tables = application(options.seeds, options.figures)
    print(*tables, sep="\n", flush=True)
    minutes = (time.perf_counter() - start) / 60.0
    print(f"{minutes:.1f} minutes")
    if options.record:
        command = "python benchmarks/reproduce/frontier_health.py"
        if options.seeds != parser.get_default("seeds"):
            command += f" --seeds {options.seeds}"
        remarks = [f"Took {minutes:.1f} minutes in 1 process of one thread, on a machine in use.",
                   *DIFFERENCES]
        write_result("frontier_health", tables, command, remarks)


if __name__ == "__main__":
    main()
