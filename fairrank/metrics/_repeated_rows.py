"""Rows that an integer weight stands for, written out."""

from __future__ import annotations

import numpy as np

MOST_ROWS = 2**31 - 1


def repeated_positions(weight: np.ndarray) -> np.ndarray:
    """Position of every row, as many times as its integer weight says. O(sum of weights).

    Raises
    ------
    ValueError
        More rows than positions of 32 bits can tell apart.
    """
    total = int(weight.sum())
    if total > MOST_ROWS:
        raise ValueError(
            f"sample_weight stands for {total} repeated rows, more than {MOST_ROWS}: divide the "
            "weights by a common factor or subsample."
        )
    return np.repeat(np.arange(weight.size), weight)
