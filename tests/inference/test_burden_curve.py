"""Paths, bands and deciles of `burden_curve` against brute force, and the band's coverage."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from fairrank.exceptions import DegenerateGroupError
from fairrank.inference import BurdenCurve, burden_curve
from fairrank.inference._burden_band import MAX_GRID
from strategies import audits

FEW = 19  # the fewest draws that allow a band of 95 %


def curve_of(burden, group, **options):
    options = {"n_permutations": FEW, "random_state": 0, **options}
    return burden_curve(None, None, sensitive_features=group, burden=burden, **options)


def scored(n, seed, n_groups=2, minority=0.2):
    """Outcome, probability and group that have nothing to do with each other's errors."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 4, size=n)
    y = (rng.random(n) < p).astype(int)
    rest = 1.0 - minority * (n_groups - 1)
    group = rng.choice(n_groups, size=n, p=[rest, *[minority] * (n_groups - 1)])
    return y, p, group


def arrays_of(curve):
    return {name: np.asarray(getattr(curve, name)) for name in BurdenCurve.__slots__}


# ---------------------------------------------------------------- paths

@given(audits(max_groups=5), st.booleans())
@settings(max_examples=100)
def test_paths_at_block_ends_are_those_of_the_definition(audit, conditional):
    strata = audit.strata if conditional else np.zeros_like(audit.strata)
    # Somewhere exchange must change a path: two groups, with burdens in two blocks.
    block = np.empty(len(audit.burden), dtype=int)
    for b, rows in enumerate(oracles.tie_blocks(audit.burden)):
        block[rows] = b
    inside = [strata == s for s in np.unique(strata)]
    assume(any(min(np.unique(audit.group[i]).size, np.unique(block[i]).size) > 1 for i in inside))
    curve = curve_of(audit.burden, audit.group, strata=strata)
    end = np.cumsum([len(block) for block in oracles.tie_blocks(audit.burden)])
    assert curve.rank == pytest.approx(np.concatenate(([0.0], end / len(audit.burden))))
    centred = oracles.centred_paths(audit.burden, audit.group, strata)
    for g, label in enumerate(oracles.labels_of(audit.group)):
        path = oracles.group_path(audit.burden, audit.group, label)
        expected = oracles.cumulated(
            audit.burden, oracles.expected_part(audit.group, strata, label)
        )
        assert curve.groups[g] == label
        assert curve.path[g, 1:] == pytest.approx(path[end - 1], abs=1e-12)
        assert curve.expected_path[g, 1:] == pytest.approx(expected[end - 1], abs=1e-12)
        assert curve.centered_path[g, 1:] == pytest.approx(centred[label][end - 1], abs=1e-12)
        assert curve.completed_path[g, 1:] == pytest.approx(
            oracles.completed(path)[end - 1], abs=1e-12
        )
    assert curve.lorenz[1:] == pytest.approx(oracles.lorenz(audit.burden)[end - 1], abs=1e-12)


def test_a_long_ranking_is_shown_on_a_grid_with_both_ends():
    rng = np.random.default_rng(0)
    curve = curve_of(rng.exponential(size=5000) ** 3, rng.integers(0, 2, 5000))
    assert MAX_GRID / 2 < curve.rank.size <= MAX_GRID + 2
    assert (curve.rank[0], curve.rank[-1]) == (0.0, 1.0)
    assert (np.diff(curve.rank) > 0).all()
    # Evenly spaced along the Lorenz curve: no step is long in both directions.
    steps = np.diff(curve.rank) + np.diff(curve.lorenz)
    assert steps.max() < 2.0 / MAX_GRID + 0.02


@pytest.mark.parametrize("n_groups", [2, 3, 4, 5])
def test_centred_paths_add_up_to_zero_and_end_at_zero(n_groups):
    y, p, group = scored(400, 0, n_groups, minority=0.15)
    curve = burden_curve(y, p, sensitive_features=group, n_permutations=FEW, random_state=0)
    assert curve.centered_path.shape == (n_groups, curve.rank.size)
    assert np.abs(curve.centered_path.sum(axis=0)).max() < 1e-12
    assert (curve.centered_path[:, [0, -1]] == 0.0).all()
    assert curve.completed_path[:, -1] == pytest.approx(1.0)
    assert curve.expected_completed_path[:, -1] == pytest.approx(1.0)


@given(audits())
@settings(max_examples=50)
def test_the_order_of_rows_changes_nothing(audit):
    curve = curve_of(audit.burden, audit.group)
    again = curve_of(audit.burden[audit.order], audit.group[audit.order])
    for name, value in arrays_of(curve).items():
        if value.dtype.kind == "f":
            # Burdens tied within rounding are averaged in another order.
            assert np.asarray(getattr(again, name)) == pytest.approx(value, abs=1e-12), name


def test_burdens_within_the_tie_tolerance_are_one_block():
    curve = curve_of([0.1, 0.1004, 0.5, 1.0], list("abab"), tie_tolerance=1e-3)
    assert curve.rank.tolist() == [0.0, 0.5, 0.75, 1.0]


def test_integer_weights_are_repetitions_exactly():
    y, p, group = scored(120, 1)
    weight = np.random.default_rng(1).integers(0, 4, 120)
    weighted = burden_curve(
        y, p, sensitive_features=group, sample_weight=weight, n_permutations=FEW, random_state=0
    )
    rows = np.repeat(np.arange(120), weight)
    written_out = burden_curve(
        y[rows], p[rows], sensitive_features=group[rows], n_permutations=FEW, random_state=0
    )
    for name, value in arrays_of(weighted).items():
        assert np.array_equal(value, getattr(written_out, name)), name


# ---------------------------------------------------------------- bands

def exact_deviation(burden, group, strata, label):
    """Standard deviation of U_g over all labellings, at every rank."""
    paths = [
        oracles.centred_paths(burden, labelling, strata)[label]
        for labelling in oracles.labellings(group, strata)
    ]
    assert np.mean(paths, axis=0) == pytest.approx(0.0, abs=1e-12)
    return np.std(paths, axis=0)


@pytest.mark.parametrize(
    "strata", [np.zeros(8, dtype=int), np.array([0, 1, 0, 1, 1, 0, 0, 1])], ids=["plain", "strata"]
)
@pytest.mark.parametrize("ties", [False, True])
def test_draws_have_the_spread_of_all_labellings(strata, ties):
    burden = np.array([0.1, 0.2, 0.2, 0.35, 0.5, 0.5, 0.7, 0.9])
    if not ties:
        burden = burden + np.arange(8) / 100.0
    group = np.array([0, 1, 2, 0, 2, 0, 0, 1])
    curve = curve_of(burden, group, strata=strata, n_permutations=20_000)
    at = np.rint(curve.rank[1:] * 8).astype(int) - 1
    for label in range(3):
        exact = exact_deviation(burden, group, strata, label)[at]
        assert curve.standard_deviation[label, 1:] == pytest.approx(exact, rel=0.03, abs=1e-9)


def leaves_the_band(seed, n_groups, conditional):
    y, p, group = scored(300, seed, n_groups)
    strata = None
    if conditional:  # groups differ in their scores, and not within a stratum
        strata = np.where(np.random.default_rng([seed, 1]).random(300) < 0.2 + 0.6 * group, 1, 0)
        p = np.where(strata == 1, 0.9 * p, 0.5 + 0.5 * p)
    curve = burden_curve(
        y, p, sensitive_features=group, strata=strata, n_permutations=99, random_state=seed
    )
    assert curve.outside.any() == (curve.pvalue <= 0.05 + 1e-12)
    return curve.outside.any()


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n_groups", "conditional"), [(2, False), (4, False), (2, True)], ids=["two", "four", "strata"]
)
def test_paths_leave_the_band_as_often_as_its_level_says(n_groups, conditional):
    n_seeds = 300
    left = sum(leaves_the_band(seed, n_groups, conditional) for seed in range(n_seeds))
    assert abs(left / n_seeds - 0.05) < 3.0 * np.sqrt(0.05 * 0.95 / n_seeds)


def test_the_path_of_a_harmed_group_leaves_the_band_where_it_is_harmed():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], [700, 150, 150])
    burden = rng.random(1000)
    burden[group == 1] *= 2.0
    curve = curve_of(burden, group, n_permutations=199)
    assert curve.pvalue == 1 / 200
    assert curve.max_deviation > curve.critical_deviation
    # It falls behind first: its burdens are among the largest.
    assert (curve.centered_path[1][curve.outside[1]] < 0.0).all()
    assert curve.outside[1].any()


def test_the_simultaneous_band_is_wider_than_the_pointwise_one():
    y, p, group = scored(500, 3)
    curve = burden_curve(y, p, sensitive_features=group, n_permutations=500, random_state=0)
    inner = slice(1, -1)
    assert (curve.high[:, inner] >= curve.pointwise_high[:, inner]).all()
    assert (curve.low[:, inner] <= curve.pointwise_low[:, inner]).all()
    assert curve.critical_deviation > 1.0


@pytest.mark.parametrize("n_groups", [2, 3])
def test_numbers_do_not_depend_on_the_number_of_threads(n_groups):
    y, p, group = scored(300, 4, n_groups)
    one, two = (
        burden_curve(
            y, p, sensitive_features=group, n_permutations=120, n_jobs=n_jobs, random_state=5
        )
        for n_jobs in (1, 2)
    )
    for name, value in arrays_of(one).items():
        assert np.array_equal(value, getattr(two, name)), name


def test_a_group_that_cannot_move_never_leaves_the_band():
    y, p, group = scored(200, 5, n_groups=3)
    curve = burden_curve(
        y, p, sensitive_features=group, strata=group == 2, n_permutations=FEW, random_state=0
    )
    assert np.abs(curve.centered_path[2]).max() < 1e-14
    assert not curve.outside[2].any()


# ---------------------------------------------------------------- deciles

def decile_of_positions(n):
    """Part of every position that lies in every decile, shape (10, n)."""
    low, high = np.arange(10)[:, None] * n / 10, np.arange(1, 11)[:, None] * n / 10
    k = np.arange(n)
    return np.clip(np.minimum(k + 1, high) - np.maximum(k, low), 0.0, None)


@given(audits(max_groups=5))
@settings(max_examples=50)
def test_deciles_add_up_the_steps_of_the_paths(audit):
    curve = curve_of(audit.burden, audit.group)
    inside = decile_of_positions(len(audit.burden))
    for g, label in enumerate(oracles.labels_of(audit.group)):
        step = np.diff(oracles.group_path(audit.burden, audit.group, label), prepend=0.0)
        assert curve.decile_burden[g] == pytest.approx(inside @ step, abs=1e-12)
    assert curve.decile_rows.sum(axis=0) == pytest.approx(1.0)
    all_steps = np.diff(oracles.lorenz(audit.burden), prepend=0.0)
    share = np.array([oracles.share_of(audit.group, g) for g in oracles.labels_of(audit.group)])
    assert curve.decile_expected == pytest.approx(np.outer(share, inside @ all_steps), abs=1e-12)


def test_deciles_split_by_outcome():
    y, p, group = scored(333, 6, n_groups=3)
    curve = burden_curve(y, p, sensitive_features=group, n_permutations=FEW, random_state=0)
    both = curve.false_positive_burden + curve.false_negative_burden
    assert both == pytest.approx(curve.decile_burden)
    total = np.abs(y - p).sum()
    for g in range(3):
        carried = (1 - p)[(group == g) & (y == 1)].sum() / total
        assert curve.false_negative_burden[g].sum() == pytest.approx(carried)


def test_a_given_burden_has_no_outcome_to_split_by():
    curve = curve_of([1.0, 2.0, 3.0, 4.0], list("abab"))
    assert curve.false_positive_burden is None
    assert curve.false_negative_burden is None
    assert curve.burden == "given"


# ---------------------------------------------------------------- result and errors

def test_the_result_is_json_and_reads_well():
    y, p, group = scored(200, 7)
    curve = burden_curve(
        y, p, sensitive_features=group, strata="outcome", n_permutations=FEW, random_state=0
    )
    assert json.loads(json.dumps(curve.to_dict()))["groups"] == ["0", "1"]
    text = repr(curve)
    assert "strata=outcome" in text
    assert "of burden" in text
    assert text.count("\n") == 2


def test_the_result_cannot_be_changed():
    curve = curve_of([1.0, 2.0, 3.0], list("aba"))
    with pytest.raises(AttributeError):
        curve.pvalue = 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_permutations": 18}, "at least 19"),
        ({"n_permutations": 98, "confidence_level": 0.99}, "at least 99"),
        ({"confidence_level": 1.0}, "confidence_level must lie in"),
        ({"n_permutations": 0}, "n_permutations must be at least 1"),
        ({"sample_weight": [0.5, 1.5, 1.0, 1.0]}, "integer weights"),
        ({"strata": "group"}, "strata must be"),
        ({"strata": [0, 1, 2, 3]}, "none of its 4 strata holds two groups"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        curve_of([1.0, 2.0, 3.0, 4.0], list("abab"), **options)


def test_one_group_and_equal_burdens_are_degenerate():
    with pytest.raises(DegenerateGroupError, match="one group only"):
        curve_of([1.0, 2.0, 3.0], list("aaa"))
    with pytest.raises(DegenerateGroupError, match="constant"):
        curve_of([1.0, 1.0, 1.0], list("aba"))
