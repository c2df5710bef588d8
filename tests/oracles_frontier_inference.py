"""Tests on a frontier by the definition: every arc, every angle that can be a maximum, every draw.

Numpy, the standard library and `oracles_frontier` only, nothing of fairrank. Arcs are lists of
(first angle, last angle, support point); a draw is the same list under other weights.
"""

import math

import numpy as np

import oracles_frontier as oracles

HALF_TURN = (3 * math.pi / 4, 7 * math.pi / 4)
SECTORS = ((3 * math.pi / 4, math.pi), (math.pi, 3 * math.pi / 2), (3 * math.pi / 2, HALF_TURN[1]))


def better_targets(e):
    """v in the three sectors, with -h_C(e)(-q) = q'v."""
    r, b = e
    return np.array([(r, min(b, 2 * r - b)), (r, b), (min(r, 2 * b - r), b)])


def pieces(cut, e, kind):
    """(arcs, target) whose largest excess is the second part of the statistic of `kind`."""
    if kind == "pareto":
        return [(oracles.within(cut, *SECTORS[1]), np.asarray(e))]
    return [
        (oracles.within(cut, *sector), target)
        for sector, target in zip(SECTORS, better_targets(e))
    ]


def beyond(cut, e):
    return oracles.largest_excess(cut, np.asarray(e))


def behind(cut, e, kind):
    return max(oracles.largest_excess(part, target) for part, target in pieces(cut, e, kind))


def joint(cut, e, kind):
    """[f]+ + [lambda]-."""
    second = 0.0 if kind == "feasible" else max(-behind(cut, e, kind), 0.0)
    return max(beyond(cut, e), 0.0) + second


def blended(cut, drawn, part):
    """h + part (h drawn - h), arc by arc."""
    return [(a, b, s + part * (t - s)) for (a, b, s), (_, _, t) in zip(cut, drawn)]


def largest_where(cut, drawn, e, level, move):
    """Largest q'(move - (drawn - S)) over the directions with q'(e - S) >= level."""
    best = -math.inf
    for (a, b, s), (_, _, t) in zip(cut, drawn):
        gap, v = e - s, move - (t - s)
        tried = [a, b, math.atan2(v[1], v[0])]
        length = math.hypot(*gap)
        if length >= abs(level):
            half = math.acos(max(-1.0, min(1.0, level / length))) if length else 0.0
            tried += [math.atan2(gap[1], gap[0]) + sign * half for sign in (1, -1)]
        for i, angle in enumerate(tried):
            if i > 1:
                angle = a + (angle - a) % (2 * math.pi)
            if angle <= b and oracles.direction(angle) @ gap >= level - 1e-12:
                best = max(best, float(oracles.direction(angle) @ v))
    return best


def moved_target(e, move, sector, tie):
    """The derivative of v in a sector; the smaller one where either group may be worse off."""
    step = 1e-7

    def derivative(at):
        ahead = better_targets(at + step * np.asarray(move))[sector]
        return (ahead - better_targets(at)[sector]) / step

    if abs(e[0] - e[1]) > tie:
        return derivative(np.asarray(e, dtype=float))
    aside = (abs(e[0] - e[1]) + 0.25) * np.array([1.0, -1.0])  # to where the other is worse off
    return np.minimum(derivative(e + aside), derivative(e - aside))


def pvalue(statistic, draws):
    """The part of draws, and the statistic itself among them, that is as large."""
    return (1 + sum(draw >= statistic for draw in draws)) / (1 + len(draws))
