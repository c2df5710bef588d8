import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as frontier
import oracles_frontier_inference as oracles
from fairrank.frontier import SupportFunction
from fairrank.frontier._joint_statistic import (
    KINDS,
    joint_statistic,
    moved_targets,
    sector_of,
)
from strategies_frontier import arguments, both_vary, frontier_samples, risk_pairs

kinds = st.sampled_from(KINDS)


def n_independent(sample):
    return sample.n if sample.cluster is None else len(set(sample.cluster))


@given(frontier_samples().filter(both_vary), risk_pairs, kinds)
def test_the_statistic_is_what_lies_beyond_and_what_lies_behind(sample, e, kind):
    found = joint_statistic(SupportFunction(**arguments(sample)), e, kind)
    root_n = math.sqrt(n_independent(sample))
    expected = oracles.joint(frontier.arcs(sample), e, kind)
    assert found.value == pytest.approx(root_n * expected, abs=1e-9)
    assert found.value == found.too_far + found.too_near
    assert found.root_n == root_n


@given(frontier_samples().filter(both_vary), risk_pairs, kinds)
def test_tolerances_are_standard_errors_times_a_slowly_growing_factor(sample, e, kind):
    support = SupportFunction(**arguments(sample))
    found = joint_statistic(support, e, kind)
    parts = [part for part in (found.beyond, found.behind) if part is not None]
    factor = math.sqrt(math.log(max(n_independent(sample), 2)))
    assert len(found.tolerances) == len(parts) == (1 if kind == "feasible" else 2)
    for tolerance, part in zip(found.tolerances, parts):
        expected = support.standard_error(part.direction, part.arc) * factor
        if not support._sample.without_spread.any():
            assert tolerance == pytest.approx(expected, rel=1e-12)


@given(risk_pairs, risk_pairs, st.sampled_from([0.0, 0.2]))
def test_targets_move_by_the_derivative_of_what_is_better(e, move, tie):
    expected = [oracles.moved_target(e, move, sector, tie) for sector in range(3)]
    assert_allclose(moved_targets(e, move, tie), expected, atol=1e-6)


@given(frontier_samples().filter(both_vary), st.data())
def test_the_sector_of_an_arc_is_where_its_middle_points(sample, data):
    arcs = SupportFunction(**arguments(sample)).realised
    arc = data.draw(st.integers(0, arcs.breaks.shape[0] - 1))
    middle = arcs.starts[arc] + arcs.starts[arc + 1]
    assert sector_of(arcs, arc) == (0 if middle[1] > 0 else 2 if middle[0] > 0 else 1)


def test_an_unknown_kind_is_refused():
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=["a", "b"])
    with pytest.raises(ValueError, match="kind must be one of 'frontier'"):
        joint_statistic(support, np.zeros(2), "fair")
