"""A support function of two groups' risks as arcs of directions that share a support point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairrank._kernels import sweep as _sweep
from fairrank._validation import as_array, as_finite_float
from fairrank.frontier._angular_order import TIED, AngularOrder


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Arcs:
    """Directions round the circle, cut where a row's treatment changes.

    Inside an arc the same rows are treated, so the support point S is constant and h(q) = q'S.
    Exactly at a break the rows that change there are treated on neither side (k > 0 is strict);
    at the ends of the frontier's ranges the arc inside the range is meant instead: just after
    the angles 3pi/4 and pi, just before 3pi/2 and 7pi/4.

    Attributes
    ----------
    breaks : ndarray, shape (n_breaks, 2)
        Unit directions from (-1, 1) to (1, -1), counterclockwise; the other half-turn mirrors it.
    points : ndarray, shape (n_breaks, 2)
        Support points of the arcs that begin at the breaks.
    entering : ndarray, shape (n_breaks, 2)
        What the rows that enter at each break add to the point.
    total : ndarray, shape (2,)
        Sum of the points of any two opposite arcs.
    forced : ndarray of intp, shape (3,)
        The breaks at angles 3pi/4, pi and 3pi/2.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> support.plug_in.n_arcs
    10006
    >>> print(support.plug_in.support_point([-1, -1]).round(2))
    [0.45 0.38]
    """

    breaks: np.ndarray
    points: np.ndarray
    entering: np.ndarray
    total: np.ndarray
    forced: np.ndarray

    def __repr__(self) -> str:
        """Number of arcs."""
        return f"Arcs({self.n_arcs} arcs)"

    @property
    def n_arcs(self) -> int:
        """Number of arcs round the whole circle."""
        return 2 * self.breaks.shape[0]

    @property
    def starts(self) -> np.ndarray:
        """Unit direction at which each arc begins, counterclockwise from (-1, 1); (n_arcs, 2)."""
        return np.concatenate([self.breaks, 0.0 - self.breaks])

    @property
    def support_points(self) -> np.ndarray:
        """Support point of each arc, shape (n_arcs, 2)."""
        return np.concatenate([self.points, self.total - self.points])

    def h(self, q: Any, arc: Any = None) -> Any:
        """Largest q'e that is estimated to be attainable. O(log n) a direction.

        Parameters
        ----------
        q : array-like of shape (2,) or (m, 2)
            Directions of any length but 0; h is positively homogeneous.
        arc : int or array-like of shape (m,), optional
            The arcs whose value is meant, where q ends one.

        Returns
        -------
        float, or ndarray of shape (m,)
            In units of loss.
        """
        q = as_directions(q, 2)
        value = np.einsum("...i,...i->...", q, self.support_point(q, arc))
        return float(value) if q.ndim == 1 else value

    def support_point(self, q: Any, arc: Any = None) -> np.ndarray:
        """Give the risks of both groups when those with k(q) > 0 are treated. O(log n) each.

        Parameters
        ----------
        q : array-like of shape (2,) or (m, 2)
            Directions.
        arc : int or array-like of shape (m,), optional
            As for `h`.

        Returns
        -------
        ndarray of shape (2,) or (m, 2)
            One coordinate a group.
        """
        q = as_directions(q, 2)
        if arc is not None:
            return self.point_of_arc(arc)
        arcs, at = self.locate(np.atleast_2d(q))
        point = self.point_of_arc(arcs)
        on = at >= 0
        if on.any():
            point[on] = self._point_at_break(at[on])
        return point[0] if q.ndim == 1 else point

    def locate(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Find the arc of each direction, and the break that it is exactly at.

        Parameters
        ----------
        q : ndarray of shape (m, 2)
            Directions.

        Returns
        -------
        arc, at : ndarray of intp, shape (m,)
            `at` is -1 where there is no break. At the ends of the frontier's ranges `arc` is the
            one inside the range, and there is no break.
        """
        arc, at = _sweep.locate(np.ascontiguousarray(q), self.breaks, TIED)
        before = (at == self.forced[2]) | (at == self.breaks.shape[0])
        arc -= before
        at[before | (at == self.forced[0]) | (at == self.forced[1])] = -1
        return arc, at

    def point_of_arc(self, arc: Any) -> np.ndarray:
        """Give the support points of arcs.

        Parameters
        ----------
        arc : int or array-like of shape (m,)
            In [0, n_arcs).

        Returns
        -------
        ndarray of shape (2,) or (m, 2)
            One coordinate a group.
        """
        arc = np.asarray(arc)
        k = self.breaks.shape[0]
        point = self.points[arc % k]
        return np.where((arc < k)[..., np.newaxis], point, self.total - point)

    def blended(self, other: Arcs, part: float) -> Arcs:
        """Linear in between and beyond: (1 - part) of itself and `part` of `other`. O(n_arcs).

        Parameters
        ----------
        other : Arcs
            With the same breaks, such as those of a draw.
        part : float
            That of `other`.

        Returns
        -------
        Arcs
            With the same breaks.
        """
        mine, theirs = 1.0 - part, part
        return replace(
            self,
            points=mine * self.points + theirs * other.points,
            entering=mine * self.entering + theirs * other.entering,
            total=mine * self.total + theirs * other.total,
        )

    def _point_at_break(self, at: np.ndarray) -> np.ndarray:
        """Support point exactly at breaks: nobody who changes there is treated."""
        k = self.breaks.shape[0]
        j = at % k
        # The rows that enter at the opposite break are those that leave at this one.
        before = np.where((j > 0)[:, np.newaxis], self.points[j - 1], self.total - self.points[-1])
        forward = self.points[j] - self.entering[j]
        backward = self.total - before - self.entering[j]
        return np.where((at < k)[:, np.newaxis], forward, backward)


def arcs_of(order: AngularOrder, step: np.ndarray, origin: np.ndarray) -> Arcs:
    """Sweep once round the circle. O(n).

    Parameters
    ----------
    order : AngularOrder
    step : ndarray, shape (n, 2)
        What treating each row adds to the risks.
    origin : ndarray, shape (2,)
        Risks when nobody is treated.
    """
    points, entering, total = _sweep.arc_points(
        step, order.turn, order.order, order.start, origin[0], origin[1]
    )
    return Arcs(
        breaks=order.breaks, points=points, entering=entering, total=total, forced=order.forced
    )


def as_directions(q: Any, n_groups: int) -> np.ndarray:
    """Directions as an array of shape (n_groups,) or (m, n_groups), none of them 0."""
    directions = as_coordinates(q, "q", n_groups)
    if not np.abs(directions).max(axis=-1, initial=0.0).all():
        raise ValueError("q holds the direction 0, in which nothing is largest: give another.")
    return directions


def as_coordinates(values: Any, name: str, n_groups: int) -> np.ndarray:
    """Finite numbers of shape (n_groups,) or (m, n_groups); lists of arrays are stacked."""
    if isinstance(values, (list, tuple)):
        values = [np.asarray(value) for value in values]
        if len({value.shape for value in values}) > 1:
            raise ValueError(f"{name} is ragged: give one coordinate a group in every row.")
        values = np.array(values)
    array = as_array(values, name)
    if array.ndim not in (1, 2) or array.shape[-1] != n_groups:
        raise ValueError(
            f"{name} must have shape ({n_groups},) or (m, {n_groups}), one coordinate a group, "
            f"got {array.shape}."
        )
    return as_finite_float(array.ravel(), name).reshape(array.shape)
