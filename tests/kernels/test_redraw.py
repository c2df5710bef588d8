import math

import numpy as np
from numpy.testing import assert_allclose

import xoshiro
from fairrank._kernels import redraw

SEED = np.array([5, 6, 7, 8], dtype=np.uint64)


def test_exponentials_are_logarithms_of_the_generators_uniforms():
    state, out = np.array([5, 6, 7, 9], dtype=np.uint64), np.empty(7)
    stream = xoshiro.Xoshiro(state)
    for _ in range(3):
        redraw.draw_exponentials(state, out)
        assert_allclose(out, [-math.log(1 - stream.uniform()) for _ in range(7)], rtol=1e-14)


def test_exponentials_have_mean_and_variance_one():
    state, out = SEED.copy(), np.empty(400_000)
    redraw.draw_exponentials(state, out)
    assert out.min() >= 0
    assert abs(out.mean() - 1) < 4 / out.size**0.5
    assert abs(out.var() - 1) < 4 * 8**0.5 / out.size**0.5


def test_rows_of_one_cluster_share_what_was_drawn():
    out = np.empty(4)
    redraw.weigh_rows(
        np.array([2.0, 3.0]), np.array([1, 0, 1, 1]), np.array([1.0, 5.0, 0.0, 2.0]), out
    )
    assert out.tolist() == [3, 10, 0, 6]
    redraw.weigh(np.array([2.0, 1.0, 1.0, 0.5]), out)
    assert out.tolist() == [6, 10, 0, 3]


def test_risks_are_weighted_means_of_groups():
    loss = np.array([[1.0, 0.0], [3.0, 4.0], [5.0, 6.0]])
    found = redraw.group_risks(np.array([1.0, 3.0, 2.0]), loss, np.array([0, 0, 1]), 2)
    assert found.tolist() == [[2.5, 5.0], [3.0, 6.0]]
