"""The support function against sums over rows, direction by direction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from strategies_frontier import angles, arguments, frontier_samples, populations


def support_of(sample, **changes):
    return SupportFunction(**{**arguments(sample), **changes})


@given(frontier_samples(), st.lists(angles, min_size=1, max_size=5), st.floats(0.01, 100))
def test_h_is_the_sum_over_rows_in_every_direction(sample, turned, length):
    q = length * np.array([oracles.direction(a) for a in turned])
    expected = [oracles.h(sample, x) for x in q]
    found = support_of(sample).h(q)
    assert_allclose(found, expected, atol=1e-12 * length, rtol=1e-12)
    assert support_of(sample).h(q[0]) == found[0]


@given(frontier_samples(kinds=("continuous",)), st.data())
def test_h_exactly_at_a_break_treats_nobody_who_changes_there(sample, data):
    row = data.draw(st.integers(0, sample.n - 1))
    x, y = sample.delta[row] / sample.share
    for q in ([y, -x], [-y, x]):
        assert_allclose(support_of(sample).h(q), oracles.h(sample, q), atol=1e-12, rtol=1e-12)


@given(frontier_samples())
def test_arcs_are_the_intervals_between_the_breaks_of_rows(sample):
    support = support_of(sample)
    expected = oracles.arcs(sample)
    assert support.realised.n_arcs == len(expected)
    starts = [oracles.direction(a) for a, _, _ in expected]
    assert_allclose(support.arc_starts, starts, atol=1e-9)
    assert_allclose(support.support_points, [s for _, _, s in expected], atol=1e-12)


@given(frontier_samples())
def test_opposite_arcs_have_points_of_one_sum(sample):
    points = support_of(sample).support_points
    half = len(points) // 2
    assert_allclose(points[:half] + points[half:], (points[0] + points[half]) * np.ones((half, 1)))


@given(frontier_samples(), st.lists(angles, min_size=1, max_size=5))
def test_the_plug_in_is_half_the_mean_size_of_k_about_a_fair_coin(sample, turned):
    q = np.array([oracles.direction(a) for a in turned])
    expected = [oracles.h_plug_in(sample, x) for x in q]
    assert_allclose(support_of(sample).plug_in.h(q), expected, atol=1e-12)


def of_known_theta(n, seed):
    data = make_frontier_data(n, random_state=seed)
    return SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names,
    )


def test_centred_on_the_coin_the_plug_in_is_nearer_than_the_realised_level():
    q = np.array([oracles.direction(a) for a in np.linspace(3, 7, 9) * np.pi / 4])
    truth = of_known_theta(200_000, 99).plug_in.h(q)
    errors = {"plug_in": [], "realised": []}
    for seed in range(40):
        support = of_known_theta(1000, seed)
        for name, found in errors.items():
            found.append(getattr(support, name).h(q) - truth)
    root = {name: np.sqrt(np.mean(np.square(found))) for name, found in errors.items()}
    assert root["plug_in"] < 0.6 * root["realised"]


@given(frontier_samples())
def test_the_plug_in_turns_left_at_every_break(sample):
    arcs = support_of(sample).plug_in
    points = arcs.support_points
    edge = np.roll(points, -1, axis=0) - points
    normal = np.roll(arcs.starts, -1, axis=0)
    along = normal[:, 0] * edge[:, 1] - normal[:, 1] * edge[:, 0]
    assert along.min() >= -1e-12
    assert_allclose(np.einsum("ij,ij->i", normal, edge), 0, atol=1e-11)


@given(populations())
def test_a_population_gives_the_hull_of_its_rules(population):
    support = support_of(population.as_sample())
    rules = population.all_deterministic()
    for angle in np.arange(24) * np.pi / 12 + 0.1:
        q = oracles.direction(angle)
        expected = oracles.hull_support(rules, q)
        assert support.h(q) == pytest.approx(expected, abs=1e-12)
        assert support.plug_in.h(q) == pytest.approx(expected, abs=1e-12)
        # Attained by a rule.
        assert np.abs(rules - support.support_point(q)).max(axis=1).min() < 1e-12


@given(frontier_samples())
def test_best_points_are_taken_just_inside_the_frontier(sample):
    expected = [oracles.named_point(sample, name) for name in "RB"]
    assert_allclose(support_of(sample).best_points, expected, atol=1e-12)


@given(frontier_samples(), angles)
def test_decisions_attain_h(sample, angle):
    support, q = support_of(sample), oracles.direction(angle)
    decided = support.decisions(q)
    assert_array_equal(decided, oracles.treated(sample, q, oracles.one_side_of(q)))
    assert_allclose(oracles.risks(sample, decided), support.support_point(q), atol=1e-12)


@given(frontier_samples(), st.data())
def test_decisions_of_an_arc_attain_its_point(sample, data):
    support = support_of(sample)
    arc = data.draw(st.integers(0, support.realised.n_arcs - 1))
    q = support.arc_starts[arc]
    decided = support.decisions(q, arc)
    assert_allclose(oracles.risks(sample, decided), support.support_points[arc], atol=1e-12)
    assert_allclose(support.support_point(q, arc), support.support_points[arc], atol=1e-12)
    assert support.h(q, arc) == pytest.approx(q @ support.support_points[arc])


def test_noise_of_equal_directions_makes_no_arcs():
    rng = np.random.default_rng(0)
    n = 3000
    direction = rng.integers(0, 9, n) * np.pi / 4.5 + 0.1
    delta = np.column_stack([np.cos(direction), np.sin(direction)]) * rng.random((n, 1))
    delta *= 1 + 1e-15 * rng.standard_normal((n, 2))
    y = rng.integers(0, 2, n)
    support = SupportFunction(
        y != 0, y != 1, delta, sensitive_features=rng.integers(0, 2, n)
    )
    assert support.realised.n_arcs == 2 * (9 + 3)


def test_near_directions_do_not_chain_into_one_block():
    n = 50
    angle = 0.3 + 0.7e-12 * np.arange(n)
    delta = np.column_stack([np.cos(angle), np.sin(angle)])
    support = SupportFunction(
        np.zeros(n), np.ones(n), delta, sensitive_features=np.arange(n) % 2
    )
    # Every second row is 1.4e-12 from the first of its block.
    assert support.realised.n_arcs == 2 * (n // 2 + 3)


def test_sums_over_many_rows_keep_their_digits():
    data = make_frontier_data(50_000, random_state=0)
    delta = data.delta_theta(data.data)
    group = np.where(data.sensitive_features == "r", 0, 1)
    support = SupportFunction(
        data.target != 0, data.target != 1, delta, sensitive_features=group
    )
    share = np.bincount(group) / group.size
    for q in np.random.default_rng(0).standard_normal((20, 2)):
        wrong = np.where(delta @ (q / share) > 0, data.target != 1, data.target != 0)
        risks = [wrong[group == g].sum() / (group == g).sum() for g in (0, 1)]
        assert support.h(q) == pytest.approx(q @ risks, abs=1e-14)


def test_rows_without_a_difference_are_never_treated():
    support = SupportFunction(
        [1, 1, 1, 1], [0, 0, 0, 0], [[0, 0], [0, -0.0], [0.1, 0], [0, 0.1]],
        sensitive_features=[0, 1, 0, 1],
    )
    assert not support.decisions([-1, -1]).any()
    assert support.decisions([1, 1]).tolist() == [False, False, True, True]
    assert support.h([-1, -1]) == -2.0


@given(frontier_samples(), angles)
def test_swapping_the_groups_swaps_the_coordinates(sample, angle):
    q = oracles.direction(angle)
    swapped = support_of(sample, delta_theta=sample.delta[:, ::-1], group_names=(1, 0))
    assert swapped.group_names == (1, 0)
    assert swapped.h(q[::-1]) == pytest.approx(support_of(sample).h(q), abs=1e-12)
    assert_allclose(
        swapped.best_points[::-1, ::-1], support_of(sample).best_points, atol=1e-12
    )


@given(frontier_samples(), st.randoms(use_true_random=False), angles)
def test_the_order_of_rows_does_not_matter(sample, random, angle):
    rows = list(range(sample.n))
    random.shuffle(rows)
    moved = oracles.Sample(
        **{k: v if v is None else v[rows] for k, v in vars(sample).items()}
    )
    q = oracles.direction(angle)
    assert support_of(moved).h(q) == pytest.approx(support_of(sample).h(q), abs=1e-12)


@given(frontier_samples(), angles)
def test_weights_count_rows_as_often_as_repeating_them(sample, angle):
    repeats = np.ones(sample.n, dtype=int) if sample.weight is None else sample.weight.astype(int)
    rows = np.repeat(np.arange(sample.n), repeats)
    longer = oracles.Sample(
        loss_0=sample.loss_0[rows], loss_1=sample.loss_1[rows], delta=sample.delta[rows],
        group=sample.group[rows],
    )
    q = oracles.direction(angle)
    assert support_of(longer).h(q) == pytest.approx(support_of(sample).h(q), abs=1e-12)


@given(
    st.integers(3, 4).flatmap(lambda g: frontier_samples(n_groups=g)), st.data()
)
def test_several_groups_are_summed_one_direction_at_a_time(sample, data):
    entries = st.lists(
        st.integers(-3, 3), min_size=sample.n_groups, max_size=sample.n_groups
    )
    q = np.array(data.draw(entries.filter(any)), dtype=float)
    support = support_of(sample)
    assert support.h(q) == pytest.approx(oracles.h(sample, q), abs=1e-12)
    assert_allclose(support.support_point([q, 2 * q])[1], support.support_point(q))
    expected = []
    for g in range(sample.n_groups):
        unit = -np.eye(sample.n_groups)[g]
        expected.append(oracles.support_point(sample, unit, -1.0 - unit))
    assert_allclose(support.best_points, expected, atol=1e-12)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.realised, lambda s: s.plug_in, lambda s: s.skew, lambda s: s.side,
        lambda s: s.feasible_set, lambda s: s.frontier(), lambda s: s.pareto_frontier(),
        lambda s: s.fairest_point(), lambda s: s.separation([0, 0]),
        lambda s: s.largest_excess([0, 0]), lambda s: s.on_frontier([0, 0]),
        lambda s: s.draws(lambda d: 0, 1), lambda s: s.reweighted(None),
        lambda s: s.h([1, 0, 0], 0), lambda s: s.support_points, lambda s: s.arc_starts,
        lambda s: s.decisions([1, 0, 0], 0),
    ],
)
def test_what_is_for_two_groups_says_so(ask):
    support = SupportFunction(
        [0, 1, 0], [1, 0, 1], np.eye(3), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match=r"is for two groups, .* holds 3: 'a', 'b', 'c'"):
        ask(support)


def test_the_repr_names_rows_groups_and_arcs():
    data = make_frontier_data(100, random_state=0)
    support = SupportFunction(
        data.target, 1 - data.target, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=("r", "b"),
    )
    assert repr(support) == "SupportFunction(100 rows, groups 'r', 'b', 206 arcs)"
    assert repr(support.realised) == "Arcs(206 arcs)"
    assert support.n_samples == 100
    assert support.group_shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([1, 2, 3], r"q must have shape \(2,\) or \(m, 2\)"),
        ([[1], [2]], r"q must have shape \(2,\) or \(m, 2\)"),
        ([[1, 0], [0, 0]], "q holds the direction 0"),
        ([np.nan, 1], "q has 1 NaN"),
    ],
)
def test_a_bad_direction_is_named(q, message):
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(ValueError, match=message):
        support.h(q)


def test_an_influence_is_of_one_direction():
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=[0, 1])
    with pytest.raises(ValueError, match="q must be one direction here"):
        support.influence(np.eye(2))
