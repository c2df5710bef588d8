"""Probabilities made right inside each group: one increasing curve a group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression

RECALIBRATIONS = (None, "logistic", "isotonic")
# With fewer rows of either outcome an isotonic curve is little but noise.
FEW = 25
# Prior standard deviations of a logistic curve's intercept and log slope about "as it is".
PRIOR = np.array([1.0, 0.5])
# Probabilities nearer 0 and 1 have no useful log odds.
EDGE = 1e-6
# Weight of the probability itself in an isotonic curve, so that steps do not become ties.
STRICT = 1e-3

Curve = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """``expit(intercept + slope * logit(p))``, increasing."""

    intercept: float
    slope: float

    def __call__(self, probability: np.ndarray) -> np.ndarray:
        """Probabilities."""
        return expit(self.intercept + self.slope * _log_odds(probability))


@dataclass(frozen=True, slots=True)
class IsotonicCurve:
    """Linear between knots, with a trace of the probability itself."""

    at: np.ndarray
    value: np.ndarray

    def __call__(self, probability: np.ndarray) -> np.ndarray:
        """Probabilities."""
        pooled = np.interp(probability, self.at, self.value)
        return (1.0 - STRICT) * pooled + STRICT * probability


def group_curves(
    probability: np.ndarray, outcome: np.ndarray, code: np.ndarray, n_groups: int,
    weight: np.ndarray | None, kind: str,
) -> list[Curve]:
    """Fit one curve a group.

    Parameters
    ----------
    probability, outcome, code, weight : ndarray, shape (n,)
        Of rows that the model was not fitted on.
    kind : {"logistic", "isotonic"}
        A group with fewer than 25 rows of either outcome takes "logistic" always, which shrinks
        towards leaving the probabilities as they are.
    """
    curves: list[Curve] = []
    for g in range(n_groups):
        own = code == g
        p, y = probability[own], outcome[own].astype(np.float64)
        w = np.ones(p.size) if weight is None else weight[own].astype(np.float64)
        counted = w > 0
        p, y, w = p[counted], y[counted], w[counted]
        enough = min(np.count_nonzero(y == 1), np.count_nonzero(y == 0)) >= FEW
        fit = _isotonic if kind == "isotonic" and enough else _logistic
        curves.append(fit(p, y, w))
    return curves


def recalibrated(
    probability: np.ndarray, code: np.ndarray, curves: list[Curve]
) -> np.ndarray:
    """Each row's probability by the curve of its group."""
    found = np.empty(probability.size)
    for g, curve in enumerate(curves):
        own = code == g
        found[own] = curve(probability[own])
    return found


def cross_recalibrated(
    probability: np.ndarray, outcome: np.ndarray, code: np.ndarray, n_groups: int,
    weight: np.ndarray | None, fold: np.ndarray, kind: str,
) -> np.ndarray:
    """Every row by curves that were fitted without its fold; by all where there is one."""
    folds = np.unique(fold)
    found = np.empty(probability.size)
    for k in folds:
        held_out = fold == k
        others = ~held_out if folds.size > 1 else held_out
        curves = group_curves(
            probability[others], outcome[others], code[others], n_groups,
            None if weight is None else weight[others], kind,
        )
        found[held_out] = recalibrated(probability[held_out], code[held_out], curves)
    return found


def _log_odds(probability: np.ndarray) -> np.ndarray:
    return logit(np.clip(probability, EDGE, 1.0 - EDGE))


def _logistic(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> LogisticCurve:
    x = _log_odds(p)
    # The slope's logarithm, so that the curve increases.

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        slope = np.exp(at[1])
        z = at[0] + slope * x
        rest = w * (expit(z) - y)
        value = w @ (np.logaddexp(0.0, z) - y * z) + 0.5 * ((at / PRIOR) ** 2).sum()
        return float(value), np.array([rest.sum(), slope * (rest @ x)]) + at / PRIOR**2

    # From 0, which leaves every probability as it is.
    intercept, log_slope = minimize(loss, np.zeros(2), jac=True, method="BFGS").x
    return LogisticCurve(float(intercept), float(np.exp(log_slope)))


def _isotonic(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> IsotonicCurve:
    fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(p, y, w)
    return IsotonicCurve(fitted.X_thresholds_, fitted.y_thresholds_)
