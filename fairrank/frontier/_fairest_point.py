"""The fairest attainable risks: where the groups' risks are nearest to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._validation import check_choice
from fairrank.frontier._arcs import Arcs

METHODS = ("plug_in", "infimum", "crossing")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FairestPoint:
    """The fairest point F, and the direction in which it is a support point.

    Attributes
    ----------
    point : ndarray, shape (2,)
        Risks of the two groups; equal where `side` is "across".
    side : {"above", "below", "across"}
        Of the line of equal risks, on which the attainable risks lie; above it r has the lower
        risk whatever is decided.
    direction : ndarray, shape (2,)
        Unit vector.
    arc : int or None
        Arc whose value is meant; None where that is the value exactly at a break.
    method : {"plug_in", "infimum", "crossing"}
        The method that was used.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> fairest = support.fairest_point()
    >>> fairest.side
    'across'
    >>> print(fairest.point.round(2), data.fairest_point.round(2))
    [0.42 0.42] [0.42 0.42]
    """

    point: np.ndarray
    side: str
    direction: np.ndarray
    arc: int | None
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "point": self.point.tolist(), "side": self.side, "direction": self.direction.tolist(),
            "arc": self.arc, "method": self.method,
        }


def side_of_equal_risks(arcs: Arcs) -> str:
    """On which side of the line of equal risks the attainable risks lie."""
    gap_b = arcs.points[0, 1] - arcs.points[0, 0]
    gap_r = arcs.points[-1, 0] - arcs.points[-1, 1]
    if gap_r < 0 and gap_b >= 0:
        return "above"
    if gap_b < 0 and gap_r >= 0:
        return "below"
    # Both below 0 is for no convex set, and says that the sample is too small to tell.
    return "across"


def fairest_point(realised: Arcs, plug_in: Arcs, method: str = "plug_in") -> FairestPoint:
    """F by levels of realised losses. O(n_arcs).

    Parameters
    ----------
    realised, plug_in : Arcs
        Of the same order.
    method : {"plug_in", "infimum", "crossing"}
        How the level is found where the attainable risks are on both sides. "plug_in": the
        direction of largest -h(q) / |q_r + q_b| from the plug-in zonogon, its level from the
        realised losses. "infimum": the largest -h(q) / |q_r + q_b| of the realised losses
        themselves, the paper's. "crossing": where the realised support points cross the line.

    Returns
    -------
    FairestPoint

    Notes
    -----
    The infimum picks the direction by the same noise that it then takes for a level, which biases
    it upward. Where the realised losses are on both sides and the plug-in zonogon is not, the
    latter has no such direction, and the crossing is used.
    """
    check_choice(method, METHODS, "method")
    side = side_of_equal_risks(realised)
    last = realised.breaks.shape[0] - 1
    if side != "across":
        above = side == "above"
        arc = last if above else 0
        return FairestPoint(
            point=realised.points[arc].copy(), side=side,
            direction=-realised.breaks[0] if above else realised.breaks[0].copy(),
            arc=arc, method=method,
        )
    if method == "plug_in" and side_of_equal_risks(plug_in) != "across":
        method = "crossing"
    if method == "crossing":
        at, level = _crossing(realised)
        arc = None
    elif method == "infimum":
        after, before = _levels(realised)
        at = int(np.argmax(np.maximum(after, before)))
        level = max(after[at], before[at])
        arc = at + 1 if after[at] >= before[at] else at
        at += 1
    else:
        at = int(np.argmax(_levels(plug_in)[0])) + 1
        direction = realised.breaks[at]
        level = realised.h(direction) / direction.sum()
        arc = None
    return FairestPoint(
        point=np.array([level, level]), side=side, direction=realised.breaks[at].copy(),
        arc=arc, method=method,
    )


def _levels(arcs: Arcs) -> tuple[np.ndarray, np.ndarray]:
    """-h(q) / |q_r + q_b| on both sides of every break but the first; between, it is monotone."""
    q = arcs.breaks[1:]
    total = q.sum(axis=1)
    return (
        np.einsum("ij,ij->i", q, arcs.points[1:]) / total,
        np.einsum("ij,ij->i", q, arcs.points[:-1]) / total,
    )


def _crossing(arcs: Arcs) -> tuple[int, float]:
    """Break at which the support points cross the line of equal risks, and the risk there.

    Single points are noisy, so that they may cross often: the break taken is the one that leaves
    the points before it most on one side and those after it on the other, weighed by arc length.
    """
    starts = arcs.starts[: arcs.breaks.shape[0] + 1]
    a, b = starts[:-1], starts[1:]
    # A length from two ends, not a comparison of angles.
    length = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.einsum("ij,ij->i", a, b))
    gap = arcs.points[:, 0] - arcs.points[:, 1]
    at = int(np.argmax(np.cumsum(-gap * length)[:-1])) + 1
    before, after = gap[at - 1], gap[at]
    part = before / (before - after) if before != after else 0.5
    # Outside [0, 1] only where both sides of the line were left empty.
    part = min(max(part, 0.0), 1.0)
    return at, float(((1.0 - part) * arcs.points[at - 1] + part * arcs.points[at]).mean())
