"""Whether a skewed pair is in the confidence set of (R, B): the test of Liu and Molinari."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._exact_cuts import ExactCuts
from fairrank.frontier._excess import largest_excess
from fairrank.frontier._frontier_path import best_points

# Rows above / below the line of equal risks: e_r <= e_b, e_b <= e_r.
SIDES = (np.array([1.0, -1.0]), np.array([-1.0, 1.0]))
# Exponent of the step of the numerical derivative.
STEP = -0.245


def least_skewed_misfit(arcs: Arcs) -> float:
    """Smallest misfit of a pair (R, B) on one side of equal risks. About 60 cuts.

    The misfit of R is ``[e_r - R_r]+ + [max_q q'e - h(q)]+``: what a point exceeds the least risk
    of r, and what it lies beyond the attainable risks; that of B likewise. Both are convex, and
    least over either half-plane by a linear program with exact cuts.

    Parameters
    ----------
    arcs : Arcs

    Returns
    -------
    float
        At least 0, in units of loss.
    """
    cuts, best = ExactCuts(arcs), best_points(arcs)
    return min(
        sum(_least_misfit(cuts, group, best[group, group], side) for group in (0, 1))
        for side in SIDES
    )


def _least_misfit(cuts: ExactCuts, group: int, least: float, side: np.ndarray) -> float:
    """The least misfit of a group's best point on one side."""
    # Variables e_r, e_b, above the least risk, beyond the attainable risks.
    rows = np.zeros((4, 4))
    rows[0, group], rows[0, 2] = 1.0, -1.0
    rows[1, 2] = rows[2, 3] = -1.0
    rows[3, :2] = side
    bounds = np.array([least, 0.0, 0.0, 0.0])
    found = cuts.minimise(np.array([0.0, 0.0, 1.0, 1.0]), rows, bounds, slack=3)
    assert found is not None  # the slack makes every point feasible
    return max(0.0, float(found[2] + found[3]))


def misfit_of_draw(arcs: Arcs, n_rows: int) -> Callable[[FrontierDraw], float]:
    """Give the drawn misfit of the estimated (R, B): the numerical directional derivative.

    Parameters
    ----------
    arcs : Arcs
        As estimated.
    n_rows : int
        Independent ones: clusters, where there are some.

    Returns
    -------
    callable
        Of a `FrontierDraw`; O(n_arcs).

    Notes
    -----
    The arcs move from the estimate by ``s sqrt(n)`` times what the draw moves, s = n^-.245, and
    what the misfit grows by is divided by s.
    """
    step = n_rows**STEP
    best = best_points(arcs)
    least = np.diag(best)
    beyond = largest_excess(arcs, best).value

    def misfit(draw: FrontierDraw) -> float:
        moved = arcs.blended(draw.arcs, step * np.sqrt(n_rows))
        above = np.maximum(least - np.diag(best_points(moved)), 0.0)
        further = np.maximum(largest_excess(moved, best).value - beyond, 0.0)
        return float(above.sum() + further.sum()) / step

    return misfit
