"""RGF and RGD: the definition, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles
from fairrank.metrics import rgd_score, rgf_score
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from strategies import audits

# On a handful of rows the burdens are always "nearly constant"; its own test is below.
pytestmark = pytest.mark.filterwarnings("ignore::fairrank.exceptions.SmallGroupWarning")


def score(burden, group, **options):
    return rgf_score(None, None, sensitive_features=group, burden=burden, **options)


def both(burden, group, **options):
    """Plain and centred."""
    return [score(burden, group, centered=centered, **options) for centered in (False, True)]


# ---------------------------------------------------------------- the definition

@given(audits(max_groups=5, max_rows=40))
def test_scores_are_those_of_the_definition(audit):
    expected = [oracles.rgf(audit.burden, audit.group, centred) for centred in (False, True)]
    assert_allclose(both(audit.burden, audit.group), expected, atol=1e-12, rtol=1e-12)


def test_paths_worked_out_by_hand():
    # v = (.1, .2, .3, .4), a = rows 1 and 4: s_a = .5, so D_k = E_a - E_b.
    burden, group = [1.0, 2.0, 3.0, 4.0], ["a", "b", "b", "a"]
    distance = abs(0.1) + abs(0.1 - 0.2) + abs(0.1 - 0.5) + 0.0
    area = (-3 * 0.1) + (-1 * 0.2) + (1 * 0.3) + (3 * 0.4)
    assert score(burden, group) == pytest.approx(1 - distance / area, abs=1e-15)


@given(audits())
def test_distance_is_one_minus_the_score(audit):
    for centered in (False, True):
        options = {"sensitive_features": audit.group, "burden": audit.burden, "centered": centered}
        assert rgd_score(None, None, **options) == 1.0 - rgf_score(None, None, **options)


def test_absolute_and_squared_burdens_come_from_outcome_and_score():
    rng = np.random.default_rng(0)
    y, p, group = rng.integers(0, 2, 50), rng.random(50), rng.integers(0, 2, 50)
    loss = np.abs(y - p)
    assert rgf_score(y, p, sensitive_features=group) == pytest.approx(oracles.rgf(loss, group))
    assert rgf_score(y, p, sensitive_features=group, burden="squared") == pytest.approx(
        oracles.rgf(loss**2, group)
    )


def test_a_callable_burden_sees_outcomes_of_zero_and_one():
    rng = np.random.default_rng(0)
    y, p, group = rng.choice(["no", "yes"], 50), rng.random(50), rng.integers(0, 2, 50)
    found = rgf_score(
        y, p, sensitive_features=group, pos_label="yes",
        burden=lambda y, p: np.where(y == 1, 3.0 * (1 - p), p),
    )
    expected = oracles.rgf(np.where(y == "yes", 3.0 * (1 - p), p), group)
    assert found == pytest.approx(expected, abs=1e-12)


def test_several_columns_are_read_as_their_intersections():
    rng = np.random.default_rng(0)
    burden, columns = rng.random(60), rng.integers(0, 2, (60, 2))
    assert score(burden, columns) == score(burden, columns[:, 0] * 2 + columns[:, 1])


# ---------------------------------------------------------------- what must not change it

@given(audits(kinds=("tied", "two-valued", "tied within rounding")))
def test_order_of_tied_rows_changes_nothing_at_all(audit):
    moved = np.arange(audit.burden.size)
    for block in oracles.tie_blocks(audit.burden):
        # Only equal burdens change places: those within rounding would sort back.
        for value in np.unique(audit.burden[block]):
            rows = np.flatnonzero(audit.burden == value)
            moved[rows] = rows[np.argsort(audit.order[rows])]
    assert both(audit.burden, audit.group) == both(audit.burden, audit.group[moved])


@given(audits(max_groups=5))
def test_order_of_rows_changes_nothing_at_all(audit):
    moved = both(audit.burden[audit.order], audit.group[audit.order])
    assert both(audit.burden, audit.group) == moved


@given(audits(max_groups=2))
def test_swapping_two_groups_changes_nothing_at_all(audit):
    assert both(audit.burden, audit.group) == both(audit.burden, 1 - audit.group)


@given(audits(max_groups=5), st.permutations(range(5)))
def test_names_of_the_groups_change_nothing(audit, names):
    renamed = np.array(names)[audit.group]
    assert_allclose(both(audit.burden, renamed), both(audit.burden, audit.group), rtol=1e-12)


@given(audits(), st.integers(-30, 30))
def test_a_power_of_two_in_the_unit_changes_nothing_at_all(audit, exponent):
    assert both(audit.burden * 2.0**exponent, audit.group) == both(audit.burden, audit.group)


@given(audits(), st.floats(1e-6, 1e6))
def test_the_unit_of_the_burden_changes_nothing(audit, unit):
    assert_allclose(
        both(audit.burden * unit, audit.group), both(audit.burden, audit.group),
        rtol=1e-12, atol=1e-12,
    )


# ---------------------------------------------------------------- ties

def test_burdens_that_differ_by_rounding_are_tied():
    # |1 - 0.7| and |0 - 0.3| differ in doubles.
    y, p = np.array([1, 0, 1, 0, 1]), np.array([0.7, 0.3, 0.3, 0.7, 0.05])
    assert np.unique(np.abs(y - p)).size == 4
    sample = audit_sample(y, p, sensitive_features=["a", "b", "b", "a", "b"])
    assert sorted_burdens(sample).n_tied == 4


def test_true_ties_among_small_burdens_are_found():
    # 1 - 0.9999 and 0.0001 differ by 1e-12 of themselves, far less of the largest burden.
    y, p = np.array([1, 0, 1, 0]), np.array([0.9999, 0.0001, 0.2, 0.5])
    sample = audit_sample(y, p, sensitive_features=["a", "b", "b", "a"])
    assert sorted_burdens(sample).n_tied == 2


def test_a_wider_tolerance_ties_more():
    burden, group = np.array([0.10, 0.11, 0.50, 0.52, 1.0]), np.array([0, 1, 1, 0, 0])
    coarse = np.array([0.105, 0.105, 0.51, 0.51, 1.0])
    assert score(burden, group, tie_tolerance=0.03) == pytest.approx(
        oracles.rgf(coarse, group), abs=1e-12
    )


# ---------------------------------------------------------------- weights

@given(audits(max_rows=12))
def test_integer_weights_are_repeated_rows(audit):
    weight = audit.integer_weight
    repeated = both(oracles.repeated(audit.burden, weight), oracles.repeated(audit.group, weight))
    assert_allclose(
        both(audit.burden, audit.group, sample_weight=weight), repeated, atol=1e-13, rtol=1e-13
    )


@given(audits())
def test_integer_weights_of_one_change_nothing_at_all(audit):
    ones = np.ones(audit.burden.size, dtype=int)
    assert both(audit.burden, audit.group, sample_weight=ones) == both(audit.burden, audit.group)


@given(audits())
def test_rows_of_weight_zero_are_not_there(audit):
    n = audit.burden.size
    burden = np.append(audit.burden, audit.burden)
    group = np.append(audit.group, audit.group[::-1])
    for kind in (int, float):
        weight = np.repeat([1, 0], n).astype(kind)
        alone = both(audit.burden, audit.group, sample_weight=weight[:n])
        assert both(burden, group, sample_weight=weight) == alone


@given(audits(max_groups=4))
def test_float_weights_are_integrated_over(audit):
    expected = [
        1.0 - oracles.rgd_over_mass(audit.burden, audit.group, audit.float_weight, centred)
        for centred in (False, True)
    ]
    found = both(audit.burden, audit.group, sample_weight=audit.float_weight)
    assert_allclose(found, expected, atol=1e-12, rtol=1e-12)


@given(audits(), st.floats(1e-3, 1e3))
def test_the_unit_of_float_weights_changes_nothing(audit, unit):
    weight = audit.float_weight
    assert_allclose(
        both(audit.burden, audit.group, sample_weight=weight * unit),
        both(audit.burden, audit.group, sample_weight=weight), rtol=1e-11, atol=1e-12,
    )


def test_equal_float_weights_come_close_to_none():
    # The sum over ranks and the integral differ only where a path changes sign between ranks.
    rng = np.random.default_rng(0)
    burden, group = rng.random(2000), rng.random(2000) < 0.2
    weight = np.full(2000, 0.37)
    assert both(burden, group, sample_weight=weight) == pytest.approx(
        both(burden, group), abs=1e-4
    )


@pytest.mark.filterwarnings("error::fairrank.exceptions.SmallGroupWarning")
def test_weights_that_sum_to_one_are_not_taken_for_one_row():
    rng = np.random.default_rng(0)
    burden, group = rng.random(2000), rng.random(2000) < 0.2
    assert score(burden, group, sample_weight=np.full(2000, 1 / 2000)) < 1.0
