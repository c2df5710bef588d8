"""Rows to steps and steps to places, against numpy and plain Python."""

import numpy as np
import pytest
from fairrank._kernels.steps import (
    count_codes,
    give_to_rows,
    mid_ranks,
    pairs_by_score,
    steps_of_rows,
)
from hypothesis import given
from hypothesis import strategies as st

rows = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(1, 3)), min_size=1, max_size=25
)


def arrays(table):
    score, outcome, weight = map(np.array, zip(*table))
    return score * 1.0, outcome, weight * 1.0


@given(st.lists(st.integers(0, 5), max_size=30))
def test_codes_are_counted(codes):
    codes = np.array(codes, dtype=np.uint16)
    assert count_codes(codes, 6).tolist() == np.bincount(codes, minlength=6).tolist()


def steps_of(table):
    """Scores, negatives and positives of the steps of one group."""
    score, outcome, weight = arrays(table)
    steps = steps_of_rows(
        np.argsort(-score), score, outcome.astype(np.uint16), weight, np.array([0, score.size])
    )
    n_steps = steps[5][0]
    return steps[2][::-1][:n_steps], steps[3][:n_steps], steps[4][:n_steps]


def won_by(score, weight, positive, negative):
    """Weight of pairs of these rows, the former placed better; ties one half."""
    won = 0.0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(negative):
            won += weight[i] * weight[j] * (0.5 * (score[i] == score[j]) + (score[i] > score[j]))
    return won


@given(rows, st.integers(1, 3), st.booleans())
def test_equal_scores_of_a_group_are_one_step(table, n_groups, weighted):
    score, outcome, weight = arrays(table)
    group = np.arange(score.size) * 7 % 5 % n_groups
    first = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=n_groups))))
    code = (2 * group + outcome).astype(np.uint16)
    if not weighted:
        weight = np.ones(score.size)
    rows, opens, scores, negatives, positives, n_steps, concordant = steps_of_rows(
        np.argsort(-score), score, code, weight if weighted else None, first
    )
    for g, begin in enumerate(first[:-1]):
        own = group == g
        row = rows[begin : first[g + 1]]
        start = np.append(np.flatnonzero(opens[begin : first[g + 1]]), row.size)
        of_step = scores[first[g + 1] - n_steps[g] : first[g + 1]][::-1]
        assert of_step.tolist() == sorted(set(score[own].tolist()), reverse=True)
        for s, value in enumerate(of_step):
            here = own & (score == value)
            assert sorted(row[start[s] : start[s + 1]]) == np.flatnonzero(here).tolist()
            assert positives[begin + s] == weight[here & (outcome == 1)].sum()
            assert negatives[begin + s] == weight[here & (outcome == 0)].sum()
        assert concordant[g] == won_by(score, weight, own & (outcome == 1), own & (outcome == 0))


def test_rows_of_many_lookups_keep_their_order():
    rng = np.random.default_rng(0)
    score = rng.random(3000)
    code = rng.integers(0, 4, 3000).astype(np.uint16)
    first = np.concatenate(([0], np.cumsum(np.bincount(code >> 1))))
    row = np.argsort(-score)
    expected = np.concatenate([row[code[row] >> 1 == g] for g in (0, 1)])
    rows, _, scores, negatives, positives, *_ = steps_of_rows(row, score, code, None, first)
    assert rows.tolist() == expected.tolist()
    assert scores.tolist() == np.concatenate(
        [np.sort(score[code >> 1 == g]) for g in (0, 1)]
    ).tolist()
    assert positives.tolist() == (code[expected] & 1).tolist()
    assert negatives.tolist() == (1 - (code[expected] & 1)).tolist()


@given(rows, rows)
def test_pairs_across_chains_count_ties_one_half(first, second):
    steps = []
    for table in (first, second):
        steps.append(steps_of(table))
    (s, s_neg, s_pos), (t, t_neg, t_pos) = steps
    above = (s[:, None] > t) + 0.5 * (s[:, None] == t)
    counts = pairs_by_score(s[::-1].copy(), s_neg, s_pos, t[::-1].copy(), t_neg, t_pos)
    assert counts.tolist() == [
        s_pos @ above @ t_neg, s_neg @ (1.0 - above) @ t_pos,
        (s_neg + s_pos) @ above @ (t_neg + t_pos),
    ]


@st.composite
def placed_steps(draw):
    """Masses of two chains, and places: each holds a step of a, of b, or one of each."""
    places = draw(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=10))
    masses = {
        chain: np.array([draw(st.integers(1, 3)) for place in places if chain in place], float)
        for chain in "ab"
    }
    return places, masses["a"], masses["b"]


@given(placed_steps())
def test_mid_ranks_halve_what_stands_beside(placed):
    places, a, b = placed
    total, above, i, j = a.sum() + b.sum(), 0.0, 0, 0
    before, tied, a_expected, b_expected = [], [], [], []
    for place in places:
        own = (a[i] if "a" in place else 0.0) + (b[j] if "b" in place else 0.0)
        rank = 1.0 - (above + own / 2.0) / total
        if "a" in place:
            before.append(j)
            a_expected.append(rank)
            if "b" in place:
                tied.append(i)
            i += 1
        if "b" in place:
            b_expected.append(rank)
            j += 1
        above += own
    part = 0.25  # of every step is negative
    a_rank, b_rank, counts, apart = mid_ranks(
        part * a, (1 - part) * a, part * b, (1 - part) * b, np.arange(a.size + 1),
        np.arange(b.size + 1), np.array(before, np.intp), np.array(tied, np.intp), total,
    )
    assert a_rank.tolist() == pytest.approx(a_expected)
    assert b_rank.tolist() == pytest.approx(b_expected)
    assert apart
    expected = pairs_by_score(
        a_rank[::-1], part * a, (1 - part) * a, b_rank[::-1], part * b, (1 - part) * b
    )
    assert counts.tolist() == expected.tolist()


@pytest.mark.parametrize("n_before", [0, 1])
def test_masses_that_are_lost_beside_others_are_not_apart(n_before):
    for mass, expected in ((1.0, True), (1e-20, False)):
        small, none = np.full(2, mass), np.array([], np.intp)
        before = np.full(2, n_before)
        *_, apart = mid_ranks(
            small, np.zeros(2), np.ones(1), np.zeros(1), np.arange(3), np.arange(2), before, none,
            1.0 + 2.0 * mass,
        )
        assert apart == expected


def test_the_steps_of_a_block_follow_one_another():
    a, b = np.array([1.0, 2.0, 1.0]), np.array([3.0, 1.0])
    none = np.zeros(3), np.zeros(2)
    a_rank, b_rank, *_ = mid_ranks(
        a, none[0], b, none[1], np.array([0, 2, 3]), np.array([0, 2]), np.array([0, 1]),
        np.array([], np.intp), 8.0,
    )
    # a0, a1, b0, b1, a2 with masses 1, 2, 3, 1, 1.
    assert a_rank.tolist() == pytest.approx([1 - 0.5 / 8, 1 - 2 / 8, 1 - 7.5 / 8])
    assert b_rank.tolist() == pytest.approx([1 - 4.5 / 8, 1 - 6.5 / 8])


def test_rows_take_the_value_of_their_step():
    out = np.full(4, np.nan)
    opens = np.array([1, 1, 0], dtype=np.uint8)
    give_to_rows(np.array([0.9, 0.2]), opens, np.array([3, 0, 1], dtype=np.uint32), out)
    assert out[[3, 0, 1]].tolist() == [0.9, 0.2, 0.2]
    assert np.isnan(out[2])
