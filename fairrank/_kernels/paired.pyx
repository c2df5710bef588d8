"""Paired bootstrap of several models on the same rows: one draw of rows, every model re-weighted.

Rows are numbered group after group, so that a draw fills one group's multiplicities after another
without a look-up. Each model brings two orders of the rows, by burden and by score, sorted once.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.burden cimport add_separation
from fairrank._kernels.generator cimport Generator, seeded
from fairrank._kernels.multiplicities cimport draw_inside_strata


cdef void ranking_scores(
    const int32_t[::1] order, const intp_t[::1] block_start, const uint8_t[::1] outcome,
    const uint32_t[::1] drawn, double* auc_out, double* precision_out,
) noexcept nogil:
    """ROC-AUC (ties one half) and average precision of rows with multiplicities, best score last.

    -1 in both when a class is missing.
    """
    cdef intp_t b, i, row
    cdef double positives = 0.0, negatives = 0.0, above_pos = 0.0, above_neg = 0.0
    cdef double pos, neg, area = 0.0, precision = 0.0
    for row in range(outcome.shape[0]):
        if outcome[row]:
            positives += drawn[row]
        else:
            negatives += drawn[row]
    if positives == 0.0 or negatives == 0.0:
        auc_out[0] = precision_out[0] = -1.0
        return
    for b in range(block_start.shape[0] - 2, -1, -1):
        pos = neg = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            row = order[i]
            if outcome[row]:
                pos += drawn[row]
            else:
                neg += drawn[row]
        area += neg * (above_pos + pos / 2.0)
        above_pos += pos
        above_neg += neg
        if pos > 0.0:
            precision += pos * above_pos / (above_pos + above_neg)
    auc_out[0] = area / (positives * negatives)
    precision_out[0] = precision / positives


def paired_resamples(
    const float64_t[:, ::1] burden, const int32_t[:, ::1] burden_order,
    const intp_t[:, ::1] burden_blocks, const intp_t[::1] n_burden_blocks,
    const int32_t[:, ::1] score_order, const intp_t[:, ::1] score_blocks,
    const intp_t[::1] n_score_blocks, const uint8_t[::1] group, const uint8_t[::1] outcome,
    const intp_t[::1] group_start, const uint64_t[::1] seed, intp_t n_draws,
):
    """RGD, centred RGD, ROC-AUC and average precision of M models in `n_draws` resamples.

    Parameters
    ----------
    burden : (M, n), ascending, ties pooled
    burden_order, score_order : (M, n)
        Sorted position -> row; rows are numbered group after group.
    burden_blocks, score_blocks : (M, n + 1)
        Starts of the blocks of ties; the first ``n_blocks + 1`` of a line count.
    group, outcome : (n,), by row
    group_start : (G + 1,)

    Returns
    -------
    ndarray, shape (n_draws, M, 4)
        NaN where all resampled burdens are equal, or a class is missing.
    """
    cdef intp_t r, m, i, g, h, n = group.shape[0], n_models = burden.shape[0]
    cdef intp_t n_groups = group_start.shape[0] - 1
    cdef double plain_sum, centred_sum, auc, precision
    cdef double n_pairs = n_groups * (n_groups - 1) / 2.0, undefined = np.nan
    values = np.empty((n_draws, n_models, 4))
    cdef float64_t[:, :, ::1] values_out = values
    cdef uint32_t[::1] drawn = np.empty(n, dtype=np.uint32)
    cdef float64_t[::1] weight = np.empty(n)
    cdef float64_t[::1] sign = np.empty(n_groups)
    cdef float64_t[:, ::1] plain = np.empty((n_groups, n_groups))
    cdef float64_t[:, ::1] centred = np.empty((n_groups, n_groups))
    cdef float64_t[::1] totals = np.empty(3)
    sorted_group = np.asarray(group)[np.asarray(burden_order)]
    cdef const uint8_t[:, ::1] group_of = sorted_group
    cdef Generator rng
    with nogil:
        rng = seeded(seed)
        for r in range(n_draws):
            draw_inside_strata(drawn, group_start, &rng)
            for m in range(n_models):
                for i in range(n):
                    weight[i] = <double> drawn[burden_order[m, i]]
                add_separation(
                    burden[m], group_of[m], weight, burden_blocks[m, :n_burden_blocks[m] + 1],
                    0, True, sign, plain, centred, totals,
                )
                plain_sum = centred_sum = 0.0
                for g in range(n_groups):
                    for h in range(g + 1, n_groups):
                        plain_sum += plain[g, h]
                        centred_sum += centred[g, h]
                if totals[2] > 0.0:
                    values_out[r, m, 0] = plain_sum / totals[2] / n_pairs
                    values_out[r, m, 1] = centred_sum / totals[2] / n_pairs
                else:
                    values_out[r, m, 0] = values_out[r, m, 1] = undefined
                ranking_scores(
                    score_order[m], score_blocks[m, :n_score_blocks[m] + 1], outcome, drawn,
                    &auc, &precision,
                )
                values_out[r, m, 2] = auc if auc >= 0.0 else undefined
                values_out[r, m, 3] = precision if precision >= 0.0 else undefined
    return values
