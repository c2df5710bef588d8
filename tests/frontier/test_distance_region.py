import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_frontier as oracles_of_arcs
import oracles_frontier_distances as oracles
from fairrank.frontier import SupportFunction
from fairrank.frontier._distance_region import distance_region, length, supporting_line
from strategies_frontier import arguments, frontier_samples, risk_pairs


def arcs_of(sample):
    return SupportFunction(**arguments(sample)).realised


@given(
    frontier_samples(max_rows=7), risk_pairs, st.sampled_from(["above", "below"]),
    st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
    st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([-2.0, 0.0, 2.0]),
)
@settings(max_examples=25, deadline=None)
def test_bounds_are_those_of_linear_programs_over_grids(sample, e, side, metric, reach, apart):
    sample = oracles_of_arcs.Sample(**{
        **vars(sample), "loss_0": sample.loss_0 + apart * sample.group,
        "loss_1": sample.loss_1 + apart * sample.group,
    })
    region = distance_region(arcs_of(sample), e, side, reach)
    found = region.least(metric), region.largest(metric)
    expected = oracles.region(sample, e, side, reach, metric)
    if expected is None:
        assert found == (None, None)
    elif found[0] is None:
        # A grid leaves out directions, hence allows a little more.
        assert oracles.region(sample, e, side, 0.97 * reach, metric) is None
    else:
        assert found == pytest.approx(expected, rel=5e-3, abs=5e-3)


@given(frontier_samples(), st.sampled_from(["above", "below"]))
def test_the_supporting_line_is_that_of_the_named_point(sample, side):
    direction, level = supporting_line(arcs_of(sample), side)
    expected = oracles_of_arcs.named_point(sample, side)
    assert level == pytest.approx(direction @ expected, abs=1e-12)
    assert direction @ [1, -1] == pytest.approx(np.sqrt(2) * (1 if side == "above" else -1))


def test_lengths_are_those_of_their_metrics():
    x = np.array([[3.0, -4.0], [0.0, 0.0]])
    expected = {"euclidean": [5, 0], "squared": [25, 0], "manhattan": [7, 0], "chebyshev": [4, 0]}
    for metric, values in expected.items():
        assert length(x, metric).tolist() == values
