"""Nuisances for the health data: the default, two more that are regularised, and the paper's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from frontier_health_data import GROUPS, HealthData
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from fairrank.frontier import FrontierEstimator

DEFAULT, FOREST = "default", "forest, direct"


def boosting() -> Any:
    """Small trees, few of them."""
    return HistGradientBoostingClassifier(
        learning_rate=0.05, max_iter=60, max_leaf_nodes=6, min_samples_leaf=60,
        l2_regularization=5.0, early_stopping=False, random_state=0,
    )


def squares() -> Any:
    """A ridge logit of all products of two scores, its penalty chosen by inner folds."""
    return make_pipeline(
        StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(),
        LogisticRegressionCV(
            Cs=np.logspace(-4.0, 0.0, 5), cv=3, scoring="neg_log_loss", l1_ratios=(0.0,),
            use_legacy_attributes=False, solver="newton-cholesky", max_iter=200,
        ),
    )


def forest() -> Any:
    """Of the paper's kind, with leaves as large as those that predict the rare outcome need."""
    return RandomForestClassifier(
        150, min_samples_leaf=50, max_features=2, max_samples=0.5, random_state=0
    )


# Learner, and the form of delta_theta.
LEARNERS: dict[str, tuple[Callable[[], Any], str]] = {
    DEFAULT: (lambda: None, "factorized"),
    "ridge, squares": (squares, "factorized"),
    "boosting": (boosting, "factorized"),
    FOREST: (forest, "direct"),
}


# Deals of the folds for Table II: one alone decides too much. Forests take their time.
N_REPEATS = dict.fromkeys(LEARNERS, 10) | {FOREST: 3}


def fitted(
    data: HealthData, ill: np.ndarray, name: str, *, seed: int = 0, n_repeats: int = 1
) -> FrontierEstimator:
    """The frontier of one outcome, delta_theta out of five folds, the median over their deals."""
    learner, form = LEARNERS[name]
    return FrontierEstimator(
        learner(), nuisance=form, n_repeats=n_repeats, group_names=GROUPS, random_state=seed
    ).fit(data.X, ill, sensitive_features=data.sensitive_features)
