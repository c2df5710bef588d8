"""Parts of runs of an interleaving that move past what stands next to them, whoever that is."""

import numpy as np

from libc.math cimport fabs
from numpy cimport float64_t, intp_t

from fairrank._kernels.penalty cimport joined, longer, size_of, worth

cdef enum:
    # Lengths tried grow by a quarter, places inside other runs by an eighth.
    COARSE = 4
    PLACES = 8


def shift_runs(intp_t[::1] sequence, const float64_t[:, ::1] blocks, const intp_t[::1] start,
               double per_auc, const float64_t[:, ::1] per_won, const float64_t[:, ::1] per_any,
               const float64_t[::1] per_chain, double auc, float64_t[:, ::1] signed,
               const float64_t[:, ::1] multipliers, double power, double penalty,
               double allowance, bint hard, double margin, intp_t max_sweeps):
    """Improve a sequence in place by moving ends of runs down and begins of runs up.

    The last k blocks of a run go past any number of blocks of other chains, as far as the chain's
    next run; the first k likewise upwards. Where chains that tie are kept apart by a third, this
    gains and `runs.swap_runs` does not. Arguments and results are those of `swap_runs`.
    """
    cdef intp_t n = sequence.shape[0], n_chains = start.shape[0] - 1
    cdef intp_t i, j, k, g, c, first, middle, place, swaps = 0, before, begun, next_stop
    cdef intp_t best_k, best_place, best_up, up, step, position
    cdef double k_neg, k_pos, value, best, unit, linear, moved, total, fixed, least, d_g
    cdef double sign, off, neg, pos, gone, come
    cdef bint stops
    sums_array = np.zeros((blocks.shape[0] + 1, 2))
    np.cumsum(blocks, axis=0, out=sums_array[1:])
    cdef const float64_t[:, ::1] sums = sums_array
    cdef intp_t[::1] cursor = np.empty(n_chains, dtype=np.intp)
    cdef intp_t[::1] block_at = np.empty(n, dtype=np.intp)
    # Masses that are passed, by chain, and what each chain's own favour changes by (PRF).
    cdef float64_t[::1] c_neg = np.empty(n_chains), c_pos = np.empty(n_chains)
    cdef float64_t[::1] own = np.zeros(n_chains), share = np.empty(n_chains)
    cdef float64_t[::1] d_pair = np.zeros(n_chains)
    cdef bint by_chain = np.asarray(per_chain).any()
    with nogil:
        for i in range(n_chains):
            share[i] = 0.0
            for j in range(n_chains):
                share[i] += multipliers[i, j]
        for _ in range(max_sweeps):
            before = swaps
            for g in range(n_chains):
                cursor[g] = start[g]
            for i in range(n):
                block_at[i] = cursor[sequence[i]]
                cursor[sequence[i]] += 1
            first = 0
            while first < n:
                # Invariant: block_at is right for the sequence as it is.
                g = sequence[first]
                middle = first
                while middle < n and sequence[middle] == g:
                    middle += 1
                unit = linear = fixed = total = 0.0
                for i in range(n_chains):
                    for j in range(i):
                        unit = max(unit, fabs(signed[i, j]))
                        linear -= multipliers[i, j] * signed[i, j]
                if unit == 0.0:
                    unit = 1.0
                linear += auc
                for i in range(n_chains):
                    for j in range(i):
                        total = joined(total, signed[i, j], allowance, unit, power)
                        if not by_chain and i != g and j != g:
                            fixed = joined(fixed, signed[i, j], allowance, unit, power)
                least = size_of(fixed, unit, power)
                best = worth(linear, size_of(total, unit, power), penalty, hard) + margin
                best_k = best_place = best_up = 0
                for up in range(2):
                    sign = -1.0 if up else 1.0
                    step = -1 if up else 1
                    k = 1
                    while k <= middle - first:
                        i = block_at[first] if up else block_at[middle - 1] + 1 - k
                        k_neg = sums[i + k, 0] - sums[i, 0]
                        k_pos = sums[i + k, 1] - sums[i, 1]
                        for c in range(n_chains):
                            d_pair[c] = own[c] = 0.0
                        moved, d_g = linear, 0.0
                        place = first - 1 if up else middle
                        begun, next_stop = 0, 1
                        while 0 <= place < n and sequence[place] != g:
                            # All that one passed block changes is linear in its masses.
                            c = sequence[place]
                            neg, pos = blocks[block_at[place], 0], blocks[block_at[place], 1]
                            gone = sign * k_pos * neg
                            come = sign * k_neg * pos
                            off = (per_won[g, c] * gone + per_won[c, g] * come
                                   + sign * per_any[g, c] * (k_neg + k_pos) * (neg + pos))
                            d_pair[c] -= off
                            moved += per_auc * (come - gone) + multipliers[g, c] * off
                            if by_chain:
                                own[c] += per_chain[c] * come
                                d_g -= per_chain[g] * gone
                                moved -= share[c] * per_chain[c] * come
                                moved += share[g] * per_chain[g] * gone
                            begun += 1
                            position = place + step
                            # At a run's end, and at some places inside it.
                            stops = position < 0 or position >= n or sequence[position] != c
                            if stops or begun == next_stop:
                                next_stop = begun + 1 + begun // PLACES
                                if worth(moved, least, penalty, hard) > best:
                                    total = fixed
                                    for i in range(n_chains):
                                        if i == g:
                                            continue
                                        off = signed[g, i] + d_pair[i] + d_g - own[i]
                                        total = joined(total, off, allowance, unit, power)
                                        if by_chain:
                                            for j in range(i):
                                                if j != g:
                                                    off = signed[i, j] + own[i] - own[j]
                                                    total = joined(
                                                        total, off, allowance, unit, power
                                                    )
                                    value = worth(
                                        moved, size_of(total, unit, power), penalty, hard
                                    )
                                    if value > best:
                                        best, best_k, best_place, best_up = value, k, place, up
                            if stops:
                                begun, next_stop = 0, 1
                            place += step
                        k = longer(k, middle - first, COARSE)
                if best_k:
                    k, up = best_k, best_up
                    sign = -1.0 if up else 1.0
                    i = block_at[first] if up else block_at[middle - 1] + 1 - k
                    k_neg = sums[i + k, 0] - sums[i, 0]
                    k_pos = sums[i + k, 1] - sums[i, 1]
                    # Blocks [position, place) change places with the moved ones.
                    position = best_place if up else middle
                    place = first if up else best_place + 1
                    d_g = 0.0
                    for c in range(n_chains):
                        c_neg[c] = c_pos[c] = 0.0
                    for i in range(position, place):
                        c_neg[sequence[i]] += blocks[block_at[i], 0]
                        c_pos[sequence[i]] += blocks[block_at[i], 1]
                    for c in range(n_chains):
                        auc += sign * per_auc * (c_pos[c] * k_neg - k_pos * c_neg[c])
                        d_g -= sign * per_chain[g] * k_pos * c_neg[c]
                        own[c] = sign * per_chain[c] * c_pos[c] * k_neg
                        signed[g, c] -= sign * (
                            per_won[g, c] * k_pos * c_neg[c] + per_won[c, g] * c_pos[c] * k_neg
                            + per_any[g, c] * (k_neg + k_pos) * (c_neg[c] + c_pos[c])
                        )
                    own[g] = d_g
                    for i in range(n_chains):
                        signed[i, g] = -signed[g, i]
                    for i in range(n_chains):
                        for j in range(n_chains):
                            signed[i, j] += own[i] - own[j]
                    if up:
                        i = first + k - 1
                        for j in range(first - 1, best_place - 1, -1):
                            sequence[i] = sequence[j]
                            i -= 1
                        for i in range(best_place, best_place + k):
                            sequence[i] = g
                    else:
                        i = middle - k
                        for j in range(middle, best_place + 1):
                            sequence[i] = sequence[j]
                            i += 1
                        for i in range(best_place + 1 - k, best_place + 1):
                            sequence[i] = g
                    swaps += 1
                    for c in range(n_chains):
                        cursor[c] = start[c]
                    for i in range(n):
                        block_at[i] = cursor[sequence[i]]
                        cursor[sequence[i]] += 1
                first = middle
                while first < n and first > 0 and sequence[first] == sequence[first - 1]:
                    first += 1
            if swaps == before:
                break
    return auc, swaps
