"""Several options a person: every person's upper hull of (utility, revenue) points as steps.

Only corners of the upper hull are ever chosen by a policy of largest revenue. Slopes fall along a
hull, so the steps of one person keep their order when those of all are sorted by slope.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

# Edges of one person whose slopes are this near, relatively, are one edge.
cdef double COLLINEAR = 2e-12
# Revenues of two options this near, relatively, are one revenue, so that their edge is flat.
cdef double EQUAL_REVENUE = 1e-14


cdef intp_t upper_hull(const float64_t[:, ::1] utility, const float64_t[:, ::1] revenue,
                       intp_t i, intp_t[::1] corner_out, float64_t[::1] slope_out) noexcept nogil:
    """Corners of person i, leftmost first, with the slope after each; how many there are.

    Of equal utilities the largest revenue stays, of equal points the lowest option.
    """
    cdef intp_t k, j, top, option, n_options = utility.shape[1]
    cdef double u, r, rise, slope
    # Insertion sort by utility, then by falling revenue.
    for k in range(n_options):
        u, r = utility[i, k], revenue[i, k]
        j = k
        while j > 0 and (utility[i, corner_out[j - 1]] > u
                         or (utility[i, corner_out[j - 1]] == u
                             and revenue[i, corner_out[j - 1]] < r)):
            corner_out[j] = corner_out[j - 1]
            j -= 1
        corner_out[j] = k
    top = 0
    # Invariant: corners 0 .. top are the hull of the points read, slopes strictly falling.
    for k in range(1, n_options):
        option = corner_out[k]
        if utility[i, option] == utility[i, corner_out[top]]:
            continue
        while True:
            j = corner_out[top]
            rise = revenue[i, option] - revenue[i, j]
            if fabs(rise) <= EQUAL_REVENUE * fabs(revenue[i, j]):
                rise = 0.0
            slope = rise / (utility[i, option] - utility[i, j])
            if top == 0 or slope < slope_out[top - 1] - COLLINEAR * fabs(slope_out[top - 1]):
                break
            top -= 1
        slope_out[top] = slope
        top += 1
        corner_out[top] = option
    return top + 1


def menu_steps(const float64_t[:, ::1] revenue, const float64_t[:, ::1] utility,
               const float64_t[::1] weight, const uint8_t[::1] code, intp_t n_groups):
    """Steps of every group, and where its path starts; as `policy.acceptance_steps`.

    Parameters
    ----------
    revenue, utility : (n, n_options)
        Being rejected is an option like any other.
    weight : (n,) or (0,)
    code : (n,)

    Returns
    -------
    slope, width : ndarray (n_steps,)
        Grouped.
    start : ndarray of intp (n_groups + 1,)
    corner : ndarray (n_groups, 4)
        Welfare and revenue where the path starts, welfare where it ends, and welfare where
        everybody is given the option of most revenue, of equal ones the first.
    """
    cdef intp_t i, j, g, at, best, n_corners, n = revenue.shape[0], n_options = revenue.shape[1]
    cdef bint weighted = weight.shape[0] > 0
    cdef double w = 1.0
    starts = np.zeros(n_groups + 1, dtype=np.intp)
    ends = np.zeros((n_groups, 4))
    cdef intp_t[::1] start = starts, corner = np.empty(n_options, dtype=np.intp)
    cdef float64_t[:, ::1] end = ends
    cdef float64_t[::1] hull_slope = np.empty(n_options)
    cdef intp_t[::1] next_of = np.zeros(n_groups, dtype=np.intp)
    with nogil:
        for i in range(n):
            if not weighted or weight[i] > 0.0:
                start[code[i] + 1] += upper_hull(utility, revenue, i, corner, hull_slope) - 1
        for g in range(n_groups):
            start[g + 1] += start[g]
            next_of[g] = start[g]
    slopes, widths = np.empty(starts[n_groups]), np.empty(starts[n_groups])
    cdef float64_t[::1] slope = slopes, width = widths
    with nogil:
        for i in range(n):
            if weighted:
                w = weight[i]
                if w == 0.0:
                    continue
            g = code[i]
            n_corners = upper_hull(utility, revenue, i, corner, hull_slope)
            end[g, 0] += w * utility[i, corner[0]]
            end[g, 1] += w * revenue[i, corner[0]]
            end[g, 2] += w * utility[i, corner[n_corners - 1]]
            best = 0
            for j in range(1, n_options):
                if revenue[i, j] > revenue[i, best]:
                    best = j
            end[g, 3] += w * utility[i, best]
            at = next_of[g]
            for j in range(n_corners - 1):
                slope[at] = hull_slope[j]
                width[at] = w * (utility[i, corner[j + 1]] - utility[i, corner[j]])
                at += 1
            next_of[g] = at
    return slopes, widths, starts, ends


def choose(const float64_t[:, ::1] revenue, const float64_t[:, ::1] utility,
           const uint8_t[::1] code, const float64_t[::1] cut_low,
           const float64_t[::1] cut_high, const float64_t[::1] tie):
    """Probability of every option for each row, shape (n, n_options), by its group's cut. O(n).

    A row goes along its hull past every slope above ``cut_high``; past those between the cuts it
    goes with probability `tie`.
    """
    cdef intp_t i, g, below, beyond, n_corners, n = revenue.shape[0]
    cdef intp_t[::1] corner = np.empty(revenue.shape[1], dtype=np.intp)
    cdef float64_t[::1] slope = np.empty(revenue.shape[1])
    chosen = np.zeros((n, revenue.shape[1]))
    cdef float64_t[:, ::1] out = chosen
    with nogil:
        for i in range(n):
            g = code[i]
            n_corners = upper_hull(utility, revenue, i, corner, slope)
            below = 0
            while below < n_corners - 1 and slope[below] > cut_high[g]:
                below += 1
            beyond = below
            while beyond < n_corners - 1 and slope[beyond] >= cut_low[g]:
                beyond += 1
            out[i, corner[below]] += 1.0 - tie[g]
            out[i, corner[beyond]] += tie[g]
            if below == beyond:
                out[i, corner[below]] = 1.0
    return chosen
