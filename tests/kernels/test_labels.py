"""The label lattice against every path through it."""

import numpy as np
import pytest
from fairrank._kernels.labels import best_labels
from hypothesis import given
from hypothesis import strategies as st

mass = st.integers(0, 3).map(float)
chains = st.lists(st.tuples(mass, mass), min_size=1, max_size=5).map(np.array)
PER_AUC, PER_D = 0.02, np.array([0.03, -0.05, 0.01])


def every_path(n_a, n_b, i=0, j=0):
    """Every sequence of moves: a step of a, a step of b, or one of each at one place."""
    if i == n_a and j == n_b:
        yield ()
    for by_a, by_b in ((1, 0), (0, 1), (1, 1)):
        if i + by_a <= n_a and j + by_b <= n_b:
            for rest in every_path(n_a, n_b, i + by_a, j + by_b):
                yield ((by_a, by_b), *rest)


def above(path, n_a, n_b):
    """1 where a step of a (row) stands above a step of b (column), one half where beside."""
    won = np.zeros((n_a, n_b))
    i = j = 0
    for by_a, by_b in path:
        if by_a:
            won[i, j + by_b :] = 1.0
        if by_a and by_b:
            won[i, j] = 0.5
        i, j = i + by_a, j + by_b
    return won


def auc_and_gap(a, b, won):
    a_any, b_any = a.sum(axis=1), b.sum(axis=1)
    counts = np.array(
        [a[:, 1] @ won @ b[:, 0], a[:, 0] @ (1.0 - won) @ b[:, 1], a_any @ won @ b_any]
    )
    return PER_AUC * (counts[0] + counts[1]), float(PER_D @ counts)


def worth(auc, gap, penalty, allowance, hard):
    excess = abs(gap) - allowance
    if excess <= (1e-12 if hard else 0.0):
        return auc
    return auc - penalty * excess - 2.0 * hard


def searched(a, b, start_d, penalty, allowance, hard, incumbent=-1e9, n_labels=4096, middle=0.0):
    single_a, single_b = np.ones(len(a), np.uint8), np.ones(len(b), np.uint8)
    return best_labels(
        a, b, single_a, single_b, PER_AUC, PER_D, 0.1, start_d,
        np.array([middle, penalty, -penalty]), penalty, allowance, hard, incumbent, n_labels,
    )


@given(chains, chains, st.floats(-0.6, 0.6), st.floats(0.01, 9.0), st.floats(0.0, 0.2),
       st.booleans(), st.floats(-1.0, 1.0))
def test_the_best_path_is_found(a, b, start_d, penalty, allowance, hard, part):
    if hard:
        penalty = 1e7
    values = []
    for path in every_path(len(a), len(b)):
        auc, gap = auc_and_gap(a, b, above(path, len(a), len(b)))
        values.append(worth(0.1 + auc, start_d + gap, penalty, allowance, hard))
    before, tied, value, thinned = searched(
        a, b, start_d, penalty, allowance, hard, middle=part * min(penalty, 5.0)
    )
    assert thinned == -np.inf
    # At a penalty of 1e7 a rounding of D by 1e-16 is 1e-9 of the value.
    near = 1e-12 + 1e-15 * penalty
    assert value == pytest.approx(max(values), rel=1e-12, abs=near)
    won = np.arange(len(b)) >= before[:, None]
    won = won - 0.5 * ((np.arange(len(b)) == before[:, None]) & (tied[:, None] == 1))
    auc, gap = auc_and_gap(a, b, won)
    assert worth(0.1 + auc, start_d + gap, penalty, allowance, hard) == pytest.approx(
        value, abs=near
    )


@given(chains, chains, st.floats(-0.6, 0.6), st.floats(0.01, 9.0))
def test_one_label_a_cell_is_bounded_by_what_was_thinned(a, b, start_d, penalty):
    best = searched(a, b, start_d, penalty, 0.0, False)[2]
    _, _, value, thinned = searched(a, b, start_d, penalty, 0.0, False, n_labels=1)
    assert value <= best + 1e-12
    assert max(value, thinned) >= best - 1e-12


def test_runs_of_steps_do_not_tie():
    a, b = np.array([[1.0, 1.0]]), np.array([[1.0, 1.0]])
    together = searched(a, b, 0.0, 5.0, 0.0, False)
    no, yes = np.zeros(1, np.uint8), np.ones(1, np.uint8)
    for single_a, single_b in ((no, yes), (yes, no), (no, no)):
        _, tied, value, _ = best_labels(
            a, b, single_a, single_b, PER_AUC, PER_D, 0.1, 0.0, np.array([0.0, 5.0, -5.0]), 5.0,
            0.0, False, -1e9, 8,
        )
        assert not tied.any()
        assert value < together[2]


@given(chains, chains, st.floats(-0.6, 0.6), st.floats(0.01, 9.0))
def test_nothing_beats_the_best(a, b, start_d, penalty):
    best = searched(a, b, start_d, penalty, 0.0, False)[2]
    before, _, value, thinned = searched(a, b, start_d, penalty, 0.0, False, incumbent=best)
    assert before is None
    assert value == best
    assert thinned == -np.inf
