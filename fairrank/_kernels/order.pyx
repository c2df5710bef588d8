"""Sorted values cut into blocks of ties, and rows counted by code."""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint16_t
from numpy cimport float64_t, intp_t

ctypedef fused code_t:
    uint8_t
    uint16_t

cdef enum:
    PARTS = 4


def tie_blocks(const float64_t[::1] values, double tolerance):
    """Start of every block of ties in ascending `values`, and their number at the end.

    Neighbours at most `tolerance` apart are tied, and ties chain. O(n).

    Returns
    -------
    ndarray of intp, shape (n_blocks + 1,)
        Block ``b`` holds ``values[starts[b]:starts[b + 1]]``.
    """
    cdef intp_t i, n = values.shape[0], n_blocks = 0
    starts = np.empty(n + 1, dtype=np.intp)
    cdef intp_t[::1] starts_out = starts
    with nogil:
        for i in range(n):
            if i == 0 or values[i] - values[i - 1] > tolerance:
                starts_out[n_blocks] = i
                n_blocks += 1
        starts_out[n_blocks] = n
    return starts[: n_blocks + 1].copy()


def block_of_row(const intp_t[::1] block_start):
    """Block number of every row, the inverse of `tie_blocks`. O(n)."""
    cdef intp_t b, i, n_blocks = block_start.shape[0] - 1
    block = np.empty(block_start[n_blocks], dtype=np.int32)
    cdef int32_t[::1] block_out = block
    with nogil:
        for b in range(n_blocks):
            for i in range(block_start[b], block_start[b + 1]):
                block_out[i] = <int32_t> b
    return block


def pool_ties(const float64_t[::1] values, const float64_t[::1] weight,
              const intp_t[::1] block_start):
    """Every row's weighted block mean; a block of one row keeps its value exactly. O(n)."""
    cdef intp_t b, i, start, stop, n_blocks = block_start.shape[0] - 1
    cdef double mass, first, excess, mean
    pooled = np.empty(values.shape[0], dtype=np.float64)
    cdef float64_t[::1] pooled_out = pooled
    with nogil:
        for b in range(n_blocks):
            start, stop = block_start[b], block_start[b + 1]
            # The mean as an excess over the smallest, so that equal values stay equal.
            first, mass, excess = values[start], 0.0, 0.0
            for i in range(start, stop):
                mass += weight[i]
                excess += weight[i] * (values[i] - first)
            mean = first + excess / mass if mass > 0 else first
            for i in range(start, stop):
                pooled_out[i] = mean
    return pooled


def code_counts(const code_t[::1] code, intp_t n_codes):
    """Rows of every code, as of `np.bincount`, which would copy them to wider integers. O(n)."""
    counts = np.zeros((PARTS, n_codes), dtype=np.intp)
    cdef intp_t[:, ::1] counts_out = counts
    cdef intp_t i
    with nogil:
        # A count waits for the one before it; neighbours go to different ones.
        for i in range(code.shape[0]):
            counts_out[i % PARTS, code[i]] += 1
    return counts.sum(axis=0)
