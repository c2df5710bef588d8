"""Three and more groups: bounds, orders and starts against every interleaving."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_ranking as oracles
from fairrank.exceptions import InfeasibleError
from fairrank.ranking import fair_ordering
from fairrank.ranking._insertion import lagrangian_orders, projected, reinserted
from fairrank.ranking._interleavings import Several, on_steps
from fairrank.ranking._lattice_several import lattice_of_all, lattice_one_by_one
from fairrank.ranking._local_search import by_degrees, finished
from fairrank.ranking._orders import UNBOUNDED, Objective
from fairrank.ranking._several_bound import pairwise_bound
from fairrank.ranking._several_chains import bound_of, solve_several, thorough_order
from fairrank.ranking._several_prf import PlanarSolver, prf_dual
from fairrank.ranking._steps import Chain
from fairrank.ranking._super_steps import even_cuts, fine_cuts, on_runs
from strategies_ranking import chain_of_steps, several_chains

trade_offs = st.sampled_from([0.05, 0.3, 1.0, 4.0])
three_or_four = several_chains((3, 4), 2) | several_chains((3, 3), 3)


def rows(n, n_groups, seed=0):
    """Outcome, score and group; groups differ in size, base rate, shift and spread of scores."""
    rng = np.random.default_rng(seed)
    share = np.arange(1, n_groups + 1.0)
    group = rng.choice(n_groups, n, p=share / share.sum())
    outcome = (rng.random(n) < np.linspace(0.25, 0.55, n_groups)[group]).astype(int)
    noise = rng.normal(size=n) * (1 + 0.1 * (group % 3))
    return outcome, outcome * (1 + 0.2 * group / n_groups) + noise + 0.5 * np.sin(3 * group), group


def several_of_rows(n, n_groups, disparity, seed=0):
    outcome, score, group = rows(n, n_groups, seed)
    code = outcome.astype(np.uint16)
    return Several(
        tuple(Chain.of(score, code, None, np.flatnonzero(group == g)) for g in range(n_groups)),
        disparity,
    )


def random_order(several, seed):
    places = np.repeat(np.arange(several.n_chains), np.diff(several.start))
    return several.judged(np.random.default_rng(seed).permutation(places))


def random_multipliers(n_chains, seed, scale=0.5):
    drawn = np.random.default_rng(seed).normal(0.0, scale, (n_chains, n_chains))
    return drawn - drawn.T


def best_signed(chains, multipliers, disparity):
    pairs = multipliers[np.triu_indices(len(chains), 1)]
    return oracles.best_signed(*chains, multipliers=pairs, disparity=disparity)


# ---------------------------------------------------------------- what an order is worth

@given(three_or_four, st.integers(0, 999))
def test_an_order_has_the_auc_and_disparities_it_says(problem, seed):
    several, chains = problem
    found = random_order(several, seed)
    seen, order = [0] * len(chains), []
    for g in found.sequence:
        order.append(((int(g), seen[g]),))
        seen[g] += 1
    assert found.auc == pytest.approx(oracles.order_auc(order, chains), abs=1e-12)
    for g in range(len(chains)):
        for h in range(g + 1, len(chains)):
            gap = oracles.order_disparity(order, chains, g, h, several.disparity)
            assert found.signed[g, h] == pytest.approx(gap, abs=1e-12)
            assert found.signed[h, g] == -found.signed[g, h]


# ---------------------------------------------------------------- signed problems and bounds

@settings(max_examples=200)
@given(several_chains((3, 4), 2, "prf") | several_chains((3, 3), 3, "prf"), st.integers(0, 9999))
def test_the_signed_prf_order_is_the_best_of_all(problem, seed):
    several, chains = problem
    shares = np.random.default_rng(seed).normal(size=several.n_chains)
    shares -= shares.mean()
    multipliers = (shares[:, None] - shares) / several.n_chains
    found = PlanarSolver(several).best(shares)
    best = best_signed(chains, multipliers, "prf")
    assert found.signed_worth(multipliers) == pytest.approx(best, abs=1e-12)
    again = several.judged(found.sequence)
    assert again.auc == pytest.approx(found.auc, abs=1e-12)
    np.testing.assert_allclose(again.signed, found.signed, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(three_or_four, trade_offs)
def test_no_order_passes_the_bound(problem, trade_off):
    several, chains = problem
    best = oracles.best_penalised(
        *chains, trade_off=trade_off, disparity=several.disparity
    )
    bound, _ = bound_of(several, Objective(trade_off))
    assert bound.value >= best - 1e-12
    spent = 0.5 * np.abs(bound.multipliers).sum()
    if several.disparity == "prf":
        spent = bound.multipliers.sum(axis=1).clip(0.0).sum()
    assert spent <= trade_off + 1e-9


@settings(max_examples=100, deadline=None)
@given(three_or_four, st.floats(0.0, 0.5))
def test_no_order_that_meets_a_condition_passes_the_bound(problem, allowance):
    several, chains = problem
    best = oracles.best_constrained(
        *chains, max_disparity=allowance, disparity=several.disparity
    )
    bound, _ = bound_of(several, Objective(UNBOUNDED, allowance, hard=True))
    assert bound.value >= best - 1e-9


@settings(max_examples=100)
@given(several_chains((3, 3), 3), st.integers(0, 99))
def test_the_pairwise_bound_is_what_pairs_reach_alone(problem, seed):
    several, chains = problem
    if several.disparity == "prf":
        several = Several(several.steps, "xauc")
    bound = pairwise_bound(several, Objective(0.4))
    # AUC splits into pairs inside groups and pairs across two groups, each once.
    total = sum(chain.concordant for chain in several.steps) / several.auc_pairs
    for g in range(3):
        for h in range(g + 1, 3):
            auc, signed = oracles.values_of_orders(
                chains[g], chains[h], disparity=several.disparity
            )
            both = several.counts[[g, h]].sum(axis=0)
            inside = several.steps[g].concordant + several.steps[h].concordant
            across = (auc * both[0] * both[1] - inside) / several.auc_pairs
            total += (across - bound.multipliers[g, h] * signed[:, 0]).max()
    assert bound.value == pytest.approx(total, abs=1e-12)


def test_the_prf_dual_is_minimised():
    several = several_of_rows(500, 3, "prf")
    objective = Objective(1.0)
    dual = prf_dual(several, objective)
    solver = PlanarSolver(several)
    for seed in range(200):
        near = dual.shares + np.random.default_rng(seed).normal(0.0, 0.02, 3)
        near -= near.mean()
        order = solver.best(near)
        assert order.auc - near @ order.signed[:, 0] >= dual.value - 1e-6


# ---------------------------------------------------------------- re-insertion

@settings(max_examples=100)
@given(three_or_four, st.integers(0, 999))
def test_reinsertion_never_lowers_the_signed_objective(problem, seed):
    several, chains = problem
    multipliers = random_multipliers(several.n_chains, seed)
    start = random_order(several, seed)
    found = reinserted(several, start, multipliers)
    value = found.signed_worth(multipliers)
    assert value >= start.signed_worth(multipliers) - 1e-12
    assert value <= best_signed(chains, multipliers, several.disparity) + 1e-12


@given(three_or_four, st.integers(0, 999))
def test_reinsertion_without_multipliers_finds_the_best_auc(problem, seed):
    several, chains = problem
    none = np.zeros((several.n_chains,) * 2)
    found = reinserted(several, random_order(several, seed), none)
    best = oracles.best_penalised(*chains, trade_off=0.0, disparity=several.disparity)
    assert found.auc == pytest.approx(best, abs=1e-12)


@given(st.integers(0, 999), st.floats(0.01, 3.0))
def test_projected_multipliers_are_the_nearest_that_are_allowed(seed, radius):
    multipliers = random_multipliers(4, seed)
    pairs = np.triu_indices(4, 1)
    found = projected(multipliers, radius)
    np.testing.assert_array_equal(found, -found.T)
    assert np.abs(found[pairs]).sum() <= radius + 1e-12
    distance = np.linalg.norm(found - multipliers)
    for other in range(20):
        candidate = projected(found + random_multipliers(4, other, 0.05), radius)
        assert np.linalg.norm(candidate - multipliers) >= distance - 1e-12


# ---------------------------------------------------------------- moves of runs

@settings(max_examples=100, deadline=None)
@given(three_or_four, st.integers(0, 999), trade_offs, st.sampled_from([0.0, 0.1]))
def test_the_finish_never_worsens_an_order(problem, seed, trade_off, allowance):
    several, _ = problem
    for objective in (Objective(trade_off), Objective(UNBOUNDED, allowance, hard=True)):
        start = random_order(several, seed)
        assert finished(several, start, objective).worth(objective) >= start.worth(objective)


@settings(max_examples=50, deadline=None)
@given(three_or_four, st.integers(0, 999))
def test_by_degrees_an_order_stays_an_order(problem, seed):
    several, _ = problem
    multipliers = random_multipliers(several.n_chains, seed, 0.1)
    found = by_degrees(several, random_order(several, seed), Objective(1.0), multipliers)
    assert (np.bincount(found.sequence) == np.diff(several.start)).all()
    again = several.judged(found.sequence)
    assert again.auc == pytest.approx(found.auc, abs=1e-12)


@pytest.mark.parametrize("cuts_of", [lambda s, o: even_cuts(s, o, 50), fine_cuts])
def test_runs_of_steps_stand_for_their_steps(cuts_of):
    several = several_of_rows(300, 3, "xauc")
    order = random_order(several, 0)
    order = reinserted(several, order, np.zeros((3, 3)))
    cuts = cuts_of(several, order.sequence)
    runs = on_runs(order.sequence, cuts)
    np.testing.assert_array_equal(on_steps(runs, cuts), order.sequence)
    coarse = several.cut_at(cuts).judged(runs)
    assert coarse.auc == pytest.approx(order.auc, abs=1e-12)
    np.testing.assert_allclose(coarse.signed, order.signed, atol=1e-12)


# ---------------------------------------------------------------- the whole solver

@settings(max_examples=60, deadline=None)
@given(three_or_four, trade_offs)
def test_few_steps_are_ordered_best_of_all_and_proven(problem, trade_off):
    several, chains = problem
    best = oracles.best_penalised(*chains, trade_off=trade_off, disparity=several.disparity)
    objective = Objective(trade_off)
    starts = [lattice_one_by_one(several, trade_off), lattice_of_all(several, trade_off)]
    solved = solve_several(several, objective, starts)
    assert solved.value == pytest.approx(best, abs=1e-12)
    assert solved.bound == pytest.approx(best, abs=1e-12)
    assert solved.proven
    assert solved.value >= max(start.worth(objective) for start in starts)
    assert solved.value == pytest.approx(solved.order.worth(objective), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(three_or_four, st.floats(0.0, 0.6))
def test_under_a_condition_few_steps_have_the_best_auc(problem, max_disparity):
    several, chains = problem
    best = oracles.best_constrained(
        *chains, max_disparity=max_disparity, disparity=several.disparity
    )
    objective = Objective(UNBOUNDED, max_disparity, hard=True)
    solved = solve_several(several, objective)
    if math.isinf(best):
        assert not objective.meets(solved.order.gap)
    else:
        assert objective.meets(solved.order.gap)
        assert solved.order.auc == pytest.approx(best, abs=1e-12)
    assert solved.proven


@settings(max_examples=40, deadline=None)
@given(three_or_four)
def test_the_smallest_disparity_of_few_steps_is_found(problem):
    several, chains = problem
    smallest = oracles.smallest_disparity(*chains, disparity=several.disparity)
    solved = solve_several(several, Objective(UNBOUNDED))
    assert solved.order.gap == pytest.approx(smallest, abs=1e-12)
    best = oracles.best_constrained(
        *chains, max_disparity=smallest, disparity=several.disparity
    )
    assert solved.order.auc == pytest.approx(best, abs=1e-9)


def small_problems(n_problems, seed):
    """Chains of up to three steps with ties and weights, xAUC, PRF and URF in turn."""
    rng = np.random.default_rng(seed)
    for turn in range(n_problems):
        chains = []
        for _ in range(3):
            steps = rng.integers(0, 3, (rng.integers(1, 4), 2)).astype(float)
            steps[steps.sum(axis=1) == 0] = 1.0
            steps[0, 0] += 1.0
            steps[-1, 1] += 1.0
            chains.append([tuple(step) for step in steps.tolist()])
        disparity = oracles.DISPARITIES[turn % 3]
        yield Several(tuple(map(chain_of_steps, chains)), disparity), chains


@pytest.mark.statistical
def test_without_labels_the_optimum_is_mostly_found_and_never_passed():
    found = 0
    for several, chains in small_problems(60, 0):
        objective = Objective(0.7)
        best = oracles.best_penalised(*chains, trade_off=0.7, disparity=several.disparity)
        bound, orders = bound_of(several, objective)
        start = random_order(several, 0)
        order = thorough_order(several, objective, bound.multipliers, [start, *orders])
        assert order.worth(objective) <= best + 1e-12 <= bound.value + 2e-12
        found += order.worth(objective) >= best - 1e-10
    # 58 to 60 of 60, over five seeds.
    assert found >= 55


@pytest.mark.parametrize("disparity", oracles.DISPARITIES)
@pytest.mark.parametrize(("n", "n_groups", "reach"), [(1000, 3, 1e-3), (6000, 5, 5e-4)])
def test_the_gap_that_is_left_is_small(disparity, n, n_groups, reach):
    several = several_of_rows(n, n_groups, disparity)
    solved = solve_several(several, Objective(1.0))
    assert 0.0 <= solved.bound - solved.value <= reach
    again = several.judged(solved.order.sequence)
    assert Objective(1.0).of(again.auc, again.gap) == pytest.approx(solved.value, abs=1e-12)


@pytest.mark.parametrize("disparity", oracles.DISPARITIES)
@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_the_hull_never_loses_to_the_lattice(disparity, decimals):
    # From heavy ties, where a group has a handful of steps, to none.
    for seed in range(3):
        y, score, group = rows(300, 3, seed)
        found = {
            solver: fair_ordering(
                y, np.round(score, decimals), sensitive_features=group, disparity=disparity,
                trade_off=0.5, solver=solver,
            )
            for solver in ("hull", "lattice")
        }
        several = several_of_rows(300, 3, disparity, seed)
        if decimals == 8:
            iterative = lattice_one_by_one(several, 0.5).worth(Objective(0.5))
            assert found["hull"].objective >= iterative - 1e-12
        assert found["hull"].objective >= found["lattice"].objective - 1e-12


def test_orders_met_at_moving_multipliers_are_orders():
    several = several_of_rows(300, 4, "xauc")
    mu = pairwise_bound(several, Objective(1.0)).multipliers
    for order in lagrangian_orders(several, random_order(several, 0), mu, Objective(1.0), 10):
        assert (np.bincount(order.sequence) == np.diff(several.start)).all()


# ---------------------------------------------------------------- through the public door

@pytest.mark.parametrize("solver", ["hull", "lattice", "calibrated"])
@pytest.mark.parametrize("disparity", oracles.DISPARITIES)
def test_three_groups_are_ordered_and_keep_the_order_inside(solver, disparity):
    y, score, group = rows(240, 3)
    score = np.round(score, 1)
    ordering = fair_ordering(
        y, score, sensitive_features=group, disparity=disparity, trade_off=1.0, solver=solver
    )
    assert ordering.disparity_after < ordering.disparity_before
    assert ordering.objective <= ordering.upper_bound
    assert ordering.auc_after == pytest.approx(oracles.auc(y, ordering.fair_score), abs=1e-12)
    largest = oracles.largest_disparity(y, ordering.fair_score, group, disparity)
    assert ordering.disparity_after == pytest.approx(largest, abs=1e-12)
    for g in range(3):
        inside = group == g
        for s, t, f, e in zip(*pairs_of(score[inside]), *pairs_of(ordering.fair_score[inside])):
            assert (s > t) == (f > e) or s == t == f == e or (s == t and f == e)


def pairs_of(values):
    i, j = np.triu_indices(len(values), 1)
    return values[i], values[j]


@pytest.mark.parametrize("solver", ["hull", "lattice", "calibrated"])
@pytest.mark.parametrize("disparity", oracles.DISPARITIES)
def test_a_condition_is_met_with_three_groups(solver, disparity):
    y, score, group = rows(180, 3)
    ordering = fair_ordering(
        y, score, sensitive_features=group, disparity=disparity, max_disparity=0.1,
        solver=solver,
    )
    assert ordering.disparity_after <= 0.1 + 1e-12
    assert ordering.auc_after <= ordering.upper_bound


def test_a_condition_that_nothing_meets_is_refused():
    # One step a group: whoever stands above is favoured by 1.
    y, group = [1, 0] * 3, [0, 0, 1, 1, 2, 2]
    with pytest.raises(InfeasibleError, match=r"smallest found is 1, and every order in which"):
        fair_ordering(y, group, sensitive_features=group, max_disparity=0.5)


@pytest.mark.parametrize("disparity", oracles.DISPARITIES)
def test_without_a_condition_the_disparity_is_least(disparity):
    y, score, group = rows(400, 4)
    least = fair_ordering(y, score, sensitive_features=group, disparity=disparity)
    traded = fair_ordering(
        y, score, sensitive_features=group, disparity=disparity, trade_off=1.0
    )
    assert least.disparity_after <= traded.disparity_after + 1e-12


def test_a_lattice_of_all_groups_that_is_too_large_gives_way_to_one_by_one():
    y, score, group = rows(2000, 4)
    ordering = fair_ordering(
        y, score, sensitive_features=group, trade_off=1.0, solver="lattice"
    )
    hull = fair_ordering(y, score, sensitive_features=group, trade_off=1.0)
    assert ordering.objective <= hull.objective
    assert ordering.disparity_after < 0.05


def test_scores_that_groups_share_stay_shared_where_that_is_best():
    y = [1, 0, 1, 0, 1, 0]
    found = fair_ordering(y, [1.0] * 6, sensitive_features=list("aabbcc"), trade_off=1.0)
    assert found.disparity_after == 0.0
    assert found.objective == found.upper_bound == 0.5
