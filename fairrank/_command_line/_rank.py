"""``rank``: the order of a scored file that loses least AUC for a smaller disparity."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

import numpy as np

from fairrank._command_line import _labels as labels
from fairrank._command_line._answer import Answer, group_list, group_name, number, short
from fairrank._command_line._arguments import (
    EXIT_CODES,
    WHOLE_WEIGHTS,
    add_file,
    add_groups,
    add_label,
    add_outputs,
    columns_by_argument,
)
from fairrank._command_line._grouping import grouping
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._inline_svg import has_matplotlib, inline_svg
from fairrank._command_line._progress import Progress
from fairrank._command_line._table_reader import TableSource
from fairrank._command_line._written_rows import check_new_column, write_with_column
from fairrank._sensitive import encode_seen_groups
from fairrank.ranking import FairOrdering, XROCDisplay, fair_ordering

EXAMPLES = f"""\
examples:
  python -m fairrank rank scored.csv --label y --score p --group race --max-disparity 0.02 \\
      --output fair.csv
  python -m fairrank rank scored.parquet --label y --score p --group race --disparity prf \\
      --trade-off 1 --output fair.parquet --html rank.html
With neither --max-disparity nor --trade-off the smallest disparity that is found is taken.

{EXIT_CODES}"""
WIDTH = 96
SOLVERS = ("hull", "lattice", "calibrated")
SPELLED = {
    "xauc": "the difference between the chances that a positive (outcome 1) of one group outranks "
    "a negative (outcome 0) of the other",
    "prf": "the difference between the chances that a positive (outcome 1) of a group outranks a "
    "negative (outcome 0) of anybody",
    "urf": "the difference between the chances that a member of one group outranks one of the "
    "other, whatever their outcomes",
}
# Of each outcome; below it a chance of outranking is known to a tenth at best.
FEW_ROWS = 30
# The picture needs no more corners than this of a curve that has one a row.
PICTURE_ROWS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallGroup:
    """A group that is too small for its disparity to mean much.

    Attributes
    ----------
    group : object
    n_positive, n_negative : int
    """

    group: Any
    n_positive: int
    n_negative: int


def small_groups(
    y_true: np.ndarray, sensitive_features: Any, groups: tuple
) -> tuple[SmallGroup, ...]:
    """Groups with few rows of either outcome."""
    code = encode_seen_groups(sensitive_features, groups)
    size = np.bincount(code, minlength=len(groups))
    positive = np.bincount(code[y_true == 1], minlength=len(groups))
    return tuple(
        SmallGroup(group=group, n_positive=int(ones), n_negative=int(n - ones))
        for group, ones, n in zip(groups, positive, size) if min(ones, n - ones) < FEW_ROWS
    )


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "rank", help="the order that loses least AUC for a smaller disparity between groups",
        description="Interleave the groups of a scored file so that AUC suffers least from a "
        "smaller disparity.\nInside a group the order by score is kept.",
        epilog=EXAMPLES,
    )
    add_file(parser)
    add_label(parser, what="the outcome: two labels")
    parser.add_argument("--score", required=True, metavar="COLUMN",
                        help="the higher, the more it speaks for the positive outcome")
    add_groups(parser)
    parser.add_argument("--disparity", choices=("xauc", "prf", "urf"), default="xauc",
                        help="what is to be small: xauc compares positives with negatives of "
                        "the other group, prf with everybody's, urf members whatever their "
                        "outcome (default: xauc)")
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--max-disparity", type=float, metavar="X",
                       help="best AUC among orders with at most this disparity, in [0, 1]")
    asked.add_argument("--trade-off", type=float, metavar="L",
                       help="largest AUC - L * disparity; L is at least 0")
    parser.add_argument("--solver", choices=SOLVERS, default="hull",
                        help="hull: best for these rows; calibrated: best for new ones; lattice: "
                        "of the paper (default: hull)")
    parser.add_argument("--weight", metavar="COLUMN", help=WHOLE_WEIGHTS)
    parser.add_argument("--output", metavar="FILE",
                        help="copy of the file with the fair score: csv, csv.gz or parquet")
    parser.add_argument("--output-column", default="fair_score", metavar="NAME",
                        help="name of the column with the fair score, in (0, 1); empty where "
                        "a row is left out (default: fair_score)")
    add_outputs(parser)
    parser.set_defaults(run=run, columns=columns)


def columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Columns by the arguments of the library that they are passed as."""
    return columns_by_argument(arguments, y_score=arguments.score)


def run(arguments: argparse.Namespace, source: TableSource, progress: Progress) -> Answer:
    """Read, order, write."""
    check_new_column(source, arguments.output, arguments.output_column)
    numbers = [arguments.score] + ([arguments.weight] if arguments.weight else [])
    table = source.read(
        numbers=numbers, categories=[arguments.label, *arguments.group], told=progress.told
    )
    y_true = labels.outcome(table, arguments.label, arguments.pos_label)
    y_score = table.numbers[arguments.score]
    grouped = grouping(table, arguments)
    weight = labels.weights(table, arguments.weight)
    given = {
        "sensitive_features": grouped.sensitive_features,
        "sample_weight": weight,
        "missing": grouped.missing,
    }
    with progress.working(f"ordering {table.n_rows:,} rows"):
        ordering = fair_ordering(
            y_true, y_score, disparity=arguments.disparity, trade_off=arguments.trade_off,
            max_disparity=arguments.max_disparity, solver=arguments.solver, **given,
        )
    small = small_groups(y_true[grouped.keep], grouped.kept(), ordering.groups)
    if arguments.output is not None:
        with progress.working(f"writing {arguments.output}"):
            write_with_column(
                table, arguments.output, arguments.output_column, ordering.fair_score
            )

    def draw(page: HtmlPage) -> None:
        page.heading("Reading")
        page.reading(reading(ordering, small))
        page.heading("Before and after")
        page.table(("", "before", "after"), [(name, *both) for name, *both in _values(ordering)])
        page.table(
            *_differences(ordering),
            "The disparity afterwards, pair by pair: above 0 where the group of the row is ranked "
            "too high against that of the column.",
        )
        page.facts([*_bound(ordering), ("seed", "none: nothing is drawn")])
        if table.n_rows > PICTURE_ROWS:
            page.paragraph(
                f"The xROC curves are drawn of at most {PICTURE_ROWS:,} rows, and left out here.",
                "lead",
            )
        elif has_matplotlib():
            shown = XROCDisplay.from_predictions(
                y_true[grouped.keep], ordering.fair_score[grouped.keep],
                y_score_before=y_score[grouped.keep], sensitive_features=grouped.kept(),
                sample_weight=None if weight is None else weight[grouped.keep],
            )
            caption = (
                "xROC curves: positives of each group against negatives of the other. The area "
                "between the curves is what is left of the disparity."
            )
            svg = inline_svg(shown.plot, name="xroc", label=caption, size=(5.2, 5.4))
            page.heading("Pictures")
            page.pictures([(svg, caption)])

    def result() -> dict[str, Any]:
        # The fair scores are in the file, a line each.
        record = replace(ordering, fair_score=np.empty(0)).to_dict()
        del record["fair_score"]
        return record

    return Answer(text=ordering_text(ordering, arguments, small), result=result, draw=draw)


def ordering_text(
    ordering: FairOrdering, arguments: argparse.Namespace, small: Sequence[SmallGroup]
) -> str:
    """Lay the ordering out as text."""
    name = ordering.disparity
    lines = [
        f"Fair ordering by {name}: {len(ordering.fair_score):,} rows, groups "
        + group_list(ordering.groups),
        "",
        f"{'':<12}{'before':>10}{'after':>10}",
        *(f"{name:<12}{before:>10}{after:>10}" for name, before, after in _values(ordering)),
        "",
        *(f"{name}: {value}" for name, value in _bound(ordering)),
        "",
        "Reading",
        *(fill(line, WIDTH, initial_indent="  ", subsequent_indent="  ")
          for line in reading(ordering, small).splitlines()),
    ]
    if arguments.output is not None:
        lines += ["", f"written: {arguments.output}, column {arguments.output_column}"]
    return "\n".join(lines)


def _values(ordering: FairOrdering) -> list[tuple[str, str, str]]:
    return [
        ("AUC", number(ordering.auc_before), number(ordering.auc_after)),
        (f"{ordering.disparity} gap", number(ordering.disparity_before),
         number(ordering.disparity_after)),
    ]


def _bound(ordering: FairOrdering) -> list[tuple[str, str]]:
    above, below = map(group_name, ordering.pair_after)
    return [
        ("objective", short(ordering.objective)),
        ("bound for any order", short(ordering.upper_bound)),
        ("gap to that bound", "0, proven" if ordering.proven and ordering.optimality_gap <= 1e-12
         else f"{ordering.optimality_gap:.1e}"),
        ("ranked too high afterwards",
         f"{above} against {below}" if ordering.disparity_after > 0.0 else "nobody"),
    ]


def _differences(ordering: FairOrdering) -> tuple[tuple, list]:
    names = list(map(group_name, ordering.groups))
    rows = [
        (name, *(f"{value:+.4f}" for value in row))
        for name, row in zip(names, ordering.differences)
    ]
    return ("", *names), rows


def reading(ordering: FairOrdering, small: Sequence[SmallGroup] = ()) -> str:
    """What the order does, in plain words; a line a thought."""
    above, below = map(group_name, ordering.pair_before)
    before, after = ordering.disparity_before, ordering.disparity_after
    higher = f", {above} being ranked too high against {below}" if before > 0.0 else ""
    change = ordering.auc_after - ordering.auc_before
    lines = [
        f"The disparity is {SPELLED[ordering.disparity]}. By the scores as they are it is "
        f"{before:.4f}{higher}; in the fair order it is {after:.4f}.",
        "Whether a high rank is good or bad for a person depends on the outcome that is scored.",
    ]
    if abs(change) < 5e-5:
        lines.append("AUC stays what it was.")
    elif change > 0:
        lines.append(
            f"AUC rises by {change:.4f}: the scores did not compare between the groups"
            + (", so that the fairer order is also the better one." if after < before else ".")
        )
    else:
        lines.append(f"It costs {-change:.4f} of AUC.")
    if ordering.optimality_gap == ordering.optimality_gap:
        lines.append(
            "No order of these rows does better." if ordering.proven
            else f"No order of these rows does better by more than {ordering.optimality_gap:.1e}."
        )
    if small:
        listed = "; ".join(
            f"{group_name(one.group)} ({one.n_positive:,} and {one.n_negative:,})" for one in small
        )
        lines.append(
            f"Fewer than {FEW_ROWS} positives or negatives: {listed}. What is compared with so "
            "few is mostly chance, and may alone be the disparity; --leave-out GROUP takes a "
            "group out."
        )
    lines.append(
        "This holds for the rows of the file. On new rows the disparity carries sampling noise."
    )
    return "\n".join(lines)
