"""Tests and intervals of a fitted frontier: the functions of its support function, seeded."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank import FrontierEstimator
from fairrank import frontier as functions
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import DegenerateGroupError, SmallGroupWarning

DATA = make_frontier_data(1200, random_state=0)
DECISIONS = DATA.status_quo(DATA.data)
pytestmark = pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning")


@pytest.fixture(scope="module")
def frontier():
    with pytest.warns(SmallGroupWarning):
        return FrontierEstimator(
            group_names=("r", "b"), random_state=3
        ).fit(DATA.data, DATA.target, sensitive_features=DATA.sensitive_features)


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("less_discriminatory_alternative_test", (DECISIONS,), {"n_draws": 60}),
        ("less_discriminatory_alternative_test", (DECISIONS,),
         {"n_draws": 60, "calibration": "direction"}),
        ("point_test", ((0.4, 0.5),), {"n_draws": 60, "critical_values": "hybrid"}),
        ("pareto_test", (DECISIONS,), {"n_draws": 60}),
        ("group_skew_test", (), {"method": "inversion", "n_draws": 40}),
        ("distance_to_fairest", (DECISIONS,), {"metric": "manhattan", "n_draws": 60}),
        ("confidence_set", ("pareto",), {"candidates": 40, "n_draws": 40}),
    ],
)
def test_a_method_is_the_function_of_its_name_with_the_estimators_seed(
    frontier, name, arguments, options
):
    method = getattr(frontier, name)(*arguments, **options)
    function = getattr(functions, name)
    expected = function(frontier.support_function_, *arguments, random_state=3, **options)
    assert method.to_dict() == expected.to_dict()
    other = getattr(frontier, name)(*arguments, random_state=4, **options)
    assert other.to_dict() == function(
        frontier.support_function_, *arguments, random_state=4, **options
    ).to_dict()


def test_the_ban_is_costed_with_the_estimators_own_nuisance(frontier):
    expected = functions.cost_of_group_ban(
        frontier.support_function_, "utilitarian", frontier.own_delta_
    )
    assert frontier.cost_of_group_ban().to_dict() == expected.to_dict()
    band = frontier.group_ban_band(n_draws=40)
    same = functions.group_ban_band(
        frontier.support_function_, frontier.own_delta_, n_draws=40, random_state=3
    )
    assert band.to_dict() == same.to_dict()


def test_a_classifier_is_tested_by_its_decisions(frontier):
    other = make_frontier_data(600, random_state=1)
    model = LogisticRegression().fit(other.data, other.target)
    decided = (model.predict(DATA.data) == 1).astype(float)
    for name in (
        "less_discriminatory_alternative_test", "pareto_test", "distance_to_fairest"
    ):
        ask = getattr(frontier, name)
        assert (
            ask(model, DATA.data, n_draws=40).to_dict() == ask(decided, n_draws=40).to_dict()
        )


def test_risks_and_alternatives_are_those_of_the_functions(frontier):
    support, sample = frontier.support_function_, DATA
    expected = functions.decision_risks(
        sample.target != 0, sample.target != 1, DECISIONS,
        sensitive_features=sample.sensitive_features, group_names=("r", "b"),
        confidence_level=0.9,
    )
    found = frontier.decision_risks(DECISIONS, confidence_level=0.9)
    assert found.to_dict() == expected.to_dict()
    better = frontier.less_discriminatory_alternatives(DECISIONS)
    assert better.to_dict() == functions.less_discriminatory_alternatives(
        support, DECISIONS
    ).to_dict()
    algorithm = frontier.algorithm("majority")
    np.testing.assert_array_equal(
        frontier.less_discriminatory_alternatives(algorithm, DATA.data).risks,
        frontier.decision_risks(algorithm, DATA.data).risks,
    )


def test_a_frontier_classifier_is_tested_by_its_probabilities(frontier):
    algorithm = frontier.algorithm("egalitarian")
    ask = frontier.less_discriminatory_alternative_test
    expected = ask(algorithm.decision_probability(DATA.data), n_draws=40)
    assert ask(algorithm, DATA.data, n_draws=40).to_dict() == expected.to_dict()


def test_a_classifier_without_rows_and_rows_without_a_classifier_are_errors(frontier):
    model = LogisticRegression().fit(DATA.data, DATA.target)
    with pytest.raises(ValueError, match="pass the rows of fit as X too"):
        frontier.less_discriminatory_alternative_test(model)
    with pytest.raises(ValueError, match="X is for decisions that are a fitted classifier"):
        frontier.distance_to_fairest(DECISIONS, DATA.data)
    with pytest.raises(ValueError, match=r"decisions has shape .3,"):
        frontier.distance_to_fairest([0.0, 1.0, 1.0])


def test_a_classifier_of_other_labels_is_an_error(frontier):
    strange = LogisticRegression().fit(DATA.data, np.where(DATA.target, "pay", "default"))
    with pytest.raises(ValueError, match="predicts 'default', which is none of the labels"):
        frontier.less_discriminatory_alternative_test(strange, DATA.data)


def test_rows_without_a_group_are_given_decisions_and_not_tested():
    group = DATA.sensitive_features.astype(object)
    group[:100] = None
    dropped = FrontierEstimator(
        group_names=("r", "b"), missing="drop", random_state=0
    ).fit(DATA.data, DATA.target, sensitive_features=group)
    found = dropped.less_discriminatory_alternative_test(DECISIONS, n_draws=40)
    expected = functions.less_discriminatory_alternative_test(
        dropped.support_function_, DECISIONS[100:], n_draws=40, random_state=0
    )
    assert found.to_dict() == expected.to_dict()
    ban = functions.cost_of_group_ban(
        dropped.support_function_, "utilitarian", dropped.own_delta_[100:]
    )
    assert dropped.cost_of_group_ban().to_dict() == ban.to_dict()


def test_three_groups_have_a_cost_of_the_ban_and_no_tests_of_two():
    group = np.where(np.arange(1200) % 5 == 0, "c", DATA.sensitive_features)
    three = FrontierEstimator(random_state=0).fit(
        DATA.data, DATA.target, sensitive_features=group
    )
    assert three.cost_of_group_ban().statistic >= 0
    for name in ("point_test", "group_skew_test", "confidence_set", "group_ban_band"):
        with pytest.raises((AttributeError, ValueError), match="two groups"):
            getattr(three, name)(*[(0.4, 0.4)] * (name == "point_test"))


def test_a_known_delta_theta_says_that_the_ban_needs_another():
    class Known:
        def delta_theta(self, X):
            return DATA.delta_theta(X)

    known = FrontierEstimator(Known(), group_names=("r", "b"), random_state=0).fit(
        DATA.data, DATA.target, sensitive_features=DATA.sensitive_features
    )
    with pytest.raises(ValueError, match="own_delta_ was not estimated"):
        known.cost_of_group_ban()


ONE_ROW = {"sample_weight": [1, 1, 1, 0]}
ONE_CLUSTER = {"clusters": [0, 1, 2, 2]}


@pytest.mark.parametrize(("options", "match"), [
    (ONE_ROW, "'b' has a single row"), (ONE_CLUSTER, "'b' has a single cluster"),
])
@pytest.mark.parametrize(("name", "arguments"), [
    ("less_discriminatory_alternative_test", ([0, 1, 0, 1],)),
    ("point_test", ([0.3, 0.3],)), ("pareto_test", ([0, 1, 0, 1],)), ("group_skew_test", ()),
    ("distance_to_fairest", ([0, 1, 0, 1],)), ("cost_of_group_ban", ("utilitarian", [-1] * 4)),
    ("group_ban_band", ([-1] * 4,)), ("confidence_set", ()),
])
def test_nothing_is_inferred_of_a_group_with_a_single_row(name, arguments, options, match):
    # Its draws are all alike, and everything that is not exactly 0 would be rejected.
    support = functions.SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], [[-1.0, -1.0]] * 4, sensitive_features=list("rrbb"),
        group_names=("r", "b"), **options,
    )
    with pytest.raises(DegenerateGroupError, match=match):
        getattr(functions, name)(support, *arguments)


def test_another_frontiers_decisions_are_read_by_its_own_positive_label(frontier):
    new = make_frontier_data(1200, random_state=1)
    one, other = (
        FrontierEstimator(pos_label=pos_label, random_state=0, cv=2).fit(
            new.data, new.target, sensitive_features=new.sensitive_features
        ) for pos_label in (1, 0)
    )
    risks = [
        frontier.less_discriminatory_alternative_test(model, DATA.data, n_draws=20).risks
        for model in (one, other)
    ]
    wrong = other.predict(DATA.data) != DATA.target
    expected = [wrong[DATA.sensitive_features == group].mean() for group in ("r", "b")]
    assert risks[1] == pytest.approx(expected)
    assert risks[0] == pytest.approx(risks[1], abs=0.05)


def test_a_frontier_of_other_labels_decides_nothing_here(frontier):
    new = make_frontier_data(600, random_state=1)
    other = FrontierEstimator(pos_label="yes", random_state=0, cv=2).fit(
        new.data, np.where(new.target == 1, "yes", "no"), sensitive_features=new.sensitive_features
    )
    with pytest.raises(ValueError, match=r"decides between .'no', 'yes'., and fit saw the labels"):
        frontier.pareto_test(other, DATA.data)


def test_regressions_in_one_say_why_they_know_no_own_delta():
    frontier = FrontierEstimator(nuisance="direct", loss="squared", cv=2, random_state=0).fit(
        DATA.data, DATA.data[:, 0], sensitive_features=DATA.sensitive_features
    )
    with pytest.raises(ValueError, match="because nuisance='direct' regresses"):
        frontier.cost_of_group_ban()


def test_numbers_of_draws_from_numpy_are_plain_in_results(frontier):
    result = frontier.point_test((0.4, 0.5), n_draws=np.int64(20))
    assert json.loads(json.dumps(result.to_dict()))["n_draws"] == 20


def test_decisions_that_are_no_array_are_named(frontier):
    with pytest.raises(TypeError, match="decisions must hold one value for each of the 1200 rows"):
        frontier.less_discriminatory_alternatives(None)
