"""``policy``: decisions of largest revenue that give every group the same welfare."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from fairrank._command_line import _labels as labels
from fairrank._command_line._answer import Answer
from fairrank._command_line._arguments import (
    EXIT_CODES,
    WHOLE_WEIGHTS,
    add_file,
    add_groups,
    add_label,
    add_outputs,
    columns_by_argument,
)
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._grouping import grouping
from fairrank._command_line._policy_page import PolicyFindings, draw_policy, policy_text
from fairrank._command_line._progress import Progress
from fairrank._command_line._table_reader import TableSource
from fairrank._command_line._written_rows import check_new_column, write_with_column
from fairrank._sensitive import encode_seen_groups
from fairrank.welfare import (
    WelfarePolicy,
    expected_revenue,
    expected_utility,
    mismatch_report,
    welfare_optimal_policy,
)

UTILITIES = ("demographic_parity", "equal_opportunity", "heterogeneous_opportunity")
EXAMPLES = f"""\
examples:
  python -m fairrank policy loans.csv --probability p --group race \\
      --utility equal_opportunity --gain 1 --loss 5
  python -m fairrank policy loans.csv --probability p --group race --gain interest --loss amount \\
      --utility heterogeneous_opportunity --amount amount --output decided.csv
  python -m fairrank policy loans.csv --probability p --group race --gain 1 --loss 5 \\
      --utility demographic_parity --underlying-utility equal_opportunity --label repaid

{EXIT_CODES}"""


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "policy", help="decisions of largest revenue that give every group the same welfare",
        description="Find whom to accept so that revenue is largest while every group's welfare "
        "is the same:\nthresholds, the price, and who gains and who loses.",
        epilog=EXAMPLES,
    )
    add_file(parser)
    parser.add_argument(
        "--probability", required=True, metavar="COLUMN",
        help="of the good case (repayment), in [0, 1], from a model that sees the group",
    )
    add_groups(parser)
    parser.add_argument("--utility", choices=UTILITIES, required=True, metavar="UTILITY",
                        help="what is equalized: demographic_parity (the share accepted), "
                        "equal_opportunity (the share of good cases accepted) or "
                        "heterogeneous_opportunity (the share of the money they ask for)")
    parser.add_argument("--gain", required=True, metavar="NUMBER|COLUMN",
                        help="what a good case brings; above 0")
    parser.add_argument("--loss", required=True, metavar="NUMBER|COLUMN",
                        help="what a bad case costs; above 0")
    parser.add_argument("--amount", metavar="COLUMN",
                        help="what is asked for; needed for heterogeneous_opportunity")
    parser.add_argument("--tolerance", type=float, default=0.0, metavar="X",
                        help="largest difference of welfare between groups (default: 0)")
    parser.add_argument("--weight", metavar="COLUMN", help=WHOLE_WEIGHTS)
    parser.add_argument("--underlying-utility", action="append", choices=UTILITIES, default=[],
                        metavar="UTILITY",
                        help="utility that people have: whom does the policy help and harm in "
                        "it? may be repeated")
    add_label(parser, required=False, what="what happened: 1 is the good case")
    parser.add_argument("--output", metavar="FILE",
                        help="copy of the file with the probability of acceptance: csv, csv.gz or "
                        "parquet")
    parser.add_argument("--output-column", default="acceptance", metavar="NAME",
                        help="of that probability (default: acceptance)")
    add_outputs(parser)
    parser.set_defaults(run=run, columns=columns)


def columns(arguments: argparse.Namespace) -> dict[str, str]:
    """Columns by the arguments of the library that they are passed as."""
    return columns_by_argument(arguments, y_prob=arguments.probability)


def run(arguments: argparse.Namespace, source: TableSource, progress: Progress) -> Answer:
    """Read, decide, write."""
    check_new_column(source, arguments.output, arguments.output_column)
    if arguments.amount is None and "heterogeneous_opportunity" in (
        arguments.utility, *arguments.underlying_utility
    ):
        raise BadInputError(
            "heterogeneous_opportunity grows with what is asked for: pass --amount COLUMN."
        )
    terms = {
        "gain": _number_or_column(arguments.gain, "--gain", source),
        "loss": _number_or_column(arguments.loss, "--loss", source),
    }
    wanted = [arguments.probability, arguments.weight, arguments.amount, *terms.values()]
    table = source.read(
        numbers=[name for name in wanted if isinstance(name, str)],
        categories=[*arguments.group, *([arguments.label] if arguments.label else [])],
        told=progress.told,
    )
    grouped = grouping(table, arguments)
    keep = grouped.keep
    row_terms: dict[str, Any] = {
        name: table.numbers[term][keep] if isinstance(term, str) else term
        for name, term in terms.items()
    }
    probability = table.numbers[arguments.probability][keep]
    amount = None if arguments.amount is None else table.numbers[arguments.amount][keep]
    weight = labels.weights(table, arguments.weight)
    given = {
        "sensitive_features": grouped.kept(),
        "sample_weight": None if weight is None else weight[keep],
    }
    y_true = None
    if arguments.label:
        y_true = labels.outcome(table, arguments.label, arguments.pos_label)[keep]
    with progress.working(f"deciding on {table.n_rows:,} rows"):
        revenue = expected_revenue(probability, **row_terms)
        utility = expected_utility(arguments.utility, probability, amount=amount, **given)
        policy = welfare_optimal_policy(
            revenue, utility, tolerance=arguments.tolerance, **given
        )
        mismatch = None
        if arguments.underlying_utility or y_true is not None:
            underlying = arguments.underlying_utility or [arguments.utility]
            mismatch = mismatch_report(
                policy, {name: name for name in underlying}, y_prob=probability,
                assumed_utility=arguments.utility, amount=amount, y_true=y_true, **row_terms,
                **given,
            )
    if arguments.output is not None:
        acceptance = np.full(table.n_rows, np.nan)
        acceptance[keep] = policy.acceptance
        with progress.working(f"writing {arguments.output}"):
            write_with_column(table, arguments.output, arguments.output_column, acceptance)
    found = PolicyFindings(
        policy=policy, mismatch=mismatch, utility=arguments.utility,
        probability=arguments.probability, n_rows=table.n_rows,
        n_dropped=int(table.n_rows - np.count_nonzero(keep)),
        **_lowest_accepted(policy, probability, terms, arguments, given["sensitive_features"]),
    )
    text = policy_text(found)
    if arguments.output is not None:
        text += f"\n\nwritten: {arguments.output}, column {arguments.output_column}"

    def result() -> dict[str, Any]:
        return {
            "policy": policy.to_dict(),
            "lowest_accepted_probability": found.lowest,
            "mismatch": None if mismatch is None else mismatch.to_dict(),
        }

    return Answer(text=text, result=result, draw=lambda page: draw_policy(page, found))


def _lowest_accepted(
    policy: WelfarePolicy, probability: np.ndarray, terms: dict, arguments: argparse.Namespace,
    sensitive_features: Any,
) -> dict[str, Any]:
    """Probability from which each group is accepted, where nothing else decides."""
    if arguments.utility == "heterogeneous_opportunity" or str in map(type, terms.values()):
        return {}
    accepted = policy.acceptance > 0.0
    code = encode_seen_groups(sensitive_features, policy.groups)[accepted]
    lowest = np.full(len(policy.groups), np.inf)
    np.minimum.at(lowest, code, probability[accepted])
    return {
        "lowest": tuple(np.where(np.isinf(lowest), np.nan, lowest).tolist()),
        "lowest_by_revenue": terms["loss"] / (terms["gain"] + terms["loss"]),
    }


def _number_or_column(text: str, option: str, source: TableSource) -> float | str:
    if text in source.names:
        return text
    try:
        return float(text)
    except ValueError:
        pass
    try:
        source.need(text)
    except BadInputError as error:
        raise BadInputError(f"{option} {text} is neither a number nor a column: {error}") from None
    return text
