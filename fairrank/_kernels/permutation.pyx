"""Permutation draws of the centred statistic, O(rows outside the largest group) each.

Rows are sorted by burden once. A draw marks the rows of the drawn groups in a bitmap, with an
inlined generator, and walks its set bits; nothing of length n is shuffled, summed or sorted.
With E the drawn group's path, F its expectation and c = s - sigma,

    |U|^2 = |E - F - c t|^2 = EE + FF + c^2 tt - 2 EF - 2 c Et + 2 c Ft,

where only EE, EF, Et and c depend on the draw. A row of burden share v whose filled part is
phi(k) (0 before its block, rising evenly inside, 1 after) adds to E, so that

    EE = sum_ij v_i v_j sum_k phi_i phi_j:  the later row's tail = sum_k phi, or, inside one
    block, kappa = sum_k phi^2;   EF = sum_i v_i sum_k phi_i F;   Et = sum_i v_i sum_k phi_i t.

The expansion cancels by a factor of about n times the group's share: sums are kept plain within
a few hundred rows, or a few dozen blocks, and carried in two doubles across.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.bitmap cimport clear_all, lowest_bit, set_row
from fairrank._kernels.exact_sum cimport ExactSum, add, add_product, value
from fairrank._kernels.generator cimport Generator, seeded
from fairrank._kernels.placement cimport cheapest_chance, fill_deck, place, place_labels
from fairrank._kernels.zero_sum cimport add_last_group

cdef intp_t CARRY_WORDS = 8
cdef intp_t CARRY_BLOCKS = 32


cdef inline double combined(double ff, double ft, double tt, double sigma, ExactSum* ee,
                            ExactSum* ef, ExactSum* et, double share) noexcept nogil:
    """|U|^2 from its parts, added so that what cancels is carried."""
    cdef double c = share - sigma
    cdef ExactSum total
    total.high, total.low = ff, 0.0
    add(&total, ee.high)
    add(&total, -2.0 * ef.high)
    total.low += ee.low - 2.0 * ef.low
    add_product(&total, c * c, tt)
    add_product(&total, -2.0 * c, et.high)
    add_product(&total, 2.0 * c, ft)
    return value(total) - 2.0 * c * et.low


# ---------------------------------------------------------------- walking it

cdef double walk_untied(
    const uint64_t[::1] bitmap, const float64_t[:, ::1] rows, const float64_t[::1] constants,
) noexcept nogil:
    """|U|^2 of the marked rows when no two burdens are equal; rows[i]: share, v sum_k phi F."""
    cdef intp_t w, first, last, row, n_words = bitmap.shape[0], n = rows.shape[0]
    cdef uint64_t bits
    cdef double v, tailed, done, ee, ef, ranked, local
    cdef ExactSum ee_sum, ef_sum, et_sum, share_sum
    ee_sum.high = ee_sum.low = ef_sum.high = ef_sum.low = 0.0
    et_sum.high = et_sum.low = share_sum.high = share_sum.low = 0.0
    first = 0
    while first < n_words:
        last = min(first + CARRY_WORDS, n_words)
        done = value(share_sum)
        local = ee = ef = ranked = 0.0
        for w in range(first, last):
            bits = bitmap[w]
            while bits:
                row = 64 * w + lowest_bit(bits)
                bits &= bits - 1
                v = rows[row, 0]
                tailed = v * (n - row)                     # tail = n + 1 - (row + 1)
                ee += tailed * (2.0 * (done + local) + v)
                ef += rows[row, 1]
                ranked += tailed * (n + row + 1)           # sum_k phi t = tail (n + k) / 2n
                local += v
        add(&ee_sum, ee)
        add(&ef_sum, ef)
        add(&et_sum, ranked / (2.0 * n))
        add(&share_sum, local)
        first = last
    return combined(constants[0], constants[1], constants[2], constants[3],
                    &ee_sum, &ef_sum, &et_sum, value(share_sum))


cdef double walk_tied(const uint64_t[::1] bitmap, const int32_t[::1] block,
                      const float64_t[:, ::1] blocks, const float64_t[::1] expected,
                      const float64_t[::1] constants) noexcept nogil:
    """|U|^2 of the marked rows, block by block.

    blocks[b]: burden share of one row, tail, kappa, and sum_k phi t.
    """
    cdef intp_t w, row, b, current = -1, n_words = bitmap.shape[0], since = 0
    cdef uint64_t bits
    cdef double count = 0.0, rise, done = 0.0, ee = 0.0, ef = 0.0, et = 0.0, local = 0.0
    cdef ExactSum ee_sum, ef_sum, et_sum, share_sum
    ee_sum.high = ee_sum.low = ef_sum.high = ef_sum.low = 0.0
    et_sum.high = et_sum.low = share_sum.high = share_sum.low = 0.0
    for w in range(n_words + 1):
        bits = bitmap[w] if w < n_words else 0
        while bits or (w == n_words and current >= 0):
            if w < n_words:
                row = 64 * w + lowest_bit(bits)
                bits &= bits - 1
                b = block[row]
            else:
                b = -1  # past the end: close the open block
            if b != current:
                if current >= 0:
                    rise = count * blocks[current, 0]
                    ee += rise * (
                        2.0 * blocks[current, 1] * (done + local) + blocks[current, 2] * rise
                    )
                    ef += count * expected[current]
                    et += rise * blocks[current, 3]
                    local += rise
                    since += 1
                    if since == CARRY_BLOCKS or b < 0:
                        add(&ee_sum, ee)
                        add(&ef_sum, ef)
                        add(&et_sum, et)
                        add(&share_sum, local)
                        done = value(share_sum)
                        ee = ef = et = local = 0.0
                        since = 0
                current, count = b, 0.0
            count += 1.0
    return combined(constants[0], constants[1], constants[2], constants[3],
                    &ee_sum, &ef_sum, &et_sum, value(share_sum))


cdef void carry(float64_t[:, :, ::1] sums) noexcept nogil:
    """Move sums[2] into the two-double sums (sums[0], sums[1])."""
    cdef intp_t i, j
    cdef ExactSum total
    for i in range(sums.shape[1]):
        for j in range(sums.shape[2]):
            total.high, total.low = sums[0, i, j], sums[1, i, j]
            add(&total, sums[2, i, j])
            sums[0, i, j], sums[1, i, j], sums[2, i, j] = total.high, total.low, 0.0


cdef inline void close_block(
    const float64_t[::1] of_block, const float64_t[::1] expected, intp_t n_inside, intp_t only,
    float64_t[:, ::1] path, float64_t[:, :, ::1] ee, float64_t[:, :, ::1] ef,
    float64_t[:, :, ::1] linear,
) noexcept nogil:
    """Add a block's rows to the sums, by their number in every group; `only` had the only one."""
    cdef intp_t g, h
    cdef double v = of_block[0], tail = of_block[1], kappa = of_block[2], rise
    if n_inside == 1:
        for h in range(path.shape[1]):
            ee[2, only, h] += v * tail * path[0, h]
            ef[2, only, h] += expected[h]
        ee[2, only, only] += 0.5 * v * v * kappa
        linear[2, 1, only] += v * of_block[3]
        linear[2, 0, only] += v
        path[0, only] += v
        path[1, only] = 0.0
        return
    # A block may hold most rows: added one by one they would lose what the expansion needs.
    for g in range(path.shape[1]):
        if path[1, g] == 0.0:
            continue
        rise = v * path[1, g]
        for h in range(path.shape[1]):
            ee[2, g, h] += rise * (tail * path[0, h] + 0.5 * kappa * v * path[1, h])
            ef[2, g, h] += path[1, g] * expected[h]
        linear[2, 1, g] += rise * of_block[3]
        linear[2, 0, g] += rise
    for g in range(path.shape[1]):
        path[0, g] += v * path[1, g]
        path[1, g] = 0.0


cdef void walk_labels(
    const uint64_t[::1] bitmap, const uint8_t[::1] label, const int32_t[::1] block,
    const float64_t[:, ::1] blocks, const float64_t[:, ::1] expected,
    const float64_t[:, ::1] ff, const float64_t[:, ::1] ft_sigma, double tt,
    float64_t[:, :, ::1] ee, float64_t[:, :, ::1] ef, float64_t[:, :, ::1] linear,
    float64_t[:, ::1] path, float64_t[:, ::1] products_out,
) noexcept nogil:
    """Inner products <U_g, U_h> of all groups; the last group's path is minus the others' sum.

    ee, ef: (2 + 1, d, d) sums over pairs of drawn groups, and linear: (2 + 1, 2, d) sums of burden
    and of Et; index 2 is the part not yet carried. path: the groups' burden before the current
    block and their rows inside it. expected[b, h] = v_b sum_k phi_b F_h.
    """
    cdef intp_t w, row, b, g = 0, h, current = -1, since = 0, n_inside = 0
    cdef intp_t n_words = bitmap.shape[0], d = ff.shape[0]
    cdef uint64_t bits
    cdef double c_g, c_h
    cdef ExactSum total
    ee[:, :, :] = 0.0
    ef[:, :, :] = 0.0
    linear[:, :, :] = 0.0
    path[:, :] = 0.0
    for w in range(n_words):
        bits = bitmap[w]
        while bits:
            row = 64 * w + lowest_bit(bits)
            bits &= bits - 1
            b = block[row]
            if b != current:
                if current >= 0:
                    close_block(blocks[current], expected[current], n_inside, g, path,
                                ee, ef, linear)
                    since += 1
                current, n_inside = b, 0
                if since >= CARRY_BLOCKS:
                    carry(ee)
                    carry(ef)
                    carry(linear)
                    since = 0
                    for h in range(d):
                        path[0, h] = linear[0, 0, h] + linear[1, 0, h]
            g = label[row]
            path[1, g] += 1.0
            n_inside += 1
    if current >= 0:
        close_block(blocks[current], expected[current], n_inside, g, path, ee, ef, linear)
    carry(ee)
    carry(ef)
    carry(linear)
    for g in range(d):
        c_g = linear[0, 0, g] + linear[1, 0, g] - ft_sigma[1, g]
        for h in range(g, d):
            c_h = linear[0, 0, h] + linear[1, 0, h] - ft_sigma[1, h]
            total.high, total.low = ff[g, h], 0.0
            add(&total, ee[0, g, h])
            add(&total, ee[0, h, g])
            add(&total, -ef[0, g, h])
            add(&total, -ef[0, h, g])
            add_product(&total, c_g * c_h, tt)
            add_product(&total, -c_g, linear[0, 1, h])
            add_product(&total, -c_h, linear[0, 1, g])
            add_product(&total, c_g, ft_sigma[0, h])
            add_product(&total, c_h, ft_sigma[0, g])
            total.low += ee[1, g, h] + ee[1, h, g] - ef[1, g, h] - ef[1, h, g]
            total.low -= c_g * linear[1, 1, h] + c_h * linear[1, 1, g]
            products_out[g, h] = products_out[h, g] = value(total)
    add_last_group(products_out)


# ---------------------------------------------------------------- the draws

def untied_norms(const float64_t[:, ::1] rows, const float64_t[::1] constants,
                 const int32_t[::1] position,
                 const intp_t[::1] stratum_start, const intp_t[::1] n_drawn,
                 const uint64_t[::1] seed, intp_t n_draws):
    """|U|^2 of one drawn group in `n_draws` permutations, no two burdens equal.

    ``rows[i]`` = burden share v_i and ``v_i sum_k phi_i F``; ``constants`` = FF, Ft, tt, sigma.
    """
    cdef intp_t r
    norms = np.empty(n_draws)
    cdef float64_t[::1] norms_out = norms
    cdef uint64_t[::1] bitmap = np.empty((rows.shape[0] + 63) // 64, dtype=np.uint64)
    cdef Generator rng
    cdef unsigned int chance
    with nogil:
        rng = seeded(seed)
        chance = cheapest_chance(stratum_start[1], n_drawn[0])
        for r in range(n_draws):
            place(bitmap, &rng, position, stratum_start, n_drawn, chance)
            norms_out[r] = walk_untied(bitmap, rows, constants)
    return norms


def tied_norms(const int32_t[::1] block, const float64_t[:, ::1] blocks,
               const float64_t[::1] expected, const float64_t[::1] constants,
               const int32_t[::1] position, const intp_t[::1] stratum_start,
               const intp_t[::1] n_drawn, const uint64_t[::1] seed, intp_t n_draws):
    """`untied_norms` for burdens with ties; ``expected`` is per block."""
    cdef intp_t r
    norms = np.empty(n_draws)
    cdef float64_t[::1] norms_out = norms
    cdef uint64_t[::1] bitmap = np.empty((block.shape[0] + 63) // 64, dtype=np.uint64)
    cdef Generator rng
    cdef unsigned int chance
    with nogil:
        rng = seeded(seed)
        chance = cheapest_chance(stratum_start[1], n_drawn[0])
        for r in range(n_draws):
            place(bitmap, &rng, position, stratum_start, n_drawn, chance)
            norms_out[r] = walk_tied(bitmap, block, blocks, expected, constants)
    return norms


def labelled_products(const int32_t[::1] block, const float64_t[:, ::1] blocks,
                      const float64_t[:, ::1] expected, const float64_t[:, ::1] ff,
                      const float64_t[:, ::1] ft_sigma, double tt,
                      const int32_t[::1] position, const intp_t[::1] stratum_start,
                      const intp_t[:, ::1] n_drawn, const uint64_t[::1] seed, intp_t n_draws):
    """<U_g, U_h> of all groups in `n_draws` permutations, shape (n_draws, G, G).

    The largest group must come last.
    """
    cdef intp_t r, n = block.shape[0], d = ff.shape[0]
    products = np.empty((n_draws, d + 1, d + 1))
    cdef float64_t[:, :, ::1] products_out = products
    cdef uint64_t[::1] bitmap = np.empty((n + 63) // 64, dtype=np.uint64)
    cdef uint8_t[::1] label = np.empty(n, dtype=np.uint8)
    cdef float64_t[:, :, ::1] ee = np.empty((3, d, d)), ef = np.empty((3, d, d))
    cdef float64_t[:, :, ::1] linear = np.empty((3, 2, d))
    cdef float64_t[:, ::1] path = np.empty((2, d))
    cdef uint8_t[::1] deck = np.empty(np.asarray(n_drawn)[:, :-1].sum(), dtype=np.uint8)
    cdef Generator rng
    cdef unsigned int chance
    with nogil:
        rng = seeded(seed)
        fill_deck(deck, n_drawn)
        chance = cheapest_chance(stratum_start[1], deck.shape[0])
        for r in range(n_draws):
            place_labels(bitmap, label, deck, &rng, position, stratum_start, n_drawn,
                         chance)
            walk_labels(bitmap, label, block, blocks, expected, ff, ft_sigma, tt,
                        ee, ef, linear, path, products_out[r])
    return products


def given_products(const int32_t[::1] block, const float64_t[:, ::1] blocks,
                   const float64_t[:, ::1] expected, const float64_t[:, ::1] ff,
                   const float64_t[:, ::1] ft_sigma, double tt,
                   const int32_t[:, ::1] rows, const uint8_t[:, ::1] labels):
    """<U_g, U_h> for labellings that are given: row ``rows[r, j]`` has label ``labels[r, j]``.

    Rows not named belong to the last group.
    """
    cdef intp_t r, j, n = block.shape[0], d = ff.shape[0]
    products = np.empty((rows.shape[0], d + 1, d + 1))
    cdef float64_t[:, :, ::1] products_out = products
    cdef uint64_t[::1] bitmap = np.empty((n + 63) // 64, dtype=np.uint64)
    cdef uint8_t[::1] label = np.empty(n, dtype=np.uint8)
    cdef float64_t[:, :, ::1] ee = np.empty((3, d, d)), ef = np.empty((3, d, d))
    cdef float64_t[:, :, ::1] linear = np.empty((3, 2, d))
    cdef float64_t[:, ::1] path = np.empty((2, d))
    with nogil:
        for r in range(rows.shape[0]):
            clear_all(bitmap)
            for j in range(rows.shape[1]):
                if labels[r, j] < d:
                    set_row(bitmap, <uint32_t> rows[r, j])
                    label[rows[r, j]] = labels[r, j]
            walk_labels(bitmap, label, block, blocks, expected, ff, ft_sigma, tt,
                        ee, ef, linear, path, products_out[r])
    return products
