"""Labels on the lattice of several chains: the best order of few steps, and the proof of it.

A partial order is a *label* at its cell: AUC and the disparities that it has gathered. A label
goes when the signed problem, solved backwards from its cell for some multipliers, says that no
completion beats the best order at hand, or when another label there is at least as good whatever
follows. For two chains `labels` does the same with less.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.partial_order cimport largest, placed, sum_what_is_left

# Values this close are equal: sums of a few numbers below 1.
cdef double SAME = 1e-15
# A condition on |D| is met but for rounding.
cdef double MET = 1e-12


cdef inline double objective(double auc, double gap, double penalty, double allowance,
                             bint hard) noexcept nogil:
    """AUC minus what |D| costs; where the allowance is a condition, all who break it are below."""
    cdef double excess = gap - allowance
    if excess <= (MET if hard else 0.0):
        return auc
    return auc - penalty * excess - (2.0 if hard else 0.0)


def best_labelled(const float64_t[:, ::1] blocks, const intp_t[::1] start, double per_auc,
                  const float64_t[:, ::1] per_won, const float64_t[:, ::1] per_any,
                  const float64_t[::1] per_chain, double start_auc,
                  const float64_t[:, ::1] multipliers, const float64_t[::1] spent,
                  double penalty, double allowance, bint hard, double incumbent,
                  intp_t max_labels):
    """Look for a sequence that beats `incumbent`. Few steps only: all labels are kept.

    Parameters
    ----------
    blocks, start, per_auc, per_won, per_any, per_chain
        As in `runs.swap_runs`.
    start_auc : float
        AUC when no pair across chains counts.
    multipliers : (n_bounds, n_pairs)
        Pairs (1, 0), (2, 0), (2, 1), ...; AUC - sum of multiplier * D + spent * allowance bounds
        the objective.
    spent : (n_bounds,)
        What the sum of multiplier * D is at most while no |D| exceeds 1; at most the penalty.
    penalty, allowance, hard
        As in `ranking._orders.Objective`.
    incumbent : float
        Objective of the best order known.
    max_labels : int
        Labels kept at one cell; those with the lowest bounds are thinned.

    Returns
    -------
    sequence : ndarray of intp, or None where none beats `incumbent`
    thinned : float
        Highest bound of a thinned label that might beat the result, -inf where there is none:
        then the result is the optimum.
    """
    cdef intp_t n_chains = start.shape[0] - 1, n = blocks.shape[0]
    cdef intp_t n_pairs = n_chains * (n_chains - 1) // 2, n_bounds = multipliers.shape[0]
    cdef intp_t g, i, k, m, p, cell, pred, count, slot, low, n_cells = 1
    cdef double auc, value, bound, bound_k, apart, low_bound, inf = np.inf
    cdef double best = incumbent, thinned = -np.inf, slack = MET if hard else SAME
    cdef intp_t best_cell = -1, best_slot = 0, best_m = 0
    cdef bint gone
    cdef intp_t[::1] stride = np.ones(n_chains, dtype=np.intp)
    for g in range(n_chains - 1, -1, -1):
        stride[g] = n_cells
        n_cells *= start[g + 1] - start[g] + 1
    cdef float64_t[:, ::1] left_of = np.empty((n + n_chains, 2))
    cdef intp_t[:, ::1] at = np.ascontiguousarray(
        np.indices(tuple(np.diff(start) + 1)).reshape(n_chains, n_cells).T, dtype=np.intp
    )
    cdef float64_t[::1] left_neg = np.empty(n_chains), left_all = np.empty(n_chains)
    # Best completion from every cell for each multiplier: AUC, disparities, and first move.
    cdef float64_t[:, ::1] rest_auc = np.zeros((n_cells, n_bounds))
    cdef float64_t[:, :, ::1] rest_u = np.zeros((n_cells, n_bounds, n_pairs))
    cdef float64_t[:, ::1] rest_value = np.full((n_cells, n_bounds), -np.inf)
    cdef uint8_t[:, ::1] rest_move = np.zeros((n_cells, n_bounds), dtype=np.uint8)
    # Labels: AUC, disparities, bound, and slot * n_chains + chain of the step that led there.
    cdef float64_t[:, ::1] label_auc = np.empty((n_cells, max_labels))
    cdef float64_t[:, :, ::1] label_u = np.empty((n_cells, max_labels, n_pairs))
    cdef float64_t[::1] label_bound = np.empty(max_labels)
    cdef int32_t[:, ::1] came = np.zeros((n_cells, max_labels), dtype=np.int32)
    cdef intp_t[::1] counts = np.zeros(n_cells, dtype=np.intp)
    cdef float64_t[::1] u = np.zeros(n_pairs), u_rest = np.zeros(n_pairs)
    cdef float64_t[::1] none = np.zeros(n_pairs)
    found = np.empty(n, dtype=np.intp)
    cdef intp_t[::1] out = found
    with nogil:
        sum_what_is_left(blocks, start, left_of)

        # ---- the signed problems, backwards: every cell gives to those a step before it
        for m in range(n_bounds):
            rest_value[n_cells - 1, m] = 0.0
        for cell in range(n_cells - 1, -1, -1):
            for g in range(n_chains):
                left_neg[g] = left_of[start[g] + g + at[cell, g], 0]
                left_all[g] = left_of[start[g] + g + at[cell, g], 1]
            for g in range(n_chains):
                if at[cell, g] == 0:
                    continue
                pred = cell - stride[g]
                i = start[g] + at[cell, g] - 1
                auc = placed(
                    g, blocks[i, 0], blocks[i, 1], &left_neg[0], &left_all[0], per_auc, per_won,
                    per_any, per_chain, 0.0, &none[0], &u[0],
                )
                for m in range(n_bounds):
                    value = rest_value[cell, m] + auc
                    for p in range(n_pairs):
                        value -= multipliers[m, p] * u[p]
                    if value > rest_value[pred, m]:
                        rest_value[pred, m] = value
                        rest_auc[pred, m] = rest_auc[cell, m] + auc
                        rest_move[pred, m] = g
                        for p in range(n_pairs):
                            rest_u[pred, m, p] = rest_u[cell, m, p] + u[p]

        # ---- labels, forwards
        for cell in range(n_cells):
            for g in range(n_chains):
                left_neg[g] = left_of[start[g] + g + at[cell, g], 0]
                left_all[g] = left_of[start[g] + g + at[cell, g], 1]
            count = 0
            for g in range(n_chains):
                if cell and at[cell, g] == 0:
                    continue
                if cell == 0 and g:
                    break
                pred = cell - stride[g] if cell else 0
                for slot in range(counts[pred] if cell else 1):
                    if cell:
                        i = start[g] + at[cell, g] - 1
                        auc = placed(
                            g, blocks[i, 0], blocks[i, 1], &left_neg[0], &left_all[0], per_auc,
                            per_won, per_any, per_chain, label_auc[pred, slot],
                            &label_u[pred, slot, 0], &u[0],
                        )
                    else:  # the empty path
                        auc = start_auc
                        for p in range(n_pairs):
                            u[p] = 0.0
                    bound = inf
                    for m in range(n_bounds):
                        bound_k = auc + rest_value[cell, m] + spent[m] * (allowance + slack)
                        for p in range(n_pairs):
                            bound_k -= multipliers[m, p] * u[p]
                        bound = min(bound, bound_k)
                    if bound <= best + SAME:
                        continue
                    # Invariant: of labels 0 .. count none dominates another.
                    gone = False
                    k = 0
                    while k < count:
                        apart = 0.0
                        for p in range(n_pairs):
                            apart = max(apart, fabs(label_u[cell, k, p] - u[p]))
                        value = auc - label_auc[cell, k]
                        if value <= 0.0 and (
                            apart <= SAME or (not hard and -value >= penalty * apart)
                        ):
                            gone = True
                            break
                        if apart <= SAME or (not hard and value >= penalty * apart):
                            count -= 1
                            label_auc[cell, k] = label_auc[cell, count]
                            label_bound[k] = label_bound[count]
                            came[cell, k] = came[cell, count]
                            for p in range(n_pairs):
                                label_u[cell, k, p] = label_u[cell, count, p]
                        else:
                            k += 1
                    if gone:
                        continue
                    if count == max_labels:
                        low, low_bound = -1, bound
                        for k in range(count):
                            if label_bound[k] < low_bound:
                                low, low_bound = k, label_bound[k]
                        thinned = max(thinned, low_bound)
                        if low < 0:
                            continue
                    else:
                        low = count
                        count += 1
                    label_auc[cell, low] = auc
                    label_bound[low] = bound
                    came[cell, low] = slot * n_chains + g
                    for p in range(n_pairs):
                        label_u[cell, low, p] = u[p]
            counts[cell] = count
            for k in range(count):
                for m in range(n_bounds):
                    for p in range(n_pairs):
                        u_rest[p] = label_u[cell, k, p] + rest_u[cell, m, p]
                    value = objective(label_auc[cell, k] + rest_auc[cell, m],
                                      largest(&u_rest[0], n_pairs), penalty, allowance, hard)
                    if value > best:
                        best, best_cell, best_slot, best_m = value, cell, k, m

        # ---- the best order: back to the start, and on along its completion
        if best_cell >= 0:
            cell, slot, i = best_cell, best_slot, 0
            for g in range(n_chains):
                i += at[best_cell, g]
            k = i
            while i > 0:
                i -= 1
                g = came[cell, slot] % n_chains
                slot = came[cell, slot] // n_chains
                out[i] = g
                cell -= stride[g]
            cell = best_cell
            while k < n:
                g = rest_move[cell, best_m]
                out[k] = g
                cell += stride[g]
                k += 1
    return (found if best_cell >= 0 else None), (thinned if thinned > best else -np.inf)
