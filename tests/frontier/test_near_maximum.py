import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_frontier as oracles
from fairrank.frontier import SupportFunction
from fairrank.frontier._excess import largest_excess
from fairrank.frontier._near_maximum import near_largest_excess, near_separation
from strategies_frontier import arguments, frontier_samples, risk_pairs

levels = st.integers(-9, 9).map(lambda k: k / 4 + 0.01)
LOW, HIGH = oracles.FORCED[0], oracles.FORCED[0] + math.pi


def support_of(sample):
    return SupportFunction(**arguments(sample))


def turn(a, b):
    return a[0] * b[1] - a[1] * b[0]


def is_inside(near, q):
    first, last = near.part[:, :2], near.part[:, 2:]
    return bool(((turn(first.T, q) >= 0) & (turn(q, last.T) >= 0)).any())


@given(frontier_samples(), risk_pairs, levels, st.sampled_from(["all", "frontier", "pareto"]))
def test_parts_hold_just_the_directions_of_a_large_excess(sample, e, level, over):
    low, high = {"all": (LOW, LOW + 2 * math.pi), "frontier": (LOW, HIGH),
                 "pareto": (math.pi, 1.5 * math.pi)}[over]
    near = near_largest_excess(support_of(sample).realised, e, level, over)
    for a, b, s in oracles.within(oracles.arcs(sample), low, high):
        for angle in a + (b - a) * np.linspace(0.01, 0.99, 12):
            q = oracles.direction(angle)
            excess = q @ (e - s)
            if abs(excess - level) > 1e-9:
                assert is_inside(near, q) == (excess > level)


@given(frontier_samples(), risk_pairs, levels)
def test_parts_hold_just_the_directions_of_a_large_separation(sample, e, level):
    near = near_separation(support_of(sample).realised, e, level)
    for a, b, s in oracles.within(oracles.arcs(sample), LOW, HIGH):
        for angle in a + (b - a) * np.linspace(0.01, 0.99, 12):
            q = oracles.direction(angle)
            value = -oracles.h_of_better(e, -q) - q @ s
            if abs(value - level) > 1e-9:
                assert is_inside(near, q) == (value > level)
    middle = near.part[:, :2] + near.part[:, 2:]
    assert (near.sector == (middle[:, 1] < 0) + 0 + (middle[:, 0] > 0)).all()


@given(frontier_samples(), risk_pairs, levels)
def test_the_parts_hold_the_maximum_itself(sample, e, level):
    arcs = support_of(sample).realised
    found = largest_excess(arcs, e)
    near = near_largest_excess(arcs, e, level)
    if found.value > level + 1e-9:
        assert near.largest(arcs, e) == pytest.approx(found.value, abs=1e-9)
    elif found.value < level - 1e-9:
        assert near.largest(arcs, e) == -math.inf


@given(frontier_samples(kinds=("continuous",)), risk_pairs, levels, st.data())
def test_the_largest_over_parts_is_the_best_of_each(sample, e, level, data):
    support = support_of(sample)
    near = near_largest_excess(support.realised, e, level)
    exponents = st.integers(-3, 3).map(lambda k: 2.0**k)
    weight = data.draw(st.lists(exponents, min_size=sample.n, max_size=sample.n))
    other = support.reweighted(weight)
    target = support.realised.point_of_arc(near.arc) + 0.25 * e
    best = -math.inf
    for arc, part, v in zip(near.arc, near.part, target):
        v = v - other.point_of_arc(arc)
        first, last = part[:2], part[2:]
        best = max(best, first @ v, last @ v)
        if turn(first, v) > 0 and turn(v, last) > 0:
            best = max(best, math.hypot(*v))
    assert near.largest(other, target) == pytest.approx(best, abs=1e-12)
