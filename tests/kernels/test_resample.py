"""Bootstrap draws by multiplicities, against rows that are really taken and sorted again."""

import numpy as np
import pytest
from fairrank._kernels.resample import resampled_separations
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal

import oracles
import xoshiro
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from strategies import audits

SEED = np.array([5, 6, 7, 8], dtype=np.uint64)
EXACT_TIES = ("continuous", "tied", "two-valued")


def kernel_arguments(burden, group):
    burdens = sorted_burdens(audit_sample(None, None, sensitive_features=group, burden=burden))
    sizes = np.bincount(burdens.group)
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
    return burdens.burden, burdens.group, burdens.block_start, start


@given(audits(max_groups=5, kinds=EXACT_TIES))
@settings(max_examples=100)
def test_draws_are_those_of_rows_taken_one_by_one(audit):
    burden, group, starts, group_start = kernel_arguments(audit.burden, audit.group)
    found = resampled_separations(burden, group, starts, group_start, SEED, 3)
    rows_of_group = [np.flatnonzero(group == g).tolist() for g in range(audit.n_groups)]
    for distance, rows in zip(found, xoshiro.resampled_rows(SEED, rows_of_group, 3)):
        taken, labels = burden[rows], group[rows]
        if len(oracles.tie_blocks(taken)) == 1:
            assert np.isnan(distance).all()
        else:
            expected = [oracles.rgd(taken, labels), oracles.rgd(taken, labels, True)]
            assert_allclose(distance, expected, atol=1e-12)


def test_a_resample_of_equal_burdens_is_undefined():
    burden, group = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0, 1, 0, 1])
    found = resampled_separations(*kernel_arguments(burden, group), SEED, 200)
    undefined = np.isnan(found).all(axis=1)
    # Both rows of group 1 must be its first: one draw in four.
    assert 0.15 < undefined.mean() < 0.35
    assert not np.isnan(found[~undefined]).any()


def test_groups_of_one_row_are_taken_as_they_are():
    burden, group = np.array([0.1, 0.9]), np.array([0, 1])
    found = resampled_separations(*kernel_arguments(burden, group), SEED, 10)
    assert_allclose(found[:, 0], oracles.rgd(burden, group), atol=1e-15)


def test_every_row_is_taken_once_on_average():
    rng = np.random.default_rng(0)
    burden, group = np.arange(1.0, 41.0), rng.integers(0, 2, 40)
    arguments = kernel_arguments(burden, group)
    found = resampled_separations(*arguments, SEED, 4000)
    literal = np.array(
        [
            oracles.rgd(burden[rows], group[rows])
            for rows in (
                np.concatenate(
                    [rng.choice(np.flatnonzero(group == g), (group == g).sum()) for g in (0, 1)]
                )
                for _ in range(1000)
            )
        ]
    )
    error = np.hypot(found[:, 0].std() / 4000**0.5, literal.std() / 1000**0.5)
    assert abs(found[:, 0].mean() - literal.mean()) < 4 * error
    assert found[:, 0].std() == pytest.approx(literal.std(), rel=0.12)


def test_memory_mapped_arrays_are_read(tmp_path):
    rng = np.random.default_rng(0)
    arrays = (*kernel_arguments(rng.random(30).round(1), rng.integers(0, 3, 30)), SEED)
    mapped = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    assert_array_equal(resampled_separations(*mapped, 5), resampled_separations(*arrays, 5))
