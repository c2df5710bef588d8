"""Ranking metrics and fair orders by counting pairs, word for word from their definitions.

Numpy and the standard library only, nothing of fairrank; slow and literal on purpose. Rows are
sequences of n labels in {0, 1}, scores, groups and weights. Ties count one half everywhere.

A *chain* is one group's steps, best first, each step a pair (negatives, positives) of counts or
weights. An *order* is a list of places, best first; a place is a tuple of (chain, step) numbers:
one step, or with ``ties=True`` one step each of several chains.
"""

import functools
import itertools
import math

import numpy as np

DISPARITIES = ("xauc", "prf", "urf")


# ---------------------------------------------------------------- counting pairs of rows

def part_won(above, below, above_weight=None, below_weight=None):
    """P(S of `above` > S of `below`) + P(equal) / 2; NaN where one of them has no weight."""
    above_weight = np.ones(len(above)) if above_weight is None else above_weight
    below_weight = np.ones(len(below)) if below_weight is None else below_weight
    won = []
    for s, v in zip(above, above_weight):
        for t, w in zip(below, below_weight):
            won.append(float(v) * float(w) * (1.0 if s > t else 0.5 if s == t else 0.0))
    pairs = math.fsum(above_weight) * math.fsum(below_weight)
    return math.fsum(won) / pairs if pairs > 0 else math.nan


def _part_won_by(score, weight, above, below):
    """`part_won` of the rows where the masks `above` and `below` are true."""
    score = np.asarray(score)
    weight = np.ones(score.size) if weight is None else np.asarray(weight)
    return part_won(score[above], score[below], weight[above], weight[below])


def auc(y, score, weight=None):
    """P(S_1 > S_0)."""
    y = np.asarray(y)
    return _part_won_by(score, weight, y == 1, y == 0)


def xauc(y, score, group, above, below, weight=None):
    """P(S_1^above > S_0^below)."""
    y, group = np.asarray(y), np.asarray(group)
    return _part_won_by(score, weight, (y == 1) & (group == above), (y == 0) & (group == below))


def prf(y, score, group, label, weight=None):
    """P(S_1^label > S_0), the negatives being everybody's."""
    y, group = np.asarray(y), np.asarray(group)
    return _part_won_by(score, weight, (y == 1) & (group == label), y == 0)


def urf(score, group, above, below, weight=None):
    """P(S^above > S^below), whatever the labels."""
    group = np.asarray(group)
    return _part_won_by(score, weight, group == above, group == below)


def signed_disparity(y, score, group, above, below, disparity="xauc", weight=None):
    """What `above` is favoured by over `below`."""
    if disparity == "xauc":
        return xauc(y, score, group, above, below, weight) - xauc(
            y, score, group, below, above, weight
        )
    if disparity == "prf":
        return prf(y, score, group, above, weight) - prf(y, score, group, below, weight)
    return urf(score, group, above, below, weight) - urf(score, group, below, above, weight)


def disparities(y, score, group, disparity="xauc", weight=None):
    """Signed disparity of every unordered pair of groups, keyed (g, h) with g < h."""
    labels = sorted(set(np.asarray(group).tolist()))
    return {
        (g, h): signed_disparity(y, score, group, g, h, disparity, weight)
        for g, h in itertools.combinations(labels, 2)
    }


def largest_disparity(y, score, group, disparity="xauc", weight=None):
    """Largest |disparity| over pairs; NaN when that of any pair is."""
    found = [abs(d) for d in disparities(y, score, group, disparity, weight).values()]
    return math.nan if any(map(math.isnan, found)) else max(found)


def repeated(rows, weight):
    """Every row as often as its weight says."""
    return np.array([row for row, times in zip(rows, weight) for _ in range(times)])


# ---------------------------------------------------------------- xROC

def xroc(y, score, group, above, below, weight=None):
    """Points (FPR of `below`, TPR of `above`) at every distinct score of these, descending."""
    y, score, group = np.asarray(y), np.asarray(score), np.asarray(group)
    weight = np.ones(score.size) if weight is None else np.asarray(weight)
    negative, positive = (y == 0) & (group == below), (y == 1) & (group == above)
    points = [(0.0, 0.0)]
    for threshold in sorted(set(score[negative | positive].tolist()), reverse=True):
        passed = score >= threshold
        points.append(
            (
                float(weight[negative & passed].sum() / weight[negative].sum()),
                float(weight[positive & passed].sum() / weight[positive].sum()),
            )
        )
    return points


# ---------------------------------------------------------------- standard errors (DeLong)

def placements(above, below, above_weight=None, below_weight=None):
    """What part of `below` every row of `above` beats."""
    return np.array([part_won([s], below, None, below_weight) for s in above])


def variance_of_mean(values):
    """Sample variance over the number of values; NaN for one value."""
    return float(np.var(values, ddof=1) / len(values)) if len(values) > 1 else math.nan


# ---------------------------------------------------------------- chains of steps

def chain_of(y, score, group, label, weight=None):
    """The group's steps (negatives, positives), best first; equal scores are one step."""
    y, score, group = np.asarray(y), np.asarray(score), np.asarray(group)
    weight = np.ones(score.size) if weight is None else np.asarray(weight)
    inside = group == label
    steps = []
    for value in sorted(set(score[inside].tolist()), reverse=True):
        here = inside & (score == value)
        steps.append(
            (float(weight[here & (y == 0)].sum()), float(weight[here & (y == 1)].sum()))
        )
    return steps


@functools.lru_cache(maxsize=256)
def _orders(sizes, ties):
    """Every order of chains with so many steps each."""
    if not any(sizes):
        return ((),)
    open_chains = [c for c, size in enumerate(sizes) if size]
    firsts = [(c,) for c in open_chains]
    if ties:
        firsts += [
            together
            for count in range(2, len(open_chains) + 1)
            for together in itertools.combinations(open_chains, count)
        ]
    found = []
    for first in firsts:
        left = tuple(size - (c in first) for c, size in enumerate(sizes))
        # Steps are numbered from the end here: what is left of a chain names its next step.
        place = tuple((c, sizes[c]) for c in first)
        found += [(place, *rest) for rest in _orders(left, ties)]
    return tuple(found)


def interleavings(*chains, ties=False):
    """Every order that keeps each chain's own order, as lists of places.

    With `ties`, a place may hold one step each of several chains.
    """
    sizes = tuple(len(chain) for chain in chains)
    for order in _orders(sizes, ties):
        yield [tuple((c, sizes[c] - left) for c, left in place) for place in order]


def order_rows(order, chains):
    """(y, score, group, weight): two rows a step, a negative and a positive one."""
    y, score, group, weight = [], [], [], []
    for place, together in enumerate(order):
        for chain, step in together:
            for label, mass in enumerate(chains[chain][step]):
                y.append(label)
                score.append(-float(place))
                group.append(chain)
                weight.append(float(mass))
    return np.array(y), np.array(score), np.array(group), np.array(weight)


def order_auc(order, chains):
    """AUC of everybody when they stand in this order."""
    y, score, _, weight = order_rows(order, chains)
    return auc(y, score, weight)


def order_disparity(order, chains, above=0, below=1, disparity="xauc"):
    """What chain `above` is favoured by over chain `below` in this order, signed."""
    y, score, group, weight = order_rows(order, chains)
    return signed_disparity(y, score, group, above, below, disparity, weight)


# ---------------------------------------------------------------- all orders at once

@functools.lru_cache(maxsize=256)
def places(sizes, ties=False):
    """Place of every step (0 is best) in every order, shape (n_orders, sum of sizes).

    Orders come as `interleavings` gives them; steps are numbered chain after chain.
    """
    start = np.concatenate(([0], np.cumsum(sizes))).astype(int)
    orders = _orders(tuple(sizes), ties)
    found = np.empty((len(orders), start[-1]), dtype=int)
    for row, order in enumerate(orders):
        for place, together in enumerate(order):
            for chain, left in together:
                found[row, start[chain] + sizes[chain] - left] = place
    return found


def values_of_orders(*chains, disparity="xauc", ties=False):
    """AUC of every order, and the signed disparity of every pair of chains in it.

    Returns
    -------
    (auc, signed) of shapes (n_orders,) and (n_orders, n_pairs)
        Pairs (0, 1), (0, 2), ..., (1, 2), ...
    """
    place = places(tuple(len(chain) for chain in chains), ties)
    chain = np.repeat(np.arange(len(chains)), [len(steps) for steps in chains])
    mass = np.array([step for steps in chains for step in steps], dtype=float)
    before = place[:, :, None] < place[:, None, :]
    level = place[:, :, None] == place[:, None, :]
    won = before + 0.5 * level

    def part(above, below):
        return np.einsum("ost,s,t->o", won, above, below) / (above.sum() * below.sum())

    neg, pos = mass[:, 0], mass[:, 1]
    signed = []
    for g, h in itertools.combinations(range(len(chains)), 2):
        of_g, of_h = chain == g, chain == h
        if disparity == "xauc":
            gap = part(pos * of_g, neg * of_h) - part(pos * of_h, neg * of_g)
        elif disparity == "prf":
            gap = part(pos * of_g, neg) - part(pos * of_h, neg)
        else:
            everybody = neg + pos
            gap = part(everybody * of_g, everybody * of_h) - part(
                everybody * of_h, everybody * of_g
            )
        signed.append(gap)
    return part(pos, neg), np.array(signed).T


def best_signed(*chains, multipliers, disparity="xauc", ties=False):
    """max over orders of AUC - sum over pairs of multiplier * signed disparity."""
    area, signed = values_of_orders(*chains, disparity=disparity, ties=ties)
    return float((area - signed @ np.atleast_1d(multipliers)).max())


def best_penalised(*chains, trade_off, disparity="xauc", ties=False):
    """max over orders of AUC - trade_off * max over pairs |disparity|."""
    area, signed = values_of_orders(*chains, disparity=disparity, ties=ties)
    return float((area - trade_off * np.abs(signed).max(axis=1)).max())


def best_constrained(*chains, max_disparity, disparity="xauc", ties=False, slack=1e-12):
    """max AUC over orders with max over pairs |disparity| <= max_disparity; -inf if there is none.

    `slack` lets orders through that meet the bound but for rounding.
    """
    area, signed = values_of_orders(*chains, disparity=disparity, ties=ties)
    allowed = np.abs(signed).max(axis=1) <= max_disparity + slack
    return float(area[allowed].max()) if allowed.any() else -math.inf


def smallest_disparity(*chains, disparity="xauc", ties=False):
    """min over orders of max over pairs |disparity|."""
    _, signed = values_of_orders(*chains, disparity=disparity, ties=ties)
    return float(np.abs(signed).max(axis=1).min())
