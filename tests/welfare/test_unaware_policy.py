"""The policy that does not see the group: who gains, who loses, and that it is the best one."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.welfare import (
    expected_revenue,
    expected_utility,
    unaware_policy,
    welfare_optimal_policy,
)

EXAMPLE_10 = {
    "y_prob": [2 / 3, 1 / 3, 1 / 3, 2 / 3], "sensitive_features": [0, 0, 1, 1],
    "gain": 2, "loss": 3,
}


@pytest.mark.parametrize(
    "utility", ["demographic_parity", "equal_opportunity", [1.0, 2.0, 0.5, 3.0]]
)
def test_example_10_unawareness_harms_both_groups_and_the_lender(utility):
    unaware = unaware_policy([0.5] * 4, utility=utility, **EXAMPLE_10)
    assert unaware.acceptance.tolist() == [0, 0, 0, 0]
    assert unaware.values.total_revenue == 0
    assert unaware.values.welfare.tolist() == [0, 0]
    assert unaware.unconstrained.acceptance_rate.tolist() == [0.5, 0.5]
    assert unaware.unconstrained.total_revenue == pytest.approx(1 / 6)
    assert unaware.harms_everybody
    assert unaware.harmed_groups == (0, 1)


def test_equal_welfare_in_the_same_example_costs_nobody_anything():
    revenue = expected_revenue(EXAMPLE_10["y_prob"], 2, 3)
    policy = welfare_optimal_policy(revenue, np.ones(4), sensitive_features=[0, 0, 1, 1])
    unaware = unaware_policy([0.5] * 4, policy=policy, **EXAMPLE_10)
    assert unaware.equalizing.welfare.tolist() == [0.5, 0.5]
    assert unaware.equalizing.total_revenue == unaware.unconstrained.total_revenue
    assert unaware.to_table()["policy"] == [
        "unconstrained", "unconstrained", "unaware", "unaware", "equalizing", "equalizing"
    ]


def blind_and_seeing(seed):
    """Cells (x, a) with weights; the blind model is the mean of the other over the groups."""
    rng = np.random.default_rng(seed)
    n_x, n_groups = int(rng.integers(1, 6)), int(rng.integers(2, 4))
    weight = rng.random((n_x, n_groups)) + 0.05
    seeing = rng.integers(0, 9, (n_x, n_groups)) / 8
    blind = (weight * seeing).sum(axis=1) / weight.sum(axis=1)
    group = np.tile(np.arange(n_groups), n_x)
    gain, loss = rng.integers(1, 4, (2, n_x)) / 1.0
    return (
        np.repeat(blind, n_groups), seeing.ravel(), group, weight.ravel(),
        np.repeat(gain, n_groups), np.repeat(loss, n_groups), n_x, n_groups,
    )


@given(st.integers(0, 10**6))
def test_no_policy_of_x_alone_has_a_larger_revenue(seed):
    blind, seeing, group, weight, gain, loss, n_x, n_groups = blind_and_seeing(seed)
    unaware = unaware_policy(
        blind, seeing, sensitive_features=group, sample_weight=weight, gain=gain, loss=loss
    )
    revenue = weight * (gain * seeing - loss * (1 - seeing)) / weight.sum()
    best = max(
        float(revenue @ np.repeat(chosen, n_groups))
        for chosen in itertools.product([0.0, 1.0], repeat=n_x)
    )
    assert unaware.values.total_revenue == pytest.approx(best, abs=1e-12)
    assert unaware.promised_revenue == pytest.approx(best, abs=1e-12)
    assert unaware.price_of_unawareness >= -1e-12


@given(st.integers(0, 10**6))
def test_values_are_sums_over_rows(seed):
    blind, seeing, group, weight, gain, loss, _, n_groups = blind_and_seeing(seed)
    blind = np.random.default_rng(seed).random(blind.size)
    utility = np.random.default_rng(seed + 1).normal(size=(blind.size, 2))
    unaware = unaware_policy(
        blind, seeing, utility, sensitive_features=group, sample_weight=weight, gain=gain,
        loss=loss,
    )
    chosen = (gain * blind > loss * (1 - blind)).astype(float)
    worth = utility[:, 1] * seeing + utility[:, 0] * (1 - seeing)
    for g in range(n_groups):
        rows = group == g
        welfare = np.average((worth * chosen)[rows], weights=weight[rows])
        assert unaware.values.welfare[g] == pytest.approx(welfare, abs=1e-12)
    np.testing.assert_array_equal(unaware.acceptance, chosen)
    promised = np.average(chosen * (gain * blind - loss * (1 - blind)), weights=weight)
    assert unaware.promised_revenue == pytest.approx(promised, abs=1e-12)


def test_nobody_is_accepted_who_brings_nothing():
    unaware = unaware_policy([0.75, 0.76], [0.9, 0.9], sensitive_features=[0, 1], loss=3)
    assert unaware.acceptance.tolist() == [0, 1]


def test_whoever_is_helped_is_named():
    unaware = unaware_policy([0.7, 0.7], [0.9, 0.2], sensitive_features=["a", "b"])
    assert unaware.helped_groups == ("b",)
    assert unaware.harmed_groups == ()
    assert not unaware.harms_everybody
    assert "helped: 'b'" in repr(unaware)


def test_a_policy_that_equalizes_another_scale_is_valued_by_its_own_rule():
    y_prob, group = np.array([0.75, 0.75, 0.25, 1, 0, 0]), [0, 0, 0, 1, 1, 1]
    utility = expected_utility("equal_opportunity", y_prob, sensitive_features=group)
    policy = welfare_optimal_policy(
        expected_revenue(y_prob, 1, 2), utility, sensitive_features=group
    )
    unaware = unaware_policy(
        y_prob, y_prob, "equal_opportunity", sensitive_features=group, gain=1, loss=2,
        policy=policy,
    )
    np.testing.assert_allclose(unaware.equalizing.welfare, [6 / 7, 6 / 7])
    np.testing.assert_allclose(unaware.values.welfare, unaware.unconstrained.welfare)


def test_the_result_as_a_dict_is_ready_for_json():
    out = json.loads(json.dumps(unaware_policy([0.5] * 4, **EXAMPLE_10).to_dict()))
    assert out["harms_everybody"] is True
    assert out["unaware"]["total_revenue"] == 0
    assert "equalizing" not in out


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="y_prob_unaware must be probabilities"):
        unaware_policy([2.0] * 4, **EXAMPLE_10)
    with pytest.raises(ValueError, match="y_prob_unaware has 3"):
        unaware_policy([0.5] * 3, **EXAMPLE_10)
    with pytest.raises(DegenerateGroupError, match="one group"):
        unaware_policy([0.5, 0.5], [0.5, 0.5], sensitive_features=["a", "a"])
    policy = welfare_optimal_policy([0.1, 0.2], [1, 1], sensitive_features=["a", "b"])
    with pytest.raises(UnseenGroupError):
        unaware_policy([0.5] * 4, policy=policy, **EXAMPLE_10)
    menu = welfare_optimal_policy(
        np.ones((4, 2)), np.ones((4, 2)), sensitive_features=[0, 0, 1, 1]
    )
    with pytest.raises(ValueError, match="policy chooses among 3 options"):
        unaware_policy([0.5] * 4, policy=menu, **EXAMPLE_10)


@given(st.integers(0, 10_000))
def test_a_policy_carries_the_unaware_one_beside_it(seed):
    blind, seeing, group, weight, gain, loss, *_ = blind_and_seeing(seed)
    unaware = unaware_policy(
        blind, seeing, sensitive_features=group, gain=gain, loss=loss, sample_weight=weight
    )
    beside = welfare_optimal_policy(
        expected_revenue(seeing, gain, loss), np.ones(blind.size), sensitive_features=group,
        sample_weight=weight, unaware_revenue=expected_revenue(blind, gain, loss),
    )
    assert beside.unaware.to_dict() == unaware.values.to_dict()
    assert beside.to_table()["welfare_unaware"] == unaware.values.welfare.tolist()
    assert beside.to_dict()["unaware"] == unaware.values.to_dict()


@pytest.mark.parametrize("rejected", [0.0, [0.0, 0.5, 0.0, 0.0], None])
def test_the_unaware_choice_among_options_is_the_best_by_its_own_revenue(rejected):
    revenue = np.array([[1.0, 2.0], [-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]])
    expected = np.array([[2.0, 1.0], [-2.0, -1.0], [2.0, 1.0], [-2.0, -1.0]])
    policy = welfare_optimal_policy(
        revenue, [[1.0, 2.0]] * 4, sensitive_features=[0, 0, 1, 1], rejected_utility=rejected,
        unaware_revenue=expected,
    )
    of_the_other = -2.0 if rejected is None else 0.0
    assert policy.unaware.revenue.tolist() == [(1.0 + of_the_other) / 2] * 2


def test_one_option_beside_persons_own_utilities_of_rejection_takes_one_revenue_a_row():
    policy = welfare_optimal_policy(
        [1.0, -1.0, 1.0, -1.0], [2.0, 2.0, 1.0, 1.0], sensitive_features=[0, 0, 1, 1],
        rejected_utility=[0.0, 0.5, 0.0, 0.5], unaware_revenue=[-1.0, 1.0, -1.0, 1.0],
    )
    assert policy.unaware.revenue.tolist() == [-0.5, -0.5]
    assert policy.unaware.welfare.tolist() == [1.0, 0.5]


def test_rows_without_a_group_have_no_part_in_the_unaware_policy():
    policy = welfare_optimal_policy(
        [1.0, 1.0, -1.0, 5.0], [1.0] * 4, sensitive_features=["a", "b", "b", None],
        missing="drop", unaware_revenue=[1.0, 1.0, 1.0, 1.0],
    )
    assert policy.unaware.acceptance_rate.tolist() == [1.0, 1.0]
    assert policy.unaware.total_revenue == pytest.approx(1 / 3)


def test_a_policy_without_an_unaware_revenue_says_nothing_of_it():
    policy = welfare_optimal_policy([1.0, -1.0], [1.0, 1.0], sensitive_features=[0, 1])
    assert policy.unaware is None
    assert policy.to_dict()["unaware"] is None
    assert not [name for name in policy.to_table() if name.endswith("_unaware")]


@pytest.mark.parametrize("wrong", [[1.0], [[1.0, 2.0], [1.0, 2.0]], [np.nan, 1.0]])
def test_an_unaware_revenue_of_another_shape_or_without_a_value_is_refused(wrong):
    with pytest.raises(ValueError, match="unaware_revenue"):
        welfare_optimal_policy(
            [1.0, -1.0], [1.0, 1.0], sensitive_features=[0, 1], unaware_revenue=wrong
        )
