"""A direction swept round the circle: rows enter and leave the half-plane of the treated.

Row i is treated in direction q where q'D_i > 0, an arc of half the circle, so its treatment
changes once in every half-turn. The half-turn used here starts at (-1, 1) and ends at (1, -1),
counterclockwise, which are the directions that the frontier needs. With K different directions
of change there are 2K arcs: arc j < K begins at break j, and arc K + j is opposite to it.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.exact_sum cimport ExactSum, add, value
from fairrank._kernels.planar cimport cross, make_unit

cdef double HALF_ROOT = sqrt(0.5)
# Where the half-turn starts, and the two axes in it: breaks even where no row changes, so that
# no arc straddles the end of a range or a kink.
cdef double[3] FORCED_X = [-HALF_ROOT, -1.0, 0.0]
cdef double[3] FORCED_Y = [HALF_ROOT, 0.0, -1.0]
cdef double[3] FORCED_KEY = [-1.0, -0.5, 0.5]


def half_turn(const float64_t[:, ::1] change, double tolerance):
    """The direction in the half-turn at which each row's treatment changes. O(n).

    Parameters
    ----------
    change : (n, 2)
        D, of every row; (0, 0) is never treated.
    tolerance : float
        Sine of the angle below which a direction is one of the three forced breaks.

    Returns
    -------
    key : ndarray (n,)
        Grows with the direction's angle, in [-1, 1); 2 where there is none.
    turn : ndarray of int8 (n,)
        1 where the row is treated after that direction, -1 where it was treated before it, and
        0 where it never is.
    direction : ndarray (n, 2)
        Unit vectors; forced breaks are exact.
    """
    cdef intp_t i, s, n = change.shape[0]
    cdef double x, y, along, across
    keys, turns, directions = np.empty(n), np.empty(n, dtype=np.int8), np.zeros((n, 2))
    cdef float64_t[::1] key = keys
    cdef int8_t[::1] turn = turns
    cdef float64_t[:, ::1] direction = directions
    with nogil:
        for i in range(n):
            x, y = change[i, 0], change[i, 1]
            if x == 0.0 and y == 0.0:
                key[i], turn[i] = 2.0, 0
                continue
            make_unit(&x, &y)
            # A quarter turn clockwise of D the row enters; half a turn on it leaves.
            x, y = y, -x
            turn[i] = 1
            along, across = -(x + y), x - y
            for s in range(3):
                if fabs(cross(FORCED_X[s], FORCED_Y[s], x, y)) <= tolerance:
                    if FORCED_X[s] * x + FORCED_Y[s] * y < 0.0:
                        turn[i] = -1
                    key[i] = FORCED_KEY[s]
                    direction[i, 0], direction[i, 1] = FORCED_X[s], FORCED_Y[s]
                    break
            else:
                if along < 0.0:
                    turn[i] = -1
                    x, y, along, across = -x, -y, -along, -across
                key[i] = across / (along + fabs(across))
                direction[i, 0], direction[i, 1] = x, y
    return keys, turns, directions


def arc_blocks(const float64_t[::1] key, const float64_t[:, ::1] direction,
               const intp_t[::1] order, double tolerance):
    """Blocks of rows whose treatment changes together, and the forced ones. O(n).

    A row joins the open block where the sine of its angle with the block's *first* direction is
    at most `tolerance`: rounding noise must not make arcs, and a chain of near directions must
    not become one.

    Parameters
    ----------
    key, direction : (n,), (n, 2), of `half_turn`
    order : (m,)
        The rows that are ever treated, by ascending key.

    Returns
    -------
    start : ndarray of intp (K + 1,)
        Block j holds ``order[start[j]:start[j + 1]]``, which may be empty.
    breaks : ndarray (K, 2)
        Direction of the first row of each block; break 0 is the start of the half-turn.
    forced : ndarray of intp (3,)
        The breaks at angles 3pi/4, pi and 3pi/2.
    """
    cdef intp_t i, row, s = 0, block = -1, m = order.shape[0]
    cdef double x = 0.0, y = 0.0
    starts, breaks = np.empty(m + 4, dtype=np.intp), np.empty((m + 3, 2))
    forced = np.empty(3, dtype=np.intp)
    cdef intp_t[::1] start = starts, forced_out = forced
    cdef float64_t[:, ::1] break_out = breaks
    with nogil:
        # Invariant: blocks 0 .. block tile order[:i], and forced breaks 0 .. s - 1 are among them.
        for i in range(m + 1):
            while s < 3 and (i == m or FORCED_KEY[s] <= key[order[i]]):
                block += 1
                x, y = FORCED_X[s], FORCED_Y[s]
                start[block], forced_out[s] = i, block
                break_out[block, 0], break_out[block, 1] = x, y
                s += 1
            if i == m:
                break
            row = order[i]
            if fabs(cross(x, y, direction[row, 0], direction[row, 1])) > tolerance:
                block += 1
                x, y = direction[row, 0], direction[row, 1]
                start[block] = i
                break_out[block, 0], break_out[block, 1] = x, y
        start[block + 1] = m
    return starts[: block + 2].copy(), breaks[: block + 1].copy(), forced


def arc_points(const float64_t[:, ::1] step, const int8_t[::1] turn, const intp_t[::1] order,
               const intp_t[::1] start, double origin_0, double origin_1):
    """Support point of every arc of the half-turn: one prefix sum, carried in two doubles. O(n).

    Parameters
    ----------
    step : (n, 2)
        What treating the row adds to the point.
    turn : (n,), of `half_turn`
    order, start : of `arc_blocks`
    origin_0, origin_1 : float
        The point at which nobody is treated.

    Returns
    -------
    points : ndarray (K, 2)
        Of the arcs that begin at the breaks.
    entering : ndarray (K, 2)
        What the rows that enter at each break add.
    total : ndarray (2,)
        Sum of the points of two opposite arcs.
    """
    cdef intp_t i, j, row, n_blocks = start.shape[0] - 1
    cdef ExactSum x, y
    cdef ExactSum across, up
    points, entering, total = np.empty((n_blocks, 2)), np.empty((n_blocks, 2)), np.empty(2)
    cdef float64_t[:, ::1] point = points, enter = entering
    cdef float64_t[::1] total_out = total
    x.high, x.low, y.high, y.low = origin_0, 0.0, origin_1, 0.0
    with nogil:
        for i in range(order.shape[0]):
            row = order[i]
            if turn[row] < 0:
                add(&x, step[row, 0])
                add(&y, step[row, 1])
        total_out[0], total_out[1] = value(x), value(y)
        for j in range(n_blocks):
            # Invariant: (x, y) is the point just before break j.
            across.high, across.low, up.high, up.low = 0.0, 0.0, 0.0, 0.0
            for i in range(start[j], start[j + 1]):
                row = order[i]
                add(&x, turn[row] * step[row, 0])
                add(&y, turn[row] * step[row, 1])
                if turn[row] > 0:
                    add(&across, step[row, 0])
                    add(&up, step[row, 1])
            point[j, 0], point[j, 1] = value(x), value(y)
            enter[j, 0], enter[j, 1] = value(across), value(up)
        total_out[0] += value(x)
        total_out[1] += value(y)
    return points, entering, total


def weighted_arc_points(const float64_t[::1] weight, const float64_t[::1] loss,
                        const float64_t[::1] change, const int8_t[::1] place,
                        const intp_t[::1] start, float64_t[:, ::1] points,
                        float64_t[:, ::1] entering, float64_t[::1] total):
    """`arc_points` of mean losses of two groups under other weights, rows in sweep order. O(n).

    Parameters
    ----------
    weight, loss : (n,)
        `loss` is that just before the half-turn starts.
    change : (n,)
        What is added to it at the row's break; read for the rows of the blocks only.
    place : (n,)
        2 * group + (1 if the row enters).
    start : (K + 1,)
    points, entering, total : (K, 2), (K, 2), (2,)
        Written.
    """
    cdef intp_t i, j, n = weight.shape[0], n_blocks = start.shape[0] - 1
    cdef double[4] moved = [0.0, 0.0, 0.0, 0.0]
    cdef double[4] mass = [0.0, 0.0, 0.0, 0.0]
    cdef double[4] at_start = [0.0, 0.0, 0.0, 0.0]
    cdef double entered_0, entered_1, w, per_0, per_1, x, y
    with nogil:
        # Invariant: `moved` holds what the rows of blocks 0 .. j - 1 added, by place.
        for j in range(n_blocks):
            entered_0, entered_1 = moved[1], moved[3]
            for i in range(start[j], start[j + 1]):
                w = weight[i]
                moved[place[i]] += w * change[i]
                at_start[place[i]] += w * loss[i]
                mass[place[i]] += w
            points[j, 0], points[j, 1] = moved[0] + moved[1], moved[2] + moved[3]
            entering[j, 0], entering[j, 1] = moved[1] - entered_0, moved[3] - entered_1
        for i in range(start[n_blocks], n):
            at_start[place[i]] += weight[i] * loss[i]
            mass[place[i]] += weight[i]
        per_0, per_1 = 1.0 / (mass[0] + mass[1]), 1.0 / (mass[2] + mass[3])
        x, y = (at_start[0] + at_start[1]) * per_0, (at_start[2] + at_start[3]) * per_1
        for j in range(n_blocks):
            points[j, 0] = x + points[j, 0] * per_0
            points[j, 1] = y + points[j, 1] * per_1
            entering[j, 0] *= per_0
            entering[j, 1] *= per_1
        total[0] = x + points[n_blocks - 1, 0]
        total[1] = y + points[n_blocks - 1, 1]


def locate(const float64_t[:, ::1] q, const float64_t[:, ::1] breaks, double tolerance):
    """The arc that holds each direction, and the break it is at. O(log K) a direction.

    Parameters
    ----------
    q : (m, 2)
        Not (0, 0), of any length.

    Returns
    -------
    arc : ndarray of intp (m,)
        In [0, 2K); exactly at a break, the arc that begins there.
    at : ndarray of intp (m,)
        The break in [0, 2K), or -1 inside an arc.
    """
    cdef intp_t i, j, low, high, m = q.shape[0], n_breaks = breaks.shape[0]
    cdef double x, y
    cdef bint opposite, on
    arcs, ats = np.empty(m, dtype=np.intp), np.empty(m, dtype=np.intp)
    cdef intp_t[::1] arc = arcs, at = ats
    with nogil:
        for i in range(m):
            x, y = q[i, 0], q[i, 1]
            make_unit(&x, &y)
            on = fabs(cross(breaks[0, 0], breaks[0, 1], x, y)) <= tolerance
            opposite = x > y if on else x + y > 0.0
            low = 0
            if not on:
                if opposite:
                    x, y = -x, -y
                # Invariant: break `low` is not after the direction, break `high` is.
                high = n_breaks
                while high - low > 1:
                    j = (low + high) // 2
                    if cross(breaks[j, 0], breaks[j, 1], x, y) >= -tolerance:
                        low = j
                    else:
                        high = j
                on = fabs(cross(breaks[low, 0], breaks[low, 1], x, y)) <= tolerance
            arc[i] = n_breaks + low if opposite else low
            at[i] = arc[i] if on else -1
    return arcs, ats


def largest_excess(const float64_t[:, ::1] target, const float64_t[:, ::1] breaks,
                   const float64_t[:, ::1] points, const float64_t[::1] total,
                   intp_t first, intp_t n_arcs, const float64_t[:, ::1] ends):
    """Largest q'(e - S) over the unit directions of consecutive arcs. O(n_arcs) a target.

    On an arc S is constant, and the maximum is the length of e - S where that points into the
    arc, and else at an end; ends have the value that the arc gives them.

    Parameters
    ----------
    target : (m, 2)
        e.
    breaks, points, total : (K, 2), (K, 2), (2,)
    first, n_arcs : int
        Arcs first, ..., first + n_arcs - 1 of the 2K, the first of them following the last.
    ends : (2, 2)
        Where the first arc is entered and the last one left, unit vectors.

    Returns
    -------
    largest : ndarray (m,)
    direction : ndarray (m, 2)
        Unit vectors; of several the first one met.
    arc : ndarray of intp (m,)
        Whose point the value belongs to.
    """
    cdef intp_t i, a, j, b, k, m = target.shape[0], n_breaks = breaks.shape[0]
    cdef double x, y, ax, ay, bx, by, at_a, at_b, best, length
    cdef double sign
    values, directions = np.empty(m), np.empty((m, 2))
    arcs = np.empty(m, dtype=np.intp)
    cdef float64_t[::1] value_out = values
    cdef float64_t[:, ::1] q = directions
    cdef intp_t[::1] arc = arcs
    cdef double lowest = -np.inf
    with nogil:
        for i in range(m):
            best = lowest
            arc[i] = first % (2 * n_breaks)
            q[i, 0], q[i, 1] = ends[0, 0], ends[0, 1]
            ax, ay = ends[0, 0], ends[0, 1]
            for a in range(n_arcs):
                k = (first + a) % (2 * n_breaks)
                j = k if k < n_breaks else k - n_breaks
                # The break at the end of the arc; the one after K - 1 is opposite to break 0.
                b, sign = j + 1, 1.0 if k < n_breaks else -1.0
                if b == n_breaks:
                    b, sign = 0, -sign
                bx, by = sign * breaks[b, 0] + 0.0, sign * breaks[b, 1] + 0.0  # 0, not -0
                if a == n_arcs - 1:
                    bx, by = ends[1, 0], ends[1, 1]
                if k < n_breaks:
                    x, y = target[i, 0] - points[j, 0], target[i, 1] - points[j, 1]
                else:
                    x = target[i, 0] - (total[0] - points[j, 0])
                    y = target[i, 1] - (total[1] - points[j, 1])
                at_a, at_b = ax * x + ay * y, bx * x + by * y
                if at_a > best:
                    best, arc[i] = at_a, k
                    q[i, 0], q[i, 1] = ax, ay
                if at_b > best:
                    best, arc[i] = at_b, k
                    q[i, 0], q[i, 1] = bx, by
                # An arc is at most a quarter turn, so two crosses say whether it holds e - S.
                if cross(ax, ay, x, y) > 0.0 and cross(x, y, bx, by) > 0.0:
                    length = sqrt(x * x + y * y)
                    if length > best:
                        best, arc[i] = length, k
                        q[i, 0], q[i, 1] = x / length, y / length
                ax, ay = bx, by
            value_out[i] = best
    return values, directions, arcs
