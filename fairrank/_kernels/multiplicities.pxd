"""Rows drawn with replacement inside every stratum, as multiplicities: nothing is sorted again."""

from libc.stdint cimport uint32_t
from numpy cimport intp_t

from fairrank._kernels.generator cimport Generator, below


cdef inline void draw_inside_strata(uint32_t[::1] drawn_out, const intp_t[::1] start,
                                    Generator* rng) noexcept nogil:
    """How often each row is drawn; ``start`` cumulates the sizes of the strata, side by side.

    Every stratum keeps its size, and an empty one asks for no draw.
    """
    cdef intp_t i, s
    cdef uint32_t size
    for i in range(drawn_out.shape[0]):
        drawn_out[i] = 0
    for s in range(start.shape[0] - 1):
        size = <uint32_t> (start[s + 1] - start[s])
        for _ in range(size):
            drawn_out[start[s] + below(rng, size)] += 1
