"""Orders for the absolute disparity: a bound by the signed problem, a finish where it ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank._kernels.chain import best_split
from fairrank.ranking._hull import MAX_MERGES, HullSolver, SignedOrder
from fairrank.ranking._steps import Pair

# A multiplier this large stands for "disparity before anything else".
UNBOUNDED = 1e7
# Values of phi agree this far when the kink is found: AUC has about 16 digits.
AGREEMENT = 1e-15


@dataclass(frozen=True)
class Kink:
    """Where AUC - l (D - shift), maximised over orders, is smallest in l.

    Attributes
    ----------
    multiplier : float
    bound : float
        That smallest maximum: no order with D on the right side of `shift` has more AUC - l (D -
        shift).
    above, below : SignedOrder
        Best orders there with D >= shift and D <= shift; the same one at an end of the interval.
    """

    multiplier: float
    bound: float
    above: SignedOrder
    below: SignedOrder


def find_kink(solver: HullSolver, low: float, high: float, shift: float) -> Kink:
    """Minimise a convex, piecewise linear function by secants on [low, high].

    Both lines at hand are kept; every third step is a bisection, so that a far line cannot stall
    it. A handful of merges.
    """
    above, below = solver.best(low), solver.best(high)
    if above.disparity <= shift:
        return Kink(low, above.value(low) + low * shift, above, above)
    if below.disparity >= shift:
        return Kink(high, below.value(high) + high * shift, below, below)
    for merge in range(MAX_MERGES):
        # Lines AUC - l (D - shift) of both orders cross here, between low and high.
        crossing = (above.auc - below.auc) / (above.disparity - below.disparity)
        crossing = min(max(crossing, low), high)
        level = above.value(crossing) + crossing * shift
        multiplier = 0.5 * (low + high) if merge % 3 == 2 else crossing
        found = solver.best(multiplier)
        value = found.value(multiplier) + multiplier * shift
        if multiplier == crossing and value <= level + AGREEMENT:
            return Kink(crossing, max(value, level), above, below)
        if found.disparity >= shift:
            above, low = found, multiplier
        else:
            below, high = found, multiplier
        if high - low <= 1e-15 * max(abs(low), abs(high)):
            break
    crossing = 0.5 * (low + high)
    bound = max(order.value(crossing) + crossing * shift for order in (above, below))
    return Kink(crossing, bound, above, below)


@dataclass(frozen=True)
class Interleaving:
    """An order of two chains, step by step.

    Attributes
    ----------
    before : ndarray of intp, shape (n_steps of a,)
        Steps of b before each step of a.
    auc, disparity : float
        D is signed: positive when a is favoured.
    """

    before: np.ndarray
    auc: float
    disparity: float

    def penalised(self, trade_off: float, allowance: float = 0.0) -> float:
        """AUC - trade_off * max(|D| - allowance, 0)."""
        return self.auc - trade_off * max(abs(self.disparity) - allowance, 0.0)


def counts_of(pair: Pair, before: np.ndarray) -> np.ndarray:
    """C10, C01 and C any of an interleaving. O(n)."""
    a, b = pair.a, pair.b
    b_neg = np.concatenate(([0.0], np.cumsum(b.negative)))[before]
    b_pos = np.concatenate(([0.0], np.cumsum(b.positive)))[before]
    left_neg, left_pos = b.counts[0] - b_neg, b.counts[1] - b_pos
    return np.array(
        [
            (a.positive * left_neg).sum(),
            (a.negative * b_pos).sum(),
            ((a.positive + a.negative) * (left_neg + left_pos)).sum(),
        ]
    )


def interleaved(pair: Pair, before: np.ndarray) -> Interleaving:
    """The order with its AUC and disparity."""
    counts = counts_of(pair, before)
    return Interleaving(before, pair.auc(counts), pair.signed_disparity(counts))


def two_split(pair: Pair, kink: Kink, trade_off: float, allowance: float) -> Interleaving:
    """Best of both ends of the kink and of ``a[:k] b[:l] a[k:] b[l:]`` in the region they part.

    Going from the lower order to the upper one, a's steps move up run by run; D grows with each,
    and the split is made in the run where it passes the interval that is allowed.
    """
    up, down = kink.above.steps_before, kink.below.steps_before
    candidates = [interleaved(pair, up), interleaved(pair, down)]
    moved = np.flatnonzero(up != down)
    if moved.size:
        # Runs of a-steps that stand at one place in either order: rectangles.
        cut = np.flatnonzero(
            (np.diff(moved) > 1) | (np.diff(up[moved]) != 0) | (np.diff(down[moved]) != 0)
        )
        starts = moved[np.concatenate(([0], cut + 1))]
        stops = moved[np.concatenate((cut, [moved.size - 1]))] + 1
        now = candidates[1]
        for start, stop in zip(starts, stops):
            after = down.copy()
            after[:stop] = up[:stop]
            reached = interleaved(pair, after)
            if reached.disparity >= -allowance:
                candidates.append(_split(pair, now, start, stop, up, trade_off, allowance))
            candidates.append(reached)
            if reached.disparity > allowance:
                break
            now = reached
    return max(candidates, key=lambda order: order.penalised(trade_off, allowance))


def _split(pair: Pair, now: Interleaving, start: int, stop: int, up: np.ndarray,
           trade_off: float, allowance: float) -> Interleaving:
    a, b = pair.a, pair.b
    first, last = up[start], now.before[start]
    per = pair.per_count
    k, moved, _ = best_split(
        np.column_stack((a.negative[start:stop], a.positive[start:stop])),
        np.column_stack((b.negative[first:last], b.positive[first:last])),
        1.0 / pair.auc_pairs, 1.0 / pair.auc_pairs, per[0], -per[1], per[2],
        now.auc, now.disparity, min(trade_off, UNBOUNDED), allowance,
    )
    before = now.before.copy()
    before[start : start + k] = first
    before[start + k : stop] = first + moved
    return interleaved(pair, before)
