"""Vectors of the plane, compared by cross products and never by angles."""

from libc.math cimport fabs, sqrt


cdef inline double cross(double ax, double ay, double bx, double by) noexcept nogil:
    """Above 0 where b lies counterclockwise of a, less than half a turn away."""
    return ax * by - ay * bx


cdef inline void make_unit(double* x, double* y) noexcept nogil:
    """Scale (x, y), which is not (0, 0), to length 1 without overflow or underflow.

    A vector along an axis comes out exact.
    """
    cdef double across = fabs(x[0]), up = fabs(y[0]), largest, length
    largest = across if across > up else up
    x[0] /= largest
    y[0] /= largest
    length = sqrt(x[0] * x[0] + y[0] * y[0])
    x[0] /= length
    y[0] /= length
