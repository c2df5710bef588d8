"""What one more step adds to AUC and to all disparities of a partial order of several chains."""

from libc.math cimport fabs
from numpy cimport float64_t, intp_t


cdef inline void sum_what_is_left(const float64_t[:, ::1] blocks, const intp_t[::1] start,
                                  float64_t[:, ::1] left_out) noexcept nogil:
    """Negatives, and all weight, not yet placed after every number of steps of every chain.

    Chain g has the rows from ``start[g] + g`` on, one more than it has steps; the last is 0.
    """
    cdef intp_t g, i
    for g in range(start.shape[0] - 1):
        left_out[start[g + 1] + g, 0] = left_out[start[g + 1] + g, 1] = 0.0
        for i in range(start[g + 1] - 1, start[g] - 1, -1):
            left_out[i + g, 0] = left_out[i + g + 1, 0] + blocks[i, 0]
            left_out[i + g, 1] = left_out[i + g + 1, 1] + blocks[i, 0] + blocks[i, 1]


cdef inline double placed(
    intp_t g, double neg, double pos, const float64_t* left_neg, const float64_t* left_all,
    double per_auc, const float64_t[:, ::1] per_won, const float64_t[:, ::1] per_any,
    const float64_t[::1] per_chain, double auc, const float64_t* u, float64_t* u_out,
) noexcept nogil:
    """AUC after one more step of chain g; `u_out` are the disparities after it.

    `left_neg` and `left_all` are the weights not yet placed, those of g after the step. Pairs lie
    in rows: (1, 0), (2, 0), (2, 1), ...
    """
    cdef intp_t i, j, pair = 0, n_chains = per_chain.shape[0]
    cdef double others = 0.0, favour
    for i in range(n_chains):
        if i != g:
            others += left_neg[i]
    # Within the group: PRF counts its own negatives too, ties one half.
    favour = per_chain[g] * pos * (others + left_neg[g] + 0.5 * neg)
    for i in range(n_chains):
        for j in range(i):
            u_out[pair] = u[pair]
            if i == g:
                u_out[pair] += (per_won[i, j] * pos * left_neg[j]
                                + 0.5 * per_any[i, j] * (neg + pos) * left_all[j] + favour)
            elif j == g:
                u_out[pair] -= (per_won[j, i] * pos * left_neg[i]
                                + 0.5 * per_any[j, i] * (neg + pos) * left_all[i] + favour)
            pair += 1
    return auc + per_auc * pos * others


cdef inline double largest(const float64_t* u, intp_t n_pairs) noexcept nogil:
    cdef intp_t pair
    cdef double found = 0.0
    for pair in range(n_pairs):
        found = max(found, fabs(u[pair]))
    return found
