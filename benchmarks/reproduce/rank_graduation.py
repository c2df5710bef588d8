"""Run the experiments of the rank graduation paper (arXiv 2609.39025) and judge its numbers.

    FAIRRANK_DATA=folder python benchmarks/reproduce/rank_graduation.py
        [--rows N] [--jobs 2] [--record]

Table 1 is simulated. Tables 2 to 6 run on ``hmda_ny_2023`` and ``hmda_us_2022_2024_200k`` where
FAIRRANK_DATA names a folder that holds them, on Boston HMDA otherwise.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
import warnings
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# The networks stop after their epochs by design; worker processes read the environment.
UNFINISHED = "Stochastic Optimizer"
os.environ["PYTHONWARNINGS"] = f"ignore:{UNFINISHED}"
warnings.filterwarnings("ignore", UNFINISHED)
sys.path.insert(0, str(Path(__file__).parents[1]))  # tables and studies lie one folder up

import numpy as np  # noqa: E402
from tables import Table, write_result  # noqa: E402

from reproduce import published as paper  # noqa: E402
from reproduce.audited_models import SEED, audited_balanced, audited_with_removal  # noqa: E402
from reproduce.lending_models import lending_models, weighted_forest  # noqa: E402
from reproduce.lending_sets import LendingSet, lending_sets  # noqa: E402
from reproduce.lending_tables import audit_table, removal_table, threshold_table  # noqa: E402
from reproduce.lending_verdicts import (  # noqa: E402
    LendingFindings,
    claim_table,
    lending_verdicts,
)
from reproduce.simulated_tables import simulated  # noqa: E402
from reproduce.verdicts import arithmetic_table, count_table, verdict_table  # noqa: E402


def shown(tables: list[Table]) -> list[Table]:
    """Print tables as soon as they are there."""
    print(*tables, sep="\n", flush=True)
    return tables


def some_rows(lending: LendingSet, n_rows: int | None) -> LendingSet:
    """A random part for a quick look, or all."""
    if n_rows is None or n_rows >= lending.denied.size:
        return lending
    chosen = np.random.default_rng(0).choice(lending.denied.size, n_rows, replace=False)
    return lending.rows(np.sort(chosen))


def lending(one: LendingSet, n_jobs: int) -> tuple[LendingFindings, list[Table]]:
    """Tables 2 to 6 on one set."""
    guess = {paper.WEIGHTED: weighted_forest(one)}
    asked = [feature for feature in paper.TABLES_3_4 if feature in one.X]
    (weighted,) = audited_with_removal(one, guess, n_jobs, asked or None)
    found = LendingFindings(
        one, audited_with_removal(one, lending_models(one), n_jobs),
        audited_balanced(one, n_jobs), weighted,
    )
    unbalanced = [*found.unbalanced, weighted]
    return found, [
        audit_table(f"Table 2 in kind: {one.name}", one, unbalanced, paper.TABLE_2),
        removal_table(one, unbalanced),
        audit_table(f"Table 5 in kind, majority undersampled: {one.name}", one.balanced(SEED),
                    found.balanced, paper.TABLE_5),
        threshold_table(one, unbalanced),
    ]


def main() -> None:
    """Read the command line, run, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, help="at most so many rows of every lending set")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--record", action="store_true",
                        help="write benchmarks/results/reproduce_rank_graduation.md")
    options = parser.parse_args()
    start = time.perf_counter()
    sets = [some_rows(one, options.rows) for one in lending_sets()]
    tables, verdicts = simulated(options.jobs)
    shown(tables)
    findings = []
    for one in sets:
        found, parts = lending(one, options.jobs)
        findings.append(found)
        tables += shown(parts)
    verdicts += lending_verdicts(findings)
    names = ["simulation", *(one.name for one in sets)]
    judged = shown([count_table(verdicts), claim_table(findings), arithmetic_table(),
                    verdict_table(verdicts, names)])
    minutes = (time.perf_counter() - start) / 60.0
    print(f"{minutes:.1f} minutes")
    if options.record:
        command = f"python benchmarks/reproduce/rank_graduation.py {shlex.join(sys.argv[1:])}"
        data = "named a folder with both files" if "FAIRRANK_DATA" in os.environ else "was not set"
        remarks = [f"FAIRRANK_DATA {data}.",
                   f"Took {minutes:.1f} minutes in {options.jobs} processes of one thread."]
        write_result("reproduce_rank_graduation", [*judged, *tables], command, remarks)


if __name__ == "__main__":
    main()
