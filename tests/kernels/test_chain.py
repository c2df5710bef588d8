"""Pooling and merging chains against plain Python."""

from itertools import pairwise

import numpy as np
from fairrank._kernels.chain import best_split, merge_chains, pool_chain
from hypothesis import given
from hypothesis import strategies as st

steps = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


def columns(chain):
    table = np.array(chain, dtype=float)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])


@given(steps, st.sampled_from([1, -1]))
def test_pooled_blocks_turn_one_way(chain, turn):
    negative, positive = columns(chain)
    start = pool_chain(negative, positive, turn)
    assert start[0] == 0
    assert start[-1] == len(chain)
    blocks = np.array([(negative[i:j].sum(), positive[i:j].sum()) for i, j in pairwise(start)])
    cross = blocks[:-1, 0] * blocks[1:, 1] - blocks[:-1, 1] * blocks[1:, 0]
    assert (turn * cross < 0).all()


@given(steps)
def test_pooled_blocks_are_the_concave_hull_of_the_roc_path(chain):
    negative, positive = columns(chain)
    start = pool_chain(negative, positive, 1)
    corners = np.column_stack((np.cumsum(negative), np.cumsum(positive)))
    corners = np.vstack(([0.0, 0.0], corners))
    for i, j in pairwise(start):
        across, up = corners[j] - corners[i]
        inside = corners[i : j + 1] - corners[i]
        # No corner of the path lies above the block's chord.
        assert (across * inside[:, 1] <= up * inside[:, 0] + 1e-9).all()


def test_a_chain_without_steps_has_no_block():
    assert pool_chain(np.zeros(0), np.zeros(0), 1).tolist() == [0]


@given(steps)
def test_one_block_when_directions_are_collinear(chain):
    assert pool_chain(*columns(chain), 0).tolist() == [0, len(chain)]


@given(steps, steps)
def test_merged_counts_are_those_of_the_order(first, second):
    a_neg, a_pos = columns(first)
    b_neg, b_pos = columns(second)
    before, counts = merge_chains(
        np.column_stack((a_neg, a_pos)), np.column_stack((b_neg, b_pos)), np.eye(2), True
    )
    expected = np.zeros(3)
    for i, placed in enumerate(before):
        for j in range(len(second)):
            if j >= placed:
                expected[0] += a_pos[i] * b_neg[j]
                expected[2] += (a_neg[i] + a_pos[i]) * (b_neg[j] + b_pos[j])
            else:
                expected[1] += b_pos[j] * a_neg[i]
    assert (np.diff(before) >= 0).all()
    np.testing.assert_allclose(counts, expected, atol=1e-12)


@given(steps, steps, st.floats(0.1, 3.0), st.sampled_from([0.0, 0.05]))
def test_the_split_is_the_best_of_all_splits(first, second, trade_off, allowance):
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    per = np.array([0.02, 0.03, 0.0])
    start_auc, start_d = 0.5, -0.4

    def value(k, moved):
        c10 = a[:k, 1].sum() * b[:, 0].sum() + a[k:, 1].sum() * b[moved:, 0].sum()
        c01 = a[:k, 0].sum() * b[:, 1].sum() + a[k:, 0].sum() * b[moved:, 1].sum()
        auc = start_auc + 0.01 * c10 - 0.01 * c01
        gap = start_d + per[0] * c10 + per[1] * c01
        return auc - trade_off * max(abs(gap) - allowance, 0.0), gap

    k, moved, found = best_split(
        np.ascontiguousarray(a), np.ascontiguousarray(b), 0.01, 0.01, *per, start_auc, start_d,
        trade_off, allowance,
    )
    assert found == np.float64(found)
    assert abs(value(k, moved)[0] - found) < 1e-12
    # Exact among the places next to an edge of the interval that is allowed.
    for i in range(len(first) + 1):
        gaps = [value(i, j)[1] for j in range(len(second) + 1)]
        for edge in (allowance, -allowance):
            j = next((j for j, gap in enumerate(gaps) if gap <= edge), len(second))
            for place in {j, max(j - 1, 0)}:
                assert found >= value(i, place)[0] - 1e-12
