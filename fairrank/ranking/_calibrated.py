"""The smooth solver: calibrate each group, then shift the groups against each other.

In the population the best order for a penalty on xAUC or PRF ranks by ``w_g odds_g(score)``, for
URF by ``P_g(Y = 1 | score) + c_g``. So each group has one number to choose, whatever its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from fairrank._kernels.chain import pool_chain
from fairrank.ranking._chains import Chains
from fairrank.ranking._orders import UNBOUNDED, Objective
from fairrank.ranking._steps import Chain

CALIBRATORS = ("logistic", "hull")
# Runs of steps a calibration is fitted on, and shifts are first chosen on.
MAX_RUNS = 1000
# Nothing is inferred from probabilities beyond this.
CLIP = 1e-12
# Steps that a calibration ties are kept in their order by this much over the whole chain.
TIE_BREAK = 1e-6
BISECTIONS = 60
ROUNDS = 20


def calibrated_keys(chains: Chains, objective: Objective, calibrator: Any) -> list[np.ndarray]:
    """Keys of every chain's steps, higher first, for the best shifts of the groups. O(n G)."""
    base = [calibration(chain, chains, calibrator) for chain in chains.chain]
    if chains.disparity == "urf":
        base = [_probability(key) for key in base]
    base = [_in_order(key) for key in base]
    if chains.n_groups == 2:
        shift = _pair_shift(chains, base, objective)
        return [base[0] + shift, base[1]]
    return _several_keys(chains, base, objective)


def calibration(chain: Chain, chains: Chains, calibrator: Any) -> np.ndarray:
    """Log odds of a positive at every step, not increasing along the chain."""
    score = chain.score
    on_unit = all(each.score[-1] >= 0.0 and each.score[0] <= 1.0 for each in chains.chain)
    x = logit(np.clip(score, CLIP, 1.0 - CLIP)) if on_unit else score
    if calibrator == "hull" or not chain.counts.all():
        return _hull_log_odds(chain)
    if calibrator is None or isinstance(calibrator, str):
        found = _logistic(chain, x)
        return _hull_log_odds(chain) if found is None else found
    return _fitted(clone(calibrator), chain, x)


def _probability(log_odds: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))


def _in_order(key: np.ndarray) -> np.ndarray:
    return key - TIE_BREAK / key.size * np.arange(key.size)


def _runs(chain: Chain) -> np.ndarray:
    """Cuts into at most `MAX_RUNS` runs with about the same weight."""
    if chain.n_steps <= MAX_RUNS:
        return np.arange(chain.n_steps + 1, dtype=np.intp)
    mass = chain.sums.sum(axis=1)
    inner = np.searchsorted(mass, np.linspace(0.0, mass[-1], MAX_RUNS + 1)[1:-1])
    return np.unique(np.concatenate(([0], inner, [chain.n_steps]))).astype(np.intp)


def _run_means(chain: Chain, x: np.ndarray, cut: np.ndarray) -> np.ndarray:
    mass = chain.negative + chain.positive
    total = np.add.reduceat(mass, cut[:-1])
    return np.add.reduceat(mass * x, cut[:-1]) / total


def _logistic(chain: Chain, x: np.ndarray) -> np.ndarray | None:
    """Log odds linear in x; None where the slope is not positive or there is none to be found."""
    cut = _runs(chain)
    at, blocks = _run_means(chain, x, cut), chain.blocks(cut)
    mass = blocks.sum(axis=1)
    centre = np.average(at, weights=mass)
    spread = np.sqrt(np.average((at - centre) ** 2, weights=mass))
    if not np.isfinite(spread) or spread == 0.0:
        return None
    scaled = ((at - centre) / spread)[:, None]
    weight = blocks.T.ravel() / mass.mean()
    model = LogisticRegression(C=1e3, max_iter=500)
    model.fit(np.vstack((scaled, scaled)), np.repeat([0, 1], at.size), sample_weight=weight)
    slope = float(model.coef_[0, 0])
    if slope <= 0.0:
        return None
    return slope * ((x - centre) / spread) + float(model.intercept_[0])


def _hull_log_odds(chain: Chain) -> np.ndarray:
    """Log odds of the pooled blocks, half a row added to either class, linear between middles."""
    start = pool_chain(chain.negative, chain.positive, 1)
    blocks = chain.blocks(start)
    half = 0.5 * chain.counts.sum() / max(chain.row.size, 1)
    odds = np.log((blocks[:, 1] + half) / (blocks[:, 0] + half))
    middle = 0.5 * (start[:-1] + start[1:] - 1)
    # Half a row may turn two small blocks round.
    odds = np.minimum.accumulate(odds)
    return np.interp(np.arange(chain.n_steps), middle, odds)


def _fitted(calibrator: Any, chain: Chain, x: np.ndarray) -> np.ndarray:
    """Log odds of the user's classifier, fitted to the group's scores."""
    cut = _runs(chain)
    at, blocks = _run_means(chain, x, cut)[:, None], chain.blocks(cut)
    calibrator.fit(
        np.vstack((at, at)), np.repeat([0, 1], at.size), sample_weight=blocks.T.ravel()
    )
    p = calibrator.predict_proba(x[:, None])[:, 1]
    found = logit(np.clip(p, CLIP, 1.0 - CLIP))
    if (np.diff(found) > 1e-9).any():
        raise ValueError(
            f"calibrator={calibrator!r} gives a higher score a lower probability in some group, "
            "and the order inside a group is kept: pass a monotone calibrator."
        )
    return np.minimum.accumulate(found)


def _most_shift(base: list[np.ndarray]) -> float:
    """A shift that puts one group wholly above another."""
    return max(key[0] for key in base) - min(key[-1] for key in base) + 1.0


def _pair_shift(chains: Chains, base: list[np.ndarray], objective: Objective) -> float:
    """Shift of the first of two groups. D grows with it."""

    def gap(shift: float) -> float:
        return float(chains.values([base[0] + shift, base[1]])[1][0, 1])

    start = gap(0.0)
    if abs(start) <= objective.allowance:
        return 0.0
    sign = 1.0 if start > 0.0 else -1.0
    end = -sign * _most_shift(base)
    if objective.penalty < UNBOUNDED:
        gain = chains.pair().gain(sign * objective.penalty)
        if chains.disparity == "urf":
            farthest = float(gain[1, 0] - 1.0)
        elif gain[1, 0] > 0.0 > gain[0, 1]:
            farthest = float(np.log(gain[1, 0] / -gain[0, 1]))
        else:
            farthest = end
        end = farthest if abs(farthest) < abs(end) else end
        if sign * gap(end) >= objective.allowance:
            return end
    return _root(gap, end, sign, objective.allowance)


def _root(gap, end: float, sign: float, allowance: float) -> float:
    """Shift between 0 and `end` nearest 0 at which sign * gap is at most the allowance.

    Of the last two shifts, one on either side, the one with the smaller excess.
    """
    near, far = 0.0, end
    for _ in range(BISECTIONS):
        middle = 0.5 * (near + far)
        if middle in (near, far):
            break
        if sign * gap(middle) > allowance:
            near = middle
        else:
            far = middle
    excess = [max(abs(gap(shift)) - allowance, 0.0) for shift in (far, near)]
    return far if excess[0] <= excess[1] else near


def _several_keys(chains: Chains, base: list[np.ndarray],
                  objective: Objective) -> list[np.ndarray]:
    """Shifts of three and more groups: those that level all favours, taken as far as is asked.

    Each group in turn is shifted until the sum of its disparities with the others is 0; then the
    way from no shifts to these is searched for the allowance or the best objective.
    """
    runs = [_runs(chain) for chain in chains.chain]
    coarse = Chains(
        tuple(
            Chain(*_fields(chain, cut), chain.row, chain.step_start[cut], chain.score[cut[:-1]])
            for chain, cut in zip(chains.chain, runs)
        ),
        chains.disparity,
    )
    middles = [key[(cut[:-1] + cut[1:] - 1) // 2] for key, cut in zip(base, runs)]
    shift = _levelling(coarse, middles)

    def keys(part: float) -> list[np.ndarray]:
        return [key + part * by for key, by in zip(base, shift)]

    def worth(part: float) -> tuple[float, float]:
        auc, signed = chains.values(keys(part))
        return auc, float(np.abs(signed).max())

    if objective.hard:
        if worth(0.0)[1] <= objective.allowance:
            return keys(0.0)
        parts = np.linspace(0.0, 1.0, 33)
        gaps = [worth(part)[1] for part in parts]
        met = [i for i, gap in enumerate(gaps) if gap <= objective.allowance]
        if not met:
            return keys(float(parts[int(np.argmin(gaps))]))
        low, high = (float(parts[max(met[0] - 1, 0)]), float(parts[met[0]]))
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if worth(middle)[1] <= objective.allowance else (
                middle, high)
        return keys(high)
    parts = np.linspace(0.0, 1.0, 65)
    values = [objective.of(*worth(part)) for part in parts]
    return keys(float(parts[int(np.argmax(values))]))


def _fields(chain: Chain, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    steps = chain.cut_at(cut)
    above = np.cumsum(steps.positive) - 0.5 * steps.positive
    return steps.negative, steps.positive, float((above * steps.negative).sum())


def _levelling(chains: Chains, keys: list[np.ndarray]) -> np.ndarray:
    """Shifts at which no group is favoured over the others together, the first group's 0."""
    shift = np.zeros(chains.n_groups)
    most = _most_shift(keys)
    # Coarse steps of one group may tie after rounding: a strict order keeps them apart.
    keys = [_in_order(key) for key in keys]

    def favour(g: int, by: float) -> float:
        moved = [key + (by if h == g else shift[h]) for h, key in enumerate(keys)]
        return float(chains.values(moved)[1][g].sum())

    for _ in range(ROUNDS):
        largest = 0.0
        for g in range(1, chains.n_groups):
            low, high = shift[g] - most, shift[g] + most
            for _ in range(40):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if favour(g, middle) > 0.0 else (middle, high)
            largest = max(largest, abs(middle - shift[g]))
            shift[g] = middle
        if largest < 1e-6:
            break
    return shift
