"""The error of a file or an option that cannot be used: shown without a traceback."""

from __future__ import annotations

import re
from collections.abc import Mapping


class BadInputError(ValueError):
    """A file, a column or an option cannot be used; the message says what to do."""


def in_words_of_the_file(message: str, columns: Mapping[str, str]) -> str:
    """Name columns and options where a message of the library names arguments.

    Parameters
    ----------
    message : str
    columns : mapping of argument to column
        ``{"y_score": "p"}``.
    """
    for phrase, here in PHRASES.items():
        message = message.replace(phrase, here)
    for argument, column in columns.items():
        if "_" not in argument:
            continue  # an ordinary word, "decisions", which the message may mean as such
        message = re.sub(rf"\b{argument}\b(?!=)", f"column {column!r}", message)
    message = re.sub(
        rf"\b({'|'.join(OPTIONS)})=(['\"]?)([^\s,;:)'\"]*[^\s,;:).'\"])\2",
        lambda found: f"--{found[1].replace('_', '-')} {found[3]}",
        message,
    )
    return re.sub(
        rf"(?<![-\w])({'|'.join(OPTIONS)})(?![\w=])(?=[ ,.:=]| is)",
        lambda found: _option(found[1]) if "_" in found[1] else found[1],
        message,
    )


PHRASES = {
    # What only an argument of a function can do.
    ", or pass burden= an array of losses": "",
    ", or pass undefined='nan'": "",
    " or pass undefined='nan'": "",
    "strata='score'": "the test among rows of like score, in bins of the score (--bins)",
    "strata='outcome'": "the test among rows of the same outcome",
    "strata='given'": "the tests inside strata (--strata)",
    "fit with n_repeats=3, and expected_inward_bias() tells by how much": "pass --repeats 3, or "
    "leave it out, --leave-out",
    ": expected_inward_bias() tells by how much": ", and a gain looks smaller than it is",
    "Pass y_true=None, or": "Do not pass --label, or",
    "Merge the group.": "Merge the group in the file, or pass --leave-out.",
}
OPTIONS = ("missing", "pos_label", "max_disparity", "trade_off", "solver", "tolerance", "utility",
           "gain", "loss", "amount", "disparity")


def _option(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"
