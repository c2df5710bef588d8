"""Largest values over runs of consecutive arcs, for many sets of runs at once.

What a draw moves in a direction does not depend on which risks are tested, so the largest movement
on every arc is found once a draw; a set of directions that consists of runs of whole arcs and of
parts of arcs at their edges then needs two look-ups a run.
"""

import numpy as np

from libc.math cimport sqrt
from numpy cimport float64_t, intp_t

from fairrank._kernels.planar cimport cross

# Arcs in a block: a run is scanned inside blocks at its ends and looked up in between.
cdef enum:
    BLOCK = 32


cdef inline double along(double ax, double ay, double bx, double by, double x,
                         double y) noexcept nogil:
    """Largest q'(x, y) over the directions q from a to b, at most a quarter turn apart."""
    cdef double best = ax * x + ay * y, other = bx * x + by * y
    if other > best:
        best = other
    if cross(ax, ay, x, y) > 0.0 and cross(x, y, bx, by) > 0.0:
        other = sqrt(x * x + y * y)
        if other > best:
            best = other
    return best


def whole_runs(const intp_t[::1] arc, const float64_t[:, ::1] part,
               const float64_t[:, ::1] breaks):
    """Parts of arcs as runs of whole arcs, and the parts that are not whole. O(n_parts).

    Parameters
    ----------
    arc, part : (m,), (m, 4), of `fairrank._kernels.arc_parts.directions_above`
    breaks : (K, 2)

    Returns
    -------
    runs : ndarray of intp (n_runs, 2)
        First and last arc.
    edge : ndarray of intp (n_edges,)
        The arcs of the other parts.
    edge_part : ndarray (n_edges, 4)
    """
    cdef intp_t i, j, b, n_runs = 0, n_edges = 0, n_breaks = breaks.shape[0]
    cdef double sign
    found = np.empty((arc.shape[0], 2), dtype=np.intp)
    whole = np.empty(arc.shape[0], dtype=bool)
    cdef intp_t[:, ::1] run = found
    cdef unsigned char[::1] is_whole = whole.view(np.uint8)
    with nogil:
        for i in range(arc.shape[0]):
            j, sign = arc[i], 1.0
            if j >= n_breaks:
                j, sign = j - n_breaks, -1.0
            is_whole[i] = part[i, 0] == sign * breaks[j, 0] and part[i, 1] == sign * breaks[j, 1]
            b = j + 1
            if b == n_breaks:
                b, sign = 0, -sign
            if part[i, 2] != sign * breaks[b, 0] or part[i, 3] != sign * breaks[b, 1]:
                is_whole[i] = 0
            if is_whole[i]:
                if n_runs > 0 and run[n_runs - 1, 1] + 1 == arc[i]:
                    run[n_runs - 1, 1] = arc[i]
                else:
                    run[n_runs, 0], run[n_runs, 1] = arc[i], arc[i]
                    n_runs += 1
            else:
                n_edges += 1
    return found[:n_runs].copy(), np.asarray(arc)[~whole], np.asarray(part)[~whole]


def largest_on_arcs(const float64_t[:, ::1] breaks, const float64_t[:, ::1] move,
                    const float64_t[::1] total_move):
    """Largest -q'D over each whole arc. O(K).

    Parameters
    ----------
    breaks : (K, 2)
    move : (K, 2)
        D, what each arc's point moves by.
    total_move : (2,)
        The sum of D over two opposite arcs.

    Returns
    -------
    ndarray (2K,)
    """
    cdef intp_t j, b, n_breaks = breaks.shape[0]
    cdef double bx, by, x, y
    largest = np.empty(2 * n_breaks)
    cdef float64_t[::1] out = largest
    with nogil:
        for j in range(n_breaks):
            b = j + 1
            if b < n_breaks:
                bx, by = breaks[b, 0], breaks[b, 1]
            else:
                bx, by = -breaks[0, 0], -breaks[0, 1]
            x, y = -move[j, 0], -move[j, 1]
            out[j] = along(breaks[j, 0], breaks[j, 1], bx, by, x, y)
            x, y = -total_move[0] - x, -total_move[1] - y
            out[n_breaks + j] = along(-breaks[j, 0], -breaks[j, 1], -bx, -by, x, y)
    return largest


def largest_over_runs(const float64_t[::1] largest, const intp_t[::1] run_start,
                      const intp_t[:, ::1] runs, const intp_t[::1] edge_start,
                      const intp_t[::1] edge, const float64_t[:, ::1] edge_part,
                      const float64_t[:, ::1] move, const float64_t[::1] total_move):
    """Largest -q'D over every set of runs and edges. O(K) and O(1) a run and edge.

    Parameters
    ----------
    largest : (2K,), of `largest_on_arcs`
    run_start, edge_start : (m + 1,)
        Set i holds ``runs[run_start[i]:run_start[i + 1]]`` and the edges likewise.
    runs, edge, edge_part : of `whole_runs`
    move, total_move : of `largest_on_arcs`

    Returns
    -------
    ndarray (m,)
        Minus infinity for a set without directions.
    """
    cdef intp_t i, j, k, a, b, first, last, width, level, m = run_start.shape[0] - 1
    cdef intp_t n = largest.shape[0], n_breaks = move.shape[0]
    cdef intp_t n_blocks = (n + BLOCK - 1) // BLOCK, n_levels = 1
    cdef double best, x, y, lowest = -np.inf
    while (1 << n_levels) <= n_blocks:
        n_levels += 1
    found = np.empty(m)
    cdef float64_t[::1] out = found
    # table[l, i]: largest over blocks i, ..., i + 2^l - 1.
    cdef float64_t[:, ::1] table = np.empty((n_levels, n_blocks))
    with nogil:
        for i in range(n_blocks):
            best = lowest
            for j in range(i * BLOCK, min((i + 1) * BLOCK, n)):
                if largest[j] > best:
                    best = largest[j]
            table[0, i] = best
        for level in range(1, n_levels):
            width = <intp_t>1 << (level - 1)
            for i in range(n_blocks - 2 * width + 1):
                table[level, i] = max(table[level - 1, i], table[level - 1, i + width])
        for i in range(m):
            best = lowest
            for k in range(run_start[i], run_start[i + 1]):
                first, last = runs[k, 0], runs[k, 1]
                # Blocks a, ..., b - 1 are inside the run.
                a, b = (first + BLOCK - 1) // BLOCK, (last + 1) // BLOCK
                if a < b:
                    level = 0
                    while (<intp_t>2 << level) <= b - a:
                        level += 1
                    width = <intp_t>1 << level
                    best = max(best, max(table[level, a], table[level, b - width]))
                    for j in range(first, a * BLOCK):
                        if largest[j] > best:
                            best = largest[j]
                    first = b * BLOCK
                for j in range(first, last + 1):
                    if largest[j] > best:
                        best = largest[j]
            for k in range(edge_start[i], edge_start[i + 1]):
                j = edge[k]
                if j < n_breaks:
                    x, y = -move[j, 0], -move[j, 1]
                else:
                    j -= n_breaks
                    x, y = move[j, 0] - total_move[0], move[j, 1] - total_move[1]
                best = max(best, along(edge_part[k, 0], edge_part[k, 1], edge_part[k, 2],
                                       edge_part[k, 3], x, y))
            out[i] = best
    return found
