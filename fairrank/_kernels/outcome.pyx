"""Draws of the outcome from the scores: the centred statistic under "calibrated, nothing else".

Each row has two possible burdens, one an outcome. All 2 n are sorted once; a draw switches on one
of the two and walks the list.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.generator cimport Generator, seeded, uniform


cdef double active_statistic(
    const float64_t[::1] burden, const int32_t[::1] row, const uint8_t[::1] outcome,
    const intp_t[::1] block_start, const uint8_t[::1] group, const uint8_t[::1] drawn,
    const float64_t[::1] group_share, float64_t[:, ::1] state,
) noexcept nogil:
    """T of the candidates whose outcome is the drawn one. -1 when their burdens are all 0.

    state, one column a group: burden share, path, burden inside the block.
    """
    cdef intp_t n_blocks = block_start.shape[0] - 1, n_groups = group_share.shape[0]
    cdef intp_t b, c, g
    cdef double total = 0.0, n = <double> group.shape[0], m, rise, inside, slope, statistic = 0.0
    for g in range(n_groups):
        state[0, g] = state[1, g] = state[2, g] = 0.0
    for c in range(burden.shape[0]):
        if drawn[row[c]] == outcome[c]:
            state[0, group[row[c]]] += burden[c]
            total += burden[c]
    if not (total > 0.0):
        return -1.0
    for g in range(n_groups):
        state[0, g] /= total
    for b in range(n_blocks):
        m = inside = 0.0
        for c in range(block_start[b], block_start[b + 1]):
            if drawn[row[c]] == outcome[c]:
                state[2, group[row[c]]] += burden[c] / total
                inside += burden[c] / total
                m += 1.0
        if m == 0.0:
            continue
        for g in range(n_groups):
            rise = (
                state[2, g] - group_share[g] * inside - (state[0, g] - group_share[g]) * m / n
            )
            slope = rise / m
            statistic += (
                m * state[1, g] * state[1, g] + state[1, g] * slope * m * (m + 1.0)
                + slope * slope * m * (m + 1.0) * (2.0 * m + 1.0) / 6.0
            )
            state[1, g] += rise
            state[2, g] = 0.0
    return 2.0 * statistic / <double> (n_groups - 1)


def outcome_draws(const float64_t[::1] burden, const int32_t[::1] row,
                  const uint8_t[::1] outcome, const intp_t[::1] block_start,
                  const uint8_t[::1] group, const float64_t[::1] group_share,
                  const float64_t[::1] probability, const uint64_t[::1] seed, intp_t n_draws):
    """T in `n_draws` samples of outcomes ~ Bernoulli(probability), O(n G) each.

    ``burden`` holds the 2 n candidates ascending (ties pooled), ``row`` and ``outcome`` say whose
    they are and under which outcome.
    """
    cdef intp_t r, i, n = group.shape[0]
    statistics = np.empty(n_draws)
    cdef float64_t[::1] statistics_out = statistics
    cdef uint8_t[::1] drawn = np.empty(n, dtype=np.uint8)
    cdef float64_t[:, ::1] state = np.empty((3, group_share.shape[0]))
    cdef Generator rng
    with nogil:
        rng = seeded(seed)
        for r in range(n_draws):
            for i in range(n):
                drawn[i] = uniform(&rng) < probability[i]
            statistics_out[r] = active_statistic(
                burden, row, outcome, block_start, group, drawn, group_share, state
            )
    return statistics


def outcome_statistic(const float64_t[::1] burden, const int32_t[::1] row,
                      const uint8_t[::1] outcome, const intp_t[::1] block_start,
                      const uint8_t[::1] group, const float64_t[::1] group_share,
                      const uint8_t[::1] observed):
    """T of the outcomes that were observed, by the same walk as the draws."""
    cdef float64_t[:, ::1] state = np.empty((3, group_share.shape[0]))
    cdef double statistic
    with nogil:
        statistic = active_statistic(
            burden, row, outcome, block_start, group, observed, group_share, state
        )
    return statistic
