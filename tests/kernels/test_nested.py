"""Areas inside nested parts of the ranking, against those of every part by itself."""

import numpy as np
import pytest
from fairrank._kernels.burden import separation
from fairrank._kernels.nested import nested_separations
from fairrank._kernels.order import pool_ties, tie_blocks
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from strategies import audits


def sorted_arrays(burden, group, weight=None):
    """Arguments of `separation`, as the metrics prepare them."""
    order = np.argsort(burden, kind="stable")
    weight = np.ones(order.size) if weight is None else np.asarray(weight, dtype=float)[order]
    values = burden[order]
    starts = tie_blocks(values, 1e-12 * values[-1])
    return pool_ties(values, weight, starts), group[order].astype(np.uint8), weight, starts


def one_by_one(arrays, first_block, n_groups, at_ranks):
    """The same numbers from as many calls of `separation`."""
    pairs = np.triu_indices(n_groups, 1)
    found = [separation(*arrays, first, n_groups, at_ranks) for first in first_block]
    return (
        np.array([plain[pairs] for plain, *_ in found]),
        np.array([centred[pairs] for _, centred, *_ in found]),
        np.array([totals[2] for *_, totals, _ in found]),
    )


def assert_same(arrays, first_block, n_groups, at_ranks):
    first_block = np.ascontiguousarray(first_block, dtype=np.intp)
    found = nested_separations(*arrays, first_block, n_groups, at_ranks)
    expected = one_by_one(arrays, first_block, n_groups, at_ranks)
    size = arrays[2][arrays[3][first_block[-1]]:].sum()
    for left, right in zip(found, expected):
        assert_allclose(left, right, rtol=1e-11, atol=1e-13 * size)


@given(audits(max_groups=4), st.booleans())
def test_every_block_may_begin_a_part(audit, at_ranks):
    weight = audit.integer_weight if at_ranks else audit.float_weight
    kept = weight > 0
    if kept.sum() < 2 or not audit.burden[kept].max() > 0:
        return
    arrays = sorted_arrays(audit.burden[kept], audit.group[kept], weight[kept])
    assert_same(arrays, np.arange(arrays[3].size - 1)[::-1], audit.n_groups, at_ranks)


@pytest.mark.parametrize("at_ranks", [True, False])
@pytest.mark.parametrize("kind", ["alike", "apart", "tied", "skew"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_pieces_of_many_blocks_add_up_to_every_part(kind, at_ranks, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 3000))
    group = rng.integers(0, 3, n)
    burden = rng.random(n)
    if kind == "apart":
        burden += 0.3 * (group == 1)
    elif kind == "tied":
        burden = np.round(burden, 2)
    elif kind == "skew":
        burden = np.exp(3 * rng.normal(size=n))
    weight = rng.integers(1, 4, n) if at_ranks else rng.exponential(size=n)
    arrays = sorted_arrays(burden, group, weight)
    n_blocks = arrays[3].size - 1
    firsts = np.unique(np.append(rng.integers(0, n_blocks, 40), 0))[::-1]
    assert_same(arrays, firsts, 3, at_ranks)


def test_a_part_may_come_twice():
    rng = np.random.default_rng(0)
    arrays = sorted_arrays(rng.random(1000), rng.integers(0, 2, 1000))
    plain, centred, area = nested_separations(*arrays, np.array([7, 7, 0, 0]), 2, True)
    for values in (plain, centred, area):
        assert_array_equal(values[::2], values[1::2])


def test_one_block_has_no_area_at_all():
    burden = np.array([0.1, 0.2, 0.3, 0.3, 0.3])
    arrays = sorted_arrays(burden, np.array([0, 1, 0, 1, 1]))
    assert nested_separations(*arrays, np.array([2, 0]), 2, True)[2][0] == 0.0


def test_huge_and_tiny_burdens_and_masses_have_the_areas_of_others():
    rng = np.random.default_rng(0)
    burden, group, weight = rng.random(500), rng.integers(0, 2, 500), rng.exponential(size=500)
    firsts = np.array([250, 100, 0])
    expected = nested_separations(*sorted_arrays(burden, group, weight), firsts, 2, False)
    for factor, mass in ((1e100, 1e70), (1e-300, 1e-70)):
        arrays = sorted_arrays(burden * factor, group, weight * mass)
        found = nested_separations(*arrays, firsts, 2, False)
        for left, right in zip(found, expected):
            assert_allclose(left / mass, right, rtol=1e-9)


def test_arrays_that_cannot_be_written_are_read():
    rng = np.random.default_rng(0)
    arrays = (*sorted_arrays(rng.random(50), rng.integers(0, 2, 50)), np.array([20, 0]))
    expected = nested_separations(*arrays, 2, True)
    for array in arrays:
        array.flags.writeable = False
    for left, right in zip(nested_separations(*arrays, 2, True), expected):
        assert_array_equal(left, right)
