"""Simulated data whose fairness is known by construction."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.utils import Bunch, check_random_state

from fairrank._sensitive import encode_groups
from fairrank._validation import (
    check_count,
    check_fraction,
    check_probability,
    check_same_length,
)
from fairrank.datasets._loaders import read_description
from fairrank.datasets._simulation_frame import with_frames

# Chosen, with the coefficients, so that prevalence and RGF are those of the paper: about 4 %,
# .60 fair and .71 unfair.
CATEGORY_EFFECT = 0.8


def make_rgf_simulation(
    n_samples: int = 5000,
    *,
    minority_share: float = 0.1,
    intercept: float = -3.6,
    coef_scale: float = 0.5,
    n_continuous: int = 5,
    n_categorical: int = 3,
    as_frame: bool = False,
    random_state: Any = None,
) -> Bunch:
    """Draw a rare outcome that has nothing to do with the group.

    The design of the paper's simulation [1]_: whoever belongs to the minority is drawn
    independently of covariates and outcome. A model of the outcome is thus fair to the minority by
    construction, and any difference between the groups is chance. Pass its predictions through
    `perturb_scores` for the unfair arm.

    Parameters
    ----------
    n_samples : int, default=5000
        Rows.
    minority_share : float in (0, 1), default=0.1
        Probability of belonging to the minority; the realised share varies around it.
    intercept : float, default=-3.6
        Log-odds of the outcome where the covariates cancel.
    coef_scale : float, default=0.5
        Strength of the signal, in log-odds; 0 makes the outcome pure chance.
    n_continuous : int, default=5
        Standard normal covariates. Their coefficients fall evenly from 1 to 1/5 with alternating
        sign.
    n_categorical : int, default=3
        Covariates with 3, 4, 3, 4, ... equally likely levels, coded 0, 1, 2, ... Levels have
        evenly spaced effects, so that a linear model of the codes is well specified too.
    as_frame : bool, default=False
        Give pandas objects; the categorical covariates have dtype category.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same data at every call.

    Returns
    -------
    simulation : :class:`~sklearn.utils.Bunch`
        Dictionary-like, with the following attributes.

        data : ndarray of float64 or DataFrame, shape (n_samples, n_continuous + n_categorical)
            The covariates, continuous ones first. The group is not among them.
        target : ndarray of int64 or Series, shape (n_samples,)
            The outcome, 0 or 1; about 4 % are 1 by default.
        sensitive_features : ndarray of str or Series, shape (n_samples,)
            "minority" or "majority".
        probability : ndarray of float64 or Series, shape (n_samples,)
            The true P(Y=1|x).
        feature_names : list of str
            "continuous_0", ..., "categorical_0", ...
        frame : DataFrame or None
            With ``as_frame=True`` the covariates, ``sensitive_feature`` and ``outcome``.
        DESCR : str
            The design in words.

    Raises
    ------
    TypeError
        A count is not a whole number, or a coefficient is not a number.
    ValueError
        A count is too small, no covariate is left, `minority_share` is not inside (0, 1), or a
        coefficient is not finite.

    Notes
    -----
    The paper does not state its outcome equation. With this one a logistic regression, after a
    70/30 split stratified by group and outcome, has on the 1,500 test rows an RGF (absolute
    burden) of about .60 in the fair arm, which is the value for *no* difference at this group mix,
    and of about .71 in the unfair arm: at unequal group sizes RGF rises with unfairness. O(n) for
    n rows.

    References
    ----------
    .. [1] A Rank Graduation metric for Algorithmic fairness. arXiv 2609.39025, Table 1.

    Examples
    --------
    >>> from fairrank.datasets import make_rgf_simulation
    >>> simulation = make_rgf_simulation(random_state=0)
    >>> simulation.data.shape
    (5000, 8)
    >>> sorted(set(simulation.sensitive_features.tolist()))
    ['majority', 'minority']
    >>> bool(0.03 < simulation.target.mean() < 0.05)
    True
    """
    n_samples = check_count(n_samples, "n_samples")
    n_continuous = check_count(n_continuous, "n_continuous", minimum=0)
    n_categorical = check_count(n_categorical, "n_categorical", minimum=0)
    if n_continuous + n_categorical == 0:
        raise ValueError(
            "n_continuous and n_categorical are both 0, so there is no covariate: ask for at "
            "least one."
        )
    check_fraction(minority_share, "minority_share", high_open=True)
    _check_finite_number(intercept, "intercept")
    _check_finite_number(coef_scale, "coef_scale")
    rng = check_random_state(random_state)

    n_levels = [3 + j % 2 for j in range(n_categorical)]
    in_minority = rng.uniform(size=n_samples) < minority_share
    continuous = rng.standard_normal(size=(n_samples, n_continuous))
    codes = [rng.randint(levels, size=n_samples) for levels in n_levels]
    signal = continuous @ (np.linspace(1, 0.2, n_continuous) * (-1.0) ** np.arange(n_continuous))
    for code, levels in zip(codes, n_levels):
        signal += CATEGORY_EFFECT * np.linspace(-1, 1, levels)[code]
    probability = expit(intercept + coef_scale * signal)

    simulation = Bunch(
        data=np.column_stack([continuous, *codes]),
        target=(rng.uniform(size=n_samples) < probability).astype(np.int64),
        sensitive_features=np.where(in_minority, "minority", "majority"),
        probability=probability,
        feature_names=[f"continuous_{j}" for j in range(n_continuous)]
        + [f"categorical_{j}" for j in range(n_categorical)],
        frame=None,
        DESCR=read_description("rgf_simulation"),
    )
    return _as_simulation_frame(simulation, n_levels) if as_frame else simulation


def _as_simulation_frame(simulation: Bunch, n_levels: list[int]) -> Bunch:
    import pandas as pd

    data = pd.DataFrame(simulation.data, columns=simulation.feature_names)
    for j, levels in enumerate(n_levels):
        codes = data[f"categorical_{j}"].astype(np.int64)
        data[f"categorical_{j}"] = pd.Categorical(codes, categories=list(range(levels)))
    return with_frames(simulation, data)


def perturb_scores(
    y_score: Any,
    *,
    sensitive_features: Any,
    group: Any = "minority",
    scale: float = 2.20,
    random_state: Any = None,
) -> np.ndarray:
    """Make scores unfair to one group by adding noise to its log-odds.

    The unfair arm of the paper's simulation [1]_: every member of `group` gets an independent
    N(0, scale²) added to the logit of its probability. All others keep theirs to the last bit.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        Probabilities in [0, 1].
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        The group of every row; several columns are read as their intersections.
    group : hashable, default="minority"
        The group to harm; a tuple where `sensitive_features` has several columns.
    scale : float, default=2.20
        Standard deviation of the noise, in log-odds; at least 0.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same noise at every call.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
        A new array of probabilities. Scores of exactly 0 or 1 have infinite logits and stay.

    Raises
    ------
    TypeError
        `scale` is not a number.
    ValueError
        `y_score` is not all probabilities, a group is missing, the lengths differ, nobody is in
        `group`, or `scale` is negative or not finite.

    Notes
    -----
    The noise is drawn for the members of `group` only, in row order, so that it does not depend on
    how many others there are. O(n) for n rows.

    References
    ----------
    .. [1] A Rank Graduation metric for Algorithmic fairness. arXiv 2609.39025, Table 1.

    Examples
    --------
    >>> from fairrank.datasets import perturb_scores
    >>> score = [0.1, 0.1, 0.1]
    >>> unfair = perturb_scores(
    ...     score, sensitive_features=["majority", "minority", "majority"], random_state=0
    ... )
    >>> print(unfair.round(3))
    [0.1   0.843 0.1  ]
    """
    score = check_probability(y_score)
    groups = encode_groups(sensitive_features, missing=None)
    check_same_length(y_score=score, sensitive_features=groups.codes)
    _check_finite_number(scale, "scale")
    if scale < 0:
        raise ValueError(f"scale must be at least 0, it is a standard deviation, got {scale!r}.")
    if group not in groups.labels:
        raise ValueError(
            f"group={group!r} is not in sensitive_features, which holds "
            f"{', '.join(map(repr, groups.labels))}: name one of these."
        )
    members = np.flatnonzero(groups.codes == groups.labels.index(group))
    noise = check_random_state(random_state).normal(scale=scale, size=members.size)
    perturbed = score.copy()
    # The logit of 0 and 1 is infinite without a warning, and stays so after any finite noise.
    perturbed[members] = expit(logit(score[members]) + noise)
    return perturbed


def _check_finite_number(value: Any, name: str) -> None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}.")
