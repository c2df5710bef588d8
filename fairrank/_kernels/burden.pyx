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
    """Sum of |first + (last - first) r / width| over r = 1 .. width."""
    cdef double slope, before, upto, total
    if width == 1.0:
        return fabs(last)
    slope = (last - first) / width
    total = width * first + slope * width * (width + 1.0) / 2.0
    if first * last >= 0.0:
        return fabs(total)
    upto = floor(width * first / (first - last))  # the last rank before the sign changes
    before = upto * first + slope * upto * (upto + 1.0) / 2.0
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

    `state` has one row a quantity and one column a group: mass, burden, then within the walk the
    block's mass, and the completed and centred paths before and after it.
    totals_out: mass, burden, area between the Lorenz curve and its dual.
    """
    cdef intp_t n_groups = state.shape[1], n_blocks = block_start.shape[0] - 1
    cdef intp_t b, i, g, h
    cdef double mass = 0.0, total = 0.0, gini = 0.0, done = 0.0, level, width, t_step, share_step
    cdef double pi, share
    for g in range(n_groups):
        for i in range(7):
            state[i, g] = 0.0
        for h in range(n_groups):
            plain_out[g, h] = 0.0
            centred_out[g, h] = 0.0
    for i in range(block_start[first_block], block_start[n_blocks]):
        state[0, group[i]] += weight[i]
        state[1, group[i]] += weight[i] * burden[i]
    for g in range(n_groups):
        mass += state[0, g]
        total += state[1, g]
    totals_out[0], totals_out[1], totals_out[2] = mass, total, 0.0
    if not (total > 0.0):
        return
    for b in range(first_block, n_blocks):
        level = burden[block_start[b]] / total
        width = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            state[2, group[i]] += weight[i]
            width += weight[i]
        if width == 0.0:
            continue
        share_step = width * level
        t_step = width / mass
        gini += share_step * (2.0 * done + width - mass)
        done += width
        for g in range(n_groups):
            pi, share = state[0, g] / mass, state[1, g] / total
            # Completed path minus t, and the centred path U_g: both end at 0.
            state[5, g] = state[3, g] + state[2, g] * level - share * t_step
            state[6, g] = (
                state[4, g] + state[2, g] * level - pi * share_step - (share - pi) * t_step
            )
            state[2, g] = 0.0
        for g in range(n_groups):
            for h in range(g + 1, n_groups):
                plain_out[g, h] += area(
                    state[3, g] - state[3, h], state[5, g] - state[5, h], width
                )
                centred_out[g, h] += area(
                    state[4, g] - state[4, h], state[6, g] - state[6, h], width
                )
        for g in range(n_groups):
            state[3, g] = state[5, g]
            state[4, g] = state[6, g]
    totals_out[2] = gini


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
    state = np.empty((7, n_groups))
    cdef float64_t[:, ::1] plain_out = plain, centred_out = centred, state_out = state
    cdef float64_t[::1] totals_out = totals
    cdef area_t area = area_at_ranks if at_ranks else area_over_mass
    with nogil:
        add_separation(burden, group, weight, block_start, first_block, area,
                       state_out, plain_out, centred_out, totals_out)
    return plain, centred, totals, state[:2].copy()


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
