"""Numbers that the paper and FICO's tables give, from the public functions."""

import numpy as np
import pytest

import oracles_welfare as oracles
from fairrank.datasets import load_fico
from fairrank.welfare import expected_revenue, expected_utility, welfare_optimal_policy


def policy_of(loans, utility):
    return welfare_optimal_policy(
        expected_revenue(loans.p, loans.gain, loans.loss),
        expected_utility(
            utility, loans.p, sensitive_features=loans.group, sample_weight=loans.weight
        ),
        sensitive_features=loans.group, sample_weight=loans.weight,
    )


@pytest.mark.parametrize("example", [oracles.example_three, oracles.example_nine])
def test_equal_opportunity_in_the_papers_examples(example):
    loans, known = example()
    policy = policy_of(loans, "equal_opportunity")
    assert policy.acceptance == pytest.approx(known["acceptance"])
    assert policy.welfare == pytest.approx(known["welfare"])
    assert policy.revenue == pytest.approx(known["revenue"])
    assert policy.unconstrained.total_revenue == pytest.approx(known["unconstrained_revenue"])


def test_example_ten_asks_nothing_of_a_lender_who_sees_the_group():
    loans, _ = oracles.example_ten()
    for utility in ("demographic_parity", "equal_opportunity"):
        policy = policy_of(loans, utility)
        assert policy.price_of_fairness == pytest.approx(0)
        assert policy.raised_groups == policy.lowered_groups == ()


@pytest.mark.parametrize("loss", [1, 3, 5, 10])
@pytest.mark.parametrize("utility", ["demographic_parity", "equal_opportunity"])
def test_prices_of_fairness_on_fico_scores(utility, loss):
    fico = load_fico()
    loans = oracles.fico_loans(fico.mass, fico.default_rate, fico.totals, fico.groups, loss)
    policy = policy_of(loans, utility)
    printed = oracles.FICO_PRICES[utility][loss]
    assert round(100 * policy.relative_price_of_fairness, 1) == printed
    assert set(policy.raised_groups) == set(oracles.FICO_RAISED)
    assert set(policy.lowered_groups) == set(oracles.FICO_LOWERED)
    assert np.ptp(policy.welfare) < 1e-12
