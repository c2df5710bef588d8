"""Paired bootstrap of several models, against rows that are really taken and sorted again."""

import numpy as np
from fairrank._kernels.order import pool_ties, tie_blocks
from fairrank._kernels.paired import paired_resamples
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score, roc_auc_score

import oracles
import xoshiro
from strategies import groups, vectors

SEED = np.array([13, 14, 15, 16], dtype=np.uint64)


@st.composite
def scored_models(draw):
    """Scores of two models on the same rows, which lie group after group."""
    n_groups = draw(st.integers(2, 4))
    n = draw(st.integers(n_groups + 3, 20))
    scores = draw(vectors(st.integers(1, 9), 2 * n)).reshape(2, n) / 10
    group = np.sort(draw(groups(n, n_groups)))
    return scores, group, draw(vectors(st.integers(0, 1), n))


def in_order(values):
    """Order, sorted values with ties pooled, padded block starts and their number."""
    order = np.argsort(values, kind="stable").astype(np.int32)
    starts = tie_blocks(values[order], 1e-12 * values.max())
    pooled = pool_ties(values[order], np.ones(order.size), starts)
    padded = np.zeros(order.size + 1, dtype=np.intp)
    padded[: starts.size] = starts
    return order, pooled, padded, starts.size - 1


def kernel_arguments(scores, group, outcome):
    by_burden = [in_order(np.abs(outcome - score).round(12)) for score in scores]
    by_score = [in_order(score) for score in scores]
    return (
        np.array([part[1] for part in by_burden]), np.array([part[0] for part in by_burden]),
        np.array([part[2] for part in by_burden]), np.array([part[3] for part in by_burden]),
        np.array([part[0] for part in by_score]), np.array([part[2] for part in by_score]),
        np.array([part[3] for part in by_score]), group.astype(np.uint8),
        outcome.astype(np.uint8), np.searchsorted(group, np.arange(group.max() + 2)),
    )


@given(scored_models())
@settings(max_examples=60)
def test_draws_are_those_of_rows_taken_one_by_one(case):
    scores, group, outcome = case
    found = paired_resamples(*kernel_arguments(*case), SEED, 2)
    rows_of_group = [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]
    for draw, rows in zip(found, xoshiro.resampled_rows(SEED, rows_of_group, 2)):
        for value, score in zip(draw, scores):
            y, p, labels = outcome[rows], score[rows], group[rows]
            burden = np.abs(y - p).round(12)
            expected = np.full(4, np.nan)
            if len(oracles.tie_blocks(burden)) > 1:
                expected[:2] = oracles.rgd(burden, labels), oracles.rgd(burden, labels, True)
            if 0 < y.sum() < y.size:
                expected[2:] = roc_auc_score(y, p), average_precision_score(y, p)
            assert_allclose(value, expected, atol=1e-12)


def test_models_with_the_same_scores_get_the_same_draws():
    rng = np.random.default_rng(0)
    group, outcome = np.sort(rng.integers(0, 3, 60)), rng.integers(0, 2, 60)
    arguments = kernel_arguments(np.tile(rng.random(60), (2, 1)), group, outcome)
    found = paired_resamples(*arguments, SEED, 10)
    assert_array_equal(found[:, 0], found[:, 1])


def test_memory_mapped_arrays_are_read(tmp_path):
    rng = np.random.default_rng(0)
    group, outcome = np.sort(rng.integers(0, 3, 30)), rng.integers(0, 2, 30)
    arrays = (*kernel_arguments(rng.random((2, 30)), group, outcome), SEED)
    mapped = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        mapped.append(np.load(tmp_path / f"{i}.npy", mmap_mode="r"))
    assert_array_equal(paired_resamples(*mapped, 5), paired_resamples(*arrays, 5))
