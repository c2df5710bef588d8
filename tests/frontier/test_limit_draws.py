import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_frontier as frontier
import oracles_frontier_inference as oracles
from fairrank.frontier import SupportFunction
from fairrank.frontier._joint_statistic import KINDS, joint_statistic
from fairrank.frontier._limit_draws import ATOM, limit_draws, slack_of
from strategies_frontier import arguments, both_vary, frontier_samples, risk_pairs

kinds = st.sampled_from(KINDS)
moves = st.tuples(*[st.integers(-9, 9).map(lambda k: k / 50)] * 2).map(np.array)


@st.composite
def draws(draw):
    """A sample, risks, and one draw: its weights, and how far it moves the risks."""
    sample = draw(frontier_samples(max_rows=9).filter(both_vary))
    exponents = st.integers(-3, 3).map(lambda k: 1.3**k)
    weight = sample.mass * draw(st.lists(exponents, min_size=sample.n, max_size=sample.n))
    return sample, draw(risk_pairs), weight, draw(moves)


def limit_of(sample, e, weight, move, kind, method):
    support = SupportFunction(**arguments(sample))
    joint = joint_statistic(support, e, kind)
    limit = limit_draws(support.realised, joint, method)
    return joint, limit(support.reweighted(weight), move)


@given(draws(), kinds)
def test_set_draws_are_largest_over_the_directions_that_nearly_attain_the_maxima(drawn, kind):
    sample, e, weight, move = drawn
    joint, (far, near) = limit_of(*drawn, kind, "set")
    cut, other = frontier.arcs(sample), frontier.arcs(sample, weight)
    slack = 1e-9  # A direction just at the level may count or not.
    level = joint.beyond.value - joint.tolerances[0]
    low, high = (
        joint.root_n * max(oracles.largest_where(cut, other, e, level + sign * slack, move), 0.0)
        for sign in (1, -1)
    )
    assert low - 1e-9 <= far <= high + 1e-9
    if kind == "feasible":
        assert near == 0.0
        return
    level = joint.behind.value - joint.tolerances[1]
    least = {}
    for sign in (1, -1):
        pieces = zip(oracles.pieces(cut, e, kind), oracles.pieces(other, e, kind))
        largest = max(
            oracles.largest_where(
                part, part_drawn, target, level + sign * slack,
                move if kind == "pareto"
                else oracles.moved_target(e, move, sector, joint.tolerances[1]),
            )
            for sector, ((part, target), (part_drawn, _)) in enumerate(pieces)
        )
        least[sign] = joint.root_n * max(-largest, 0.0)
    assert least[-1] - 1e-6 <= near <= least[1] + 1e-6


@given(draws(), kinds)
def test_hybrid_draws_are_differences_of_the_statistic_after_a_long_step(drawn, kind):
    sample, e, weight, move = drawn
    joint, (far, near) = limit_of(*drawn, kind, "hybrid")
    n = joint.root_n**2
    step = n**-0.245
    cut = frontier.arcs(sample)
    moved = oracles.blended(cut, frontier.arcs(sample, weight), step * np.sqrt(n))
    e_moved = e + step * np.sqrt(n) * move
    change = oracles.beyond(moved, e_moved) - oracles.beyond(cut, e)
    assert far == pytest.approx(max(change, 0.0) / step, abs=1e-8)
    if kind == "feasible":
        assert near == 0.0
    else:
        change = oracles.behind(moved, e_moved, kind) - oracles.behind(cut, e, kind)
        assert near == pytest.approx(max(-change, 0.0) / step, abs=1e-8)


@given(draws(), kinds)
def test_gaussian_draws_look_at_the_attaining_directions_only(drawn, kind):
    sample, e, weight, move = drawn
    joint, (far, near) = limit_of(*drawn, kind, "gaussian")
    support = SupportFunction(**arguments(sample))
    other = support.reweighted(weight)

    def moved(part, target):
        q, arc = part.direction, part.arc
        return q @ target - (other.h(q, arc) - support.h(q, arc))

    assert far == pytest.approx(joint.root_n * max(moved(joint.beyond, move), 0.0), abs=1e-9)
    if kind == "feasible":
        assert near == 0.0
    else:
        sector = 1
        if kind == "frontier":
            arc = joint.behind.arc
            middle = support.arc_starts[arc] + support.arc_starts[arc + 1]
            sector = 0 if middle[1] > 0 else 2 if middle[0] > 0 else 1
        target = oracles.moved_target(e, move, sector, joint.tolerances[-1])
        expected = joint.root_n * max(-moved(joint.behind, target), 0.0)
        assert near == pytest.approx(expected, abs=1e-6)


@given(draws(), kinds)
def test_set_draws_of_what_lies_beyond_are_never_below_gaussian_ones(drawn, kind):
    wide, narrow = limit_of(*drawn, kind, "set")[1], limit_of(*drawn, kind, "gaussian")[1]
    assert wide[0] >= narrow[0] - 1e-9


@pytest.mark.parametrize(("method", "least"), [("set", 0.0), ("hybrid", ATOM)])
def test_the_papers_constant_belongs_to_its_own_procedure(method, least):
    support = SupportFunction([0, 1, 0], [1, 0, 1], np.ones((3, 2)), sensitive_features=[0, 1, 1])
    joint = joint_statistic(support, np.array([0.5, 0.5]), "frontier")
    assert least <= slack_of(joint, method) <= least + 1e-9
