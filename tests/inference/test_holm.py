"""Adjusted p-values against the step-down rule by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles
from fairrank.inference import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_step_down_rule(pvalues):
    assert_allclose(holm(np.array(pvalues)), oracles.holm(pvalues), rtol=1e-15)


def test_holm_does_not_count_what_is_undefined():
    adjusted = holm(np.array([0.01, np.nan, 0.03]))
    assert_allclose(adjusted, [0.02, np.nan, 0.03])


def test_no_test_has_no_adjusted_pvalue():
    assert holm([]).shape == (0,)
    assert np.isnan(holm([np.nan, np.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_the_tests_does_not_matter(pvalues, random):
    order = list(range(len(pvalues)))
    random.shuffle(order)
    assert_allclose(holm(np.array(pvalues)[order]), holm(pvalues)[order])


@pytest.mark.parametrize(
    ("pvalues", "error", "message"),
    [
        ([0.1, 1.5], ValueError, r"must be in \[0, 1\], and number 1 is 1.5"),
        ([-0.1], ValueError, r"must be in \[0, 1\], and number 0 is -0.1"),
        ([[0.1, 0.2]], ValueError, "pvalues must be one-dimensional"),
        (["0.1"], TypeError, "pvalues must hold numbers"),
    ],
)
def test_what_is_no_pvalue_is_refused(pvalues, error, message):
    with pytest.raises(error, match=message):
        holm(pvalues)
