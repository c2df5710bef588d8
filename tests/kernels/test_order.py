"""Ties in sorted values, against the literal definition."""

import itertools

import numpy as np
import pytest
from fairrank._kernels.order import block_of_row, code_counts, pool_ties, tie_blocks
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from strategies import burdens, vectors

VALUES = st.integers(2, 30).flatmap(burdens).map(np.sort)


@given(VALUES)
def test_blocks_are_those_of_the_definition(values):
    starts = tie_blocks(values, 1e-12 * values[-1])
    expected = [len(block) for block in oracles.tie_blocks(values)]
    assert_array_equal(np.diff(starts), expected)
    assert starts[0] == 0


def test_ties_chain_beyond_the_tolerance():
    values = np.array([0.0, 0.9, 1.8, 2.7, 3.8])
    assert tie_blocks(values, 1.0).tolist() == [0, 4, 5]


def test_a_gap_of_exactly_the_tolerance_is_a_tie():
    assert tie_blocks(np.array([0.0, 1.0, 2.5]), 1.0).tolist() == [0, 2, 3]


def test_no_values_make_no_block():
    assert tie_blocks(np.empty(0), 0.0).tolist() == [0]


@given(VALUES)
def test_every_row_finds_its_block(values):
    starts = tie_blocks(values, 1e-12 * values[-1])
    expected = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    assert_array_equal(block_of_row(starts), expected)


@given(VALUES.flatmap(lambda v: st.tuples(st.just(v), vectors(st.integers(1, 9), v.size))))
def test_pooled_values_are_weighted_block_means(case):
    values, weight = case[0], case[1].astype(float)
    starts = tie_blocks(values, 1e-12 * values[-1])
    pooled = pool_ties(values, weight, starts)
    for start, stop in itertools.pairwise(starts):
        mean = np.average(values[start:stop], weights=weight[start:stop])
        assert_allclose(pooled[start:stop], mean, rtol=1e-15)


@given(st.floats(1e-300, 1e300), st.integers(2, 20))
def test_pooling_equal_values_keeps_them_to_the_last_bit(value, n):
    values = np.full(n, value)
    pooled = pool_ties(values, np.linspace(0.1, 0.7, n), np.array([0, n]))
    assert_array_equal(pooled, values)


def test_a_block_without_weight_keeps_its_first_value():
    pooled = pool_ties(np.array([1.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0]), np.array([0, 2, 3]))
    assert_array_equal(pooled, [1.0, 1.0, 2.0])


@pytest.mark.parametrize("mode", ["r", "c"])
def test_memory_mapped_values_are_read(tmp_path, mode):
    values = np.array([0.1, 0.1, 0.5])
    np.save(tmp_path / "values.npy", values)
    mapped = np.load(tmp_path / "values.npy", mmap_mode=mode)
    assert tie_blocks(mapped, 0.0).tolist() == [0, 2, 3]
    assert_array_equal(pool_ties(mapped, np.ones(3), np.array([0, 2, 3])), values)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 1001])
def test_rows_are_counted_by_code(dtype, n):
    code = np.random.default_rng(0).integers(0, 6, n).astype(dtype)
    counts = code_counts(code, 7)
    assert counts.dtype == np.intp
    assert_array_equal(counts, np.bincount(code, minlength=7))
