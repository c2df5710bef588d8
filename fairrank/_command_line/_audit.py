"""``audit``: whether the burden of a score's errors is shared alike between groups."""

from __future__ import annotations

import argparse
from typing import Any

from fairrank._command_line import _labels as labels
from fairrank._command_line._answer import Answer
from fairrank._command_line._arguments import (
    EXIT_CODES,
    add_file,
    add_groups,
    add_label,
    add_outputs,
    columns_by_argument,
    part,
    whole,
)
from fairrank._command_line._audit_page import draw_audit
from fairrank._command_line._grouping import grouping
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._progress import Progress
from fairrank._command_line._table_reader import TableSource
from fairrank.inference import burden_curve, rgf_report

EXAMPLES = f"""\
examples:
  python -m fairrank audit loans.csv --label deny --score p --group race
  python -m fairrank audit loans.parquet --label outcome --pos-label denied --score p \\
      --group race --group sex --strata year --html audit.html --json audit.json
  python -m fairrank audit big.csv.gz --label y --score p --group race --draws 500 --jobs 2

{EXIT_CODES}"""
# Bands of the picture need no more draws than this.
BAND_DRAWS = 500
NULL_DRAWS = 200
# Rows times draws: some five minutes.
LONG_WORK = 2e9


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "audit", help="is the burden of a score's errors shared alike between groups?",
        description="Audit how a score's prediction error is shared between groups: RGF, tests "
        "by permutation,\nintervals, groups compared, and what it all says in plain language.",
        epilog=EXAMPLES,
    )
    add_file(parser)
    add_label(parser, what="the outcome: two labels")
    parser.add_argument(
        "--score", required=True, metavar="COLUMN",
        help="probability of the positive outcome, in [0, 1], best from rows not used to fit",
    )
    add_groups(parser)
    parser.add_argument(
        "--strata", action="append", default=[], metavar="COLUMN",
        help="groups change places inside these only (years, branches, folds); may be repeated",
    )
    parser.add_argument(
        "--weight", metavar="COLUMN", help="whole numbers: how often each row counts"
    )
    parser.add_argument("--burden", choices=("absolute", "squared"), default="absolute",
                        help="an error counts |label - score|, or its square (default: absolute)")
    parser.add_argument("--bins", type=whole(2), metavar="N",
                        help="how many ranges of score the test among rows of like score has "
                        "(default: 10, and 50 from 20,000 rows on)")
    drawing = parser.add_argument_group("draws")
    drawing.add_argument("--draws", type=whole(1), default=2000, metavar="N",
                         help="permutations of every test (default: 2000)")
    drawing.add_argument("--resamples", type=whole(2), default=2000, metavar="N",
                         help="bootstrap samples behind the intervals (default: 2000)")
    drawing.add_argument("--confidence-level", type=part, default=0.95, metavar="LEVEL",
                         help="of the intervals (default: 0.95)")
    drawing.add_argument("--seed", type=whole(0), default=0, metavar="N",
                         help="makes the draws repeatable (default: 0)")
    drawing.add_argument("--jobs", type=int, metavar="N",
                         help="threads; the numbers do not depend on it")
    parser.add_argument(
        "--fail-if-rejected", type=part, nargs="?", const=0.05, metavar="ALPHA",
        help="exit status 1 where p of the plain test is at most ALPHA (0.05 without a number)",
    )
    add_outputs(parser)
    parser.set_defaults(run=run, columns=columns)


def columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Columns by the arguments of the library that they are passed as."""
    return columns_by_argument(arguments, y_score=arguments.score)


def run(arguments: argparse.Namespace, source: TableSource, progress: Progress) -> Answer:
    """Read, audit."""
    numbers = [arguments.score] + ([arguments.weight] if arguments.weight else [])
    table = source.read(
        numbers=numbers, categories=[arguments.label, *arguments.group, *arguments.strata],
        told=progress.told,
    )
    y_true = labels.outcome(table, arguments.label, arguments.pos_label)
    grouped = grouping(table, arguments)
    given = {
        "sensitive_features": grouped.sensitive_features,
        "burden": arguments.burden,
        "strata": labels.strata(table, arguments.strata),
        "sample_weight": labels.weights(table, arguments.weight),
        "missing": grouped.missing,
        "n_bins": arguments.bins,
        "n_jobs": arguments.jobs,
        "random_state": arguments.seed,
        "confidence_level": arguments.confidence_level,
    }
    y_score = table.numbers[arguments.score]
    table.categories.clear()
    if table.n_rows * arguments.draws >= LONG_WORK:
        progress.noted(
            f"{arguments.draws:,} draws of {table.n_rows:,} rows take a while. Fewer may do: "
            "--draws 199 tells p to 0.005."
        )
    with progress.working(f"auditing {table.n_rows:,} rows, {arguments.draws:,} draws a test"):
        report = rgf_report(
            y_true, y_score, n_permutations=arguments.draws, n_resamples=arguments.resamples,
            n_null_draws=min(NULL_DRAWS, arguments.draws), **given,
        )

    def draw(page: HtmlPage) -> None:
        curve = None
        least = round(1.0 / (1.0 - arguments.confidence_level))
        with progress.working("drawing the pictures"):
            if arguments.draws >= least:
                curve = burden_curve(
                    y_true, y_score, n_permutations=min(BAND_DRAWS, arguments.draws), **given
                )
            draw_audit(page, report, curve)

    level = arguments.fail_if_rejected
    failed = level is not None and report.test.pvalue <= level
    return Answer(
        text=str(report), result=report.to_dict, draw=draw, gate_failed=failed
    )
