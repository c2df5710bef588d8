"""Concordance across samples: what part of one sample's rows another's outrank, ties one half.

Rows come sorted by ascending score and listed as blocks of ties. Each row carries a small code,
and two tables say which of the samples *above* (that outrank) and which of the samples *below*
(that are outranked) the rows of a code belong to, -1 for none. Cross-group AUC has the positives
of the groups above and their negatives below; without labels every row is on both sides.
"""

import numpy as np

from libc.stdint cimport int16_t, uint16_t, uint32_t, uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.generator cimport Generator, seeded
from fairrank._kernels.multiplicities cimport draw_inside_strata


cdef void add_concordance(
    const uint16_t[::1] code, const float64_t[::1] weight, const intp_t[::1] block_start,
    const int16_t[::1] above_of, const int16_t[::1] below_of,
    float64_t[::1] passed, float64_t[:, ::1] won_out,
) noexcept nogil:
    """won[a, b]: total of w_i w_j over i in a, j in b with a lower score, ties halved.

    Invariant: while a block is read, passed[b] is the weight of b in the blocks before it and
    half of that inside. Halves of whole weights are exact, so their order changes nothing.
    """
    cdef intp_t b, i, a, d, n_below = won_out.shape[1]
    for d in range(n_below):
        passed[d] = 0.0
        for a in range(won_out.shape[0]):
            won_out[a, d] = 0.0
    for b in range(block_start.shape[0] - 1):
        for i in range(block_start[b], block_start[b + 1]):
            d = below_of[code[i]]
            if d >= 0:
                passed[d] += weight[i] / 2.0
        for i in range(block_start[b], block_start[b + 1]):
            a = above_of[code[i]]
            if a >= 0:
                for d in range(n_below):
                    won_out[a, d] += weight[i] * passed[d]
        for i in range(block_start[b], block_start[b + 1]):
            d = below_of[code[i]]
            if d >= 0:
                passed[d] += weight[i] / 2.0


def concordance(
    const uint16_t[::1] code, const float64_t[::1] weight, const intp_t[::1] block_start,
    const int16_t[::1] above_of, const int16_t[::1] below_of, intp_t n_above, intp_t n_below,
):
    """Pairs that every sample above wins from every sample below. O(n n_below).

    Returns
    -------
    won : ndarray, shape (n_above, n_below)
        Sums of ``w_i w_j``. A row on both sides ties with itself.
    above_mass, below_mass : ndarray, shape (n_above,) and (n_below,)
    """
    won = np.empty((n_above, n_below))
    above_mass, below_mass = np.zeros(n_above), np.zeros(n_below)
    cdef float64_t[:, ::1] won_out = won
    cdef float64_t[::1] above_out = above_mass, below_out = below_mass
    cdef intp_t i
    with nogil:
        add_concordance(code, weight, block_start, above_of, below_of, below_out, won_out)
        for i in range(code.shape[0]):
            if above_of[code[i]] >= 0:
                above_out[above_of[code[i]]] += weight[i]
    return won, above_mass, below_mass


def placement_spread(
    const uint16_t[::1] code, const float64_t[::1] weight, const float64_t[::1] spread_weight,
    const intp_t[::1] block_start, const int16_t[::1] above_of, const int16_t[::1] below_of,
    const float64_t[::1] above_mass, const float64_t[::1] below_mass,
    const float64_t[:, ::1] mean,
):
    """Weighted squared deviations of the rows' placements from their `mean`. O(n (A + B)).

    The placement of a row above is the part of a sample below that it beats; that of a row below
    the part of a sample above that beats it. ``mean[a, b]`` is the concordance, the mean of both.

    Returns
    -------
    of_above, of_below : ndarray, shape (A, B)
        Sums of ``spread_weight * (placement - mean)**2`` over the rows of a, and of b.
    """
    cdef intp_t n_above = mean.shape[0], n_below = mean.shape[1], b, i, a, d, k
    cdef double deviation
    of_above, of_below = np.zeros((n_above, n_below)), np.zeros((n_above, n_below))
    cdef float64_t[:, ::1] above_out = of_above, below_out = of_below
    cdef float64_t[::1] passed = np.zeros(n_below), passing = np.zeros(n_above)
    with nogil:
        for b in range(block_start.shape[0] - 1):
            for i in range(block_start[b], block_start[b + 1]):
                a, d = above_of[code[i]], below_of[code[i]]
                if a >= 0:
                    passing[a] += weight[i] / 2.0
                if d >= 0:
                    passed[d] += weight[i] / 2.0
            for i in range(block_start[b], block_start[b + 1]):
                a, d = above_of[code[i]], below_of[code[i]]
                if a >= 0:
                    for k in range(n_below):
                        deviation = passed[k] / below_mass[k] - mean[a, k]
                        above_out[a, k] += spread_weight[i] * deviation * deviation
                if d >= 0:
                    for k in range(n_above):
                        deviation = 1.0 - passing[k] / above_mass[k] - mean[k, d]
                        below_out[k, d] += spread_weight[i] * deviation * deviation
            for i in range(block_start[b], block_start[b + 1]):
                a, d = above_of[code[i]], below_of[code[i]]
                if a >= 0:
                    passing[a] += weight[i] / 2.0
                if d >= 0:
                    passed[d] += weight[i] / 2.0
    return of_above, of_below


def shared_spread(
    const uint16_t[::1] code, const float64_t[::1] weight, const float64_t[::1] spread_weight,
    const intp_t[::1] block_start, const int16_t[::1] above_of, const int16_t[::1] below_of,
    const float64_t[::1] above_mass, const float64_t[::1] mean,
):
    """Weighted products of the placements of the rows below among several samples above.

    For samples above that share one sample below (positives of the groups, everybody's
    negatives), whose concordances are therefore correlated. O(n A + n_below A^2).

    Returns
    -------
    ndarray, shape (A, A)
        Sums over the rows below of ``spread_weight`` times the product of their deviations.
    """
    cdef intp_t n_above = mean.shape[0], b, i, a, k
    products = np.zeros((n_above, n_above))
    cdef float64_t[:, ::1] products_out = products
    cdef float64_t[::1] passing = np.zeros(n_above), deviation = np.zeros(n_above)
    with nogil:
        for b in range(block_start.shape[0] - 1):
            for i in range(block_start[b], block_start[b + 1]):
                a = above_of[code[i]]
                if a >= 0:
                    passing[a] += weight[i] / 2.0
            for i in range(block_start[b], block_start[b + 1]):
                if below_of[code[i]] >= 0:
                    for a in range(n_above):
                        deviation[a] = 1.0 - passing[a] / above_mass[a] - mean[a]
                        for k in range(a + 1):
                            products_out[a, k] += spread_weight[i] * deviation[a] * deviation[k]
            for i in range(block_start[b], block_start[b + 1]):
                a = above_of[code[i]]
                if a >= 0:
                    passing[a] += weight[i] / 2.0
        for a in range(n_above):
            for k in range(a):
                products_out[k, a] = products_out[a, k]
    return products


def resampled_concordance(
    const uint16_t[::1] stratum, const intp_t[::1] block_start, const intp_t[::1] stratum_start,
    const int16_t[::1] above_of, const int16_t[::1] below_of, intp_t n_above, intp_t n_below,
    const uint64_t[::1] seed, intp_t n_draws,
):
    """Concordances in `n_draws` resamples of the rows inside every stratum, never sorted again.

    The tables are by stratum, and ``stratum_start`` cumulates the strata's sizes. Multiplicities
    are drawn stratum after stratum, where they lie side by side, and read in sorted order with
    one cursor a stratum. O(n n_below) a draw.

    Returns
    -------
    won : ndarray, shape (n_draws, n_above, n_below)
        As of `concordance`. A draw keeps the size of every stratum.
    """
    cdef intp_t r, i, s, n = stratum.shape[0], n_strata = stratum_start.shape[0] - 1
    won = np.empty((n_draws, n_above, n_below))
    cdef float64_t[:, :, ::1] won_out = won
    cdef uint32_t[::1] drawn = np.empty(n, dtype=np.uint32)
    cdef float64_t[::1] weight = np.empty(n), passed = np.empty(n_below)
    cdef intp_t[::1] cursor = np.empty(n_strata, dtype=np.intp)
    cdef Generator rng
    with nogil:
        rng = seeded(seed)
        for r in range(n_draws):
            draw_inside_strata(drawn, stratum_start, &rng)
            for s in range(n_strata):
                cursor[s] = stratum_start[s]
            for i in range(n):
                s = stratum[i]
                weight[i] = <double> drawn[cursor[s]]
                cursor[s] += 1
            add_concordance(
                stratum, weight, block_start, above_of, below_of, passed, won_out[r]
            )
    return won
