"""FrontierEstimator: its frontier is that of its nuisances, and it decides by X alone."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from fairrank.datasets import make_frontier_data
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import FrontierClassifier, FrontierEstimator, SupportFunction

pytestmark = [
    pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning"),
    pytest.mark.filterwarnings("ignore:out of fold:fairrank.exceptions.NuisanceWarning"),
]

DATA = make_frontier_data(1200, random_state=0)
FIT = {"X": DATA.data, "y": DATA.target, "sensitive_features": DATA.sensitive_features}


def frontier(estimator=None, **options):
    chosen = {"group_names": ("r", "b"), "random_state": 0, "cv": 3}
    learner = LogisticRegression(C=0.1) if estimator is None else estimator
    return FrontierEstimator(learner, **{**chosen, **options})


@pytest.fixture(scope="module")
def fitted():
    return frontier().fit(**FIT)


def three_groups():
    group = DATA.sensitive_features.astype(object)
    group[::3] = "other"
    return {**FIT, "sensitive_features": group}


class Spy(ClassifierMixin, BaseEstimator):
    """A learner that keeps what it was shown."""

    shown = None

    def fit(self, X, y):
        Spy.shown = X
        self.model_ = GaussianNB().fit(np.asarray(X, dtype=float), y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(np.asarray(X, dtype=float))


def test_it_is_the_support_function_of_its_nuisances(fitted):
    by_hand = SupportFunction(
        DATA.target != 0, DATA.target != 1, fitted.delta_theta_,
        sensitive_features=DATA.sensitive_features, group_names=("r", "b"),
    )
    assert_array_equal(fitted.best_points_, by_hand.best_points)
    assert_array_equal(fitted.feasible_set_, by_hand.feasible_set)
    assert_array_equal(fitted.frontier_, by_hand.frontier())
    assert_array_equal(fitted.pareto_frontier_, by_hand.pareto_frontier())
    assert fitted.skew_ == by_hand.skew == "balanced"
    assert fitted.skewed_towards_ == by_hand.skewed_towards == ()
    for method in ("plug_in", "infimum", "crossing"):
        assert_array_equal(
            fitted.fairest_point(method).point, by_hand.fairest_point(method).point
        )
    assert fitted.fairest_point_.method == "plug_in"
    assert fitted.covariance([-1, 0], [-1, -1]) == by_hand.covariance([-1, 0], [-1, -1])


def test_it_is_near_the_truth():
    data = make_frontier_data(5000, random_state=1)
    found = FrontierEstimator(random_state=0, group_names=("r", "b")).fit(
        data.data, data.target, sensitive_features=data.sensitive_features
    )
    errors = found.standard_errors_
    assert (np.abs(found.best_points_ - data.best_points) < 3 * errors["best_points"]).all()
    assert (
        np.abs(found.fairest_point_.point - data.fairest_point) < 3 * errors["fairest_point"]
    ).all()


def test_known_changes_are_taken_at_their_word():
    known = frontier(DATA).fit(**FIT)
    assert_array_equal(known.delta_theta_, DATA.delta_theta(DATA.data))
    assert known.nuisance_quality_ == {}
    assert (known.folds_ == -1).all()
    new = make_frontier_data(50, random_state=1).data
    assert_array_equal(
        known.decision_probability(new), known.rule_.probability(DATA.delta_theta(new))
    )
    with pytest.raises(ValueError, match="shape"):
        frontier(DATA, group_names=None).fit(**three_groups())


def test_standard_errors_are_those_of_means_in_the_groups(fitted):
    support = fitted.support_function_
    for row, q in enumerate(([-1, 0], [0, -1])):
        decided = support.decisions(q)
        for column, name in enumerate("rb"):
            mine = DATA.sensitive_features == name
            loss = (decided != DATA.target)[mine]
            assert fitted.standard_errors_["best_points"][row, column] == pytest.approx(
                loss.std() / np.sqrt(mine.sum())
            )
    direction = fitted.fairest_point_.direction
    assert_allclose(
        fitted.standard_errors_["fairest_point"],
        support.standard_error(direction) / abs(direction.sum()),
    )


@pytest.mark.parametrize("shifted", ["r", "b"])
def test_beside_equal_risks_the_fairest_point_has_an_error_a_coordinate(shifted):
    higher = 2.0 * (DATA.sensitive_features == shifted)
    found = frontier(DATA).fit(
        **FIT, loss_0=(DATA.target != 0) + higher, loss_1=(DATA.target != 1) + higher
    )
    fairest = found.fairest_point_
    assert fairest.side == {"r": "below", "b": "above"}[shifted]
    decided = found.support_function_.decisions(fairest.direction, fairest.arc)
    for column, name in enumerate("rb"):
        mine = DATA.sensitive_features == name
        loss = np.where(decided, DATA.target != 1, DATA.target != 0)[mine]
        assert loss.mean() + 2 * (name == shifted) == pytest.approx(fairest.point[column])
        assert found.standard_errors_["fairest_point"][column] == pytest.approx(
            loss.std() / np.sqrt(mine.sum())
        )


@pytest.mark.parametrize("direction", ["rawlsian", "majority", "utilitarian", [-1, -3]])
def test_it_decides_by_the_sign_of_its_direction(direction):
    found = frontier(direction=direction).fit(**FIT)
    new = make_frontier_data(300, random_state=2).data
    delta = found.nuisance_.delta_theta(new)
    worse_off = int(np.argmax(np.diag(found.best_points_)))
    named = {"utilitarian": [-1, -1], "majority": [-1, 0], "rawlsian": -np.eye(2)[worse_off]}
    q = named[direction] if isinstance(direction, str) else direction
    k = delta @ (np.array(q) / found.support_function_.group_shares)
    assert_array_equal(found.predict(new), (k > 0).astype(int))
    assert_array_equal(found.decision_function(new) > 0, k > 0)
    assert_array_equal(found.draw(new, random_state=0), found.predict(new))


def test_out_of_fold_decisions_are_those_of_the_support_function(fitted):
    assert_array_equal(
        fitted.out_of_fold_decisions_, fitted.support_function_.decisions([-1, -1])
    )


def test_decision_1_is_called_by_the_positive_label():
    named = np.where(DATA.target == 1, "absent", "present")
    by_name = frontier(pos_label="absent").fit(**{**FIT, "y": named})
    by_number = frontier().fit(**FIT)
    assert_allclose(by_name.delta_theta_, by_number.delta_theta_)
    assert_array_equal(
        by_name.predict(DATA.data) == "absent", by_number.predict(DATA.data) == 1
    )
    # scikit-learn's sign: above 0 for classes_[1].
    assert_allclose(
        by_name.decision_function(DATA.data), -by_number.decision_function(DATA.data)
    )
    with pytest.warns(UserWarning, match="pos_label is None"):
        frontier().fit(**{**FIT, "y": named})


def test_a_named_column_is_dropped_and_nobody_s_group_is_looked_at():
    X = pd.DataFrame(DATA.data[:, :4], columns=list("pqst")).assign(race=DATA.sensitive_features)
    found = frontier(Spy(), sensitive_features="race").fit(X, DATA.target)
    assert Spy.shown.columns.tolist() == list("pqst")
    other = X.assign(race="nobody has heard of it")
    assert_array_equal(found.predict(other), found.predict(X))
    assert found.n_features_in_ == 5
    with pytest.raises(ValueError, match="feature names"):
        found.predict(X.drop(columns="race"))
    by_metadata = frontier(Spy()).fit(X[list("pqst")], DATA.target, sensitive_features=X["race"])
    assert_array_equal(by_metadata.predict(X[list("pqst")]), found.predict(X))


def test_several_columns_are_intersections():
    X = pd.DataFrame(DATA.data[:, :4], columns=list("pqst")).assign(
        race=DATA.sensitive_features, young=np.arange(1200) % 2 == 0
    )
    found = frontier(Spy(), sensitive_features=["race", "young"], group_names=None).fit(
        X, DATA.target
    )
    assert len(found.group_names_) == 4
    assert Spy.shown.columns.tolist() == list("pqst")


def test_more_than_two_groups_have_best_points_and_algorithms_by_weights():
    found = frontier(group_names=None).fit(**three_groups())
    assert found.best_points_.shape == (3, 3)
    assert found.standard_errors_["best_points"].shape == (3, 3)
    assert "fairest_point" not in found.standard_errors_
    for name in ("fairest_point_", "skew_", "skewed_towards_", "feasible_set_", "frontier_",
                 "pareto_frontier_"):
        assert not hasattr(found, name)
    with pytest.raises(AttributeError, match="is for two groups, and there are 3"):
        found.fairest_point()
    algorithm = found.algorithm([-1, -1, -5])
    assert set(algorithm.predict(DATA.data)) <= {0, 1}
    q = -np.eye(3)
    assert_allclose(found.best_points_, found.support_function_.support_point(q), atol=0.01)
    with pytest.raises(ValueError, match="egalitarian"):
        frontier(group_names=None, direction="egalitarian").fit(**three_groups())


def test_rows_without_a_group_have_no_part_but_keep_their_place():
    group = DATA.sensitive_features.astype(object)
    group[[3, 100, 700]] = None
    with pytest.raises(ValueError, match="missing='drop'"):
        frontier().fit(**{**FIT, "sensitive_features": group})
    found = frontier(missing="drop").fit(**{**FIT, "sensitive_features": group})
    there = np.flatnonzero([label is not None for label in group])
    without = frontier().fit(DATA.data[there], DATA.target[there],
                             sensitive_features=group[there])
    assert_array_equal(found.delta_theta_[there], without.delta_theta_)
    assert np.isnan(found.delta_theta_[[3, 100, 700]]).all()
    assert np.isnan(found.out_of_fold_decisions_[3])
    assert found.folds_[0, 3] == -1
    decisions = DATA.status_quo(DATA.data)
    assert_allclose(
        found.less_discriminatory_alternatives(decisions).risks,
        without.less_discriminatory_alternatives(decisions[there]).risks,
    )
    with pytest.raises(ValueError, match="fit was given 1200 rows"):
        found.less_discriminatory_alternatives(decisions[there])
    kept = frontier(missing="group", group_names=None).fit(
        **{**FIT, "sensitive_features": np.where(DATA.sensitive_features == "r", "r", None)}
    )
    assert kept.group_names_ == ("r", None)


def test_weights_count_in_risks():
    weight = np.where(DATA.data[:, 0] > 0, 3.0, 1.0)
    found = frontier().fit(**FIT, sample_weight=weight)
    decided = found.out_of_fold_decisions_
    for g, name in enumerate("rb"):
        mine = DATA.sensitive_features == name
        risk = np.average((decided != DATA.target)[mine], weights=weight[mine])
        assert found.support_function_.support_point([-1, -1])[g] == pytest.approx(risk)


def test_an_algorithm_is_a_classifier_of_its_own(fitted):
    egalitarian = fitted.algorithm("egalitarian")
    assert isinstance(egalitarian, FrontierClassifier)
    assert_allclose(egalitarian.rule.direction, fitted.support_function_.fairest_point().direction)
    assert_array_equal(fitted.algorithm().predict(DATA.data), fitted.predict(DATA.data))
    again = fitted.algorithm(egalitarian.rule)
    assert_array_equal(again.predict(DATA.data), egalitarian.predict(DATA.data))
    new = make_frontier_data(4000, random_state=3)
    risks = egalitarian.evaluate(
        new.data, new.target, sensitive_features=new.sensitive_features
    )
    assert risks.group_names == ("r", "b")
    gap = risks.difference()
    assert abs(gap.difference) < 0.1
    assert np.all(np.abs(risks.risks - new.fairest_point) < 0.08)


def test_a_point_is_aimed_at(fitted):
    aim = fitted.frontier_[len(fitted.frontier_) // 2]
    algorithm = fitted.algorithm(point=aim)
    delta = fitted.delta_theta_
    share = algorithm.rule.group_shares
    # About the risks of a fair coin, which are 1/2.
    plug_in = 0.5 + (
        (algorithm.rule.probability(delta) - 0.5) @ (delta / share)
    ) / len(delta)
    assert_allclose(plug_in, aim, atol=1e-9)
    with pytest.raises(ValueError, match="one of them"):
        fitted.algorithm("rawlsian", point=aim)


def test_a_capacity_is_kept_on_the_rows_of_fit_and_can_be_lifted():
    found = frontier(capacity=0.2).fit(**FIT)
    assert found.out_of_fold_decisions_.mean() == pytest.approx(0.2)
    assert found.algorithm().rule.capacity == 0.2
    assert found.algorithm(capacity=None).rule.capacity is None
    assert found.algorithm("rawlsian", capacity=0.1).rule.price > 0
    with pytest.raises(ValueError, match="'fitted'"):
        found.algorithm(capacity="all")
    with pytest.raises(ValueError, match="capacity"):
        frontier(capacity=1.5).fit(**FIT)


def test_alternatives_come_with_a_classifier(fitted):
    found = fitted.less_discriminatory_alternatives(DATA.status_quo(DATA.data))
    assert found
    assert found.classifier.rule is found.rule
    assert "classifier" not in found.to_dict()
    assert found.to_dict()["risks"] == found.risks.tolist()
    assert "alternative, plug-in" in str(found)
    none = fitted.less_discriminatory_alternatives(DATA.target)
    assert not none
    assert none.classifier is None


def test_score_is_accuracy_or_minus_the_loss():
    new = make_frontier_data(500, random_state=4)
    found = frontier().fit(**FIT)
    assert found.score(new.data, new.target) == np.mean(found.predict(new.data) == new.target)
    costs = frontier(loss={"false_positive": 5.0, "false_negative": 1.0}).fit(**FIT)
    decided = costs.predict(new.data)
    by_hand = 5.0 * ((decided == 1) & (new.target == 0)) + ((decided == 0) & (new.target == 1))
    assert costs.score(new.data, new.target) == pytest.approx(-by_hand.mean())
    arrays = frontier(DATA).fit(**FIT, loss_0=DATA.target, loss_1=1.0 - DATA.target)
    with pytest.raises(ValueError, match="loss_0 and loss_1"):
        arrays.score(new.data, new.target)
    risks = arrays.algorithm().evaluate(
        new.data, sensitive_features=new.sensitive_features, loss_0=new.target,
        loss_1=1.0 - new.target,
    )
    assert np.isfinite(risks.risks).all()


def test_a_score_has_squared_losses():
    score = DATA.probability
    found = FrontierEstimator(loss="squared", random_state=0).fit(**{**FIT, "y": score})
    decided = found.predict(DATA.data)
    assert set(decided) == {0, 1}
    assert found.score(DATA.data, score) == pytest.approx(-np.mean((decided - score) ** 2))


def test_nothing_can_be_asked_before_fit():
    new = frontier()
    for ask in (
        lambda: new.predict(DATA.data), lambda: new.best_points_, lambda: new.algorithm(),
        lambda: new.covariance([-1, 0], [-1, 0]), lambda: new.score(DATA.data, DATA.target),
        lambda: new.less_discriminatory_alternatives(DATA.target),
    ):
        with pytest.raises(NotFittedError):
            ask()
    assert not hasattr(new, "best_points_")


@pytest.mark.parametrize(
    ("options", "fit", "error", "match"),
    [
        ({}, {"sensitive_features": None}, ValueError, "given no sensitive_features"),
        ({"sensitive_features": 0}, {}, ValueError, "leave out one of the two"),
        ({"group_names": ("r", "x")}, {}, ValueError, "must name every group"),
        ({"direction": "best"}, {}, ValueError, "direction"),
        ({"loss": "hinge"}, {}, ValueError, "loss"),
        ({"n_repeats": 0}, {}, ValueError, "n_repeats"),
        ({"overlap": 0.0}, {}, ValueError, "overlap"),
        ({"missing": "forget"}, {}, ValueError, "missing"),
        ({}, {"sensitive_features": np.full(1200, "r")}, DegenerateGroupError, "one group"),
        ({}, {"clusters": [1, 2]}, ValueError, "clusters has 2 rows"),
        ({}, {"sample_weight": np.zeros(1200)}, DegenerateGroupError, "zero in every row"),
        ({}, {"selected": [True]}, ValueError, "one boolean a row"),
    ],
)
def test_bad_input_is_named(options, fit, error, match):
    if "one group" in match:
        options = {**options, "group_names": None}
    with pytest.raises(error, match=match):
        frontier(**options).fit(**{**FIT, **fit})


def test_a_group_without_weight_is_named_before_anything_is_learnt():
    weight = (DATA.sensitive_features == "r").astype(float)
    with pytest.raises(DegenerateGroupError, match="group 'b' has sample_weight 0"):
        frontier().fit(
            DATA.data, DATA.target, sensitive_features=DATA.sensitive_features,
            sample_weight=weight,
        )


def test_a_fold_must_train_on_rows_that_weigh_something():
    weight = np.ones(len(DATA.target))
    b = np.flatnonzero(DATA.sensitive_features == "b")
    weight[b[1:]] = 0.0
    with pytest.raises(DegenerateGroupError, match="'b' has 1 rows of positive weight"):
        frontier().fit(
            DATA.data, DATA.target, sensitive_features=DATA.sensitive_features,
            sample_weight=weight,
        )


@pytest.mark.parametrize(("names", "error"), [(5, TypeError), ((["r"], ["b"]), ValueError)])
def test_group_names_that_name_no_groups_are_refused_by_name(names, error):
    with pytest.raises(error, match="group_names"):
        frontier(group_names=names).fit(
            DATA.data, DATA.target, sensitive_features=DATA.sensitive_features
        )


def test_a_number_of_folds_from_numpy_can_be_repeated():
    fitted = frontier(cv=np.int64(2), n_repeats=2).fit(
        DATA.data, DATA.target, sensitive_features=DATA.sensitive_features
    )
    assert fitted.folds_.shape == (2, len(DATA.target))


def test_a_cost_is_scored_by_labels_of_the_fit_only():
    fitted = frontier(loss={"false_positive": 1.0, "false_negative": 2.0}).fit(
        DATA.data, DATA.target, sensitive_features=DATA.sensitive_features
    )
    with pytest.raises(ValueError, match="y holds -1, and the labels are"):
        fitted.score(DATA.data, 2 * DATA.target - 1)


def test_groups_that_are_dates_are_strings_in_json():
    first, second = np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")
    day = np.where(DATA.sensitive_features == "r", first, second)
    fitted = frontier(group_names=None).fit(DATA.data, DATA.target, sensitive_features=day)
    found = fitted.less_discriminatory_alternatives(np.zeros(len(DATA.target)))
    assert "2020-01-01" in json.dumps([found.to_dict(), fitted.rule_.to_dict()])
