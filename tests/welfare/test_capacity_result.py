"""A policy that a capacity binds is net of a price, and says so where it would be misread."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from fairrank.welfare import (
    WelfareDisplay,
    WelfareEqualizingClassifier,
    capacity_constrained_policy,
    expected_revenue,
    mismatch_report,
    unaware_policy,
    welfare_optimal_policy,
)


def test_a_policy_net_of_a_price_is_not_applied_to_unpriced_revenue():
    revenue, group = [0.5, 0.2, 0.3, -0.6], list("aabb")
    found = capacity_constrained_policy(revenue, [1] * 4, sensitive_features=group, capacity=0.25)
    assert found.policy.capacity_price == found.shadow_price > 0
    with pytest.raises(ValueError, match=r"capacity binds.*CapacityPolicy.acceptance_probability"):
        found.policy.acceptance_probability(revenue, [1] * 4, sensitive_features=group)
    np.testing.assert_allclose(
        found.acceptance_probability(revenue, [1] * 4, sensitive_features=group),
        found.policy.acceptance,
    )


def test_a_mixture_at_a_price_of_0_is_not_applied_without_its_parts():
    group, utility = list("aabb"), [1, -1, 1, -1]
    found = capacity_constrained_policy([0] * 4, utility, sensitive_features=group, capacity=0.1)
    assert found.policy.capacity_price == 0.0
    with pytest.raises(ValueError, match="capacity binds"):
        found.policy.acceptance_probability([0] * 4, utility, sensitive_features=group)


def test_an_ample_capacity_leaves_a_policy_that_can_be_applied():
    revenue, group = [0.5, 0.2, 0.3, -0.6], list("aabb")
    found = capacity_constrained_policy(revenue, [1] * 4, sensitive_features=group, capacity=1.0)
    assert found.policy.capacity_price is None
    again = found.policy.acceptance_probability(revenue, [1] * 4, sensitive_features=group)
    np.testing.assert_array_equal(again, found.policy.acceptance)
    alone = welfare_optimal_policy(revenue, [1] * 4, sensitive_features=group)
    assert alone.capacity_price is None


def test_nothing_else_applies_a_policy_net_of_a_price():
    p, group = np.array([0.9, 0.6, 0.8, 0.3]), list("aabb")
    found = capacity_constrained_policy(
        expected_revenue(p, 1.0, 1.0), np.ones(4), sensitive_features=group, capacity=0.25
    )
    with pytest.raises(ValueError, match="capacity binds"):
        mismatch_report(
            found.policy, "equal_opportunity", y_prob=p, sensitive_features=group,
            assumed_utility="demographic_parity", gain=1.0, loss=1.0,
        )
    with pytest.raises(ValueError, match="capacity binds"):
        unaware_policy(
            p, p, "demographic_parity", sensitive_features=group, policy=found.policy,
            gain=1.0, loss=1.0,
        )
    with pytest.raises(ValueError, match=r"capacity binds.*frontiers"):
        WelfareDisplay.from_policy(found.policy)


@pytest.mark.parametrize("smoothing", [0.0, 0.7])
def test_a_lender_within_a_capacity_says_that_it_decides_itself(smoothing):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), rng.random(400) < 0.5])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 0.5).astype(int)
    bank = WelfareEqualizingClassifier(
        LogisticRegression(), sensitive_features=1, capacity=0.05, smoothing=smoothing,
        random_state=0,
    ).fit(X, y)
    assert bank.policy_.capacity_price == bank.shadow_price_ > 0
    assert bank.policy_.acceptance.mean() == pytest.approx(0.05)
    with pytest.raises(ValueError, match="that of the fitted estimator"):
        bank.policy_.acceptance_probability(y, y, sensitive_features=X[:, 1])
    accepted = bank.acceptance_probability(X)
    assert ((accepted >= 0) & (accepted <= 1)).all()
    assert accepted.mean() == pytest.approx(0.05, abs=0.02)


def test_what_was_found_is_ready_for_json():
    found = capacity_constrained_policy(
        [0.5, 0.2, 0.3, -0.6], [1] * 4, sensitive_features=[0, 0, 1, 1], capacity=0.25
    )
    read = json.loads(json.dumps(found.to_dict()))
    assert read["policy"] == json.loads(json.dumps(found.policy.to_dict()))
    assert read["policy"]["table"]["group"] == ["0", "1"]
    assert (read["used"], read["shadow_price"]) == (found.used, found.shadow_price)
