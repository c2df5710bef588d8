"""Kernels of the welfare policy against plain numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairrank._kernels import policy

small = st.integers(-3, 3).map(float)


@st.composite
def rows(draw, max_rows=12, n_groups=3):
    n = draw(st.integers(1, max_rows))
    revenue, utility = (
        np.array(draw(st.lists(small, min_size=n, max_size=n))) for _ in range(2)
    )
    weight = np.empty(0)
    if draw(st.booleans()):
        weight = np.array(draw(st.lists(st.integers(0, 3).map(float), min_size=n, max_size=n)))
    code = np.array(
        draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n)), dtype=np.uint8
    )
    return revenue, utility, weight, code


def counted(weight, n):
    return weight if weight.size else np.ones(n)


@given(rows())
def test_steps_are_the_rows_that_have_a_utility_and_a_weight(case):
    revenue, utility, weight, code = case
    slope, width, start, corner = policy.acceptance_steps(revenue, utility, weight, code, 3)
    mass = counted(weight, revenue.size)
    for g in range(3):
        own = code == g
        moved = own & (utility != 0) & (mass > 0)
        part = slice(start[g], start[g + 1])
        assert slope[part].tolist() == (revenue[moved] / utility[moved]).tolist()
        assert width[part].tolist() == (mass[moved] * np.abs(utility[moved])).tolist()
        first = own & ((utility < 0) | ((utility == 0) & (revenue > 0)))
        assert corner[g, 0] == (mass * utility)[first].sum()
        assert corner[g, 1] == (mass * revenue)[first].sum()
        assert corner[g, 2] == (mass * utility)[own & (utility > 0)].sum()
        assert corner[g, 3] == (mass * utility)[own & (revenue > 0)].sum()


@given(rows())
def test_a_path_is_the_running_sum_of_steps_by_falling_slope(case):
    slope, width, _, _ = case
    width = np.abs(width) + 1.0
    welfare, revenue, mean, high, low = policy.path_of_steps(
        slope, width, np.argsort(-slope), 0.5, 0.25, 1e-12
    )
    values = np.unique(slope)[::-1]
    widths = np.array([width[slope == value].sum() for value in values])
    assert high.tolist() == low.tolist() == values.tolist()
    assert mean == pytest.approx(values)
    assert welfare == pytest.approx(0.5 + np.r_[0, widths.cumsum()])
    assert revenue == pytest.approx(0.25 + np.r_[0, (widths * values).cumsum()])


def test_slopes_a_rounding_apart_are_one_block_and_others_are_not():
    slope = np.array([0.3, 0.1 * 3, 0.3 - 1e-9, -0.3, -0.1 * 3])
    _, _, mean, high, low = policy.path_of_steps(
        slope, np.ones(5), np.argsort(-slope), 0.0, 0.0, 1e-12
    )
    assert mean.size == 3
    assert (high >= low).all()


@given(rows(), st.lists(small, min_size=3, max_size=3), st.floats(0, 1))
def test_a_cut_takes_steps_above_it_and_part_of_those_on_it(case, cut, tie):
    revenue, utility, _, code = case
    cut = np.array(cut)
    found = policy.accept(revenue, utility, code, cut, cut, np.full(3, tie))
    for r, u, g, c in zip(revenue, utility, code, found):
        if u == 0:
            assert c == (r > 0)
            continue
        taken = 1.0 if r / u > cut[g] else 0.0 if r / u < cut[g] else tie
        assert c == (taken if u > 0 else 1.0 - taken)


@given(rows(), st.lists(small, min_size=3, max_size=3))
def test_totals_are_weighted_sums_of_the_groups_rows(case, multiplier):
    revenue, utility, weight, code = case
    multiplier = np.array(multiplier)
    accepted = np.linspace(0, 1, revenue.size)
    sums = policy.totals(accepted, revenue, utility, weight, code, multiplier)
    mass = counted(weight, revenue.size)
    free = revenue > 0
    columns = [
        np.ones(revenue.size), accepted * utility, accepted * revenue, accepted,
        free * utility, free * revenue, free, np.maximum(revenue - multiplier[code] * utility, 0),
    ]
    expected = [np.bincount(code, weights=mass * column, minlength=3) for column in columns]
    assert sums == pytest.approx(np.array(expected).T)
