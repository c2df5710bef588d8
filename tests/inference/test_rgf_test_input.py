"""What `rgf_test` refuses, and what it leaves out and says so."""

import numpy as np
import pytest

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference import rgf_test


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    return (rng.random(200) < p).astype(int), p, rng.choice(["a", "b"], 200)


def with_burden(burden, group, **options):
    return rgf_test(None, None, sensitive_features=group, burden=burden, **options)


@pytest.mark.parametrize(
    ("burden", "group", "message"),
    [
        ([0.3, 0.3, 0.3], ["a", "b", "a"], "burden is constant"),
        ([0.0, 0.0, 0.0], ["a", "b", "a"], r"burden is constant \(0 in all 3"),
        ([0.1, 0.2, 0.3], ["a", "a", "a"], "one group only"),
        ([0.1], ["a"], "one group only"),
        ([], [], "empty"),
    ],
    ids=["constant", "zero", "one group", "one row", "no row"],
)
def test_what_cannot_be_tested_is_an_error(burden, group, message):
    with pytest.raises(DegenerateGroupError, match=message):
        with_burden(burden, group)


@pytest.mark.parametrize(
    ("burden", "message"),
    [([0.1, np.nan, 0.2], "burden has 1 NaN"), ([0.1, -0.5, 0.2], "1 negative values")],
)
def test_burdens_that_are_no_losses_are_refused(burden, message):
    with pytest.raises(ValueError, match=message):
        with_burden(burden, ["a", "b", "a"])


def test_logits_are_named_as_such():
    with pytest.raises(ValueError, match="look like logits"):
        rgf_test([0, 1, 1], [-1.0, 2.0, 0.5], sensitive_features=["a", "b", "a"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "bootstrap"}, "reference must be one of"),
        ({"method": "asymptotic"}, "method must be one of"),
        ({"comparisons": "tukey"}, "comparisons must be one of"),
        ({"n_permutations": 0}, "n_permutations must be at least 1"),
        ({"stop_after": 0}, "stop_after must be at least 1"),
        ({"top": 0.0}, r"top must lie in \(0, 1\]"),
        ({"recalibrate": True}, "recalibrate=True belongs to reference='calibrated'"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        with_burden([0.1, 0.2, 0.3], ["a", "b", "a"], **options)


def test_rows_without_a_group_are_refused_counted_or_kept(scored):
    y, p, group = scored
    group = group.astype(object)
    group[:5] = None
    with pytest.raises(ValueError, match="5 of 200"):
        rgf_test(y, p, sensitive_features=group)
    dropped = rgf_test(y, p, sensitive_features=group, missing="drop", n_permutations=9)
    assert (dropped.n_samples, dropped.n_dropped) == (195, 5)
    kept = rgf_test(y, p, sensitive_features=group, missing="group", n_permutations=9)
    assert sorted(row.n_samples for row in kept.groups)[0] == 5


def test_dropping_rows_is_leaving_them_out(scored):
    y, p, group = scored
    named = group.astype(object)
    named[::7] = None
    left = np.array([name is not None for name in named])
    options = {"strata": "outcome", "n_permutations": 50, "random_state": 0}
    found = rgf_test(y, p, sensitive_features=named, missing="drop", **options)
    expected = rgf_test(y[left], p[left], sensitive_features=group[left], **options)
    assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)


def test_small_groups_are_left_out_and_listed(scored):
    y, p, group = scored
    group = group.astype(object)
    group[:3] = "tiny"
    found = rgf_test(y, p, sensitive_features=group, min_group_rows=10, n_permutations=9)
    assert found.groups_left_out == (("tiny", 3),)
    assert [row.group for row in found.groups] == ["a", "b"]
    assert found.n_samples == 197


def test_leaving_out_all_groups_but_one_is_an_error(scored):
    y, p, _ = scored
    group = np.repeat(["a", "b"], [195, 5])
    with pytest.raises(DegenerateGroupError, match="one group only, 'a'"):
        rgf_test(y, p, sensitive_features=group, min_group_rows=10)


@pytest.mark.parametrize(
    ("burden", "name"),
    [("squared", "squared"), (lambda y, p: y + p, "<lambda>")],
)
def test_result_names_the_burden(scored, burden, name):
    y, p, group = scored
    found = rgf_test(y, p, sensitive_features=group, burden=burden, n_permutations=9)
    assert found.burden == name


def test_result_says_when_burdens_were_given():
    assert with_burden([0.1, 0.2, 0.3], ["a", "b", "a"]).burden == "given"


def test_tied_rows_are_counted():
    found = with_burden([0.1, 0.2, 0.2, 0.3, 0.3, 0.3], ["a", "b"] * 3, n_permutations=9)
    assert found.n_tied == 5
