"""The result over all pairs: its matrices, standard errors by brute force, undefined pairs."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_ranking as oracles
from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.metrics import prf_score, ranking_disparity, xauc_score
from strategies import groups, vectors

KINDS = ("xauc", "prf", "urf")


@st.composite
def labelled(draw, max_groups=5):
    """(y, score, group, mass), at least two rows of both classes in every group."""
    n_groups = draw(st.integers(2, max_groups))
    group = np.concatenate((np.repeat(np.arange(n_groups), 4), draw(groups(8, min(n_groups, 7)))))
    y = np.concatenate((np.tile([0, 1], 2 * n_groups), draw(vectors(st.integers(0, 1), 8))))
    score = draw(vectors(st.integers(0, draw(st.sampled_from([2, 6, 10**6]))), y.size)) / 7.0
    return y, score, group, draw(vectors(st.integers(1, 50), y.size)) / 8.0


def assert_same_variances(found, expected):
    """Squares: the root of a variance that is 0 but for rounding may be 1e-9."""
    assert_allclose(found**2, expected**2, atol=1e-12)


def spread_of(parts, weight):
    """Variance of a weighted mean of rows drawn independently, mean 0 already."""
    n = len(parts)
    return n / (n - 1) * (weight**2 * parts**2).sum() / weight.sum() ** 2


def brute_variance(y, score, group, above, below, kind, weight):
    """Every row's own part in the signed difference, sample by sample."""
    parts = np.zeros(y.size)
    if kind == "xauc":
        samples = [
            (y == outcome) & (group == g) for outcome in (0, 1) for g in (above, below)
        ]
        pairs = [
            (+1, (y == 1) & (group == above), (y == 0) & (group == below)),
            (-1, (y == 1) & (group == below), (y == 0) & (group == above)),
        ]
    elif kind == "prf":
        samples = [y == 0, *((y == 1) & (group == g) for g in (above, below))]
        pairs = [
            (+1, (y == 1) & (group == above), y == 0), (-1, (y == 1) & (group == below), y == 0),
        ]
    else:
        samples = [group == g for g in (above, below)]
        pairs = [(+1, group == above, group == below), (-1, group == below, group == above)]
    for sign, upper, lower in pairs:
        mean = oracles.part_won(score[upper], score[lower], weight[upper], weight[lower])
        parts[upper] += sign * (
            oracles.placements(score[upper], score[lower], None, weight[lower]) - mean
        )
        # What beats a row is what the row beats when all scores change sign.
        parts[lower] += sign * (
            oracles.placements(-score[lower], -score[upper], None, weight[upper]) - mean
        )
    return sum(spread_of(parts[rows], weight[rows]) for rows in samples)


@given(labelled(max_groups=3), st.sampled_from(KINDS), st.booleans())
def test_standard_errors_add_up_every_rows_part(sample, kind, weighted):
    y, score, group, mass = sample
    weight = mass if weighted else np.ones(y.size)
    result = ranking_disparity(
        y, score, sensitive_features=group, disparity=kind,
        sample_weight=mass if weighted else None,
    )
    for g, h in np.ndindex(result.standard_errors.shape):
        if g != h:
            expected = brute_variance(y, score, group, g, h, kind, weight)
            assert result.standard_errors[g, h] ** 2 == pytest.approx(expected, abs=1e-12)
    assert_array_equal(np.diag(result.standard_errors), 0.0)


@given(labelled(), st.sampled_from(KINDS))
def test_matrices_hold_every_pair(sample, kind):
    y, score, group, mass = sample
    result = ranking_disparity(
        y, score, sensitive_features=group, disparity=kind, sample_weight=mass
    )
    pairs = oracles.disparities(y, score, group, kind, mass)
    for (g, h), difference in pairs.items():
        assert result.differences[g, h] == pytest.approx(difference, abs=1e-12)
        assert result.differences[h, g] == -result.differences[g, h]
    assert result.differences[result.pair] == result.value
    assert result.standard_error == result.standard_errors[result.pair]
    assert result.value == pytest.approx(max(map(abs, pairs.values())), abs=1e-12)
    labels = range(len(result.groups))
    if kind == "prf":
        expected = [oracles.prf(y, score, group, g, mass) for g in labels]
    elif kind == "xauc":
        expected = [[oracles.xauc(y, score, group, g, h, mass) for h in labels] for g in labels]
    else:
        expected = [[oracles.urf(score, group, g, h, mass) for h in labels] for g in labels]
    assert_allclose(result.concordance, expected, atol=1e-12)


@given(labelled(), st.sampled_from(KINDS), st.data())
def test_the_order_of_the_rows_and_the_names_of_the_groups_do_not_matter(sample, kind, data):
    y, score, group, _ = sample
    rows = data.draw(st.permutations(range(y.size)))
    result = ranking_disparity(y, score, sensitive_features=group, disparity=kind)
    renamed = np.array(list("edcba"))[group]  # sorted the other way round
    other = ranking_disparity(
        y[rows], score[rows], sensitive_features=renamed[rows], disparity=kind
    )
    assert_array_equal(other.differences[::-1, ::-1], result.differences)
    assert_same_variances(other.standard_errors[::-1, ::-1], result.standard_errors)


@given(labelled(), st.sampled_from(KINDS), st.floats(1e-3, 1e3))
def test_rescaled_masses_change_nothing(sample, kind, factor):
    y, score, group, mass = sample
    one, other = (
        ranking_disparity(y, score, sensitive_features=group, disparity=kind, sample_weight=w)
        for w in (mass, mass * factor)
    )
    assert_allclose(other.differences, one.differences, atol=1e-12)
    assert_same_variances(other.standard_errors, one.standard_errors)


@given(labelled(max_groups=3), st.sampled_from(KINDS))
def test_equal_masses_have_the_standard_errors_of_no_weights(sample, kind):
    y, score, group, _ = sample
    plain, weighted = (
        ranking_disparity(y, score, sensitive_features=group, disparity=kind, sample_weight=w)
        for w in (None, np.full(y.size, 0.3))
    )
    assert (plain.weighting, weighted.weighting) == ("none", "mass")
    assert_same_variances(weighted.standard_errors, plain.standard_errors)


@pytest.mark.statistical
@pytest.mark.parametrize("kind", KINDS)
def test_standard_errors_are_the_spread_over_samples(kind):
    rng = np.random.default_rng(0)
    group, y = np.tile([0, 1], 200), np.repeat([0, 1], 200)
    found = [
        ranking_disparity(
            y, rng.normal(size=400) + y + 0.4 * group, sensitive_features=group, disparity=kind
        )
        for _ in range(1000)
    ]
    spread = np.std([result.differences[0, 1] for result in found])
    stated = np.mean([result.standard_errors[0, 1] for result in found])
    if kind == "urf":
        # Labels are fixed here, and drawn with the rows in the standard error.
        assert spread < stated < 1.3 * spread
    else:
        # The spread of 1000 values is known to 2.2 %.
        assert stated == pytest.approx(spread, rel=3.5 * 0.0224)


# ---------------------------------------------------------------- undefined pairs

def test_a_pair_without_value_leaves_the_others_in_sight():
    y, score = [1, 0, 1, 0, 1, 1], [0.9, 0.2, 0.5, 0.4, 0.7, 0.1]
    group = ["a", "a", "b", "b", "c", "c"]
    with pytest.raises(DegenerateGroupError, match="'c' has no negative among its 2 rows"):
        ranking_disparity(y, score, sensitive_features=group)
    with pytest.warns(UndefinedMetricWarning, match="'c' has no negative"):
        result = ranking_disparity(y, score, sensitive_features=group, undefined="nan")
    assert np.isnan(result.value)
    assert result.pair is None
    assert "undefined" in repr(result)
    assert result.differences[0, 1] == oracles.signed_disparity(y, score, group, "a", "b")
    assert np.isnan(result.differences[:, 2]).all()
    assert np.isnan(result.standard_errors[:, 2]).all()
    assert result.concordance[2, 0] == oracles.xauc(y, score, group, "c", "a")


def test_prf_needs_no_negative_of_every_group_but_one_of_somebody():
    score, group = [0.9, 0.2, 0.5, 0.4], ["a", "a", "b", "b"]
    result = ranking_disparity([1, 0, 1, 1], score, sensitive_features=group, disparity="prf")
    assert result.concordance.tolist() == [1.0, 1.0]
    with pytest.raises(DegenerateGroupError, match="y_true has no negative among its 4 rows"):
        ranking_disparity([1, 1, 1, 1], score, sensitive_features=group, disparity="prf")


def test_a_group_of_weight_0_is_undefined():
    with pytest.raises(DegenerateGroupError, match="sample_weight is 0 in every row of group 'b'"):
        ranking_disparity(
            None, [0.1, 0.2, 0.3], sensitive_features=["a", "a", "b"], disparity="urf",
            sample_weight=[1, 2, 0],
        )


def test_samples_of_one_row_have_no_standard_error():
    result = ranking_disparity([1, 0, 1, 0], [4, 3, 2, 1], sensitive_features=[0, 0, 1, 1])
    assert result.value == 1.0
    assert np.isnan(result.standard_error)


# ---------------------------------------------------------------- the door

def test_rows_without_a_group_are_refused_dropped_or_a_group():
    y, score, group = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], ["a", "a", "b", "b", None, None]
    with pytest.raises(ValueError, match="missing"):
        ranking_disparity(y, score, sensitive_features=group)
    dropped = ranking_disparity(y, score, sensitive_features=group, missing="drop")
    assert dropped.groups == ("a", "b")
    own = ranking_disparity(y, score, sensitive_features=group, missing="group")
    assert len(own.groups) == 3


def test_pos_label_turns_the_ranking_round():
    y, score, group = np.array(list("pnpn")), [0.9, 0.2, 0.5, 0.4], [0, 0, 1, 1]
    with pytest.raises(ValueError, match="pass pos_label"):
        xauc_score(y, score, sensitive_features=group, above=0, below=1)
    for label, other in ("pn", "np"):
        expected = oracles.xauc(y == label, score, group, 0, 1)
        found = xauc_score(
            y, score, sensitive_features=group, above=0, below=1, pos_label=label
        )
        assert found == expected
        assert prf_score(
            y, score, sensitive_features=group, group=1, pos_label=other
        ) == oracles.prf(y == other, score, group, 1)


def test_the_groups_of_several_columns_are_their_intersections():
    y, score = [1, 0, 1, 0], [0.9, 0.2, 0.5, 0.4]
    columns = [["w", "f"], ["w", "f"], ["b", "m"], ["b", "m"]]
    result = ranking_disparity(y, score, sensitive_features=columns)
    assert result.groups == (("b", "m"), ("w", "f"))
    assert xauc_score(
        y, score, sensitive_features=columns, above=("w", "f"), below=("b", "m")
    ) == 1.0


def test_an_unknown_disparity_is_refused():
    with pytest.raises(ValueError, match="disparity must be one of 'xauc', 'prf', 'urf'"):
        ranking_disparity([0, 1], [0.1, 0.2], sensitive_features=[0, 1], disparity="auc")


@pytest.mark.parametrize("kind", KINDS)
def test_the_result_is_ready_for_json(kind):
    result = ranking_disparity(
        [1, 0, 1, 0, 1, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1],
        sensitive_features=[0, 0, 0, 0, 1, 1, 1, 1], disparity=kind,
    )
    again = json.loads(json.dumps(result.to_dict()))
    assert again["value"] == result.value
    assert again["pair"] == ["0", "1"]
    assert again["differences"] == result.differences.tolist()
