"""Areas between groups' paths inside nested parts of the ranking, all of which end at its top.

Blocks are joined to pieces. Inside a piece a path runs along a chord, whose ends differ from part
to part, while its deviation from the chord is the same in all parts but for a factor. So a piece
adds a closed form to the area wherever the path keeps its sign, which ends and extreme deviations
tell; block by block are walked only the pieces where it may change.
"""

import numpy as np

from libc.stdint cimport uint8_t
from numpy cimport float64_t, intp_t

from fairrank._kernels.burden cimport line_area, line_sum

cdef enum:
    PIECE = 128  # blocks; a walk through one takes as long as a look at as many pieces


cdef struct Piece:
    # Sums over the blocks; `lead` and `gap` are one group's mass and burden less the other's.
    double mass
    double burden
    double lead
    double gap
    double gini
    # Deviations from the chord: of the gap, and of the cumulated burden, which lies below.
    double least
    double largest
    double bend
    double burden_least
    double burden_bend


cdef struct Part:
    # Sums over all pieces of a part.
    double mass
    double burden
    double lead
    double gap


cdef inline void add_blocks(
    const float64_t[::1] weight, const uint8_t[::1] group, const intp_t[::1] block_start,
    const float64_t[::1] sign, float64_t[::1] width, float64_t[::1] lead,
) noexcept nogil:
    """Mass of every block, and one group's less the other's."""
    cdef intp_t b, i
    for b in range(width.shape[0]):
        width[b] = lead[b] = 0.0
        for i in range(block_start[b], block_start[b + 1]):
            width[b] += weight[i]
            lead[b] += weight[i] * sign[group[i]]


cdef inline Piece joined(const float64_t[::1] level, const float64_t[::1] width,
                         const float64_t[::1] lead, intp_t first, intp_t stop,
                         bint at_ranks) noexcept nogil:
    """Piece of the blocks from `first` to before `stop`."""
    cdef Piece piece
    cdef intp_t b
    cdef double slope, burden_slope, off = 0.0, off_next, burden_off = 0.0, burden_next
    piece.mass = piece.burden = piece.lead = piece.gap = piece.gini = 0.0
    piece.least = piece.largest = piece.bend = piece.burden_least = piece.burden_bend = 0.0
    for b in range(first, stop):
        piece.gini += width[b] * level[b] * (2.0 * piece.mass + width[b])
        piece.mass += width[b]
        piece.burden += width[b] * level[b]
        piece.lead += lead[b]
        piece.gap += lead[b] * level[b]
    slope, burden_slope = piece.gap / piece.mass, piece.burden / piece.mass
    for b in range(first, stop):
        off_next = off + lead[b] * level[b] - slope * width[b]
        burden_next = burden_off + width[b] * (level[b] - burden_slope)
        piece.bend += line_sum(off, off_next, width[b], at_ranks)
        piece.burden_bend += line_sum(burden_off, burden_next, width[b], at_ranks)
        off, burden_off = off_next, burden_next
        piece.least, piece.largest = min(piece.least, off), max(piece.largest, off)
        piece.burden_least = min(piece.burden_least, burden_off)
    return piece


cdef inline double settled_area(double first, double last, double width, double least,
                                double largest, double bend, bint at_ranks) noexcept nogil:
    """Area of a path along a chord with such deviations; -1 where its sign may change."""
    if min(first, last) + least >= 0.0:
        return line_sum(first, last, width, at_ranks) + bend
    if max(first, last) + largest <= 0.0:
        return -line_sum(first, last, width, at_ranks) - bend
    return -1.0


cdef inline void walk(
    const float64_t[::1] level, const float64_t[::1] width, const float64_t[::1] lead,
    intp_t first, intp_t stop, Part part, double plain, double centred, bint at_ranks,
    double* plain_area, double* centred_area,
) noexcept nogil:
    """Areas inside a piece, block by block, from where both paths stand before it."""
    cdef intp_t b
    cdef double lift, step, t_step, plain_next, centred_next
    plain_area[0] = centred_area[0] = 0.0
    for b in range(first, stop):
        t_step = width[b] / part.mass
        lift = width[b] * level[b] / part.burden
        step = lead[b] * level[b] / part.burden - part.gap / part.burden * t_step
        plain_next = plain + step
        centred_next = centred + step - part.lead / part.mass * (lift - t_step)
        plain_area[0] += line_area(plain, plain_next, width[b], at_ranks)
        centred_area[0] += line_area(centred, centred_next, width[b], at_ranks)
        plain, centred = plain_next, centred_next


cdef void add_part(
    const float64_t[::1] level, const float64_t[::1] width, const float64_t[::1] lead,
    const intp_t[::1] edge, const Piece* pieces, intp_t first_piece, Part part, bint at_ranks,
    double* plain_out, double* centred_out, double* gini_out,
) noexcept nogil:
    """Areas of D and D - mu, as `burden.separation` has them, and of the Lorenz curve."""
    cdef intp_t p
    cdef Piece piece
    cdef double plain = 0.0, centred = 0.0, plain_next, centred_next, done = 0.0, bent
    cdef double plain_area, centred_area, pi_gap = part.lead / part.mass
    cdef double share_gap = part.gap / part.burden, per_burden = 1.0 / part.burden
    plain_out[0] = centred_out[0] = gini_out[0] = 0.0
    # Invariant: before piece p both paths stand at `plain` and `centred`, over the mass `done`.
    for p in range(first_piece, edge.shape[0] - 1):
        piece = pieces[p]
        gini_out[0] += (piece.gini + (2.0 * done - part.mass) * piece.burden) * per_burden
        done += piece.mass
        plain_next = plain + piece.gap * per_burden - share_gap * piece.mass / part.mass
        centred_next = centred + plain_next - plain - pi_gap * (
            piece.burden * per_burden - piece.mass / part.mass
        )
        bent = pi_gap * piece.burden_least
        plain_area = settled_area(
            plain, plain_next, piece.mass, piece.least * per_burden, piece.largest * per_burden,
            piece.bend * per_burden, at_ranks,
        )
        centred_area = settled_area(
            centred, centred_next, piece.mass, (piece.least - max(bent, 0.0)) * per_burden,
            (piece.largest - min(bent, 0.0)) * per_burden,
            (piece.bend - pi_gap * piece.burden_bend) * per_burden, at_ranks,
        )
        if plain_area < 0.0 or centred_area < 0.0:
            walk(level, width, lead, edge[p], edge[p + 1], part, plain, centred, at_ranks,
                 &plain_area, &centred_area)
        plain_out[0] += plain_area
        centred_out[0] += centred_area
        plain, centred = plain_next, centred_next


def nested_separations(
    const float64_t[::1] burden, const uint8_t[::1] group, const float64_t[::1] weight,
    const intp_t[::1] block_start, const intp_t[::1] first_block, intp_t n_groups, bint at_ranks,
):
    """What `burden.separation` finds from every one of the blocks `first_block` on.

    The blocks descend, so that the parts grow; weights are positive. O(n n_groups^2) for all
    parts together, and a look at every piece and a walk through some for each.

    Returns
    -------
    plain, centred : ndarray, shape (n_parts, n_pairs)
        Sums of ``|D_gh|`` and of ``|D_gh - mu_gh|``, pairs as of `numpy.triu_indices`.
    area : ndarray, shape (n_parts,)
        The sum of ``Lc - L``; 0 where all burdens are equal.
    """
    cdef intp_t n_parts = first_block.shape[0], n_blocks = block_start.shape[0] - 1
    cdef intp_t g, h, j, p, b, pair = 0
    firsts = np.asarray(first_block)
    edges = np.unique(np.concatenate((
        firsts, np.arange(firsts[n_parts - 1], n_blocks, PIECE), [n_blocks]
    )))
    plain = np.empty((n_parts, n_groups * (n_groups - 1) // 2))
    centred, area = np.empty_like(plain), np.empty(n_parts)
    cdef const intp_t[::1] edge = edges, piece_of = np.searchsorted(edges, firsts)
    cdef float64_t[:, ::1] plain_out = plain, centred_out = centred
    cdef float64_t[:, ::1] store = np.empty((edges.size, sizeof(Piece) // sizeof(double)))
    cdef float64_t[::1] area_out = area, sign = np.empty(n_groups), level = np.empty(n_blocks)
    cdef float64_t[::1] width = np.empty(n_blocks), lead = np.empty(n_blocks)
    cdef Piece* pieces = <Piece*> &store[0, 0]
    cdef Part part
    cdef double largest
    with nogil:
        # In units of the largest one: products with masses neither vanish nor overflow.
        largest = burden[burden.shape[0] - 1]
        for b in range(n_blocks):
            level[b] = burden[block_start[b]] / largest
        for g in range(n_groups):
            for h in range(g + 1, n_groups):
                sign[:] = 0.0
                sign[g], sign[h] = 1.0, -1.0
                add_blocks(weight, group, block_start, sign, width, lead)
                part.mass = part.burden = part.lead = part.gap = 0.0
                p = edge.shape[0] - 1
                for j in range(n_parts):
                    while p > piece_of[j]:
                        p -= 1
                        pieces[p] = joined(level, width, lead, edge[p], edge[p + 1], at_ranks)
                        part.mass += pieces[p].mass
                        part.burden += pieces[p].burden
                        part.lead += pieces[p].lead
                        part.gap += pieces[p].gap
                    add_part(level, width, lead, edge, pieces, p, part, at_ranks,
                             &plain_out[j, pair], &centred_out[j, pair], &area_out[j])
                pair += 1
    return plain, centred, area
