"""What removing a feature gains and costs, against refits made by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import clone
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairrank.audit import FeatureRemovalAuditor
from fairrank.metrics import rgf_score


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 400
    race = rng.choice(["a", "b"], n, p=[0.7, 0.3])
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["income", "debt", "noise"])
    X["race"] = race
    noise = rng.normal(size=n) * np.where(race == "b", 3.0, 0.5)
    y = (X["income"] - X["debt"] + noise > 0).astype(int)
    return X, y


def auditor(model=None, **options):
    model = LogisticRegression() if model is None else model
    settings = {"n_permutations": 99, "n_resamples": 50, "random_state": 0} | options
    return FeatureRemovalAuditor(model, sensitive_features="race", **settings)


def splits(n, k=4):
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


def test_changes_are_those_of_refits_by_hand(table):
    X, y = table
    cv = splits(len(y))
    result = auditor(cv=cv).fit(X, y).result_
    inputs = X.drop(columns="race")

    def scored(columns):
        score = cross_val_predict(
            LogisticRegression(), inputs[columns], y, cv=cv, method="predict_proba"
        )[:, 1]
        fairness = rgf_score(y, score, sensitive_features=X["race"], centered=True)
        return fairness, roc_auc_score(y, score)

    full = scored(["income", "debt", "noise"])
    for removed in ("income", "debt", "noise"):
        without = scored([c for c in inputs if c != removed])
        row = result[removed]
        assert row.centered_rgf.change == pytest.approx(without[0] - full[0], abs=1e-12)
        assert row.scores["roc_auc"].change == pytest.approx(without[1] - full[1], abs=1e-12)


def test_the_contribution_follows_its_definition(table):
    X, y = table
    result = auditor().fit(X, y).result_
    for row in result.features:
        full, change = result.full.centered_rgf, row.centered_rgf.change
        expected = change / (1.0 - full) if change > 0 else change / full
        assert row.contribution == pytest.approx(expected)


def test_the_group_column_is_never_a_feature(table):
    X, y = table
    result = auditor().fit(X, y).result_
    assert {row.feature for row in result.features} == {"income", "debt", "noise"}


def test_a_named_set_of_columns_goes_together(table):
    X, y = table
    result = auditor(features={"money": ["income", "debt"]}).fit(X, y).result_
    assert result["money"].columns == ("income", "debt")
    assert result["money"].scores["roc_auc"].change < -0.1


def test_a_selector_that_names_columns_loses_the_removed_one(table):
    X, y = table
    model = make_pipeline(
        ColumnTransformer([("scaled", StandardScaler(), ["income", "debt"])]),
        LogisticRegression(),
    )
    result = auditor(model, features=["income", "debt"]).fit(X, y).result_
    assert all(row.error is None for row in result.features)


def test_frames_of_other_libraries_and_arrays_agree(table):
    X, y = table
    reference = auditor().fit(X, y).result_
    from_polars = auditor().fit(pl.from_pandas(X), y.to_numpy()).result_
    values = X.assign(race=(X["race"] == "b") * 1.0).to_numpy()
    from_array = auditor().set_params(sensitive_features=3).fit(values, y).result_
    for row, other, plain in zip(
        reference.features, from_polars.features, from_array.features
    ):
        assert other.centered_rgf.change == pytest.approx(row.centered_rgf.change)
        assert plain.centered_rgf.change == pytest.approx(row.centered_rgf.change)


def test_the_numbers_do_not_depend_on_n_jobs(table):
    X, y = table
    one, two = (auditor(n_jobs=jobs).fit(X, y).result_ for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_neutralizing_keeps_the_full_model(table):
    X, y = table
    result = auditor(strategy="neutralize").fit(X, y).result_
    assert result["noise"].scores["roc_auc"].change == pytest.approx(0.0, abs=0.02)
    assert result["income"].scores["roc_auc"].change < -0.02


def test_intervals_hold_the_change(table):
    X, y = table
    row = auditor(n_resamples=200).fit(X, y).result_["income"]
    auc = row.scores["roc_auc"]
    assert auc.low < auc.change < auc.high < 0.0


def test_it_predicts_as_the_full_model(table):
    X, y = table
    fitted = auditor().fit(X, y)
    direct = LogisticRegression().fit(X.drop(columns="race"), y)
    np.testing.assert_allclose(
        fitted.predict_proba(X), direct.predict_proba(X.drop(columns="race"))
    )
    assert fitted.score(X, y) == direct.score(X.drop(columns="race"), y)


def test_it_sits_inside_cross_validate_and_clones(table):
    X, y = table
    audit = clone(auditor(n_permutations=19, n_resamples=0))
    found = cross_validate(audit, X, y, cv=2, error_score="raise", scoring="roc_auc")
    assert np.isfinite(found["test_score"]).all()


def test_to_frame_has_a_row_a_feature(table):
    X, y = table
    result = auditor().fit(X, y).result_
    assert len(result.to_frame()) == 3
    assert "income" in repr(result)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": ["incme"]}, "income"),
        ({"features": ["race"]}, "race"),
        ({"strategy": "shuffle"}, "strategy"),
    ],
)
def test_bad_features_are_named(table, options, message):
    X, y = table
    with pytest.raises((ValueError, TypeError), match=message):
        auditor(**options).fit(X, y)


def test_one_feature_only_leaves_nothing_to_refit(table):
    X, y = table
    with pytest.raises(ValueError, match="income"):
        auditor().fit(X[["income", "race"]], y)


def test_a_frozen_model_cannot_be_refitted(table):
    X, y = table
    model = FrozenEstimator(LogisticRegression().fit(X.drop(columns="race"), y))
    with pytest.raises((ValueError, TypeError), match="neutralize"):
        auditor(model).fit(X, y)
