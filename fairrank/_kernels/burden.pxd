from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

cdef void add_separation(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, bint at_ranks,
    float64_t[::1] sign, float64_t[:, ::1] plain_out, float64_t[:, ::1] centred_out,
    float64_t[::1] totals_out,
) noexcept nogil
