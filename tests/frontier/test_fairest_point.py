import json

import numpy as np
import pytest
from hypothesis import assume, given
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from strategies_frontier import arguments, frontier_samples, populations

METHODS = ("plug_in", "infimum", "crossing")


def support_of(sample):
    return SupportFunction(**arguments(sample))


def simulated(n, design, seed):
    data = make_frontier_data(n, design=design, random_state=seed)
    return data, SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )


@given(frontier_samples())
def test_the_side_is_that_of_the_realised_ends(sample):
    above, below = (oracles.named_point(sample, name) for name in ("above", "below"))
    gap_r, gap_b = above[0] - above[1], below[1] - below[0]
    assume(min(abs(gap_r), abs(gap_b)) > 1e-9)
    expected = "above" if gap_r < 0 < gap_b else "below" if gap_b < 0 < gap_r else "across"
    support = support_of(sample)
    assert support.side == expected
    if expected != "across":
        for method in METHODS:
            fairest = support.fairest_point(method)
            expected_point = oracles.named_point(sample, expected)
            assert_allclose(fairest.point, expected_point, atol=1e-12)
            assert support.h(fairest.direction) == pytest.approx(
                fairest.direction @ fairest.point, abs=1e-12
            )


@given(frontier_samples())
def test_the_infimum_is_the_largest_level_over_all_arcs(sample):
    support = support_of(sample)
    assume(support.side == "across")
    found = support.fairest_point("infimum")
    expected = oracles.smallest_equal_risk(oracles.arcs(sample))
    assert_allclose(found.point, [expected, expected], atol=1e-9)
    q = found.direction
    assert support.h(q, found.arc) / q.sum() == pytest.approx(found.point[0], abs=1e-12)


@given(frontier_samples())
def test_the_plug_in_level_is_the_realised_one_in_the_zonogons_direction(sample):
    support = support_of(sample)
    found = support.fairest_point()
    assume(found.side == "across" and found.method == "plug_in")
    q = found.direction
    assert found.point[0] == pytest.approx(support.h(q) / q.sum(), abs=1e-12)
    grid = [oracles.direction(a) for a in np.linspace(2.357, 5.497, 400)]
    best = max(support.plug_in.h(x) / x.sum() for x in grid)
    assert support.plug_in.h(q) / q.sum() >= best - 1e-12


@given(populations())
def test_all_methods_find_the_fairest_point_of_a_population(population):
    support = support_of(population.as_sample())
    rules = population.all_deterministic()
    gaps = rules[:, 0] - rules[:, 1]
    assume(np.abs(gaps).min() > 1e-9)
    if gaps.min() > 0 or gaps.max() < 0:
        nearest = np.abs(gaps).min()
        level = [min(r.sum() for r in rules if abs(r[0] - r[1]) < nearest + 1e-9)]
    else:
        # The lowest crossing of a segment between two rules with the line of equal risks.
        level = [
            2 * (a + (b - a) * (a[1] - a[0]) / ((b - a)[0] - (b - a)[1]))[0]
            for a in rules[gaps < 0] for b in rules[gaps > 0]
        ]
    for method in METHODS:
        found = support.fairest_point(method)
        assert found.point.sum() == pytest.approx(min(level), abs=1e-9)


@pytest.mark.parametrize("design", ["balanced", "r_skewed"])
def test_methods_agree_with_the_truth_within_the_error_of_the_sample(design):
    errors = {method: [] for method in METHODS}
    for seed in range(20):
        data, support = simulated(4000, design, seed)
        for method in METHODS:
            errors[method].append(support.fairest_point(method).point[0] - data.fairest_point[0])
    mean = {method: np.mean(values) for method, values in errors.items()}
    noise = np.std(errors["plug_in"]) / 20**0.5
    assert abs(mean["plug_in"]) < 4 * noise
    # The infimum chooses its direction by the noise that it then takes for a level.
    assert (np.array(errors["infimum"]) >= np.array(errors["plug_in"]) - 1e-12).all()
    assert mean["infimum"] > mean["plug_in"] + 0.002


@pytest.mark.parametrize(("shift", "side"), [((0, 3), "above"), ((3, 0), "below")])
def test_losses_of_one_group_put_all_risks_on_one_side(shift, side):
    data = make_frontier_data(3000, random_state=0)
    extra = np.where(data.sensitive_features == "r", *shift)
    support = SupportFunction(
        (data.target != 0) + extra, (data.target != 1) + extra, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )
    assert support.side == side
    assert support.skew == ("r" if side == "above" else "b")
    assert support.skewed_towards == (support.skew,)
    fairest = support.fairest_point()
    assert fairest.side == side
    read = json.loads(json.dumps(fairest.to_dict()))
    assert (read["point"], read["arc"]) == (fairest.point.tolist(), fairest.arc)
    points = support.support_points
    gap = np.abs(fairest.point[0] - fairest.point[1])
    assert gap == pytest.approx(np.abs(points[:, 0] - points[:, 1]).min(), abs=0.02)


def test_where_the_plug_in_is_on_one_side_only_the_crossing_is_taken():
    # The estimates see nothing of what group b can gain.
    support = SupportFunction(
        [0, 0, 1, 1], [0, 0, 0, 0], [[0, 0], [0, 0], [0, -1e-6], [0, -1e-6]],
        sensitive_features=[0, 0, 1, 1],
    )
    assert support.side == "across"
    assert support.plug_in.h([-1, 1]) > 0 > support.plug_in.h([1, -1])
    found = support.fairest_point()
    assert found.method == "crossing"
    assert_allclose(found.point, 0)


def test_a_bad_method_is_named():
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(ValueError, match="method must be one of"):
        support.fairest_point("best")


@pytest.mark.parametrize("names", [("r", "b"), ("b", "r")])
def test_a_skew_is_named_by_the_group_however_coordinates_are_ordered(names):
    data = make_frontier_data(3000, random_state=0)
    extra = np.where(data.sensitive_features == "b", 3, 0)
    order = [data.group_names.index(name) for name in names]
    support = SupportFunction(
        (data.target != 0) + extra, (data.target != 1) + extra,
        data.delta_theta(data.data)[:, order], sensitive_features=data.sensitive_features,
        group_names=names,
    )
    assert support.skewed_towards == ("r",)
    assert support.skew == "rb"[names.index("r")]
