"""Algorithm 1 for several chains: on the lattice of all their partial orders, or one by one.

A cell says how many steps of each chain are placed, best first. It keeps one path to it: what AUC
and the signed disparities of all pairs have gathered, and of all paths that end by one step the
one with the largest AUC - trade-off * max |D|. Exact without a trade-off.
"""

import numpy as np

from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.partial_order cimport largest, placed, sum_what_is_left


def best_sequence(const float64_t[:, ::1] blocks, const intp_t[::1] start, double per_auc,
                  const float64_t[:, ::1] per_won, const float64_t[:, ::1] per_any,
                  const float64_t[::1] per_chain, double trade_off):
    """The path through the lattice of all chains, as a sequence of chain numbers.

    One byte a cell, and doubles for the cells of one layer of the first chain. Of equal paths the
    one that ends by the later chain. Arguments as in `runs.swap_runs`.
    """
    cdef intp_t n_chains = start.shape[0] - 1, n = blocks.shape[0]
    cdef intp_t n_pairs = n_chains * (n_chains - 1) // 2
    cdef intp_t g, i, layer, cell, pred, pair, best_g
    cdef double value, best, auc, best_auc
    # A step of chain g is `stride[g]` cells on; a step of chain 0 is a layer on.
    cdef intp_t[::1] stride = np.ones(n_chains, dtype=np.intp)
    cdef intp_t n_layers = start[1] - start[0] + 1, n_cells = 1
    for g in range(n_chains - 1, 0, -1):
        stride[g] = n_cells
        n_cells *= start[g + 1] - start[g] + 1
    cdef uint8_t[:, ::1] came = np.zeros((n_layers, n_cells), dtype=np.uint8)
    # Entry `cell` holds the layer before until this layer overwrites it.
    cdef float64_t[::1] c = np.zeros(n_cells)
    cdef float64_t[:, ::1] u = np.zeros((n_cells, n_pairs))
    cdef float64_t[::1] u_new = np.empty(n_pairs), u_best = np.zeros(n_pairs)
    # What is left after every number of steps: chain g from start[g] + g on.
    cdef float64_t[:, ::1] left_of = np.empty((n + n_chains, 2))
    cdef intp_t[::1] at = np.zeros(n_chains, dtype=np.intp)
    cdef float64_t[::1] left_neg = np.empty(n_chains), left_all = np.empty(n_chains)
    found = np.empty(n, dtype=np.intp)
    cdef intp_t[::1] out = found
    with nogil:
        sum_what_is_left(blocks, start, left_of)
        for layer in range(n_layers):
            at[0] = layer
            for g in range(1, n_chains):
                at[g] = 0
            for cell in range(n_cells):
                # Invariant: `at` are the coordinates of `cell` in this layer.
                for g in range(n_chains):
                    left_neg[g] = left_of[start[g] + g + at[g], 0]
                    left_all[g] = left_of[start[g] + g + at[g], 1]
                best_g = -1
                best = best_auc = 0.0
                for g in range(n_chains - 1, -1, -1):
                    if at[g] == 0:
                        continue
                    pred = cell - stride[g] if g else cell
                    i = start[g] + at[g] - 1
                    auc = placed(
                        g, blocks[i, 0], blocks[i, 1], &left_neg[0], &left_all[0], per_auc,
                        per_won, per_any, per_chain, c[pred], &u[pred, 0], &u_new[0],
                    )
                    value = auc - trade_off * largest(&u_new[0], n_pairs)
                    if best_g < 0 or value > best:
                        best, best_auc, best_g = value, auc, g
                        for pair in range(n_pairs):
                            u_best[pair] = u_new[pair]
                if best_g >= 0:
                    came[layer, cell] = best_g
                    c[cell] = best_auc
                    for pair in range(n_pairs):
                        u[cell, pair] = u_best[pair]
                # The next cell: the last chain runs fastest.
                g = n_chains - 1
                while g > 0:
                    at[g] += 1
                    if at[g] <= start[g + 1] - start[g]:
                        break
                    at[g] = 0
                    g -= 1
        layer, cell = n_layers - 1, n_cells - 1
        for i in range(n - 1, -1, -1):
            g = came[layer, cell]
            out[i] = g
            if g:
                cell -= stride[g]
            else:
                layer -= 1
    return found


def inserted_sequence(const intp_t[::1] frozen, const float64_t[:, ::1] blocks,
                      const intp_t[::1] start, double per_auc, const float64_t[:, ::1] per_won,
                      const float64_t[:, ::1] per_any, const float64_t[::1] per_chain,
                      double trade_off):
    """The path that merges the last chain into a frozen sequence of the others.

    One byte a cell. Of equal paths the one that ends by the last chain.
    """
    cdef intp_t n_chains = start.shape[0] - 1, last = start.shape[0] - 2
    cdef intp_t n_pairs = n_chains * (n_chains - 1) // 2
    cdef intp_t n_frozen = frozen.shape[0], n_last = start[last + 1] - start[last]
    cdef intp_t g, i, j, k, pair, width = n_frozen + 1
    cdef double value, other, auc, other_auc
    cdef uint8_t[:, ::1] by_last = np.zeros((n_last + 1, width), dtype=np.uint8)
    cdef float64_t[::1] c = np.zeros(width)
    cdef float64_t[:, ::1] u = np.zeros((width, n_pairs))
    cdef float64_t[::1] u_new = np.empty(n_pairs), u_other = np.empty(n_pairs)
    # What is left of every chain after so many frozen steps; of the last one, by row.
    left_neg_array, left_all_array = np.zeros((width, n_chains)), np.zeros((width, n_chains))
    cdef float64_t[:, ::1] left_neg = left_neg_array, left_all = left_all_array
    cdef intp_t[::1] block_at = np.empty(n_frozen, dtype=np.intp)
    cdef intp_t[::1] cursor = np.array(start[:n_chains], dtype=np.intp)
    cdef double last_neg = 0.0, last_all = 0.0
    found = np.empty(n_frozen + n_last, dtype=np.intp)
    cdef intp_t[::1] out = found
    with nogil:
        for j in range(n_frozen):
            block_at[j] = cursor[frozen[j]]
            cursor[frozen[j]] += 1
        for j in range(n_frozen - 1, -1, -1):
            for g in range(n_chains):
                left_neg[j, g] = left_neg[j + 1, g]
                left_all[j, g] = left_all[j + 1, g]
            k = block_at[j]
            left_neg[j, frozen[j]] += blocks[k, 0]
            left_all[j, frozen[j]] += blocks[k, 0] + blocks[k, 1]
        for i in range(n_last):
            last_neg += blocks[start[last] + i, 0]
            last_all += blocks[start[last] + i, 0] + blocks[start[last] + i, 1]
        for i in range(n_last + 1):
            if i:
                last_neg -= blocks[start[last] + i - 1, 0]
                last_all -= blocks[start[last] + i - 1, 0] + blocks[start[last] + i - 1, 1]
            for j in range(width):
                left_neg[j, last], left_all[j, last] = last_neg, last_all
                auc = other_auc = value = other = 0.0
                if i:
                    k = start[last] + i - 1
                    auc = placed(
                        last, blocks[k, 0], blocks[k, 1], &left_neg[j, 0], &left_all[j, 0],
                        per_auc, per_won, per_any, per_chain, c[j], &u[j, 0], &u_new[0],
                    )
                    value = auc - trade_off * largest(&u_new[0], n_pairs)
                if j:
                    k = block_at[j - 1]
                    other_auc = placed(
                        frozen[j - 1], blocks[k, 0], blocks[k, 1], &left_neg[j, 0],
                        &left_all[j, 0], per_auc, per_won, per_any, per_chain, c[j - 1],
                        &u[j - 1, 0], &u_other[0],
                    )
                    other = other_auc - trade_off * largest(&u_other[0], n_pairs)
                if i and (j == 0 or value >= other):
                    by_last[i, j] = 1
                    c[j] = auc
                    for pair in range(n_pairs):
                        u[j, pair] = u_new[pair]
                elif j:
                    c[j] = other_auc
                    for pair in range(n_pairs):
                        u[j, pair] = u_other[pair]
        i, j = n_last, n_frozen
        for k in range(n_frozen + n_last - 1, -1, -1):
            if by_last[i, j]:
                out[k] = last
                i -= 1
            else:
                j -= 1
                out[k] = frozen[j]
    return found
