"""How far noise of the nuisances draws the estimated frontier inward."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from fairrank import FrontierEstimator
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._inward_bias import expected_inward_bias

DATA = make_frontier_data(1200, random_state=0)
DIRECTIONS = ((-1.0, 0.0), (0.0, -1.0), (-1.0, -1.0))
pytestmark = pytest.mark.filterwarnings(
    "ignore::fairrank.exceptions.SmallGroupWarning",
    "ignore::fairrank.exceptions.NuisanceWarning",
)


def support_of(delta_theta, data=DATA):
    return SupportFunction(
        data.target != 0, data.target != 1, delta_theta,
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )


def fitted(data, n_repeats=3):
    return FrontierEstimator(
        LogisticRegression(C=1e12, solver="newton-cholesky"), n_repeats=n_repeats,
        group_names=("r", "b"), random_state=0,
    ).fit(data.data, data.target, sensitive_features=data.sensitive_features)


@pytest.fixture(scope="module")
def noisy():
    return fitted(DATA)


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from(DIRECTIONS))
def test_the_bias_is_never_negative_and_does_not_hang_on_the_length_of_q(seed, n_repeats, q):
    noise = np.random.default_rng(seed).normal(scale=0.1, size=(n_repeats, 1200, 2))
    supports = [support_of(DATA.delta_theta(DATA.data) + one) for one in noise]
    found = expected_inward_bias(supports, 5, q)
    assert found.bias >= 0.0
    assert expected_inward_bias(supports, 5, 3.0 * np.array(q)).bias == pytest.approx(found.bias)


def test_repeats_that_agree_on_every_sign_show_no_bias():
    delta = DATA.delta_theta(DATA.data)
    found = expected_inward_bias([support_of(delta), support_of(0.5 * delta)], 5, (-1, -1))
    assert found.bias == pytest.approx(0.0, abs=1e-15)


def test_noise_around_the_truth_is_measured_by_what_it_costs():
    # Half of each error is shared, as by folds drawn anew of two: K = 2.
    data = make_frontier_data(40_000, random_state=1)
    rng, delta = np.random.default_rng(2), data.delta_theta(data.data)
    shared, *own = rng.normal(scale=0.03, size=(4, 40_000, 2))
    estimates = [delta + shared + one for one in own]
    supports = [support_of(one, data) for one in estimates]
    theta = delta / data.group_shares
    for q in DIRECTIONS:
        found = expected_inward_bias(supports, 2, q)
        unit = np.array(q) / np.hypot(*q)
        k, mean = theta @ unit, np.mean(estimates, axis=0) / data.group_shares @ unit
        lost = np.mean(np.maximum(k, 0.0) - k * (mean > 0))
        assert found.bias == pytest.approx(lost, rel=0.15)


def test_the_bias_of_fitted_nuisances_is_of_the_size_of_what_they_cost(noisy):
    theta = DATA.delta_theta(DATA.data) / DATA.group_shares
    for q in DIRECTIONS:
        found = noisy.expected_inward_bias(q)
        unit = np.array(q) / np.hypot(*q)
        k = theta @ unit
        decided = noisy.support_function_._sample.scaled @ unit > 0
        lost = np.mean(np.maximum(k, 0.0) - k * decided)
        assert 0.5 * lost <= found.bias <= 2.0 * lost
        assert found.standard_error == noisy.support_functions_[0].standard_error(unit)


def test_the_reading_tells_bias_and_smallest_group(noisy):
    found = noisy.expected_inward_bias("utilitarian")
    size = int(np.sum(DATA.sensitive_features == "b"))
    assert (found.smallest_group, found.smallest_group_size) == ("b", size)
    assert f"{found.bias:.2g}" in str(found)
    assert found.to_dict()["in_standard_errors"] == found.bias / found.standard_error


def test_the_test_for_an_alternative_warns_of_a_material_bias(noisy):
    result = noisy.less_discriminatory_alternative_test(DATA.status_quo(DATA.data), n_draws=39)
    bias = noisy.expected_inward_bias(result.direction)
    assert bias.in_standard_errors > 0.25
    assert any(bias.reading in warning for warning in result.warnings)


def test_a_negligible_bias_is_not_warned_of():
    frontier = fitted(DATA, n_repeats=2)
    known = support_of(DATA.delta_theta(DATA.data))
    frontier.support_function_, frontier.support_functions_ = known, [known, known]
    result = frontier.less_discriminatory_alternative_test(DATA.status_quo(DATA.data), n_draws=39)
    assert not any("inward" in warning for warning in result.warnings)


def test_more_than_two_groups_have_a_bias_in_each_direction():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 300), rng.integers(0, 3, 300)
    supports = [
        SupportFunction(y != 0, y != 1, rng.normal(size=(300, 3)), sensitive_features=group)
        for _ in range(2)
    ]
    assert expected_inward_bias(supports, 5, "utilitarian").bias > 0.0


def test_one_cross_fitting_and_other_rows_are_refused():
    known = support_of(DATA.delta_theta(DATA.data))
    with pytest.raises(ValueError, match="n_repeats=3"):
        expected_inward_bias([known], 5)
    fewer = make_frontier_data(300, random_state=0)
    other = support_of(fewer.delta_theta(fewer.data), fewer)
    with pytest.raises(ValueError, match="different rows"):
        expected_inward_bias([known, other], 5)
