"""What the auditor says when something goes wrong, and what it keeps."""


import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from removal_audits import auditor, lending_table


@pytest.fixture(scope="module")
def table():
    return lending_table()


class NeedsDebt(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        X["debt"]
        return self

    def transform(self, X):
        return X

    def __sklearn_is_fitted__(self):
        return True


def test_a_failed_refit_is_told_and_the_others_are_kept(table):
    X, y = table
    model = make_pipeline(NeedsDebt(), LogisticRegression())
    audit = auditor(model, error_score=np.nan)
    with pytest.warns(FitFailedWarning, match="1 feature.*\n  debt: .*KeyError"):
        result = audit.fit(X, y).result_
    (failed,) = result.failed
    assert failed.feature == "debt"
    assert "select columns in a ColumnTransformer" in failed.error
    assert failed.reading.startswith("Not measured")
    assert np.isfinite([result["income"].contribution, result["income"].pvalue_holm]).all()
    assert "not measured" in repr(result)
    assert result.sorted_by("contribution").features[-1] == failed
    assert result.to_frame().loc["debt", "contribution_low"] != 0


def test_a_failed_refit_raises_when_asked_to_and_keeps_what_was_done(table):
    X, y = table
    audit = auditor(make_pipeline(NeedsDebt(), LogisticRegression()), error_score="raise")
    with pytest.raises(RuntimeError, match=r"without 'debt'.*KeyError") as caught:
        audit.fit(X, y)
    assert isinstance(caught.value.__cause__, KeyError)
    assert [row.feature for row in audit.partial_result_.features] == ["income"]
    assert not hasattr(audit, "result_")
    with pytest.raises(NotFittedError):
        audit.predict(X)
    audit.set_params(estimator=LogisticRegression()).fit(X, y)
    assert not hasattr(audit, "partial_result_")


class Interrupted(LogisticRegression):
    def fit(self, X, y):
        if "debt" not in X:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_an_interrupted_audit_keeps_the_features_that_were_done(table):
    X, y = table
    audit = auditor(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        audit.fit(X, y)
    (row,) = audit.partial_result_.features
    assert (row.feature, row.error) == ("income", None)
    assert row.contribution == auditor().fit(X, y).result_["income"].contribution


def test_an_error_of_the_full_model_is_its_own(table):
    X, y = table
    X = X.assign(debt=X["debt"].where(X["debt"] > -1))
    with pytest.raises(ValueError, match="NaN") as caught:
        auditor(error_score=np.nan).fit(X, y)
    assert "full model" in caught.value.__notes__[0]


def test_values_that_a_neutralised_model_has_not_seen_are_told(table):
    X, y = table
    X = X.assign(town=np.arange(len(X)) % 4)
    encoded = ColumnTransformer([("town", OneHotEncoder(), ["town"])], remainder="passthrough")
    model = make_pipeline(encoded, LogisticRegression())
    settings = {"strategy": "neutralize", "features": ["town"]}
    with pytest.raises(RuntimeError, match="try neutralize='draws'"):
        auditor(model, **settings).fit(X, y)
    assert auditor(model, neutralize="draws", **settings).fit(X, y).result_.failed == ()


class Constant(BaseEstimator):
    """Tells the outcome exactly, unless a column is missing."""

    _estimator_type = "classifier"

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = X["truth"] if "truth" in X else np.full(len(X), 0.5)
        return np.column_stack([1 - p, p])


def test_equal_burdens_are_an_error_or_nan(table):
    X, y = table
    X = X.assign(truth=0.8 * y + 0.1 + X["noise"] / 100)
    with pytest.raises(DegenerateGroupError, match="without truth: burden is constant"):
        auditor(Constant(), features=["truth"], scoring=()).fit(X, y)
    audit = auditor(Constant(), features=["truth"], undefined="nan")
    with pytest.warns(UndefinedMetricWarning, match="without truth"):
        row = audit.fit(X, y).result_["truth"]
    assert np.isnan([row.contribution, row.pvalue, row.contribution_low]).all()
    assert row.scores["roc_auc"].without == 0.5


def test_a_lost_score_that_is_not_positive_has_no_contribution():
    rng = np.random.default_rng(0)
    n = 400
    group = np.arange(n) % 20 == 0
    X = pd.DataFrame({"good": rng.random(n), "bad": np.where(group, 1.0, 0.5), "group": group})
    y = np.arange(n) // 20 % 2

    class Chosen(BaseEstimator):
        _estimator_type = "classifier"

        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return self

        def predict_proba(self, X):
            # Without `good` hardly anything but the group tells burdens apart.
            p = X["good"] if "good" in X else 0.5 + 1e-3 * (X["bad"] - 0.5)
            return np.column_stack([1 - p, p])

    audit = auditor(
        Chosen(), sensitive_features="group", features=["good"], cv=0.5,
        burden=lambda y, p: p, scoring=(),
    )
    with pytest.warns(UndefinedMetricWarning, match="contribution of good"):
        row = audit.fit(X, y).result_["good"]
    assert row.centered_rgf.without <= 0 < row.centered_rgf.full
    assert np.isnan(row.contribution)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"strategy": "drop"}, ValueError, "strategy must be"),
        ({"neutralize": "median"}, ValueError, "neutralize must be"),
        ({"neutralize_strata": "race"}, ValueError, "belongs to strategy='neutralize'"),
        ({"n_permutations": -1}, ValueError, "n_permutations must be at least 0"),
        ({"n_resamples": 1.5}, TypeError, "n_resamples must be a whole number"),
        ({"n_seeds": 0}, ValueError, "n_seeds must be at least 1"),
        ({"confidence_level": 1.0}, ValueError, "confidence_level"),
        ({"error_score": 0}, ValueError, "error_score must be 'raise' or nan"),
        ({"undefined": "zero"}, ValueError, "undefined must be"),
        ({"missing": "keep"}, ValueError, "missing must be"),
        ({"burden": [0.1]}, TypeError, "cannot be given as an array"),
        ({"burden": "hinge"}, ValueError, "burden must be one of"),
        ({"pos_label": 2}, ValueError, "pos_label=2 is not among"),
        ({"sensitive_features": "rase"}, ValueError, "Did you mean 'race'"),
        ({"sensitive_features": None}, ValueError, "was given no sensitive_features"),
        ({"sensitive_features": lambda X: ["a"] * len(X)}, DegenerateGroupError, "one group only"),
        ({"estimator": "forest"}, TypeError, "cloned and refitted"),
        ({"cv": 100}, DegenerateGroupError, "too few for one in every fold"),
    ],
)
def test_bad_parameters_are_refused(table, options, error, message):
    X, y = table
    with pytest.raises(error, match=message):
        auditor().set_params(**options).fit(X, y)


def test_groups_given_twice_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="leave out one of the two"):
        auditor().fit(X, y, sensitive_features=X["race"])


@pytest.mark.parametrize("part", [
    FrozenEstimator(LogisticRegression()),
    make_pipeline(StandardScaler(), FrozenEstimator(LogisticRegression())),
])
def test_a_frozen_part_anywhere_cannot_be_refitted(table, part):
    X, y = table
    with pytest.raises(ValueError, match="FrozenEstimator, which cannot be refitted"):
        auditor(part).fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        (np.arange(240) % 3, "type of the target is multiclass"),
        (np.zeros(240), "one class only"),
        (np.linspace(0, 1, 240), "Unknown label type"),
    ],
)
def test_bad_targets_are_refused(table, y, message):
    with pytest.raises(ValueError, match=message):
        auditor().fit(table[0], y)
