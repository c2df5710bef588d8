"""People who ask for loans, a model that knows their chances, and lenders."""

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from fairrank.welfare import WelfareEqualizingClassifier

COLUMNS = ["income", "debt", "amount"]


def applicants(n=600, groups=("a", "b"), seed=0, shift=0.7):
    """Columns, race among them, and whether the loan is repaid; the groups' chances differ."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.normal(size=n), "debt": rng.normal(size=n),
            "amount": np.exp(0.5 * rng.normal(size=n)),
        }
    )
    X["race"] = rng.choice(list(groups), n)
    y = (rng.random(n) < chance(X, groups, shift)).astype(int)
    return X, y


def chance(X, groups=("a", "b"), shift=0.7):
    """P(repaid), truly."""
    log_odds = 1.2 * X["income"] - 0.8 * X["debt"]
    for group, sign in zip(groups[1:], (-1.0, 1.0)):
        log_odds = log_odds + sign * shift * (X["race"] == group)
    return expit(log_odds.to_numpy())


class Knows(ClassifierMixin, BaseEstimator):
    """A model that gives ``chance(X)``, or whatever it is told."""

    def __init__(self, chance=chance):
        self.chance = chance

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = self.chance(X)
        return np.column_stack([1 - p, p])


def known(y, told=chance):
    return FrozenEstimator(Knows(told).fit(None, y))


def coded(X):
    """Features with race as a number, as a model sees them."""
    return X[COLUMNS].assign(race=(X["race"] == "b") * 1.0)


def model(**options):
    return make_pipeline(
        FunctionTransformer(coded), StandardScaler(), LogisticRegression(**options)
    )


def encoding():
    """A model that sees race by an encoder, which refuses what it has not seen."""
    columns = [(StandardScaler(), COLUMNS), (OneHotEncoder(), ["race"])]
    return make_pipeline(make_column_transformer(*columns), LogisticRegression())


def lender(estimator=None, **options):
    chosen = {"sensitive_features": "race", "cv": 3, "random_state": 0}
    return WelfareEqualizingClassifier(
        model() if estimator is None else estimator, **{**chosen, **options}
    )
