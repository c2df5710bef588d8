"""The directions in which a point is nearly as far beyond a support function as in any."""

import numpy as np

from libc.math cimport sqrt
from numpy cimport float64_t, intp_t

from fairrank._kernels.planar cimport cross


cdef inline bint holds(double ax, double ay, double bx, double by, double x,
                       double y) noexcept nogil:
    """Whether (x, y) points between a and b, which are less than half a turn apart."""
    return cross(ax, ay, x, y) > 0.0 and cross(x, y, bx, by) > 0.0


def directions_above(double e_0, double e_1, double level, const float64_t[:, ::1] breaks,
                     const float64_t[:, ::1] points, const float64_t[::1] total, intp_t first,
                     intp_t n_arcs, const float64_t[:, ::1] ends):
    """Parts of consecutive arcs where q'(e - S) >= level. O(n_arcs).

    On an arc that is a sinusoid, so the part is between the two directions at an equal angle from
    e - S; an arc, being at most a quarter turn, can also lose its middle and leave two.

    Parameters
    ----------
    e_0, e_1, level : float
    breaks, points, total, first, n_arcs, ends
        As for `fairrank._kernels.sweep.largest_excess`.

    Returns
    -------
    arc : ndarray of intp (n_parts,)
        In [0, 2K).
    part : ndarray (n_parts, 4)
        First and last direction.
    """
    cdef intp_t a, j, b, k, n = 0, n_breaks = breaks.shape[0]
    cdef double x, y, ax, ay, bx, by, sign, length, along, across, low_x, low_y, high_x, high_y
    cdef bint at_a, at_b
    arcs, parts = np.empty(2 * n_arcs, dtype=np.intp), np.empty((2 * n_arcs, 4))
    cdef intp_t[::1] arc = arcs
    cdef float64_t[:, ::1] part = parts
    with nogil:
        ax, ay = ends[0, 0], ends[0, 1]
        for a in range(n_arcs):
            k = (first + a) % (2 * n_breaks)
            j = k if k < n_breaks else k - n_breaks
            b, sign = j + 1, 1.0 if k < n_breaks else -1.0
            if b == n_breaks:
                b, sign = 0, -sign
            bx, by = sign * breaks[b, 0] + 0.0, sign * breaks[b, 1] + 0.0
            if a == n_arcs - 1:
                bx, by = ends[1, 0], ends[1, 1]
            if k < n_breaks:
                x, y = e_0 - points[j, 0], e_1 - points[j, 1]
            else:
                x, y = e_0 - (total[0] - points[j, 0]), e_1 - (total[1] - points[j, 1])
            length = sqrt(x * x + y * y)
            at_a, at_b = ax * x + ay * y >= level, bx * x + by * y >= level
            low_x, low_y, high_x, high_y = ax, ay, bx, by
            if length > 0.0 and length >= level and length >= -level:
                along = level / length
                across = sqrt(1.0 - along * along) / length
                along /= length
                low_x, low_y = along * x + across * y, along * y - across * x
                high_x, high_y = along * x - across * y, along * y + across * x
            if at_a and at_b:
                if length > -level and holds(ax, ay, bx, by, -x, -y):
                    arc[n] = k
                    part[n, 0], part[n, 1], part[n, 2], part[n, 3] = ax, ay, high_x, high_y
                    n += 1
                    arc[n] = k
                    part[n, 0], part[n, 1], part[n, 2], part[n, 3] = low_x, low_y, bx, by
                    n += 1
                else:
                    arc[n] = k
                    part[n, 0], part[n, 1], part[n, 2], part[n, 3] = ax, ay, bx, by
                    n += 1
            elif at_a or at_b or (length >= level and holds(ax, ay, bx, by, x, y)):
                arc[n] = k
                part[n, 0], part[n, 1] = (ax, ay) if at_a else (low_x, low_y)
                part[n, 2], part[n, 3] = (bx, by) if at_b else (high_x, high_y)
                n += 1
            ax, ay = bx, by
    return arcs[:n].copy(), parts[:n].copy()


def largest_over_parts(const float64_t[:, ::1] target, const intp_t[::1] arc,
                       const float64_t[:, ::1] part, const float64_t[:, ::1] points,
                       const float64_t[::1] total):
    """Largest q'(v - S) over parts of arcs, each with its own v. O(n_parts).

    Parameters
    ----------
    target : (n_parts, 2)
        v.
    arc, part : of `directions_above`
    points, total : (K, 2), (2,)

    Returns
    -------
    float
        Minus infinity over no part.
    """
    cdef intp_t i, j, n_breaks = points.shape[0]
    cdef double x, y, value, best = -np.inf
    with nogil:
        for i in range(arc.shape[0]):
            if arc[i] < n_breaks:
                j = arc[i]
                x, y = target[i, 0] - points[j, 0], target[i, 1] - points[j, 1]
            else:
                j = arc[i] - n_breaks
                x = target[i, 0] - (total[0] - points[j, 0])
                y = target[i, 1] - (total[1] - points[j, 1])
            value = part[i, 0] * x + part[i, 1] * y
            if value > best:
                best = value
            value = part[i, 2] * x + part[i, 3] * y
            if value > best:
                best = value
            if holds(part[i, 0], part[i, 1], part[i, 2], part[i, 3], x, y):
                value = sqrt(x * x + y * y)
                if value > best:
                    best = value
    return best
