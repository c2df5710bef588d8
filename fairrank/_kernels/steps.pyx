"""Sorted rows as a chain of steps, and interleaved chains as places of rows."""

import numpy as np

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from numpy cimport float64_t, intp_t

# What a row's number among chains can say.
MOST_ROWS = 2**32

cdef enum:
    AT_ONCE = 256


def count_codes(const uint16_t[::1] code, intp_t n_codes):
    """How often each code below `n_codes` occurs: np.bincount of small numbers. O(n)."""
    cdef intp_t i
    # Four columns in turn: a count that has just been written cannot be read at once.
    columns = np.zeros((4, n_codes), dtype=np.intp)
    cdef intp_t[:, ::1] seen = columns
    with nogil:
        for i in range(code.shape[0]):
            seen[i & 3, code[i]] += 1
    return columns.sum(axis=0)


cdef void split(const intp_t[::1] row, const float64_t[::1] score, const uint16_t[::1] code,
                const intp_t[::1] first, uint32_t[::1] row_out, float64_t[::1] score_out,
                uint8_t[::1] outcome_out, intp_t[::1] end) noexcept nogil:
    """Write rows group by group, from the `end` of each on, with their scores and outcomes.

    Scores are written backwards: those of g end before ``first[g + 1]``.
    """
    cdef intp_t i = 0, j, g, at, stop, n = row.shape[0]
    # Looked up some at a time: a loop that does more would wait for every one of them.
    cdef double[AT_ONCE] scores
    cdef uint16_t[AT_ONCE] codes
    while i < n:
        stop = min(n - i, AT_ONCE)
        for j in range(stop):
            scores[j] = score[row[i + j]]
        for j in range(stop):
            codes[j] = code[row[i + j]]
        for j in range(stop):
            g = codes[j] >> 1
            at = end[g]
            end[g] += 1
            row_out[at] = <uint32_t> row[i + j]
            score_out[first[g + 1] - 1 - (at - first[g])] = scores[j]
            outcome_out[at] = codes[j] & 1
        i += stop


def steps_of_rows(intp_t[::1] row, const float64_t[::1] score, const uint16_t[::1] code,
                  const float64_t[::1] weight, const intp_t[::1] first):
    """Steps of every group's rows, best first; equal scores are one step. O(n_rows).

    Parameters
    ----------
    row : (n_rows,)
        Rows of the sample; those of one group by falling score, whatever stands between them.
        Overwritten: its memory becomes that of `negative`.
    score, code : of the rows of the sample
        The last bit of a code is the outcome, the others are the group.
    weight : of the rows of the sample, or None where each weighs 1
    first : (G + 1,)
        Where each group's rows are to begin among all `row`, and their number.

    Returns
    -------
    group_row : ndarray of uint32 (n_rows,)
        Group g's are ``group_row[first[g]:first[g + 1]]``.
    opens : ndarray of uint8 (n_rows,)
        1 where a row of `group_row` is the first of its step, else 0.
    step_score : ndarray (n_rows,)
        Backwards, which is what a map wants: those of g end before ``first[g + 1]``.
    negative, positive : ndarray (n_rows,)
        Those of g begin at ``first[g]``.
    n_steps : ndarray of intp (G,)
    concordant : ndarray (G,)
        Weight of (positive, negative) pairs of the group in that order; ties one half.
    """
    cdef intp_t i, g, step, back, n = row.shape[0], n_groups = first.shape[0] - 1
    cdef double negative, positive, above, concordant, mass = 1.0, own, last
    cdef bint weighted = weight is not None
    cdef uint8_t is_positive
    if score.shape[0] > MOST_ROWS:
        raise ValueError(f"{score.shape[0]} rows: fair orders are made of at most {MOST_ROWS}.")
    # Half the memory of intp, most of which is fresh: clearing its pages takes longer than this.
    rows, opening = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.uint8)
    scores, positives = np.empty(n), np.empty(n)
    # Fresh memory is cleared page by page; this is at hand, and nobody needs it any more.
    negatives = np.asarray(row).view(np.float64)
    steps, concordances = np.zeros(n_groups, dtype=np.intp), np.zeros(n_groups)
    cdef float64_t[::1] concordant_out = concordances
    cdef uint32_t[::1] row_out = rows
    cdef intp_t[::1] n_steps = steps
    cdef uint8_t[::1] opens = opening
    cdef float64_t[::1] score_out = scores, neg = negatives, pos = positives
    cdef intp_t[::1] end = np.array(first)[: n_groups]
    with nogil:
        # Outcomes are in `opens` until the steps are known, and nobody reads `row` after this.
        split(row, score, code, first, row_out, score_out, opens, end)
        for g in range(n_groups):
            step, back = first[g] - 1, first[g + 1] - 1 + first[g]
            negative = positive = above = concordant = last = 0.0
            # Invariant: `negative` and `positive` are the rows of the step that is open, whose
            # number is at most that of the row: scores of steps may overwrite those of rows.
            for i in range(first[g], first[g + 1]):
                own, is_positive = score_out[back - i], opens[i]
                opens[i] = step < first[g] or own != last
                if opens[i]:
                    if step >= first[g]:
                        neg[step], pos[step] = negative, positive
                        concordant += (above + 0.5 * positive) * negative
                        above += positive
                    step += 1
                    score_out[back - step] = last = own
                    negative = positive = 0.0
                if weighted:
                    mass = weight[row_out[i]]
                # Products, not a branch: outcomes are what no processor predicts.
                positive += mass * is_positive
                negative += mass * (1 - is_positive)
            if step >= first[g]:
                neg[step], pos[step] = negative, positive
                concordant += (above + 0.5 * positive) * negative
            n_steps[g] = step + 1 - first[g]
            concordant_out[g] = concordant
    return rows, opening, scores, negatives, positives, steps, concordances


cdef struct Merge:
    # The next step of either chain, and where it ends.
    intp_t i, j, i_end, j_end
    # What stands above these steps, and the pairs counted.
    double a_pos, a_any, b_pos, won, lost, any_won


cdef inline void advance(Merge* at, const float64_t[::1] a_rising, const float64_t[::1] a_neg,
                         const float64_t[::1] a_pos, const float64_t[::1] b_rising,
                         const float64_t[::1] b_neg, const float64_t[::1] b_pos) noexcept nogil:
    """Place the step with the larger score, or both if they are equal.

    Products, not branches: whose step comes next is what no processor predicts.
    """
    cdef double a_score = a_rising[a_neg.shape[0] - 1 - at.i]
    cdef double b_score = b_rising[b_neg.shape[0] - 1 - at.j]
    cdef intp_t a_goes = a_score >= b_score, b_goes = b_score >= a_score
    cdef double a_share = <double> a_goes, b_share = <double> b_goes
    cdef double a_n = a_share * a_neg[at.i], a_p = a_share * a_pos[at.i]
    cdef double b_n = b_share * b_neg[at.j], b_p = b_share * b_pos[at.j]
    at.won += b_n * (at.a_pos + 0.5 * a_p)
    at.lost += a_n * (at.b_pos + 0.5 * b_p)
    at.any_won += (b_n + b_p) * (at.a_any + 0.5 * (a_n + a_p))
    at.a_pos += a_p
    at.a_any += a_n + a_p
    at.b_pos += b_p
    at.i += a_goes
    at.j += b_goes


cdef inline bint both_left(const Merge* at) noexcept nogil:
    return at.i < at.i_end and at.j < at.j_end


def pairs_by_score(const float64_t[::1] a_rising, const float64_t[::1] a_neg,
                   const float64_t[::1] a_pos, const float64_t[::1] b_rising,
                   const float64_t[::1] b_neg, const float64_t[::1] b_pos):
    """Weight of pairs across two chains placed by score; ties one half. O(n).

    Steps are best first, and no two of a chain score the same; their scores are backwards.

    Returns (positive of a, negative of b), (positive of b, negative of a) and (any of a, any of
    b), the former placed better, shape (3,).
    """
    cdef intp_t n_a = a_neg.shape[0], n_b = b_neg.shape[0], half = n_a // 2, above = 0, i, j, k
    cdef Merge upper, lower
    cdef Merge[2] ends
    if half:
        # Steps of b above the middle one of a.
        above = n_b - np.searchsorted(b_rising, a_rising[n_a - 1 - half], side="right")
    upper = Merge(0, 0, half, above, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    lower = Merge(
        half, above, n_a, n_b, np.sum(a_pos[:half]), np.sum(a_neg[:half]) + np.sum(a_pos[:half]),
        np.sum(b_pos[:above]), 0.0, 0.0, 0.0,
    )
    with nogil:
        # Two merges in turn: a merge by itself waits for each of its comparisons.
        while both_left(&upper) and both_left(&lower):
            advance(&upper, a_rising, a_neg, a_pos, b_rising, b_neg, b_pos)
            advance(&lower, a_rising, a_neg, a_pos, b_rising, b_neg, b_pos)
        while both_left(&upper):
            advance(&upper, a_rising, a_neg, a_pos, b_rising, b_neg, b_pos)
        while both_left(&lower):
            advance(&lower, a_rising, a_neg, a_pos, b_rising, b_neg, b_pos)
        ends[0], ends[1] = upper, lower
        for k in range(2):
            # One chain is at its end: what is left of the other stands below all of it.
            for i in range(ends[k].i, ends[k].i_end):
                ends[k].lost += a_neg[i] * ends[k].b_pos
            for j in range(ends[k].j, ends[k].j_end):
                ends[k].won += b_neg[j] * ends[k].a_pos
                ends[k].any_won += (b_neg[j] + b_pos[j]) * ends[k].a_any
    return np.array([
        ends[0].won + ends[1].won, ends[0].lost + ends[1].lost,
        ends[0].any_won + ends[1].any_won,
    ])


def mid_ranks(const float64_t[::1] a_neg, const float64_t[::1] a_pos,
              const float64_t[::1] b_neg, const float64_t[::1] b_pos,
              const intp_t[::1] a_cut, const intp_t[::1] b_cut, const intp_t[::1] before,
              const intp_t[::1] tied, double total):
    """Fair scores of the steps of two interleaved chains: 1 - (mass above + half its own) / all.

    Parameters
    ----------
    a_neg, a_pos, b_neg, b_pos : (n_steps,) of either chain, best first
    a_cut, b_cut : (n_blocks + 1,) of either chain
        Where blocks of steps that stay together begin; the number of steps last.
    before : (n_blocks of a,)
        Blocks of b placed before each block of a, never decreasing.
    tied : (n_ties,)
        Blocks of a, ascending, that share the place of the block of b next after those. Both are
        single steps.
    total : float
        Mass of all steps.

    Returns
    -------
    a_rank, b_rank : ndarray (n_steps,) of either chain, in (0, 1), decreasing
        Views, backwards, of increasing arrays, which is what a map wants.
    counts : ndarray (3,)
        Weight of pairs across the chains, as in `pairs_by_score`.
    apart : bool
        Ranks fall strictly but for what shares a place: no mass is too small to tell.
    """
    cdef intp_t s, i, j = 0, t = 0, n_a = before.shape[0], n_b = b_cut.shape[0] - 1
    cdef intp_t n_ties = tied.shape[0]
    cdef double above = 0.0, per = 1.0 / total, rank, last = 2.0, neg, pos
    cdef double a_sum = 0.0, a_sum_pos = 0.0, b_sum_pos = 0.0
    cdef bint apart = True
    a_rank, b_rank = np.empty(a_neg.shape[0])[::-1], np.empty(b_neg.shape[0])[::-1]
    counts = np.zeros(3)
    cdef float64_t[:] a_out = a_rank, b_out = b_rank
    cdef float64_t[::1] counts_out = counts
    with nogil:
        for i in range(n_a + 1):
            while j < n_b and (i == n_a or j < before[i]):
                neg = pos = 0.0
                for s in range(b_cut[j], b_cut[j + 1]):
                    rank = 1.0 - (above + 0.5 * (b_neg[s] + b_pos[s])) * per
                    b_out[s] = rank
                    apart &= rank < last
                    last = rank
                    above += b_neg[s] + b_pos[s]
                    neg += b_neg[s]
                    pos += b_pos[s]
                counts_out[0] += neg * a_sum_pos
                counts_out[2] += (neg + pos) * a_sum
                b_sum_pos += pos
                j += 1
            if i == n_a:
                continue
            if t < n_ties and tied[t] == i:
                s = a_cut[i]
                neg, pos = b_neg[b_cut[j]], b_pos[b_cut[j]]
                rank = 1.0 - (above + 0.5 * (a_neg[s] + a_pos[s] + neg + pos)) * per
                a_out[s] = b_out[b_cut[j]] = rank
                apart &= rank < last
                last = rank
                above += a_neg[s] + a_pos[s] + neg + pos
                counts_out[0] += neg * (a_sum_pos + 0.5 * a_pos[s])
                counts_out[1] += a_neg[s] * (b_sum_pos + 0.5 * pos)
                counts_out[2] += (neg + pos) * (a_sum + 0.5 * (a_neg[s] + a_pos[s]))
                b_sum_pos += pos
                a_sum_pos += a_pos[s]
                a_sum += a_neg[s] + a_pos[s]
                j += 1
                t += 1
                continue
            neg = pos = 0.0
            for s in range(a_cut[i], a_cut[i + 1]):
                rank = 1.0 - (above + 0.5 * (a_neg[s] + a_pos[s])) * per
                a_out[s] = rank
                apart &= rank < last
                last = rank
                above += a_neg[s] + a_pos[s]
                neg += a_neg[s]
                pos += a_pos[s]
            counts_out[1] += neg * b_sum_pos
            a_sum_pos += pos
            a_sum += neg + pos
    return a_rank, b_rank, counts, apart


def give_to_rows(const float64_t[:] of_step, const uint8_t[::1] opens, const uint32_t[::1] row,
                 float64_t[::1] of_row_out):
    """Write every step's value to its rows; 1 in `opens` is the first row of a step."""
    cdef intp_t i, step = -1
    with nogil:
        for i in range(row.shape[0]):
            step += opens[i]
            of_row_out[row[i]] = of_step[step]
