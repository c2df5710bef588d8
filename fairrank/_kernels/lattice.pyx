"""The lattice of partial orders of two chains: the paper's Algorithm 1, one byte a cell."""

import numpy as np

from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t


def best_path(const float64_t[:, ::1] a, const float64_t[:, ::1] b,
              const float64_t[:, ::1] left_a, const float64_t[:, ::1] left_b):
    """Steps of b placed before each step of a on the path that Algorithm 1 finds.

    Cell (i, j) has i steps of a and j of b placed, best first, and keeps the utility c and the
    signed unfairness u of one path to it: the one with the larger c - |u|, by b unless a is
    strictly better. Exact for u = 0 and for signed problems, not for |u|. O(n_a n_b) time, one
    byte a cell and two rows of doubles.

    Parameters
    ----------
    a, b : (n_steps, 3)
        Of every step: its positives (times the negatives of the other chain left, its utility),
        its unfairness per unit of the other chain left, and its unfairness whatever is left.
    left_a, left_b : (n_steps + 1, 2)
        Negatives, and units for unfairness, left after so many steps.
    """
    cdef intp_t i, j, n_a = a.shape[0], n_b = b.shape[0]
    cdef double c_a, u_a, c_b, u_b, value_a, value_b
    before = np.empty(n_a, dtype=np.intp)
    cdef intp_t[::1] before_out = before
    cdef uint8_t[:, ::1] from_a = np.empty((n_a + 1, n_b + 1), dtype=np.uint8)
    # One row of c and u; entry j holds cell (i - 1, j) until cell (i, j) overwrites it.
    cdef float64_t[::1] c = np.zeros(n_b + 1), u = np.zeros(n_b + 1)
    with nogil:
        for j in range(1, n_b + 1):
            c[j] = c[j - 1] + b[j - 1, 0] * left_a[0, 0]
            u[j] = u[j - 1] - (b[j - 1, 1] * left_a[0, 1] + b[j - 1, 2])
            from_a[0, j] = 0
        for i in range(1, n_a + 1):
            c[0] += a[i - 1, 0] * left_b[0, 0]
            u[0] += a[i - 1, 1] * left_b[0, 1] + a[i - 1, 2]
            from_a[i, 0] = 1
            for j in range(1, n_b + 1):
                c_a = c[j] + a[i - 1, 0] * left_b[j, 0]
                u_a = u[j] + (a[i - 1, 1] * left_b[j, 1] + a[i - 1, 2])
                c_b = c[j - 1] + b[j - 1, 0] * left_a[i, 0]
                u_b = u[j - 1] - (b[j - 1, 1] * left_a[i, 1] + b[j - 1, 2])
                value_a = c_a - (u_a if u_a >= 0.0 else -u_a)
                value_b = c_b - (u_b if u_b >= 0.0 else -u_b)
                if value_a > value_b:
                    c[j], u[j], from_a[i, j] = c_a, u_a, 1
                else:
                    c[j], u[j], from_a[i, j] = c_b, u_b, 0
        i, j = n_a, n_b
        while i > 0:
            if from_a[i, j]:
                i -= 1
                before_out[i] = j
            else:
                j -= 1
    return before
