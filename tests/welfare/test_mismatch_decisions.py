"""Decisions that the mismatch report compares: under which terms, and against which lender."""

import numpy as np
import pytest

from fairrank.welfare import (
    capacity_constrained_policy,
    expected_revenue,
    mismatch_report,
    unaware_policy,
    welfare_optimal_policy,
)

GROUP = np.array(list("aaaabbbb"))
Y_PROB = np.array([0.95, 0.9, 0.85, 0.2, 0.9, 0.6, 0.4, 0.1])
KNOWN = {
    "y_prob": Y_PROB, "sensitive_features": GROUP, "assumed_utility": "demographic_parity",
    "confidence_level": None,
}
REVENUE = expected_revenue(Y_PROB, 1.0, 3.0)


def policy_at_three():
    return welfare_optimal_policy(REVENUE, np.ones(8), sensitive_features=GROUP)


@pytest.mark.parametrize("given", [{}, {"gain": 1.0}, {"loss": 3.0}])
@pytest.mark.parametrize("decided", [policy_at_three, lambda: policy_at_three().acceptance])
def test_terms_that_the_policy_may_not_have_been_made_with_are_not_assumed(given, decided):
    with pytest.raises(ValueError, match=r"pass gain and loss.*or revenue"):
        mismatch_report(decided(), "demographic_parity", **KNOWN, **given)


def test_revenue_beside_gain_or_loss_is_refused():
    with pytest.raises(ValueError, match="revenue and loss are both given"):
        mismatch_report(
            policy_at_three(), "demographic_parity", revenue=REVENUE, loss=3.0, **KNOWN
        )


def test_the_price_is_the_policy_s_own_where_the_terms_are():
    policy = policy_at_three()
    report = mismatch_report(policy, "demographic_parity", gain=1.0, loss=3.0, **KNOWN)
    assert report.revenue.price == pytest.approx(policy.price_of_fairness)


def test_a_policy_beside_the_blind_one_needs_its_terms_too():
    asked = {"sensitive_features": GROUP, "policy": policy_at_three()}
    with pytest.raises(ValueError, match="pass gain and loss"):
        unaware_policy(Y_PROB, Y_PROB, **asked)
    valued = unaware_policy(Y_PROB, Y_PROB, gain=1.0, loss=3.0, **asked)
    assert valued.equalizing.total_revenue == pytest.approx(policy_at_three().revenue)
    alone = unaware_policy(Y_PROB, Y_PROB, sensitive_features=GROUP)
    assert alone.promised_revenue == pytest.approx(np.maximum(2 * Y_PROB - 1, 0).mean())


def under_a_capacity():
    found = capacity_constrained_policy(
        REVENUE, np.ones(8), sensitive_features=GROUP, capacity=0.25
    )
    return found, found.free_rule.acceptance(REVENUE, 1.0)


def test_a_capacity_is_not_blamed_on_equality():
    found, free = under_a_capacity()
    asked = {"gain": 1.0, "loss": 3.0, **KNOWN}
    blamed = mismatch_report(found.policy.acceptance, "demographic_parity", **asked)
    fair = mismatch_report(
        found.policy.acceptance, "demographic_parity", unconstrained=free, **asked
    )
    own = found.policy.unconstrained
    assert fair.assumed.unconstrained == pytest.approx(own.welfare)
    assert fair.revenue.unconstrained == pytest.approx(own.total_revenue)
    assert fair.revenue.price == pytest.approx(found.policy.price_of_fairness)
    assert blamed.revenue.price > fair.revenue.price + 0.1
    assert blamed.assumed.verdict == ("harmed", "unchanged")
    assert fair.assumed.verdict == ("harmed", "helped")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 0], "unconstrained has 2"),
        ([1, 0, 0, 0, 0, 0, 0, 1.5], "unconstrained has values from 0 to 1.5"),
        ([1, 0, 0, 0, 0, 0, 0, np.nan], "unconstrained"),
    ],
)
def test_acceptance_without_the_condition_is_checked(given, message):
    with pytest.raises(ValueError, match=message):
        mismatch_report(
            np.ones(8), "demographic_parity", unconstrained=given, gain=1, loss=3, **KNOWN
        )


def test_a_policy_found_under_a_capacity_is_asked_for_as_probabilities():
    found, _ = under_a_capacity()
    with pytest.raises(TypeError, match=r"found under a capacity.*probabilities"):
        mismatch_report(found, "demographic_parity", gain=1, loss=3, **KNOWN)
