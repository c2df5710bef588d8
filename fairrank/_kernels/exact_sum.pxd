"""Sums carried in two doubles, for expansions that cancel (Knuth's TwoSum)."""

cdef struct ExactSum:
    double high
    double low


cdef inline void add(ExactSum* total, double x) noexcept nogil:
    cdef double s = total.high + x
    cdef double moved = s - total.high
    total.low += (total.high - (s - moved)) + (x - moved)
    total.high = s


cdef inline void add_product(ExactSum* total, double x, double y) noexcept nogil:
    """Add x*y with its rounding error, by Dekker's splitting (no fused multiply-add needed)."""
    cdef double product = x * y
    cdef double cx = 134217729.0 * x, cy = 134217729.0 * y
    cdef double xh = cx - (cx - x), yh = cy - (cy - y)
    cdef double xl = x - xh, yl = y - yh
    add(total, product)
    total.low += ((xh * yh - product) + xh * yl + xl * yh) + xl * yl


cdef inline double value(ExactSum total) noexcept nogil:
    return total.high + total.low
