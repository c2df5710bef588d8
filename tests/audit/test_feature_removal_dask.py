"""The audit on a dask cluster: the same numbers, and its table is sent once."""

import json

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression

from fairrank.audit._refits import AuditData
from fairrank.inference import rgf_interval, rgf_report, rgf_test
from fairrank.inference._permutation import DrawPlan
from removal_audits import auditor, lending_table, numbers

distributed = pytest.importorskip("distributed")


class NeedsIncome(LogisticRegression):
    """Cannot be fitted without one column."""

    def fit(self, X, y):
        if "income" not in X:
            raise ValueError("no income")
        return super().fit(X, y)


@pytest.fixture(scope="module")
def table():
    return lending_table()


@pytest.fixture(params=["threads", "processes"], scope="module")
def cluster(request):
    """Two workers: threads of this process, or processes of their own."""
    processes = request.param == "processes"
    with (
        distributed.LocalCluster(
            n_workers=2 if processes else 1, threads_per_worker=1 if processes else 2,
            processes=processes, dashboard_address=":0",
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def on(cluster):
    """Everything that joblib runs inside goes to the cluster."""
    return parallel_config(backend="dask", client=cluster)



@pytest.mark.parametrize(
    ("model", "options"),
    [
        (LogisticRegression(), {}),
        (LogisticRegression(), {"cv": 5, "scoring": ["neg_log_loss", "roc_auc"]}),
        (LogisticRegression(), {"strategy": "neutralize", "neutralize": "draws"}),
        (RandomForestClassifier(5, max_depth=2), {"n_seeds": 2}),
    ],
    ids=["refits", "scorers", "neutralized", "forests"],
)
def test_the_audit_gives_the_numbers_of_one_process(cluster, table, model, options):
    X, y = table
    alone = auditor(model, n_jobs=1, **options).fit(X, y)
    with on(cluster):
        spread = auditor(model, **options).fit(X, y)
    assert numbers(spread.result_) == numbers(alone.result_)
    assert list(spread.held_out_scores_) == list(alone.held_out_scores_)
    for feature, scores in alone.held_out_scores_.items():
        np.testing.assert_array_equal(spread.held_out_scores_[feature], scores)
    np.testing.assert_array_equal(spread.predict_proba(X), alone.predict_proba(X))


@pytest.fixture
def sent(monkeypatch):
    """What is written for another process to read, one entry each time."""
    kinds = []

    def noted(self):
        kinds.append(type(self))
        return dict(vars(self))

    for kind in (AuditData, DrawPlan):
        monkeypatch.setattr(kind, "__getstate__", noted, raising=False)
    return kinds


def test_the_table_is_sent_once(cluster, table, sent):
    X, y = table
    with on(cluster):
        auditor().fit(X, y)
    # Threads of this process are sent nothing at all.
    assert sent.count(AuditData) <= 1


def test_burdens_are_sent_once(cluster, sent):
    with on(cluster):
        rgf_test(None, None, **sample(), n_permutations=600, comparisons="none")
    assert sent.count(DrawPlan) <= 1


def test_a_feature_that_fails_is_told_and_the_others_are_kept(cluster, table):
    X, y = table
    with on(cluster), pytest.warns(FitFailedWarning, match="no income"):
        result = auditor(NeedsIncome(), error_score=np.nan).fit(X, y).result_
    assert "no income" in result["income"].error
    assert result["debt"].error is None


def test_an_audit_that_raises_leaves_the_cluster_at_work(cluster, table):
    X, y = table
    audit = auditor(NeedsIncome())
    with on(cluster):
        with pytest.raises(RuntimeError, match="no income"):
            audit.fit(X, y)
        again = auditor().fit(X, y)
    assert numbers(again.result_) == numbers(auditor().fit(X, y).result_)


def sample(n=20_000):
    """Enough rows for draws to be spread."""
    rng = np.random.default_rng(0)
    burden, group = rng.beta(2, 6, n), rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    return {"burden": burden, "sensitive_features": group, "random_state": 0}


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (rgf_test, {"n_permutations": 600}),
        (rgf_test, {"n_permutations": 600, "stop_after": 10}),
        (rgf_interval, {"n_resamples": 300}),
        (rgf_report, {"n_permutations": 600, "n_resamples": 300}),
    ],
)
def test_draws_give_the_numbers_of_one_process(cluster, function, options):
    alone = function(None, None, **sample(), **options, n_jobs=1)
    with on(cluster):
        spread = function(None, None, **sample(), **options)
    assert json.dumps(spread.to_dict()) == json.dumps(alone.to_dict())
