"""Rows by falling or rising score: a stable `np.argsort` by radix.

A double's bits, read as an integer, are in the order of the doubles. Its leading bits and the
row's number share one word, the words are dealt out digit by digit, and where leading bits agree
neighbours are put in order by their scores.
"""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from numpy cimport float64_t, intp_t

cdef enum:
    DIGIT = 11  # bits: 2048 places to write to at a time are what a second-level cache bears
    MAX_DIGITS = 6
    BINADE = 52  # bits that tell the doubles of one binade apart


cdef inline uint64_t falling(double x) noexcept nogil:
    """An integer that is smaller the larger `x` is, one for 0.0 and -0.0."""
    cdef uint64_t bits
    x += 0.0  # makes 0.0 of -0.0
    memcpy(&bits, &x, sizeof(bits))
    return bits if bits >> 63 else bits ^ <uint64_t> 0x7FFFFFFFFFFFFFFF


cdef inline int bit_length(uint64_t x) noexcept nogil:
    cdef int length = 0
    while x:
        x >>= 1
        length += 1
    return length


cdef void deal(const uint64_t[::1] word, uint64_t[::1] dealt, intp_t[::1] place, int shift,
               uint64_t mask) noexcept nogil:
    """Sort by one digit, stably; `place` holds how often every digit occurs."""
    cdef intp_t i, digit, before = 0, count
    for digit in range(place.shape[0]):
        count = place[digit]
        place[digit] = before
        before += count
    for i in range(word.shape[0]):
        digit = (word[i] >> shift) & mask
        dealt[place[digit]] = word[i]
        place[digit] += 1


cdef bint settle(uint64_t[::1] word, const float64_t[::1] score, double side,
                 int row_bits) noexcept nogil:
    """Put in order by score what leading bits do not tell apart; False when it takes too long."""
    cdef intp_t i, j, n = word.shape[0], moves = 0
    cdef uint64_t moved, rows = (<uint64_t> 1 << row_bits) - 1
    cdef double own
    for i in range(1, n):
        if word[i] >> row_bits != word[i - 1] >> row_bits:
            continue
        # Invariant: words before i are in order. An insertion cannot leave its leading bits,
        # because the images of doubles are in the order of the doubles.
        moved = word[i]
        own = side * score[moved & rows]
        j = i
        while j > 0 and side * score[word[j - 1] & rows] < own:
            word[j] = word[j - 1]
            j -= 1
        word[j] = moved
        moves += i - j
        if moves > 2 * n:
            return False
    return True


cdef object by_falling(const float64_t[::1] score, double side):
    """Positions of finite scores times `side`, 1 or -1, falling."""
    cdef intp_t i, n = score.shape[0]
    cdef int d, shift, width, row_bits, key_bits, n_digits, leading
    cdef uint64_t low, image, mask, rows
    cdef double most, least
    cdef bint settled
    if n == 0:
        return np.empty(0, dtype=np.intp)
    row_bits = bit_length(n - 1)
    rows = (<uint64_t> 1 << row_bits) - 1
    values = np.asarray(score)
    most, least = side * values.max(), side * values.min()
    low = falling(max(most, least))
    key_bits = bit_length(falling(min(most, least)) - low)
    words, other = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] word = words, dealt = other
    cdef intp_t[:, ::1] places
    # Of n scores in one binade a row in a few meets another one with as many leading bits.
    for leading in (row_bits + 1 + max(key_bits - BINADE, 0), 64 - row_bits):
        leading = min(leading, 64 - row_bits, key_bits)
        shift = key_bits - leading
        n_digits = (leading + DIGIT - 1) // DIGIT
        width = (leading + n_digits - 1) // n_digits if n_digits else 0
        mask = (<uint64_t> 1 << width) - 1
        places = np.zeros((MAX_DIGITS, 1 << width), dtype=np.intp)
        with nogil:
            for i in range(n):
                image = (falling(side * score[i]) - low) >> shift
                word[i] = image << row_bits | <uint64_t> i
                for d in range(n_digits):
                    places[d, (image >> d * width) & mask] += 1
            for d in range(n_digits):
                deal(word, dealt, places[d], row_bits + d * width, mask)
                word, dealt = dealt, word
            settled = shift == 0 or settle(word, score, side, row_bits)
            if settled:
                for i in range(n):
                    word[i] &= rows
        if settled:
            return np.asarray(word).view(np.intp)
    return np.argsort(-side * values, kind="stable")


def best_first(const float64_t[::1] score):
    """Positions of finite scores by falling score; equal ones as they came. O(n).

    What ``np.argsort(-score, kind="stable")`` gives. It takes more bits, and is left to numpy at
    last, where most scores are so close together that their leading bits say little.

    Returns
    -------
    ndarray of intp, shape (n,)
    """
    return by_falling(score, 1.0)


def least_first(const float64_t[::1] score):
    """Positions by rising score, as of ``np.argsort(score, kind="stable")``; see `best_first`."""
    return by_falling(score, -1.0)
