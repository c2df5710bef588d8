"""Bootstrap draws inside groups as multiplicities of the sorted rows: no draw sorts again."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.burden cimport add_separation
from fairrank._kernels.generator cimport Generator, seeded
from fairrank._kernels.multiplicities cimport draw_inside_strata


def resampled_separations(const float64_t[::1] burden, const uint8_t[::1] group,
                          const intp_t[::1] block_start, const intp_t[::1] group_start,
                          const uint64_t[::1] seed, intp_t n_draws):
    """Mean distances over pairs, plain and centred, in `n_draws` group-stratified resamples.

    ``group_start`` cumulates the group sizes. Multiplicities are drawn group after group, where
    they lie side by side, and read in sorted order. O(n G^2) a draw.

    Returns
    -------
    ndarray, shape (n_draws, 2)
        NaN where all resampled burdens are equal.
    """
    cdef intp_t r, i, g, h, n = burden.shape[0], n_groups = group_start.shape[0] - 1
    cdef double plain_sum, centred_sum, n_pairs = n_groups * (n_groups - 1) / 2.0
    distances = np.empty((n_draws, 2))
    cdef float64_t[:, ::1] distances_out = distances
    cdef uint32_t[::1] drawn = np.empty(n, dtype=np.uint32)
    cdef float64_t[::1] weight = np.empty(n)
    # Sorted position -> place among the multiplicities, which lie group after group.
    place = np.empty(n, dtype=np.int32)
    place[np.argsort(group, kind="stable")] = np.arange(n, dtype=np.int32)
    cdef const int32_t[::1] place_of = place
    cdef float64_t[::1] sign = np.empty(n_groups)
    cdef float64_t[:, ::1] plain = np.empty((n_groups, n_groups))
    cdef float64_t[:, ::1] centred = np.empty((n_groups, n_groups))
    cdef float64_t[::1] totals = np.empty(3)
    cdef Generator rng
    cdef double undefined = np.nan
    with nogil:
        rng = seeded(seed)
        for r in range(n_draws):
            draw_inside_strata(drawn, group_start, &rng)
            for i in range(n):
                weight[i] = <double> drawn[place_of[i]]
            add_separation(burden, group, weight, block_start, 0, True,
                           sign, plain, centred, totals)
            plain_sum = centred_sum = 0.0
            for g in range(n_groups):
                for h in range(g + 1, n_groups):
                    plain_sum += plain[g, h]
                    centred_sum += centred[g, h]
            if totals[2] > 0.0:
                distances_out[r, 0] = plain_sum / totals[2] / n_pairs
                distances_out[r, 1] = centred_sum / totals[2] / n_pairs
            else:
                distances_out[r, 0] = distances_out[r, 1] = undefined
    return distances
