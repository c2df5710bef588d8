"""Skew, the cost of banning identity, and distances, by grids of directions and linear programs.

Imports nothing of fairrank; `Sample` and the arcs by brute force are those of `oracles_frontier`.
"""

import math

import numpy as np
from scipy.optimize import linprog

import oracles_frontier as frontier
from oracles_frontier import FORCED, arcs, direction, risks, within

# ---------------------------------------------------------------- skew

def least_equal_risk(sample):
    """Largest -h(q) / |q_r + q_b| of the plug-in zonogon from pi to 3pi/2, on a fine grid."""
    angles = [a for a in frontier.break_angles(sample) if FORCED[1] - 1e-9 < a < FORCED[2] + 1e-9]
    angles += list(np.linspace(FORCED[1], FORCED[2], 30))
    return max(
        -frontier.h_plug_in(sample, direction(a)) / abs(direction(a).sum()) for a in angles
    )


def decided(sample, q):
    then = frontier.one_side_of(q) if sample.n_groups == 2 else None
    return frontier.treated(sample, q, then)


def standard_error(sample, parts):
    """Of the sum over (q, decisions) of q'risks: numerical influences, summed in clusters."""
    moved = sum(frontier.influence(sample, q, a) for q, a in parts)
    if sample.cluster is not None:
        cluster = np.asarray(sample.cluster)
        moved = np.array([moved[cluster == c].sum() for c in np.unique(cluster)])
    return math.sqrt((moved**2).sum()) / sample.n


def gap(sample, q, group):
    """The realised equal risk in direction q above the least risk of a group, with its error."""
    own = -np.eye(2)[group]
    value = frontier.h(sample, q) / sum(q) + frontier.h(sample, own)
    parts = [(np.asarray(q) / sum(q), decided(sample, q)), (own, decided(sample, own))]
    return value, standard_error(sample, parts)


def constraints(cut, low=FORCED[0], high=FORCED[0] + 2 * math.pi, per_arc=25):
    """Directions and q'S on a grid of every arc, both ends included."""
    q, level = [], []
    for a, b, s in within(cut, low, high):
        for angle in np.linspace(a, b, per_arc):
            q.append(direction(angle))
            level.append(q[-1] @ s)
    return np.array(q), np.array(level)


def least_misfit(cut, group, least, side):
    """Smallest [e_g - least]+ + [max q'e - h]+ over side * (e_r - e_b) <= 0, by one program."""
    q, level = constraints(cut)
    above = np.zeros(4)
    above[group], above[2] = 1.0, -1.0
    rows = np.vstack(
        [np.column_stack([q, np.zeros(len(q)), -np.ones(len(q))]), above, [side, -side, 0, 0]]
    )
    solved = linprog(
        [0, 0, 1, 1], A_ub=rows, b_ub=[*level, least, 0.0],
        bounds=[(None, None)] * 2 + [(0, None)] * 2,
    )
    assert solved.status == 0
    return solved.fun


def least_skewed_misfit(sample):
    cut = arcs(sample)
    least = [frontier.named_point(sample, name)[g] for g, name in enumerate("RB")]
    return min(
        sum(least_misfit(cut, g, least[g], side) for g in (0, 1)) for side in (1.0, -1.0)
    )


def blended(sample, weight, part):
    """Arcs (1 - part) as estimated and `part` under other weights, decisions held."""
    return [
        (a, b, (1 - part) * s + part * t)
        for (a, b, s), (_, _, t) in zip(arcs(sample), arcs(sample, weight))
    ]


def misfit_of_weights(sample, weight):
    """The numerical derivative of the misfit of the estimated R and B."""
    step = sample.n**-0.245
    moved = blended(sample, weight, step * math.sqrt(sample.n))
    cut, total = arcs(sample), 0.0
    for g, name in enumerate("RB"):
        e = frontier.named_point(sample, name)
        q = frontier.ONE_SIDED[name][0]
        then = frontier.named_point(sample, name)[g]
        new = risks(sample, frontier.treated(sample, *frontier.ONE_SIDED[name]), weight)[g]
        total += max(0.0, then - (then + step * math.sqrt(sample.n) * (new - then)))
        total += max(0.0, frontier.largest_excess(moved, e) - frontier.largest_excess(cut, e))
        assert q[g] == -1.0
    return total / step


# ---------------------------------------------------------------- the cost of banning identity

def seen_risks(sample, own, q):
    """Risks where each group decides by its own own_delta for the largest q'e."""
    return risks(sample, np.array([q[g] * d > 0 for g, d in zip(sample.group, own)]))


def ban_cost(sample, own, q):
    seen = np.array([q[g] * d > 0 for g, d in zip(sample.group, own)])
    unseen = decided(sample, q)
    q = np.asarray(q, dtype=float)
    cost = float(q @ risks(sample, seen)) - float(q @ risks(sample, unseen))
    return cost, standard_error(sample, [(q, seen), (-q, unseen)])


def largest_move(sample, own, weight, per_arc=200):
    """Largest |change of the cost| under other weights, from pi to 3pi/2, on a grid of arcs."""
    seen = np.array([d < 0 for d in own])
    of_best = risks(sample, seen, weight) - risks(sample, seen)
    largest = 0.0
    for (a, b, s), (_, _, t) in zip(
        within(arcs(sample), FORCED[1], FORCED[2]),
        within(arcs(sample, weight), FORCED[1], FORCED[2]),
    ):
        for angle in np.linspace(a, b, per_arc):
            largest = max(largest, abs(direction(angle) @ (of_best - (t - s))))
    return largest


# ---------------------------------------------------------------- distance to the fairest point

NORMALS = np.array([direction(a) for a in np.arange(72) * math.pi / 36])
DUAL = {
    "euclidean": NORMALS,
    "manhattan": np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=float),
    "chebyshev": np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], dtype=float),
}


def region(sample, e, side, reach, metric):
    """Least and largest distance of F - e over the region on one side; None where it is empty.

    Variables F, e, the parts of delta_e, delta_a, delta_b and the distance; constraints and the
    Euclidean distance on grids of directions.
    """
    cut = arcs(sample)
    q, level = constraints(cut, per_arc=12)
    name, sign = {"above": ("above", 1.0), "below": ("below", -1.0)}[side]
    line = np.array([1.0, -1.0]) * sign / math.sqrt(2)
    h_line = float(line @ frontier.named_point(sample, name))
    rows = [[*a, 0, 0, 0, 0, 0, -1, 0] for a in q]
    bounds = list(level)
    for g in (0, 1):
        for s in (1.0, -1.0):
            row = np.zeros(9)
            row[2 + g], row[4 + g] = s, -1.0
            rows.append(row)
            bounds.append(s * e[g])
    rows += [[0, 0, 0, 0, 1, 1, 1, 1, 0], [*-line, 0, 0, 0, 0, -1, 0, 0],
             [*line, 0, 0, 0, 0, 0, 0, 0]]
    bounds += [reach, -h_line, 0.0]
    free, least = [(None, None)] * 4, [(0, None)] * 5

    def solved(cost, more=()):
        found = linprog(
            cost, A_ub=np.array([*rows, *more]), b_ub=[*bounds, *[0.0] * len(more)],
            bounds=free + least,
        )
        return found.fun if found.status == 0 else None

    more = [[*p, *-p, 0, 0, 0, 0, -1] for p in DUAL[metric]]
    low = solved([0] * 8 + [1], more)
    if low is None:
        return None
    # Nothing bounds the last variable here.
    high = max(-solved([*-p, *p, 0, 0, 0, 0, 0]) for p in DUAL[metric])
    return low, high


def equal_risk_of_weights(sample, weight):
    """The numerical derivative of the infimum, over sqrt(n)."""
    step = sample.n**-0.245 * math.sqrt(sample.n)
    moved = frontier.smallest_equal_risk(blended(sample, weight, step))
    return (moved - frontier.smallest_equal_risk(arcs(sample))) / step
