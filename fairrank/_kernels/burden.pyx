"""Paths of cumulated burden: the area between groups' paths, and their centred inner products.

Rows come sorted by burden, tied rows pooled to one value and listed as blocks. A group's burden
inside a block is spread evenly over the block's positions, so every path is linear there and
its sums have a closed form: nothing depends on the order of tied rows.
"""

import numpy as np

from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.zero_sum cimport add_last_group

cdef enum:
    PARTS = 4


cdef inline void add_pair(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, bint at_ranks,
    const float64_t[::1] sign, double* plain_out, double* centred_out,
    float64_t[::1] totals_out,
) noexcept nogil:
    """Area of D = E_g - E_h - (s_g - s_h) t and of D - mu, mu = (pi_g - pi_h)(L - t).

    `sign` is 1 for g, -1 for h and 0 for other groups: only the distance of the two paths is
    carried. totals_out: mass, burden, area between the Lorenz curve and its dual.
    """
    cdef intp_t b, i
    cdef double plain = 0.0, centred = 0.0, plain_area = 0.0, centred_area = 0.0, gini = 0.0
    cdef double level, width, lead, t_step, step, lift, plain_next, centred_next, done = 0.0
    cdef double mass = 0.0, total = 0.0, per_total, per_mass, share_gap = 0.0, pi_gap = 0.0
    # Block by block, so that the order of tied rows changes no rounding.
    for b in range(first_block, block_start.shape[0] - 1):
        width = lead = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            width += weight[i]
            lead += weight[i] * sign[group[i]]
        mass += width
        total += width * burden[block_start[b]]
        pi_gap += lead
        share_gap += lead * burden[block_start[b]]
    totals_out[0], totals_out[1], totals_out[2] = mass, total, 0.0
    if not (total > 0.0):
        plain_out[0] = centred_out[0] = 0.0
        return
    per_total, per_mass = 1.0 / total, 1.0 / mass
    share_gap *= per_total
    pi_gap *= per_mass
    for b in range(first_block, block_start.shape[0] - 1):
        width = lead = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            width += weight[i]
            lead += weight[i] * sign[group[i]]
        level = burden[block_start[b]] * per_total
        t_step = width * per_mass
        lift = width * level
        gini += lift * (2.0 * done + width - mass)
        done += width
        step = lead * level - share_gap * t_step
        plain_next = plain + step
        centred_next = centred + step - pi_gap * (lift - t_step)
        plain_area += line_area(plain, plain_next, width, at_ranks)
        centred_area += line_area(centred, centred_next, width, at_ranks)
        plain, centred = plain_next, centred_next
    plain_out[0], centred_out[0], totals_out[2] = plain_area, centred_area, gini


cdef void add_separation(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, bint at_ranks,
    float64_t[::1] sign, float64_t[:, ::1] plain_out, float64_t[:, ::1] centred_out,
    float64_t[::1] totals_out,
) noexcept nogil:
    """Areas between every two groups' paths, plain and centred, from `first_block` on.

    totals_out: mass, burden, area between the Lorenz curve and its dual. Two passes a pair.
    """
    cdef intp_t n_groups = sign.shape[0], g, h
    plain_out[:, :] = 0.0
    centred_out[:, :] = 0.0
    for g in range(n_groups):
        for h in range(g + 1, n_groups):
            sign[:] = 0.0
            sign[g], sign[h] = 1.0, -1.0
            # Two calls with a constant, so that each is compiled without the choice.
            if at_ranks:
                add_pair(burden, group, weight, block_start, first_block, True, sign,
                         &plain_out[g, h], &centred_out[g, h], totals_out)
            else:
                add_pair(burden, group, weight, block_start, first_block, False, sign,
                         &plain_out[g, h], &centred_out[g, h], totals_out)


def separation(const float64_t[::1] burden, const uint8_t[::1] group,
               const float64_t[::1] weight, const intp_t[::1] block_start,
               intp_t first_block, intp_t n_groups, bint at_ranks):
    """Distance between the groups' paths inside the blocks from `first_block` on.

    `at_ranks` sums over whole positions (weights are repetitions); otherwise the distance is
    integrated over cumulated weight. O(n n_groups^2).

    Returns
    -------
    plain, centred : ndarray, shape (n_groups, n_groups)
        Upper triangles: sum of ``|D_gh|`` and of ``|D_gh - mu_gh|``.
    totals : ndarray, shape (3,)
        Mass, burden, and the sum of ``Lc - L``; the last is 0 when all burdens are equal.
    group_totals : ndarray, shape (2, n_groups)
        Mass and burden of every group.
    """
    plain = np.empty((n_groups, n_groups))
    centred = np.empty((n_groups, n_groups))
    totals = np.empty(3)
    group_totals = np.zeros((2, n_groups))
    cdef float64_t[:, ::1] plain_out = plain, centred_out = centred
    cdef float64_t[:, ::1] group_totals_out = group_totals
    cdef float64_t[::1] totals_out = totals, sign = np.empty(n_groups)
    # A sum waits for the one before it. Neighbours go to different ones, and these are added up.
    cdef float64_t[:, :, ::1] part = np.zeros((PARTS, n_groups, 2))
    cdef intp_t i, g, k
    with nogil:
        add_separation(burden, group, weight, block_start, first_block, at_ranks,
                       sign, plain_out, centred_out, totals_out)
        for i in range(block_start[first_block], burden.shape[0]):
            part[i % PARTS, group[i], 0] += weight[i]
            part[i % PARTS, group[i], 1] += weight[i] * burden[i]
        for k in range(PARTS):
            for g in range(n_groups):
                group_totals_out[0, g] += part[k, g, 0]
                group_totals_out[1, g] += part[k, g, 1]
    return plain, centred, totals, group_totals


def centred_products(const float64_t[::1] share, const uint8_t[::1] group,
                     const intp_t[::1] stratum, const float64_t[:, ::1] reference,
                     const intp_t[::1] block_start):
    """Inner products ``sum_k U_g(k) U_h(k)`` of the centred paths over all positions.

    `share` is each row's part of the total burden; ``reference[s, g]`` the share of group g
    among the rows of stratum s, so that ``U_g = E_g - F_g - (s_g - sigma_g) t``. The paths are
    walked, not expanded, so nothing cancels; the last group's is minus the sum of the others'.
    O(n n_groups + n_blocks n_groups^2).
    """
    cdef intp_t n = share.shape[0], n_blocks = block_start.shape[0] - 1
    cdef intp_t d = reference.shape[1] - 1, b, i, g, h
    cdef double width, per_row, line, square, x, dx
    products = np.zeros((d + 1, d + 1))
    cdef float64_t[:, ::1] products_out = products
    cdef float64_t[::1] drift = np.zeros(d + 1), path = np.zeros(d + 1)
    cdef float64_t[::1] step = np.zeros(d + 1)
    with nogil:
        for i in range(n):
            drift[group[i]] += share[i]
            for g in range(d):
                drift[g] -= reference[stratum[i], g] * share[i]
        for b in range(n_blocks):
            width = <double> (block_start[b + 1] - block_start[b])
            per_row = 1.0 / width
            line, square = (width + 1.0) / 2.0, (width + 1.0) * (2.0 * width + 1.0) / 6.0
            for g in range(d):
                step[g] = -drift[g] * width / n
            for i in range(block_start[b], block_start[b + 1]):
                step[group[i]] += share[i]
                for g in range(d):
                    step[g] -= reference[stratum[i], g] * share[i]
            for g in range(d):
                x, dx = path[g], step[g]
                for h in range(g, d):
                    products_out[g, h] += (
                        width * x * path[h] + (x * step[h] + path[h] * dx) * line
                        + dx * step[h] * square * per_row
                    )
            for g in range(d):
                path[g] += step[g]
        for g in range(d):
            for h in range(g):
                products_out[g, h] = products_out[h, g]
        add_last_group(products_out)
    return products
