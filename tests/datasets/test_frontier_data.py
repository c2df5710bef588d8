import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from fairrank.datasets import make_frontier_data

N_LARGE = 200_000
DESIGNS = ("balanced", "r_skewed")


@pytest.fixture(scope="module", params=DESIGNS)
def large(request):
    return make_frontier_data(N_LARGE, design=request.param, random_state=0)


def risks(data, decision):
    """Mean loss of decisions in r and b, from realised outcomes; and its standard errors."""
    loss = np.where(data.target == 1, 1 - decision, decision)
    in_group = [loss[data.sensitive_features == g] for g in data.group_names]
    return (
        np.array([x.mean() for x in in_group]),
        np.array([x.std() / x.size**0.5 for x in in_group]),
    )


def test_the_best_points_are_the_risks_of_the_best_decisions(large):
    delta = large.delta_theta(large.data)
    for g in (0, 1):
        found, error = risks(large, delta[:, g] < 0)
        assert (np.abs(found - large.best_points[g]) < 4 * error).all()


def test_no_decision_has_a_lower_equal_risk_than_the_fairest_point(large):
    # By duality: for every weight t on b, the least weighted risk is a lower bound; the best
    # weight attains it.
    delta = large.delta_theta(large.data) / large.group_shares
    levels = []
    for t in np.linspace(-1, 2, 61):
        found, error = risks(large, delta @ [1 - t, t] < 0)
        levels.append(found @ [1 - t, t])
        assert levels[-1] < large.fairest_point[0] + 4 * np.abs([1 - t, t]) @ error
    assert max(levels) == pytest.approx(large.fairest_point[0], abs=0.006)


def test_the_status_quo_has_the_stated_risks(large):
    found, error = risks(large, large.status_quo(large.data))
    assert (np.abs(found - large.status_quo_risks) < 4 * error).all()


def test_the_truth_agrees_with_an_independent_computation(large):
    best, fairest, risks = {
        0.28590: ([[0.28599, 0.63819], [0.63237, 0.27284]], 0.41538, [0.41367, 0.53333]),
        0.15689: ([[0.15699, 0.39807], [0.28751, 0.34903]], 0.35360, [0.37287, 0.44187]),
    }[large.best_points[0, 0]]
    assert_allclose(large.best_points, best, atol=1.5e-4)
    assert_allclose(large.fairest_point, fairest, atol=1.5e-4)
    # Of another fit of the same rule.
    assert_allclose(large.status_quo_risks, risks, atol=3e-3)


def test_outcomes_follow_the_stated_probability(large):
    pull = (large.target - large.probability).sum() / np.sqrt(
        (large.probability * (1 - large.probability)).sum()
    )
    assert abs(pull) < 4


def test_theta_is_the_expected_loss_in_a_group(large):
    theta = large.theta(large.data)
    for d in (0, 1):
        for g, name in enumerate(large.group_names):
            loss = (large.target != d) & (large.sensitive_features == name)
            assert abs((loss - theta[:, d, g]).mean()) < 4 * loss.std() / N_LARGE**0.5
    assert_allclose(theta[:, 1] - theta[:, 0], large.delta_theta(large.data), atol=1e-15)


def test_groups_are_as_frequent_as_stated_and_unrelated_to_the_covariates(large):
    in_r = large.sensitive_features == "r"
    assert in_r.mean() == pytest.approx(0.6, abs=0.005)
    for column in large.data.T:
        assert abs(np.corrcoef(in_r, column)[0, 1]) < 4.5 / N_LARGE**0.5


def test_covariates_have_the_stated_distributions(large):
    sample = large.data[:5000]
    expected = {1: stats.uniform, 2: stats.beta(2, 2)}
    for j, column in enumerate(sample.T):
        law = expected.get(j, stats.truncnorm(-3, 3))
        assert stats.kstest(column, law.cdf).pvalue > 1e-3


def test_same_seed_draws_the_same_data():
    first, second = (make_frontier_data(100, random_state=3) for _ in range(2))
    for name in ("data", "target", "sensitive_features", "probability"):
        assert_array_equal(first[name], second[name])


def test_both_designs_share_covariates_and_groups():
    first, second = (make_frontier_data(100, design=d, random_state=3) for d in DESIGNS)
    assert_array_equal(first.data, second.data)
    assert_array_equal(first.sensitive_features, second.sensitive_features)


def test_the_data_can_be_pickled():
    data = make_frontier_data(50, random_state=0)
    again = pickle.loads(pickle.dumps(data))
    assert_array_equal(again.theta(data.data), data.theta(data.data))


def test_the_frame_equals_the_arrays():
    pytest.importorskip("pandas")
    plain = make_frontier_data(100, random_state=3)
    framed = make_frontier_data(100, as_frame=True, random_state=3)
    assert_array_equal(framed.data.to_numpy(), plain.data)
    assert_array_equal(framed.delta_theta(framed.data), plain.delta_theta(plain.data))
    assert list(framed.frame) == [*framed.feature_names, "sensitive_feature", "outcome"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples must be at least 1"),
        ({"n_samples": 2.5}, TypeError, "n_samples must be a whole number"),
        ({"design": "skewed"}, ValueError, "design must be one of .*'balanced', 'r_skewed'"),
    ],
)
def test_a_bad_argument_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        make_frontier_data(**arguments)


def test_truth_is_for_the_covariates_of_the_design():
    with pytest.raises(ValueError, match="X must have 20 columns"):
        make_frontier_data(10).theta(np.zeros((3, 2)))
