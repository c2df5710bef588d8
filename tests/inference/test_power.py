"""What a test could have seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm

from fairrank.inference._power import detectable_effect, samples_needed

LARGE = 200_000


def noncentrality_found(df, power, alpha):
    critical = chi2.isf(alpha, df)
    return brentq(lambda x: ncx2.sf(critical, df, x) - power, 1e-9, 1e3)


@pytest.mark.parametrize("df", [1, 3, 20])
@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.5, 0.01), (0.95, 0.1)])
def test_draws_that_are_chi_square_have_the_power_of_the_noncentral_one(df, power, alpha):
    draws = 0.7 * np.random.default_rng(0).chisquare(df, LARGE)
    expected = 1 + noncentrality_found(df, power, alpha) / df
    found = detectable_effect(draws, power=power, alpha=alpha)
    assert found == pytest.approx(expected, rel=0.04)


def test_a_constant_part_of_the_draws_makes_effects_smaller():
    draws = np.random.default_rng(0).chisquare(3, LARGE)
    alone = detectable_effect(draws, power=0.8, alpha=0.05)
    shifted = detectable_effect(draws + 3.0, power=0.8, alpha=0.05)
    # The same excess, over twice the mean.
    assert shifted - 1 == pytest.approx((alone - 1) / 2, rel=0.02)


@given(st.integers(0, 20), st.floats(0.2, 0.9), st.floats(0.02, 0.3))
def test_more_power_or_a_stricter_level_asks_for_more(seed, power, alpha):
    draws = np.random.default_rng(seed).gamma(2.0, size=999)
    effect = detectable_effect(draws, power=power, alpha=alpha)
    assert 1.0 <= effect <= detectable_effect(draws, power=power + 0.05, alpha=alpha)
    assert effect <= detectable_effect(draws, power=power, alpha=alpha / 2)


@given(st.floats(1e-6, 1e6))
def test_the_unit_of_the_statistic_does_not_matter(unit):
    draws = np.random.default_rng(0).gamma(2.0, size=999)
    effect = detectable_effect(draws, power=0.8, alpha=0.05)
    assert detectable_effect(draws * unit, power=0.8, alpha=0.05) == pytest.approx(effect)


def test_draws_skewed_to_the_left_are_matched_by_two_moments():
    draws = 5.0 - np.random.default_rng(0).beta(1.0, 4.0, 2000)
    assert detectable_effect(draws, power=0.8, alpha=0.05) >= 1.0


def test_nothing_is_found_when_no_p_can_fall_to_the_level():
    assert detectable_effect(np.arange(1.0, 11.0), power=0.8, alpha=0.05) == np.inf


def test_draws_that_do_not_vary_tell_nothing():
    assert np.isnan(detectable_effect(np.ones(99), power=0.8, alpha=0.05))
    assert np.isnan(detectable_effect(np.zeros(99), power=0.8, alpha=0.05))
    by_rounding = 1.0 + 1e-15 * np.arange(99)
    assert np.isnan(detectable_effect(by_rounding, power=0.8, alpha=0.05))


@pytest.mark.parametrize("skewness", [0.0, 1e-12, 1e-9, 1e-6, 1e-3])
def test_draws_with_next_to_no_skewness_are_taken_for_normal_ones(skewness):
    normal = norm.isf((np.arange(4000) + 0.5) / 4000)
    draws = 20.0 + normal + skewness * normal**2
    expected = 1 + (norm.isf(0.05) + norm.ppf(0.8)) / 20
    assert detectable_effect(draws, power=0.8, alpha=0.05) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("spread", [1e-8, 1e-5, 1e-3])
def test_draws_of_little_spread_have_small_effects(spread):
    draws = 1.0 + spread * (1.0 - np.random.default_rng(0).exponential(size=999))
    effect = detectable_effect(draws, power=0.8, alpha=0.05)
    assert 1.0 + spread < effect < 1.0 + 5.0 * spread


def test_samples_grow_with_the_excess_to_be_found():
    assert samples_needed(100, effect_size=3.0, detectable=5.0) == 200
    assert samples_needed(100, effect_size=5.0, detectable=3.0) == 50


@pytest.mark.parametrize("effect_size", [1.0, 0.4])
def test_no_number_of_samples_finds_what_is_not_there(effect_size):
    assert samples_needed(100, effect_size=effect_size, detectable=3.0) == np.inf


def test_an_effect_that_cannot_be_found_needs_infinitely_many_samples():
    assert samples_needed(100, effect_size=2.0, detectable=np.inf) == np.inf
