"""Which group is worst off, and how sure that is; standard errors of ratios."""

import numpy as np
import pytest

from fairrank.welfare._disadvantage import disadvantage, probability_lowest
from fairrank.welfare._policy_outcome import ratio


def test_probabilities_to_be_lowest_are_those_of_draws():
    mean, error = np.array([0.3, 0.35, 0.5, 0.31]), np.array([0.03, 0.05, 0.2, 0.01])
    draws = mean + error * np.random.default_rng(0).normal(size=(200_000, 4))
    expected = np.bincount(draws.argmin(axis=1), minlength=4) / 200_000
    np.testing.assert_allclose(probability_lowest(mean, error), expected, atol=0.01)


def test_groups_without_error_are_told_apart_and_ties_share():
    np.testing.assert_allclose(
        probability_lowest(np.array([0.2, 0.2, 0.4]), np.zeros(3)), [0.5, 0.5, 0.0], atol=1e-6
    )
    named, table = disadvantage(("a", "b"), np.array([0.2, 0.3]), np.zeros(2))
    assert named == "a"
    assert table["z"] == [0.0, np.inf]


def test_the_lowest_is_named_two_standard_errors_below_the_next():
    for gap, expected in [(0.05, None), (0.1, "b")]:
        named, table = disadvantage(
            ("a", "b", "c"), np.array([0.4, 0.4 - gap, 0.9]), np.array([0.03, 0.03, 0.01])
        )
        assert named == expected
        assert table["z"][0] == pytest.approx(gap / np.hypot(0.03, 0.03))
        assert sum(table["probability_lowest"]) == pytest.approx(1.0)
    undefined, table = disadvantage(("a", "b"), np.array([np.nan, 0.3]), np.ones(2))
    assert undefined is None
    assert np.isnan(table["z"]).all()


def test_a_ratio_has_the_spread_of_resamples():
    rng = np.random.default_rng(0)
    below = rng.random(400) + 0.2
    above = below * (rng.random(400) < 0.3)
    rows = rng.integers(0, 400, (4000, 400))
    resampled = above[rows].sum(axis=1) / below[rows].sum(axis=1)
    value, error = ratio(above, below, None)
    assert value == pytest.approx(above.sum() / below.sum())
    assert error == pytest.approx(resampled.std(), rel=0.05)
    whole, mass = np.full(400, 3), np.full(400, 3.0)
    # Three rows are more than one row of three times the mass.
    assert ratio(above, below, whole)[1] == pytest.approx(error / np.sqrt(3))
    assert ratio(above, below, mass)[1] == pytest.approx(error)
    assert np.isnan(ratio(above, np.zeros(400), None)).all()
