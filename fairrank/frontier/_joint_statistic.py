"""How far a pair of risks is from the frontier: beyond what is attainable, or behind what is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import check_choice
from fairrank.frontier._arcs import Arcs
from fairrank.frontier._bootstrap_test import ROUNDING
from fairrank.frontier._excess import Excess, largest_excess, separation

KINDS = ("frontier", "pareto", "feasible")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointStatistic:
    """The two parts of a statistic that is 0 on the estimated frontier.

    Attributes
    ----------
    e : ndarray, shape (2,)
        Risks of r and b.
    kind : {"frontier", "pareto", "feasible"}
        What `e` is compared with: undominated risks when fairness counts or when it does not, or
        all attainable risks.
    beyond : Excess
        Largest q'e - h(q), over all directions: above 0 where `e` is not attainable.
    behind : Excess or None
        Below 0 where something better than `e` is attainable; None for "feasible".
    root_n : float
        Root of the number of independent rows.
    tolerances : tuple of float
        For either part, how far below its maximum a direction counts as near: the standard
        error there times the root of log n.
    rounding : float
        What is no difference between risks.
    """

    e: np.ndarray
    kind: str
    beyond: Excess
    behind: Excess | None
    root_n: float
    tolerances: tuple
    rounding: float

    @property
    def too_far(self) -> float:
        """Root n times the positive part of `beyond`."""
        return self.root_n * max(self.beyond.value, 0.0)

    @property
    def too_near(self) -> float:
        """Root n times the negative part of `behind`."""
        return 0.0 if self.behind is None else self.root_n * max(-self.behind.value, 0.0)

    @property
    def value(self) -> float:
        """The paper's T: both parts together."""
        return self.too_far + self.too_near


def joint_statistic(support: Any, e: np.ndarray, kind: str) -> JointStatistic:
    """Both parts at one pair of risks. O(n).

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    e : ndarray, shape (2,)
    kind : {"frontier", "pareto", "feasible"}
    """
    check_choice(kind, KINDS, "kind")
    arcs, n = support.realised, support._sample.n_clusters
    beyond = largest_excess(arcs, e)
    behind = behind_of(arcs, e, kind)
    root_log = np.sqrt(np.log(max(n, 2)))
    errors = [standard_error_of(support, beyond)]
    if behind is not None:
        same = behind.arc == beyond.arc and (behind.direction == beyond.direction).all()
        errors.append(errors[0] if same else standard_error_of(support, behind))
    size = max(np.abs(arcs.points).max(), np.abs(arcs.total).max(), np.abs(e).max())
    return JointStatistic(
        e=e, kind=kind, beyond=beyond, behind=behind, root_n=float(np.sqrt(n)),
        tolerances=tuple(float(error * root_log) for error in errors),
        rounding=float(ROUNDING * size),
    )


def standard_error_of(support: Any, part: Excess) -> float:
    """Standard error of h in the direction of a maximum. O(n)."""
    sample = support._sample
    sums = sample.summed_in_clusters(support.influence(part.direction, part.arc))
    return float(np.sqrt((sums * sums).sum())) / sample.n_rows


def behind_of(arcs: Arcs, e: np.ndarray, kind: str) -> Excess | None:
    """The second part of the statistic."""
    if kind == "frontier":
        return separation(arcs, e)
    return largest_excess(arcs, e, "pareto") if kind == "pareto" else None


def sector_of(arcs: Arcs, arc: int) -> int:
    """0 for an arc of the frontier before the angle pi, 1 from pi to 3pi/2, 2 after."""
    return int(arcs.forced[1] <= arc) + int(arcs.forced[2] <= arc)


def moved_targets(e: np.ndarray, move: np.ndarray, tie: float) -> np.ndarray:
    """How the better targets of `e` move with it, in the three sectors; shape (3, 2).

    Parameters
    ----------
    e : ndarray, shape (2,)
    move : ndarray, shape (2,)
        Of `e`.
    tie : float
        Up to this difference between the groups' risks either may be the larger one, and the
        smaller movement counts, as in the derivative of a minimum.

    Notes
    -----
    v = (e_r, min(e_b, 2 e_r - e_b)) before the angle pi, e up to 3pi/2, and then
    (min(e_r, 2 e_b - e_r), e_b).
    """
    gap = float(e[0] - e[1])
    r, b = float(move[0]), float(move[1])
    mirrored_b, mirrored_r = 2.0 * r - b, 2.0 * b - r
    if abs(gap) <= tie:
        up, across = min(b, mirrored_b), min(r, mirrored_r)
    else:
        up, across = (mirrored_b, r) if gap < 0 else (b, mirrored_r)
    return np.array([[r, up], [r, b], [across, b]])
