"""The calibrated reference: do burdens part more than base rates alone would make them.

Outcomes are drawn from the scores, which stay fixed, and the statistic is computed with its own
centre for every draw. It tests calibration, also where that fails alike in all groups, so
calibration by group stands beside it, and the scores must not be the ones fitted to these rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logit
from sklearn.linear_model import LogisticRegression

from fairrank._kernels import order as _order
from fairrank._kernels import outcome as _outcome
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference._permutation import SERIAL_WORK, chunk_seeds
from fairrank.inference._rgf_test_result import CalibrationByGroup
from fairrank.metrics._audit_sample import AuditSample

# A probability of exactly 0 or 1 has no logit; this is where it is read.
EXTREME = 1e-12
# scikit-learn 1.8 warns of an infinite one.
UNPENALISED = 1e12


def recalibrated(score: np.ndarray, outcome: np.ndarray) -> np.ndarray:
    """Scores after one logistic recalibration on their logit, pooled over groups (Platt 1999)."""
    position = logit(np.clip(score, EXTREME, 1.0 - EXTREME))[:, None]
    model = LogisticRegression(C=UNPENALISED, max_iter=1000).fit(position, outcome)
    return model.predict_proba(position)[:, 1]


def calibration_by_group(sample: AuditSample) -> tuple[CalibrationByGroup, ...]:
    """Observed rate against mean score in every group."""
    assert sample.score is not None
    assert sample.outcome is not None
    rows = []
    for code, label in enumerate(sample.labels):
        mine = sample.group == code
        score, outcome = sample.score[mine], sample.outcome[mine]
        spread = np.sqrt((score * (1.0 - score)).sum()) / score.size
        difference = float(outcome.mean() - score.mean())
        rows.append(
            CalibrationByGroup(
                group=label,
                mean_score=float(score.mean()),
                observed_rate=float(outcome.mean()),
                difference=difference,
                z=float(difference / spread) if spread > 0 else float("nan"),
            )
        )
    return tuple(rows)


def calibrated_statistics(
    sample: AuditSample,
    burden_if: tuple[np.ndarray, np.ndarray],
    n_draws: int,
    seed: np.random.SeedSequence,
    n_jobs: Any,
) -> tuple[float, np.ndarray]:
    """Observed T and its draws with outcomes ~ Bernoulli(score). One sort of 2 n candidates.

    Parameters
    ----------
    burden_if : (ndarray, ndarray)
        Burden of every row if its outcome were 0, and if it were 1.
    """
    assert sample.score is not None
    assert sample.outcome is not None
    n = sample.n_samples
    candidates = np.concatenate(burden_if)
    order = np.argsort(candidates, kind="stable")
    values = candidates[order]
    block_start = _order.tie_blocks(values, sample.tie_tolerance * values[-1])
    values = _order.pool_ties(values, np.ones(2 * n), block_start)
    arrays = (
        values,
        (order % n).astype(np.int32),
        (order // n).astype(np.uint8),
        block_start,
        np.ascontiguousarray(sample.group),
        np.bincount(sample.group, minlength=len(sample.labels)) / n,
    )
    observed = _outcome.outcome_statistic(*arrays, np.ascontiguousarray(sample.outcome))
    tasks = chunk_seeds(seed, n_draws)
    probability = np.ascontiguousarray(sample.score)
    jobs = n_jobs if 2 * n * n_draws >= SERIAL_WORK else 1
    parts = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(_outcome.outcome_draws)(*arrays, probability, state, size)
        for state, size in tasks
    )
    drawn = np.concatenate(parts)
    if (drawn < 0.0).any():
        # Every drawn outcome equals its score: scores are all 0 or 1, and no burden is left.
        raise DegenerateGroupError(
            "y_score holds only 0 and 1, so outcomes drawn from it carry no burden and the "
            "calibrated reference is undefined: pass probabilities."
        )
    return float(observed), drawn
