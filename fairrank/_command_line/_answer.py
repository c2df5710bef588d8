"""What a command found, as text, as a record for JSON, and as a page."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from errno import EACCES
from pathlib import Path
from typing import Any

import numpy as np

from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._html_page import HtmlPage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """What a command found.

    Attributes
    ----------
    text : str
        For the terminal.
    result : callable
        Gives the record for JSON: what `to_dict` of the library's result gives.
    draw : callable
        Makes the page; only called where one is asked for.
    gate_failed : bool
        A condition that was asked for does not hold: exit status 1.
    """

    text: str
    result: Callable[[], Mapping[str, Any]]
    draw: Callable[[HtmlPage], None]
    gate_failed: bool = False


def plain(value: Any) -> Any:
    """The same in values that JSON has: NaN and infinity become null, other keys text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    return str(value)


def json_text(record: Mapping[str, Any]) -> str:
    """Indented JSON that ends with a line break."""
    return json.dumps(plain(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def check_can_be_written(path: str | None, option: str, source: Path) -> None:
    """Refuse, before the work and not after it, a place where nothing can be written.

    Raises
    ------
    BadInputError
        The folder is not there, it is a folder itself, or it is the file that is read.
    """
    if path is None or path == "-":
        return
    place = Path(path)
    if place.is_dir():
        raise BadInputError(f"{option} {path} is a folder: name a file.")
    if not place.absolute().parent.is_dir():
        raise BadInputError(f"{option} {path}: the folder {place.parent} is not there.")
    try:
        if place.exists() and not os.access(place, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        tempfile.TemporaryFile(dir=place.absolute().parent).close()
    except OSError as error:
        raise BadInputError(f"{option} {path} cannot be written: {error.strerror}.") from None
    if place.exists() and place.samefile(source):
        raise BadInputError(f"{option} {path} is the file that is read: name another one.")


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of text: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    lines = [
        "  ".join(
            f"{cell:<{width}}" if j == 0 else f"{cell:>{width}}"
            for j, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in [head, *rows]
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def group_name(group: Any) -> str:
    """A group in words; of an intersection its parts."""
    return " & ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def group_list(groups: Sequence) -> str:
    """Groups in words, parted by semicolons where a name has a comma."""
    names = [*map(group_name, groups)]
    return ("; " if any("," in name for name in names) else ", ").join(names)


def number(value: float | None, digits: int = 4) -> str:
    """A number of a table; "-" where there is none."""
    return "-" if value is None or value != value else f"{value:.{digits}f}"


def short(value: float | None) -> str:
    """A number with four figures; "-" where there is none."""
    return "-" if value is None or value != value else f"{value:.4g}"
