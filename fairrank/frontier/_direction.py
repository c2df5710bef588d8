"""Which algorithm is meant: a direction of group risks, by name, by weights, or by a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels import sweep as _sweep
from fairrank._validation import LARGEST_AMOUNT, check_choice
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import Arcs, as_coordinates
from fairrank.frontier._excess import largest_excess
from fairrank.frontier._fairest_point import fairest_point, side_of_equal_risks
from fairrank.frontier._support_function import SupportFunction

NAMES = ("rawlsian", "majority", "utilitarian", "egalitarian")
INWARD = (-1.0, -1.0)
# Ends of the frontier's ranges, and where the range lies from there: R, B, and F on either side.
ONE_SIDED = (
    ((-1.0, 0.0), (0.0, -1.0)), ((0.0, -1.0), (-1.0, 0.0)),
    ((1.0, -1.0), INWARD), ((-1.0, 1.0), INWARD),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Direction:
    """A direction q of group risks, and who is treated where its k is 0.

    Attributes
    ----------
    q : ndarray, shape (n_groups,)
        The algorithm attains the largest q'e: negative entries make risks small.
    then : ndarray, shape (n_groups,), or None
        Rows with k(q) = 0 are those that the direction turned a little towards `then` treats,
        and those that it treats turned away. None: neither are treated.
    part : float in [0, 1]
        Probability of decision 1 for the former; the latter have the rest of it.
    name : str or None
        As it was asked for; None for weights.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, as_direction
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> print(as_direction(support, "utilitarian").q.round(2))
    [-0.71 -0.71]
    """

    q: np.ndarray
    then: np.ndarray | None
    part: float
    name: str | None


def as_direction(support: SupportFunction, direction: Any) -> Direction:
    """Give the direction that a name or weights stand for.

    Parameters
    ----------
    support : SupportFunction
        With the rows that names refer to.
    direction : {"rawlsian", "majority", "utilitarian", "egalitarian"}, array-like or Direction
        "rawlsian": least risk of the disadvantaged group, which is the one whose own least
        attainable risk is largest; of equals the first. "majority": least risk of the group with
        the largest share; of equals the first. "utilitarian": least sum of the groups' risks.
        "egalitarian": the fairest point of the plug-in zonogon, for two groups; rows on its edge
        are drawn so that the plug-in risks are equal. An array of shape (n_groups,) is q itself:
        what is made largest is q'e, so that ``[-2, -1]`` makes twice the risk of the first group
        plus that of the second small.

    Returns
    -------
    Direction
        Of unit length where it was named; weights as they came.

    Raises
    ------
    ValueError
        No such name, weights that are not one finite number a group, or none of them below 0;
        "egalitarian" with more than two groups.

    Notes
    -----
    O(n) once the support function has sorted its rows. Of a group's best point the rows whose own
    k is 0 are decided for the other groups together. For two groups that holds for weights too,
    in the directions of R, B and F, exactly as `SupportFunction.decisions` has it.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "The Fairness-Accuracy Frontier".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, as_direction
    >>> data = make_frontier_data(5000, design="r_skewed", random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> as_direction(support, "rawlsian").q.tolist(), support.best_points.round(2).tolist()
    ([0.0, -1.0], [[0.15, 0.4], [0.27, 0.36]])
    >>> as_direction(support, "majority").q.tolist()
    [-1.0, 0.0]
    """
    if isinstance(direction, Direction):
        return direction
    if not isinstance(direction, str):
        return _of_weights(direction, support.n_groups)
    check_choice(direction, NAMES, "direction")
    if direction == "rawlsian":
        return _best_of_group(int(np.argmax(np.diag(support.best_points))), support, direction)
    if direction == "majority":
        return _best_of_group(int(np.argmax(support.group_shares)), support, direction)
    if direction == "utilitarian":
        q = np.full(support.n_groups, -1.0 / np.sqrt(support.n_groups))
        return Direction(q=q, then=None, part=0.0, name=direction)
    if support.n_groups != 2:
        raise ValueError(
            "direction='egalitarian' is for two groups, whose equal risks are a line; there are "
            f"{support.n_groups}: {', '.join(map(repr, support.group_names))}. Merge them, or "
            "pass weights."
        )
    return _egalitarian(support.plug_in)


def direction_to(support: SupportFunction, point: Any) -> Direction:
    """Give the direction of the algorithm on the frontier that answers to target risks.

    It is where the target e is furthest beyond the attainable risks, or least within them: the
    largest q'e - h(q) over the directions of the frontier. A target on the plug-in frontier is
    attained there, and rows on the edge that holds it are drawn.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    point : array-like of shape (2,)
        Risks that are aimed at.

    Returns
    -------
    Direction
        A unit vector between the angles 3pi/4 and 7pi/4.

    Raises
    ------
    ValueError
        `point` is not two finite numbers, or there are more groups.

    Notes
    -----
    O(n). h is the plug-in zonogon's. That of realised losses has the same limit and its maximum
    is where noise is largest, so that the direction would be found at the rate of the cube root
    of n only. Own derivation, from the support function of [1]_.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Support Function of the Feasible Set".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, direction_to
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> print(direction_to(support, [0.3, 0.6]).q.round(1))
    [-1.  -0.3]
    """
    support._for_two_groups("point")
    arcs = support.plug_in
    e = as_coordinates(point, "point", 2)
    if e.ndim != 1:
        raise ValueError(f"point must be one pair of risks, got shape {e.shape}.")
    q = largest_excess(arcs, e, "frontier").direction
    at = int(_sweep.locate(q[np.newaxis], arcs.breaks, TIED)[1][0])
    if at < 0:
        return Direction(q=q, then=None, part=0.0, name="target")
    if at % arcs.breaks.shape[0] == 0:
        # An end of the frontier's directions: beyond are algorithms that nobody wants.
        return Direction(q=arcs.starts[at], then=np.array(INWARD), part=1.0, name="target")
    return on_edge(arcs, at, e, "target")


def on_edge(arcs: Arcs, at: int, e: np.ndarray, name: str | None = None) -> Direction:
    """Give the direction of a break, with the draw that comes nearest to risks on its edge.

    Parameters
    ----------
    arcs : Arcs
        Of the plug-in zonogon.
    at : int
        A break, in [0, n_arcs).
    e : ndarray, shape (2,)
    name : str, optional

    Returns
    -------
    Direction
    """
    q = arcs.starts[at]
    before, after = arcs.point_of_arc([(at - 1) % arcs.n_arcs, at])
    edge = after - before
    length = float(edge @ edge)
    part = float(np.clip((e - before) @ edge / length, 0.0, 1.0)) if length > 0 else 1.0
    # A quarter turn counterclockwise: the rows that enter at the break.
    return Direction(q=q, then=np.array([-q[1], q[0]]), part=part, name=name)


def _of_weights(weights: Any, n_groups: int) -> Direction:
    q = as_coordinates(weights, "direction", n_groups)
    if q.ndim != 1:
        raise ValueError(f"direction must be one direction, got shape {q.shape}.")
    if not (q < 0).any():
        raise ValueError(
            f"direction={q.tolist()} has no entry below 0, so it asks for risks as large as they "
            "can be: give the groups whose risks are to be small negative entries, such as "
            f"{[-1.0] * n_groups}."
        )
    if np.abs(q).max() > LARGEST_AMOUNT:
        raise ValueError(
            f"direction reaches {np.abs(q).max():.3g}, and beyond {LARGEST_AMOUNT:.0e} squares "
            "overflow: only the proportions matter, so give smaller weights."
        )
    q = q.copy()
    if n_groups == 2:
        for end, inside in ONE_SIDED:
            unit, length = np.array(end), np.hypot(*end) * np.hypot(*q)
            if abs(unit[0] * q[1] - unit[1] * q[0]) <= TIED * length and unit @ q > 0:
                return Direction(q=q, then=np.array(inside), part=1.0, name=None)
    return Direction(q=q, then=None, part=0.0, name=None)


def _best_of_group(group: int, support: SupportFunction, name: str) -> Direction:
    q, then = np.zeros(support.n_groups), np.full(support.n_groups, -1.0)
    q[group], then[group] = -1.0, 0.0
    return Direction(q=q, then=then, part=1.0, name=name)


def _egalitarian(arcs: Arcs) -> Direction:
    found = fairest_point(arcs, arcs)
    if side_of_equal_risks(arcs) != "across":
        return Direction(
            q=found.direction, then=np.array(INWARD), part=1.0, name="egalitarian"
        )
    at = int(_sweep.locate(found.direction[np.newaxis], arcs.breaks, TIED)[1][0])
    return on_edge(arcs, at, found.point, "egalitarian")
