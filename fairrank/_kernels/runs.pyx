"""Runs of an interleaving of several chains: the end of one changes places with the next's begin.

A run is a stretch of one chain. Where a run of g is followed by one of h, moving the last k
blocks of the former behind the first l of the latter changes only the pairs between these two, by
their masses: AUC and disparities follow in O(1), whatever else is in the sequence.
"""

import numpy as np

from libc.math cimport fabs
from numpy cimport float64_t, intp_t

from fairrank._kernels.penalty cimport joined, longer, size_of, worth

cdef enum:
    # Lengths tried are some three per cent apart.
    FINE = 32


def swap_runs(intp_t[::1] sequence, const float64_t[:, ::1] blocks, const intp_t[::1] start,
              double per_auc, const float64_t[:, ::1] per_won, const float64_t[:, ::1] per_any,
              const float64_t[::1] per_chain, double auc, float64_t[:, ::1] signed,
              const float64_t[:, ::1] multipliers, double power, double penalty,
              double allowance, bint hard, double margin, intp_t max_sweeps):
    """Improve a sequence in place by swaps of neighbouring runs until none gains.

    Parameters
    ----------
    sequence, blocks, start
        As in `interleaving.pairs_across`.
    per_auc : float
        What a pair of a positive above a negative adds to AUC.
    per_won, per_any : (K, K), per_chain : (K,)
        A pair (positive of g, negative of h) in that order adds ``per_won[g, h]`` to the
        disparity D[g, h] alone, and ``per_chain[g]`` to D[g, k] for all k; (any of g, any of h)
        adds ``per_any[g, h]`` to D[g, h].
    auc : float
    signed : (K, K)
        AUC and antisymmetric D of the sequence; D is kept up to date.
    multipliers : (K, K)
        Antisymmetric. The value is AUC - sum over pairs of multiplier * D, less a penalty.
    power : float
        The penalty is on this norm of the pairs' max(|D| - allowance, 0); infinity is the
        largest.
    penalty, allowance, hard
        As in `ranking._orders.Objective`.
    margin : float
        Gains up to this are rounding.

    Returns
    -------
    auc : float
    n_swaps : int
    """
    cdef intp_t n = sequence.shape[0], n_chains = start.shape[0] - 1
    cdef intp_t i, j, k, l, g, h, first, middle, last, block_g, block_h, swaps = 0, before
    cdef intp_t best_k, best_l
    cdef double k_neg, k_pos, l_neg, l_pos, d_pair, d_g, d_h, value, best, unit, linear, moved
    cdef double fixed, least, total, share_g, share_h
    cdef bint alone
    # Blocks' sums, so that any run's mass is a difference: sums[block] is what lies before it.
    sums_array = np.zeros((blocks.shape[0] + 1, 2))
    np.cumsum(blocks, axis=0, out=sums_array[1:])
    cdef const float64_t[:, ::1] sums = sums_array
    cdef intp_t[::1] cursor = np.empty(n_chains, dtype=np.intp)
    with nogil:
        for _ in range(max_sweeps):
            before = swaps
            for g in range(n_chains):
                cursor[g] = start[g]
            first = 0
            while first < n:
                # Invariant: cursor[g] is the first block of g at or behind `first`.
                g = sequence[first]
                middle = first
                while middle < n and sequence[middle] == g:
                    middle += 1
                if middle == n:
                    break
                h = sequence[middle]
                last = middle
                while last < n and sequence[last] == h:
                    last += 1
                block_g, block_h = cursor[g] + middle - first, cursor[h]
                # What stays: disparities that no swap of these two chains changes.
                alone = per_chain[g] == 0.0 and per_chain[h] == 0.0
                unit = linear = share_g = share_h = 0.0
                for i in range(n_chains):
                    for j in range(i):
                        unit = max(unit, fabs(signed[i, j]))
                        linear -= multipliers[i, j] * signed[i, j]
                    share_g += multipliers[g, i]
                    share_h += multipliers[h, i]
                if unit == 0.0:
                    unit = 1.0
                linear += auc
                fixed = total = 0.0
                for i in range(n_chains):
                    for j in range(i):
                        total = joined(total, signed[i, j], allowance, unit, power)
                        if (i == g and j == h) or (i == h and j == g):
                            continue
                        if alone or (i != g and i != h and j != g and j != h):
                            fixed = joined(fixed, signed[i, j], allowance, unit, power)
                least = size_of(fixed, unit, power)
                best = worth(linear, size_of(total, unit, power), penalty, hard) + margin
                best_k = best_l = 0
                d_g = d_h = 0.0
                k = 1
                while k <= middle - first:
                    k_neg = sums[block_g, 0] - sums[block_g - k, 0]
                    k_pos = sums[block_g, 1] - sums[block_g - k, 1]
                    l = 1
                    while l <= last - middle:
                        l_neg = sums[block_h + l, 0] - sums[block_h, 0]
                        l_pos = sums[block_h + l, 1] - sums[block_h, 1]
                        moved = linear + per_auc * (l_pos * k_neg - k_pos * l_neg)
                        if alone:
                            d_pair = -(
                                per_won[g, h] * k_pos * l_neg + per_won[h, g] * l_pos * k_neg
                                + per_any[g, h] * (k_neg + k_pos) * (l_neg + l_pos)
                            )
                            moved -= multipliers[g, h] * d_pair
                        else:
                            d_g = -per_chain[g] * k_pos * l_neg
                            d_h = per_chain[h] * l_pos * k_neg
                            d_pair = d_g - d_h
                            moved -= share_g * d_g + share_h * d_h
                        if worth(moved, least, penalty, hard) > best:
                            total = joined(fixed, signed[g, h] + d_pair, allowance, unit, power)
                            if not alone:
                                for i in range(n_chains):
                                    if i != g and i != h:
                                        total = joined(
                                            total, signed[g, i] + d_g, allowance, unit, power
                                        )
                                        total = joined(
                                            total, signed[h, i] + d_h, allowance, unit, power
                                        )
                            value = worth(moved, size_of(total, unit, power), penalty, hard)
                            if value > best:
                                best, best_k, best_l = value, k, l
                        l = longer(l, last - middle, FINE)
                    k = longer(k, middle - first, FINE)
                if best_k:
                    k, l = best_k, best_l
                    k_neg = sums[block_g, 0] - sums[block_g - k, 0]
                    k_pos = sums[block_g, 1] - sums[block_g - k, 1]
                    l_neg = sums[block_h + l, 0] - sums[block_h, 0]
                    l_pos = sums[block_h + l, 1] - sums[block_h, 1]
                    auc += per_auc * (l_pos * k_neg - k_pos * l_neg)
                    signed[g, h] -= (
                        per_won[g, h] * k_pos * l_neg + per_won[h, g] * l_pos * k_neg
                        + per_any[g, h] * (k_neg + k_pos) * (l_neg + l_pos)
                    )
                    signed[h, g] = -signed[g, h]
                    if not alone:
                        d_g = -per_chain[g] * k_pos * l_neg
                        d_h = per_chain[h] * l_pos * k_neg
                        for i in range(n_chains):
                            if i != g:
                                signed[g, i] += d_g
                                signed[i, g] = -signed[g, i]
                            if i != h:
                                signed[h, i] += d_h
                                signed[i, h] = -signed[h, i]
                    for i in range(middle - k, middle - k + l):
                        sequence[i] = h
                    for i in range(middle - k + l, middle + l):
                        sequence[i] = g
                    swaps += 1
                    # Before the run that has just become longer or new.
                    middle -= k
                    if middle == first:
                        # All of g went: what stood before may now go with h.
                        cursor[h] += l
                        first += l
                        continue
                cursor[g] += middle - first
                first = middle
            if swaps == before:
                break
    return auc, swaps
