"""Concordance across samples against counting pairs, resamples against literal draws."""

import numpy as np
import pytest
from fairrank._kernels.cross import (
    concordance,
    placement_spread,
    resampled_concordance,
    shared_spread,
)
from fairrank._kernels.order import tie_blocks
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_ranking as oracles
import xoshiro
from strategies import vectors

SEED = np.array([21, 22, 23, 24], dtype=np.uint64)


@st.composite
def sides(draw):
    """(score, code, weight, above_of, below_of, (A, B)) by ascending score.

    Each sample has a row; a code may be on either side, on both or on none.
    """
    n_above, n_below = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    spare = draw(st.integers(0, 2))
    n_codes = max(n_above, n_below) + spare
    both = [
        np.concatenate(
            (np.arange(count), draw(vectors(st.integers(-1, count - 1), n_codes - count)))
        )[draw(st.permutations(range(n_codes)))]
        for count in (n_above, n_below)
    ]
    n = draw(st.integers(n_codes, 20))
    code = np.concatenate((np.arange(n_codes), draw(vectors(st.integers(0, n_codes - 1), n))))
    score = np.sort(draw(vectors(st.integers(0, 5), code.size)) / 5.0)
    weight = draw(vectors(st.integers(1, 50), code.size)) / 10.0
    code = code[draw(st.permutations(range(code.size)))]
    above_of, below_of = (side.astype(np.int16) for side in both)
    return score, code.astype(np.uint16), weight, above_of, below_of, (n_above, n_below)


def sample_rows(code, table, sample):
    return np.flatnonzero(table[code] == sample)


@given(sides())
def test_concordance_counts_pairs(case):
    score, code, weight, above_of, below_of, shape = case
    won, above_mass, below_mass = concordance(
        code, weight, tie_blocks(score, 0.0), above_of, below_of, *shape
    )
    for a, b in np.ndindex(shape):
        above, below = sample_rows(code, above_of, a), sample_rows(code, below_of, b)
        part = oracles.part_won(score[above], score[below], weight[above], weight[below])
        assert won[a, b] / above_mass[a] / below_mass[b] == pytest.approx(part, abs=1e-12)
        assert above_mass[a] == pytest.approx(weight[above].sum())
        assert below_mass[b] == pytest.approx(weight[below].sum())


@given(sides())
def test_spreads_are_those_of_literal_placements(case):
    score, code, weight, above_of, below_of, shape = case
    arrays = code, weight, tie_blocks(score, 0.0)
    won, above_mass, below_mass = concordance(*arrays, above_of, below_of, *shape)
    mean = won / above_mass[:, None] / below_mass
    spread_weight = weight * weight
    arguments = code, weight, spread_weight, arrays[2], above_of, below_of, above_mass
    of_above, of_below = placement_spread(*arguments, below_mass, mean)
    for a, b in np.ndindex(shape):
        above, below = sample_rows(code, above_of, a), sample_rows(code, below_of, b)
        beaten = oracles.placements(score[above], score[below], weight[above], weight[below])
        # What part of `above` beats a row is what the row beats when all scores change sign.
        beaten_by = oracles.placements(-score[below], -score[above], None, weight[above])
        for found, rows, placement in ((of_above, above, beaten), (of_below, below, beaten_by)):
            expected = (spread_weight[rows] * (placement - mean[a, b]) ** 2).sum()
            assert found[a, b] == pytest.approx(expected, abs=1e-10)


@given(sides())
def test_shared_spreads_are_products_of_literal_placements(case):
    score, code, weight, above_of, below_of, (n_above, _) = case
    below_of = np.where(below_of == 0, np.int16(0), np.int16(-1))
    arrays = code, weight, tie_blocks(score, 0.0)
    won, above_mass, below_mass = concordance(*arrays, above_of, below_of, n_above, 1)
    mean = (won / above_mass[:, None] / below_mass)[:, 0]
    found = shared_spread(code, weight, weight, arrays[2], above_of, below_of, above_mass, mean)
    below = sample_rows(code, below_of, 0)
    deviations = []
    for a in range(n_above):
        above = sample_rows(code, above_of, a)
        placement = oracles.placements(-score[below], -score[above], None, weight[above])
        deviations.append(placement - mean[a])
    deviations = np.array(deviations)
    assert_allclose(found, deviations * weight[below] @ deviations.T, atol=1e-10)


@settings(max_examples=50)
@given(sides())
def test_resamples_are_those_of_rows_drawn_inside_strata(case):
    score, stratum, _, above_of, below_of, shape = case
    blocks, sizes = tie_blocks(score, 0.0), np.bincount(stratum)
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
    found = resampled_concordance(
        stratum, blocks, start, above_of, below_of, *shape, SEED, 3
    )
    rows_of_stratum = [np.flatnonzero(stratum == s).tolist() for s in range(sizes.size)]
    for won, rows in zip(found, xoshiro.resampled_rows(SEED, rows_of_stratum, 3)):
        times = np.bincount(rows, minlength=score.size).astype(float)
        expected = concordance(stratum, times, blocks, above_of, below_of, *shape)[0]
        assert_array_equal(won, expected)


def test_read_only_arrays_are_taken():
    arrays = [
        np.array([0, 1], dtype=np.uint16), np.ones(2), np.array([0, 1, 2], dtype=np.intp),
        np.array([0, -1], dtype=np.int16), np.array([-1, 0], dtype=np.int16),
    ]
    for array in arrays:
        array.flags.writeable = False
    won, _, _ = concordance(*arrays, 1, 1)
    assert won.tolist() == [[0.0]]
