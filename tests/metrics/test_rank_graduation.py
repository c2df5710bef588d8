"""RGF and RGD: the definition, and what must not change them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles
from fairrank.exceptions import DegenerateGroupError, SmallGroupWarning, UndefinedMetricWarning
from fairrank.metrics import rgd_score, rgf_score
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from fairrank.metrics._rank_graduation import measure_separation
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
    assert np.unique(np.abs(y - p)).size == 5
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
    burden, group = np.append(audit.burden, audit.burden), np.append(audit.group, audit.group[::-1])
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


# ---------------------------------------------------------------- how it moves

@given(audits(max_groups=5))
def test_scores_never_exceed_one(audit):
    assert max(both(audit.burden, audit.group)) <= 1.0


@given(audits(max_groups=2))
@settings(max_examples=50)
def test_the_same_burdens_in_both_groups_are_fair(audit):
    burden, group = np.tile(audit.burden, 2), np.repeat(["a", "b"], audit.burden.size)
    assert both(burden, group) == pytest.approx([1.0, 1.0], abs=1e-12)


@given(audits(max_groups=2, max_rows=12), st.integers(2, 5))
@settings(max_examples=50)
def test_the_same_burdens_in_unequal_groups_give_the_null_reference(audit, times):
    burden = np.tile(audit.burden, 1 + times)
    group = np.repeat([0] + [1] * times, audit.burden.size)
    expected = [oracles.null_reference(group), 1.0]
    assert both(burden, group) == pytest.approx(expected, abs=1e-12)


@given(audits(max_groups=2), st.integers(0, 1))
def test_a_group_without_any_burden_leaves_one_minus_its_share(audit, empty):
    burden = np.where(audit.group == empty, 0.0, audit.burden + 0.1)
    assume(len(oracles.tie_blocks(burden)) > 1)
    assert score(burden, audit.group, centered=True) == pytest.approx(
        1.0 - np.mean(audit.group == empty), abs=1e-11
    )


def test_scores_below_zero_are_not_clipped():
    burden = 1.0 + np.arange(40) * 1e-6
    group = np.arange(40) < 10
    found = both(burden, group)
    assert found == pytest.approx(
        [oracles.rgf(burden, group), oracles.rgf(burden, group, True)], rel=1e-6
    )
    assert max(found) < -1.0


def test_plain_score_rises_and_centred_falls_as_a_minority_is_burdened_more():
    # Beta(2, 8) burdens, 90:10, the minority's times f: the numbers of the spec's table.
    plain = np.array([0.61, 0.83, 0.84, 0.79, 0.68, 0.61])
    centred = np.array([0.99, 0.71, 0.55, 0.40, 0.28, 0.21])
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], [18_000, 2_000])
    burden = rng.beta(2, 8, size=20_000)
    found = np.array(
        [both(burden * np.where(group == 1, f, 1), group) for f in (1, 2, 3, 5, 9, 15)]
    )
    assert_allclose(found[:, 0], plain, atol=0.012)
    assert_allclose(found[:, 1], centred, atol=0.012)
    assert (np.diff(found[:, 1]) < 0).all()


@pytest.mark.parametrize(
    ("minority", "reference"), [(0.5, 1.0), (0.3, 0.8), (0.1, 0.6), (0.02, 0.52)]
)
def test_null_reference_is_one_minus_half_the_gap_in_size(minority, reference):
    group = (np.arange(1000) < 1000 * minority).astype(int)
    sample = audit_sample(
        None, None, sensitive_features=group, burden=np.random.default_rng(0).random(1000)
    )
    measured = measure_separation(sorted_burdens(sample))
    assert measured.null_reference == pytest.approx(reference, abs=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("minority", "plain", "centred"),
    [(0.5, 0.986, 0.986), (0.3, 0.801, 0.986), (0.1, 0.598, 0.99), (0.02, 0.520, 0.99)],
)
def test_scores_of_groups_that_share_alike_average_the_published_null_means(
    minority, plain, centred
):
    rng = np.random.default_rng(0)
    group = np.arange(4000) < 4000 * minority
    found = np.array([both(rng.random(4000), group) for _ in range(200)]).mean(axis=0)
    assert found[0] == pytest.approx(plain, abs=0.004)
    assert found[1] == pytest.approx(centred, abs=0.008)


# ---------------------------------------------------------------- degenerate input

UNDEFINED = {
    "constant burden": ([0.3, 0.3, 0.3], ["a", "b", "a"], r"burden is constant \(0\.3 in all 3"),
    "all burdens zero": ([0.0, 0.0, 0.0], ["a", "b", "a"], r"burden is constant \(0 in all 3"),
    "one group": ([0.1, 0.2, 0.3], ["a", "a", "a"], "one group only, 'a'"),
    "one row": ([0.1], ["a"], r"one group only, 'a' \(1 rows\)"),
    "no row": ([], [], "empty"),
}


@pytest.mark.parametrize("name", UNDEFINED)
@pytest.mark.parametrize("metric", [rgf_score, rgd_score])
def test_an_undefined_score_is_an_error(metric, name):
    burden, group, message = UNDEFINED[name]
    with pytest.raises(DegenerateGroupError, match=message):
        metric(None, None, sensitive_features=group, burden=burden)


@pytest.mark.parametrize("name", UNDEFINED)
@pytest.mark.parametrize("metric", [rgf_score, rgd_score])
def test_an_undefined_score_is_nan_on_request_with_a_warning(metric, name):
    burden, group, message = UNDEFINED[name]
    with pytest.warns(UndefinedMetricWarning, match=f"NaN is returned: .*{message}"):
        found = metric(None, None, sensitive_features=group, burden=burden, undefined="nan")
    assert np.isnan(found)


def test_a_group_without_weight_is_an_error_or_nan():
    arguments = ([0.1, 0.2, 0.3], ["a", "b", "a"])
    with pytest.raises(DegenerateGroupError, match="0 in every row of group 'b'"):
        score(*arguments, sample_weight=[1, 0, 1])
    with pytest.warns(UndefinedMetricWarning, match="0 in every row of group 'b'"):
        assert np.isnan(score(*arguments, sample_weight=[1, 0, 1], undefined="nan"))


@pytest.mark.parametrize(
    ("burden", "message"),
    [
        ([0.1, np.nan, 0.2], "burden has 1 NaN"),
        ([0.1, np.inf, 0.2], "1 infinite"),
        ([0.1, -0.2, 0.2], r"burden has 1 negative values \(smallest -0\.2\)"),
    ],
)
def test_burdens_that_are_no_losses_are_refused_even_when_nan_is_asked_for(burden, message):
    with pytest.raises(ValueError, match=message):
        score(burden, ["a", "b", "a"], undefined="nan")


def test_logits_are_named_as_such():
    with pytest.raises(ValueError, match=r"from -2 to 3\. These look like logits"):
        rgf_score([0, 1, 1], [-2.0, 3.0, 0.5], sensitive_features=["a", "b", "a"])


def test_nearly_constant_burdens_are_warned_about():
    rng = np.random.default_rng(0)
    with pytest.warns(SmallGroupWarning, match="burden is nearly constant .* on 500 rows"):
        score(1.0 + 0.01 * rng.random(500), rng.random(500) < 0.3)


def test_an_unknown_word_for_undefined_is_refused():
    with pytest.raises(ValueError, match="undefined must be one of 'raise', 'nan'"):
        score([0.1, 0.2], ["a", "b"], undefined="zero")


def test_metrics_tell_scorers_their_direction():
    assert rgf_score.greater_is_better is True
    assert rgd_score.greater_is_better is False
