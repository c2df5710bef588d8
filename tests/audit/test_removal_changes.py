"""FC as the paper defines it, and intervals and p-values that agree with each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank.audit._removal_changes import (
    change_interval,
    change_pvalue,
    contribution_interval,
    fairness_change_interval,
    fairness_contribution,
)


@pytest.mark.parametrize(
    ("full", "without", "expected"),
    [
        (0.6, 0.8, 0.5), (0.8, 0.6, -0.25), (0.7, 0.7, 0.0), (0.5, 1.0, 1.0), (-0.5, 0.25, 0.5),
        (-1.0, -0.5, 0.25), (0.0, 0.0, 0.0), (1.0, 1.0, 0.0),
        # Nothing of a score that is not positive can be lost in part.
        (0.5, 0.0, np.nan), (0.5, -0.1, np.nan), (-0.1, -0.2, np.nan), (0.0, -0.1, np.nan),
        (np.nan, 0.5, np.nan), (0.5, np.nan, np.nan),
    ],
)
def test_fc_is_a_part_of_the_gap_or_of_the_score(full, without, expected):
    assert fairness_contribution(full, without) == pytest.approx(expected, nan_ok=True)


def test_fc_of_the_published_numbers():
    # HMDA New York, loan purpose removed: RGF of the full models and its changes.
    full = np.array([0.6630, 0.6705, 0.6573, 0.6559])
    change = np.array([0.0268, 0.0834, 0.0127, 0.0172])
    published = np.array([0.0796, 0.2530, 0.0371, 0.0499])
    assert fairness_contribution(full, full + change) == pytest.approx(published, abs=2e-4)


scores = st.floats(-1.0, 1.0)


@given(scores, scores, scores)
def test_fc_grows_with_the_score_without_the_feature(full, one, other):
    low, high = sorted([one, other])
    parts = fairness_contribution(full, np.array([low, high]))
    assert np.isnan(parts).any() or parts[0] <= parts[1]


def test_the_hull_holds_both_intervals():
    draws = np.linspace(-1.0, 3.0, 401)
    assert change_interval(2.0, draws, 0.9, hull=False) == pytest.approx((-0.8, 2.8))
    assert change_interval(2.0, draws, 0.9, hull=True) == pytest.approx((-0.8, 4.8))


def test_undefined_draws_are_left_out_and_too_few_give_nan():
    draws = np.array([np.nan, 1.0, 2.0, 3.0])
    assert change_interval(2.0, draws, 0.5, hull=False) == pytest.approx((1.5, 2.5))
    assert np.isnan(change_interval(2.0, np.array([np.nan, 1.0]), 0.9, hull=False)).all()
    assert np.isnan(change_interval(np.nan, np.array([1.0, 2.0]), 0.9, hull=True)).all()
    assert np.isnan(change_pvalue(0.0, np.array([np.nan])))


def test_a_small_p_goes_with_an_interval_that_leaves_out_0():
    rng = np.random.default_rng(0)
    for shift in np.linspace(-4.0, 4.0, 41):
        draws = rng.gamma(2.0, size=999) - 2.0 + shift
        low, high = change_interval(shift, draws, 0.95, hull=True)
        pvalue = change_pvalue(shift, draws)
        if not 0.03 < pvalue < 0.07:
            assert (pvalue < 0.05) == (low > 0 or high < 0)


def even(low, high):
    """Draws that fill an interval."""
    return np.linspace(low, high, 2001)


@pytest.mark.parametrize(
    ("full", "without", "moved"),
    [
        # (score, lower and upper draw) of both models; by how much the two ends move.
        ((0.8, 0.75, 0.85), (0.9, 0.85, 0.95), (0.0, 0.0)),
        ((0.8, 0.75, 0.85), (0.96, 0.85, 0.99), (0.0, 0.04)),  # 1 by the basic interval
        ((0.97, 0.9, 1.0), (0.8, 0.75, 0.85), (0.03, 0.0)),
        ((0.97, 0.9, 1.0), (0.98, 0.92, 1.0), (0.03, 0.02)),
    ],
    ids=["neither", "the reduced model", "the full model", "both"],
)
def test_an_end_moves_by_what_a_model_that_may_be_fair_falls_short(full, without, moved):
    scores, draws = (full[0], without[0]), (even(*full[1:])[::-1], even(*without[1:]))
    hull = change_interval(scores[1] - scores[0], draws[1] - draws[0], 0.95, hull=True)
    low, high = fairness_change_interval(*scores, *draws, 0.95)
    assert (hull[0] - low, high - hull[1]) == pytest.approx(moved)


def test_an_end_that_0_lies_beyond_does_not_move():
    full, without = even(0.90, 1.0), even(0.92, 1.0)
    hull = change_interval(0.04, without - full, 0.95, hull=True)
    assert hull[0] > 0
    low, high = fairness_change_interval(0.94, 0.98, full, without, 0.95)
    assert low == hull[0]
    assert high == pytest.approx(hull[1] + 0.02)


def test_a_change_without_draws_has_no_interval():
    none = np.array([np.nan])
    assert np.isnan(fairness_change_interval(0.9, 0.95, none, none, 0.95)).all()
    assert np.isnan(fairness_change_interval(0.9, np.nan, even(0, 1), even(0, 1), 0.95)).all()


@pytest.mark.statistical
@pytest.mark.parametrize("unfairness", [3.0, 10.0])
def test_intervals_cover_a_removal_that_makes_a_model_fair(unfairness):
    """Distances from a point in the plane: 0 without the feature, estimated above it."""
    rng = np.random.default_rng(0)
    truth = 0.01 * np.array([[unfairness, 0.0], [0.0, 0.0]])
    n_runs, covered = 500, {"hull": 0, "fairrank": 0}
    for _ in range(n_runs):
        point = truth + rng.normal(0, 0.01, (2, 2))
        drawn = point + rng.normal(0, 0.01, (400, 2, 2))
        score = 1.0 - np.hypot(*point.T)
        draws = 1.0 - np.hypot(drawn[..., 0], drawn[..., 1])
        change, changes = score[1] - score[0], draws[:, 1] - draws[:, 0]
        found = {
            "hull": change_interval(change, changes, 0.95, hull=True),
            "fairrank": fairness_change_interval(*score, *draws.T, 0.95),
        }
        for name, (low, high) in found.items():
            covered[name] += low <= 0.01 * unfairness <= high
    assert covered["fairrank"] >= 0.93 * n_runs
    assert covered["hull"] < covered["fairrank"]


def test_no_change_at_all_has_p_1():
    assert change_pvalue(0.0, np.zeros(100)) == 1.0


def test_fc_leaves_0_out_where_the_change_does():
    full, without = np.full(200, 0.9), np.linspace(0.91, 0.95, 200)
    parts = fairness_contribution(full, without)
    low, high = contribution_interval(0.9, 0.005, 0.06, parts, 0.95)
    assert (low, high) == pytest.approx((0.05, 0.6))
    low, high = contribution_interval(0.9, -0.09, 0.06, parts, 0.95)
    assert (low, high) == pytest.approx((-0.1, 0.6))
    assert contribution_interval(0.9, -0.01, 0.3, parts, 0.95)[1] == 1.0
    assert np.isnan(contribution_interval(0.9, np.nan, np.nan, parts, 0.95)).all()
