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
from fairrank.ranking._group_shifts import even_runs, in_order, most_shift, several_keys
from fairrank.ranking._orders import SMALLEST, Objective
from fairrank.ranking._steps import Chain

CALIBRATORS = ("logistic", "hull")
# Nothing is inferred from probabilities beyond this.
CLIP = 1e-12
BISECTIONS = 60


def calibrated_keys(chains: Chains, objective: Objective, calibrator: Any) -> list[np.ndarray]:
    """Keys of every chain's steps, higher first, for the best shifts of the groups. O(n G)."""
    base = [calibration(chain, chains, calibrator) for chain in chains.chain]
    if chains.disparity == "urf":
        base = [_probability(key) for key in base]
    base = [in_order(key) for key in base]
    if chains.n_groups == 2:
        shift = _pair_shift(chains, base, objective)
        return [base[0] + shift, base[1]]
    return several_keys(chains, base, objective)


def check_calibrator(calibrator: Any, solver: str) -> None:
    """Refuse what is no calibrator, or one that would not be asked."""
    if calibrator is not None and solver != "calibrated":
        raise ValueError(
            f"calibrator={calibrator!r} belongs to solver='calibrated', not to {solver!r}."
        )
    if isinstance(calibrator, str) and calibrator not in CALIBRATORS:
        raise ValueError(
            f"calibrator must be 'logistic', 'hull' or a classifier, got {calibrator!r}."
        )
    if calibrator is not None and not isinstance(calibrator, str):
        lacking = [name for name in ("fit", "predict_proba") if not hasattr(calibrator, name)]
        if lacking:
            raise TypeError(
                f"calibrator={calibrator!r} has no {' and no '.join(lacking)}: pass 'logistic', "
                "'hull' or a classifier with probabilities."
            )


def calibration(chain: Chain, chains: Chains, calibrator: Any) -> np.ndarray:
    """Log odds of a positive at every step, not increasing along the chain."""
    score = chain.score
    on_unit = all(each.score[-1] >= 0.0 and each.score[0] <= 1.0 for each in chains.chain)
    x = logit(np.clip(score, CLIP, 1.0 - CLIP)) if on_unit else score
    if calibrator == "hull" or not chain.counts.all():
        return _hull_log_odds(chain, 0.5 * chains.row_weight)
    if calibrator is None or isinstance(calibrator, str):
        found = _logistic(chain, x)
        return _hull_log_odds(chain, 0.5 * chains.row_weight) if found is None else found
    return _fitted(clone(calibrator), chain, x)


def _probability(log_odds: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))


def _run_means(chain: Chain, x: np.ndarray, cut: np.ndarray) -> np.ndarray:
    mass = chain.negative + chain.positive
    total = np.add.reduceat(mass, cut[:-1])
    return np.add.reduceat(mass * x, cut[:-1]) / total


def _logistic(chain: Chain, x: np.ndarray) -> np.ndarray | None:
    """Log odds linear in x; None where the slope is not positive or there is none to be found."""
    cut = even_runs(chain)
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


def _hull_log_odds(chain: Chain, half: float) -> np.ndarray:
    """Log odds of the pooled blocks, half a row added to either class, linear between middles."""
    start = pool_chain(chain.negative, chain.positive, 1)
    blocks = chain.blocks(start)
    odds = np.log((blocks[:, 1] + half) / (blocks[:, 0] + half))
    middle = 0.5 * (start[:-1] + start[1:] - 1)
    # Half a row may turn two small blocks round.
    odds = np.minimum.accumulate(odds)
    return np.interp(np.arange(chain.n_steps), middle, odds)


def _fitted(calibrator: Any, chain: Chain, x: np.ndarray) -> np.ndarray:
    """Log odds of the user's classifier, fitted to the group's scores."""
    cut = even_runs(chain)
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


def _pair_shift(chains: Chains, base: list[np.ndarray], objective: Objective) -> float:
    """Shift of the first of two groups. D grows with it."""

    def gap(shift: float) -> float:
        return float(chains.values([base[0] + shift, base[1]])[1][0, 1])

    start = gap(0.0)
    if abs(start) <= objective.allowance:
        return 0.0
    sign = 1.0 if start > 0.0 else -1.0
    end = -sign * most_shift(base)
    if objective.penalty < SMALLEST:
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
