"""Frontier: the support function in all directions and its draws, against grids in numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from bench_rank_graduation import repeat
from tables import Table
from timing import take_turns

from fairrank.datasets import make_frontier_data
from fairrank.frontier import (
    FrontierDraw,
    SupportFunction,
    confidence_set,
    cost_of_group_ban,
    distance_to_fairest,
    group_ban_band,
    group_skew_test,
    less_discriminatory_alternative_test,
    pareto_test,
    point_test,
)
from fairrank.frontier._excess import largest_excess, separation

# The rows of the paper's application, and the grid that a maximum is usually taken over.
N_ROWS, N_DIRECTIONS = 48_784, 1000
# Draws that share one matrix product.
N_AT_ONCE = 20


def simulated(n: int) -> tuple[dict[str, Any], np.ndarray]:
    """What a `SupportFunction` of n rows is given, and the losses of the status quo."""
    data = make_frontier_data(n, random_state=0)
    chance = data.status_quo(data.data)
    given = {
        "loss_0": (data.target != 0).astype(float), "loss_1": (data.target != 1).astype(float),
        "delta_theta": data.delta_theta(data.data),
        "sensitive_features": (data.sensitive_features == "b").astype(np.int64),
    }
    return given, np.where(data.target == 1, 1.0 - chance, chance)


def swept(given: dict[str, Any]) -> SupportFunction:
    """A support function with its arcs, which are made on demand."""
    support = SupportFunction(**given)
    support.realised  # noqa: B018
    return support


def swept_and_drawn(given: dict[str, Any], *arguments: Any, **options: Any) -> np.ndarray:
    """All that one bootstrap needs, from arrays to draws."""
    return swept(given).draws(*arguments, **options, random_state=0, n_jobs=1)


def excess_of_status_quo(draw: FrontierDraw) -> float:
    """Largest q'e - h(q) over all unit directions q, for the risks e of the same draw."""
    return largest_excess(draw.arcs, draw.risks[0]).value


def separation_of_status_quo(draw: FrontierDraw) -> float:
    """Largest -h_C(e)(-q) - h(q) over the directions of the frontier."""
    return separation(draw.arcs, draw.risks[0]).value


def least_risk_of_r(draw: FrontierDraw) -> float:
    """One direction: what is left is the sweep."""
    return draw.arcs.h([-1.0, 0.0])


class Grid:
    """The largest excess of the status quo over 1000 unit directions, in numpy."""

    def __init__(self, given: dict[str, Any], losses: np.ndarray) -> None:
        self.loss_0, self.loss_1 = given["loss_0"], given["loss_1"]
        self.delta, self.code = given["delta_theta"], given["sensitive_features"]
        self.losses, self.n = losses, losses.size
        angle = 2.0 * np.pi * np.arange(N_DIRECTIONS) / N_DIRECTIONS
        self.directions = np.column_stack([np.cos(angle), np.sin(angle)])
        self.rng = np.random.default_rng(1)

    def treated(self, n_directions: int = N_DIRECTIONS) -> list[np.ndarray]:
        """Who is treated in the first directions."""
        scaled = self.delta / np.bincount(self.code) * self.n
        return [scaled @ q > 0 for q in self.directions[:n_directions]]

    def build(self, n_directions: int) -> np.ndarray:
        """h in the first directions."""
        size = np.bincount(self.code)
        return np.array([
            q @ (np.bincount(self.code, np.where(decided, self.loss_1, self.loss_0)) / size)
            for q, decided in zip(self.directions, self.treated(n_directions))
        ])

    def as_written(self) -> Callable[[], float]:
        """A draw: weights, then weighted means of both groups in one direction after another."""
        treated = self.treated()

        def draw() -> float:
            weight = self.rng.exponential(size=self.n)
            share = weight / np.bincount(self.code, weight)[self.code]
            e = np.bincount(self.code, share * self.losses)
            most = -np.inf
            for q, decided in zip(self.directions, treated):
                lost = share * np.where(decided, self.loss_1, self.loss_0)
                most = max(most, q @ (e - np.bincount(self.code, lost)))
            return most

        return draw

    def by_product(self) -> Callable[[], np.ndarray]:
        """Twenty draws: decisions (directions x rows) times changes of risk, one BLAS product."""
        decided = np.array(self.treated(), dtype=np.float64)
        member = np.stack([self.code == 0, self.code == 1], axis=1).astype(float)
        change = (self.loss_1 - self.loss_0)[:, np.newaxis] * member
        columns = np.empty((self.n, 2 * N_AT_ONCE))

        def draws() -> np.ndarray:
            gap = np.empty((N_AT_ONCE, 2))
            for b in range(N_AT_ONCE):
                weight = self.rng.exponential(size=self.n)
                mass = weight @ member
                np.multiply(weight[:, np.newaxis], change / mass, out=columns[:, 2 * b:2 * b + 2])
                gap[b] = (weight * (self.losses - self.loss_0)) @ member / mass
            added = (decided @ columns).reshape(N_DIRECTIONS, N_AT_ONCE, 2)
            return np.einsum("qi,qbi->qb", self.directions, gap - added).max(axis=0)

        return draws


def in_angular_order(given: dict[str, Any], losses: np.ndarray) -> Callable[[], float]:
    """A draw of the largest excess over all directions, in numpy: two cumsums, and every arc.

    Rows come sorted by the angle at which their treatment changes, so that a draw has no sort.
    """
    support, rng, n = swept(given), np.random.default_rng(2), losses.size
    rows = support._swept
    losses, passed = losses[rows.order.order], rows.order.start[1:]
    member = np.stack([rows.code == 0, rows.code == 1]).astype(float)
    change, prefix = member * rows.change, np.zeros((2, n + 1))
    first = support.realised.starts
    last = np.roll(first, -1, axis=0)

    def draw() -> float:
        weight = rng.exponential(size=n)
        mass = member @ weight
        e, origin = member @ (weight * losses) / mass, member @ (weight * rows.loss) / mass
        np.cumsum(change * weight, axis=1, out=prefix[:, 1:])
        steps = prefix / mass[:, np.newaxis]
        point = origin[:, np.newaxis] + steps[:, passed]
        total = 2.0 * origin + steps[:, -1]
        x, y = e[:, np.newaxis] - np.concatenate([point, total[:, np.newaxis] - point], axis=1)
        at_ends = np.maximum(first[:, 0] * x + first[:, 1] * y, last[:, 0] * x + last[:, 1] * y)
        inside = (first[:, 0] * y >= first[:, 1] * x) & (x * last[:, 1] >= y * last[:, 0])
        within = np.hypot(x[inside], y[inside])
        return max(float(at_ends.max()), float(within.max(initial=-np.inf)))

    return draw


def all_directions(quick: bool) -> list[Table]:
    """Build and bootstrap over all directions, from arrays to draws, against 1000 directions."""
    n, n_draws, rounds = (10_000, 100, 1) if quick else (N_ROWS, 1000, 5)
    n_directions, n_loop = 50, 2
    given, losses = simulated(n)
    grid = Grid(given, losses)
    cases = {
        f"build and {n_draws} draws: h in one direction": least_risk_of_r,
        f"build and {n_draws} draws: largest excess, all": excess_of_status_quo,
        f"build and {n_draws} draws: separation, frontier": separation_of_status_quo,
    }
    rivals: dict[str, Callable] = {"build": partial(swept, given)}
    for name, statistic in cases.items():
        rivals[name] = partial(swept_and_drawn, given, statistic, n_draws, losses=losses)
    rivals |= {
        "grid, build": partial(grid.build, n_directions),
        "grid, loop": partial(repeat, grid.as_written(), n_loop),
        "grid, product": grid.by_product(),
        "cumsum": partial(repeat, in_angular_order(given, losses), N_AT_ONCE),
    }
    seconds = take_turns(rivals, rounds)
    built = seconds["grid, build"] * N_DIRECTIONS / n_directions
    loop = seconds["grid, loop"] * n_draws / n_loop
    ours = Table(
        f"Support function of two groups, n = {n:,}, one thread",
        ["what", "fairrank s", "numpy grid s", "ratio", "of medians"],
        notes=[
            "build: SupportFunction(...).realised with its checks, sort and sweep; the statistics "
            "are exact maxima, over all arcs of a draw.",
            f"numpy grid: {N_DIRECTIONS} directions one after another, decisions made before the "
            "clock of draws starts; the largest excess over the grid, without the build.",
            f"Scaled: {n_directions} directions of the build and {n_loop} draws of the grid are "
            f"timed a round, in turn with fairrank; best of {rounds}.",
        ],
    )
    for name in ("build", *cases):
        mine, theirs = seconds[name], built if name == "build" else loop
        ours.rows.append([
            name, mine.min(), theirs.min(), f"{theirs.min() / mine.min():.0f}x",
            f"{np.median(theirs) / np.median(mine):.0f}x",
        ])
    draws = Table(
        f"One draw of the largest excess of the status quo, n = {n:,}, one thread",
        ["who", "over", "ms a draw", "times fairrank", "of medians"],
        notes=[
            f"fairrank: the second case above over {n_draws}, build included. Same run.",
            f"One product: decisions as {N_DIRECTIONS} x n doubles times {N_AT_ONCE} draws, the "
            "fastest grid we found in numpy; eight bytes a decision.",
            "cumsum: rows sorted by angle before the clock starts, every arc and its inside; the "
            "algorithm of fairrank in numpy, and what is left for compiled code.",
        ],
    )
    a_draw = {
        ("fairrank", "all"): seconds[list(cases)[1]] / n_draws,
        ("numpy, as written", f"{N_DIRECTIONS}"): loop / n_draws,
        ("numpy, one product", f"{N_DIRECTIONS}"): seconds["grid, product"] / N_AT_ONCE,
        ("numpy, cumsum", "all"): seconds["cumsum"] / N_AT_ONCE,
    }
    mine = a_draw["fairrank", "all"]
    for who, taken in a_draw.items():
        draws.rows.append([*who, 1e3 * taken.min(), taken.min() / mine.min(),
                           np.median(taken) / np.median(mine)])
    return [ours, draws]


def growth(quick: bool) -> list[Table]:
    """Build and draw as multiples of a sort of n doubles."""
    n_draws = 20
    table = Table(
        "Build and draw as multiples of np.argsort of n doubles",
        ["n", "argsort ms", "build ms", "build / argsort", "draw ms", "draw / argsort",
         "draw ns a row"],
        notes=[
            "build: SupportFunction(...).realised, all arcs. draw: one of "
            f"{n_draws} of the largest excess, all directions, on a built support function.",
            "Continuous estimates, so that there are two arcs a row. Best of 7 rounds in turn, 3 "
            "at 10^6 rows.",
        ],
    )
    for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        given, losses = simulated(n)
        doubles = np.random.default_rng(0).random(n)
        rivals = {
            "argsort": partial(np.argsort, doubles),
            "build": partial(swept, given),
            "draws": partial(
                swept(given).draws, excess_of_status_quo, n_draws, losses=losses,
                random_state=0, n_jobs=1,
            ),
        }
        seconds = take_turns(rivals, 3 if n >= 10**6 else 7)
        sort, build, draws = (seconds[name].min() for name in rivals)
        draw = draws / n_draws
        table.rows.append([f"{n:,}", 1e3 * sort, 1e3 * build, build / sort, 1e3 * draw,
                           draw / sort, 1e9 * draw / n])
    return [table]


def every_test(quick: bool) -> list[Table]:
    """One call of each test and interval, as multiples of a sort and of a sweep."""
    n, n_draws, rounds = (10_000, 100, 1) if quick else (N_ROWS, 1000, 3)
    support = swept(simulated(n)[0])
    support.plug_in  # noqa: B018
    data = make_frontier_data(n, random_state=0)
    decisions, fairest = data.status_quo(data.data), data.fairest_point
    own = 1.0 - 2.0 * data.probability
    doubles, weight = np.random.default_rng(0).random(n), np.ones(n)
    seeded = {"n_draws": n_draws, "random_state": 0, "n_jobs": 1}
    lda = partial(less_discriminatory_alternative_test, support, decisions, **seeded)
    at_fairest = partial(point_test, support, fairest, **seeded)
    distance = partial(distance_to_fairest, support, decisions, **seeded)
    calls = {
        "less_discriminatory_alternative_test, set": lda,
        "less_discriminatory_alternative_test, hybrid": partial(lda, critical_values="hybrid"),
        "less_discriminatory_alternative_test, gaussian": partial(lda, critical_values="gaussian"),
        "point_test, set": at_fairest,
        "point_test, hybrid": partial(at_fairest, critical_values="hybrid"),
        "pareto_test, set": partial(pareto_test, support, decisions, **seeded),
        "group_skew_test, intersection_union": partial(group_skew_test, support),
        "group_skew_test, inversion": partial(
            group_skew_test, support, method="inversion", **seeded
        ),
        "distance_to_fairest, plug_in": distance,
        "distance_to_fairest, infimum": partial(distance, fairest="infimum"),
        "cost_of_group_ban": partial(cost_of_group_ban, support, "utilitarian", own),
        "group_ban_band": partial(group_ban_band, support, own, **seeded),
    }
    rivals = {
        "argsort": partial(np.argsort, doubles),
        "sweep": partial(support.reweighted, weight),
        **calls,
    }
    seconds = take_turns(rivals, rounds, warm_up=quick)
    sort, sweep = (seconds[name].min() for name in ("argsort", "sweep"))
    table = Table(
        f"One call of each test, n = {n:,}, B = {n_draws}, one thread",
        ["what", "seconds", "over np.argsort", "over one sweep", "sweeps a draw"],
        notes=[
            f"np.argsort of n doubles: {1e3 * sort:.3g} ms. One sweep, "
            f"SupportFunction.reweighted with its checks: {1e3 * sweep:.3g} ms. All in turn; best "
            f"of {rounds}.",
            "The support function is built, and both its kinds of arcs, before the clock starts.",
            "sweeps a draw: of those calls that draw.",
        ],
    )
    for name, call in calls.items():
        taken = seconds[name].min()
        a_draw = taken / sweep / n_draws if "n_draws" in call.keywords else float("nan")
        table.rows.append([name, taken, taken / sort, taken / sweep, a_draw])
    return [table]


def inverted_tests(quick: bool) -> list[Table]:
    """A confidence set of the frontier with many candidates, one thread and two."""
    n, n_draws, m = (10_000, 100, 200) if quick else (N_ROWS, 1000, 5000)
    support = swept(simulated(n)[0])
    table = Table(
        f"Confidence set of the frontier, n = {n:,}, B = {n_draws}",
        ["threads", "candidates", "inside", "seconds", "times faster", "us a candidate and draw"],
        notes=[
            "Once each, in turn, after the support function is built. Reach: 60 s for 5000 "
            "candidates by two threads.",
            "Critical values by \"set\", of every candidate; all share their draws.",
        ],
    )
    found = {}

    def run(n_jobs: int) -> None:
        found[n_jobs] = confidence_set(
            support, "frontier", candidates=m, n_draws=n_draws, random_state=0, n_jobs=n_jobs
        )

    seconds = take_turns({f"{k}": partial(run, k) for k in (1, 2)}, 1, warm_up=False)
    for k, one in found.items():
        taken, size = float(seconds[f"{k}"].min()), len(one.candidates)
        table.rows.append([
            f"{k}", f"{size:,}", f"{int(one.inside.sum()):,}", taken,
            float(seconds["1"].min()) / taken, 1e6 * taken / size / n_draws,
        ])
    return [table]


BENCHMARKS = {
    "frontier": all_directions, "frontier_growth": growth, "frontier_tests_time": every_test,
    "frontier_confidence_set": inverted_tests,
}
