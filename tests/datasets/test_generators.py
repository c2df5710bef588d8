import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy.special import expit, logit

from fairrank.datasets import make_rgf_simulation, perturb_scores

N_LARGE = 200_000


@pytest.fixture(scope="module")
def large():
    return make_rgf_simulation(N_LARGE, random_state=0)


def test_about_four_percent_of_outcomes_are_positive(large):
    assert large.target.mean() == pytest.approx(0.039, abs=0.002)


def test_outcomes_follow_the_stated_probability(large):
    pull = (large.target - large.probability).sum() / np.sqrt(
        (large.probability * (1 - large.probability)).sum()
    )
    assert abs(pull) < 4


def test_probability_is_a_logistic_function_of_the_covariates(large):
    design = np.column_stack([np.ones(N_LARGE), large.data])
    log_odds = logit(large.probability)
    coefficients = np.linalg.lstsq(design, log_odds)[0]
    np.testing.assert_allclose(design @ coefficients, log_odds, atol=1e-9)
    np.testing.assert_allclose(coefficients[1:6], [0.5, -0.4, 0.3, -0.2, 0.1], atol=1e-9)


def test_minority_is_unrelated_to_covariates_and_outcome(large):
    minority = large.sensitive_features == "minority"
    assert minority.mean() == pytest.approx(0.1, abs=0.003)
    for column in [*large.data.T, large.target, large.probability]:
        assert abs(np.corrcoef(minority, column)[0, 1]) < 4 / np.sqrt(N_LARGE)


def test_covariates_are_independent_of_each_other(large):
    correlation = np.corrcoef(large.data.T) - np.eye(8)
    assert np.abs(correlation).max() < 4.5 / np.sqrt(N_LARGE)


def test_continuous_covariates_are_standard_normal(large):
    np.testing.assert_allclose(large.data[:, :5].mean(axis=0), 0, atol=0.01)
    np.testing.assert_allclose(large.data[:, :5].std(axis=0), 1, atol=0.01)


def test_categorical_covariates_have_three_or_four_equally_likely_levels(large):
    for column, n_levels in zip(large.data[:, 5:].T, [3, 4, 3]):
        levels, counts = np.unique(column, return_counts=True)
        assert_array_equal(levels, np.arange(n_levels))
        np.testing.assert_allclose(counts / N_LARGE, 1 / n_levels, atol=0.005)


def test_signal_of_scale_zero_leaves_the_intercept_alone():
    simulation = make_rgf_simulation(50, intercept=-1, coef_scale=0, random_state=0)
    np.testing.assert_allclose(simulation.probability, expit(-1))


@pytest.mark.parametrize(("n_continuous", "n_categorical"), [(0, 2), (1, 0), (3, 7)])
def test_covariates_are_as_many_as_asked(n_continuous, n_categorical):
    simulation = make_rgf_simulation(
        20, n_continuous=n_continuous, n_categorical=n_categorical, random_state=0
    )
    assert simulation.data.shape == (20, n_continuous + n_categorical)
    assert len(simulation.feature_names) == n_continuous + n_categorical


def test_same_seed_draws_the_same_simulation():
    first, second = (make_rgf_simulation(100, random_state=3) for _ in range(2))
    for name in ("data", "target", "sensitive_features", "probability"):
        assert_array_equal(first[name], second[name])


def test_simulation_advances_a_random_state_instance():
    rng = np.random.RandomState(3)
    first, second = (make_rgf_simulation(100, random_state=rng) for _ in range(2))
    assert_array_equal(first.data, make_rgf_simulation(100, random_state=3).data)
    assert not np.array_equal(first.data, second.data)


def test_simulation_frame_equals_the_arrays():
    pytest.importorskip("pandas")
    simulation = make_rgf_simulation(100, random_state=3)
    framed = make_rgf_simulation(100, as_frame=True, random_state=3)
    assert_array_equal(framed.data.to_numpy(dtype=float), simulation.data)
    assert_array_equal(framed.target, simulation.target)
    assert_array_equal(framed.sensitive_features, simulation.sensitive_features)
    assert_array_equal(framed.probability, simulation.probability)


def test_simulation_frame_marks_categorical_covariates_with_all_their_levels():
    pytest.importorskip("pandas")
    data = make_rgf_simulation(2, as_frame=True, random_state=0).data
    assert [str(dtype) for dtype in data.dtypes] == ["float64"] * 5 + ["category"] * 3
    assert data["categorical_1"].cat.categories.tolist() == [0, 1, 2, 3]


def test_simulation_frame_holds_covariates_group_and_outcome():
    pytest.importorskip("pandas")
    framed = make_rgf_simulation(10, as_frame=True, random_state=0)
    assert list(framed.frame) == [*framed.feature_names, "sensitive_feature", "outcome"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1"),
        ({"n_samples": 10.0}, TypeError, "n_samples must be a whole number"),
        ({"minority_share": 0}, ValueError, r"minority_share must lie in \(0, 1\), got 0"),
        ({"minority_share": 1}, ValueError, r"minority_share must lie in \(0, 1\), got 1"),
        ({"intercept": np.nan}, ValueError, "intercept must be finite, got nan"),
        ({"coef_scale": "weak"}, TypeError, "coef_scale must be a number, got 'weak'"),
        ({"n_continuous": -1}, ValueError, "n_continuous must be at least 0"),
        ({"n_continuous": 0, "n_categorical": 0}, ValueError, "no covariate: ask for at least"),
    ],
)
def test_bad_simulation_argument_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        make_rgf_simulation(**arguments)


scores_and_members = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.floats(0, 1)),
        arrays(np.bool_, n).filter(np.any),
    )
)


@given(scores_and_members, st.integers(0, 100))
def test_perturbed_scores_of_others_keep_every_bit(drawn, seed):
    score, members = drawn
    perturbed = perturb_scores(
        score, sensitive_features=members, group=True, random_state=seed
    )
    assert perturbed[~members].tobytes() == score[~members].tobytes()


@given(scores_and_members, st.integers(0, 100))
def test_perturbed_scores_remain_probabilities(drawn, seed):
    score, members = drawn
    perturbed = perturb_scores(
        score, sensitive_features=members, group=True, scale=50.0, random_state=seed
    )
    assert ((perturbed >= 0) & (perturbed <= 1)).all()


def test_perturbation_is_normal_with_the_given_scale_on_the_log_odds():
    perturbed = perturb_scores(
        np.full(N_LARGE, 0.04), sensitive_features=["minority"] * N_LARGE, random_state=0
    )
    noise = logit(perturbed) - logit(0.04)
    assert noise.mean() == pytest.approx(0, abs=4 * 2.2 / np.sqrt(N_LARGE))
    assert noise.std() == pytest.approx(2.2, rel=0.01)


def test_perturbation_does_not_change_its_input():
    score = np.array([0.2, 0.3])
    perturb_scores(score, sensitive_features=["minority", "majority"], random_state=0)
    assert_array_equal(score, [0.2, 0.3])


def test_perturbation_does_not_depend_on_how_many_others_there_are():
    alone = perturb_scores([0.2], sensitive_features=["minority"], random_state=0)
    among = perturb_scores(
        [0.5, 0.2, 0.1], sensitive_features=["majority", "minority", "majority"], random_state=0
    )
    assert among[1] == alone[0]


def test_scores_of_zero_and_one_stay_where_they_are():
    perturbed = perturb_scores([0.0, 1.0], sensitive_features=["minority"] * 2, random_state=0)
    assert_array_equal(perturbed, [0.0, 1.0])


def test_perturbation_finds_an_intersection():
    perturbed = perturb_scores(
        [0.2, 0.2],
        sensitive_features=np.array([["black", "f"], ["black", "m"]]),
        group=("black", "m"),
        random_state=0,
    )
    assert perturbed[0] == 0.2
    assert perturbed[1] != 0.2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"group": "hispanic"}, ValueError, "group='hispanic' is not in .*'majority', 'minority'"),
        ({"scale": -1}, ValueError, "scale must be at least 0"),
        ({"scale": np.inf}, ValueError, "scale must be finite"),
        ({"y_score": [-3.0, 0.2]}, ValueError, "y_score must be probabilities"),
        ({"y_score": [0.2]}, ValueError, "differ in length"),
        ({"sensitive_features": ["minority", None]}, ValueError, "have no group"),
    ],
)
def test_bad_perturbation_argument_is_named(arguments, error, message):
    good = {"y_score": [0.1, 0.2], "sensitive_features": ["minority", "majority"]}
    with pytest.raises(error, match=message):
        perturb_scores(**{**good, **arguments})
