"""Pairs of groups, one group against the rest, and adjustment for how many there are."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles
from fairrank.inference import rgf_test
from strategies import audits, movable

SMALL = audits(min_rows=7, max_rows=8, max_groups=3, n_strata=2)


def test_of(burden, group, **options):
    return rgf_test(None, None, sensitive_features=group, burden=burden, **options)


test_of.__test__ = False


def exact_comparison(burden, in_first, strata):
    """T, E[T] and p when labels change places inside `strata` only."""
    observed = oracles.statistic(burden, in_first, strata)
    every = [
        oracles.statistic(burden, labels, strata)
        for labels in oracles.labellings(in_first, strata)
    ]
    tolerance = 1e-9 * max(observed, np.mean(every))
    return observed, np.mean(every), oracles.exact_pvalue(every, observed, tolerance)


@pytest.fixture(scope="module")
def four_groups():
    rng = np.random.default_rng(0)
    group = np.array(list("abcd"))[rng.integers(0, 4, 400)]
    return rng.random(400) * np.where(group == "d", 1.6, 1.0), group


@given(SMALL, st.booleans())
@settings(max_examples=25)
def test_a_pair_exchanges_its_own_labels_only(audit, stratified):
    assume(audit.n_groups == 3)
    assume(movable(audit, audit.strata if stratified else None))
    found = test_of(
        audit.burden, audit.group, comparisons="pairs",
        strata=audit.strata if stratified else np.zeros(audit.group.size),
    )
    for pair in found.pairs:
        strata = oracles.pair_strata(
            audit.group, audit.strata if stratified else None, pair.first, pair.second
        )
        statistic, mean, pvalue = exact_comparison(
            audit.burden, audit.group == pair.first, strata
        )
        assert pair.statistic == pytest.approx(statistic, rel=1e-10, abs=1e-13)
        assert pair.expected_statistic == pytest.approx(mean, rel=1e-10, abs=1e-13)
        if mean > 1e-13:
            assert pair.pvalue == pytest.approx(pvalue, abs=1e-12)
        else:
            assert np.isnan(pair.pvalue)


@given(SMALL)
@settings(max_examples=25)
def test_one_against_the_rest_is_the_test_of_two_groups(audit):
    assume(audit.n_groups == 3)
    found = test_of(audit.burden, audit.group, comparisons="one_vs_rest")
    for row in found.one_vs_rest:
        two = test_of(audit.burden, audit.group == row.first)
        assert row.second is None
        assert row.statistic == pytest.approx(two.statistic, rel=1e-10, abs=1e-14)
        assert row.pvalue == pytest.approx(two.pvalue, abs=1e-12)


@given(SMALL)
@settings(max_examples=25)
def test_max_t_compares_with_the_largest_standardised_pair(audit):
    assume(audit.n_groups == 3)
    found = test_of(audit.burden, audit.group, comparisons="pairs")
    pairs = oracles.pairs_of(audit.group)

    def pair_values(group):
        paths = oracles.centred_paths(audit.burden, group)
        return [((paths[g] - paths[h]) ** 2).sum() for g, h in pairs]

    every = np.array([pair_values(labels) for labels in oracles.labellings(audit.group)])
    largest = (every / every.mean(axis=0)).max(axis=1)
    observed = np.array(pair_values(audit.group)) / every.mean(axis=0)
    for pair, value in zip(found.pairs, observed):
        expected = np.mean(largest >= value - 1e-9 * max(value, 1.0))
        assert pair.pvalue_max_t == pytest.approx(expected, abs=1e-12)


def test_pairs_are_adjusted_together(four_groups):
    found = test_of(*four_groups, n_permutations=199, random_state=0)
    pvalues = [pair.pvalue for pair in found.pairs]
    assert_allclose([pair.pvalue_holm for pair in found.pairs], oracles.holm(pvalues))
    pvalues = [row.pvalue for row in found.one_vs_rest]
    assert_allclose([row.pvalue_holm for row in found.one_vs_rest], oracles.holm(pvalues))


def test_the_harmed_group_is_the_one_that_differs(four_groups):
    found = test_of(*four_groups, n_permutations=999, random_state=0)
    for pair in found.pairs:
        assert (pair.pvalue_holm < 0.05) == (pair.second == "d")
        assert (pair.pvalue_max_t < 0.05) == (pair.second == "d")
    assert max(found.one_vs_rest, key=lambda row: row.effect_size).first == "d"


@pytest.mark.parametrize(
    ("comparisons", "n_pairs", "n_rest"),
    [("none", 0, 0), ("pairs", 6, 0), ("one_vs_rest", 0, 4), ("all", 6, 4), ("auto", 6, 4)],
)
def test_comparisons_are_those_asked_for(four_groups, comparisons, n_pairs, n_rest):
    found = test_of(*four_groups, comparisons=comparisons, n_permutations=19)
    assert (len(found.pairs), len(found.one_vs_rest)) == (n_pairs, n_rest)


def test_two_groups_are_one_comparison_already():
    rng = np.random.default_rng(0)
    found = test_of(rng.random(50), rng.integers(0, 2, 50), comparisons="all", n_permutations=19)
    assert found.pairs == found.one_vs_rest == ()


def test_more_than_ten_groups_are_compared_on_request_only():
    rng = np.random.default_rng(0)
    burden, group = rng.random(220), np.arange(220) % 11
    assert test_of(burden, group, n_permutations=9).pairs == ()
    assert len(test_of(burden, group, n_permutations=9, comparisons="pairs").pairs) == 55


def test_a_pair_that_never_shares_a_stratum_has_no_p(four_groups):
    burden, group = four_groups
    strata = np.isin(group, ["c", "d"])
    found = test_of(burden, group, strata=strata, n_permutations=99, random_state=0)
    for pair in found.pairs:
        together = {pair.first, pair.second} in ({"a", "b"}, {"c", "d"})
        assert np.isnan(pair.pvalue) == (not together)
        assert np.isnan(pair.effect_size) == (not together)
    known = [pair.pvalue for pair in found.pairs if not np.isnan(pair.pvalue)]
    adjusted = [pair.pvalue_holm for pair in found.pairs if not np.isnan(pair.pvalue)]
    assert_allclose(adjusted, oracles.holm(known))


def test_a_sequential_test_has_no_max_t(four_groups):
    found = test_of(*four_groups, n_permutations=99, stop_after=5, random_state=0)
    assert np.isnan([pair.pvalue_max_t for pair in found.pairs]).all()
    assert not np.isnan([pair.pvalue for pair in found.pairs]).any()


def test_comparisons_become_plain_values(four_groups):
    pair = test_of(*four_groups, n_permutations=19, random_state=0).pairs[0]
    assert pair.to_dict()["first"] == "a"
    assert pair.to_dict()["pvalue"] == pair.pvalue
