"""``frontier``: how accurate and fair decisions can be, and whether given ones are."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

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
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._features import (
    feature_columns,
    one_hot_features,
    refuse_the_outcome,
)
from fairrank._command_line._frontier_page import (
    COMPARE_TWO,
    FrontierFindings,
    JudgedDecisions,
    draw_frontier,
    frontier_record,
    frontier_text,
)
from fairrank._command_line._grouping import grouping
from fairrank._command_line._progress import Progress
from fairrank._command_line._table_reader import TableSource
from fairrank._sensitive import encode_groups, encode_seen_groups
from fairrank.frontier import FrontierEstimator
from fairrank.frontier._lda_test import less_discriminatory_alternative_test

EXAMPLES = f"""\
examples:
  python -m fairrank frontier loans.csv --label repaid --group sex --decision approved
  python -m fairrank frontier loans.csv --label repaid --group race --against-rest black \\
      --exclude score --decision approved --missing-features median
  python -m fairrank frontier loans.parquet --label repaid --group sex --features income \\
      --features employment --decision old --decision new --loss fp=5,fn=1 --html frontier.html
Decisions are judged between two groups; of more, choose with --against-rest or --leave-out.
A decision of 1 is right where the label is 1: 1 must be "approved" if the label is "repaid".
Features are all other columns unless --features or --exclude say so; leave out what is known
only after the decision. Text is one-hot encoded.

{EXIT_CODES}"""
# Standard errors that chance hardly ever passes.
CHANCE = 3.0
ERRORS = {"fp": "false_positive", "fn": "false_negative"}


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "frontier", help="how accurate and fair decisions can be, and whether given ones are",
        description="Estimate the risks that decisions blind to the group can give two groups: "
        "the best points,\nthe fairest one, and whether given decisions have a less "
        "discriminatory alternative.",
        epilog=EXAMPLES,
    )
    add_file(parser)
    add_label(parser, what="the outcome that decisions are to meet: two labels")
    add_groups(parser)
    parser.add_argument(
        "--features", action="append", default=[], metavar="COLUMN",
        help="what decisions may look at; may be repeated (default: all other columns)",
    )
    parser.add_argument("--exclude", action="append", default=[], metavar="COLUMN",
                        help="not a feature; may be repeated")
    parser.add_argument("--categorical", action="append", default=[], metavar="COLUMN",
                        help="a feature whose numbers are names; may be repeated")
    parser.add_argument(
        "--missing-features", choices=("raise", "median"), default="raise",
        help="rows with an empty number among the features: refuse them, or put the column's "
        "median there and mark the row in a further feature (default: raise)",
    )
    parser.add_argument(
        "--decision", action="append", default=[], metavar="COLUMN",
        help="decisions to judge, 1 meaning what it means in --label: 0 and 1, or probabilities "
        "of 1; may be repeated",
    )
    parser.add_argument("--decisions-in-sample", action="store_true",
                        help="they come from a model that was trained on these rows")
    parser.add_argument(
        "--loss", type=loss, default="zero_one", metavar="LOSS",
        help="zero_one, or what either error costs: fp=5,fn=1 (default: zero_one)",
    )
    parser.add_argument("--weight", metavar="COLUMN", help="survey weights")
    drawing = parser.add_argument_group("draws")
    drawing.add_argument("--folds", type=whole(2), default=5, metavar="N",
                         help="that the learners predict outside of (default: 5)")
    drawing.add_argument("--repeats", type=whole(1), default=1, metavar="N",
                         help="times that the folds are dealt anew; 3 for groups below 500 rows "
                         "(default: 1)")
    drawing.add_argument("--draws", type=whole(1), default=1000, metavar="N",
                         help="bootstrap draws of a test (default: 1000)")
    drawing.add_argument("--significance-level", type=part, default=0.05, metavar="ALPHA",
                         help="of the tests (default: 0.05)")
    drawing.add_argument("--seed", type=whole(0), default=0, metavar="N",
                         help="makes folds and draws repeatable (default: 0)")
    drawing.add_argument("--jobs", type=int, metavar="N",
                         help="processes and threads; the numbers do not depend on it")
    parser.add_argument("--fail-if-rejected", action="store_true",
                        help="exit status 1 where some decisions have an alternative")
    add_outputs(parser)
    parser.set_defaults(run=run, columns=columns)


def loss(text: str) -> Any:
    """``zero_one``, or the costs of both errors, as argparse takes it."""
    if text == "zero_one":
        return text
    try:
        costs = {ERRORS[key]: float(value) for key, _, value in
                 (entry.strip().partition("=") for entry in text.split(","))}
        if len(costs) == 2 and all(0.0 < cost < float("inf") for cost in costs.values()):
            return costs
    except (KeyError, ValueError):
        pass
    raise argparse.ArgumentTypeError(
        f"must be zero_one or both costs above 0, fp=5,fn=1 for instance, got {text!r}"
    )


def columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Columns by the arguments of the library that they are passed as."""
    return columns_by_argument(arguments, decisions=", ".join(arguments.decision))


def run(arguments: argparse.Namespace, source: TableSource, progress: Progress) -> Answer:
    """Read, fit, judge."""
    if arguments.fail_if_rejected and not arguments.decision:
        raise BadInputError("--fail-if-rejected: name the decisions to judge, --decision COLUMN.")
    features = feature_columns(source, _feature_names(arguments, source), arguments.categorical)
    numbers = [*features.numeric, *arguments.decision]
    fill_in = arguments.missing_features == "median"
    table = source.read(
        numbers=numbers + ([arguments.weight] if arguments.weight else []),
        categories=[arguments.label, *arguments.group, *features.categorical],
        told=progress.told, may_be_missing=features.numeric if fill_in else (),
        instead="" if fill_in else "pass --missing-features median if it is a feature",
    )
    grouped = grouping(table, arguments)
    keep = grouped.keep
    y = labels.outcome(table, arguments.label, arguments.pos_label)[keep]
    X, named = one_hot_features(table, features)
    refuse_the_outcome(X[keep], named, y)
    weight = None if arguments.weight is None else table.numbers[arguments.weight][keep]
    given = grouped.kept()
    for name in arguments.decision:
        decided = table.numbers[name]
        if decided.min() < 0.0 or decided.max() > 1.0:
            raise BadInputError(
                f"column {name!r} must hold decisions, 0 and 1 or probabilities of 1, and holds "
                f"values from {decided.min():g} to {decided.max():g}."
            )
    if arguments.fail_if_rejected and len(encode_groups(given).labels) > 2:
        raise BadInputError(
            f"--fail-if-rejected: decisions are judged of two groups; {COMPARE_TWO}"
        )
    frontier = FrontierEstimator(
        loss=arguments.loss, cv=arguments.folds, n_repeats=arguments.repeats, pos_label=1,
        n_jobs=arguments.jobs, random_state=arguments.seed,
    )
    with progress.working(f"fitting on {table.n_rows:,} rows and {len(named)} features"):
        frontier.fit(X[keep], y, sensitive_features=given, sample_weight=weight)
    judged = []
    two_groups = len(frontier.group_names_) == 2
    for name in arguments.decision if two_groups else ():
        decisions = table.numbers[name][keep]
        turned = turned_round(decisions, y, encode_seen_groups(given, frontier.group_names_))
        with progress.working(f"testing {name}, {arguments.draws:,} draws"):
            test = less_discriminatory_alternative_test(
                frontier.support_function_, decisions, n_draws=arguments.draws,
                significance_level=arguments.significance_level,
                decisions_in_sample=arguments.decisions_in_sample,
                random_state=arguments.seed, n_jobs=arguments.jobs,
            )
            found = frontier.less_discriminatory_alternatives(decisions)
        judged.append(
            JudgedDecisions(name=name, test=test, alternatives=found, turned_round=turned)
        )
        if turned:
            warnings.warn(
                f"column {name!r} seems to mean the opposite of column {arguments.label!r}: in "
                "both groups it is 1 less often where the label is 1. Say what it should be with "
                "--pos-label, or write 1 minus the column into the file. What follows takes it as "
                "it is.", UserWarning, stacklevel=1,
            )
    findings = FrontierFindings(
        frontier=frontier, features=named, n_rows=table.n_rows,
        n_dropped=int(table.n_rows - np.count_nonzero(keep)), judged=tuple(judged),
        unjudged=() if two_groups else tuple(arguments.decision),
    )
    return Answer(
        text=frontier_text(findings), result=lambda: frontier_record(findings),
        draw=lambda page: draw_frontier(page, findings),
        gate_failed=arguments.fail_if_rejected and any(one.test.reject for one in judged),
    )


def turned_round(decisions: np.ndarray, y: np.ndarray, code: np.ndarray) -> bool:
    """Tell whether decisions are 1 less often where y is 1, in every group and beyond chance."""
    for group in np.unique(code):
        here = code == group
        ones, zeros = decisions[here & (y == 1)], decisions[here & (y == 0)]
        if min(ones.size, zeros.size) < 2:
            return False
        error = np.sqrt(ones.var() / ones.size + zeros.var() / zeros.size)
        if ones.mean() - zeros.mean() >= -CHANCE * error:
            return False
    return True


def _feature_names(arguments: argparse.Namespace, source: TableSource) -> list[str]:
    for name in (arguments.label, *arguments.group, *arguments.decision, *arguments.exclude):
        source.need(name)
    named = list(dict.fromkeys([*arguments.features, *arguments.categorical]))
    taken = {arguments.label, *arguments.group}
    if twice := [name for name in named if name in taken]:
        raise BadInputError(
            f"column {twice[0]!r} is the outcome or the group and cannot be a feature: decisions "
            "on the frontier do not see it."
        )
    if arguments.features:
        return [name for name in named if name not in arguments.exclude]
    used = taken | {*arguments.decision, *arguments.exclude, arguments.weight}
    return [name for name in source.names if name not in used]
