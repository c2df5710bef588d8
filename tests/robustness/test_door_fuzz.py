"""Whatever is passed for one argument: a result, or an error that names an argument."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from fairrank.audit import FeatureRemovalAuditor
from fairrank.frontier import FrontierEstimator
from fairrank.ranking import XOrderPostProcessor
from lending import COLUMNS, applicants
from odd_columns import COLUMNS as ODD
from odd_columns import odd_columns
from public_calls import CALLS, SUPPORT, complaint, legal_columns

# Of a y that is taken all the same; then of the matrix that is passed, and of a lazy frame.
ALLOWED = (
    "The number of unique classes", "A column-vector y was passed", "pos_label is None",
    "the matrix subclass", "Determining the data types of a LazyFrame",
)
# Every warning but these is an error here, so that none of numpy's comes out of the library.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::fairrank.exceptions.{name}")
    for name in (
        "SmallGroupWarning", "NuisanceWarning", "CalibrationWarning", "UndefinedMetricWarning"
    )
] + [pytest.mark.filterwarnings(f"ignore:{words}") for words in ALLOWED]
N_ROWS = 24
LEGAL = legal_columns(N_ROWS)
# Among them they read all kinds of arguments; each has every odd cell.
THOROUGH = (
    "rgf_score", "xauc_score", "welfare_optimal_policy", "SupportFunction", "decision_risks",
    "expected_revenue", "median_interval",
)
OF_CELLS = re.compile("(first|listed, first|every other|all) (is|are) ")


def own_columns(call):
    """Arguments of the function itself, where a support function is built before."""
    if call.name != "SupportFunction" and SUPPORT.items() <= call.columns.items():
        return [argument for argument in call.columns if argument not in SUPPORT]
    return list(call.columns)


ASKED = [call for call in CALLS if own_columns(call)]


def complaints(call, arguments, replaced, odd):
    """All that is wrong when one argument after another is replaced by every odd column."""
    found = {}
    for argument in replaced:
        for name, make in odd.items():
            changed = arguments | {argument: make(arguments[argument])}
            wrong = complaint(call, changed)
            if wrong:
                found[argument, name] = wrong
    return found


@pytest.mark.parametrize("call", ASKED, ids=lambda call: call.name)
def test_an_odd_column_has_a_result_or_an_error_that_names_an_argument(call):
    odd = {
        name: make for name, make in ODD.items()
        if call.name in THOROUGH or not OF_CELLS.match(name)
    }
    assert complaints(call, call.arguments(LEGAL), own_columns(call), odd) == {}


@settings(max_examples=30)
@given(data=st.data())
@pytest.mark.parametrize("call", ASKED, ids=lambda call: call.name)
def test_anything_at_all_has_a_result_or_an_error_that_names_an_argument(call, data):
    argument = data.draw(st.sampled_from(own_columns(call)))
    odd = data.draw(odd_columns(N_ROWS))
    arguments = call.arguments(LEGAL) | {argument: odd}
    assert complaint(call, arguments) is None


CHOSEN = {"cv": 2, "random_state": 0, "n_jobs": 1}
# One of each door: post-processors and welfare share theirs.
ESTIMATORS = {
    "xorder": lambda: XOrderPostProcessor(LogisticRegression(), **CHOSEN),
    "frontier": lambda: FrontierEstimator(LogisticRegression(), **CHOSEN),
    "auditor": lambda: FeatureRemovalAuditor(
        LogisticRegression(), strategy="neutralize", features=["income"], n_permutations=19,
        n_resamples=19, **CHOSEN,
    ),
}
# Weights go to the learner as they came, and these are too much for scikit-learn's own.
LEARNER_FAILS = ("all huge", "denormal", "denormal and 0", "memoryview", "polars struct")


class Fit:
    """A fit on few rows, whose arguments can be replaced."""

    words = ("y", "X", "sensitive_features", "sample_weight")

    def __init__(self, make, X):
        self.make, self.X = make, X

    def __call__(self, y, sensitive_features, sample_weight):
        fitted = self.make().fit(
            self.X, y, sensitive_features=sensitive_features, sample_weight=sample_weight
        )
        return type(fitted).__name__


WHOLE = {name: make for name, make in ODD.items() if not OF_CELLS.match(name)}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_on_an_odd_column_ends_in_an_error_that_names_an_argument_or_fits(name):
    X, y = applicants(n=60)
    fit = Fit(ESTIMATORS[name], X[COLUMNS])
    legal = {"y": y, "sensitive_features": X["race"], "sample_weight": np.ones(len(y))}
    assert fit(**legal)
    wrong = complaints(fit, legal, legal, WHOLE)
    for one in LEARNER_FAILS:
        wrong.pop(("sample_weight", one), None)
    assert wrong == {}
