"""The frontier beside numpy; no other package has it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from bench_frontier import (
    N_AT_ONCE,
    N_DIRECTIONS,
    Grid,
    excess_of_status_quo,
    in_angular_order,
    simulated,
    swept,
    swept_and_drawn,
)
from peer_race import OURS, Race, Runner, peer_tables
from tables import Table

from fairrank.frontier import SupportFunction

PACKAGES = ("numpy",)
# Somewhere on the frontier: the directions in which answers are compared.
SHOWN = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, -3.0]])


def vertices(given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Angles at which somebody's treatment changes, and the risks after each: argsort, cumsum.

    A row is treated in the directions within a right angle of its own; row 0 of the risks belongs
    to the directions before the first angle.
    """
    code, size = given["sensitive_features"], np.bincount(given["sensitive_features"])
    scaled = given["delta_theta"] / size
    change = np.zeros((code.size, 2))
    change[np.arange(code.size), code] = (given["loss_1"] - given["loss_0"]) / size[code]
    own = np.arctan2(scaled[:, 1], scaled[:, 0])
    angle = np.concatenate([own - np.pi / 2, own + np.pi / 2]) % (2 * np.pi)
    steps = np.concatenate([change, -change])
    order = np.argsort(angle)
    start = np.bincount(code, given["loss_0"]) / size + change[scaled[:, 0] > 0].sum(axis=0)
    return angle[order], np.vstack([start, start + np.cumsum(steps[order], axis=0)])


def h_of_vertices(found: tuple[np.ndarray, np.ndarray]) -> str:
    """h in the directions shown."""
    angle, risks = found
    asked = np.arctan2(SHOWN[:, 1], SHOWN[:, 0]) % (2 * np.pi)
    return values(np.einsum("ij,ij->i", SHOWN, risks[np.searchsorted(angle, asked)]))


def values(h: np.ndarray) -> str:
    """Three numbers."""
    return ", ".join(f"{float(one):.5f}" for one in h)


def h_of_support(support: SupportFunction) -> str:
    """h in the directions shown."""
    return values(support.h(SHOWN))


def draws_by(make: Callable[[], Callable], times: int) -> Callable[[], float]:
    """Mean of so many draws; what they share is made anew in every call, as fairrank's is."""

    def run() -> float:
        draw = make()
        return float(np.mean([draw() for _ in range(times)]))

    return run


def races(n: int) -> list[Race]:
    """The whole support function, and its bootstrap."""
    given, losses = simulated(n)
    build = Race(
        "support function",
        Runner(OURS, "all directions, with arcs", lambda: partial(swept, given), h_of_support),
        [
            Runner("numpy, argsort and cumsum", "risks in all directions",
                   lambda: partial(vertices, given), h_of_vertices),
            Runner(f"numpy, {N_DIRECTIONS} directions", f"{N_DIRECTIONS} directions",
                   lambda: lambda: Grid(given, losses).build(N_DIRECTIONS),
                   lambda found: f"{found.size} values"),
        ],
    )
    mean = "mean {:.5f}".format
    drawn = Race(
        f"build and {N_AT_ONCE} draws of the largest excess",
        Runner(OURS, "over all directions", lambda: partial(
            swept_and_drawn, given, excess_of_status_quo, N_AT_ONCE, losses=losses,
        ), lambda found: mean(float(np.mean(found)))),
        [
            Runner("numpy, argsort and cumsum", "over all directions",
                   lambda: draws_by(lambda: in_angular_order(given, losses), N_AT_ONCE), mean),
            Runner(f"numpy, {N_DIRECTIONS} directions", f"over {N_DIRECTIONS} directions",
                   lambda: draws_by(lambda: Grid(given, losses).as_written(), N_AT_ONCE), mean),
            Runner(f"numpy, {N_DIRECTIONS} directions, one product",
                   f"over {N_DIRECTIONS} directions",
                   lambda: draws_by(lambda: Grid(given, losses).by_product(), 1), mean,
                   8.0 * N_DIRECTIONS * n),
        ],
    )
    return [build, drawn]


def frontier(quick: bool) -> list[Table]:
    """Three tables."""
    return peer_tables(
        "Frontier", races, PACKAGES, quick,
        (
            "h in three directions, or the mean of the draws, whose weights are other ones with "
            f"every form. {N_DIRECTIONS} directions miss part of a maximum.",
            "numpy with argsort and cumsum in the second job has fairrank build its arcs: only "
            "the draws are numpy's.",
        ),
    )


BENCHMARKS = {"peers_frontier": frontier}
