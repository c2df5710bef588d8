"""The smoothed policy's kernels against the probability over both shifts by quadrature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_welfare as oracles
from fairrank._kernels import smoothing


@given(
    revenue=st.floats(-1, 1),
    utility=st.floats(0, 1),
    multiplier=st.one_of(st.floats(-3, 3), st.sampled_from([0.0, 1e-12, -1e-8, 1e-200])),
    a=st.floats(0.01, 0.5),
    shift=st.floats(0.0, 0.5),
)
def test_the_closed_form_is_the_probability_over_both_shifts(
    revenue, utility, multiplier, a, shift
):
    found = smoothing.smoothed_acceptance(
        np.array([revenue]), np.array([utility]), np.zeros(1, dtype=np.uint8),
        np.array([multiplier]), a, shift,
    )
    expected = oracles.smoothed_acceptance(
        revenue, utility, multiplier, a, abs(multiplier) * shift
    )
    assert found[0] == pytest.approx(expected, abs=1e-6)


def test_welfare_is_the_sum_over_the_acceptances():
    rng = np.random.default_rng(0)
    revenue, utility, mass = rng.normal(size=50), rng.random(50), rng.random(50)
    code = rng.integers(0, 2, 50).astype(np.uint8)
    multiplier = np.array([-0.7, 0.4])
    accepted = smoothing.smoothed_acceptance(revenue, utility, code, multiplier, 0.3, 0.2)
    for g in range(2):
        own = code == g
        welfare = smoothing.smoothed_welfare(
            revenue[own], utility[own], mass[own], multiplier[g], 0.3, 0.2
        )
        assert welfare == pytest.approx((mass * utility * accepted)[own].sum())
