"""Check the statistics by simulation and print tables.

    python benchmarks/monte_carlo.py size|coverage|power|pairs|simulation|removal_coverage|
        frontier_corners|frontier_gain|frontier_inward_bias|frontier_nuisances|
        frontier_other_information|frontier_selective_labels|
        frontier_tests|frontier_tests_5000|frontier_tests_10000|frontier_tests_true_theta|
        frontier_tests_boosting|frontier_tests_inner_folds|memory_growth
        [--runs 4000] [--jobs 2] [--record]

The other studies take a part of --runs, which their titles state; the simulation has 8 seeds.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from studies.coverage import coverage  # noqa: E402
from studies.frontier_corners import frontier_corners  # noqa: E402
from studies.frontier_gain import frontier_gain  # noqa: E402
from studies.frontier_inward_bias import frontier_inward_bias  # noqa: E402
from studies.frontier_nuisances import frontier_nuisances  # noqa: E402
from studies.frontier_other_information import frontier_other_information  # noqa: E402
from studies.frontier_selective_labels import frontier_selective_labels  # noqa: E402
from studies.frontier_tests import (  # noqa: E402
    frontier_tests,
    frontier_tests_5000,
    frontier_tests_10000,
    frontier_tests_boosting,
    frontier_tests_inner_folds,
    frontier_tests_true_theta,
)
from studies.memory_growth import memory_growth  # noqa: E402
from studies.pairs import pairs  # noqa: E402
from studies.power import power  # noqa: E402
from studies.removal_coverage import removal_coverage  # noqa: E402
from studies.simulation import simulation  # noqa: E402
from studies.size import size  # noqa: E402
from tables import write_result  # noqa: E402

STUDIES = {
    "size": size, "coverage": coverage, "power": power, "pairs": pairs, "simulation": simulation,
    "removal_coverage": removal_coverage,
    "frontier_corners": frontier_corners,
    "frontier_gain": frontier_gain,
    "frontier_inward_bias": frontier_inward_bias,
    "frontier_nuisances": frontier_nuisances,
    "frontier_selective_labels": frontier_selective_labels,
    "frontier_other_information": frontier_other_information,
    "frontier_tests": frontier_tests,
    "frontier_tests_5000": frontier_tests_5000,
    "frontier_tests_10000": frontier_tests_10000,
    "frontier_tests_boosting": frontier_tests_boosting,
    "frontier_tests_inner_folds": frontier_tests_inner_folds,
    "frontier_tests_true_theta": frontier_tests_true_theta,
    "memory_growth": memory_growth,
}


def main() -> None:
    """Read the command line, simulate, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument("--runs", type=int, default=4000, help="samples a cell (of size)")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results/STUDY.md")
    options = parser.parse_args()
    start = time.perf_counter()
    tables = STUDIES[options.study](options.runs, options.jobs)
    print(f"# {options.study}\n", *tables, sep="\n", flush=True)
    minutes = (time.perf_counter() - start) / 60.0
    if options.record:
        command = f"python benchmarks/monte_carlo.py {shlex.join(sys.argv[1:])}"
        remarks = [f"Took {minutes:.1f} minutes in {options.jobs} processes of one thread."]
        write_result(options.study, tables, command, remarks)


if __name__ == "__main__":
    main()
