"""The welfare oracle against numbers worked by hand, and against itself by another way."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_welfare as oracle
from fairrank.datasets import load_fico
from strategies_welfare import TENTHS, problems

EXAMPLES = {
    "3": oracle.example_three, "9": oracle.example_nine, "10": oracle.example_ten,
}
approx = pytest.approx
close = {"rel": 1e-9, "abs": 1e-9}


def fairly_priced(loans, utility):
    return oracle.best_policy(loans.revenue, utility, loans.group, loans.weight)


# ---------------------------------------------------------------- the paper's examples

@pytest.mark.parametrize("number", EXAMPLES)
def test_the_unconstrained_policy_is_the_one_of_the_example(number):
    loans, expected = EXAMPLES[number]()
    taken = oracle.unconstrained(loans.revenue)
    value = oracle.policy_value(
        taken, loans.revenue, loans.equal_opportunity, loans.group, loans.weight
    )
    np.testing.assert_array_equal(taken[:, 0], expected["unconstrained_acceptance"])
    assert value.revenue == approx(expected["unconstrained_revenue"], **close)


@pytest.mark.parametrize("number", ["3", "9"])
def test_equal_opportunity_costs_what_the_example_says(number):
    loans, expected = EXAMPLES[number]()
    best = fairly_priced(loans, loans.equal_opportunity)
    assert best.acceptance[:, 0] == approx(np.array(expected["acceptance"]), **close)
    assert best.revenue == approx(expected["revenue"], **close)
    assert best.welfare == approx(np.array(expected["welfare"]), **close)


def test_equal_opportunity_harms_group_one_of_example_three():
    loans, expected = oracle.example_three()
    wanted = np.ones(6)
    before, after = (
        oracle.welfare(taken, wanted, loans.group, loans.weight)
        for taken in (
            oracle.unconstrained(loans.revenue),
            fairly_priced(loans, loans.equal_opportunity).acceptance,
        )
    )
    assert before == approx(np.array(expected["unconstrained_underlying_welfare"]), **close)
    assert after == approx(np.array(expected["underlying_welfare"]), **close)


def test_group_zero_of_example_three_gets_six_sevenths_unconstrained():
    loans, expected = oracle.example_three()
    got = oracle.welfare(
        oracle.unconstrained(loans.revenue), loans.equal_opportunity, loans.group, loans.weight
    )
    assert got == approx(np.array(expected["unconstrained_welfare"]), **close)


def test_parity_in_example_nine_lends_to_one_cell_of_each_group():
    loans, expected = oracle.example_nine()
    best = fairly_priced(loans, np.ones(4))
    assert best.acceptance[:, 0] == approx(np.array(expected["parity_acceptance"]), **close)
    assert best.revenue == approx(expected["parity_revenue"], **close)
    assert best.welfare == approx(np.array(expected["parity_welfare"]), **close)


@pytest.mark.parametrize("kind", ["equal_opportunity", "parity"])
def test_equal_welfare_is_free_in_example_ten(kind):
    loans, expected = oracle.example_ten()
    utility = np.ones(4) if kind == "parity" else loans.equal_opportunity
    best = fairly_priced(loans, utility)
    assert best.revenue == approx(expected["unconstrained_revenue"], **close)
    welfare = expected["parity_welfare" if kind == "parity" else "welfare"]
    assert best.welfare == approx(np.array(welfare), **close)


def test_nobody_is_lent_to_in_example_ten_when_the_group_is_not_seen():
    loans, expected = oracle.example_ten()
    p = oracle.unaware_p(loans)
    assert p == approx(np.array(expected["unaware_p"]), **close)
    taken = oracle.unconstrained(oracle.loan_revenue(p, loans.gain, loans.loss))
    np.testing.assert_array_equal(taken[:, 0], expected["unaware_acceptance"])


def test_a_loan_that_repays_with_the_threshold_probability_earns_exactly_nothing():
    for gain, loss in itertools.product(range(1, 21), repeat=2):
        assert oracle.loan_revenue(loss / (gain + loss), float(gain), float(loss)) == 0.0


# ---------------------------------------------------------------- credit scores

@pytest.mark.parametrize("ratio", [1.0, 3.0, 5.0, 10.0])
@pytest.mark.parametrize("utility", list(oracle.FICO_PRICES))
def test_the_price_of_fairness_on_credit_scores_is_the_printed_one(utility, ratio):
    fico = load_fico()
    loans = oracle.fico_loans(
        fico.mass, fico.default_rate, fico.totals, fico.groups, loss=ratio
    )
    of_rows = np.ones(loans.p.size) if utility == "demographic_parity" else loans.equal_opportunity
    price, change = oracle.price_of_fairness(loans, of_rows)
    assert round(100 * price, 1) == oracle.FICO_PRICES[utility][ratio]
    labels = np.unique(loans.group)
    assert list(labels[change > 0]) == oracle.FICO_RAISED
    assert list(labels[change < 0]) == oracle.FICO_LOWERED


# ---------------------------------------------------------------- small cases by hand

def test_a_group_without_utility_keeps_the_other_at_zero():
    best = oracle.best_policy([1.0, 1.0], [0.0, 2.0], [0, 1])
    assert (best.revenue, *best.welfare) == approx((0.5, 0.0, 0.0), **close)


def test_a_tolerance_lets_the_better_off_keep_that_much():
    best = oracle.best_policy([-2.0, 1.0], [1.0, 1.0], [0, 1], tolerance=0.25)
    assert (best.revenue, *best.welfare) == approx((0.125, 0.0, 0.25), **close)


def test_a_negative_utility_is_raised_by_rejecting():
    # Both rows of group 0 earn 1, and one is harmed by it.
    best = oracle.best_policy([1.0, 1.0, 2.0], [2.0, -1.0, 0.75], [0, 0, 1])
    assert (best.revenue, *best.welfare) == approx((3.5 / 3, 0.75, 0.75), **close)
    assert best.acceptance[:, 0] == approx(np.array([1.0, 0.5, 1.0]), **close)


def test_rejected_rows_keep_their_own_utility():
    value = oracle.policy_value([1.0, 0.25], [2.0, 4.0], [3.0, 1.0], [0, 0], None, [9.0, 5.0])
    assert (value.welfare[0], value.revenue) == approx(((3 + 0.25 + 0.75 * 5) / 2, 1.5))


def test_groups_that_no_option_brings_together_are_infeasible():
    case = {
        "revenue": np.ones((2, 2)), "utility": [[0.0, 1.0], [2.0, 3.0]], "group": [0, 1],
        "rejected_utility": None,
    }
    assert not oracle.best_policy(**case).feasible
    assert oracle.best_welfare(**case).slack == -1.0
    assert oracle.best_policy(**case, tolerance=1.0).feasible


def test_the_reject_option_rescues_groups_that_no_option_brings_together():
    best = oracle.best_policy(np.ones((2, 2)), [[0.0, 1.0], [2.0, 3.0]], [0, 1])
    assert best.welfare == approx(np.array([1.0, 1.0]), **close)
    assert best.revenue == approx(0.75, **close)


def test_only_differing_rejected_utilities_make_one_option_infeasible():
    assert not oracle.best_policy([1.0, 1.0], [1.0, 4.0], [0, 1], rejected_utility=[0, 3]).feasible
    assert oracle.best_policy([1.0, 1.0], [1.0, 4.0], [0, 1], rejected_utility=3.0).feasible


def test_a_middle_group_may_lose():
    earned = np.array([1, -9, -9, -9, 1, 1, -9, -9, 1, 1, 1, 1], dtype=float)
    group = np.repeat([0, 1, 2], 4)
    free = oracle.welfare(oracle.unconstrained(earned), np.ones(12), group)
    assert list(free) == [0.25, 0.5, 1.0]
    assert oracle.best_policy(earned, np.ones(12), group).welfare == approx(np.full(3, 0.25))


def test_corners_of_a_small_group_are_the_hand_made_ones():
    corners = oracle.group_frontier([1.0, -1.0, 2.0, 3.0], [1.0, 1.0, 0.0, -1.0])
    assert corners == [(-0.25, 1.25), (0, 1.5), (0.25, 1.25), (0.5, 0.5)]


def test_options_of_equal_utility_leave_the_one_that_earns_more():
    assert oracle.group_frontier([[1.0, 4.0, 3.0]], [[2.0, 2.0, 1.0]]) == [(0, 0), (1, 3), (2, 4)]


def test_slopes_at_a_corner_lie_between_its_edges():
    corners = oracle.group_frontier([2.0, 1.0, -1.0], [1.0, 1.0, 1.0])
    assert oracle.supergradient(corners, Fraction(1, 3)) == (1.0, 2.0)
    assert oracle.supergradient(corners, 0.5) == (1.0, 1.0)
    assert oracle.supergradient(corners, 0) == (2.0, math.inf)
    assert oracle.supergradient(corners, 1) == (-math.inf, -1.0)


def test_a_flat_optimum_is_an_interval_of_welfares():
    best = oracle.best_welfare([1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1])
    assert (best.revenue, best.lowest, best.highest) == (0.5, 0.5, 1.0)


# ---------------------------------------------------------------- one way against another

def direct(problem):
    """Keywords of one group's frontier, all rows together."""
    return {
        name: getattr(problem, name)
        for name in ("revenue", "utility", "weight", "rejected_utility")
    }


@given(problems(max_rows=6, n_groups=(2, 2), n_options=(1, 2)))
def test_the_frontier_is_the_hull_of_all_ways_to_choose(problem):
    case = direct(problem)
    assert oracle.group_frontier(**case) == oracle.upper_hull(oracle.all_deterministic(**case))


@given(problems())
def test_the_program_finds_the_optimum_over_all_welfares(problem):
    program = oracle.best_policy(**problem.arguments)
    exact = oracle.best_welfare(**problem.arguments)
    size = np.abs(problem.revenue).max()
    if abs(exact.slack) > 1e-9:
        assert program.feasible == (exact.slack > 0)
    if program.feasible and exact.slack >= 0:
        assert program.revenue == approx(exact.revenue, rel=1e-9, abs=1e-9 * max(size, 1.0))
        assert np.ptp(program.welfare) <= problem.tolerance + 1e-9 * np.abs(problem.utility).max()


@given(problems())
def test_every_group_of_the_best_policy_is_on_its_frontier(problem):
    best = oracle.best_policy(**problem.arguments)
    if not best.feasible:
        return
    value = oracle.policy_value(best.acceptance, **{
        name: getattr(problem, name)
        for name in ("revenue", "utility", "group", "weight", "rejected_utility")
    })
    size = max(np.abs(problem.revenue).max(), 1.0)
    for corners, w, r in zip(
        oracle.frontiers(**problem.untied), value.welfare, value.group_revenue
    ):
        inside = min(max(Fraction(w), corners[0][0]), corners[-1][0])
        assert r == approx(float(oracle.frontier_revenue(corners, inside)), abs=1e-9 * size)


@given(problems(rejected=("zero", "number", "rows")), st.lists(
    st.integers(-3, 3), min_size=5, max_size=5
))
def test_a_certificate_bounds_the_best_policy_for_any_multipliers(problem, slopes):
    best = oracle.best_policy(**problem.arguments)
    share = oracle.group_shares(problem.group, problem.weight)
    slope = np.array(slopes[: problem.n_groups], dtype=float)
    slope -= (share * slope).sum()
    if best.feasible:
        bound = oracle.certificate(multiplier=slope, **problem.arguments)
        assert best.revenue <= bound + 1e-9 * max(1.0, abs(bound))


def test_rejecting_is_a_choice_in_the_certificate():
    # (r - multiplier u)+ in its place gives 1/2, which is less than what the best policy earns.
    case = {
        "revenue": [1.0, 1.0], "utility": [0.0, 2.0], "group": [0, 1], "rejected_utility": -1.0
    }
    assert oracle.best_policy(**case).revenue == approx(2 / 3)
    assert oracle.certificate(multiplier=[-1.5, 1.5], **case) == approx(1.25)


@given(problems(rejected=("zero", "number"), max_rows=20))
def test_problems_with_one_rejected_utility_are_feasible(problem):
    assert oracle.best_policy(**problem.arguments).feasible


@given(problems(rejected=("zero", "number"), max_rows=20))
def test_some_best_lowest_welfare_lies_between_the_unconstrained_ones(problem):
    best = oracle.best_welfare(**problem.arguments)
    free = oracle.welfare(
        oracle.unconstrained(problem.revenue, problem.rejected_utility), problem.utility,
        problem.group, problem.weight, problem.rejected_utility,
    )
    assert best.lowest <= free.max() + 1e-9
    assert best.highest >= free.min() - problem.tolerance - 1e-9


@given(problems(rejected=("zero",), n_options=(1, 1), nonnegative=True, max_rows=20), st.lists(
    st.integers(0, 3), min_size=20, max_size=20
))
def test_a_raised_group_keeps_any_nonnegative_underlying_welfare(problem, wanted):
    wanted = np.array(wanted[: problem.group.size])
    rows = problem.group, problem.weight
    best = oracle.best_policy(**problem.arguments)
    free = oracle.unconstrained(problem.revenue)
    raised = best.welfare >= oracle.welfare(free, problem.utility, *rows) + 1e-9
    before, after = (oracle.welfare(c, wanted, *rows) for c in (free, best.acceptance))
    assert (after >= before - 1e-9)[raised].all()


def test_a_raised_group_is_harmed_where_the_loans_harm():
    revenue, assumed, underlying, group = [-1.0, 2.0], [1.0, 1.0], [-1.0, 1.0], [0, 1]
    free, best = oracle.unconstrained(revenue), oracle.best_policy(revenue, assumed, group)
    assert list(oracle.welfare(free, underlying, group)) == [0.0, 1.0]
    assert oracle.welfare(best.acceptance, underlying, group) == approx(np.array([-1.0, 1.0]))


@settings(max_examples=50)
@given(problems(max_rows=20, weighted=False))
def test_integer_weights_are_repetition(problem):
    times = 1 + np.arange(problem.group.size) % 3
    weighted = oracle.best_welfare(**{**problem.arguments, "weight": times})
    rejected = problem.rejected_utility
    repeated = oracle.best_welfare(
        np.repeat(problem.revenue, times, axis=0), np.repeat(problem.utility, times, axis=0),
        np.repeat(problem.group, times), tolerance=problem.tolerance,
        rejected_utility=np.repeat(rejected, times) if np.ndim(rejected) else rejected,
    )
    assert repeated == weighted or math.isnan(weighted.revenue)


# ---------------------------------------------------------------- the smoothed policy

def closed_form(revenue, utility, multiplier, a, b):
    """1 - F(t), F the distribution of U[0, a] + U[0, b], by its second integral."""
    t = multiplier * utility - revenue + (b if multiplier > 0 else 0.0)

    def integral(x):
        return 0.0 if x < 0 else x * x / (2 * a) if x < a else x - a / 2

    if b == 0.0:
        return 1.0 - min(max(t / a, 0.0), 1.0)
    return 1.0 - (integral(t) - integral(t - b)) / b


numbers = st.integers(-40, 40).map(lambda k: k / 10)
positive = st.integers(1, 40).map(lambda k: k / 10)


@given(numbers, numbers, numbers, positive, positive)
def test_the_closed_form_is_the_chance_that_a_shifted_person_is_accepted(r, u, slope, a, b):
    b = 0.0 if slope == 0.0 else b
    assert oracle.smoothed_acceptance(r, u, slope, a, b) == approx(
        closed_form(r, u, slope, a, b), abs=1e-12
    )


@settings(max_examples=30)
@given(numbers, numbers, numbers, positive, positive)
def test_the_quadrature_counts_a_fine_grid_of_shifts(r, u, slope, a, b):
    middle = (np.arange(500) + 0.5) / 500
    xi_r = a * middle[:, None]
    xi_u = b / abs(slope) * middle if slope else np.zeros(500)
    counted = (r + xi_r > slope * (u + xi_u)).mean()
    got = oracle.smoothed_acceptance(r, u, slope, a, b)
    assert got == approx(counted, abs=5e-3)


@given(numbers, positive, numbers, positive, positive)
def test_who_earns_anything_is_accepted_for_certain_in_a_raised_group(r, u, slope, a, b):
    if r > 0 and slope <= 0:
        assert oracle.smoothed_acceptance(r, u, slope, a, b) == 1.0


# ---------------------------------------------------------------- the strategies

def test_ways_to_a_tenth_differ_in_their_last_bits_only():
    found = [{float(way(k)) for way in TENTHS} for k in range(-12, 13)]
    assert max(map(len, found)) >= 3
    assert all(max(values) - min(values) < 1e-15 * 12 for values in found)


@given(problems(worthless=True, rejected=("zero", "number", "none")))
def test_a_worthless_group_has_one_welfare_only(problem):
    corners = oracle.frontiers(**problem.untied)
    assert min(map(len, corners)) == 1


@given(problems())
def test_every_other_group_can_be_given_two_welfares(problem):
    assert min(map(len, oracle.frontiers(**problem.untied))) >= 2
