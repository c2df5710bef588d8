"""From fair scores back to probabilities, strictly increasing, so that no ranking changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fairrank._kernels.chain import pool_chain
from fairrank.ranking._steps import Chain

# Weight of the score itself. Isotonic regression alone ties scores, and ties change every
# ranking metric; this part keeps them apart and moves no probability by more.
STRICT = 1e-3


@dataclass(frozen=True, eq=False)
class Recalibration:
    """Log odds linear between knots, and a trace of the score itself.

    Attributes
    ----------
    score, log_odds : ndarray, shape (n_knots,)
        Ascending, and not decreasing.
    cut : float
        The largest score whose probability is not above one half.
    """

    score: np.ndarray
    log_odds: np.ndarray
    cut: float

    def __call__(self, score: np.ndarray) -> np.ndarray:
        """Probabilities of scores in [0, 1]."""
        return _probability(score, self.score, self.log_odds)


def _probability(score: np.ndarray, at: np.ndarray, log_odds: np.ndarray) -> np.ndarray:
    return (1.0 - STRICT) * expit(np.interp(score, at, log_odds)) + STRICT * score


def recalibration(score: np.ndarray, outcome: np.ndarray,
                  weight: np.ndarray | None) -> Recalibration:
    """Isotonic regression, smoothed: half a row of either class in every block. O(n log n)."""
    mass = np.ones(score.size) if weight is None else weight.astype(np.float64)
    whole = weight is None or weight.dtype.kind in "biu"
    half = 0.5 if whole else 0.5 * float(mass[mass > 0].mean())
    rows = np.flatnonzero(mass > 0)
    chain = Chain.of(score, outcome.astype(np.uint16), mass, rows)
    start = pool_chain(chain.negative, chain.positive, 1)
    negative, positive = chain.blocks(start).T
    # Half a row may turn two small blocks round.
    odds = np.minimum.accumulate(np.log((positive + half) / (negative + half)))
    # Knots at both ends of a block: from its middle alone, a single row at the end of the scale
    # would bend all the way to it.
    ends = np.column_stack((chain.score[start[:-1]], chain.score[start[1:] - 1]))
    at, log_odds = ends.ravel()[::-1].copy(), np.repeat(odds, 2)[::-1].copy()
    return Recalibration(at, log_odds, _cut(at, log_odds))


def _cut(at: np.ndarray, log_odds: np.ndarray) -> float:
    # Beyond [0, 1] on either side, for scores that are all above one half or all below.
    low, high = -1.0, 2.0
    while low < (middle := 0.5 * (low + high)) < high:
        over = _probability(np.array([middle]), at, log_odds)[0] > 0.5
        low, high = (low, middle) if over else (middle, high)
    return low
