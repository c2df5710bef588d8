"""Conditional tests: where strata come from, and what exchange inside them means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference import rgf_test
from fairrank.inference._strata import read_strata, score_bins
from fairrank.metrics._audit_sample import audit_sample
from strategies import audits


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    return (rng.random(300) < p).astype(int), p, rng.integers(0, 2, 300)


def sample_of(scored):
    y, p, group = scored
    return audit_sample(y, p, sensitive_features=group)


def same_partition(left, right):
    """Two codings put the same rows together."""
    joint = np.unique(np.column_stack((left, right)), axis=0)
    return len(joint) == np.unique(left).size == np.unique(right).size


def test_of(scored, strata, **options):
    y, p, group = scored
    options = {"n_permutations": 99, "random_state": 0} | options
    return rgf_test(y, p, sensitive_features=group, strata=strata, **options)


test_of.__test__ = False


# ---------------------------------------------------------------- the centre inside strata

@given(audits(min_rows=7, max_rows=9, max_groups=3, n_strata=2))
@settings(max_examples=25)
def test_mean_path_over_labellings_inside_strata_is_the_expected_one(audit):
    # F_g on the oracle: the centre without which the conditional test has hardly any power.
    for label in oracles.labels_of(audit.group):
        every = [
            oracles.group_path(audit.burden, labels, label)
            for labels in oracles.labellings(audit.group, audit.strata)
        ]
        part = oracles.expected_part(audit.group, audit.strata, label)
        assert_allclose(
            np.mean(every, axis=0), oracles.cumulated(audit.burden, part), atol=1e-12
        )


def test_one_stratum_for_all_rows_is_no_strata(scored):
    plain, one = test_of(scored, None), test_of(scored, np.zeros(300))
    assert (plain.statistic, plain.pvalue) == (one.statistic, one.pvalue)
    assert (plain.strata, one.strata) == ("none", "given")


# ---------------------------------------------------------------- where strata come from

def test_outcome_strata_are_the_outcomes(scored):
    found, by_hand = test_of(scored, "outcome"), test_of(scored, scored[0])
    assert (found.statistic, found.pvalue) == (by_hand.statistic, by_hand.pvalue)
    assert (found.strata, found.n_strata) == ("outcome", 2)


def test_score_strata_are_ten_bins_of_like_score(scored):
    found = test_of(scored, "score")
    bins = np.minimum((np.argsort(np.argsort(scored[1])) * 10) // 300, 9)
    by_hand = test_of(scored, bins)
    assert (found.n_strata, found.statistic) == (10, pytest.approx(by_hand.statistic))


def test_a_large_sample_has_fifty_bins():
    score = np.random.default_rng(0).random(20_000)
    assert np.unique(score_bins(score, None)).size == 50
    assert np.unique(score_bins(score[1:], None)).size == 10


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60), st.integers(2, 12))
def test_bins_never_part_equal_scores_and_ascend(values, n_bins):
    score = np.array(values) / 20
    found = score_bins(score, n_bins)
    order = np.argsort(score, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    for value in np.unique(score):
        assert np.unique(found[score == value]).size == 1
    assert found.max() < n_bins


def test_a_tuple_means_intersections(scored):
    year = np.random.default_rng(1).choice(["2022", "2023"], 300)
    chosen = read_strata(("outcome", year), sample_of(scored), None)
    by_hand = [f"{y} {when}" for y, when in zip(scored[0], year)]
    assert chosen.name == "outcome x given"
    assert same_partition(chosen.code, by_hand)
    assert_array_equal(np.unique(chosen.code), np.arange(4))


@pytest.mark.parametrize(
    "values",
    [[3, 3, 7, 1], ["x", "x", "y", "z"], [1.5, 1.5, 0.5, 2.5], [True, True, False, False]],
)
def test_strata_may_be_named_by_anything(values):
    sample = audit_sample(
        None, None, sensitive_features=np.resize([0, 1, 1], 40), burden=np.arange(40) / 40
    )
    strata = np.resize(np.array(values), 40)
    assert same_partition(read_strata(strata, sample, None).code, strata)


def test_several_columns_mean_intersections(scored):
    columns = np.random.default_rng(0).integers(0, 3, (300, 2))
    chosen = read_strata(columns, sample_of(scored), None)
    assert same_partition(chosen.code, columns[:, 0] * 3 + columns[:, 1])


def test_order_in_which_strata_appear_changes_no_draw(scored):
    y, p, group = scored
    strata = np.arange(300) % 3
    backwards = slice(None, None, -1)
    first = test_of(scored, strata)
    second = test_of((y[backwards], p[backwards], group[backwards]), strata[backwards])
    assert first.pvalue == second.pvalue
    assert_allclose(first.null_distribution, second.null_distribution, rtol=1e-11)


def test_repeated_rows_stay_in_their_stratum(scored):
    y, p, group = scored
    weight, strata = np.arange(300) % 3, np.arange(300) % 4
    rows = np.repeat(np.arange(300), weight)
    found = test_of(scored, strata, sample_weight=weight)
    expected = test_of((y[rows], p[rows], group[rows]), strata[rows])
    assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)


# ---------------------------------------------------------------- what they hold

def test_strata_of_one_group_are_counted_but_not_informative(scored):
    y, p, group = scored
    strata = np.where(group == 0, np.arange(300) % 2, 2)
    strata[:20], group = 0, group.copy()
    found = test_of((y, p, group), strata)
    mixed = [s for s in range(3) if np.unique(group[strata == s]).size > 1]
    assert found.n_strata == 3
    assert found.n_informative_strata == len(mixed)
    assert found.n_informative_rows == np.isin(strata, mixed).sum()


def test_strata_of_one_group_each_are_refused(scored):
    with pytest.raises(DegenerateGroupError, match="none of its 2 strata holds two groups"):
        test_of(scored, scored[2])


def test_strata_of_tied_rows_are_refused(scored):
    # Score and outcome fix the burden: exchange changes nothing, and p came from rounding.
    y, p, group = scored
    coarse = np.ceil(p * 4) / 5
    with pytest.raises(DegenerateGroupError, match="exchanging labels changes nothing"):
        test_of((y, coarse, group), ("outcome", coarse))


def test_tied_strata_do_not_count_as_labellings(scored):
    burden, group = np.r_[np.ones(60), np.arange(2.0, 10.0)], np.arange(68) % 2
    strata = np.r_[np.zeros(60), np.ones(8)]
    found = rgf_test(None, None, sensitive_features=group, burden=burden, strata=strata)
    assert (found.method, found.n_draws) == ("exact", 70)
    assert (found.n_strata, found.n_informative_strata, found.n_informative_rows) == (2, 1, 8)


def test_a_hundred_strata_can_be_enumerated():
    # numpy's arrays have at most 64 dimensions, one of them a stratum.
    strata = np.r_[np.repeat(np.arange(5), 2), np.arange(5, 105)]
    group, burden = np.arange(110) % 2, np.random.default_rng(0).random(110)
    found = rgf_test(None, None, sensitive_features=group, burden=burden, strata=strata)
    assert (found.method, found.n_draws, found.n_informative_strata) == ("exact", 32, 5)


def test_smallest_p_is_one_over_the_labellings():
    burden, group = np.arange(1.0, 9.0), np.arange(8) % 2
    found = rgf_test(
        None, None, sensitive_features=group, burden=burden, strata=np.repeat([0, 1], 4)
    )
    assert found.smallest_pvalue == 1 / 36
    assert found.pvalue >= found.smallest_pvalue


# ---------------------------------------------------------------- what is refused

@pytest.mark.parametrize(
    ("strata", "message"),
    [
        ("region", "strata must be 'outcome', 'score', an array"),
        ((), "strata is an empty tuple"),
        (np.zeros(299), "strata has 299"),
        (np.zeros(600), "strata has 600"),
        ([None, *range(299)], "1 of 300 rows are missing"),
        ("outcome of the year", "got 'outcome of the year'"),
    ],
)
def test_strata_are_checked(scored, strata, message):
    with pytest.raises(ValueError, match=message):
        test_of(scored, strata)


@pytest.mark.parametrize("word", ["outcome", "score"])
def test_a_given_burden_has_no_outcome_and_no_score(scored, word):
    with pytest.raises(ValueError, match=f"strata='{word}' needs y_"):
        rgf_test(None, None, sensitive_features=scored[2], burden=scored[1], strata=word)


def test_one_bin_is_refused(scored):
    with pytest.raises(ValueError, match="n_bins must be at least 2"):
        test_of(scored, "score", n_bins=1)
