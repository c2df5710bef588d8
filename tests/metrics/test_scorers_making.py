"""How fairness scorers are made, compared, copied, and refused."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_pinball_loss, mean_squared_error, roc_auc_score

from fairrank.metrics import aurgf_score, rgd_score, rgf_score
from fairrank.metrics._scorers import (
    centered_rgf_scorer,
    make_fairness_scorer,
    rgf_scorer,
)


def undirected(y_true, y_pred, *, sensitive_features):
    return 0.5


def parity_difference(y_true, y_pred, *, sensitive_features):
    return 0.5


def race_of(X):
    return X["race"]


@pytest.mark.parametrize(
    ("metric", "sign"),
    [
        (rgf_score, 1), (rgd_score, -1), ("rgd", -1), ("centered_rgf", 1), ("aurgf", 1),
        (roc_auc_score, 1), (log_loss, -1), (mean_squared_error, -1), (mean_pinball_loss, -1),
        (parity_difference, -1), (partial(rgd_score, burden="squared"), -1),
    ],
)
def test_the_metric_tells_its_direction(metric, sign):
    assert make_fairness_scorer(metric)._sign == sign


def test_a_direction_that_nobody_tells_or_that_is_contradicted_is_refused():
    with pytest.raises(ValueError, match="whether a greater undirected is better"):
        make_fairness_scorer(undirected)
    assert make_fairness_scorer(undirected, greater_is_better=False)._sign == -1
    with pytest.raises(ValueError, match="rgd_score declares greater_is_better=False"):
        make_fairness_scorer(rgd_score, greater_is_better=True)
    with pytest.raises(TypeError, match="must be True, False or None"):
        make_fairness_scorer(rgd_score, greater_is_better="no")


# Where the representations are pasted.
NAMESPACE = {
    function.__name__: function
    for function in (
        make_fairness_scorer, rgf_score, aurgf_score, roc_auc_score, partial, undirected, race_of
    )
}
SCORERS = [
    "make_fairness_scorer(rgf_score)",
    "make_fairness_scorer(rgf_score, centered=True)",
    "make_fairness_scorer('rgd', sensitive_features='race', missing='drop')",
    "make_fairness_scorer(rgf_score, sensitive_features=-1, pos_label='no')",
    "make_fairness_scorer(rgf_score, sensitive_features=-1)",
    "make_fairness_scorer(rgf_score, sensitive_features=['race', 'sex'])",
    "make_fairness_scorer(rgf_score, sensitive_features=race_of)",
    "make_fairness_scorer(undirected, greater_is_better=False, metadata_name='race')",
    "make_fairness_scorer(roc_auc_score, response_method=('decision_function', 'predict'))",
    "make_fairness_scorer(partial(rgf_score, burden='squared'))",
    "make_fairness_scorer({'auc': roc_auc_score, 'rgf': 'rgf'}, sensitive_features='race')",
    "make_fairness_scorer(rgf_score).set_score_request(sample_weight=True)",
    "make_fairness_scorer(rgf_score).set_score_request(sample_weight='w')",
    "make_fairness_scorer(aurgf_score, grid=[0.5, 1.0])",
]


@pytest.mark.parametrize("text", SCORERS)
def test_copies_clones_pickles_and_pasted_reprs_are_equal(text):
    scorer = eval(text, NAMESPACE)
    twins = [
        eval(text, NAMESPACE), eval(repr(scorer), NAMESPACE), clone(scorer), copy.copy(scorer),
        copy.deepcopy(scorer), clone(scorer, safe=False), pickle.loads(pickle.dumps(scorer)),
    ]
    assert all(twin == scorer and hash(twin) == hash(scorer) for twin in twins)
    assert repr(twins[1]) == repr(scorer)


def test_different_scorers_are_different():
    scorers = {eval(text, NAMESPACE) for text in SCORERS}
    assert len(scorers) == len(SCORERS)
    assert rgf_scorer == make_fairness_scorer("rgf") != rgf_score
    assert centered_rgf_scorer == make_fairness_scorer("centered_rgf")
    assert make_fairness_scorer("rgf") != make_fairness_scorer({"rgf": "rgf"})
    assert make_fairness_scorer("aurgf", grid=np.array([0.5, 1.0])) == make_fairness_scorer(
        "aurgf", grid=np.array([0.5, 1.0])
    )


def test_a_scorer_cannot_be_changed():
    options = {"burden": "squared"}
    scorer = make_fairness_scorer("rgf", **options)
    with pytest.raises(FrozenInstanceError):
        scorer.metadata_name = "race"
    asked = scorer.set_score_request(sample_weight=True, sensitive_features="race")
    assert (asked.weight_request, asked.metadata_name) == (True, "race")
    assert (scorer.weight_request, scorer.metadata_name) == (None, "sensitive_features")
    for request in ({"sensitive_features": False}, {"sample_weight": 3}, {"burden": True}):
        with pytest.raises(ValueError, match="cannot request"):
            scorer.set_score_request(**request)
    with pytest.raises(ValueError, match="cannot request"):
        make_fairness_scorer("rgf", sensitive_features=0).set_score_request(
            sensitive_features=True
        )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("rgff",), TypeError, "one of 'rgf', 'centered_rgf', 'aurgf', 'rgd', got 'rgff'"),
        ((None,), TypeError, "must be a function"),
        (({},), TypeError, "must map names to metrics"),
        (({1: rgf_score},), TypeError, "must map names to metrics"),
        (("rgf", {"burdn": 1}), TypeError, "burdn is no option of 'rgf', which take burden, ce"),
        (({"auc": roc_auc_score, "rgf": "rgf"}, {"grid": 1}), TypeError, "of roc_auc_score or"),
        (("rgf", {"sample_weight": [1.0]}), TypeError, "one value a row and cannot be bound"),
        ((partial(rgf_score, pos_label=1),), TypeError, "binds pos_label=, which the scorer"),
        (("rgf", {"sensitive_features": np.array(["a"])}), TypeError, "cannot hold the groups"),
        (("rgf", {"sensitive_features": pd.Series(["a"])}), TypeError, "got Series"),
        (("rgf", {"sensitive_features": True}), TypeError, "got bool"),
        (("rgf", {"sensitive_features": list("aab")}), ValueError, "each once, got"),
        (("rgf", {"sensitive_features": []}), ValueError, "at least one column"),
        (("rgf", {"response_method": "transform"}), ValueError, "one or several of"),
        (("rgf", {"response_method": ()}), ValueError, "one or several of"),
        (("rgf", {"metadata_name": "the race"}), ValueError, "must be a Python name"),
    ],
)
def test_wrong_arguments_are_refused_when_the_scorer_is_made(arguments, error, message):
    metric, options = (*arguments, {})[:2]
    with pytest.raises(error, match=message):
        make_fairness_scorer(metric, **options)
