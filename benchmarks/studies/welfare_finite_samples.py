"""Welfare-equal policies from finite samples: print tables.

    python benchmarks/studies/welfare_finite_samples.py
        [--only held_out smoothing disadvantaged promised_size] [--runs 400] [--jobs 2] [--record]

Records into benchmarks/results/welfare_STUDY.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# tables.py lies one folder up, and the folder of studies too.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from tables import write_result  # noqa: E402

from studies.welfare_disadvantaged import disadvantaged  # noqa: E402
from studies.welfare_held_out import held_out  # noqa: E402
from studies.welfare_promised_size import promised_size  # noqa: E402
from studies.welfare_smoothing import smoothing  # noqa: E402

STUDIES = {
    "held_out": held_out, "smoothing": smoothing, "disadvantaged": disadvantaged,
    "promised_size": promised_size,
}


def main() -> None:
    """Read the command line, simulate, print, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(STUDIES), metavar="STUDY",
                        help=f"some of: {', '.join(STUDIES)}")
    parser.add_argument("--runs", type=int, default=400, help="samples a cell")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results")
    options = parser.parse_args()
    for name in options.only or STUDIES:
        start = time.perf_counter()
        tables = STUDIES[name](options.runs, options.jobs)
        print(f"# welfare_{name}\n", *tables, sep="\n", flush=True)
        minutes = (time.perf_counter() - start) / 60.0
        if options.record:
            arguments = shlex.join(sys.argv[1:])
            command = f"python benchmarks/studies/welfare_finite_samples.py {arguments}"
            remarks = [f"Took {minutes:.1f} minutes in {options.jobs} processes of one thread."]
            write_result(f"welfare_{name}", tables, command, remarks)


if __name__ == "__main__":
    main()
