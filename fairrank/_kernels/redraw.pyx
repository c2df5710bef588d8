"""Random weights of rows, drawn anew without a sort."""

import numpy as np

from libc.math cimport log
from libc.stdint cimport uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.generator cimport Generator, uniform


def draw_exponentials(uint64_t[::1] state, float64_t[::1] out):
    """Fill `out` with independent Exp(1) by inversion, and move `state` on. O(n).

    Parameters
    ----------
    state : (4,)
        Of the generator, read and written; not all 0.
    out : (n,)
    """
    cdef intp_t i
    cdef Generator rng
    rng.s0, rng.s1, rng.s2, rng.s3 = state[0], state[1], state[2], state[3]
    rng.spare = 0
    rng.has_spare = False
    with nogil:
        for i in range(out.shape[0]):
            # uniform is below 1, so the logarithm is finite.
            out[i] = -log(1.0 - uniform(&rng))
    state[0], state[1], state[2], state[3] = rng.s0, rng.s1, rng.s2, rng.s3


def weigh_rows(const float64_t[::1] drawn, const intp_t[::1] cluster,
               const float64_t[::1] weight, float64_t[::1] out):
    """Each row's weight times what was drawn for its cluster. O(n).

    Parameters
    ----------
    drawn : (n_clusters,)
    cluster : (n,)
    weight, out : (n,)
        `out` is written.
    """
    cdef intp_t i
    with nogil:
        for i in range(out.shape[0]):
            out[i] = weight[i] * drawn[cluster[i]]


def weigh(const float64_t[::1] weight, float64_t[::1] out):
    """Multiply what was drawn for each row by the row's weight. O(n)."""
    cdef intp_t i
    with nogil:
        for i in range(out.shape[0]):
            out[i] *= weight[i]


def group_risks(const float64_t[::1] weight, const float64_t[:, ::1] loss,
                const intp_t[::1] code, intp_t n_groups):
    """Weighted mean of every column of `loss` in every group, shape (n_columns, n_groups)."""
    cdef intp_t i, j, g, n_columns = loss.shape[1]
    risks = np.zeros((n_columns, n_groups))
    cdef float64_t[:, ::1] out = risks
    cdef float64_t[::1] mass = np.zeros(n_groups)
    with nogil:
        for i in range(weight.shape[0]):
            mass[code[i]] += weight[i]
            for j in range(n_columns):
                out[j, code[i]] += weight[i] * loss[i, j]
        for g in range(n_groups):
            for j in range(n_columns):
                out[j, g] /= mass[g]
    return risks
