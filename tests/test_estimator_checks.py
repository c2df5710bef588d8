"""All of scikit-learn's common tests, with no expected failures."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairrank.audit import FeatureRemovalAuditor
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor


class RowParity:
    """Groups for data that has none; a class, because a function's address breaks test ids."""

    def __call__(self, X):
        return np.arange(X.shape[0]) % 2

    def __repr__(self):
        return "RowParity()"


class RowScatter:
    """Groups by the digits of a row: the same wherever it stands, as predictions must be."""

    def __call__(self, X):
        values = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            return (np.sin(1001.37 * values.sum(axis=1)) > 0).astype(int)

    def __repr__(self):
        return "RowScatter()"


def auditor(estimator, **options):
    chosen = {
        "sensitive_features": RowParity(), "cv": 2, "n_permutations": 19, "n_resamples": 19,
        "random_state": 0,
    }
    return FeatureRemovalAuditor(estimator, **{**chosen, **options})


def post_processor(kind, estimator, **options):
    chosen = {"sensitive_features": RowScatter(), "cv": 3, "random_state": 0}
    return kind(estimator, **{**chosen, **options})


ESTIMATORS = [
    auditor(LogisticRegression()),
    auditor(
        make_pipeline(StandardScaler(with_mean=False), GaussianNB()), cv=0.4,
        strategy="neutralize", undefined="nan",
    ),
    post_processor(XOrderPostProcessor, LogisticRegression()),
    post_processor(
        XOrderPostProcessor, make_pipeline(StandardScaler(with_mean=False), GaussianNB()),
        disparity="prf", solver="hull", fold_ensemble=True,
    ),
    post_processor(
        XOrderPostProcessor, LinearRegression(), disparity="urf", response_method="predict",
        cv=None, max_disparity=0.5,
    ),
    post_processor(PostLogitPostProcessor, LogisticRegression()),
    post_processor(
        PostLogitPostProcessor, make_pipeline(StandardScaler(with_mean=False), GaussianNB()),
        disparity="urf", fold_ensemble=True,
    ),
]


@pytest.mark.filterwarnings("ignore::fairrank.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning")
@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)
