"""A scored population in which the groups do not stand alike, and post-processors of it."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from fairrank.ranking import XOrderPostProcessor

COLUMNS = ["income", "debt", "noise"]


def ranking_table(n=400, groups=("a", "b"), seed=0, shift=0.8):
    """Columns, race among them; the second group's income is lower, a third one's higher."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=COLUMNS)
    X["race"] = rng.choice(list(groups), n)
    for group, sign in zip(groups[1:], (-1.0, 1.0)):
        X["income"] += sign * shift * (X["race"] == group)
    y = (X["income"] - X["debt"] + rng.normal(size=n) > -0.3).astype(int)
    return X, y


def without_race(X):
    return X.drop(columns="race")


def model(**options):
    """A pipeline that drops race itself, as users of named columns write it."""
    return make_pipeline(
        FunctionTransformer(without_race), StandardScaler(), LogisticRegression(**options)
    )


def xorder(estimator=None, **options):
    chosen = {"sensitive_features": "race", "cv": 3, "random_state": 0}
    return XOrderPostProcessor(
        model() if estimator is None else estimator, **{**chosen, **options}
    )
