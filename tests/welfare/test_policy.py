"""welfare_optimal_policy against the linear program and the definitions, ties and all."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_welfare as oracles
from fairrank.exceptions import DegenerateGroupError, InfeasibleError
from fairrank.welfare import welfare_optimal_policy
from strategies_welfare import Problem, problems

CLOSE = 1e-9


def solved(problem, **options):
    return welfare_optimal_policy(
        problem.revenue, problem.utility, sensitive_features=problem.group,
        sample_weight=problem.weight, tolerance=problem.tolerance,
        rejected_utility=problem.rejected_utility, **options,
    )


def value(problem, policy):
    """The oracle's sums of what each row gets; rejection is left out of its columns."""
    acceptance = policy.acceptance
    if acceptance.ndim == 2 and problem.rejected_utility is not None:
        acceptance = acceptance[:, 1:]
    return oracles.policy_value(
        acceptance, problem.revenue, problem.utility, problem.group, problem.weight,
        problem.rejected_utility,
    )


def knife_edge(problem):
    return abs(oracles.best_welfare(**problem.arguments).slack) < CLOSE


def agrees_with_the_program(problem, method):
    best = oracles.best_policy(**problem.arguments)
    if knife_edge(problem):
        return
    if not best.feasible:
        with pytest.raises(InfeasibleError):
            solved(problem, method=method)
        return
    policy = solved(problem, method=method)
    summed = value(problem, policy)
    size = max(1.0, float(np.abs(problem.revenue).max()))
    lost = 1e-6 * size if method == "search" else CLOSE * size
    assert summed.revenue == pytest.approx(best.revenue, abs=lost)
    assert policy.revenue == pytest.approx(summed.revenue, abs=CLOSE)
    assert policy.welfare == pytest.approx(summed.welfare, abs=CLOSE)
    assert np.ptp(summed.welfare) <= problem.tolerance + CLOSE
    assert policy.upper_bound >= best.revenue - CLOSE * size
    assert policy.optimality_gap <= lost + CLOSE * size


@settings(max_examples=300)
@given(problem=problems())
def test_the_sweep_is_the_linear_program(problem):
    agrees_with_the_program(problem, "sweep")


@given(problem=problems())
def test_the_librarys_own_linear_program_is_the_oracles(problem):
    agrees_with_the_program(problem, "linprog")


@settings(max_examples=50)
@given(problem=problems())
def test_the_search_comes_within_its_epsilon(problem):
    agrees_with_the_program(problem, "search")


@given(problem=problems(rejected=("zero", "number")))
def test_multipliers_are_super_gradients_that_sum_to_nothing(problem):
    policy = solved(problem)
    scale = 1 + np.abs(policy.multiplier).max()
    assert policy.share @ policy.multiplier == pytest.approx(0, abs=CLOSE * scale)
    for g, label in enumerate(policy.groups):
        if label in policy.raised_groups:
            assert policy.multiplier[g] <= CLOSE * scale
        if label in policy.lowered_groups:
            assert policy.multiplier[g] >= -CLOSE * scale


# Group 1 has revenue .1 * 3 at one end and .3 at the other, so that only rounding makes a slope.
ROUNDING_SLOPES = Problem(
    revenue=np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0.1, 0.3, 0.1 * 3]]),
    utility=np.array([[1, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0.1, -0.1, 0.1]]),
    group=np.array([0, 1, 2, 3, 0, 1]), weight=None, tolerance=0.0, rejected_utility=0.0,
)


@example(problem=ROUNDING_SLOPES)
@given(problem=problems())
def test_of_equal_optima_the_nearest_to_the_least_unconstrained_welfare_is_taken(problem):
    best = oracles.best_welfare(**problem.arguments)
    if best.slack < CLOSE:
        return
    policy = solved(problem)
    least = oracles.policy_value(
        oracles.unconstrained(problem.revenue, problem.rejected_utility), problem.revenue,
        problem.utility, problem.group, problem.weight, problem.rejected_utility,
    ).welfare.min()
    edge = float(np.clip(least, float(best.lowest), float(best.highest)))
    # Every group is where its own welfare, clipped to [edge, edge + tolerance], would be.
    free = policy.unconstrained.welfare
    wanted = np.clip(free, edge, edge + problem.tolerance)
    reach = [(one.welfare[0], one.welfare[-1]) for one in policy.frontiers.values()]
    wanted = [np.clip(w, *ends) for w, ends in zip(wanted, reach)]
    assert policy.welfare == pytest.approx(wanted, abs=1e-7)


@given(problem=problems(n_options=(1, 1), rejected=("zero",)))
def test_frontiers_are_the_oracles(problem):
    policy = solved(problem)
    for label, frontier in policy.frontiers.items():
        rows = problem.group == label
        weight = None if problem.weight is None else problem.weight[rows]
        corners = oracles.group_frontier(problem.revenue[rows], problem.utility[rows], weight)
        welfare, revenue = np.array(corners, dtype=float).T
        size = 1 + np.abs(problem.revenue).max()
        for at in (frontier.welfare, welfare):
            assert np.interp(at, frontier.welfare, frontier.revenue) == pytest.approx(
                np.interp(at, welfare, revenue), abs=CLOSE * size
            )


@given(problem=problems(kind="grid", weighted=False), data=st.data())
def test_integer_weights_are_repetitions(problem, data):
    n = len(problem.group)
    counts = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    again = np.repeat(np.arange(n), counts)
    rejected = problem.rejected_utility
    varies = isinstance(rejected, np.ndarray)
    options = {"tolerance": problem.tolerance}
    try:
        weighted = welfare_optimal_policy(
            problem.revenue, problem.utility, sensitive_features=problem.group,
            sample_weight=counts, rejected_utility=rejected, **options,
        )
    except InfeasibleError:
        return
    repeated = welfare_optimal_policy(
        problem.revenue[again], problem.utility[again],
        sensitive_features=problem.group[again],
        rejected_utility=rejected[again] if varies else rejected, **options,
    )
    assert repeated.acceptance == pytest.approx(weighted.acceptance[again], abs=CLOSE)
    assert repeated.revenue == pytest.approx(weighted.revenue, abs=CLOSE)


@given(problem=problems(n_options=(1, 1), rejected=("zero", "number")))
def test_one_option_is_a_menu_of_two(problem):
    plain = solved(problem)
    menu = welfare_optimal_policy(
        np.column_stack([np.zeros(len(problem.group)), problem.revenue]),
        np.column_stack([np.full(len(problem.group), problem.rejected_utility), problem.utility]),
        sensitive_features=problem.group, sample_weight=problem.weight,
        tolerance=problem.tolerance, rejected_utility=None,
    )
    assert menu.revenue == pytest.approx(plain.revenue, abs=CLOSE)
    assert menu.acceptance[:, 1] == pytest.approx(plain.acceptance, abs=1e-7)


@given(problem=problems())
def test_the_rule_gives_the_same_rows_the_same_decision(problem):
    try:
        policy = solved(problem)
    except InfeasibleError:
        return
    if isinstance(problem.rejected_utility, np.ndarray):
        return  # one a row serves those rows only, which another test says
    again = policy.acceptance_probability(
        problem.revenue, problem.utility, sensitive_features=problem.group
    )
    assert (again == policy.acceptance).all()


@pytest.mark.parametrize(
    "example", [oracles.example_three, oracles.example_nine, oracles.example_ten]
)
@pytest.mark.parametrize("method", ["sweep", "linprog", "search"])
def test_the_papers_examples(example, method):
    loans, _ = example()
    group = np.asarray(loans.group)
    for utility in (np.asarray(loans.equal_opportunity), np.ones(group.size)):
        policy = welfare_optimal_policy(
            loans.revenue, utility, sensitive_features=group, sample_weight=loans.weight,
            method=method,
        )
        best = oracles.best_policy(loans.revenue, utility, group, loans.weight)
        assert policy.revenue == pytest.approx(best.revenue, abs=1e-6)


def test_example_three_lowers_the_group_that_is_worse_off():
    loans, _ = oracles.example_three()
    policy = welfare_optimal_policy(
        loans.revenue, loans.equal_opportunity, sensitive_features=loans.group
    )
    assert policy.welfare == pytest.approx([6 / 7, 6 / 7])
    assert policy.revenue == pytest.approx(19 / 84)
    assert policy.lowered_groups == (1,)
    accepted = policy.acceptance[np.asarray(loans.group) == 1]
    assert accepted.mean() == pytest.approx(2 / 7)  # 1/3 without the condition


def test_the_middle_of_three_groups_can_lose():
    # Welfare .25, .5 and 1 without the condition, .25 for all with it.
    revenue = np.r_[1.0, -9, -9, -9, 1, 1, -9, -9, 1, 1, 1, 1]
    policy = welfare_optimal_policy(
        revenue, np.ones(12), sensitive_features=np.repeat(["a", "b", "c"], 4)
    )
    assert policy.unconstrained.welfare.tolist() == [0.25, 0.5, 1.0]
    assert policy.welfare.tolist() == [0.25, 0.25, 0.25]
    assert policy.lowered_groups == ("b", "c")
    assert policy.disadvantaged_group == "a"


@given(problem=problems(worthless=True, rejected=("zero",)))
def test_a_group_that_no_decision_serves_is_an_error_unless_others_may_differ(problem):
    if problem.tolerance == 0:
        for options in ({}, {"method": "linprog"}, {"method": "search"}):
            with pytest.raises(DegenerateGroupError, match="no decision changes the welfare of"):
                solved(problem, **options)
        return
    agrees_with_the_program(problem, "sweep")
    agrees_with_the_program(problem, "linprog")
    agrees_with_the_program(problem, "search")


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6])
def test_the_search_keeps_its_epsilon_whatever_the_unit_of_utility(scale):
    rng = np.random.default_rng(0)
    revenue, utility = rng.normal(size=300), scale * rng.random(300)
    group = rng.integers(0, 3, 300)
    best = welfare_optimal_policy(revenue, utility, sensitive_features=group)
    found = welfare_optimal_policy(
        revenue, utility, sensitive_features=group, method="search", search_tol=1e-6
    )
    assert best.revenue - found.revenue <= 1e-6 * np.abs(revenue).max()
    cuts = found.rule.cut_low <= found.multiplier, found.multiplier <= found.rule.cut_high
    assert np.all(cuts)


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e200])
def test_only_ratios_of_weights_count(unit):
    rng = np.random.default_rng(0)
    revenue, utility = rng.normal(size=60), 1e-20 * rng.random(60)
    weight, group = rng.random(60), rng.integers(0, 2, 60)
    plain = welfare_optimal_policy(
        revenue, utility, sensitive_features=group, sample_weight=weight
    )
    scaled = welfare_optimal_policy(
        revenue, utility, sensitive_features=group, sample_weight=unit * weight
    )
    assert scaled.acceptance == pytest.approx(plain.acceptance, abs=1e-9)
    assert scaled.revenue == pytest.approx(plain.revenue, rel=1e-12)


def test_ties_are_taken_in_part_and_whole_where_the_true_ratio_is_one():
    # r / u is .1 for all, in many floats.
    scale = np.array([1, 3, 7, 9, 11, 13, 0.3, 0.7, 1.7, 1e-3])
    revenue = np.r_[0.1 * scale, 1.0, -1.0]
    utility = np.r_[scale, 1.0, 1.0]
    policy = welfare_optimal_policy(
        revenue, utility, sensitive_features=["a"] * 10 + ["b"] * 2, tolerance=1.0
    )
    assert policy.frontiers["a"].slope.size == 1
    assert policy.optimality_gap < 1e-12
