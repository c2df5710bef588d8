"""The permutation test: its statistic, its null, its p-value, and what must not change them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

import oracles
from fairrank.inference import rgf_test
from strategies import audits, movable

ENUMERABLE = audits(min_rows=7, max_rows=9, max_groups=3, n_strata=2)


def test_of(burden, group, **options):
    options = {"comparisons": "none", "random_state": 0, "n_permutations": 99} | options
    return rgf_test(None, None, sensitive_features=group, burden=burden, **options)


test_of.__test__ = False


@pytest.fixture(scope="module")
def unequal():
    rng = np.random.default_rng(0)
    group = (np.arange(400) < 60).astype(int)
    return rng.random(400) * (1 + 0.3 * group), group


# ---------------------------------------------------------------- statistic and null

@given(audits(max_groups=5, n_strata=3), st.booleans())
@settings(max_examples=100)
def test_statistic_is_that_of_the_definition(audit, stratified):
    strata = audit.strata if stratified else None
    assume(movable(audit, strata))
    found = test_of(audit.burden, audit.group, strata=strata, n_permutations=1)
    expected = oracles.statistic(audit.burden, audit.group, strata)
    assert found.statistic == pytest.approx(expected, rel=1e-11, abs=1e-13)


@given(ENUMERABLE)
@settings(max_examples=25)
def test_mean_distance_over_all_labellings_is_the_centre(audit):
    # The centring itself, on the oracle: mean(D) = mu, with ties and several groups.
    for first, second in oracles.pairs_of(audit.group):
        every = [
            oracles.pair_difference(audit.burden, labels, first, second)
            for labels in oracles.labellings(audit.group)
        ]
        centre = oracles.pair_centre(audit.burden, audit.group, first, second)
        assert_allclose(np.mean(every, axis=0), centre, atol=1e-12)


@given(ENUMERABLE, st.booleans())
@settings(max_examples=50)
def test_enumeration_is_of_all_labellings(audit, stratified):
    strata = audit.strata if stratified else None
    assume(movable(audit, strata))
    found = test_of(audit.burden, audit.group, strata=strata, method="exact")
    every = [
        oracles.statistic(audit.burden, labels, strata)
        for labels in oracles.labellings(audit.group, strata)
    ]
    assert found.method == "exact"
    assert found.expected_statistic == pytest.approx(np.mean(every), rel=1e-10)
    assert found.null_distribution.mean() == pytest.approx(np.mean(every), rel=1e-10)
    tolerance = 1e-9 * max(found.statistic, found.expected_statistic)
    assert found.pvalue == pytest.approx(
        oracles.exact_pvalue(every, found.statistic, tolerance), abs=1e-12
    )
    if not stratified:  # in tied strata one labelling stands for all
        assert_allclose(np.sort(found.null_distribution), np.sort(every), atol=1e-13)


@given(audits(max_groups=4, n_strata=3), st.booleans())
@settings(max_examples=50)
def test_sampled_p_counts_the_draws_that_reach_the_statistic(audit, stratified):
    strata = audit.strata if stratified else None
    assume(movable(audit, strata))
    found = test_of(audit.burden, audit.group, strata=strata, method="monte_carlo")
    tolerance = 1e-9 * max(found.statistic, found.expected_statistic)
    assert found.method == "monte_carlo"
    assert found.n_draws == 99
    assert found.pvalue == oracles.sampled_pvalue(
        found.null_distribution, found.statistic, tolerance
    )


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("n_levels", [0, 2, 3], ids=["untied", "two-valued", "tied"])
@pytest.mark.parametrize("n_strata", [1, 2])
def test_sampled_p_approaches_the_exact_one(n_strata, n_levels, n_groups):
    rng = np.random.default_rng(n_levels)
    burden = rng.random(10) if n_levels == 0 else np.resize(np.arange(n_levels) + 0.5, 10)
    group, strata = np.resize(np.arange(n_groups), 10), np.arange(10) * n_strata // 10
    options = {"strata": strata, "n_permutations": 20_000}
    exact = test_of(burden, group, method="exact", **options).pvalue
    sampled = test_of(burden, group, method="monte_carlo", **options).pvalue
    assert abs(sampled - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4


def test_effect_size_is_the_statistic_over_its_null_mean(unequal):
    found = test_of(*unequal, n_permutations=4000)
    assert found.effect_size == found.statistic / found.expected_statistic
    error = found.null_distribution.std() / 4000**0.5
    assert abs(found.null_distribution.mean() - found.expected_statistic) < 4 * error


def test_few_labellings_are_enumerated_unless_told_otherwise():
    burden, group = np.arange(1.0, 10.0), np.repeat([0, 1], [3, 6])
    assert test_of(burden, group).method == "exact"
    assert test_of(burden, group).n_draws == 84
    assert test_of(burden, group, method="monte_carlo").method == "monte_carlo"


def test_too_many_labellings_are_not_enumerated(unequal):
    with pytest.raises(ValueError, match="more than 200000 labellings"):
        test_of(*unequal, method="exact")


def test_draws_equal_to_the_statistic_are_counted():
    # Two burdens: T depends on one count alone, and many draws equal the observed one.
    group = np.repeat([0, 1], [150, 50])
    burden = np.where(np.isin(np.arange(200), np.r_[0:50, 150:164]), 0.7, 0.3)
    found = test_of(burden, group, n_permutations=5000)
    # The group has 14 of the 64 large burdens, 16 expected: 14 or fewer, 18 or more reach T.
    law = hypergeom(200, 64, 50)
    exact = law.cdf(14) + law.sf(17)
    assert abs(found.pvalue - exact) < 4 * np.sqrt(exact * (1 - exact) / 5000)
    equal = np.abs(found.null_distribution / found.statistic - 1) < 1e-6
    larger = found.null_distribution > found.statistic * (1 + 1e-6)
    assert equal.sum() > 500
    assert found.pvalue == (1 + equal.sum() + larger.sum()) / 5001


# ---------------------------------------------------------------- sequential

@pytest.mark.parametrize("stop_after", [1, 5, 40, 1000])
@pytest.mark.parametrize("n_groups", [2, 3])
def test_a_sequential_test_reads_a_prefix_of_the_full_one(n_groups, stop_after):
    rng = np.random.default_rng(n_groups)
    burden, group = rng.random(300), rng.integers(0, n_groups, 300)
    full = test_of(burden, group, n_permutations=500)
    found = test_of(burden, group, n_permutations=500, stop_after=stop_after)
    tolerance = 1e-9 * max(full.statistic, full.expected_statistic)
    pvalue, n_draws = oracles.besag_clifford(
        full.null_distribution, full.statistic, tolerance, stop_after
    )
    assert (found.method, found.pvalue, found.n_draws) == ("sequential", pvalue, n_draws)
    assert_array_equal(found.null_distribution, full.null_distribution[:n_draws])


def test_a_sequential_test_cannot_be_exact(unequal):
    with pytest.raises(ValueError, match="stop_after stops a sampled test"):
        test_of(*unequal, stop_after=5, method="exact")


# ---------------------------------------------------------------- what must not change it

def same(first, second, rtol=1e-11):
    assert first.statistic == pytest.approx(second.statistic, rel=rtol, abs=1e-13)
    assert first.pvalue == second.pvalue
    assert_allclose(first.null_distribution, second.null_distribution, rtol=rtol, atol=1e-13)


@given(audits(kinds=("tied", "two-valued"), max_groups=4))
@settings(max_examples=50)
def test_order_of_tied_rows_changes_nothing(audit):
    moved = np.arange(audit.burden.size)
    for rows in map(np.array, oracles.tie_blocks(audit.burden)):
        moved[rows] = rows[np.argsort(audit.order[rows])]
    assume(movable(audit, audit.strata))
    options = {"strata": audit.strata, "method": "monte_carlo"}
    moved_options = options | {"strata": audit.strata[moved]}
    same(
        test_of(audit.burden, audit.group, **options),
        test_of(audit.burden, audit.group[moved], **moved_options),
    )


@given(audits(max_groups=4), st.sampled_from([1 / 3, 0.5, 7.0, 1024.0]))
@settings(max_examples=50)
def test_order_of_rows_and_unit_of_the_burden_change_nothing(audit, unit):
    order = audit.order
    same(
        test_of(audit.burden, audit.group, method="monte_carlo"),
        test_of(audit.burden[order] * unit, audit.group[order], method="monte_carlo"),
    )


@given(audits(max_groups=4, max_rows=8))
@settings(max_examples=50)
def test_names_of_the_groups_change_no_exact_p(audit):
    renamed = np.array(list("dbca"))[audit.group]
    first = test_of(audit.burden, audit.group, method="exact")
    second = test_of(audit.burden, renamed, method="exact")
    assert first.statistic == pytest.approx(second.statistic, rel=1e-11, abs=1e-14)
    assert first.pvalue == pytest.approx(second.pvalue, abs=1e-12)


@given(audits(max_rows=12))
@settings(max_examples=50)
def test_integer_weights_are_repeated_rows_exactly(audit):
    weight = audit.integer_weight
    found = test_of(audit.burden, audit.group, sample_weight=weight, method="monte_carlo")
    expected = test_of(
        oracles.repeated(audit.burden, weight), oracles.repeated(audit.group, weight),
        method="monte_carlo",
    )
    assert (found.statistic, found.pvalue) == (expected.statistic, expected.pvalue)
    assert_array_equal(found.null_distribution, expected.null_distribution)
    assert (found.weighting, expected.weighting) == ("repetition", "none")


def test_float_weights_are_refused(unequal):
    with pytest.raises(ValueError, match="sample_weight holds floats, which are masses"):
        test_of(*unequal, sample_weight=np.full(400, 0.5))


@pytest.mark.parametrize("options", [{}, {"stop_after": 20}, {"strata": True}])
@pytest.mark.parametrize("n_groups", [2, 3])
def test_number_of_jobs_changes_nothing_at_all(n_groups, options):
    # Large enough that two jobs really share the draws.
    rng = np.random.default_rng(0)
    burden, group = rng.random(24_000), rng.integers(0, n_groups, 24_000)
    options = dict(options, n_permutations=400)
    if options.pop("strata", False):
        options["strata"] = rng.integers(0, 4, 24_000)
    one, two = (test_of(burden, group, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    assert one.pvalue == two.pvalue
    assert_array_equal(one.null_distribution, two.null_distribution)


def test_the_same_random_state_gives_the_same_test(unequal):
    first, second = (test_of(*unequal, random_state=7) for _ in range(2))
    assert_array_equal(first.null_distribution, second.null_distribution)
    assert first.seed == second.seed


def test_another_random_state_gives_another_test(unequal):
    first, second = (test_of(*unequal, random_state=seed) for seed in (7, 8))
    assert (first.null_distribution != second.null_distribution).any()


def test_a_random_state_instance_moves_on(unequal):
    state = np.random.RandomState(0)
    first, second = (test_of(*unequal, random_state=state) for _ in range(2))
    assert first.seed != second.seed


# ---------------------------------------------------------------- among the largest burdens

@given(audits(max_groups=3, max_rows=20), st.sampled_from([0.5, 0.75, 0.9]))
@settings(max_examples=50)
def test_top_tests_the_largest_burdens_alone(audit, top):
    rows = oracles.kept_rows(audit.burden, top)
    inside = audit.group[rows]
    assume(np.unique(inside).size == audit.n_groups)
    assume(len(oracles.tie_blocks(audit.burden[rows])) > 1)
    found = test_of(audit.burden, audit.group, top=top)
    assert found.n_samples == len(rows)
    assert found.top == top
    assert found.statistic == pytest.approx(
        oracles.statistic(audit.burden[rows], inside), rel=1e-11, abs=1e-13
    )


def test_top_needs_every_group_inside():
    burden, group = np.arange(1.0, 21.0), np.repeat(["low", "high"], 10)
    with pytest.raises(ValueError, match=r"top=0\.3: group 'low' has no row among the largest"):
        test_of(burden, group, top=0.3)


def test_the_effect_is_undefined_where_no_outcome_that_is_drawn_parts_the_groups():
    result = rgf_test(
        [0, 0], [0.0, 1e-12], sensitive_features=["a", "b"], reference="calibrated",
        random_state=0,
    )
    assert np.isnan(result.effect_size)
    assert "Nothing to tell" in result.reading
