from libc.math cimport fabs, floor
from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t


cdef inline double line_sum(double first, double last, double width,
                            bint at_ranks) noexcept nogil:
    """Sum of first + (last - first) r / width over r = 1 .. width; 0 for an empty block.

    Without `at_ranks` the integral of the same line over [0, width].
    """
    if at_ranks:
        return width * first + (last - first) * (width + 1.0) / 2.0
    return width * (first + last) / 2.0


cdef inline double line_area(double first, double last, double width,
                             bint at_ranks) noexcept nogil:
    """The same of the line's absolute value.

    No branch on the width: resampled widths are random, and a mispredicted branch costs more than
    the sum.
    """
    cdef double before, upto, total
    if first * last >= 0.0:
        return fabs(line_sum(first, last, width, at_ranks))
    if at_ranks:
        total = line_sum(first, last, width, True)
        upto = floor(width * first / (first - last))  # the last rank before the sign changes
        before = upto * first + (last - first) / width * upto * (upto + 1.0) / 2.0
        return fabs(before) + fabs(total - before)
    return width * (first * first + last * last) / (2.0 * (fabs(first) + fabs(last)))


cdef void add_separation(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, intp_t first_block, bint at_ranks,
    float64_t[::1] sign, float64_t[:, ::1] plain_out, float64_t[:, ::1] centred_out,
    float64_t[::1] totals_out,
) noexcept nogil
