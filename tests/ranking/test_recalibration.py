"""Probabilities from fair scores: strictly increasing, near the frequencies, stable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from fairrank.ranking._recalibration import STRICT, recalibration


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.booleans(), st.integers(0, 3)), min_size=2, max_size=60
    )
)
def test_it_increases_strictly_within_bounds_and_crosses_one_half_at_the_cut(rows):
    score, outcome, weight = (np.array(column) for column in zip(*rows))
    if len(set(outcome[weight > 0])) < 2:
        return
    curve = recalibration(score / 1000.0, outcome.astype(np.uint8), weight)
    at = np.linspace(0.0, 1.0, 1001)
    p = curve(at)
    assert (np.diff(p) > 0).all()
    assert p.min() >= 0.0
    assert p.max() <= 1.0
    np.testing.assert_array_equal(at > curve.cut, p > 0.5)


def test_it_finds_the_curve_the_outcomes_were_drawn_from():
    rng = np.random.default_rng(0)
    score = rng.random(20_000)
    truth = expit(6.0 * score - 4.0)
    curve = recalibration(score, (rng.random(20_000) < truth).astype(np.uint8), None)
    at = np.linspace(0.05, 0.95, 19)
    assert curve(at) == pytest.approx(expit(6.0 * at - 4.0), abs=0.06)


def test_scores_at_the_ends_of_the_scale_do_not_bend_the_middle():
    # Naive Bayes gives 1e-20 where a logistic curve gives 0.12: logarithms would part the groups.
    score = np.repeat([1e-20, 0.12, 0.9, 1.0], 50)
    outcome = np.repeat([0, 0, 1, 1], 50).astype(np.uint8)
    p = recalibration(score, outcome, None)(np.array([0.0, 0.12, 0.9, 1.0]))
    assert (p[:2] < 0.02).all()
    assert (p[2:] > 0.98).all()


def test_whole_weights_are_repetitions_and_masses_have_no_scale():
    rng = np.random.default_rng(1)
    score, outcome = rng.random(200).round(2), rng.integers(0, 2, 200).astype(np.uint8)
    times = rng.integers(0, 4, 200)
    again = np.repeat(np.arange(200), times)
    at = np.linspace(0.0, 1.0, 101)
    weighted = recalibration(score, outcome, times)(at)
    repeated = recalibration(score[again], outcome[again], None)(at)
    np.testing.assert_allclose(weighted, repeated, atol=1e-12)
    mass = rng.random(200)
    np.testing.assert_allclose(
        recalibration(score, outcome, mass)(at), recalibration(score, outcome, 7.0 * mass)(at),
        atol=1e-12,
    )


def test_a_single_row_at_either_end_does_not_bend_the_rest():
    score = np.linspace(0.0, 1.0, 400)
    outcome = (np.arange(400) % 2).astype(np.uint8)
    p = recalibration(score, outcome, None)(score)
    assert p[1:-1] == pytest.approx(0.5, abs=STRICT)
    assert p[[0, -1]] == pytest.approx([0.25, 0.75], abs=STRICT)
