"""How RGF moves as burdens part, where it ends, and where it is undefined."""

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
