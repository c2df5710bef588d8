"""The door: what reading and coding a million groups costs, in sorts of a million doubles."""

from __future__ import annotations

from functools import partial

import numpy as np
from tables import Table
from timing import take_turns

from fairrank._sensitive import encode_groups
from fairrank._validation import check_burden


def door(quick: bool) -> list[Table]:
    """Groups of every kind of column, and burdens, against one argsort."""
    n = 100_000 if quick else 1_000_000
    rng = np.random.default_rng(0)
    code = rng.integers(7, size=n)
    words = np.array(["group " + letter for letter in "abcdefg"])[code]
    score = rng.random(n)
    outcome = rng.integers(2, size=n)
    rivals = {
        "np.argsort of doubles": partial(np.argsort, score),
        "groups, int64": partial(encode_groups, code),
        "groups, int8": partial(encode_groups, code.astype(np.int8)),
        "groups, numpy str": partial(encode_groups, words),
        "groups, object str": partial(encode_groups, words.astype(object)),
        "two columns, int64": partial(encode_groups, np.column_stack((code, outcome))),
        "burdens from y and p": partial(
            check_burden, outcome, score, burden="absolute", pos_label=None
        ),
    }
    seconds = take_turns(rivals, 3 if quick else 7)
    sort = seconds["np.argsort of doubles"].min()
    table = Table(f"The door at n = {n:,}", ["what", "ms", "argsorts"])
    for name, taken in seconds.items():
        table.rows.append([name, 1e3 * taken.min(), taken.min() / sort])
    return [table]


BENCHMARKS = {"door": door}
