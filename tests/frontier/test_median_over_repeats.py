"""One valid answer from several dependent cross-fittings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from fairrank import FrontierEstimator
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import SmallGroupWarning
from fairrank.frontier import group_skew_test
from fairrank.frontier._median_over_repeats import (
    median_interval,
    median_pvalue,
    price_of_median,
)

LEVELS = np.array([0.01, 0.05, 0.2])
DATA = make_frontier_data(700, random_state=4)
DECISIONS = DATA.status_quo(DATA.data)
pytestmark = pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning")


@pytest.fixture(scope="module")
def repeated():
    with pytest.warns(SmallGroupWarning, match="expected_inward_bias"):
        return FrontierEstimator(
            n_repeats=3, cv=3, group_names=("r", "b"), random_state=0
        ).fit(DATA.data, DATA.target, sensitive_features=DATA.sensitive_features)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7), st.floats(0.001, 1.0))
def test_the_median_rejects_just_where_more_than_half_reject_at_their_share_of_the_level(p, a):
    k = len(p) // 2 + 1
    many = sum(len(p) / k * one <= a for one in p) >= k
    assert (median_pvalue(p) <= a) == (many or a >= 1.0)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7))
def test_the_median_pvalue_is_at_most_twice_the_median_of_an_odd_number(p):
    assert price_of_median(len(p)) < 2.0
    if len(p) % 2:
        assert median_pvalue(p) <= min(1.0, 2.0 * np.median(p))


@pytest.mark.parametrize("n_repeats", [2, 3, 5])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.95])
def test_the_median_pvalue_holds_its_level_under_dependence(n_repeats, correlation):
    rng = np.random.default_rng(n_repeats)
    shared = rng.standard_normal((20_000, 1))
    own = rng.standard_normal((20_000, n_repeats))
    p = norm.sf(np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own)
    found = np.array([median_pvalue(row) for row in p])
    size = (found[:, np.newaxis] <= LEVELS).mean(axis=0)
    assert (size <= LEVELS + 3.0 * np.sqrt(LEVELS / len(p))).all()


@pytest.mark.parametrize("n_repeats", [2, 3, 4, 5])
def test_the_worst_dependence_attains_the_level_and_does_not_exceed_it(n_repeats):
    # Just more than half are small together, by turns, and never fewer: each is uniform.
    rng, k, a = np.random.default_rng(n_repeats), n_repeats // 2 + 1, 0.1
    edge = a * k / n_repeats
    p = edge + (1.0 - edge) * rng.random((20_000, n_repeats))
    struck = rng.random(20_000) < a
    chosen = rng.permuted(np.tile(np.arange(n_repeats) < k, (20_000, 1)), axis=1)
    p = np.where(chosen & struck[:, np.newaxis], edge * rng.random(p.shape), p)
    size = np.mean([median_pvalue(row) <= a for row in p])
    assert abs(size - a) <= 3.5 * np.sqrt(a * (1.0 - a) / 20_000)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 5)), min_size=1, max_size=7),
       st.floats(-6, 6))
def test_the_median_interval_leaves_out_what_more_than_half_leave_out_on_one_side(ends, value):
    low = np.array([one for one, _ in ends])
    high = low + [width for _, width in ends]
    found = median_interval(low, high, low, confidence_level=0.98)
    k = len(ends) // 2 + 1
    assert found.low <= found.high
    assert (value < found.low) == ((value < low).sum() >= k)
    assert (value > found.high) == ((value > high).sum() >= k)
    assert found.confidence_level == pytest.approx(1.0 - 0.02 * price_of_median(len(ends)))


def test_a_median_test_repeats_the_test_on_each_cross_fitting(repeated):
    found = repeated.median_over_repeats("group_skew_test", significance_level=0.1)
    expected = [
        group_skew_test(one, significance_level=0.1).pvalue for one in repeated.support_functions_
    ]
    assert found.pvalues.tolist() == expected
    assert found.pvalue == pytest.approx(min(1.0, 1.5 * np.median(expected)))
    assert found.reject == (found.pvalue <= 0.1)
    assert found.reading in str(found)
    assert len(found.to_dict()["results"]) == 3


@pytest.mark.parametrize(
    ("test", "arguments"),
    [("less_discriminatory_alternative_test", (DECISIONS,)), ("point_test", ((0.4, 0.5),)),
     ("pareto_test", (DECISIONS,))],
)
def test_the_statistic_is_the_median_over_the_repeats(repeated, test, arguments):
    found = repeated.median_over_repeats(test, *arguments, n_draws=39)
    assert found.statistic == np.median([one.statistic for one in found.results])
    assert found.n_repeats == 3


def test_the_distance_gets_the_confidence_that_was_asked_for(repeated):
    found = repeated.median_over_repeats(
        "distance_to_fairest", DECISIONS, n_draws=60, confidence_level=0.9
    )
    assert found.confidence_level == 0.9
    assert found.low <= found.estimate <= found.high
    assert found.to_dict()["n_repeats"] == 3


def test_repeating_leaves_the_estimator_as_it_is(repeated):
    support, functions = repeated.support_function_, repeated.support_functions_
    repeated.median_over_repeats("group_skew_test")
    assert repeated.support_function_ is support
    assert repeated.support_functions_ is functions


def test_a_median_needs_two_cross_fittings_and_a_test(repeated):
    with pytest.raises(ValueError, match="test"):
        repeated.median_over_repeats("cost_of_group_ban")
    alone = FrontierEstimator(DATA, group_names=("r", "b")).fit(
        DATA.data, DATA.target, sensitive_features=DATA.sensitive_features
    )
    with pytest.raises(ValueError, match="n_repeats"):
        alone.median_over_repeats("group_skew_test")


@pytest.mark.parametrize("pvalues", [[], [0.1, 1.2], [-0.1], [np.nan]])
def test_what_is_no_p_value_is_refused(pvalues):
    with pytest.raises(ValueError, match="pvalues"):
        median_pvalue(pvalues)
