import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_frontier as oracles_of_arcs
import oracles_frontier_distances as oracles
from fairrank.frontier import SupportFunction, _distance_region
from fairrank.frontier._distance_region import distance_region, length, supporting_line
from public_calls import SUPPORT, legal_columns
from strategies_frontier import arguments, frontier_samples, populations, risk_pairs


def arcs_of(sample):
    return SupportFunction(**arguments(sample)).realised


@given(
    frontier_samples(max_rows=7), risk_pairs, st.sampled_from(["above", "below"]),
    st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
    st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([-2.0, 0.0, 2.0]),
)
@settings(max_examples=15, deadline=None)
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


@given(
    populations(max_cells=3), risk_pairs, st.sampled_from(["above", "below"]),
    st.sampled_from(["euclidean", "manhattan", "chebyshev"]), st.sampled_from([0.01, 0.1, 0.5]),
)
@settings(max_examples=15, deadline=None)
def test_bounds_of_a_population_are_those_over_grids(population, e, side, metric, reach):
    # h of a set, unlike that of a small sample, leaves an F nearly always.
    sample = population.as_sample()
    region = distance_region(arcs_of(sample), e, side, reach)
    expected = oracles.region(sample, e, side, reach, metric)
    found = region.least(metric), region.largest(metric)
    if expected is None or found[0] is None:
        assert found == (None, None)
        assert oracles.region(sample, e, side, 0.97 * reach, metric) is None
    else:
        assert found == pytest.approx(expected, rel=5e-3, abs=5e-3)


def test_rows_tied_at_an_axis_are_cut_as_on_their_arcs():
    # Exactly in the direction (1, 0) nobody who changes there is treated, and h is less.
    sample = oracles_of_arcs.Sample(
        loss_0=np.array([0.0, 3, 1, 0, 0]), loss_1=np.array([1.0, 2, 1, 1, 1]),
        delta=np.array([[0.0, 1], [0, -1], [1, -2], [-1, 2], [0, -1]]),
        group=np.array([0, 1, 0, 0, 0]),
    )
    e = np.array([-1.5, -1.0])
    found = distance_region(arcs_of(sample), e, "above", 0.3).largest("chebyshev")
    assert found == pytest.approx(3.3724874, abs=1e-6)
    assert found == pytest.approx(oracles.region(sample, e, "above", 0.3, "chebyshev")[1])


def test_risks_that_are_all_zero_leave_what_the_algorithm_may_be_off_by():
    sample = oracles_of_arcs.Sample(
        loss_0=np.zeros(2), loss_1=np.zeros(2), delta=np.array([[-1.0, 0], [2, 1]]),
        group=np.array([0, 1]),
    )
    region = distance_region(arcs_of(sample), np.array([0.0, -0.25]), "above", 0.05)
    assert region.least("euclidean") == pytest.approx(0.2, abs=1e-5)
    assert region.largest("manhattan") == pytest.approx(0.3, abs=0.06)


@given(frontier_samples(), st.sampled_from(["above", "below"]))
@settings(max_examples=40)
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


def test_a_farthest_distance_in_nearly_all_directions_is_bounded_from_above(monkeypatch):
    # The algorithm is the fairest point: F - e lies in nearly a disc around 0, whose outline no
    # polygon of few sides is near to within the precision.
    monkeypatch.setattr(_distance_region, "MAX_ROUNDS", 12)
    columns = legal_columns()
    given = {name: columns[column] for name, column in SUPPORT.items()}
    support = SupportFunction(**{**given, "loss_0": given["loss_0"][::-1]})
    e = support.fairest_point().point
    found = distance_region(support.realised, e, "above", 0.13).largest("euclidean")
    assert 0.13 - 1e-6 <= found <= 1.05 * 0.13
