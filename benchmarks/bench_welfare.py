"""Welfare-equal policies: the call against the sort in it, HiGHS, the search, the price path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from unittest import mock

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit
from tables import Table
from timing import peak_memory, take_turns

from fairrank.welfare import (
    WelfarePolicy,
    _linear_program,
    expected_revenue,
    expected_utility,
    price_of_fairness_path,
    welfare_optimal_policy,
)

# Seconds after which HiGHS with its presolve is stopped.
TIME_LIMIT = 600.0
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
CASES = {
    "two groups, money": (2, "heterogeneous_opportunity", False),
    "two groups, equal opportunity": (2, "equal_opportunity", False),
    "two groups, demographic parity": (2, "demographic_parity", False),
    "five groups, money": (5, "heterogeneous_opportunity", False),
    "two groups, equal opportunity, deciles": (2, "equal_opportunity", True),
    "two groups, demographic parity, deciles": (2, "demographic_parity", True),
}


def lending_rows(n: int, n_groups: int = 2, deciles: bool = False, seed: int = 0) -> Rows:
    """P(Y = 1), amount and group of n rows; later groups are rarer and pay back less often."""
    rng = np.random.default_rng(seed)
    share = 0.4 ** np.arange(n_groups)
    group = rng.choice(n_groups, n, p=share / share.sum())
    y_prob = expit(0.8 + (1.2 + 0.1 * group) * rng.normal(size=n) - 0.5 * group)
    if deciles:
        # Not .05, or a grade would lie on the lender's own cut of .75, and the price be 0.
        y_prob = np.floor(10.0 * y_prob) / 10.0 + 0.04
    return y_prob, rng.lognormal(0.0, 0.5, n), group


def payoffs(rows: Rows, utility: str, loss: float = 3.0) -> Rows:
    """Revenue, utility and group: what the solvers take."""
    y_prob, amount, group = rows
    worth = expected_utility(utility, y_prob, sensitive_features=group, amount=amount)
    return expected_revenue(y_prob, 1.0, loss), worth, group


def solved(problem: Rows, **options: object) -> WelfarePolicy:
    """The policy of `payoffs`."""
    revenue, worth, group = problem
    return welfare_optimal_policy(revenue, worth, sensitive_features=group, **options)


def policy(quick: bool) -> list[Table]:
    """The whole call over the sort of revenue / utility."""
    tables = []
    sizes = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000, 10_000_000)
    for name, (n_groups, utility, deciles) in CASES.items():
        table = Table(
            f"welfare_optimal_policy, {name}",
            ["n", "argsort ms", "call ms", "call / argsort", "of medians", "bytes a row",
             "price %", "gap of welfare", "revenue below the bound"],
        )
        for n in sizes:
            problem = payoffs(lending_rows(n, n_groups, deciles), utility)
            ratio = problem[0] / problem[1]
            rivals = {"sort": partial(np.argsort, ratio), "call": partial(solved, problem)}
            seconds = take_turns(rivals, 3 if n > 10**6 else 9)
            sort, call = (seconds[who].min() for who in rivals)
            middle = np.median(seconds["call"]) / np.median(seconds["sort"])
            peak = peak_memory(rivals["call"])
            found = solved(problem)
            table.rows.append(
                [f"{n:,}", 1e3 * sort, 1e3 * call, call / sort, float(middle), f"{peak / n:.0f}",
                 100.0 * found.relative_price_of_fairness, f"{found.welfare_gap:.1e}",
                 f"{found.optimality_gap:.1e}"]
            )
        tables.append(table)
    tables[-1].notes.extend([
        "Argsort: np.argsort(revenue / utility) of all rows, the quotient not counted.",
        "Call: checks, sorts, frontiers, welfare, acceptance of every row, values, bound.",
        "Loss of a bad loan 3, gain 1; integer group codes. Bytes: the most that numpy's "
        "allocations reach, beyond the arguments.",
    ])
    return tables


def program_of(problem: Rows) -> dict:
    """What method="linprog" hands to HiGHS."""
    caught: dict = {}

    def catch(**program: object):
        caught.update(program)
        return linprog(**program)

    with mock.patch.object(_linear_program, "linprog", catch):
        solved(problem, method="linprog")
    del caught["options"]
    return caught


def linear_programs(quick: bool) -> list[Table]:
    """The sweep against HiGHS on all rows, without its presolve and with it."""
    table = Table(
        "method=\"sweep\" against the linear program over all rows",
        ["n", "case", "sweep ms", "linprog ms", "linprog / sweep", "HiGHS alone ms",
         "with presolve ms", "presolve / sweep", "sweep - linprog", "sweep - presolve"],
        notes=[
            "linprog: method=\"linprog\", the whole call; dual simplex without presolve. HiGHS "
            "alone: scipy's linprog on the same matrices, without and with presolve.",
            f"Revenues differ by what the last columns say, per person; presolve, which runs "
            f"once, is stopped after {TIME_LIMIT:.0f} s (>).",
        ],
    )
    for n in (1000, 10_000) if quick else (1000, 10_000, 100_000):
        for name in list(CASES)[:4]:
            n_groups, utility, _ = CASES[name]
            problem = payoffs(lending_rows(n, n_groups), utility)
            program = program_of(problem)
            bare = partial(linprog, **program, options={"presolve": False})
            rivals: dict[str, Callable] = {
                "sweep": partial(solved, problem),
                "linprog": partial(solved, problem, method="linprog"), "bare": bare,
            }
            seconds = take_turns(rivals, 3)
            sweep, whole, alone = (seconds[who].min() for who in rivals)
            best = solved(problem).revenue
            below = best - solved(problem, method="linprog").revenue
            row: list = [f"{n:,}", name, 1e3 * sweep, 1e3 * whole, whole / sweep, 1e3 * alone]
            *presolved, more = with_presolve(program, sweep, best)
            table.rows.append([*row, *presolved, f"{below:+.1e}", more])
    return [table]


def with_presolve(program: dict, sweep: float, best: float) -> list:
    """Milliseconds, times the sweep, and what the sweep earns more; once, as it takes long."""
    found: dict = {}

    def run() -> None:
        options = {"presolve": True, "time_limit": TIME_LIMIT}
        found["result"] = linprog(**program, options=options)

    seconds = float(take_turns({"presolve": run}, 1, warm_up=False)["presolve"][0])
    if found["result"].status != 0:
        return [f"> {1e3 * TIME_LIMIT:.0f}", f"> {TIME_LIMIT / sweep:.0f}", "-"]
    return [1e3 * seconds, seconds / sweep, f"{best + found['result'].fun:+.1e}"]


def path_and_search(quick: bool) -> list[Table]:
    """The price at every tolerance over one policy, and the paper's search over the sweep."""
    path = Table(
        "price_of_fairness_path over one welfare_optimal_policy",
        ["n", "case", "policy ms", "path ms", "path / policy", "corners"],
    )
    search = Table(
        "method=\"search\" (the paper's) over method=\"sweep\"",
        ["n", "case", "sweep ms", "search ms", "search / sweep", "sweep - search", "its gap"],
        notes=["search_tol 1e-6. Its revenue may pass the best at a gap of 0 by its own gap."],
    )
    for n in (10_000,) if quick else (10_000, 100_000, 1_000_000):
        for name in list(CASES)[:4]:
            n_groups, utility, _ = CASES[name]
            problem = payoffs(lending_rows(n, n_groups), utility)
            revenue, worth, group = problem
            whole = partial(price_of_fairness_path, revenue, worth, sensitive_features=group)
            seconds = take_turns({"one": partial(solved, problem), "path": whole}, 5)
            one, all_of_it = (taken.min() for taken in seconds.values())
            path.rows.append(
                [f"{n:,}", name, 1e3 * one, 1e3 * all_of_it, all_of_it / one,
                 f"{whole().tolerance.size:,}"]
            )
            if n <= 100_000:
                searched = solved(problem, method="search")
                slow = partial(solved, problem, method="search")
                taken = take_turns({"search": slow}, 1, warm_up=False)["search"].min()
                search.rows.append(
                    [f"{n:,}", name, 1e3 * one, 1e3 * taken, taken / one,
                     f"{solved(problem).revenue - searched.revenue:+.1e}",
                     f"{searched.welfare_gap:.1e}"]
                )
    return [path, search]


BENCHMARKS = {
    "welfare_policy": policy, "welfare_linprog": linear_programs, "welfare_path": path_and_search,
}
