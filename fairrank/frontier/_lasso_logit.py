"""Logistic regression with an L1 penalty: a path of Newton's steps, and what chooses on it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path

# From the least penalty that leaves no coefficient, downwards.
PENALTIES = np.geomspace(1.0, 0.003, 16)
# The path is left when the criterion has not fallen for so many penalties.
PATIENCE = 4
STEPS = 25
SETTLED = 1e-12
# Of p (1 - p), so that rows that are as good as known do not weigh infinitely little.
LEAST_VARIANCE = 1e-5
# Beyond so many columns their products cost more than passes over the rows.
MANY_COLUMNS = 300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LassoLogit:
    """A fitted logit.

    Attributes
    ----------
    coefficients : ndarray, shape (n_features,)
        Of the columns as they came.
    intercept : float
    penalty : float
        Chosen, of the mean loss and standardised columns.
    """

    coefficients: np.ndarray
    intercept: float
    penalty: float


def lasso_logit(X: np.ndarray, happened: np.ndarray, weight: np.ndarray) -> LassoLogit:
    """P(happened | X) by an L1 penalty on standardised columns, the intercept left free.

    The penalty has the least Hannan-Quinn criterion, 2 n loss + 2 log(log n) n_coefficients, n
    being the effective number of rows. It asks more of a coefficient than Akaike's, and in large
    samples less than Schwarz's.

    Parameters
    ----------
    X : ndarray of float64, shape (n, n_features)
    happened : ndarray of bool, shape (n,)
        Of both kinds.
    weight : ndarray, shape (n,)
        Of whole numbers: how often each row was seen. Of others: its mass.

    Returns
    -------
    LassoLogit

    Notes
    -----
    About 40 Newton's steps of O(n n_features^2) and a lasso each.
    """
    share = weight / weight.sum()
    repeated = weight.dtype.kind in "iu"
    n_effective = float(weight.sum()) if repeated else 1.0 / float(share @ share)
    mean = share @ X
    spread = np.sqrt(share @ (X - mean) ** 2)
    constant = spread <= 1e-10 * (1.0 + np.abs(mean))
    spread[constant] = 1.0
    Z = (X - mean) / spread
    Z[:, constant] = 0.0
    y = happened.astype(np.float64)
    rate = float(np.clip(share @ y, 1e-12, 1.0 - 1e-12))
    b, b_0 = np.zeros(X.shape[1]), float(np.log(rate / (1.0 - rate)))
    largest = float(np.abs((share * (y - rate)) @ Z).max(initial=0.0))
    price = 2.0 * np.log(np.log(max(n_effective, 16.0)))
    best = (2.0 * n_effective * _loss(Z, y, share, b, b_0), b, b_0, largest)
    since = 0
    for penalty in largest * PENALTIES[1:]:
        if not largest > 1e-12:
            break
        b, b_0 = _penalised(Z, y, share, penalty, b, b_0)
        criterion = 2.0 * n_effective * _loss(Z, y, share, b, b_0) + price * np.count_nonzero(b)
        since = 0 if criterion < best[0] else since + 1
        if criterion < best[0]:
            best = (criterion, b, b_0, penalty)
        if since >= PATIENCE:
            break
    coefficients = best[1] / spread
    return LassoLogit(
        coefficients=coefficients, intercept=best[2] - float(coefficients @ mean),
        penalty=float(best[3]),
    )


def _loss(Z: np.ndarray, y: np.ndarray, share: np.ndarray, b: np.ndarray, b_0: float) -> float:
    """Mean log loss."""
    eta = Z @ b + b_0
    return float(share @ (np.logaddexp(0.0, eta) - y * eta))


def _penalised(
    Z: np.ndarray, y: np.ndarray, share: np.ndarray, penalty: float, b: np.ndarray, b_0: float
) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of least loss plus penalty, from a start nearby."""
    n = y.size
    gram = Z.shape[1] <= MANY_COLUMNS
    value = _loss(Z, y, share, b, b_0) + penalty * np.abs(b).sum()
    for _ in range(STEPS):
        eta = Z @ b + b_0
        p = expit(eta)
        variance = np.maximum(p * (1.0 - p), LEAST_VARIANCE)
        root = np.sqrt(share * variance)
        target = eta + (y - p) / variance
        total = float(root @ root)
        centre, level = (root**2 @ Z) / total, float(root**2 @ target) / total
        A, c = root[:, np.newaxis] * (Z - centre), root * (target - level)
        given = {"precompute": A.T @ A, "Xy": A.T @ c} if gram else {"precompute": False}
        with warnings.catch_warnings():
            # The next step mends what this one leaves.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = lasso_path(
                # It writes into what it starts from.
                np.asfortranarray(A), c, alphas=[penalty / n], coef_init=b.copy(), tol=1e-12,
                max_iter=1000, check_input=False, **given,
            )[1][:, 0]
        ahead = found - b, level - float(centre @ found) - b_0
        length, before = 1.0, value
        for _ in range(20):
            to, to_0 = b + length * ahead[0], b_0 + length * ahead[1]
            value = _loss(Z, y, share, to, to_0) + penalty * np.abs(to).sum()
            if value <= before + 1e-12:
                break
            length *= 0.5
        b, b_0 = to, to_0
        if before - value < SETTLED * max(before, 1e-3):
            break
    return b, b_0
