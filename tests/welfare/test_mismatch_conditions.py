"""Theorem 4, Lemma 5 and Corollary 6: what they promise holds, and where they do not is said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank.exceptions import DegenerateGroupError
from fairrank.welfare import mismatch_report, welfare_optimal_policy

SEEDS = st.integers(0, 10**6)


def solved(seed, negative_v=False, held_out=False):
    """An optimal policy of 2-5 groups with u >= 0, and another utility of the same people."""
    rng = np.random.default_rng(seed)
    n_groups = int(rng.integers(2, 6))
    n = int(rng.integers(3 * n_groups, 60))
    group = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, n - n_groups)])
    coarse = rng.random() < 0.5
    revenue = rng.integers(-3, 4, n) / 2 if coarse else rng.normal(size=n) + 0.3 * group
    u, v = (rng.integers(0, 3, (2, n)) / 1.0) if coarse else rng.random((2, n))
    u[:n_groups] = 1.0
    if negative_v:
        v = v - 0.5 * rng.random(n)
    weight = rng.random(n) + 0.1 if rng.random() < 0.5 else None
    tolerance = float(rng.choice([0.0, 0.0, 0.05, 0.3]))
    policy = welfare_optimal_policy(
        revenue, u, sensitive_features=group, sample_weight=weight, tolerance=tolerance
    )
    if held_out:
        revenue, u = rng.permutation(revenue), rng.permutation(u)
    return mismatch_report(
        policy, v, y_prob=np.full(n, 0.5), revenue=revenue, assumed_utility=u,
        sensitive_features=group, sample_weight=weight, confidence_level=None,
    )


@given(SEEDS, st.booleans())
def test_a_group_that_does_not_fall_in_u_keeps_its_welfare_in_v(seed, held_out):
    report = solved(seed, held_out=held_out)
    one = report.underlying["underlying utility"]
    for g, guarantee in enumerate(one.guarantees):
        if guarantee.raised:
            assert guarantee.n_dropped == 0  # Lemma 5
            assert guarantee.applies
            assert one.welfare.change[g] >= 0
            assert one.welfare.verdict[g] in ("helped", "unchanged")


def test_raised_groups_are_not_rare():
    moved = [
        any(one.raised and one.n_changed for one in report.underlying[name].guarantees)
        for report in map(solved, range(300))
        for name in report.underlying
    ]
    assert sum(moved) > 150


@given(SEEDS)
def test_where_the_theorem_applies_nobody_is_harmed_even_with_utilities_of_both_signs(seed):
    one = solved(seed, negative_v=True).underlying["underlying utility"]
    for g, guarantee in enumerate(one.guarantees):
        total = guarantee.from_admitted + guarantee.from_dropped
        assert total == pytest.approx(one.welfare.change[g], abs=1e-12)
        if guarantee.applies:
            assert one.welfare.verdict[g] in ("helped", "unchanged")
        elif guarantee.raised:
            assert guarantee.n_negative_underlying > 0


def test_an_approval_that_harms_is_said_to_break_the_theorem():
    group = ["a"] * 4 + ["b"] * 5
    revenue = [0.5, 0.4, 0.3, 0.2, 0.5, -0.01, -0.02, -0.03, -9]
    policy = welfare_optimal_policy(
        revenue, np.ones(9), sensitive_features=group, tolerance=0.2
    )
    assert policy.raised_groups == ("b",)
    report = mismatch_report(
        policy, {"own": [1, 1, 1, 1, 3, -0.5, -0.5, -0.5, -9]}, y_prob=[0.5] * 9,
        revenue=revenue, assumed_utility=np.ones(9), sensitive_features=group,
        confidence_level=None,
    )
    guarantee = report.underlying["own"].guarantees[1]
    assert guarantee.raised
    assert not guarantee.applies
    assert guarantee.n_negative_underlying == guarantee.n_changed == 3
    assert guarantee.n_dropped == 0
    assert report.underlying["own"].agreement.agree
    assert report.harmed_groups("own") == ("b",)
    text = " ".join(report.summary().split())
    assert (
        "Theorem 4 does not protect group b: own is negative for 3 of the 3 whose decision "
        "changes, over all of whom welfare changes by -0.3000." in text
    )


def test_a_negative_assumed_utility_is_said_to_break_lemma_5():
    # To raise group b the lender takes the loan from a person whom it is assumed to harm.
    group = ["a", "a", "b", "b"]
    revenue, u = [0.9, 0.8, 0.9, 0.01], [1.0, 1.0, 1.0, -1.0]
    policy = welfare_optimal_policy(revenue, u, sensitive_features=group)
    assert policy.raised_groups == ("b",)
    report = mismatch_report(
        policy, "demographic_parity", y_prob=[0.5] * 4, revenue=revenue, assumed_utility=u,
        sensitive_features=group, confidence_level=None,
    )
    one = report.underlying["demographic_parity"]
    assert one.guarantees[1].n_negative_assumed == 1
    assert one.guarantees[1].n_dropped == 1
    assert not one.guarantees[1].applies
    assert one.welfare.verdict[1] == "harmed"
    text = " ".join(report.summary().split())
    assert (
        "Theorem 4 does not protect group b: what is equalized is negative for 1 of its members; "
        "1 of its members is accepted less than before." in text
    )


@given(SEEDS)
def test_corollary_6_without_units_makes_the_utilities_agree(seed):
    rng = np.random.default_rng(seed)
    group = np.concatenate([[0, 1, 2], rng.integers(0, int(rng.integers(2, 4)), 30)])
    p = rng.random(group.size) * (1 - 0.3 * group)
    u = rng.random(group.size) + 0.2
    v = float(rng.uniform(0.01, 100)) * u * rng.uniform(0.6, 1, group.size)
    report = mismatch_report(
        np.ones(group.size), v, y_prob=p, assumed_utility=u, sensitive_features=group,
        confidence_level=None, gain=1, loss=1,
    )
    agreement = report.underlying["underlying utility"].agreement
    accepted = p > 0.5
    ratio = v[accepted] / u[accepted]
    if not accepted.any():
        assert np.isnan(agreement.smallest_ratio)
        assert not agreement.scale_free_satisfied
        return
    assert agreement.scale_free_bound == pytest.approx(ratio.min() / ratio.max())
    if agreement.scale_free_satisfied:
        assert agreement.agree


@given(SEEDS)
def test_corollary_6_as_the_paper_has_it_makes_the_utilities_agree(seed):
    rng = np.random.default_rng(seed)
    group = np.concatenate([[0, 1], rng.integers(0, 2, 20)])
    p = rng.random(group.size) * (1 - 0.4 * group)
    u = rng.random((group.size, 2)) + 0.2
    v = u * rng.uniform(0.7, 1.4, u.shape)
    report = mismatch_report(
        np.ones(group.size), v, y_prob=p, assumed_utility=u, sensitive_features=group,
        confidence_level=None, gain=1, loss=1,
    )
    agreement = report.underlying["underlying utility"].agreement
    ratio = v / u
    assert agreement.alpha == pytest.approx(max(ratio.max(), 1 / ratio.min(), 1.0))
    if agreement.literal_satisfied:
        assert agreement.agree
        assert agreement.scale_free_satisfied


def test_the_corollaries_are_met_often_enough_to_be_tested():
    def agreement(seed):
        rng = np.random.default_rng(seed)
        group = np.arange(40) % 2
        p = rng.random(40) * (1 - 0.4 * group)
        u = rng.random((40, 2)) + 0.2
        return mismatch_report(
            np.ones(40), u * rng.uniform(0.7, 1.4, u.shape), y_prob=p, assumed_utility=u,
            sensitive_features=group, confidence_level=None, gain=1, loss=1,
        ).underlying["underlying utility"].agreement

    found = [agreement(seed) for seed in range(200)]
    assert sum(one.literal_satisfied for one in found) > 20
    assert sum(one.scale_free_satisfied for one in found) > 60


def test_equal_opportunity_has_no_literal_alpha_and_a_scale_free_one():
    rng = np.random.default_rng(0)
    group = np.arange(400) % 2
    p = rng.random(400) * (1 - 0.45 * group)
    report = mismatch_report(
        np.ones(400), "demographic_parity", y_prob=p, sensitive_features=group,
        assumed_utility="equal_opportunity", gain=1, loss=1,
    )
    agreement = report.underlying["demographic_parity"].agreement
    assert agreement.alpha == np.inf
    assert agreement.literal_bound == 0.0
    assert not agreement.literal_satisfied
    assert agreement.scale_free_satisfied
    assert agreement.agree
    assert agreement.determined


def test_0_over_0_is_skipped_and_0_over_something_is_not():
    known = {
        "y_prob": [0.9, 0.9, 0.9, 0.9], "sensitive_features": list("aabb"),
        "confidence_level": None, "gain": 1, "loss": 1,
    }

    def ratios(u, v):
        report = mismatch_report([1, 1, 1, 1], v, assumed_utility=u, **known)
        one = report.underlying["underlying utility"].agreement
        return one.smallest_ratio, one.largest_ratio

    assert ratios([0, 1, 1, 2], [0, 2, 2, 2]) == (1.0, 2.0)
    assert ratios([0, 1, 1, 2], [1, 2, 2, 2]) == (1.0, np.inf)
    assert ratios([-1, 1, 1, 2], [1, 2, 2, 2]) == (-np.inf, np.inf)


def test_a_tie_names_nobody_and_agrees_with_nobody():
    report = mismatch_report(
        [1, 0, 1, 0], "demographic_parity", y_prob=[0.9, 0.1, 0.8, 0.2],
        sensitive_features=list("aabb"), assumed_utility="demographic_parity", gain=1, loss=1,
    )
    agreement = report.underlying["demographic_parity"].agreement
    assert agreement.agree is None
    assert not agreement.determined
    assert "No group alone is the lowest" in report.summary()


def test_utilities_that_name_different_groups_are_said_to_disagree():
    report = mismatch_report(
        [1, 0, 1, 0], [1.0, 1.0, 9.0, 1.0], y_prob=[0.9, 0.8, 0.8, 0.2],
        sensitive_features=list("aabb"), assumed_utility="demographic_parity",
        confidence_level=None, gain=1, loss=1,
    )
    assert report.underlying["underlying utility"].agreement.agree is False
    assert "The utilities disagree on who is disadvantaged: group b" in report.summary()
    with pytest.raises(DegenerateGroupError, match="y_prob: group 'b'"):
        mismatch_report(
            [1, 0], "equal_opportunity", y_prob=[0.9, 0.0], sensitive_features=["a", "b"],
            assumed_utility="demographic_parity", gain=1, loss=1,
        )
