"""Many threads on one estimator, one support function and the same arrays give serial results."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fairrank.audit import FeatureRemovalAuditor
from fairrank.frontier import FrontierEstimator, SupportFunction
from fairrank.metrics import make_fairness_scorer, rgf_score, xauc_disparity
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor
from fairrank.welfare import WelfareEqualizingClassifier, WelfareEqualizingOffer
from lending import COLUMNS, applicants
from public_calls import CALLS, SUPPORT, assert_same_numbers, legal_columns

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::fairrank.exceptions.{name}")
    for name in ("SmallGroupWarning", "NuisanceWarning", "CalibrationWarning")
]
N_THREADS, N_ROUNDS = 6, 4
CHOSEN = {"sensitive_features": "race", "cv": 3, "random_state": 0, "n_jobs": 1}


def without_race(X):
    return X[[name for name in COLUMNS if name in X]]


def learner():
    """A learner that never sees race."""
    return make_pipeline(FunctionTransformer(without_race), LogisticRegression())


ESTIMATORS = {
    "xorder": XOrderPostProcessor(learner(), **CHOSEN),
    "post_logit": PostLogitPostProcessor(learner(), **CHOSEN),
    "equalizing": WelfareEqualizingClassifier(learner(), **CHOSEN),
    "smoothed": WelfareEqualizingClassifier(learner(), smoothing=0.1, **CHOSEN),
    "offer": WelfareEqualizingOffer(
        learner(), products={"small": {"gain": 0.5}, "large": {"gain": 2.0, "loss": 3.0}}, **CHOSEN
    ),
    "frontier": FrontierEstimator(LogisticRegression(), **CHOSEN),
    "auditor": FeatureRemovalAuditor(learner(), n_permutations=19, n_resamples=19, **CHOSEN),
}
ANSWERS = (
    "predict", "predict_proba", "decision_function", "transform", "acceptance_probability",
    "decision_probability", "offer", "offer_probability", "score", "draw",
)
ASKED_OF_SUPPORT = {
    "h": lambda s: s.h([[1.0, 0.3], [-1.0, -1.0], [0.2, -0.7]]),
    "points": lambda s: s.support_points,
    "fairest": lambda s: s.fairest_point,
    "skew": lambda s: s.skew,
    "plug-in": lambda s: s.plug_in.h([-1.0, -1.0]),
    "decisions": lambda s: s.decisions([-1.0, -0.5]),
    "influence": lambda s: s.influence([-1.0, -0.5]),
    "draws": lambda s: s.draws(lambda draw: draw.arcs.h([-1.0, -1.0]), 5, random_state=0),
    "excess": lambda s: s.largest_excess([0.3, 0.3]),
}


@pytest.fixture(autouse=True, scope="module")
def _threads_take_turns_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture(scope="module")
def table():
    return applicants(n=240)


def hammered(tasks):
    """Results of all tasks, each called `N_ROUNDS` times in threads, in turn with the others."""
    mixed = [task for _ in range(N_ROUNDS) for task in tasks]
    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(lambda task: task(), mixed))


def assert_threads_agree(tasks):
    serial = [task() for task in tasks]
    for found, expected in zip(hammered(tasks), serial * N_ROUNDS):
        assert_same_numbers(found, expected)


def questions(fitted, X, y):
    """Calls of everything that `fitted` answers about the rows of X."""
    for name in ANSWERS:
        if not hasattr(fitted, name):
            continue
        ask = getattr(fitted, name)
        if name == "score":
            yield lambda ask=ask: ask(X, y)
        elif name == "draw":
            yield lambda ask=ask: ask(X, random_state=0)
        else:
            yield lambda ask=ask: np.asarray(ask(X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_fitted_estimator_answers_threads_as_it_answers_one(name, table):
    X, y = table
    fitted = clone(ESTIMATORS[name]).fit(X, y)
    tasks = list(questions(fitted, X, y))
    assert len(tasks) >= 2
    assert_threads_agree(tasks)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_clones_fitted_in_threads_with_one_seed_are_alike(name, table):
    X, y = table

    def fit():
        fitted = clone(ESTIMATORS[name]).fit(X, y)
        return [task() for task in questions(fitted, X, y)]

    assert_threads_agree([fit])


def test_a_scorer_is_shared_by_threads(table):
    X, y = table
    model = learner().fit(X, y)
    scorers = [
        make_fairness_scorer(metric, sensitive_features="race")
        for metric in (rgf_score, xauc_disparity)
    ]
    assert_threads_agree([lambda scorer=scorer: scorer(model, X, y) for scorer in scorers])


def test_what_a_support_function_keeps_is_kept_once_whoever_asks_first():
    columns = legal_columns(200)
    arguments = {name: columns[column] for name, column in SUPPORT.items()}
    expected = {name: ask(SupportFunction(**arguments)) for name, ask in ASKED_OF_SUPPORT.items()}
    for _ in range(N_ROUNDS):
        fresh = SupportFunction(**arguments)  # nothing of it is computed yet
        with ThreadPoolExecutor(N_THREADS) as pool:
            asked = {
                name: pool.submit(ask, fresh) for name, ask in ASKED_OF_SUPPORT.items()
            }
        for name, answer in asked.items():
            assert_same_numbers(answer.result(), expected[name])


@pytest.mark.parametrize("read_only", [False, True], ids=["writeable", "read_only"])
def test_functions_in_threads_share_arrays_and_write_into_none(read_only):
    columns = legal_columns(60)
    kept = {name: column.copy() for name, column in columns.items()}
    if read_only:
        for column in columns.values():
            column.flags.writeable = False
    assert_threads_agree(
        [lambda call=call: call(**call.arguments(columns)) for call in CALLS]
    )
    assert_same_numbers(columns, kept)
