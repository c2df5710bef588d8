import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_frontier_inference as oracles
from fairrank.frontier._bootstrap_test import (
    bootstrap_test,
    pvalues,
    repeatable_seed,
    upper_quantiles,
)
from fairrank.inference._permutation import entropy_of

numbers = st.integers(0, 12).map(lambda k: k / 4)
levels = st.sampled_from([0.01, 0.05, 0.1, 0.25, 0.5, 0.9])


@given(numbers, st.lists(numbers, min_size=1, max_size=60), levels)
def test_small_pvalues_and_large_statistics_say_the_same(statistic, draws, level):
    test = bootstrap_test(statistic, np.array(draws), significance_level=level, slack=0.0)
    assert test.pvalue == oracles.pvalue(statistic, draws)
    assert test.reject == (test.pvalue <= level) == (statistic > test.critical_value)


@pytest.mark.parametrize(("n_draws", "level", "rank"), [(1000, 0.05, 50), (199, 0.1, 20)])
def test_the_critical_value_is_an_order_statistic(n_draws, level, rank):
    draws = np.random.default_rng(0).permutation(n_draws) + 1.0
    assert upper_quantiles(draws[:, np.newaxis], level) == n_draws + 1 - rank


def test_too_few_draws_never_reject():
    test = bootstrap_test(9.0, np.zeros(18), significance_level=0.05, slack=0.0)
    assert test.critical_value == np.inf
    assert not test.reject


def test_a_statistic_within_the_slack_is_reached_by_every_draw():
    test = bootstrap_test(1e-12, np.zeros(99), significance_level=0.05, slack=1e-11)
    assert test.pvalue == 1.0
    assert test.critical_value == 1e-11


def test_several_statistics_are_compared_each_with_its_own_draws():
    draws = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    assert pvalues(np.array([2.0, 2.0]), draws, 0.0).tolist() == [0.5, 0.75]


def test_a_child_seed_is_made_again_from_its_entropy():
    child = np.random.SeedSequence(3).spawn(2)[1]
    seed = repeatable_seed(child)
    again = np.random.SeedSequence(entropy_of(seed))
    assert seed.generate_state(2).tolist() == again.generate_state(2).tolist()
    assert repeatable_seed(child).entropy == seed.entropy


def test_a_test_as_a_dictionary_holds_plain_numbers():
    test = bootstrap_test(1.0, np.zeros(19), significance_level=0.05, slack=0.0)
    assert test.to_dict() == {
        "statistic": 1.0, "critical_value": 0.0, "pvalue": 0.05, "reject": True
    }


def test_a_seed_that_was_recorded_is_made_again():
    seed = repeatable_seed(5)
    again = repeatable_seed(np.random.SeedSequence(entropy_of(seed)))
    assert again.generate_state(2).tolist() == seed.generate_state(2).tolist()
    assert repeatable_seed(again).entropy == again.entropy
