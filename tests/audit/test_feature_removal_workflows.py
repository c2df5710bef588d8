"""The auditor inside scikit-learn's machinery: searches, pipelines, routing, callbacks."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from fairrank.metrics import rgf_scorer
from removal_audits import COLUMNS, auditor, lending_table, numbers


@pytest.fixture(scope="module")
def table():
    return lending_table()


def test_it_is_cloned_and_pickled(table):
    X, y = table
    audit = clone(auditor()).fit(X, y)
    again = pickle.loads(pickle.dumps(audit))
    assert numbers(again.result_) == numbers(audit.result_)
    np.testing.assert_array_equal(again.predict(X), audit.predict(X))
    assert "result_" not in vars(clone(audit))


def test_it_is_searched_and_ends_a_pipeline(table):
    X, y = table
    keep = FunctionTransformer(lambda X: X)
    pipeline = make_pipeline(keep, auditor(features=["debt"], n_permutations=0, n_resamples=0))
    grid = {"featureremovalauditor__estimator__C": [0.5, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_estimator_[-1].result_["debt"].error is None


def test_metadata_without_routing_goes_to_fit(table):
    X, y = table
    audit = auditor(sensitive_features=None, n_permutations=0, n_resamples=0)
    found = cross_validate(
        audit, X[COLUMNS], y, cv=2, params={"sensitive_features": X["race"]},
        error_score="raise", return_estimator=True,
    )
    assert [sum(e.result_.sensitive_features.values()) for e in found["estimator"]] == [120, 120]


def test_metadata_with_routing_goes_to_the_auditor_and_the_scorer(table, routing):
    X, y = table
    audit = auditor(
        LogisticRegression().set_fit_request(sample_weight=True), sensitive_features=None,
        n_permutations=0, n_resamples=0,
    )
    params = {"sensitive_features": X["race"], "sample_weight": np.ones(len(y))}
    found = cross_validate(
        audit, X[COLUMNS], y, cv=2, params=params, error_score="raise",
        scoring=rgf_scorer.set_score_request(sample_weight=False),
    )
    assert np.isfinite(found["test_score"]).all()


def test_a_named_column_asks_routing_for_nothing(table, routing):
    X, y = table
    audit = auditor(n_permutations=0, n_resamples=0)
    assert not audit.get_metadata_routing().consumes("fit", ["sensitive_features"])
    assert np.isfinite(cross_validate(audit, X, y, cv=2)["test_score"]).all()


def test_fit_parameters_of_rows_follow_the_rows(table):
    X, y = table
    weight = np.where(X["noise"] > 0, 1.0, 1e-9)
    weighted = auditor(cv=0.5).fit(X, y, sample_weight=weight)
    direct = LogisticRegression().fit(X[COLUMNS], y, sample_weight=weight)
    np.testing.assert_allclose(weighted.estimator_.coef_, direct.coef_)
    assert numbers(weighted.result_) != numbers(auditor(cv=0.5).fit(X, y).result_)


def test_it_answers_as_its_estimator_and_no_further(table):
    X, y = table
    audit = auditor().fit(X, y)
    direct = LogisticRegression().fit(X[COLUMNS], y)
    for method in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        answer = getattr(direct, method)(X[COLUMNS])
        np.testing.assert_allclose(getattr(audit, method)(X), answer)
    assert audit.score(X, y, sample_weight=np.ones(len(y))) == direct.score(X[COLUMNS], y)
    assert audit.feature_names_in_.tolist() == [*COLUMNS, "race"]
    assert audit.classes_.tolist() == [0, 1]
    assert not hasattr(auditor(LinearSVC()), "predict_proba")
    with pytest.raises(NotFittedError):
        auditor().predict(X)
    with pytest.raises(ValueError, match="feature names should match"):
        audit.predict(X[[*COLUMNS[::-1], "race"]])


class Recorder:
    """A callback that counts what it is told."""

    def __init__(self):
        self.begun, self.ended, self.calls = [], [], []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.task_name, context.max_subtasks))

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)


def test_callbacks_are_told_of_every_refit(table):
    pytest.importorskip("sklearn.callback")
    X, y = table
    recorder = Recorder()
    auditor(features=["debt"], n_jobs=2).set_callbacks(recorder).fit(X, y)
    assert recorder.begun == [("fit", 6)] + [("refit", 0)] * 6
    assert recorder.ended == ["refit"] * 6 + ["fit"]
    assert recorder.calls == ["setup", "teardown"]


def test_verbose_prints_a_line_a_feature(table, capsys):
    X, y = table
    auditor(features=["debt", "noise"], verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "9/9 refits" in lines[-1]
    assert "noise" in lines[-1]
