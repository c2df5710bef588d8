"""Options that several commands share, and what they may be."""

from __future__ import annotations

import argparse

EXIT_CODES = """\
exit status: 0 it is done; 1 a condition that was asked for does not hold (--fail-if-rejected,
or no order or policy within the limit); 2 bad use, or a file or column that cannot be used."""
WHOLE_WEIGHTS = "whole numbers repeat a row, others are its mass"


class Parser(argparse.ArgumentParser):
    """Keeps examples as they are written, and takes no abbreviated options."""

    def __init__(self, *args, **options):
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        options.setdefault("allow_abbrev", False)
        super().__init__(*args, **options)


def add_file(parser: argparse.ArgumentParser) -> None:
    """The file and how to read it."""
    parser.add_argument("file", metavar="FILE", help="csv, csv.gz or parquet, with column names")
    reading = parser.add_argument_group("reading the file")
    reading.add_argument(
        "--delimiter", help="between the cells of a csv file; tab is one too (default: ',', a tab "
        "for .tsv)"
    )
    reading.add_argument(
        "--decimal", choices=(".", ","), default=".",
        help="decimal point of a csv file's numbers (default: .)",
    )
    reading.add_argument("--encoding", default="utf-8", help="of a csv file (default: utf-8)")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Columns of groups."""
    parser.add_argument(
        "--group", action="append", required=True, metavar="COLUMN",
        help="groups of the rows; give it again for intersections",
    )
    parser.add_argument(
        "--missing", choices=("raise", "group", "drop"), default="raise",
        help="rows without a group: refuse them, make them a group, or leave them out "
        "(default: raise)",
    )
    parser.add_argument(
        "--leave-out", action="append", default=[], metavar="GROUP",
        help="rows of this group have no say, one that is too small for instance; may be "
        "repeated",
    )
    parser.add_argument(
        "--against-rest", metavar="GROUP",
        help="compare this group with all others taken as one",
    )


def add_label(parser: argparse.ArgumentParser, *, required: bool = True, what: str) -> None:
    """The column of outcomes."""
    parser.add_argument("--label", required=required, metavar="COLUMN", help=what)
    parser.add_argument(
        "--pos-label", metavar="VALUE",
        help="the outcome that counts as 1; needed unless labels are 0/1, -1/1 or true/false",
    )


def columns_by_argument(arguments: argparse.Namespace, **own: str) -> dict[str, str]:
    """Columns by the arguments of the library that they are passed as, and the command's own."""
    named = {
        "y_true": arguments.label, "sensitive_features": " and ".join(arguments.group),
        "sample_weight": arguments.weight, **own,
    }
    return {name: column for name, column in named.items() if column}


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Pages and records."""
    output = parser.add_argument_group("output")
    output.add_argument("--html", metavar="PAGE", help="write a page with tables and pictures")
    output.add_argument(
        "--json", metavar="RECORD", help="write every number; - prints it instead of the text"
    )
    output.add_argument(
        "--progress", action=argparse.BooleanOptionalAction,
        help="tell on stderr how far it has come (default: on a terminal)",
    )


def whole(minimum: int):
    """A whole number of at least `minimum`, as argparse takes it."""

    def count(text: str) -> int:
        try:
            value = int(text.replace("_", ""))
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
        if value < minimum:
            raise argparse.ArgumentTypeError(f"must be at least {minimum}, got {value}")
        return value

    return count


def part(text: str) -> float:
    """A number strictly between 0 and 1, as argparse takes it."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, got {text!r}")
    return value
