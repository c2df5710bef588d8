"""Products of paths that sum to zero: the last group's follow from those of the others."""

from numpy cimport float64_t


cdef inline void add_last_group(float64_t[:, ::1] products_out) noexcept nogil:
    """Fill the last row and column from the rest, which is symmetric."""
    cdef Py_ssize_t g, h, d = products_out.shape[0] - 1
    cdef double row_sum, total = 0.0
    for g in range(d):
        row_sum = 0.0
        for h in range(d):
            row_sum += products_out[g, h]
        products_out[g, d] = products_out[d, g] = -row_sum
        total += row_sum
    products_out[d, d] = total
