"""Confidence intervals of a distance by the delta method, its kinks included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from fairrank.frontier._distance_region import DUAL, length

N_CIRCLE = 64
# Of the distance: what rounding may part two equal directions by.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceInterval:
    """An interval of a distance.

    Attributes
    ----------
    low, high : float
    standard_error : float
        To first order, where the distance has no kink.
    """

    low: float
    high: float
    standard_error: float


def interval_of_distance(
    v: np.ndarray, draws: np.ndarray, metric: str, confidence_level: float
) -> DistanceInterval:
    """Interval of the distance of v from 0. O(n_draws).

    Parameters
    ----------
    v : ndarray, shape (2,)
        As estimated.
    draws : ndarray, shape (n_draws, 2)
        What draws move v by.
    metric : {"euclidean", "manhattan", "chebyshev"}
    confidence_level : float
        In (0, 1).

    Notes
    -----
    A distance is the largest p'v over directions p, so that it grows by at least p'z where v moves
    by z, p being the best for the true v, and by at most the largest p'z over those that may be.
    Those are the p whose p'v is not below the largest by more standard errors than the level's
    own quantile. Away from kinks they close in on one, and the interval on that of the delta
    method; at a kink, or where v is as small as its error, they are several.
    """
    tail = (1.0 - confidence_level) / 2.0
    estimate = float(length(v, metric))
    p = _directions(v, metric)
    moves = draws @ p.T
    best = int(np.argmax(p @ v))
    error = (moves - moves[:, [best]]).std(axis=0, ddof=1)
    slack = float(norm.isf(tail)) * error + ROUNDING * estimate
    near = moves[:, estimate - p @ v <= slack]
    low = estimate - float(np.quantile(near.max(axis=1), 1.0 - tail))
    high = estimate - float(np.quantile(near, tail, axis=0).min())
    return DistanceInterval(
        low=max(0.0, low), high=max(0.0, high),
        standard_error=float(moves[:, best].std(ddof=1)),
    )


def _directions(v: np.ndarray, metric: str) -> np.ndarray:
    """The p of which the distance is the largest p'v; of a circle some, and the best."""
    if metric in DUAL:
        return DUAL[metric]
    angle = 2.0 * np.pi * np.arange(N_CIRCLE) / N_CIRCLE + np.arctan2(v[1], v[0])
    return np.column_stack([np.cos(angle), np.sin(angle)])
