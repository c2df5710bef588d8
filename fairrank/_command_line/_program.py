"""The program: reads the options, runs a command, writes what it found, and says what is wrong."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fairrank._command_line import _audit, _frontier, _policy, _rank
from fairrank._command_line._answer import Answer, check_can_be_written, json_text
from fairrank._command_line._arguments import EXIT_CODES, Parser
from fairrank._command_line._bad_input import BadInputError, in_words_of_the_file
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._inline_svg import NEED_MATPLOTLIB, has_matplotlib
from fairrank._command_line._progress import Progress
from fairrank._command_line._table_reader import table_source
from fairrank.exceptions import InfeasibleError

DONE, CONDITION_FAILED, BAD_USE, INTERRUPTED = 0, 1, 2, 130
TITLES = {
    "audit": "Is the burden of prediction error shared alike?",
    "rank": "The fair order that loses least",
    "policy": "Decisions of largest revenue at equal welfare",
    "frontier": "How accurate and fair decisions can be",
}
EXAMPLES = f"""\
examples:
  python -m fairrank audit loans.csv --label deny --score p --group race --html audit.html
  python -m fairrank rank scored.csv --label y --score p --group race --max-disparity 0.02 \\
      --output fair.csv
  python -m fairrank policy loans.csv --probability p --group race \\
      --utility equal_opportunity --gain 1 --loss 5
  python -m fairrank frontier loans.csv --label repaid --group sex --decision approved
  python -m fairrank audit --help

{EXIT_CODES}"""


def build_parser() -> Parser:
    """Options of all commands."""
    parser = Parser(
        prog="fairrank",
        description="Fairness in rankings and decisions, from a file: where in the ranking do "
        "people of\ndifferent groups end up, and what would it cost to change that?",
        epilog=EXAMPLES,
    )
    parser.add_argument("--version", action="version", version=f"fairrank {version('fairrank')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True,
                                     parser_class=Parser)
    for command in (_audit, _rank, _policy, _frontier):
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the shell.

    Returns
    -------
    int
        Exit status.
    """
    if arguments is None and hasattr(sys.stdout, "reconfigure"):
        # A name of a group that the terminal cannot show must not end the program.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        parsed = build_parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return _answered(parsed)
    except BadInputError as error:
        return _failed(str(error), BAD_USE)
    except InfeasibleError as error:
        return _failed(in_words_of_the_file(str(error), parsed.columns(parsed)), CONDITION_FAILED)
    except BrokenPipeError:
        # Whoever read the output has gone; Python must not complain of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}.", BAD_USE)
    except MemoryError as error:
        return _failed(f"There is not enough memory. {error}".strip(), BAD_USE)
    except (ValueError, TypeError) as error:
        return _failed(in_words_of_the_file(str(error), parsed.columns(parsed)), BAD_USE)
    except KeyboardInterrupt:
        return _failed("interrupted.", INTERRUPTED)


def _failed(message: str, status: int) -> int:
    print(f"fairrank: {message}", file=sys.stderr)
    return status


def check_roles(parsed: argparse.Namespace) -> None:
    """Refuse an outcome that is also the score, the probability or the group.

    Raises
    ------
    BadInputError
        It would be told by itself.
    """
    label = getattr(parsed, "label", None)
    for option in ("score", "probability", "group", "decision"):
        named = getattr(parsed, option, None) or []
        if label is not None and label in ([named] if isinstance(named, str) else named):
            raise BadInputError(
                f"column {label!r} is both --label and --{option}: name the column of the outcome "
                "and another one."
            )


def _answered(parsed: argparse.Namespace) -> int:
    source = table_source(parsed.file, delimiter=parsed.delimiter, encoding=parsed.encoding,
                          decimal=parsed.decimal)
    check_roles(parsed)
    written: dict[Path, str] = {}
    for option in ("html", "json", "output"):
        path = getattr(parsed, option, None)
        check_can_be_written(path, f"--{option}", source.path)
        if path in (None, "-"):
            continue
        other = written.setdefault(Path(path).resolve(), option)
        if other != option:
            raise BadInputError(f"--{other} and --{option} are both {path}: name two files.")
    progress = Progress(parsed.progress)
    page = HtmlPage(TITLES[parsed.command])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer: Answer = parsed.run(parsed, source, progress)
        result = None if parsed.json is None else answer.result()
    told = [
        in_words_of_the_file(str(one.message), parsed.columns(parsed))
        for one in caught if issubclass(one.category, UserWarning)
    ]
    if parsed.html is not None:
        if not has_matplotlib():
            told.append(NEED_MATPLOTLIB)
        _begin(page, parsed, told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer.draw(page)
        Path(parsed.html).write_text(page.to_html(), encoding="utf-8", newline="\n")
    if parsed.json is not None:
        record = json_text({
            "command": parsed.command, "file": parsed.file, "fairrank": version("fairrank"),
            "options": _options(parsed), "warnings": told, "result": result,
        })
        if parsed.json == "-":
            sys.stdout.write(record)
        else:
            Path(parsed.json).write_text(record, encoding="utf-8", newline="\n")
    if parsed.json != "-":
        print(answer.text)
    for one in told:
        print(f"fairrank: warning: {one}", file=sys.stderr)
    sys.stdout.flush()
    return CONDITION_FAILED if answer.gate_failed else DONE


def _begin(page: HtmlPage, parsed: argparse.Namespace, told: list[str]) -> None:
    """Say above everything else what was read, and what was odd about it."""
    named = parsed.columns(parsed)
    words = {
        "y_true": "outcome", "y_score": "score", "y_prob": "probability",
        "sensitive_features": "groups", "sample_weight": "weight",
    }
    page.paragraph(
        f"File {Path(parsed.file).name}; "
        + ", ".join(f"{words.get(name, name)}: {column}" for name, column in named.items())
        + ".",
        "lead",
    )
    for one in told:
        page.paragraph(one, "warning")


def _options(parsed: argparse.Namespace) -> dict[str, Any]:
    """What was asked for, without what says only where to write."""
    silent = {"command", "file", "run", "columns", "html", "json", "output", "progress"}
    return {name: value for name, value in vars(parsed).items() if name not in silent}
