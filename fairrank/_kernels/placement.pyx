"""Uniform placements of the drawn groups: which rows, and with several groups, with which label.

Sets are scattered by bits and topped up row by row, n labels are never shuffled; labels are dealt
to the marked rows from a deck as long as they are many.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from numpy cimport intp_t

from fairrank._kernels.bitmap cimport (
    clear_all, clear_row, has_row, lowest_bit, scatter, set_row,
)
from fairrank._kernels.generator cimport Generator, below, seeded


cdef unsigned int cheapest_chance(intp_t n, intp_t n_drawn) noexcept nogil:
    """The probability, in 256ths, with which scattering first makes placing cheapest; 0 for none.

    A word of 64 rows costs about a third of a row's try for every binary digit of the chance; each
    row too few costs 1 / (1 - part) tries, each too many 1 / part.
    """
    cdef unsigned int chance, digits, best = 0
    cdef double mean, spread, part = <double> n_drawn / <double> n, cost, cheapest = n_drawn
    if n_drawn == 0 or n_drawn == n:
        return 0
    for chance in range(1, 256):
        digits = 8
        while not (chance >> (8 - digits)) & 1:
            digits -= 1
        mean = n * (chance / 256.0)
        spread = 0.4 * sqrt(mean * (1.0 - chance / 256.0))  # mean excess over the mean
        cost = digits * n / (3.0 * 64.0) + spread * (1.0 / part + 1.0 / (1.0 - part))
        if mean < n_drawn:
            cost += (n_drawn - mean) / (1.0 - part)
        else:
            cost += (mean - n_drawn) / part
        if cost < cheapest:
            cheapest, best = cost, chance
    return best


cdef void place_anywhere(uint64_t[::1] bitmap, Generator* rng, intp_t n, intp_t n_drawn,
                         unsigned int chance) noexcept nogil:
    """Mark n_drawn uniformly chosen rows of all n.

    Each row is first marked by itself with probability `chance` / 256; then rows are added or
    taken away one by one. Given its count a scattered set is uniform, and stays so.
    """
    cdef intp_t marked = 0
    cdef uint32_t row
    if chance > 0:
        marked = scatter(bitmap, rng, n, chance)
    else:
        clear_all(bitmap)
    while marked < n_drawn:
        row = below(rng, <uint32_t> n)
        if not has_row(bitmap, row):
            set_row(bitmap, row)
            marked += 1
    while marked > n_drawn:
        row = below(rng, <uint32_t> n)
        if has_row(bitmap, row):
            clear_row(bitmap, row)
            marked -= 1


cdef void place(uint64_t[::1] bitmap, Generator* rng, const int32_t[::1] position,
                const intp_t[::1] stratum_start, const intp_t[::1] n_drawn,
                unsigned int chance) noexcept nogil:
    """Mark n_drawn[s] uniformly chosen rows of every stratum s.

    ``position[stratum_start[s]:stratum_start[s + 1]]`` are the rows of stratum s. Where more
    than half of a stratum is drawn, its complement is: never more than two tries a row.
    """
    cdef intp_t s, i, start, size, left
    cdef uint32_t row
    if stratum_start.shape[0] == 2:  # one stratum is all rows in order: no look-up
        place_anywhere(bitmap, rng, stratum_start[1], n_drawn[0], chance)
        return
    clear_all(bitmap)
    for s in range(n_drawn.shape[0]):
        start = stratum_start[s]
        size = stratum_start[s + 1] - start
        left = n_drawn[s]
        if 2 * left <= size:
            while left > 0:
                row = <uint32_t> position[start + below(rng, <uint32_t> size)]
                if not has_row(bitmap, row):
                    set_row(bitmap, row)
                    left -= 1
        else:
            for i in range(start, start + size):
                set_row(bitmap, <uint32_t> position[i])
            left = size - left
            while left > 0:
                row = <uint32_t> position[start + below(rng, <uint32_t> size)]
                if has_row(bitmap, row):
                    clear_row(bitmap, row)
                    left -= 1


cdef void fill_deck(uint8_t[::1] deck, const intp_t[:, ::1] n_drawn) noexcept nogil:
    """Labels of all drawn rows, one a row, in any order."""
    cdef intp_t s, g, i, top = 0
    for s in range(n_drawn.shape[0]):
        for g in range(n_drawn.shape[1] - 1):
            for i in range(n_drawn[s, g]):
                deck[top + i] = <uint8_t> g
            top += n_drawn[s, g]


cdef void deal(const uint64_t[::1] bitmap, uint8_t[::1] label, uint8_t[::1] deck,
               Generator* rng, bint shuffled) noexcept nogil:
    """Shuffle the deck (Fisher and Yates) while its cards go to the marked rows in turn."""
    cdef intp_t w, dealt = 0, n_cards = deck.shape[0]
    cdef uint64_t bits
    cdef intp_t other
    cdef uint8_t card
    for w in range(bitmap.shape[0]):
        bits = bitmap[w]
        while bits:
            # One group has nothing to shuffle; its draws are then those of `place`.
            other = dealt + below(rng, <uint32_t> (n_cards - dealt)) if shuffled else dealt
            card = deck[other]
            deck[other] = deck[dealt]
            deck[dealt] = card
            label[64 * w + lowest_bit(bits)] = card
            bits &= bits - 1
            dealt += 1


cdef void place_labels(uint64_t[::1] bitmap, uint8_t[::1] label, uint8_t[::1] deck,
                       Generator* rng, const int32_t[::1] position,
                       const intp_t[::1] stratum_start, const intp_t[:, ::1] n_drawn,
                       unsigned int chance) noexcept nogil:
    """Deal labels to every stratum's rows, n_drawn[s, g] of group g; mark all but the last group.

    In several strata the largest group of each takes what is left, so a try fails at most (number
    of groups - 1) times out of that number. `deck` is that of `fill_deck`, in any order.
    """
    cdef intp_t s, g, i, start, size, left, rest, n_groups = n_drawn.shape[1]
    cdef uint32_t row
    if stratum_start.shape[0] == 2:
        place_anywhere(bitmap, rng, stratum_start[1], deck.shape[0], chance)
        deal(bitmap, label, deck, rng, n_groups > 2)
        return
    clear_all(bitmap)
    for s in range(n_drawn.shape[0]):
        start = stratum_start[s]
        size = stratum_start[s + 1] - start
        rest = n_groups - 1
        for g in range(n_groups):
            if n_drawn[s, g] > n_drawn[s, rest]:
                rest = g
        for g in range(n_groups):
            if g == rest:
                continue
            left = n_drawn[s, g]
            while left > 0:
                row = <uint32_t> position[start + below(rng, <uint32_t> size)]
                if not has_row(bitmap, row):
                    set_row(bitmap, row)
                    label[row] = <uint8_t> g
                    left -= 1
        if rest == n_groups - 1:
            continue
        # Here unmarked means `rest`; afterwards it must mean the last group.
        for i in range(start, start + size):
            row = <uint32_t> position[i]
            if not has_row(bitmap, row):
                set_row(bitmap, row)
                label[row] = <uint8_t> rest
            elif label[row] == n_groups - 1:
                clear_row(bitmap, row)


def drawn_labels(const int32_t[::1] position, const intp_t[::1] stratum_start,
                 const intp_t[:, ::1] n_drawn, const uint64_t[::1] seed, intp_t n_draws):
    """Permuted group codes of every row, shape (n_draws, n): for what needs whole labellings.

    From the same seed they are the labellings behind the norms (two groups) and the products.
    """
    cdef intp_t r, i, n = position.shape[0], last = n_drawn.shape[1] - 1
    labels = np.zeros((n_draws, n), dtype=np.uint8)
    cdef uint8_t[:, ::1] labels_out = labels
    cdef const intp_t[::1] first = np.ascontiguousarray(n_drawn[:, 0])
    cdef uint64_t[::1] bitmap = np.empty((n + 63) // 64, dtype=np.uint64)
    cdef uint8_t[::1] deck = np.empty(np.asarray(n_drawn)[:, :-1].sum(), dtype=np.uint8)
    cdef Generator rng
    cdef unsigned int chance
    with nogil:
        rng = seeded(seed)
        fill_deck(deck, n_drawn)
        chance = cheapest_chance(stratum_start[1], deck.shape[0])
        for r in range(n_draws):
            if last == 1:
                place(bitmap, &rng, position, stratum_start, first, chance)
            else:
                place_labels(bitmap, labels_out[r], deck, &rng, position, stratum_start, n_drawn,
                             chance)
            for i in range(n):
                if not has_row(bitmap, <uint32_t> i):
                    labels_out[r, i] = <uint8_t> last
    return labels
