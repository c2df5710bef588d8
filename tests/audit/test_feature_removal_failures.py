"""What becomes of an audit whose refits fail, or that is stopped before its end."""

import json
import re
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_equal
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from fairrank.audit import FeatureRemovalAuditor
from fairrank.exceptions import DegenerateGroupError

N = 240


class NeedsIncome(LogisticRegression):
    """Cannot be fitted without one column."""

    def fit(self, X, y):
        if "income" not in X:
            raise ValueError("no income")
        return super().fit(X, y)


class StoppedWithoutIncome(LogisticRegression):
    """The user presses Ctrl-C when the second feature is at work."""

    def fit(self, X, y):
        if "income" not in X:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=["debt", "income", "noise"])
    y = (X["income"] - X["debt"] + rng.normal(size=N) > 0).astype(int)
    return X, y, np.where(rng.random(N) < 0.3, "a", "b")


def auditor(model=None, **options):
    settings = {"cv": 3, "n_permutations": 49, "n_resamples": 20, "random_state": 0} | options
    return FeatureRemovalAuditor(model or LogisticRegression(), **settings)


def test_a_failed_refit_is_told_of_its_feature_and_the_others_are_kept(table):
    X, y, group = table
    with pytest.warns(FitFailedWarning, match=r"income(.|\n)*no income"):
        result = auditor(NeedsIncome()).fit(X, y, sensitive_features=group).result_
    assert [row.feature for row in result.failed] == ["income"]
    assert "no income" in result["income"].error
    assert np.isnan(result["income"].contribution)
    whole = auditor().fit(X, y, sensitive_features=group).result_
    assert_equal(asdict(result["noise"].centered_rgf), asdict(whole["noise"].centered_rgf))
    # A p-value is adjusted over the features that have one.
    assert result["noise"].pvalue_holm <= min(1.0, 2 * result["noise"].pvalue)


def test_a_failed_feature_is_in_every_view_of_the_result(table):
    X, y, group = table
    with pytest.warns(FitFailedWarning):
        result = auditor(NeedsIncome()).fit(X, y, sensitive_features=group).result_
    assert "not measured" in str(result)
    assert result.sorted_by("change_roc_auc").features[-1].feature == "income"
    assert np.isnan(result.to_frame().loc["income", "change_roc_auc"])
    assert "no income" in json.dumps(result.to_dict())


def test_error_score_raise_raises_for_the_feature(table):
    X, y, group = table
    with pytest.raises(RuntimeError, match=r"without 'income'.*no income") as caught:
        auditor(NeedsIncome(), error_score="raise").fit(X, y, sensitive_features=group)
    assert isinstance(caught.value.__cause__, ValueError)


# A pool of processes that is torn down at an error may lose count of them in a thread of its own.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_full_model_must_fit_and_its_error_comes_alone(table, n_jobs):
    # Warnings are errors here: joblib's count of cancelled tasks would be one.
    X, y, group = table
    X = X.assign(debt=X["debt"].where(np.arange(N) > 0))
    with pytest.raises(ValueError, match="contains NaN") as caught:
        auditor(n_jobs=n_jobs).fit(X, y, sensitive_features=group)
    assert "full model" in caught.value.__notes__[0]


def test_an_interrupted_audit_keeps_the_features_that_are_done(table):
    X, y, group = table
    audit = auditor(StoppedWithoutIncome())
    with pytest.raises(KeyboardInterrupt):
        audit.fit(X, y, sensitive_features=group)
    whole = auditor().fit(X, y, sensitive_features=group).result_
    assert [row.feature for row in audit.partial_result_.features] == ["debt"]
    kept = audit.partial_result_["debt"].centered_rgf.change
    assert kept == pytest.approx(whole["debt"].centered_rgf.change, abs=1e-12)


def test_a_fold_without_a_group_is_refused(table):
    X, y, _ = table
    group = np.where(np.arange(N) < 20, "a", "b")
    with pytest.raises(DegenerateGroupError, match=r"fold 1 holds out no row of group 'a'"):
        auditor(cv=KFold(3)).fit(X, y, sensitive_features=group)


def test_a_named_group_column_that_is_not_there_has_near_names(table):
    X, y, group = table
    with pytest.raises(ValueError, match=re.escape("Did you mean 'race'?")):
        auditor(sensitive_features="rase").fit(X.assign(race=group), y)
