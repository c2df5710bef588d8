import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier_distances as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import FrontierDraw, SupportFunction
from fairrank.frontier._group_ban import cost_of_group_ban
from fairrank.frontier._group_ban_band import group_ban_band, largest_move
from strategies_frontier import arguments, both_vary, frontier_samples


def simulated(n, seed=0, design="balanced"):
    data = make_frontier_data(n, design=design, random_state=seed)
    support = SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )
    return support, 1 - 2 * data.probability


def true_cost(q, of_both):
    """Of the population, by its rows' probabilities in both groups."""
    with_group = np.minimum(of_both, 1 - of_both).mean(axis=0)
    without = np.minimum(of_both @ -q.T, (1 - of_both) @ -q.T).mean(axis=0)
    return without + q @ with_group


@given(frontier_samples(max_rows=10).filter(both_vary), st.data())
@settings(max_examples=60, deadline=None)
def test_the_largest_move_of_a_draw_is_that_over_a_grid_of_directions(sample, data):
    exponents = st.integers(-3, 3).map(lambda k: 2.0**k)
    weight = data.draw(st.lists(exponents, min_size=sample.n, max_size=sample.n))
    own = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=sample.n, max_size=sample.n)))
    support = SupportFunction(**arguments(sample))
    least = oracles.seen_risks(sample, own, [-1, -1])
    drawn = oracles.risks(sample, own < 0, weight)
    draw = FrontierDraw(
        arcs=support.reweighted(weight), weight=np.array(weight), risks=drawn[np.newaxis]
    )
    expected = oracles.largest_move(sample, own, weight)
    assert largest_move(support.realised, least)(draw) == pytest.approx(expected, abs=1e-3)


def test_the_band_lies_about_the_pointwise_costs():
    support, own = simulated(1000)
    band = group_ban_band(support, own, n_draws=200, random_state=0)
    costs = [cost_of_group_ban(support, q, own) for q in band.directions]
    assert_allclose(band.cost, [c.statistic for c in costs], atol=1e-12)
    assert_allclose(band.high, np.maximum(0, band.cost + band.half_width))
    assert_allclose(band.low, np.maximum(0, band.cost - band.half_width))
    assert band.half_width > 1.96 * max(c.standard_error for c in costs) * 0.95


@pytest.mark.statistical
@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_the_band_holds_all_true_costs_at_once_as_often_as_it_says(design):
    many = make_frontier_data(100_000, design=design, random_state=99)
    theta = many.theta(many.data)[:, 0] / np.array([0.6, 0.4])
    truth = None
    held = []
    for seed in range(60):
        support, own = simulated(1000, seed, design)
        band = group_ban_band(support, own, n_draws=100, random_state=seed)
        if truth is None:
            truth = true_cost(band.directions, theta)
        held.append(((band.low <= truth) & (truth <= band.high)).all())
    assert np.mean(held) >= 0.9


def test_directions_are_scaled_and_draws_do_not_depend_on_jobs():
    support, own = simulated(500)
    options = {"directions": [[-1, -1], [-3, 0]], "n_draws": 60, "random_state": 3}
    one, two = (group_ban_band(support, own, n_jobs=jobs, **options) for jobs in (1, 2))
    assert_allclose(one.directions, [[-(0.5**0.5)] * 2, [-1, 0]])
    assert one.half_width == two.half_width
    assert json.loads(json.dumps(one.to_dict()))["group_names"] == ["r", "b"]
    assert "2 directions" in repr(one)


def test_bad_directions_are_named():
    support, own = simulated(100)
    with pytest.raises(ValueError, match=r"row 1, \[1.0, -1.0\], weighs a risk as a good"):
        group_ban_band(support, own, directions=[[-1.0, 0.0], [1.0, -1.0]])


def test_rows_repeated_within_clusters_leave_the_width_as_it_is():
    data = make_frontier_data(400, random_state=1)
    twice = np.tile(np.arange(400), 2)

    def width(rows, **options):
        support = SupportFunction(
            data.target[rows] != 0, data.target[rows] != 1, data.delta_theta(data.data)[rows],
            sensitive_features=data.sensitive_features[rows], **options,
            group_names=data.group_names,
        )
        own = (1 - 2 * data.probability)[rows]
        return group_ban_band(support, own, n_draws=600, random_state=0).half_width

    once, clustered, independent = (
        width(np.arange(400)), width(twice, clusters=twice), width(twice)
    )
    assert clustered == pytest.approx(once, rel=0.12)
    assert independent == pytest.approx(once / np.sqrt(2), rel=0.12)
    weight = np.repeat([1, 2], 200)
    rows = np.repeat(np.arange(400), weight)
    assert width(np.arange(400), sample_weight=weight) == pytest.approx(
        width(rows, clusters=rows), rel=0.12
    )
