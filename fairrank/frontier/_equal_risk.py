"""The risk that both groups can share: whether there is one, and how it moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._distance_region import supporting_line
from fairrank.frontier._fairest_point import FairestPoint

if TYPE_CHECKING:
    from fairrank.frontier._support_function import SupportFunction

# Exponent of the step of the numerical derivative.
STEP = -0.245


def open_sides(support: SupportFunction) -> tuple[str, ...]:
    """Sides of equal risks on which the attainable risks may lie.

    h in either direction across the line is compared with sqrt(log n) standard errors, n being
    the number of independent rows.
    """
    arcs = support.realised
    k = arcs.breaks.shape[0]
    states = []
    for side, arc in (("above", k - 1), ("below", 0)):
        direction, level = supporting_line(arcs, side)
        error = support.standard_error(direction, arc)
        buffer = np.sqrt(np.log(support._sample.n_clusters)) * error
        states.append(0 if abs(level) <= buffer else int(np.sign(level)))
    above, below = states
    if above < 0 <= below:
        return ("above",)
    if below < 0 <= above:
        return ("below",)
    sides = [side for side, state in (("above", above), ("below", below)) if state <= 0]
    return tuple(["across"] * (above >= 0) + sides)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualRisk:
    """Least risk that both groups can have.

    Attributes
    ----------
    arcs : Arcs
    direction : ndarray, shape (2,)
    arc : int or None
    step : float
        Of the numerical derivative of the infimum, as a part of a draw's move; 0 for the level
        in the direction.
    estimate : float
        What moves: the infimum, or the level in the direction.
    """

    arcs: Arcs
    direction: np.ndarray
    arc: int | None
    step: float
    estimate: float

    def moved(self, drawn: Arcs) -> float:
        """What a draw moves the level by."""
        if self.step:
            blend = self.arcs.blended(drawn, self.step)
            return (largest_equal_risk(blend) - self.estimate) / self.step
        level = drawn.h(self.direction, self.arc) / self.direction.sum()
        return float(level) - self.estimate


def equal_risk(support: SupportFunction, found: FairestPoint) -> EqualRisk:
    """How the least equal risk moves, where the fairest point is estimated to be one."""
    arcs, direction, arc = support.realised, found.direction, found.arc
    step = support._sample.n_clusters ** (0.5 + STEP) if found.method == "infimum" else 0.0
    level = float(arcs.h(direction, arc) / direction.sum())
    return EqualRisk(
        arcs=arcs, direction=direction, arc=arc, step=step,
        estimate=largest_equal_risk(arcs) if step else level,
    )


def largest_equal_risk(arcs: Arcs) -> float:
    """Largest -h(q) / |q_r + q_b| between the angles 3pi/4 and 7pi/4. O(n_arcs)."""
    q = arcs.breaks[1:]
    total = q.sum(axis=1)
    both = [(q * points).sum(axis=1) / total for points in (arcs.points[1:], arcs.points[:-1])]
    return float(np.maximum(*both).max())
