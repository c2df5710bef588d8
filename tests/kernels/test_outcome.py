"""Outcomes drawn from scores, against burdens computed anew for every draw."""

import numpy as np
import pytest
from fairrank._kernels.order import pool_ties, tie_blocks
from fairrank._kernels.outcome import outcome_draws, outcome_statistic
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles
import xoshiro
from strategies import groups, vectors

SEED = np.array([9, 10, 11, 12], dtype=np.uint64)


@st.composite
def scored_rows(draw):
    """Probabilities, groups and observed outcomes."""
    n_groups = draw(st.integers(2, 5))
    n = draw(st.integers(n_groups + 2, 25))
    # Tied scores, and p = 0.3 beside 0.7, whose two burdens tie across outcomes.
    step = draw(st.sampled_from([10, 997]))
    probability = draw(vectors(st.integers(1, step - 1), n)) / step
    return probability, draw(groups(n, n_groups)), draw(vectors(st.integers(0, 1), n))


def candidates(probability, group):
    """Both burdens of every row, sorted together as the kernel takes them."""
    n = probability.size
    burden = np.concatenate((probability, 1.0 - probability))
    order = np.argsort(burden, kind="stable")
    values = burden[order]
    starts = tie_blocks(values, 1e-12 * values[-1])
    return (
        pool_ties(values, np.ones(2 * n), starts), (order % n).astype(np.int32),
        (order // n).astype(np.uint8), starts, group.astype(np.uint8), np.bincount(group) / n,
    )


@given(scored_rows())
@settings(max_examples=100)
def test_draws_are_the_statistics_of_burdens_computed_anew(case):
    probability, group, _ = case
    found = outcome_draws(*candidates(probability, group), probability, SEED, 3)
    for value, outcome in zip(found, xoshiro.drawn_outcomes(SEED, probability, 3)):
        burden = np.abs(np.array(outcome) - probability)
        if len(oracles.tie_blocks(burden)) > 1:
            assert value == pytest.approx(oracles.statistic(burden, group), abs=1e-12)
        else:
            assert value == pytest.approx(0.0, abs=1e-12)


@given(scored_rows())
@settings(max_examples=100)
def test_observed_outcomes_have_the_statistic_of_the_definition(case):
    probability, group, outcome = case
    found = outcome_statistic(*candidates(probability, group), outcome.astype(np.uint8))
    expected = oracles.statistic(np.abs(outcome - probability), group)
    assert found == pytest.approx(expected, abs=1e-12)


def test_draws_without_any_burden_are_marked():
    probability, group = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 1, 1, 0])
    found = outcome_draws(*candidates(probability, group), probability, SEED, 3)
    assert_array_equal(found, [-1.0, -1.0, -1.0])


def test_memory_mapped_arrays_are_read(tmp_path):
    rng = np.random.default_rng(0)
    probability, group = rng.random(30), rng.integers(0, 3, 30)
    arrays = (*candidates(probability, group), probability, SEED)
    mapped = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    assert_allclose(outcome_draws(*mapped, 4), outcome_draws(*arrays, 4), rtol=0)
