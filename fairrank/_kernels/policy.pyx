"""Accept or reject: a group's steps in the plane of (welfare, revenue), their path, decisions.

A person who is accepted adds (utility, revenue). Every path starts where the group's welfare is
least: everybody with a negative utility accepted, and those of utility 0 who pay. A step moves
one person so that welfare grows: from rejected to accepted, or back where the utility is
negative. Its slope is revenue / utility either way.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.exact_sum cimport ExactSum, add, value


def acceptance_steps(const float64_t[::1] revenue, const float64_t[::1] utility,
                     const float64_t[::1] weight, const uint8_t[::1] code, intp_t n_groups):
    """Steps of every group, and where its path starts. O(n).

    Parameters
    ----------
    revenue, utility : (n,)
        Of being accepted; rejected is (0, 0).
    weight : (n,) or (0,)
        Not negative; empty where every weight is 1.
    code : (n,)

    Returns
    -------
    slope, width : ndarray (n_steps,)
        Grouped; a width is weight * |utility|, above 0.
    start : ndarray of intp (n_groups + 1,)
    corner : ndarray (n_groups, 4)
        Welfare and revenue where the path starts, welfare where it ends, and welfare where
        whoever pays is accepted.
    """
    cdef intp_t i, g, at, n = revenue.shape[0]
    cdef bint weighted = weight.shape[0] > 0
    cdef double w = 1.0, u, r
    starts = np.zeros(n_groups + 1, dtype=np.intp)
    corners = np.zeros((n_groups, 4))
    cdef intp_t[::1] start = starts
    cdef float64_t[:, ::1] corner = corners
    cdef intp_t[::1] next_of = np.zeros(n_groups, dtype=np.intp)
    with nogil:
        for i in range(n):
            if utility[i] != 0.0 and (not weighted or weight[i] > 0.0):
                start[code[i] + 1] += 1
        for g in range(n_groups):
            start[g + 1] += start[g]
            next_of[g] = start[g]
    slopes, widths = np.empty(starts[n_groups]), np.empty(starts[n_groups])
    cdef float64_t[::1] slope = slopes, width = widths
    with nogil:
        for i in range(n):
            u, r, g = utility[i], revenue[i], code[i]
            if weighted:
                w = weight[i]
                if w == 0.0:
                    continue
            if u == 0.0:
                if r > 0.0:
                    corner[g, 1] += w * r
                continue
            at = next_of[g]
            next_of[g] = at + 1
            slope[at] = r / u
            width[at] = w * fabs(u)
            if u < 0.0:
                corner[g, 0] += w * u
                corner[g, 1] += w * r
            else:
                corner[g, 2] += w * u
            if r > 0.0:
                corner[g, 3] += w * u
    return slopes, widths, starts, corners


def path_of_steps(const float64_t[::1] slope, const float64_t[::1] width,
                  const intp_t[::1] order, double start_welfare, double start_revenue,
                  double tolerance):
    """Corners of the path whose steps come by falling slope. O(n).

    Steps within a relative `tolerance` of the first slope of their block are one block.

    Parameters
    ----------
    slope, width : (n_steps,)
    order : (n_steps,)
        By falling slope.

    Returns
    -------
    welfare, revenue : ndarray (n_blocks + 1,)
        Never decreasing, and concave over welfare.
    block_slope, high, low : ndarray (n_blocks,)
        Mean, first and last slope of each block.
    """
    cdef intp_t i, s, block = -1, n = order.shape[0]
    cdef double last = 0.0, limit = 0.0, of_block = 0.0, rise = 0.0
    cdef ExactSum across, up
    welfares, revenues = np.empty(n + 1), np.empty(n + 1)
    means, highs, lows = np.empty(n), np.empty(n), np.empty(n)
    cdef float64_t[::1] welfare = welfares, revenue = revenues
    cdef float64_t[::1] mean = means, high = highs, low = lows
    across.high, across.low = start_welfare, 0.0
    up.high, up.low = start_revenue, 0.0
    welfare[0], revenue[0] = start_welfare, start_revenue
    with nogil:
        # Invariant: corner `block` is where the open block starts; its steps are summed in
        # `of_block` and `rise`, and their slopes lie in [low[block], high[block]].
        for i in range(n):
            s = order[i]
            last = slope[s]
            if block < 0 or last < limit:
                if block >= 0:
                    mean[block] = rise / of_block
                    welfare[block + 1], revenue[block + 1] = value(across), value(up)
                block += 1
                high[block] = last
                limit = last - tolerance * fabs(last)
                of_block = rise = 0.0
            low[block] = last
            of_block += width[s]
            rise += width[s] * last
            add(&across, width[s])
            add(&up, width[s] * last)
        if block >= 0:
            mean[block] = rise / of_block
            welfare[block + 1], revenue[block + 1] = value(across), value(up)
    block += 1
    return (welfares[: block + 1], revenues[: block + 1], means[:block], highs[:block],
            lows[:block])


def accept(const float64_t[::1] revenue, const float64_t[::1] utility,
           const uint8_t[::1] code, const float64_t[::1] cut_low,
           const float64_t[::1] cut_high, const float64_t[::1] tie):
    """Probability that each row is accepted, by the slopes of its group's cut. O(n).

    Steps above ``cut_high`` are taken, those below ``cut_low`` are not, and those between are
    taken with probability `tie`; a taken step accepts where the utility is positive and rejects
    where it is negative.
    """
    cdef intp_t i, g, n = revenue.shape[0]
    cdef double u, r, slope, taken
    accepted = np.empty(n)
    cdef float64_t[::1] out = accepted
    with nogil:
        for i in range(n):
            u, r, g = utility[i], revenue[i], code[i]
            if u == 0.0:
                out[i] = 1.0 if r > 0.0 else 0.0
                continue
            slope = r / u
            taken = 1.0 if slope > cut_high[g] else 0.0 if slope < cut_low[g] else tie[g]
            out[i] = taken if u > 0.0 else 1.0 - taken
    return accepted


def totals(const float64_t[::1] accepted, const float64_t[::1] revenue,
           const float64_t[::1] utility, const float64_t[::1] weight,
           const uint8_t[::1] code, const float64_t[::1] multiplier):
    """Sums over the rows of every group, shape (n_groups, 8). O(n).

    Weight; welfare, revenue and acceptance of `accepted`; the same three of accepting whoever
    has a positive revenue; and the positive parts of revenue - multiplier * utility.
    """
    cdef intp_t i, j, g, n = revenue.shape[0], n_groups = multiplier.shape[0]
    cdef bint weighted = weight.shape[0] > 0
    cdef double w = 1.0, u, r, c, beyond
    sums, carried = np.zeros((n_groups, 8)), np.zeros((n_groups, 8))
    cdef float64_t[:, ::1] out = sums, low = carried
    with nogil:
        for i in range(n):
            u, r, c, g = utility[i], revenue[i], accepted[i], code[i]
            if weighted:
                w = weight[i]
            carry(&out[g, 0], &low[g, 0], w)
            if c != 0.0:
                carry(&out[g, 1], &low[g, 1], w * c * u)
                carry(&out[g, 2], &low[g, 2], w * c * r)
                carry(&out[g, 3], &low[g, 3], w * c)
            if r > 0.0:
                carry(&out[g, 4], &low[g, 4], w * u)
                carry(&out[g, 5], &low[g, 5], w * r)
                carry(&out[g, 6], &low[g, 6], w)
            beyond = r - multiplier[g] * u
            if beyond > 0.0:
                carry(&out[g, 7], &low[g, 7], w * beyond)
        for g in range(n_groups):
            for j in range(8):
                out[g, j] += low[g, j]
    return sums


cdef inline void carry(double* high, double* low, double x) noexcept nogil:
    """Add `x` to a sum in two doubles."""
    cdef double s = high[0] + x
    cdef double moved = s - high[0]
    low[0] += (high[0] - (s - moved)) + (x - moved)
    high[0] = s
