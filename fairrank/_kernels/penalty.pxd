"""What disparities cost while runs of an interleaving move."""

from libc.math cimport INFINITY, fabs, pow
from numpy cimport intp_t


cdef inline double worth(double linear, double excess, double penalty, bint hard) noexcept nogil:
    """What the excess of the disparities leaves of the linear part; never rising in the excess.

    A condition is met but for rounding.
    """
    if excess <= (1e-12 if hard else 0.0):
        return linear
    return linear - penalty * excess - (2.0 if hard else 0.0)


cdef inline double joined(double total, double value, double allowance, double unit,
                          double power) noexcept nogil:
    """One more |value| beyond the allowance in a sum of powers, or in a maximum."""
    cdef double excess = fabs(value) - allowance
    if power == INFINITY:
        return max(total, excess)
    return total + pow(excess / unit, power) if excess > 0.0 else total


cdef inline double size_of(double total, double unit, double power) noexcept nogil:
    return total if power == INFINITY else unit * pow(total, 1.0 / power)


cdef inline intp_t longer(intp_t k, intp_t most, intp_t fine) noexcept nogil:
    """The next length to try: every one up to `fine`, then by a part of itself, and all."""
    cdef intp_t next_k = k + 1 + k // fine
    return next_k if next_k < most or k >= most else most
