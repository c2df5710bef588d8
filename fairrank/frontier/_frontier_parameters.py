"""What a FrontierEstimator refuses before anything is fitted: parameters, and weights of rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from fairrank._sensitive import MISSING_RULES
from fairrank._validation import as_array, check_choice, check_count, check_fraction
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier._direction import NAMES
from fairrank.frontier._learners import LEARNERS
from fairrank.frontier._losses import check_loss
from fairrank.frontier._nuisance import NUISANCES


def check_frontier_parameters(estimator: Any) -> None:
    """Refuse what the constructor was given, each by its name."""
    check_choice(estimator.missing, MISSING_RULES, "missing")
    check_loss(estimator.loss)
    check_choice(estimator.nuisance, NUISANCES, "nuisance")
    check_fraction(estimator.overlap, "overlap", high_open=True)
    if estimator.capacity is not None:
        check_fraction(estimator.capacity, "capacity")
    if isinstance(estimator.direction, str):
        check_choice(estimator.direction, NAMES, "direction")
    repeats = check_count(estimator.n_repeats, "n_repeats")
    if repeats > 1 and not isinstance(estimator.cv, Integral):
        raise ValueError(
            f"n_repeats={repeats} deals out the rows anew each time, and "
            f"cv={estimator.cv!r} does not: pass a number of folds."
        )
    for name in LEARNERS:
        learner = getattr(estimator, name)
        known = name == "estimator" and hasattr(learner, "delta_theta")
        fits = hasattr(learner, "fit") and hasattr(learner, "get_params")
        if learner is not None and not known and not fits:
            raise TypeError(
                f"{name} must be a scikit-learn estimator, or a FrozenEstimator for a fitted "
                f"one, got {learner!r}."
            )
        if learner is not None and name != "estimator" and is_regressor(learner):
            raise TypeError(
                f"{name} must be a classifier with predict_proba, got {learner!r}."
            )


def checked_weights(sample_weight: Any) -> Any:
    """Weights as the door takes them, and scikit-learn's words for weights that are all zero."""
    if sample_weight is None:
        return None
    if hasattr(sample_weight, "__array__") and not hasattr(sample_weight, "__len__"):
        sample_weight = np.asarray(sample_weight)
    values = as_array(sample_weight, "sample_weight")
    if values.size and values.dtype.kind in "biuf" and not values.any():
        raise DegenerateGroupError("sample_weight is zero in every row: no row is left.")
    return values


def check_group_weights(code: np.ndarray, weight: np.ndarray | None, names: tuple) -> None:
    """Refuse a group without weight before its nuisances are learnt from nothing."""
    if weight is None:
        return
    mass = np.bincount(code, weights=weight, minlength=len(names))
    if not mass.all():
        raise DegenerateGroupError(
            f"sensitive_features: group {names[int(np.argmin(mass))]!r} has sample_weight 0 in "
            "every row, so it has no risk. Take its rows out."
        )
