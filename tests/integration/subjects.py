"""What stands in the integration matrix: every estimator and scorer, and its ways to the group.

A *dress* is a table (pandas, polars, numpy) together with the way in which the group is found in
it or beside it. All dresses hold the same rows, features and groups, so that whatever works must
give the same numbers in all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
from scipy.special import expit
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score

from fairrank.audit import FeatureRemovalAuditor
from fairrank.frontier import FrontierEstimator
from fairrank.metrics import (
    aurgf_score,
    make_fairness_scorer,
    prf_disparity,
    prf_score,
    rgd_score,
    rgf_score,
    urf_disparity,
    xauc_disparity,
    xauc_score,
)
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor
from fairrank.welfare import WelfareEqualizingClassifier, WelfareEqualizingOffer

COLUMNS = ["income", "debt", "age"]
N_ROWS = 200


@cache
def population():
    """Features, whether a row is of group b, and outcomes; who is older is in group b."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N_ROWS, 3))
    in_b = values[:, 2] > 0
    values[:, 0] -= 0.5 * in_b
    y = (values[:, 0] - values[:, 1] + rng.normal(size=N_ROWS) > 0).astype(int)
    return values, in_b, y


def by_age(X):
    """The group as a callable finds it in a frame."""
    return np.where(X["age"] > 0, "b", "a")


WAYS = {"name": "race", "position": -1, "callable": by_age, "metadata": None}


@dataclass(frozen=True)
class Dress:
    """A table, and the way in which the group is found."""

    table: str
    way: str

    def __str__(self):
        return f"{self.table}-{self.way}"

    @property
    def sensitive_features(self):
        """As constructors take it."""
        return WAYS[self.way]

    @property
    def names_a_column(self):
        return self.way in ("name", "position")

    @property
    def groups(self):
        """Labels of the two groups: an array of numbers has no room for letters."""
        return (0.0, 1.0) if self.table == "numpy" and self.names_a_column else ("a", "b")

    def X(self):
        values, in_b, _ = population()
        group = np.where(in_b, self.groups[1], self.groups[0])
        if self.table == "numpy":
            return np.column_stack([values, group]) if self.names_a_column else values.copy()
        columns = dict(zip(COLUMNS, values.T))
        if self.names_a_column:
            columns["race"] = group
        return (pd.DataFrame if self.table == "pandas" else pl.DataFrame)(columns)

    def metadata(self):
        """What is passed beside X."""
        if self.way != "metadata":
            return {}
        group = np.where(population()[1], "b", "a")
        series = {"pandas": pd.Series, "polars": pl.Series, "numpy": np.asarray}[self.table]
        return {"sensitive_features": series(group)}


# Dresses, and whether metadata routing is on: every table with both, and so the name of a column
# and metadata, on which routing bears.
SETTINGS = [
    (Dress("pandas", "name"), False),
    (Dress("pandas", "callable"), True),
    (Dress("polars", "name"), True),
    (Dress("polars", "metadata"), False),
    (Dress("numpy", "position"), False),
    (Dress("numpy", "metadata"), True),
]


class MeanDifference(ClassifierMixin, BaseEstimator):
    """A classifier that costs nothing: along the difference of the classes' means.

    It takes any table of numbers, and fails on the letters of a group that it should not see.
    """

    def __init__(self, pull=1.0, n_columns=None):
        self.pull = pull
        self.n_columns = n_columns

    def _values(self, X):
        if self.n_columns is not None:
            X = (X.iloc if hasattr(X, "iloc") else X)[:, : self.n_columns]
        return np.asarray(X).astype(np.float64)

    def fit(self, X, y):
        values = self._values(X)
        self.classes_ = np.unique(y)
        low, high = (values[np.asarray(y) == label].mean(axis=0) for label in self.classes_)
        self.slope_ = self.pull * (high - low)
        self.middle_ = (high + low) / 2
        return self

    def predict_proba(self, X):
        p = expit((self._values(X) - self.middle_) @ self.slope_)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def blind():
    """A model that is never shown the group, whatever the table."""
    return MeanDifference(n_columns=len(COLUMNS))


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An estimator in the matrix.

    Attributes
    ----------
    make : callable
        ``(dress, X) -> estimator``; only what comes fitted looks at `X`.
    grid : callable
        ``estimator -> dict``, what a search tries.
    answers : tuple of str
        The methods that predict.
    asks_at_fit, asks_at_predict : bool
        Whether groups that no column holds must be passed there.
    is_transformer : bool
    """

    make: Callable
    grid: Callable
    answers: tuple = ("predict", "predict_proba", "decision_function")
    asks_at_fit: bool = True
    asks_at_predict: bool = True
    is_transformer: bool = False


def around_a_model(kind, *arguments, **options):
    """Make a post-processor or lender whose model is not shown the group."""

    def make(dress, X):
        return kind(
            MeanDifference(), *arguments, sensitive_features=dress.sensitive_features,
            drop_sensitive=dress.names_a_column, cv=2, random_state=0, **options,
        )

    return make


def auditor(dress, X):
    return FeatureRemovalAuditor(
        MeanDifference(), sensitive_features=dress.sensitive_features, features={"income": 0},
        scoring="roc_auc", cv=0.5, n_permutations=0, n_resamples=0, error_score="raise",
        random_state=0,
    )


def frontier(dress, X):
    return FrontierEstimator(
        MeanDifference(), sensitive_features=dress.sensitive_features, cv=2, random_state=0
    )


def algorithm(dress, X):
    with config_context(enable_metadata_routing=False):
        fitted = frontier(dress, X).fit(X, population()[2], **dress.metadata())
    return fitted.algorithm()


def rules(algorithm):
    """The rule that it has, and one that looks at the first group only."""
    return {"rule": [algorithm.rule, replace(algorithm.rule, direction=np.array([-1.0, 0.0]))]}


PRODUCTS = {"small": {}, "large": {"gain": 2.0, "loss": 3.0}}

ESTIMATORS = {
    "FeatureRemovalAuditor": Subject(
        make=auditor, grid=lambda _: {"estimator__pull": [0.2, 1.0]},
        answers=("predict", "predict_proba"), asks_at_predict=False,
    ),
    "FrontierClassifier": Subject(
        make=algorithm, grid=rules, answers=("predict", "decision_function"), asks_at_fit=False,
        asks_at_predict=False,
    ),
    "FrontierEstimator": Subject(
        make=frontier, grid=lambda _: {"direction": ["utilitarian", "majority"]},
        answers=("predict", "decision_function"), asks_at_predict=False,
    ),
    "PostLogitPostProcessor": Subject(
        make=around_a_model(PostLogitPostProcessor),
        grid=lambda _: {"disparity": ["xauc", "urf"]}, is_transformer=True,
    ),
    "WelfareEqualizingClassifier": Subject(
        make=around_a_model(WelfareEqualizingClassifier),
        grid=lambda _: {"tolerance": [0.0, 1.0]},
    ),
    "WelfareEqualizingOffer": Subject(
        make=around_a_model(WelfareEqualizingOffer, PRODUCTS),
        grid=lambda _: {"tolerance": [0.0, 1.0]}, answers=("predict", "predict_proba"),
    ),
    "XOrderPostProcessor": Subject(
        make=around_a_model(XOrderPostProcessor, calibrator="hull"),
        grid=lambda _: {"trade_off": [0.0, 2.0]},
        is_transformer=True,
    ),
}


def scorer_of(metric, **options):
    """Make a scorer in a dress; an option that is a callable takes the dress."""

    def make(dress):
        told = {name: o(dress) if callable(o) else o for name, o in options.items()}
        return make_fairness_scorer(metric, sensitive_features=dress.sensitive_features, **told)

    return make


GRID = [0.4, 0.6, 0.8, 1.0]

SCORERS = {
    "rgf": scorer_of("rgf"),
    "centered_rgf": scorer_of("centered_rgf"),
    "aurgf": scorer_of("aurgf", grid=GRID, min_group_size=5),
    "rgd": scorer_of("rgd"),
    "rgf_score": scorer_of(rgf_score, burden="squared"),
    "aurgf_score": scorer_of(aurgf_score, grid=GRID, min_group_size=5, centered=True),
    "rgd_score": scorer_of(rgd_score, burden="squared"),
    "xauc_disparity": scorer_of(xauc_disparity),
    "prf_disparity": scorer_of(prf_disparity),
    "urf_disparity": scorer_of(urf_disparity),
    "xauc_score": scorer_of(
        xauc_score, above=lambda dress: dress.groups[1], below=lambda dress: dress.groups[0]
    ),
    "prf_score": scorer_of(prf_score, group=lambda dress: dress.groups[1]),
    "several": scorer_of({"auc": roc_auc_score, "fairness": rgf_score, "xauc": xauc_disparity}),
}
