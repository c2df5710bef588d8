"""Interleavings of several chains: their pairs across chains, and one chain inserted anew.

An interleaving is a *sequence* of chain numbers, best place first: the i-th time that a chain is
named, its i-th block stands there. So every sequence keeps the order inside every chain.
"""

import numpy as np

from numpy cimport float64_t, intp_t


def pairs_across(const intp_t[::1] sequence, const float64_t[:, ::1] blocks,
                 const intp_t[::1] start):
    """Weight of pairs of two chains, the row's placed better. O(n K).

    Parameters
    ----------
    sequence : (n_blocks,)
    blocks : (n_blocks, 2), negatives and positives, chain after chain
    start : (K + 1,), where each chain begins among the blocks

    Returns
    -------
    won, any_won : ndarray, shape (K, K)
        Pairs (positive of the row's chain, negative of the column's) and (any, any); 0 on the
        diagonal.
    """
    cdef intp_t i, g, h, block, n_chains = start.shape[0] - 1
    won_array, any_array = np.zeros((n_chains, n_chains)), np.zeros((n_chains, n_chains))
    cdef float64_t[:, ::1] won = won_array, any_won = any_array
    cdef float64_t[::1] positive = np.zeros(n_chains), mass = np.zeros(n_chains)
    cdef intp_t[::1] cursor = np.array(start[:n_chains], dtype=np.intp)
    cdef double neg, both
    with nogil:
        for i in range(sequence.shape[0]):
            h = sequence[i]
            block = cursor[h]
            cursor[h] += 1
            neg = blocks[block, 0]
            both = neg + blocks[block, 1]
            for g in range(n_chains):
                won[g, h] += positive[g] * neg
                any_won[g, h] += mass[g] * both
            positive[h] += blocks[block, 1]
            mass[h] += both
        for g in range(n_chains):
            won[g, g] = 0.0
            any_won[g, g] = 0.0
    return won_array, any_array


cdef inline bint turns_left(double x, double y, double by_x, double by_y) noexcept nogil:
    """Whether the second vector has the larger angle or the same one.

    Both lie in a half-plane y >= 0 turned by at most 90 degrees, where a vector with x < 0 has
    the larger angle of two opposite ones. A zero vector has every angle.
    """
    cdef double cross = x * by_y - y * by_x
    if cross != 0.0:
        return cross > 0.0
    return x * by_x + y * by_y >= 0.0 or by_x < 0.0


cdef intp_t pool(float64_t[::1] x, float64_t[::1] y, intp_t[::1] size) noexcept nogil:
    """Pool vectors in place until angles strictly decrease; how many blocks are left."""
    cdef intp_t i, top = -1
    # Invariant: blocks 0 .. top tile vectors [0, i), size[k] of them in block k.
    for i in range(x.shape[0]):
        top += 1
        x[top], y[top], size[top] = x[i], y[i], 1
        while top > 0 and turns_left(x[top - 1], y[top - 1], x[top], y[top]):
            # The new one should not come later, and must.
            x[top - 1] += x[top]
            y[top - 1] += y[top]
            size[top - 1] += size[top]
            top -= 1
    return top + 1


def insert_chain(const intp_t[::1] sequence, const float64_t[:, ::1] blocks,
                 const intp_t[::1] start, intp_t moved, const float64_t[:, :, ::1] gain):
    """Take one chain out and put it back at its best places; the others stay as they are.

    The gain of a step of `moved` before a step of h is ``gain[h]`` between their labels (row:
    label of the moved step). It is the cross product of the moved step (negatives, positives)
    and a linear image of the other, so both sides pool and merge by direction: exact wherever all
    directions lie in one closed half-plane. O(n).

    Returns
    -------
    ndarray of intp (n_blocks,), or None where the directions lie in no half-plane
    """
    cdef intp_t i, j, k, g, block, n_all = sequence.shape[0]
    cdef intp_t n_moved = start[moved + 1] - start[moved], n_rest = n_all - n_moved
    cdef intp_t[::1] rest = np.empty(n_rest, dtype=np.intp)
    cdef intp_t[::1] cursor = np.array(start[: start.shape[0] - 1], dtype=np.intp)
    cdef float64_t[::1] x = np.empty(n_rest), y = np.empty(n_rest)
    cdef float64_t[::1] own_x = np.empty(n_moved), own_y = np.empty(n_moved)
    cdef intp_t[::1] size = np.empty(n_rest, dtype=np.intp)
    cdef intp_t[::1] own_size = np.empty(n_moved, dtype=np.intp)
    cdef bint upper = True, right = True, diagonal = True, own_first
    cdef double neg, pos, swap
    found = np.empty(n_all, dtype=np.intp)
    cdef intp_t[::1] out = found
    with nogil:
        j = 0
        for i in range(n_all):
            g = sequence[i]
            if g == moved:
                continue
            block = cursor[g]
            cursor[g] += 1
            neg, pos = blocks[block, 0], blocks[block, 1]
            rest[j] = g
            x[j] = gain[g, 1, 0] * neg + gain[g, 1, 1] * pos
            y[j] = -gain[g, 0, 0] * neg - gain[g, 0, 1] * pos
            upper &= y[j] >= 0.0
            right &= x[j] >= 0.0
            diagonal &= x[j] + y[j] > 0.0 or (x[j] == 0.0 and y[j] == 0.0)
            j += 1
        for j in range(n_moved):
            own_x[j] = blocks[start[moved] + j, 0]
            own_y[j] = blocks[start[moved] + j, 1]
        if right and not upper:
            # A quarter turn to the left brings x >= 0 to y >= 0.
            for j in range(n_rest):
                swap = x[j]
                x[j], y[j] = -y[j], swap
            for j in range(n_moved):
                swap = own_x[j]
                own_x[j], own_y[j] = -own_y[j], swap
        if upper or right or diagonal:
            n_rest = pool(x, y, size)
            n_moved = pool(own_x, own_y, own_size)
            i = j = k = 0
            block = 0  # next of `rest`
            while j < n_rest or k < n_moved:
                if k == n_moved:
                    own_first = False
                elif j == n_rest:
                    own_first = True
                else:
                    own_first = turns_left(x[j], y[j], own_x[k], own_y[k])
                if own_first:
                    for _ in range(own_size[k]):
                        out[i] = moved
                        i += 1
                    k += 1
                else:
                    for _ in range(size[j]):
                        out[i] = rest[block]
                        block += 1
                        i += 1
                    j += 1
    return found if upper or right or diagonal else None
