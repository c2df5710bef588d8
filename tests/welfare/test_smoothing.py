"""The smoothed policy: its closed form, its welfare, and what an error in its inputs moves."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles_welfare as oracles
from fairrank.welfare import welfare_optimal_policy
from strategies_welfare import problems

smooth = problems(n_options=(1, 1), nonnegative=True, rejected=("zero",))


@given(problem=smooth, kappa=st.sampled_from([0.01, 0.1, 0.5]))
def test_smoothed_welfares_agree(problem, kappa):
    counted = problem.weight is None or (np.asarray(problem.weight) > 0)
    assume(np.abs(problem.revenue[np.broadcast_to(counted, problem.revenue.shape)]).max() > 0)
    policy = welfare_optimal_policy(
        problem.revenue, problem.utility, sensitive_features=problem.group,
        sample_weight=problem.weight, tolerance=problem.tolerance, smoothing=kappa,
    )
    value = oracles.policy_value(
        policy.acceptance, problem.revenue, problem.utility, problem.group, problem.weight
    )
    assert np.ptp(value.welfare) <= problem.tolerance + 1e-7
    scale = 1 + np.abs(policy.multiplier).max()
    assert policy.share @ policy.multiplier == pytest.approx(0, abs=1e-6 * scale)


@given(problem=smooth)
def test_nobody_accepted_before_is_rejected_where_the_multiplier_is_not_positive(problem):
    assume((problem.revenue != 0).any() and problem.weight is None)
    policy = welfare_optimal_policy(
        problem.revenue, problem.utility, sensitive_features=problem.group, smoothing=0.1
    )
    raised = policy.multiplier[np.searchsorted(np.unique(problem.group), problem.group)] <= 0
    assert (policy.acceptance[raised & (problem.revenue > 0)] == 1).all()


def test_a_little_smoothing_costs_a_little():
    rng = np.random.default_rng(0)
    revenue, group = rng.normal(size=2000), rng.integers(0, 2, 2000)
    revenue -= 0.5 * group
    sharp = welfare_optimal_policy(revenue, np.ones(2000), sensitive_features=group)
    lost = [
        sharp.revenue
        - welfare_optimal_policy(
            revenue, np.ones(2000), sensitive_features=group, smoothing=kappa
        ).revenue
        for kappa in (0.001, 0.01, 0.1)
    ]
    assert 0 <= lost[0] < lost[1] < lost[2] < 0.05


def test_an_error_in_revenue_moves_a_smoothed_decision_little():
    # Everybody at the cut: without smoothing an error of 1e-6 turns their decisions over.
    rng = np.random.default_rng(1)
    revenue = np.r_[np.full(500, 0.1), rng.normal(size=500) - 0.2]
    group = np.repeat([0, 1], 500)
    error = rng.uniform(-1e-6, 1e-6, 1000)

    def moved(smoothing):
        policy = welfare_optimal_policy(
            revenue, np.ones(1000), sensitive_features=group, smoothing=smoothing
        )
        return np.abs(
            policy.acceptance_probability(
                revenue + error, np.ones(1000), sensitive_features=group
            ) - policy.acceptance
        ).max()

    assert moved(0.0) > 0.1
    assert moved(0.1) < 1e-5


def test_negative_utilities_and_menus_are_refused():
    with pytest.raises(ValueError, match="smoothing needs utilities of at least"):
        welfare_optimal_policy([1, 1], [1, -1], sensitive_features=[0, 1], smoothing=0.1)
    with pytest.raises(ValueError, match="smoothing is defined for accepting or rejecting"):
        welfare_optimal_policy(
            np.ones((2, 2)), np.ones((2, 2)), sensitive_features=[0, 1], smoothing=0.1
        )
    with pytest.raises(ValueError, match="leave method at 'sweep'"):
        welfare_optimal_policy(
            [1, 1], [1, 1], sensitive_features=[0, 1], smoothing=0.1, method="linprog"
        )
