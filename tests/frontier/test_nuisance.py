"""Nuisances: what saturated learners say is what cells of a discrete X say, out of fold too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fairrank.exceptions import DegenerateGroupError, NuisanceWarning
from fairrank.frontier import FrontierEstimator

pytestmark = [
    pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning"),
    pytest.mark.filterwarnings("ignore:out of fold:fairrank.exceptions.NuisanceWarning"),
]

N_CELLS = 3


def cells(n=240, n_groups=2, seed=0):
    """A discrete X in one column, outcomes and groups that depend on it."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, N_CELLS, n)
    group = rng.integers(0, n_groups, n) * (rng.random(n) < 0.3 + 0.2 * X)
    y = (rng.random(n) < 0.2 + 0.2 * X + 0.15 * (group == 1)).astype(int)
    return X[:, np.newaxis].astype(float), y, np.array(list("abc"))[group]


def means_of_cells(X, change, group, names, train, ask, weight=None):
    """E[change 1{group g} | X] by hand, as a share times a mean."""
    weight = np.ones(len(change)) if weight is None else weight
    told = np.zeros((len(ask), len(names)))
    for i, row in enumerate(ask):
        same = [j for j in train if X[j, 0] == X[row, 0]]
        for g, name in enumerate(names):
            mine = [j for j in same if group[j] == name]
            if mine:
                share = weight[mine].sum() / weight[same].sum()
                told[i, g] = share * np.average(change[mine], weights=weight[mine])
    return told


def tree():
    return DecisionTreeClassifier(random_state=0)


def regression_tree():
    return DecisionTreeRegressor(random_state=0)


LEARNERS = {
    "factorized": {"estimator": tree()},
    "direct": {"estimator": tree(), "nuisance": "direct"},
    "factorized regression": {"estimator": regression_tree(), "group_estimator": tree()},
    "direct regression": {"estimator": regression_tree(), "nuisance": "direct"},
}


@pytest.mark.parametrize("learners", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_saturated_learners_say_what_the_cells_say(learners, n_groups):
    X, y, group = cells(n_groups=n_groups)
    fitted = FrontierEstimator(**learners, random_state=0).fit(X, y, sensitive_features=group)
    names, change = fitted.group_names_, 1.0 - 2.0 * y
    every = np.arange(len(y))
    assert_allclose(
        fitted.nuisance_.delta_theta(X), means_of_cells(X, change, group, names, every, every)
    )
    for k in range(5):
        test = np.flatnonzero(fitted.folds_[0] == k)
        train = np.setdiff1d(every, test)
        assert_allclose(
            fitted.delta_theta_[test], means_of_cells(X, change, group, names, train, test)
        )


@pytest.mark.parametrize("learners", LEARNERS.values(), ids=LEARNERS)
def test_costs_weigh_the_two_errors(learners):
    X, y, group = cells()
    costs = {"false_positive": 2.0, "false_negative": 0.5}
    fitted = FrontierEstimator(**learners, loss=costs, cv=None).fit(
        X, y, sensitive_features=group
    )
    change = np.where(y == 1, -0.5, 2.0)
    every = np.arange(len(y))
    assert_allclose(
        fitted.delta_theta_, means_of_cells(X, change, group, ("a", "b"), every, every)
    )


@pytest.mark.parametrize("nuisance", ["factorized", "direct"])
def test_real_losses_are_regressed(nuisance):
    X, y, group = cells()
    score = y + np.random.default_rng(1).normal(size=len(y))
    fitted = FrontierEstimator(
        regression_tree(), group_estimator=tree(), loss="squared", nuisance=nuisance, cv=None
    ).fit(X, score, sensitive_features=group)
    every = np.arange(len(y))
    assert_allclose(
        fitted.delta_theta_,
        means_of_cells(X, 1.0 - 2.0 * score, group, ("a", "b"), every, every),
    )
    assert fitted.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("name", ["factorized", "direct", "factorized regression"])
def test_the_change_in_the_own_group_is_what_the_group_s_rows_say(name):
    X, y, group = cells()
    fitted = FrontierEstimator(**LEARNERS[name], cv=None).fit(X, y, sensitive_features=group)
    by_hand = [
        np.mean(1.0 - 2.0 * y[(X[:, 0] == X[i, 0]) & (group == group[i])]) for i in range(len(y))
    ]
    assert_allclose(fitted.own_delta_, by_hand)


def test_one_regression_on_all_rows_does_not_say_what_the_own_group_loses():
    X, y, group = cells()
    fitted = FrontierEstimator(**LEARNERS["direct regression"]).fit(X, y, sensitive_features=group)
    assert fitted.own_delta_ is None


@pytest.mark.parametrize("learners", LEARNERS.values(), ids=LEARNERS)
def test_weights_enter_the_nuisances(learners):
    X, y, group = cells()
    weight = np.random.default_rng(2).uniform(0.5, 2, len(y))
    fitted = FrontierEstimator(**learners, cv=None).fit(
        X, y, sensitive_features=group, sample_weight=weight
    )
    every = np.arange(len(y))
    assert_allclose(
        fitted.delta_theta_,
        means_of_cells(X, 1.0 - 2.0 * y, group, ("a", "b"), every, every, weight),
    )


def test_the_last_step_of_a_pipeline_takes_the_weights():
    X, y, group = cells()
    weight = np.random.default_rng(2).uniform(0.5, 2, len(y))
    piped, alone = (
        FrontierEstimator(learner, cv=None).fit(
            X, y, sensitive_features=group, sample_weight=weight
        ).delta_theta_
        for learner in (make_pipeline(StandardScaler(), tree()), tree())
    )
    assert_allclose(piped, alone)


def test_a_learner_that_takes_no_weights_is_named():
    X, y, group = cells()
    with pytest.warns(NuisanceWarning, match="KNeighborsClassifier takes no sample_weight"):
        FrontierEstimator(KNeighborsClassifier()).fit(
            X, y, sensitive_features=group, sample_weight=np.ones(len(y))
        )


def test_rows_in_another_order_of_groups_have_their_columns_swapped():
    X, y, group = cells()
    first = FrontierEstimator(tree(), random_state=0).fit(X, y, sensitive_features=group)
    swapped = FrontierEstimator(tree(), random_state=0, group_names=("b", "a")).fit(
        X, y, sensitive_features=group
    )
    assert_allclose(
        swapped.nuisance_.delta_theta(X), first.nuisance_.delta_theta(X)[:, ::-1]
    )
    assert swapped.group_names_ == ("b", "a")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_number_depends_on_n_jobs(n_jobs):
    X, y, group = cells()
    alone, jobs = (
        FrontierEstimator(tree(), n_jobs=jobs, random_state=3, n_repeats=2).fit(
            X, y, sensitive_features=group
        )
        for jobs in (None, n_jobs)
    )
    assert_array_equal(alone.delta_theta_, jobs.delta_theta_)
    assert_array_equal(alone.folds_, jobs.folds_)


def test_folds_have_their_part_of_every_group_and_outcome():
    X, y, group = cells()
    fitted = FrontierEstimator(tree(), random_state=0).fit(X, y, sensitive_features=group)
    for name in "ab":
        for outcome in (0, 1):
            mine = fitted.folds_[0][(group == name) & (y == outcome)]
            assert np.ptp(np.bincount(mine, minlength=5)) <= 1


def test_clusters_stay_in_one_fold():
    X, y, group = cells()
    clusters = np.arange(len(y)) // 4
    fitted = FrontierEstimator(tree(), random_state=0).fit(
        X, y, sensitive_features=group, clusters=clusters
    )
    by_cluster = fitted.folds_[0].reshape(-1, 4)
    assert (by_cluster == by_cluster[:, :1]).all()
    assert fitted.support_function_._sample.n_clusters == len(y) // 4
    with pytest.raises(ValueError, match="as many clusters as folds"):
        FrontierEstimator(tree()).fit(
            X, y, sensitive_features=group, clusters=np.arange(len(y)) % 3
        )


def test_splitters_and_splits_part_the_rows():
    X, y, group = cells()
    splits = [(np.flatnonzero(np.arange(240) % 3 != k), np.flatnonzero(np.arange(240) % 3 == k))
              for k in range(3)]
    fitted = FrontierEstimator(tree(), cv=splits).fit(X, y, sensitive_features=group)
    assert_array_equal(fitted.folds_[0], np.arange(240) % 3)
    for splitter in (KFold(3), StratifiedKFold(3)):
        found = FrontierEstimator(tree(), cv=splitter).fit(X, y, sensitive_features=group)
        assert set(found.folds_[0]) == {0, 1, 2}
    with pytest.raises(ValueError, match="holds out 80 of 240 rows"):
        FrontierEstimator(tree(), cv=splits[:1]).fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="pass a number of folds"):
        FrontierEstimator(tree(), cv=splits, n_repeats=2).fit(X, y, sensitive_features=group)


def test_repeats_give_medians_and_the_first_is_that_of_a_single_one():
    X, y, group = cells()
    three = FrontierEstimator(tree(), random_state=0, n_repeats=3).fit(
        X, y, sensitive_features=group
    )
    one = FrontierEstimator(tree(), random_state=0).fit(X, y, sensitive_features=group)
    assert_array_equal(three.folds_[0], one.folds_[0])
    assert len(three.support_functions_) == 3
    told = [each._sample.scaled * each.group_shares for each in three.support_functions_]
    assert_allclose(three.delta_theta_, np.median(told, axis=0))
    assert_allclose(told[0], one.delta_theta_)


def test_a_group_that_a_fold_does_not_train_on_is_an_error():
    X, y, group = cells()
    group[0] = "c"
    with pytest.raises(DegenerateGroupError, match="'c' has 1 rows"):
        FrontierEstimator(tree()).fit(X, y, sensitive_features=group)


def test_a_group_with_one_outcome_has_it_for_certain():
    X, y, group = cells()
    y = np.where(group == "a", 1, y)
    fitted = FrontierEstimator(LogisticRegression()).fit(X, y, sensitive_features=group)
    share = fitted.nuisance_.form.shares(fitted.nuisance_.answers(X))[:, 0]
    assert_allclose(fitted.nuisance_.delta_theta(X)[:, 0], -share)


def test_a_frozen_learner_is_asked_as_it_is_for_all_groups():
    X, y, group = cells()
    model = tree().fit(X, y)
    fitted = FrontierEstimator(FrozenEstimator(model), group_estimator=tree()).fit(
        X, y, sensitive_features=group
    )
    share = tree().fit(X, group).predict_proba(X)
    change = 1.0 - 2.0 * model.predict_proba(X)[:, 1]
    assert_allclose(fitted.nuisance_.delta_theta(X), share * change[:, np.newaxis])


def test_a_frozen_model_of_groups_knows_them_by_name():
    X, y, group = cells()
    frozen = FrozenEstimator(tree().fit(X, group))
    fitted = FrontierEstimator(
        FrozenEstimator(tree().fit(X, y)), group_estimator=frozen, group_names=("b", "a")
    ).fit(X, y, sensitive_features=group)
    shares = fitted.nuisance_.form.shares(fitted.nuisance_.answers(X))
    assert_allclose(shares, frozen.predict_proba(X)[:, ::-1])
    strange = FrozenEstimator(tree().fit(X, np.where(group == "a", "a", "z")))
    with pytest.raises(ValueError, match="must know"):
        FrontierEstimator(tree(), group_estimator=strange).fit(X, y, sensitive_features=group)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"estimator": LinearSVC()}, AttributeError, "no predict_proba"),
        ({"estimator": tree(), "group_estimator": regression_tree()}, TypeError, "classifier"),
        ({"estimator": tree(), "loss": "squared"}, TypeError, "pass a regressor"),
        ({"estimator": "tree"}, TypeError, "scikit-learn estimator"),
        ({"nuisance": "both"}, ValueError, "nuisance"),
    ],
)
def test_learners_that_cannot_learn_it_are_refused(options, error, match):
    X, y, group = cells()
    real = options.get("loss") == "squared"
    with pytest.raises(error, match=match):
        FrontierEstimator(**options).fit(X, y + 0.1 * X[:, 0] if real else y,
                                         sensitive_features=group)
