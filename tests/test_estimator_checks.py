"""All of scikit-learn's common tests, with no expected failures."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairrank.audit import FeatureRemovalAuditor


class RowParity:
    """Groups for data that has none; a class, because a function's address breaks test ids."""

    def __call__(self, X):
        return np.arange(X.shape[0]) % 2

    def __repr__(self):
        return "RowParity()"


def auditor(estimator, **options):
    chosen = {
        "sensitive_features": RowParity(), "cv": 2, "n_permutations": 19, "n_resamples": 19,
        "random_state": 0,
    }
    return FeatureRemovalAuditor(estimator, **{**chosen, **options})


ESTIMATORS = [
    auditor(LogisticRegression()),
    auditor(
        make_pipeline(StandardScaler(with_mean=False), GaussianNB()), cv=0.4,
        strategy="neutralize", undefined="nan",
    ),
]


@pytest.mark.filterwarnings("ignore::fairrank.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning")
@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)
