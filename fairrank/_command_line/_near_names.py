"""Which columns a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

N_SHOWN = 20


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
    shown = ", ".join(map(repr, names[:N_SHOWN])) + (" …" if len(names) > N_SHOWN else "")
    return f"{path} has no column {name!r}.{meant} Its {len(names)} columns are: {shown}."
