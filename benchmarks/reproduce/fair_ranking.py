"""Repeat the fair-ranking experiments of the xOrder paper and print tables.

    FAIRRANK_DATA=... python benchmarks/reproduce/fair_ranking.py
        J splits groups subsample rows xroc [--record] [--quick] [--jobs 2]
        [--figures DIR] [--cache DIR]

FAIRRANK_DATA names a folder that holds xorder/. --quick takes 2 splits instead of 10; --figures
draws the xROC curves; --cache DIR keeps finished splits, so that a run that was cut goes on.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# tables.py lies one folder up.
sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from fair_ranking_sizes import groups, subsample, training_rows  # noqa: E402
from fair_ranking_splits import splits  # noqa: E402
from fair_ranking_tables import objectives, xroc  # noqa: E402
from tables import write_result  # noqa: E402
from xorder_data import data_folder  # noqa: E402

STUDIES = {
    "J": objectives, "splits": splits, "groups": groups, "subsample": subsample,
    "rows": training_rows, "xroc": xroc,
}


def main() -> None:
    """Read the command line, run, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="+", choices=list(STUDIES), metavar="study")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--quick", action="store_true", help="2 splits")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results")
    parser.add_argument("--figures", type=Path, help="folder for the pictures of xroc")
    parser.add_argument("--cache", type=Path, help="folder for finished splits")
    options = parser.parse_args()
    data_folder()
    n_splits = 2 if options.quick else 10
    for name in options.studies:
        study = STUDIES[name]
        if name == "xroc":
            study = partial(study, figures=options.figures)
        if name == "splits":
            study = partial(study, cache=options.cache)
        start = time.perf_counter()
        tables = study(n_splits, options.jobs)
        print(f"# fair_ranking_{name}\n", *tables, sep="\n", flush=True)
        minutes = (time.perf_counter() - start) / 60.0
        if options.record:
            quick = " --quick" if options.quick else ""
            command = f"python benchmarks/reproduce/fair_ranking.py {name}{quick}"
            taken = (
                "Splits were kept from earlier runs: this time says nothing."
                if name == "splits" and options.cache else "On a machine in use."
            )
            remarks = [f"Took {minutes:.1f} minutes in {options.jobs} process(es) of one thread. "
                       f"{taken}"]
            write_result(f"fair_ranking_{name}", tables, command, remarks)


if __name__ == "__main__":
    main()
