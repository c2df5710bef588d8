"""Labels on the lattice of partial orders of two chains: the best order for an absolute disparity.

AUC and the signed disparity D are additive along a path through the lattice, so a partial path is
a *label* (AUC, D) at its cell. A label goes when a bound says that no completion of it beats the
best order at hand, or when another label at its cell is at least as good whatever follows.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport uint8_t, uint16_t
from numpy cimport float64_t, intp_t

cdef enum:
    # Bisections of the bound above which labels are kept.
    BISECTIONS = 40
    # Three multipliers of the signed problem give three bounds, and three completions of a label.
    N_BOUNDS = 3
    # A slot number, at most 4095, and the move that led there share two bytes.
    BY_B = 0
    BY_A = 4096
    BY_BOTH = 8192
    SLOT = 4095

# Values this close are equal: sums of a few hundred numbers below 1.
cdef double SAME = 1e-15
# A condition on |D| is met but for rounding.
cdef double MET = 1e-12


cdef inline double objective(double auc, double gap, double penalty, double allowance,
                             bint hard) noexcept nogil:
    """AUC minus what |D| costs; where the allowance is a condition, all who break it are below."""
    cdef double excess = fabs(gap) - allowance
    if excess <= (MET if hard else 0.0):
        return auc
    return auc - penalty * excess - (2.0 if hard else 0.0)


cdef inline bint dominates(double auc, double gap, double other_auc, double other_gap,
                           double penalty, bint hard) noexcept nogil:
    """Whatever follows, the first label ends at least as well as the other."""
    cdef double apart = fabs(gap - other_gap)
    if apart <= SAME:
        return auc >= other_auc
    return not hard and auc - other_auc >= penalty * apart


def best_labels(const float64_t[:, ::1] a, const float64_t[:, ::1] b,
                const uint8_t[::1] single_a, const uint8_t[::1] single_b, double per_auc,
                const float64_t[::1] per_d, double start_auc, double start_d,
                const float64_t[::1] multipliers, double penalty, double allowance, bint hard,
                double incumbent, intp_t max_labels):
    """Look for an interleaving of two chains that beats `incumbent`.

    Parameters
    ----------
    a, b : (n_steps, 2), negatives and positives, best first
    single_a, single_b : (n_steps,)
        1 for a step that may share its place with one of the other chain, a tie.
    per_auc : float
        What a pair of a positive above a negative adds to AUC.
    per_d : (3,)
        What a pair (positive of a, negative of b), (positive of b, negative of a) and (any of a,
        any of b), the former placed better, adds to D.
    start_auc, start_d : float
        AUC and D when no pair across the chains counts.
    multipliers : (3,)
        AUC - l D + |l| allowance bounds the objective for any l in [-penalty, penalty].
    penalty, allowance : float
        The objective is ``AUC - penalty * max(|D| - allowance, 0)``.
    hard : bool
        |D| above the allowance is worse than any order below it, whatever its AUC.
    incumbent : float
        Objective of the best order known.
    max_labels : int
        Labels kept at one cell, at most 4096; those with the lowest bounds are thinned.

    Returns
    -------
    before : ndarray of intp (n_steps of a,), or None
        Steps of b before each step of a in the best order found; None where none beats it.
    tied : ndarray of uint8 (n_steps of a,), or None
        1 where a step of a shares its place with the step of b that follows those before it.
    value : float
        Its objective, or `incumbent`.
    thinned : float
        Highest bound of a thinned label, -inf where none was: then `value` is the optimum.
    """
    cdef intp_t n_a = a.shape[0], n_b = b.shape[0], width = b.shape[0] + 1
    cdef intp_t i, j, k, p, cell, count, slot, source, chosen, n_above, n_kept, room, _turn
    cdef double step_auc, step_d, bound, bound_k, value, auc, gap, low_bound, high_bound, middle
    cdef double best = incumbent, thinned = -np.inf, slack = MET if hard else SAME
    cdef double inf = np.inf
    cdef intp_t best_i = -1, best_j = 0, best_slot = 0, best_k = 0
    cdef bint gone

    # What is left of either chain after so many steps: negatives, and everybody.
    cdef float64_t[:, ::1] left_a = np.zeros((n_a + 1, 2)), left_b = np.zeros((n_b + 1, 2))
    # Best completion from every cell, for each multiplier: its AUC, its D, and its first move.
    rest_shape = (N_BOUNDS, (n_a + 1) * width)
    cdef float64_t[:, ::1] rest_auc = np.zeros(rest_shape), rest_d = np.zeros(rest_shape)
    cdef uint8_t[:, ::1] rest_a = np.zeros(rest_shape, dtype=np.uint8)
    # Labels of the cells of two rows, the row before and this one.
    row_shape = (2, width, max_labels)
    cdef float64_t[:, :, ::1] row_auc = np.empty(row_shape), row_d = np.empty(row_shape)
    cdef intp_t[:, ::1] row_count = np.zeros((2, width), dtype=np.intp)
    cdef uint16_t[:, ::1] came = np.empty(((n_a + 1) * width, max_labels), dtype=np.uint16)
    # Where labels of one cell come from, by b, by a, by both: row and column, how many there are,
    # which is next, and what the move adds.
    cdef intp_t[:, ::1] at = np.zeros((3, 2), dtype=np.intp)
    cdef intp_t[::1] n_there = np.zeros(3, dtype=np.intp), next_there = np.zeros(3, dtype=np.intp)
    cdef float64_t[:, ::1] adds = np.zeros((3, 2))
    # The labels of one cell while they are merged.
    cdef float64_t[::1] new_auc = np.empty(3 * max_labels), new_d = np.empty(3 * max_labels)
    cdef float64_t[::1] new_bound = np.empty(3 * max_labels)
    cdef uint16_t[::1] new_came = np.empty(3 * max_labels, dtype=np.uint16)
    before, tied = np.empty(n_a, dtype=np.intp), np.zeros(n_a, dtype=np.uint8)
    cdef intp_t[::1] before_out = before
    cdef uint8_t[::1] tied_out = tied
    cdef intp_t now, old

    with nogil:
        for i in range(n_a - 1, -1, -1):
            left_a[i, 0] = left_a[i + 1, 0] + a[i, 0]
            left_a[i, 1] = left_a[i + 1, 1] + a[i, 0] + a[i, 1]
        for j in range(n_b - 1, -1, -1):
            left_b[j, 0] = left_b[j + 1, 0] + b[j, 0]
            left_b[j, 1] = left_b[j + 1, 1] + b[j, 0] + b[j, 1]

        # ---- the signed problems, backwards; a tie is half of either order, never better
        for i in range(n_a, -1, -1):
            for j in range(n_b, -1, -1):
                cell = i * width + j
                if i == n_a and j == n_b:
                    continue
                for k in range(N_BOUNDS):
                    value = -inf
                    if j < n_b:
                        auc = per_auc * b[j, 1] * left_a[i, 0] + rest_auc[k, cell + 1]
                        gap = per_d[1] * b[j, 1] * left_a[i, 0] + rest_d[k, cell + 1]
                        value = auc - multipliers[k] * gap
                        rest_auc[k, cell], rest_d[k, cell] = auc, gap
                    if i < n_a:
                        auc = per_auc * a[i, 1] * left_b[j, 0] + rest_auc[k, cell + width]
                        gap = (per_d[0] * a[i, 1] * left_b[j, 0]
                               + per_d[2] * (a[i, 0] + a[i, 1]) * left_b[j, 1]
                               + rest_d[k, cell + width])
                        if auc - multipliers[k] * gap > value:
                            rest_auc[k, cell], rest_d[k, cell] = auc, gap
                            rest_a[k, cell] = 1

        # ---- labels, forwards
        for i in range(n_a + 1):
            now, old = i & 1, 1 - (i & 1)
            for j in range(n_b + 1):
                cell = i * width + j
                for source in range(3):
                    n_there[source] = next_there[source] = 0
                if j:
                    at[0, 0], at[0, 1], n_there[0] = now, j - 1, row_count[now, j - 1]
                    adds[0, 0] = per_auc * b[j - 1, 1] * left_a[i, 0]
                    adds[0, 1] = per_d[1] * b[j - 1, 1] * left_a[i, 0]
                if i:
                    at[1, 0], at[1, 1], n_there[1] = old, j, row_count[old, j]
                    adds[1, 0] = per_auc * a[i - 1, 1] * left_b[j, 0]
                    adds[1, 1] = (per_d[0] * a[i - 1, 1] * left_b[j, 0]
                                  + per_d[2] * (a[i - 1, 0] + a[i - 1, 1]) * left_b[j, 1])
                if i and j and single_a[i - 1] and single_b[j - 1]:
                    at[2, 0], at[2, 1], n_there[2] = old, j - 1, row_count[old, j - 1]
                    # Both before what is left, and half of the pairs between them.
                    step_auc = (a[i - 1, 1] * (left_b[j, 0] + 0.5 * b[j - 1, 0])
                                + b[j - 1, 1] * (left_a[i, 0] + 0.5 * a[i - 1, 0]))
                    adds[2, 0] = per_auc * step_auc
                    adds[2, 1] = (
                        per_d[0] * a[i - 1, 1] * (left_b[j, 0] + 0.5 * b[j - 1, 0])
                        + per_d[1] * b[j - 1, 1] * (left_a[i, 0] + 0.5 * a[i - 1, 0])
                        + per_d[2] * (a[i - 1, 0] + a[i - 1, 1])
                        * (left_b[j, 1] + 0.5 * (b[j - 1, 0] + b[j - 1, 1]))
                    )
                if i == 0 and j == 0:  # the empty path
                    at[0, 0], at[0, 1], n_there[0] = now, 0, 1
                    row_auc[now, 0, 0], row_d[now, 0, 0] = start_auc, start_d
                    adds[0, 0], adds[0, 1] = 0.0, 0.0
                count = 0
                # Merge the lists by D, which a move shifts alike for all labels of a cell.
                while True:
                    chosen = -1
                    auc = gap = 0.0
                    for source in range(3):
                        slot = next_there[source]
                        if slot == n_there[source]:
                            continue
                        step_d = row_d[at[source, 0], at[source, 1], slot] + adds[source, 1]
                        if chosen < 0 or step_d < gap:
                            chosen, gap = source, step_d
                            auc = (row_auc[at[source, 0], at[source, 1], slot]
                                   + adds[source, 0])
                    if chosen < 0:
                        break
                    slot = next_there[chosen]
                    next_there[chosen] += 1
                    bound = inf
                    for k in range(N_BOUNDS):
                        bound_k = (auc + rest_auc[k, cell]
                                   - multipliers[k] * (gap + rest_d[k, cell])
                                   + fabs(multipliers[k]) * (allowance + slack))
                        if bound_k < bound:
                            bound = bound_k
                    if bound <= best + SAME:
                        continue
                    # Invariant: new labels 0 .. count are sorted by D and none dominates another.
                    gone = False
                    while count > 0:
                        if dominates(new_auc[count - 1], new_d[count - 1], auc, gap, penalty,
                                     hard):
                            gone = True
                            break
                        if not dominates(auc, gap, new_auc[count - 1], new_d[count - 1], penalty,
                                         hard):
                            break
                        count -= 1
                    if gone:
                        continue
                    new_auc[count], new_d[count], new_bound[count] = auc, gap, bound
                    new_came[count] = slot + (
                        BY_B if chosen == 0 else BY_A if chosen == 1 else BY_BOTH
                    )
                    count += 1
                if count > max_labels:
                    low_bound, high_bound = inf, -inf
                    for p in range(count):
                        low_bound = new_bound[p] if new_bound[p] < low_bound else low_bound
                        high_bound = new_bound[p] if new_bound[p] > high_bound else high_bound
                    # Invariant: at most max_labels bounds lie above high_bound.
                    for _turn in range(BISECTIONS):
                        middle = 0.5 * (low_bound + high_bound)
                        n_above = 0
                        for p in range(count):
                            n_above += new_bound[p] > middle
                        if n_above > max_labels:
                            low_bound = middle
                        else:
                            high_bound = middle
                    room = max_labels
                    for p in range(count):
                        room -= new_bound[p] > high_bound
                    n_kept = 0
                    for p in range(count):
                        if new_bound[p] <= high_bound:
                            if room == 0:
                                if new_bound[p] > thinned:
                                    thinned = new_bound[p]
                                continue
                            room -= 1
                        new_auc[n_kept], new_d[n_kept] = new_auc[p], new_d[p]
                        new_bound[n_kept], new_came[n_kept] = new_bound[p], new_came[p]
                        n_kept += 1
                    count = n_kept
                row_count[now, j] = count
                for p in range(count):
                    row_auc[now, j, p], row_d[now, j, p] = new_auc[p], new_d[p]
                    came[cell, p] = new_came[p]
                    for k in range(N_BOUNDS):
                        value = objective(new_auc[p] + rest_auc[k, cell],
                                          new_d[p] + rest_d[k, cell], penalty, allowance, hard)
                        if value > best:
                            best = value
                            best_i, best_j, best_slot, best_k = i, j, p, k

        # ---- the best order: back to the start, and on along its completion
        if best_i >= 0:
            i, j, slot = best_i, best_j, best_slot
            while i > 0 or j > 0:
                chosen = came[i * width + j, slot]
                slot = chosen & SLOT
                if chosen >= BY_A:
                    i -= 1
                if chosen < BY_A or chosen >= BY_BOTH:
                    j -= 1
                if chosen >= BY_A:
                    before_out[i] = j
                    tied_out[i] = chosen >= BY_BOTH
            i, j = best_i, best_j
            while i < n_a:
                if rest_a[best_k, i * width + j]:
                    before_out[i] = j
                    i += 1
                else:
                    j += 1
    if best_i < 0:
        before = tied = None
    return before, tied, best, (thinned if thinned > best else -np.inf)
