"""Every estimator, post-processor and scorer of fairrank, in every place of scikit-learn.

A cell of the matrix is a subject in a place, in a dress (`subjects.py`), with metadata routing
on or off. It gives the numbers that the subject gives there in any other dress, or it is one of
`REFUSALS`, and fails with the message that stands there.
"""

import contextlib
import importlib
import inspect
import pkgutil
from functools import cache

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

import fairrank
from fairrank import metrics
from fairrank.exceptions import (
    CalibrationWarning,
    NuisanceWarning,
    SmallGroupWarning,
    UndefinedMetricWarning,
)
from fairrank.metrics import FairnessScorer, make_fairness_scorer
from fairrank.metrics._measure import NAMED_METRICS
from integration.places import PLACES, Case, numbers
from integration.refusals import NO_PLACE, REFUSALS
from integration.subjects import ESTIMATORS, SCORERS, SETTINGS, Dress

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{category.__module__}.{category.__name__}")
    # A few dozen rows, and models that are not shown the group.
    for category in (
        CalibrationWarning, NuisanceWarning, SmallGroupWarning, UndefinedMetricWarning
    )
] + [
    # joblib's Memory tells how long it took to write arguments down, on a machine that is busy.
    pytest.mark.filterwarnings("ignore:Persisting input arguments took:UserWarning")
]


def refusal_of(cell):
    """The first refusal that covers a cell; None where it works."""
    return next((refusal for refusal in REFUSALS if refusal.covers(*cell)), None)


CELLS = [
    (subject, place, dress, routing)
    for kind, subjects in (("estimator", ESTIMATORS), ("scorer", SCORERS))
    for subject in subjects
    for place in PLACES
    if (kind, place) not in NO_PLACE and (subject, place) not in NO_PLACE
    for dress, routing in SETTINGS
]


def label(cell):
    subject, place, dress, routing = cell
    return f"{subject}-{place}-{dress}-{'routed' if routing else 'unrouted'}"


def put(cell):
    """What comes of it."""
    subject, place, dress, routing = cell
    with config_context(enable_metadata_routing=routing):
        return PLACES[place](Case(subject, dress))


@cache
def reference(subject, place):
    """The numbers of the first cell that is not refused, outside any cluster."""
    alone = place.removesuffix("_in_dask")
    works = [c for c in CELLS if c[:2] == (subject, place) and not refusal_of(c)]
    return put((subject, alone, *works[0][2:]))


@pytest.fixture(scope="module")
def in_dask():
    """Make a context in which joblib's work goes to a cluster of two threads."""
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    with (
        # A busy machine must not fail a test.
        dask.config.set({"distributed.comm.timeouts.connect": "300s"}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield lambda: parallel_config(backend="dask", client=client)


@pytest.fixture
def surroundings(request):
    """Make what a place runs in."""

    def of(place):
        is_dask = place.endswith("_in_dask")
        return request.getfixturevalue("in_dask")() if is_dask else contextlib.nullcontext()

    return of


@pytest.mark.parametrize("cell", [c for c in CELLS if not refusal_of(c)], ids=label)
def test_a_cell_gives_the_same_numbers_in_every_dress(cell, surroundings):
    with surroundings(cell[1]):
        found = put(cell)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, reference(*cell[:2]), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("cell", [c for c in CELLS if refusal_of(c)], ids=label)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_a_cell_that_cannot_work_says_why(cell, surroundings):
    refusal = refusal_of(cell)
    with surroundings(cell[1]), pytest.raises(refusal.error, match=refusal.message):
        put(cell)


def test_no_refusal_is_idle():
    used = {refusal_of(cell).reason for cell in CELLS if refusal_of(cell)}
    assert [refusal.reason for refusal in REFUSALS if refusal.reason not in used] == []


@pytest.mark.parametrize("subject", [*ESTIMATORS, *SCORERS])
def test_the_numbers_of_the_matrix_are_those_of_a_loop_over_folds(subject):
    case = Case(subject, Dress("pandas", "name"))
    scoring = case.scoring()
    found = {}
    for train, test in StratifiedKFold(2).split(case.X, case.y):
        model = case.estimator().fit(case.X.iloc[train], case.y[train])
        rows = case.X.iloc[test], case.y[test]
        scores = (
            {name: one(model, *rows) for name, one in scoring.items()}
            if isinstance(scoring, dict) else scoring(model, *rows)
        )
        for name, score in scores.items():
            found.setdefault(name, []).append(score)
    np.testing.assert_allclose(reference(subject, "cross_validated"), numbers(found), rtol=1e-12)


def public_values():
    """What the public modules of fairrank give, by name."""
    names = [info.name for info in pkgutil.walk_packages(fairrank.__path__, "fairrank.")]
    modules = [importlib.import_module(name) for name in names if "._" not in name]
    return {
        name: getattr(module, name)
        for module in (fairrank, *modules) for name in getattr(module, "__all__", ())
    }


def test_every_public_estimator_is_in_the_matrix():
    found = {
        name for name, value in public_values().items()
        if inspect.isclass(value) and issubclass(value, BaseEstimator)
    }
    assert found == set(ESTIMATORS)


# Functions of `fairrank.metrics` that give more than a number, and cannot be scorers.
NO_NUMBER = {"ranking_disparity", "rgf_curve", "xroc_curve"}


def test_every_public_metric_and_scorer_is_in_the_matrix():
    functions = {
        name for name in metrics.__all__ if inspect.isfunction(getattr(metrics, name))
    } - {"make_fairness_scorer"}
    assert functions - NO_NUMBER == set(SCORERS) & functions
    assert set(NAMED_METRICS) == set(SCORERS) & set(NAMED_METRICS)
    exported = {
        name: value for name, value in public_values().items() if isinstance(value, FairnessScorer)
    }
    assert exported == {
        f"{name}_scorer": make_fairness_scorer(name) for name in ("rgf", "centered_rgf", "aurgf")
    }


@pytest.mark.parametrize("name", sorted(NO_NUMBER))
def test_what_gives_no_number_is_no_scorer(name):
    with pytest.raises(ValueError, match=f"Nothing says whether a greater {name} is better"):
        make_fairness_scorer(getattr(metrics, name))
