"""Paths of cumulated burden: the area between groups' paths, and their centred inner products.

Rows come sorted by burden, tied rows pooled to one value and listed as blocks. A group's burden
inside a block is spread evenly over the block's positions, so every path is linear there and
its sums have a closed form: nothing depends on the order of tied rows.
"""

import numpy as np

from libc.math cimport fabs, floor
from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t


cdef double area_at_ranks(double first, double last, double width) noexcept nogil:
    """Sum of |first + (last - first) r / width| over r = 1 .. width; 0 for an empty block.

    No branch on the width: resampled widths are random, and a mispredicted branch costs more
    than the sum.
    """
    cdef double before, upto, total = width * first + (last - first) * (width + 1.0) / 2.0
    if first * last >= 0.0:
        return fabs(total)
    upto = floor(width * first / (first - last))  # the last rank before the sign changes
    before = upto * first + (last - first) / width * upto * (upto + 1.0) / 2.0
    return fabs(before) + fabs(total - before)


cdef double area_over_mass(double first, double last, double width) noexcept nogil:
    """Integral of the same line's absolute value over [0, width]."""
    if first * last >= 0.0:
        return width * fabs(first + last) / 2.0
    return width * (first * first + last * last) / (2.0 * (fabs(first) + fabs(last)))


cdef void add_separation(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, area_t area,
    float64_t[:, ::1] state, float64_t[:, ::1] plain_out, float64_t[:, ::1] centred_out,
    float64_t[::1] totals_out,
) noexcept nogil:
    """Areas between every two groups' paths, plain and centred, from `first_block` on.

    `state` has one row a group: mass, burden, and its sign in the pair at hand.
    totals_out: mass, burden, area between the Lorenz curve and its dual.
    One pass a pair: the distance of the two paths is all that must be carried.
    """
    cdef intp_t n_groups = state.shape[0], n_blocks = block_start.shape[0] - 1
    cdef intp_t b, i, g, h
    cdef double mass = 0.0, total = 0.0, gini = 0.0, done = 0.0, width
    for g in range(n_groups):
        for i in range(3):
            state[g, i] = 0.0
        for h in range(n_groups):
            plain_out[g, h] = 0.0
            centred_out[g, h] = 0.0
    for i in range(block_start[first_block], block_start[n_blocks]):
        state[group[i], 0] += weight[i]
        state[group[i], 1] += weight[i] * burden[i]
    for g in range(n_groups):
        mass += state[g, 0]
        total += state[g, 1]
    totals_out[0], totals_out[1], totals_out[2] = mass, total, 0.0
    if not (total > 0.0):
        return
    for b in range(first_block, n_blocks):
        width = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            width += weight[i]
        gini += width * (burden[block_start[b]] / total) * (2.0 * done + width - mass)
        done += width
    totals_out[2] = gini
    for g in range(n_groups):
        for h in range(g + 1, n_groups):
            for i in range(n_groups):
                state[i, 2] = 0.0
            state[g, 2], state[h, 2] = 1.0, -1.0
            add_pair(
                burden, group, weight, block_start, first_block, area, state, 1.0 / total,
                1.0 / mass, (state[g, 1] - state[h, 1]) / total,
                (state[g, 0] - state[h, 0]) / mass, &plain_out[g, h], &centred_out[g, h],
            )


cdef inline void add_pair(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, area_t area,
    const float64_t[:, ::1] state, double per_total, double per_mass,
    double share_gap, double pi_gap, double* plain_out, double* centred_out,
) noexcept nogil:
    """Area of D = E_g - E_h - (s_g - s_h) t and of D - mu, mu = (pi_g - pi_h)(L - t)."""
    cdef intp_t b, i
    cdef double plain = 0.0, centred = 0.0, plain_area = 0.0, centred_area = 0.0
    cdef double level, width, lead, t_step, step, plain_next, centred_next
    for b in range(first_block, block_start.shape[0] - 1):
        width = lead = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            width += weight[i]
            lead += weight[i] * state[group[i], 2]
        level = burden[block_start[b]] * per_total
        t_step = width * per_mass
        step = lead * level - share_gap * t_step
        plain_next = plain + step
        centred_next = centred + step - pi_gap * (width * level - t_step)
        plain_area += area(plain, plain_next, width)
        centred_area += area(centred, centred_next, width)
        plain, centred = plain_next, centred_next
    plain_out[0], centred_out[0] = plain_area, centred_area


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
    state = np.empty((n_groups, 3))
    cdef float64_t[:, ::1] plain_out = plain, centred_out = centred, state_out = state
    cdef float64_t[::1] totals_out = totals
    cdef area_t area = area_at_ranks if at_ranks else area_over_mass
    with nogil:
        add_separation(burden, group, weight, block_start, first_block, area,
                       state_out, plain_out, centred_out, totals_out)
    return plain, centred, totals, state[:, :2].T.copy()


def centred_products(const float64_t[::1] share, const uint8_t[::1] group,
                     const intp_t[::1] stratum, const float64_t[:, ::1] reference,
                     const intp_t[::1] block_start):
    """Inner products ``sum_k U_g(k) U_h(k)`` of the centred paths over all positions.

    `share` is each row's part of the total burden; ``reference[s, g]`` the share of group g
    among the rows of stratum s, so that ``U_g = E_g - F_g - (s_g - sigma_g) t``. The paths are
    walked, not expanded, so nothing cancels. O(n n_groups + n_blocks n_groups^2).
    """
    cdef intp_t n = share.shape[0], n_blocks = block_start.shape[0] - 1
    cdef intp_t n_groups = reference.shape[1], b, i, g, h
    cdef double width, x, y, dx, dy
    products = np.zeros((n_groups, n_groups))
    cdef float64_t[:, ::1] products_out = products
    cdef float64_t[::1] drift = np.zeros(n_groups), path = np.zeros(n_groups)
    cdef float64_t[::1] step = np.zeros(n_groups)
    with nogil:
        for i in range(n):
            drift[group[i]] += share[i]
            for g in range(n_groups):
                drift[g] -= reference[stratum[i], g] * share[i]
        for b in range(n_blocks):
            width = <double> (block_start[b + 1] - block_start[b])
            for g in range(n_groups):
                step[g] = -drift[g] * width / n
            for i in range(block_start[b], block_start[b + 1]):
                step[group[i]] += share[i]
                for g in range(n_groups):
                    step[g] -= reference[stratum[i], g] * share[i]
            for g in range(n_groups):
                x, dx = path[g], step[g] / width
                for h in range(g, n_groups):
                    y, dy = path[h], step[h] / width
                    products_out[g, h] += (
                        width * x * y + (x * dy + y * dx) * width * (width + 1.0) / 2.0
                        + dx * dy * width * (width + 1.0) * (2.0 * width + 1.0) / 6.0
                    )
            for g in range(n_groups):
                path[g] += step[g]
        for g in range(n_groups):
            for h in range(g):
                products_out[g, h] = products_out[h, g]
    return products
