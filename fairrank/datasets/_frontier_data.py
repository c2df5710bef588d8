"""Simulated outcomes of two groups whose fairness-accuracy frontier is known."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri
from sklearn.utils import Bunch, check_random_state

from fairrank._validation import as_array, as_finite_float, check_choice, check_count
from fairrank.datasets._loaders import read_description
from fairrank.datasets._simulation_frame import with_frames

DESIGNS = ("balanced", "r_skewed")
N_FEATURES = 20
GROUP_NAMES = ("r", "b")
GROUP_SHARES = (0.6, 0.4)
BOUND = 3.0
# Intercept and coefficients of x1, ..., x4: the unpenalised logistic regression of the outcome on
# the covariates in an equal mixture of both designs, rounded.
STATUS_QUO = (0.05, 0.54, 0.56, 0.44, 0.25)
# R and B, the level of F, and the risks of the status quo.
TRUTH = {
    "balanced": (((0.28590, 0.63828), (0.63241, 0.27284)), 0.41540, (0.41432, 0.53541)),
    "r_skewed": (((0.15689, 0.39801), (0.28743, 0.34899)), 0.35358, (0.37376, 0.44424)),
}


def make_frontier_data(
    n_samples: int = 5000,
    *,
    design: str = "balanced",
    as_frame: bool = False,
    random_state: Any = None,
) -> Bunch:
    """Draw outcomes of two groups for which the best attainable group risks are known.

    The designs of the paper's Monte Carlo experiments [1]_. Decisions are 0 or 1, see the
    covariates and not the group, and cost 1 where they differ from the outcome.

    Parameters
    ----------
    n_samples : int, default=5000
        Rows.
    design : {"balanced", "r_skewed"}, default="balanced"
        "balanced": covariates tell about the outcomes of both groups in opposite directions, and
        each group's best point favours it. "r_skewed": they tell more about r throughout, which
        has the lower risk at both best points.
    as_frame : bool, default=False
        Give pandas objects.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same data at every call.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        Dictionary-like, with the following attributes.

        data : ndarray of float64 or DataFrame, shape (n_samples, 20)
            The covariates; the group is not among them.
        target : ndarray of int64 or Series, shape (n_samples,)
            The outcome, 0 or 1.
        sensitive_features : ndarray of str or Series, shape (n_samples,)
            "r" or "b".
        probability : ndarray of float64 or Series, shape (n_samples,)
            P(Y = 1 | X, G) of the row.
        feature_names : list of str
            "x1", ..., "x20".
        group_names : tuple
            ("r", "b"): the order of coordinates in all that follows.
        group_shares : ndarray, shape (2,)
            P(G = g).
        best_points : ndarray, shape (2, 2)
            R and B, the risks of both groups where that of r, or of b, is least.
        fairest_point : ndarray, shape (2,)
            F, the least risk that both can share.
        theta : callable
            ``theta(X)`` has shape (n, 2, 2): E[loss of decision d, in group g | X] at [:, d, g].
        delta_theta : callable
            ``delta_theta(X)`` has shape (n, 2): theta of decision 1 minus that of decision 0.
        status_quo : callable
            ``status_quo(X)`` has shape (n,): the probability of decision 1 under a fixed logistic
            rule, which is not on the frontier.
        status_quo_risks : ndarray, shape (2,)
            Its risks, e*.
        frame : DataFrame or None
            With ``as_frame=True`` the covariates, ``sensitive_feature`` and ``outcome``.
        DESCR : str
            The design in words.

    Raises
    ------
    TypeError
        `n_samples` is not a whole number.
    ValueError
        `n_samples` is below 1, or the design is unknown.

    Notes
    -----
    The risks were computed by randomised quasi-Monte Carlo with 8 x 2^20 points; their standard
    errors are below 1e-5. The paper fits its status quo on 10,000 rows; here it is what such a
    fit converges to, so that e* is near the paper's and exact for the function that is given.
    O(n) for n rows.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Monte Carlo Simulations".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> data = make_frontier_data(2000, design="r_skewed", random_state=0)
    >>> data.data.shape, sorted(set(data.sensitive_features.tolist()))
    ((2000, 20), ['b', 'r'])
    >>> print(data.best_points.round(3))
    [[0.157 0.398]
     [0.287 0.349]]
    >>> data.delta_theta(data.data).shape
    (2000, 2)
    """
    n_samples = check_count(n_samples, "n_samples")
    check_choice(design, DESIGNS, "design")
    rng = check_random_state(random_state)

    in_r = rng.uniform(size=n_samples) < GROUP_SHARES[0]
    X = _covariates(rng, n_samples)
    of_groups = _probabilities(X, design)
    probability = np.where(in_r, of_groups[:, 0], of_groups[:, 1])
    best, fairest, risks = TRUTH[design]
    simulation = Bunch(
        data=X,
        target=(rng.uniform(size=n_samples) < probability).astype(np.int64),
        sensitive_features=np.where(in_r, *GROUP_NAMES),
        probability=probability,
        feature_names=[f"x{j + 1}" for j in range(N_FEATURES)],
        group_names=GROUP_NAMES,
        group_shares=np.array(GROUP_SHARES),
        best_points=np.array(best),
        fairest_point=np.array([fairest, fairest]),
        theta=partial(_theta, design=design),
        delta_theta=partial(_delta_theta, design=design),
        status_quo=_status_quo,
        status_quo_risks=np.array(risks),
        frame=None,
        DESCR=read_description("frontier_simulation"),
    )
    return _as_frame(simulation) if as_frame else simulation


def _covariates(rng: Any, n: int) -> np.ndarray:
    uniform = rng.uniform(size=(n, N_FEATURES))
    low, high = ndtr(-BOUND), ndtr(BOUND)
    X = ndtri(low + uniform * (high - low))
    X[:, 1] = uniform[:, 1]
    X[:, 2] = rng.beta(2, 2, size=n)
    return X


def _probabilities(X: np.ndarray, design: str) -> np.ndarray:
    """P(Y = 1 | X, G = g) in columns r and b."""
    x1, x2, x3, x4 = X[:, :4].T
    if design == "balanced":
        log_odds = [x1 + x2 + 0.5 * x3, -x1 - 0.5 * x2 + x4]
    else:
        log_odds = [2 * (x1 + x2 + x3), 0.7 * (x1 + 0.5 * x2 + 0.6 * x4)]
    return expit(np.column_stack(log_odds))


def _theta(X: Any, *, design: str) -> np.ndarray:
    positive = _probabilities(_as_covariates(X), design)
    return np.stack([positive, 1.0 - positive], axis=1) * GROUP_SHARES


def _delta_theta(X: Any, *, design: str) -> np.ndarray:
    return (1.0 - 2.0 * _probabilities(_as_covariates(X), design)) * GROUP_SHARES


def _status_quo(X: Any) -> np.ndarray:
    X = _as_covariates(X)
    return expit(STATUS_QUO[0] + X[:, :4] @ np.array(STATUS_QUO[1:]))


def _as_covariates(X: Any) -> np.ndarray:
    array = as_array(X, "X")
    if array.ndim != 2 or array.shape[1] != N_FEATURES:
        raise ValueError(
            f"X must have {N_FEATURES} columns, those of make_frontier_data, got shape "
            f"{array.shape}."
        )
    return as_finite_float(array.ravel(), "X").reshape(array.shape)


def _as_frame(simulation: Bunch) -> Bunch:
    import pandas as pd

    data = pd.DataFrame(simulation.data, columns=simulation.feature_names)
    return with_frames(simulation, data)
