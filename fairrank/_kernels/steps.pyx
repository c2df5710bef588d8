"""Sorted rows as a chain of steps, and interleaved chains as places of rows."""

import numpy as np

from libc.math cimport fabs
from numpy cimport float64_t, intp_t


def steps_of_rows(const float64_t[::1] score, const float64_t[::1] mass):
    """Steps of sorted rows, best first; equal scores are one step. O(n_rows).

    Parameters
    ----------
    score : (n_rows,), ascending
    mass : (n_rows,)
        Weight of every row; that of a negative has a minus sign.

    Returns
    -------
    start : ndarray of intp (n_steps + 1,)
        Step s holds the rows ``start[s]:start[s + 1]`` counted from the best one.
    step_score, negative, positive : ndarray (n_steps,)
    concordant : float
        Weight of (positive, negative) pairs of the group in that order; ties one half.
    """
    cdef intp_t i, step = 0, n = score.shape[0]
    cdef double last, negative = 0.0, positive = 0.0, above = 0.0, concordant = 0.0
    starts, scores = np.empty(n + 1, dtype=np.intp), np.empty(n)
    negatives, positives = np.empty(n), np.empty(n)
    cdef intp_t[::1] start_out = starts
    cdef float64_t[::1] score_out = scores, neg = negatives, pos = positives
    start_out[0] = 0
    with nogil:
        last = score[n - 1] if n else 0.0
        # Invariant: `negative` and `positive` are the rows of the step that is open.
        for i in range(n - 1, -1, -1):
            if score[i] != last:
                score_out[step], neg[step], pos[step] = last, negative, positive
                concordant += (above + 0.5 * positive) * negative
                above += positive
                step += 1
                start_out[step] = n - 1 - i
                last, negative, positive = score[i], 0.0, 0.0
            # |mass| and mass, not a branch: outcomes are what no processor predicts.
            negative += 0.5 * (fabs(mass[i]) - mass[i])
            positive += 0.5 * (fabs(mass[i]) + mass[i])
        if n:
            score_out[step], neg[step], pos[step] = last, negative, positive
            concordant += (above + 0.5 * positive) * negative
            step += 1
        start_out[step] = n
    return starts[: step + 1], scores[:step], negatives[:step], positives[:step], concordant


def pairs_by_score(const float64_t[::1] a_score, const float64_t[::1] a_neg,
                   const float64_t[::1] a_pos, const float64_t[::1] b_score,
                   const float64_t[::1] b_neg, const float64_t[::1] b_pos):
    """Weight of pairs across two chains placed by score, best first; ties one half. O(n).

    Returns (positive of a, negative of b), (positive of b, negative of a) and (any of a, any of
    b), the former placed better, shape (3,).
    """
    cdef intp_t i = 0, j = 0, n_a = a_score.shape[0], n_b = b_score.shape[0]
    cdef double a_sum_pos = 0.0, a_sum = 0.0, b_sum_pos = 0.0
    counts = np.zeros(3)
    cdef float64_t[::1] out = counts
    with nogil:
        while i < n_a or j < n_b:
            if j == n_b or (i < n_a and a_score[i] > b_score[j]):
                out[1] += a_neg[i] * b_sum_pos
                a_sum_pos += a_pos[i]
                a_sum += a_neg[i] + a_pos[i]
                i += 1
            elif i == n_a or a_score[i] < b_score[j]:
                out[0] += b_neg[j] * a_sum_pos
                out[2] += (b_neg[j] + b_pos[j]) * a_sum
                b_sum_pos += b_pos[j]
                j += 1
            else:
                out[0] += b_neg[j] * (a_sum_pos + 0.5 * a_pos[i])
                out[1] += a_neg[i] * (b_sum_pos + 0.5 * b_pos[j])
                out[2] += (b_neg[j] + b_pos[j]) * (a_sum + 0.5 * (a_neg[i] + a_pos[i]))
                a_sum_pos += a_pos[i]
                a_sum += a_neg[i] + a_pos[i]
                b_sum_pos += b_pos[j]
                i += 1
                j += 1
    return counts


def mid_ranks(const float64_t[::1] a_neg, const float64_t[::1] a_pos,
              const float64_t[::1] b_neg, const float64_t[::1] b_pos,
              const intp_t[::1] a_cut, const intp_t[::1] b_cut, const intp_t[::1] before,
              const intp_t[::1] tied):
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

    Returns
    -------
    a_rank, b_rank : ndarray (n_steps,) of either chain, in (0, 1), strictly decreasing
    """
    cdef intp_t s, i, j = 0, t = 0, n_a = before.shape[0], n_b = b_cut.shape[0] - 1
    cdef intp_t n_ties = tied.shape[0]
    cdef double above = 0.0, total = 0.0, mass, per
    a_rank, b_rank = np.empty(a_neg.shape[0]), np.empty(b_neg.shape[0])
    cdef float64_t[::1] a_out = a_rank, b_out = b_rank
    with nogil:
        for s in range(a_neg.shape[0]):
            total += a_neg[s] + a_pos[s]
        for s in range(b_neg.shape[0]):
            total += b_neg[s] + b_pos[s]
        per = 1.0 / total
        for i in range(n_a + 1):
            while j < n_b and (i == n_a or j < before[i]):
                for s in range(b_cut[j], b_cut[j + 1]):
                    mass = b_neg[s] + b_pos[s]
                    b_out[s] = 1.0 - (above + 0.5 * mass) * per
                    above += mass
                j += 1
            if i == n_a:
                continue
            if t < n_ties and tied[t] == i:
                s = a_cut[i]
                mass = a_neg[s] + a_pos[s] + b_neg[b_cut[j]] + b_pos[b_cut[j]]
                a_out[s] = b_out[b_cut[j]] = 1.0 - (above + 0.5 * mass) * per
                above += mass
                j += 1
                t += 1
                continue
            for s in range(a_cut[i], a_cut[i + 1]):
                mass = a_neg[s] + a_pos[s]
                a_out[s] = 1.0 - (above + 0.5 * mass) * per
                above += mass
    return a_rank, b_rank


def give_to_rows(const float64_t[::1] of_step, const intp_t[::1] start, const intp_t[::1] row,
                 float64_t[::1] of_row_out):
    """Write every step's value to its rows."""
    cdef intp_t step, i
    with nogil:
        for step in range(of_step.shape[0]):
            for i in range(start[step], start[step + 1]):
                of_row_out[row[i]] = of_step[step]
