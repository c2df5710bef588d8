"""Acceptance when revenue and utility are shifted at random, in pieces that lose no digit."""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t


cdef inline double accepted(double revenue, double utility, double multiplier, double a,
                            double b) noexcept nogil:
    """P(revenue + xi_r > multiplier * utility + xi), xi_r and -xi (or xi) uniform up to a and b.

    1 - F(t), F being the distribution of the sum of U[0, a] and U[0, b]: a trapezium's area.
    """
    cdef double t = multiplier * utility - revenue
    cdef double near = min(a, b), far = max(a, b)
    if multiplier > 0.0:
        t += b
    if t <= 0.0:
        return 1.0
    if t < near:
        return 1.0 - 0.5 * (t / near) * (t / far)  # squares vanish or overflow in some units
    if t <= far:
        return 1.0 - (t - 0.5 * near) / far
    t = near + far - t
    return 0.5 * (t / near) * (t / far) if t > 0.0 else 0.0


def smoothed_acceptance(const float64_t[::1] revenue, const float64_t[::1] utility,
                        const uint8_t[::1] code, const float64_t[::1] multiplier,
                        double revenue_shift, double utility_shift):
    """Probability that each row is accepted by the multiplier of its group. O(n).

    Shifts are uniform from 0 up to `revenue_shift`, above 0, and to `utility_shift`.
    """
    cdef intp_t i, n = revenue.shape[0]
    cdef double m
    probability = np.empty(n)
    cdef float64_t[::1] out = probability
    with nogil:
        for i in range(n):
            m = multiplier[code[i]]
            out[i] = accepted(revenue[i], utility[i], m, revenue_shift, fabs(m) * utility_shift)
    return probability


def smoothed_welfare(const float64_t[::1] revenue, const float64_t[::1] utility,
                     const float64_t[::1] mass, double multiplier, double revenue_shift,
                     double utility_shift):
    """Sum of ``mass * utility * acceptance`` over the rows of one group. O(n)."""
    cdef intp_t i
    cdef double total = 0.0, b = fabs(multiplier) * utility_shift
    with nogil:
        for i in range(revenue.shape[0]):
            total += mass[i] * utility[i] * accepted(
                revenue[i], utility[i], multiplier, revenue_shift, b
            )
    return total
