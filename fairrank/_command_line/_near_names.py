"""Which columns a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

N_SHOWN = 20
MAX_LETTERS = 40


def near_names(name: str, names: Sequence[str]) -> list[str]:
    """Up to three of `names` that look like `name`, the nearest first; case is ignored."""
    folded: dict[str, list[str]] = {}
    for one in names:
        folded.setdefault(one.strip().casefold(), []).append(one)
    wanted = name.strip().casefold()
    near = get_close_matches(wanted, folded, n=3, cutoff=0.6)
    # "group" for "race_group": too short a part for difflib.
    near += [one for one in folded if len(wanted) > 2 and wanted in one and one not in near]
    return [original for one in near for original in folded[one]][:3]


def no_such_column(path: str, name: str, names: Sequence[str]) -> str:
    """Message for a column that a file does not have."""
    near = near_names(name, names)
    meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    cut = [one if len(one) <= MAX_LETTERS else f"{one[:MAX_LETTERS]}…" for one in names[:N_SHOWN]]
    shown = ", ".join(map(repr, cut)) + (" …" if len(names) > N_SHOWN else "")
    are = f"{len(names)} columns are" if len(names) > 1 else "only column is"
    values = sum(map(_is_number, names))
    first = " The first line seems to hold values: it must hold the names." if values else ""
    return f"{path} has no column {name!r}.{meant} Its {are}: {shown}.{first}"


def _is_number(name: str) -> bool:
    return name.replace(".", "", 1).replace("-", "", 1).isdecimal()
