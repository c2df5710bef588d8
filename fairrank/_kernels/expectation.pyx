"""What a permutation draw needs and does not change: the expected paths and their sums.

F_g(k) = sum_{i <= k} W_g(i) v_i is the mean of the group path E_g when labels are exchangeable
inside strata and W_g(i) is the share of group g in row i's stratum. Inside a block of M tied
rows paths are linear, so with the filled part r / M of a row at the block's r-th position

    sum_r r/M = (M + 1) / 2,   sum_r (r/M)^2 = (M + 1)(2 M + 1) / (6 M).

Sums are carried in two doubles: the draws subtract them from numbers nearly as large.
"""

import numpy as np

from numpy cimport float64_t, intp_t

from fairrank._kernels.exact_sum cimport ExactSum, add, add_product, value


def block_constants(const float64_t[::1] share, const intp_t[::1] block_start):
    """For every block: one row's burden share, sum_k phi, sum_k phi^2 and sum_k phi t_k."""
    cdef intp_t b, n_blocks = block_start.shape[0] - 1
    cdef double start, stop, m, n = <double> block_start[n_blocks], squares
    constants = np.empty((n_blocks, 4))
    cdef float64_t[:, ::1] constants_out = constants
    with nogil:
        for b in range(n_blocks):
            start, stop = <double> block_start[b], <double> block_start[b + 1]
            m = stop - start
            squares = (m + 1.0) * (2.0 * m + 1.0) / 6.0
            constants_out[b, 0] = share[block_start[b]]
            constants_out[b, 1] = (n - stop) + (m + 1.0) / 2.0
            constants_out[b, 2] = (n - stop) + squares / m
            constants_out[b, 3] = (
                (start * (m + 1.0) / 2.0 + squares) / n
                + (n - stop) * (n + stop + 1.0) / (2.0 * n)
            )
    return constants


def expected_paths(const float64_t[::1] share, const intp_t[::1] stratum,
                   const float64_t[:, ::1] reference, const intp_t[::1] block_start):
    """Constants of the expansion for the first D groups of ``reference[s, g]``.

    Returns
    -------
    expected : ndarray, shape (n_blocks, D)
        ``v_b sum_k phi_b(k) F_h(k)``.
    ff : ndarray, shape (D, D)
        ``sum_k F_g(k) F_h(k)``.
    ft_sigma : ndarray, shape (2, D)
        ``sum_k F_h(k) t_k`` and the end ``sigma_h = F_h(n)``.
    """
    cdef intp_t b, i, g, h, n_blocks = block_start.shape[0] - 1, d = reference.shape[1]
    cdef double start, m, n = <double> block_start[n_blocks], half, squares, f, rise
    expected = np.empty((n_blocks, d))
    ff = np.empty((d, d))
    ft_sigma = np.empty((2, d))
    path = np.zeros((n_blocks + 1, d))
    cdef float64_t[:, ::1] expected_out = expected, ff_out = ff, ft_sigma_out = ft_sigma
    cdef float64_t[:, ::1] path_out = path
    cdef ExactSum total
    with nogil:
        for g in range(d):
            total.high = total.low = 0.0
            for b in range(n_blocks):
                for i in range(block_start[b], block_start[b + 1]):
                    add_product(&total, reference[stratum[i], g], share[i])
                path_out[b + 1, g] = value(total)
            ft_sigma_out[1, g] = value(total)
        for g in range(d):
            # From the top: total = sum of F over the positions above the block.
            total.high = total.low = 0.0
            for b in range(n_blocks - 1, -1, -1):
                m = <double> (block_start[b + 1] - block_start[b])
                half, squares = (m + 1.0) / 2.0, (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m)
                f, rise = path_out[b, g], path_out[b + 1, g] - path_out[b, g]
                expected_out[b, g] = share[block_start[b]] * (
                    value(total) + f * half + rise * squares
                )
                add(&total, m * f)
                add(&total, rise * half)
            total.high = total.low = 0.0
            for b in range(n_blocks):
                start = <double> block_start[b]
                m = <double> (block_start[b + 1] - block_start[b])
                half, squares = (m + 1.0) / 2.0, (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m)
                f, rise = path_out[b, g], path_out[b + 1, g] - path_out[b, g]
                add(&total, (start * (m * f + rise * half) + m * (f * half + rise * squares)) / n)
            ft_sigma_out[0, g] = value(total)
            for h in range(g, d):
                total.high = total.low = 0.0
                for b in range(n_blocks):
                    m = <double> (block_start[b + 1] - block_start[b])
                    half = (m + 1.0) / 2.0
                    squares = (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m)
                    f, rise = path_out[b, g], path_out[b + 1, g] - path_out[b, g]
                    add_product(&total, m * f, path_out[b, h])
                    add(&total, (f * (path_out[b + 1, h] - path_out[b, h])
                                 + path_out[b, h] * rise) * half)
                    add(&total, rise * (path_out[b + 1, h] - path_out[b, h]) * squares)
                ff_out[g, h] = ff_out[h, g] = value(total)
    return expected, ff, ft_sigma


def spread_in_strata(const intp_t[::1] stratum, const intp_t[::1] stratum_size,
                     const intp_t[::1] block_start, const float64_t[:, ::1] constants):
    """``Q_s = sum_k [sum_{i in s} c_i^2 - (sum_{i in s} c_i)^2 / n_s]``, c_i = v_i (phi_i - t).

    The permutation variance of a group's path is this times ``pi (1 - pi) n_s / (n_s - 1)``;
    a stratum of one row has none. `constants` are those of `block_constants`. O(n).
    """
    cdef intp_t b, i, s, n_blocks = block_start.shape[0] - 1, n_strata = stratum_size.shape[0]
    cdef double n = <double> block_start[n_blocks], tt, v
    spread = np.zeros(n_strata)
    cdef float64_t[::1] spread_out = spread
    # Per stratum: sum of squares, EE, Et, burden before the block, inside it, and that block.
    cdef float64_t[:, ::1] state = np.zeros((n_strata, 5))
    cdef intp_t[::1] at_block = np.full(n_strata, -1, dtype=np.intp)
    with nogil:
        tt = (n + 1.0) * (2.0 * n + 1.0) / (6.0 * n)
        for b in range(n_blocks):
            v = constants[b, 0]
            for i in range(block_start[b], block_start[b + 1]):
                s = stratum[i]
                if at_block[s] != b:
                    state[s, 3] += state[s, 4]
                    state[s, 4] = 0.0
                    at_block[s] = b
                state[s, 0] += v * v * (constants[b, 2] - 2.0 * constants[b, 3] + tt)
                state[s, 1] += v * (
                    2.0 * constants[b, 1] * state[s, 3]
                    + constants[b, 2] * (2.0 * state[s, 4] + v)
                )
                state[s, 2] += v * constants[b, 3]
                state[s, 4] += v
        for s in range(n_strata):
            if stratum_size[s] < 2:
                continue
            v = state[s, 3] + state[s, 4]
            spread_out[s] = state[s, 0] - (
                state[s, 1] - 2.0 * v * state[s, 2] + v * v * tt
            ) / <double> stratum_size[s]
    return spread
