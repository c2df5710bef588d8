"""Chains of steps: pooled to blocks whose directions turn one way, and merged by direction.

A step is (negatives, positives), best score first; a chain's order is fixed. Placing an a-step
before a b-step gains a bilinear amount, which is the cross product of their directions once b's
steps are mapped linearly. So the best interleaving pools each chain until directions turn
clockwise and merges by direction, larger angle first (Smith 1956, Sidney 1975).
"""

import numpy as np

from numpy cimport float64_t, intp_t


cdef enum:
    # Every so many steps the path of a chain is looked at first.
    COARSE = 64


cdef inline intp_t push(intp_t[::1] starts, float64_t[::1] neg, float64_t[::1] pos, intp_t top,
                        intp_t start, double x, double y, int turn) noexcept nogil:
    """Put one more block behind `top` others that turn strictly one way; how many there are then.

    cross(before, new) >= 0: the new one should not come later, and must, so they become one.
    """
    while top > 0 and turn * (neg[top - 1] * y - pos[top - 1] * x) >= 0.0:
        top -= 1
        start = starts[top]
        x += neg[top]
        y += pos[top]
    starts[top], neg[top], pos[top] = start, x, y
    return top + 1


def pool_chain(const float64_t[::1] negative, const float64_t[::1] positive, int turn):
    """Start of every pooled block, and the number of steps at the end. O(n).

    Blocks' slopes positive / negative strictly decrease for ``turn = 1`` (the concave hull of the
    chain's ROC path) and strictly increase for ``turn = -1``; for ``turn = 0``, where all
    directions are collinear, the chain is one block. Steps of weight 0 join their predecessor.
    """
    cdef intp_t i, j, top = 0, start, n = negative.shape[0]
    cdef intp_t n_coarse = (n + COARSE - 1) // COARSE, n_chords = 0
    cdef double x, y, chord_x, chord_y, above
    starts = np.empty(n + 1, dtype=np.intp)
    cdef intp_t[::1] starts_out = starts, chord = np.empty(n_coarse + 1, dtype=np.intp)
    cdef float64_t[::1] neg = np.empty(n), pos = np.empty(n)
    cdef float64_t[::1] chord_neg = np.empty(n_coarse), chord_pos = np.empty(n_coarse)
    with nogil:
        # The hull of every so manieth point of the path.
        for j in range(n_coarse):
            start, x, y = j * COARSE, 0.0, 0.0
            for i in range(start, min(start + COARSE, n)):
                x += negative[i]
                y += positive[i]
            n_chords = push(chord, chord_neg, chord_pos, n_chords, start, x, y, turn)
        chord[n_chords] = n
        # Vertices of the hull of all points lie on its chords or above them, where few points do.
        # Invariant: blocks 0 .. top - 1, which turn strictly one way, tile steps [0, start), and
        # (x, y) is steps [start, i).
        for j in range(n_chords):
            start, x, y, above = chord[j], 0.0, 0.0, 0.0
            chord_x, chord_y = turn * chord_neg[j], turn * chord_pos[j]
            for i in range(chord[j], chord[j + 1]):
                x += negative[i]
                y += positive[i]
                above += chord_x * positive[i] - chord_y * negative[i]
                if above >= 0.0 or i + 1 == chord[j + 1]:
                    top = push(starts_out, neg, pos, top, start, x, y, turn)
                    start, x, y = i + 1, 0.0, 0.0
        starts_out[top] = n
    return starts[: top + 1].copy()


def merge_chains(const float64_t[:, ::1] a, const float64_t[:, ::1] b,
                 const float64_t[:, ::1] image, bint a_first_at_opposite):
    """Interleave two chains of blocks by direction, larger angle first. O(#blocks).

    Parameters
    ----------
    a, b : (n_blocks, 2), negatives and positives, pooled
    image : (2, 2)
        ``image @ (neg, pos)`` is a b-block's direction in the plane of a's (neg, pos).
    a_first_at_opposite : bool
        Which of two exactly opposite directions has the larger angle in the half-plane at hand.

    Returns
    -------
    n_b_before : ndarray of intp, shape (n_blocks of a,)
        Blocks of b placed before each block of a. Equal directions: a first.
    counts : ndarray, shape (3,)
        Pairs (positive a, negative b), (positive b, negative a) in that order, and (any a, any b),
        the former placed better.
    """
    cdef intp_t i = 0, j = 0, n_a = a.shape[0], n_b = b.shape[0]
    cdef double x, y, cross, a_pos = 0.0, a_tot = 0.0, b_pos = 0.0
    before = np.empty(n_a, dtype=np.intp)
    counts = np.zeros(3)
    cdef intp_t[::1] before_out = before
    cdef float64_t[::1] counts_out = counts
    cdef bint a_first
    with nogil:
        while i < n_a or j < n_b:
            if i == n_a:
                a_first = False
            elif j == n_b:
                a_first = True
            else:
                x = image[0, 0] * b[j, 0] + image[0, 1] * b[j, 1]
                y = image[1, 0] * b[j, 0] + image[1, 1] * b[j, 1]
                cross = x * a[i, 1] - y * a[i, 0]
                a_first = cross > 0.0
                if cross == 0.0:
                    a_first = x * a[i, 0] + y * a[i, 1] >= 0.0 or a_first_at_opposite
            if a_first:
                before_out[i] = j
                counts_out[1] += a[i, 0] * b_pos
                a_pos += a[i, 1]
                a_tot += a[i, 0] + a[i, 1]
                i += 1
            else:
                counts_out[0] += b[j, 0] * a_pos
                counts_out[2] += (b[j, 0] + b[j, 1]) * a_tot
                b_pos += b[j, 1]
                j += 1
    return before, counts


def best_split(const float64_t[:, ::1] a, const float64_t[:, ::1] b, double gain_10,
               double gain_01, double per_10, double per_01, double per_any,
               double start_auc, double start_d, double trade_off, double allowance):
    """Best ``a[:k] b[:l] a[k:] b[l:]`` of one tied rectangle, by AUC minus a penalty on |D|.

    Starting from all of b first (AUC `start_auc`, signed disparity `start_d`), putting an a-step
    before a b-step adds ``gain_10 pos_a neg_b - gain_01 neg_a pos_b`` to AUC and
    ``per_10 pos_a neg_b + per_01 neg_a pos_b + per_any tot_a tot_b`` to D. D falls in l, so for
    each k only the two l around each edge of ``|D| <= allowance`` can be best. The penalty is
    ``trade_off max(|D| - allowance, 0)``. O(n_a log n_b).

    Returns
    -------
    k, l : int
    value : float
    """
    cdef intp_t k, l, edge, low, high, mid, shift, n_a = a.shape[0], n_b = b.shape[0]
    cdef intp_t best_k = 0, best_l = 0
    cdef double d, auc, value, best = -np.inf, level, gain, rise
    cdef float64_t[:, ::1] sum_a = np.zeros((n_a + 1, 2)), sum_b = np.zeros((n_b + 1, 2))
    cdef double an, ap, rn, rp, bn, bp, ln, lp
    with nogil:
        for k in range(n_a):
            sum_a[k + 1, 0] = sum_a[k, 0] + a[k, 0]
            sum_a[k + 1, 1] = sum_a[k, 1] + a[k, 1]
        for l in range(n_b):
            sum_b[l + 1, 0] = sum_b[l, 0] + b[l, 0]
            sum_b[l + 1, 1] = sum_b[l, 1] + b[l, 1]
        bn, bp = sum_b[n_b, 0], sum_b[n_b, 1]
        for k in range(n_a + 1):
            an, ap = sum_a[k, 0], sum_a[k, 1]
            rn, rp = sum_a[n_a, 0] - an, sum_a[n_a, 1] - ap
            for edge in range(2):
                level = allowance if edge == 0 else -allowance
                low, high = 0, n_b
                while low < high:  # the first l at which D <= level
                    mid = (low + high) // 2
                    ln, lp = bn - sum_b[mid, 0], bp - sum_b[mid, 1]
                    d = (start_d + per_10 * (ap * bn + rp * ln) + per_01 * (an * bp + rn * lp)
                         + per_any * ((an + ap) * (bn + bp) + (rn + rp) * (ln + lp)))
                    if d <= level:
                        high = mid
                    else:
                        low = mid + 1
                for shift in range(2):
                    l = low - shift
                    if l < 0:
                        continue
                    ln, lp = bn - sum_b[l, 0], bp - sum_b[l, 1]
                    gain = gain_10 * (ap * bn + rp * ln) - gain_01 * (an * bp + rn * lp)
                    rise = (per_10 * (ap * bn + rp * ln) + per_01 * (an * bp + rn * lp)
                            + per_any * ((an + ap) * (bn + bp) + (rn + rp) * (ln + lp)))
                    auc, d = start_auc + gain, start_d + rise
                    d = d if d >= 0.0 else -d
                    value = auc - trade_off * (d - allowance if d > allowance else 0.0)
                    if value > best:
                        best, best_k, best_l = value, k, l
                if allowance == 0.0:
                    break
    return best_k, best_l, best
