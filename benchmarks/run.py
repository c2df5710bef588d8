"""Run the timing benchmarks and print their tables.

    python benchmarks/run.py [--only NAME ...] [--quick] [--record]

Every module ``bench_*.py`` beside this file names its benchmarks in ``BENCHMARKS``; each is a
function of `quick` that returns tables.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from importlib import import_module
from pathlib import Path

from tables import write_result

# Before the benchmarks import numpy: a ratio between one thread and a pool says nothing.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

REMARKS = [
    "One thread everywhere (OMP_NUM_THREADS=1, n_jobs=1). Rivals take turns in one process; read "
    "the ratios, not the times.",
]


def all_benchmarks() -> dict:
    """Every benchmark by name, in the order of the files."""
    found: dict = {}
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        found |= import_module(path.stem).BENCHMARKS
    return found


def main() -> None:
    """Read the command line, run, print, record."""
    benchmarks = all_benchmarks()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(benchmarks), metavar="NAME",
                        help=f"some of: {', '.join(benchmarks)}")
    parser.add_argument("--quick", action="store_true", help="smaller and rougher")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results/NAME.md")
    options = parser.parse_args()
    for name in options.only or benchmarks:
        tables = benchmarks[name](options.quick)
        print(f"# {name}\n", *tables, sep="\n", flush=True)
        if options.record:
            command = f"python benchmarks/run.py {shlex.join(sys.argv[1:])}"
            write_result(name, tables, command, REMARKS)


if __name__ == "__main__":
    main()
