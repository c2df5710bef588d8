"""Which group is worst off, and how sure that is; standard errors of ratios."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

from fairrank.welfare._disadvantage import error_of_unseen, named_lowest, probability_lowest
from fairrank.welfare._lending_terms import LendingTerms
from fairrank.welfare._policy_outcome import ratio
from fairrank.welfare._product_menu import ProductMenu
from lending import applicants, chance, known, lender


def test_probabilities_to_be_lowest_are_those_of_draws():
    mean, error = np.array([0.3, 0.35, 0.5, 0.31]), np.array([0.03, 0.05, 0.2, 0.01])
    draws = mean + error * np.random.default_rng(0).normal(size=(200_000, 4))
    expected = np.bincount(draws.argmin(axis=1), minlength=4) / 200_000
    np.testing.assert_allclose(probability_lowest(mean, error), expected, atol=0.01)


def test_groups_without_error_are_told_apart_and_ties_share():
    np.testing.assert_allclose(
        probability_lowest(np.array([0.2, 0.2, 0.4]), np.zeros(3)), [0.5, 0.5, 0.0], atol=1e-6
    )
    named, table = named_lowest(("a", "b"), np.array([0.2, 0.3]), np.zeros(2))
    assert named == "a"
    assert table["z"] == [0.0, np.inf]


def test_the_lowest_is_named_two_standard_errors_below_the_next():
    for gap, expected in [(0.05, None), (0.1, "b")]:
        named, table = named_lowest(
            ("a", "b", "c"), np.array([0.4, 0.4 - gap, 0.9]), np.array([0.03, 0.03, 0.01])
        )
        assert named == expected
        assert table["z"][0] == pytest.approx(gap / np.hypot(0.03, 0.03))
        assert sum(table["probability_lowest"]) == pytest.approx(1.0)
    undefined, table = named_lowest(("a", "b"), np.array([np.nan, 0.3]), np.ones(2))
    assert undefined is None
    assert np.isnan(table["z"]).all()


def terms_of(n, utility="demographic_parity"):
    return LendingTerms(
        gain=np.ones(n), loss=np.ones(n), amount=None, utility=utility, scale="attainable"
    )


FEW_AND_MANY = np.repeat([0, 1], [3, 100])


def error_of(utility="demographic_parity", good=None, weight=None, welfare=(0.0, 0.0)):
    good = np.ones(103) if good is None else good
    return error_of_unseen(
        np.array(welfare), terms_of(103, utility), good, FEW_AND_MANY, weight
    )


def bound(n):
    return (1 - ndtr(-2) ** (1 / n)) / 2


def test_three_rows_that_are_all_rejected_are_not_the_lowest_for_sure():
    error = error_of(welfare=(0, 0.5))
    np.testing.assert_allclose(error, [bound(3), bound(100) / 2])
    named, table = named_lowest(
        ("few", "many"), np.array([0, 0.5]), np.maximum(error, [0, 0.05])
    )
    assert named is None
    assert table["probability_lowest"][0] < 0.95


def test_what_counts_as_a_row_is_what_welfare_is_a_mean_of():
    one_good = np.concatenate([[1.0, 0, 0], np.tile([0.0, 1.0], 50)])
    few = error_of("equal_opportunity", good=one_good)
    np.testing.assert_allclose(few, [bound(1), bound(50)])
    times = np.concatenate([[5, 5, 5], np.ones(100, dtype=int)])
    np.testing.assert_allclose(error_of(weight=times), [bound(15), bound(100)])
    mass = np.concatenate([[5.0, 0, 0], np.ones(100)])
    np.testing.assert_allclose(error_of(weight=mass), [bound(1), bound(100)])


def test_the_error_is_in_units_of_the_utility():
    utility = np.full(103, 7.0)
    assert error_of(utility)[0] == pytest.approx(7 * bound(3))
    utility[-1] = -7.0
    assert error_of(utility, welfare=(7.0, 6.9))[0] == pytest.approx(14 * bound(3))
    # Three bad cases say nothing of what a good one would get.
    bad = np.concatenate([[0.0, 0, 0], np.ones(100)])
    both = np.tile([0.0, 2.0], (103, 1))
    assert error_of(both, good=bad)[0] == pytest.approx(2 * bound(3))


def test_of_several_products_the_best_counts():
    menu = ProductMenu(terms=(terms_of(103), terms_of(103, np.full(103, 3.0))))
    error = error_of_unseen(np.zeros(2), menu, np.ones(103), FEW_AND_MANY, None)
    np.testing.assert_allclose(error, [3 * bound(3), 3 * bound(100)])


@pytest.mark.parametrize(("times", "named"), [(3, None), (60, "c")])
def test_a_lender_names_a_group_of_rejected_rows_only_if_they_are_many(times, named):
    X, y = applicants(400)
    few = X.iloc[:times].assign(race="c")
    X, y = pd.concat([X, few], ignore_index=True), np.concatenate([y, np.zeros(times, dtype=int)])
    told = lambda X: np.where(X["race"] == "c", 0.01, chance(X))  # noqa: E731
    bank = lender(known(y, told), cv=None).fit(X, y)
    at = bank.groups_.index("c")
    assert bank.disadvantage_["welfare"][at] == 0
    assert bank.disadvantage_["standard_error"][at] == pytest.approx(bound(times))
    assert bank.disadvantaged_group_ == named


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
