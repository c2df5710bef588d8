"""Rows by falling and by rising score, against numpy's stable sort."""

import numpy as np
import pytest
from fairrank._kernels.best_first import best_first, least_first
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

finite = st.floats(allow_nan=False, allow_infinity=False)
few = st.sampled_from([-1.5, -0.0, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e300])
scores = st.lists(finite, max_size=40) | st.lists(few, max_size=40)


def assert_falling_and_stable(score):
    assert_array_equal(best_first(score), np.argsort(-score, kind="stable"))
    assert_array_equal(least_first(score), np.argsort(score, kind="stable"))


@given(scores.map(lambda values: np.array(values, dtype=float)))
def test_rows_fall_in_score_and_ties_stay_as_they_came(score):
    assert_falling_and_stable(score)


@pytest.mark.parametrize(
    "spread",
    [
        pytest.param(lambda x: x, id="on both sides of 0"),
        pytest.param(lambda x: np.exp(20.0 * x), id="over many binades"),
        pytest.param(lambda x: 1e9 + x, id="in one binade"),
        pytest.param(lambda x: x.round(2), id="tied"),
        pytest.param(np.zeros_like, id="all tied"),
    ],
)
def test_many_rows_fall_in_score(spread):
    assert_falling_and_stable(spread(np.random.default_rng(0).normal(size=20_000)))


@pytest.mark.parametrize("apart", [1e-7, 1e-12])
def test_scores_that_their_leading_bits_leave_together_fall_too(apart):
    near_one = 1.0 + apart * np.random.default_rng(0).permutation(5000)
    # The far one makes the leading bits those of sign and exponent: the others share them, and at
    # 1e-12 all bits there is room for.
    assert_falling_and_stable(np.append(near_one, -1e300))
    assert_falling_and_stable(np.append(np.sort(near_one)[::-1], -1e300))


def test_scores_may_be_read_only():
    score = np.array([0.1, 0.3, 0.2])
    score.setflags(write=False)
    assert best_first(score).tolist() == [1, 2, 0]
    assert least_first(score).tolist() == [0, 2, 1]
