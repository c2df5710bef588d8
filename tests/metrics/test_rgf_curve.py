"""RGF among the largest burdens, and the area under it."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.metrics import aurgf_score, rgf_curve, rgf_score
from strategies import audits

GRID = np.arange(1, 21) / 20


def curve(burden, group, **options):
    return rgf_curve(None, None, sensitive_features=group, burden=burden, **options)


def area(burden, group, **options):
    return aurgf_score(None, None, sensitive_features=group, burden=burden, **options)


@pytest.fixture(scope="module")
def shared_alike():
    rng = np.random.default_rng(0)
    return rng.random(2000), (rng.random(2000) < 0.2).astype(int)


# ---------------------------------------------------------------- the curve

@given(audits(max_groups=4))
@settings(max_examples=100)
def test_curve_is_the_score_recomputed_among_the_largest_burdens(audit):
    found = curve(audit.burden, audit.group, grid=GRID)
    expected = [
        [oracles.rgf_among_largest(audit.burden, audit.group, q, centred) for q in GRID]
        for centred in (False, True)
    ]
    assert_allclose([found.rgf, found.centered_rgf], expected, rtol=1e-11, atol=1e-11)


@given(audits(max_groups=4))
@settings(max_examples=100)
def test_kept_rows_are_counted_and_ties_at_the_cut_kept_whole(audit):
    found = curve(audit.burden, audit.group, grid=GRID)
    for j, q in enumerate(GRID):
        rows = oracles.kept_rows(audit.burden, q)
        assert found.q_effective[j] == pytest.approx(len(rows) / audit.burden.size)
        counts = np.bincount(audit.group[rows], minlength=audit.n_groups)
        assert_array_equal(found.group_counts[j], counts)
    assert (found.q_effective >= GRID - 1e-9).all()


def test_the_last_point_is_the_score_of_all_rows(shared_alike):
    burden, group = shared_alike
    found = curve(burden, group)
    for name, centered in (("rgf", False), ("centered_rgf", True)):
        expected = rgf_score(
            None, None, sensitive_features=group, burden=burden, centered=centered
        )
        assert getattr(found, name)[-1] == expected


def test_null_reference_is_that_of_the_groups_inside(shared_alike):
    found = curve(*shared_alike)
    share = found.group_counts / found.group_counts.sum(axis=1, keepdims=True)
    expected = 1.0 - np.abs(share[:, 0] - share[:, 1]) / 2.0
    assert_allclose(found.null_reference, expected)


def test_seven_percent_of_a_hundred_rows_are_seven():
    # 0.07 * 100 is 7.000000000000001 in doubles.
    burden, group = np.arange(1.0, 101.0), np.arange(100) % 2
    assert curve(burden, group).group_counts[6].sum() == 7


def test_curve_is_undefined_where_a_group_is_not_inside():
    burden, group = np.arange(1.0, 11.0), np.repeat([0, 1], 5)
    found = curve(burden, group, grid=[0.2, 0.5, 0.6, 1.0])
    assert np.isnan(found.rgf).tolist() == [True, True, False, False]


def test_curve_is_undefined_where_all_burdens_inside_are_tied():
    burden = np.array([0.1, 0.2, 0.3, 0.7, 0.7, 0.7])
    found = curve(burden, [0, 1, 0, 1, 0, 1], grid=[0.5, 1.0])
    assert np.isnan(found.rgf).tolist() == [True, False]
    assert np.isnan(found.centered_rgf).tolist() == [True, False]


@given(audits(max_rows=12))
@settings(max_examples=50)
def test_integer_weights_are_repeated_rows(audit):
    weight = audit.integer_weight
    found = curve(audit.burden, audit.group, grid=GRID, sample_weight=weight)
    expected = curve(
        oracles.repeated(audit.burden, weight), oracles.repeated(audit.group, weight), grid=GRID
    )
    assert_allclose(found.rgf, expected.rgf, rtol=1e-11, atol=1e-12)
    assert_allclose(found.q_effective, expected.q_effective)
    assert_array_equal(found.group_counts, expected.group_counts)


def test_float_weights_keep_a_fraction_of_the_mass():
    burden, group = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1])
    found = curve(burden, group, sample_weight=[1.0, 1.0, 4.0, 4.0], grid=[0.4, 0.5, 0.8, 1.0])
    assert_allclose(found.q_effective, [0.4, 0.8, 0.8, 1.0])
    inside = 1.0 - oracles.rgd_over_mass(burden[2:], group[2:], np.array([4.0, 4.0]))
    assert found.rgf[1] == pytest.approx(inside, abs=1e-12)


# ---------------------------------------------------------------- the area

@given(audits(max_groups=3), st.integers(1, 4))
@settings(max_examples=100)
def test_area_is_that_of_the_definition(audit, min_group_size):
    for centered in (False, True):
        expected, q_min = oracles.aurgf(audit.burden, audit.group, GRID, min_group_size, centered)
        found = curve(audit.burden, audit.group, grid=GRID, min_group_size=min_group_size)
        assert found.q_min == q_min
        value = found.centered_area if centered else found.area
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-11, nan_ok=True)


def test_area_alone_is_the_curve_s(shared_alike):
    found = curve(*shared_alike)
    assert area(*shared_alike) == found.area
    assert area(*shared_alike, centered=True) == found.centered_area


def test_grid_is_hundredths_and_thirty_rows_a_group_by_default(shared_alike):
    found = curve(*shared_alike)
    assert_allclose(found.q, np.arange(1, 101) / 100)
    assert found.min_group_size == 30
    first = np.flatnonzero(found.q == found.q_min)[0]
    assert found.group_counts[first].min() >= 30 > found.group_counts[first - 1].min()


def test_a_minimum_group_size_frees_the_area_from_the_step_of_the_grid(shared_alike):
    areas = [
        area(*shared_alike, grid=np.arange(1, 1 + n) / n, min_group_size=30)
        for n in (200, 100, 50)
    ]
    assert np.ptp(areas) < 0.02


def test_area_is_nan_when_a_group_is_too_small_before_all_rows_are_in():
    rng = np.random.default_rng(0)
    burden, group = rng.random(100), np.arange(100) < 30
    found = curve(burden, group, min_group_size=31)
    assert found.q_min == 1.0
    assert np.isnan(found.area)


def test_area_is_nan_when_burdens_inside_are_all_tied():
    burden = np.array([0.1, 0.2, 0.3, 0.7, 0.7, 0.7])
    group = [0, 1, 0, 1, 0, 1]
    assert np.isnan(area(burden, group, grid=[0.5, 1.0], min_group_size=1))


# ---------------------------------------------------------------- what a user can get wrong

@pytest.mark.parametrize(
    "grid", [[], [0.0, 1.0], [0.5, 0.9], [0.5, 0.5, 1.0], [0.9, 0.5, 1.0], [0.5, 1.5]]
)
def test_a_grid_that_does_not_ascend_to_one_is_refused(grid):
    with pytest.raises(ValueError, match="grid must ascend strictly"):
        curve([0.1, 0.2], ["a", "b"], grid=grid)


def test_a_minimum_group_size_of_zero_is_refused():
    with pytest.raises(ValueError, match="min_group_size must be at least 1"):
        curve([0.1, 0.2], ["a", "b"], min_group_size=0)


def test_constant_burdens_have_no_curve():
    with pytest.raises(DegenerateGroupError, match="burden is constant"):
        curve([0.2, 0.2], ["a", "b"])


@pytest.mark.parametrize(
    ("burden", "group", "message"),
    [([0.2, 0.2], ["a", "b"], "constant"), ([0.1, 0.2], ["a", "a"], "one group only")],
)
def test_an_undefined_area_is_nan_on_request_with_a_warning(burden, group, message):
    with pytest.raises(DegenerateGroupError, match=message):
        area(burden, group)
    with pytest.warns(UndefinedMetricWarning, match=message):
        assert np.isnan(area(burden, group, undefined="nan"))


# ---------------------------------------------------------------- the result

def test_result_says_what_the_area_rests_on(shared_alike):
    text = repr(curve(*shared_alike))
    for part in ("area=", "q in [", "100 grid points", "min_group_size=30", "null_reference(1)="):
        assert part in text


def test_result_is_ready_for_json(shared_alike):
    found = curve(*shared_alike)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["groups"] == ["0", "1"]
    assert_allclose(read["rgf"], found.rgf)


def test_result_cannot_be_changed(shared_alike):
    with pytest.raises(AttributeError):
        curve(*shared_alike).area = 1.0
