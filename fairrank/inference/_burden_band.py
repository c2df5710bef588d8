"""Centred paths under exchanged labels on a grid of ranks, and the band most stay inside."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from fairrank._kernels.placement import drawn_labels
from fairrank.inference._exchangeability import Exchangeability
from fairrank.inference._permutation import EQUALITY, DrawPlan, chunk_seeds

MAX_GRID = 400
# Labels of one chunk of draws take a byte a row.
CHUNK_BYTES = 20_000_000
CHUNK_DRAWS = 50
# The band's half-width is sqrt(pointwise * widest). In proportion to the pointwise one, the ends,
# where a path is a handful of rows, rule the factor and cost power (.56 against .73 where a rare
# outcome burdens a minority, n = 1000); a constant one costs it elsewhere (.71 against .80 where
# scores of middling size spread more). Where skew puts both quantiles on one side of 0, this part
# of the widest stands in.
LEAST_WIDTH = 0.01
# Centred paths are parts of 1; what is smaller than this is no part of it.
ROUNDING = 1e-14


def grid_ends(exchange: Exchangeability, at_most: int = MAX_GRID) -> np.ndarray:
    """0 and the ends of at most `at_most` blocks, evenly spaced along the Lorenz curve."""
    end = exchange.block_start
    if end.size <= at_most:
        return end.copy()
    travelled = end / end[-1] + cumulated(exchange.share, end)
    wanted = np.linspace(0.0, travelled[-1], at_most)
    nearest = np.minimum(np.searchsorted(travelled, wanted), end.size - 1)
    return end[np.union1d(nearest, (0, end.size - 1))]


def cumulated(steps: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Sum of the first ``end[k]`` steps, for every k."""
    return np.concatenate(([0.0], np.cumsum(steps)))[end]


def centred_on(path: np.ndarray, expected: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """``U = E - F - (s - sigma) t`` over the last axis, exactly 0 at both ends."""
    gap = path - expected
    gap = gap - gap[..., -1:] * rank
    gap[..., -1] = 0.0
    return gap


def drawn_paths(
    exchange: Exchangeability, end: np.ndarray, expected: np.ndarray, n_draws: int,
    seed: np.random.SeedSequence, n_jobs: Any = None,
) -> np.ndarray:
    """Centred paths under exchanged labels on the grid, shape (n_draws, n_groups, n_grid)."""
    plan = DrawPlan.of(exchange)
    rank = end / end[-1]

    def draw(state: np.ndarray, n: int) -> np.ndarray:
        labels = drawn_labels(plan.position, plan.stratum_start, plan.n_drawn, state, n)
        centred = np.empty((n, exchange.n_groups, rank.size))
        for b in range(n):
            for j, g in enumerate(plan.column[:-1]):
                row = np.flatnonzero(labels[b] == j)
                path = cumulated(exchange.share[row], np.searchsorted(row, end))
                centred[b, g] = centred_on(path, expected[g], rank)
        # The groups' centred paths add up to 0: the largest need not be walked.
        centred[:, plan.column[-1]] = -centred[:, plan.column[:-1]].sum(axis=1)
        return centred

    chunk = int(np.clip(CHUNK_BYTES // exchange.share.size, 1, CHUNK_DRAWS))
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(draw)(state, n) for state, n in chunk_seeds(seed, n_draws, chunk)
    )
    return np.concatenate(parts)


def simultaneous_band(paths: np.ndarray, confidence_level: float) -> dict[str, Any]:
    """Bands round 0 of paths, shape (1 + n_draws, n_groups, n_grid), the observed one first."""
    tail = (1.0 - confidence_level) / 2.0
    low, high, below, above, spread = np.empty((5, *paths.shape[1:]))
    deviation = np.zeros(paths.shape[0])
    for g in range(paths.shape[1]):
        own = paths[:, g]
        low[g], high[g] = np.quantile(own, (tail, 1.0 - tail), axis=0)
        spread[g] = own[1:].std(axis=0)
        widest = (high[g] - low[g]).max() / 2.0
        below[g] = np.sqrt(np.maximum(-low[g], LEAST_WIDTH * widest) * widest)
        above[g] = np.sqrt(np.maximum(high[g], LEAST_WIDTH * widest) * widest)
        # A group whose labels cannot move has a path of rounding errors, and no width.
        if widest > ROUNDING:
            measured = np.abs(own) / np.where(own > 0.0, above[g], below[g])
            np.maximum(deviation, measured.max(axis=-1), out=deviation)
    n_inside = int(np.ceil(confidence_level * deviation.size - EQUALITY))
    critical = float(np.sort(deviation)[n_inside - 1])
    below, above = -critical * below, critical * above
    below[:, [0, -1]] = above[:, [0, -1]] = 0.0
    return {
        "pointwise_low": low,
        "pointwise_high": high,
        "low": below,
        "high": above,
        "standard_deviation": spread,
        "max_deviation": float(deviation[0]),
        "critical_deviation": critical,
        "pvalue": float(np.mean(deviation >= deviation[0] * (1.0 - EQUALITY))),
    }
