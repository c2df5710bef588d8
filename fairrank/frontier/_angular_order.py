"""The rows in the order in which a direction swept round the circle changes their treatment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank._kernels import sweep as _sweep
from fairrank._kernels.best_first import least_first

# Sine of the angle below which two directions are one: what rounding makes of equal rows.
TIED = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AngularOrder:
    """One angular sort, shared by every quantity that is swept. Two groups.

    Attributes
    ----------
    order : ndarray of intp, shape (n,)
        Rows by the break at which they change; those that are never treated come last.
    turn : ndarray of int8, shape (n,)
        Of every row as it came: 1 enters at its break, -1 leaves there, 0 is never treated.
    start : ndarray of intp, shape (n_breaks + 1,)
        Block j holds ``order[start[j]:start[j + 1]]``.
    breaks : ndarray, shape (n_breaks, 2)
        Unit directions from (-1, 1), counterclockwise, in half a turn; the other half mirrors it.
    forced : ndarray of intp, shape (3,)
        The breaks at angles 3pi/4, pi and 3pi/2.
    """

    order: np.ndarray
    turn: np.ndarray
    start: np.ndarray
    breaks: np.ndarray
    forced: np.ndarray

    def block_of_row(self) -> np.ndarray:
        """Break at which each row changes; meaningless where it never does."""
        n_breaks = self.breaks.shape[0]
        block = np.zeros(self.order.size, dtype=np.intp)
        block[self.order[: self.start[-1]]] = np.repeat(np.arange(n_breaks), np.diff(self.start))
        return block


def angular_order(scaled: np.ndarray) -> AngularOrder:
    """Sort the rows by direction, by radix.

    Parameters
    ----------
    scaled : ndarray, shape (n, 2)
        A row is treated in direction q where its product with q is above 0.

    Returns
    -------
    AngularOrder
    """
    key, turn, direction = _sweep.half_turn(scaled, TIED)
    # Stable: which row of a tie a draw weighs must not depend on the processor.
    order = least_first(key)
    n_treated = int(np.count_nonzero(turn))
    start, breaks, forced = _sweep.arc_blocks(key, direction, order[:n_treated], TIED)
    return AngularOrder(order=order, turn=turn, start=start, breaks=breaks, forced=forced)
