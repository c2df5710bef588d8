"""Intersection of half-planes whose normals are sorted by angle."""

import numpy as np

from numpy cimport float64_t, intp_t

from fairrank._kernels.planar cimport cross


cdef inline bint is_outside(const float64_t[:, ::1] normal, const float64_t[::1] offset,
                            intp_t i, intp_t j, intp_t line, double slack) noexcept nogil:
    """Whether the corner of lines i and j (less than half a turn on) lies beyond `line`."""
    cdef double sine = cross(normal[i, 0], normal[i, 1], normal[j, 0], normal[j, 1])
    cdef double x = (offset[i] * normal[j, 1] - offset[j] * normal[i, 1]) / sine
    cdef double y = (offset[j] * normal[i, 0] - offset[i] * normal[j, 0]) / sine
    return normal[line, 0] * x + normal[line, 1] * y > offset[line] + slack


def intersect_half_planes(const float64_t[:, ::1] normal, const float64_t[::1] offset,
                          double slack):
    """Corners of {e : normal'e <= offset for every line}, counterclockwise. O(n).

    Parameters
    ----------
    normal : (n, 2)
        Unit vectors, counterclockwise, no two alike, each less than half a turn from the next.
    offset : (n,)
    slack : float
        By how much a corner may lie beyond a line that is then dropped, so that rounding does not
        empty a set without inside.

    Returns
    -------
    ndarray, shape (n_corners, 2)
        Of shape (0, 2) where no point satisfies all.
    """
    cdef intp_t i, first = 0, last = -1, n = offset.shape[0]
    cdef double sine
    cdef intp_t[::1] kept = np.empty(n, dtype=np.intp)
    cdef bint empty = False
    cdef intp_t a, b
    corners = np.empty((n, 2))
    cdef float64_t[:, ::1] corner = corners
    with nogil:
        # Invariant: each of kept[first:last + 1] cuts an edge of the intersection of lines [0, i),
        # left open between the last and the first, and neighbours are less than half a turn apart.
        for i in range(n):
            while last > first and is_outside(normal, offset, kept[last - 1], kept[last], i,
                                              slack):
                last -= 1
            while last > first and is_outside(normal, offset, kept[first], kept[first + 1], i,
                                              slack):
                first += 1
            if last >= first and cross(normal[kept[last], 0], normal[kept[last], 1],
                                       normal[i, 0], normal[i, 1]) <= 0.0:
                # A corner is cut off by lines that turn by half or more: they have nothing in
                # common.
                empty = True
                break
            last += 1
            kept[last] = i
        if not empty:
            while last - first > 1 and is_outside(normal, offset, kept[last - 1], kept[last],
                                                  kept[first], slack):
                last -= 1
            while last - first > 1 and is_outside(normal, offset, kept[first], kept[first + 1],
                                                  kept[last], slack):
                first += 1
            empty = last - first < 2
        if not empty:
            for i in range(first, last + 1):
                a, b = kept[i], kept[i + 1 if i < last else first]
                sine = cross(normal[a, 0], normal[a, 1], normal[b, 0], normal[b, 1])
                if sine <= 0.0:
                    empty = True
                    break
                corner[i - first, 0] = (offset[a] * normal[b, 1] - offset[b] * normal[a, 1]) / sine
                corner[i - first, 1] = (offset[b] * normal[a, 0] - offset[a] * normal[b, 0]) / sine
    return corners[: 0 if empty else last - first + 1].copy()
