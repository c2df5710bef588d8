"""The support function of the attainable group risks."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import _frontier_path
from fairrank.frontier._arcs import as_directions
from fairrank.frontier._by_direction import best_point, risks, treated
from fairrank.frontier._frontier_sample import frontier_sample
from fairrank.frontier._influence import covariance_of_means, influence
from fairrank.frontier._two_groups import TwoGroupFrontier


class SupportFunction(TwoGroupFrontier):
    """Estimated support function of the group risks that decisions 0 and 1 can attain.

    A decision rule a(X) that does not see the group gives every group a risk, the mean loss of
    its members. ``h(q)`` estimates the largest q'e among all risks e that such rules attain: it
    is attained by treating (deciding 1) whoever has ``k(q) > 0``, k being the product of q with
    the row's `delta_theta` over the group shares [1]_. Losses are realised and only the sign of k
    is estimated, which makes h a good *level* and a poor choice of *direction*; `plug_in` is the
    same with `delta_theta` for both, about the risks of a fair coin: a true convex support
    function, for directions.

    Parameters
    ----------
    loss_0, loss_1 : array-like of shape (n_samples,)
        Realised loss of either decision; pseudo-losses where labels are selective.
    delta_theta : array-like of shape (n_samples, n_groups)
        Estimates of E[(loss_1 - loss_0) 1{group g} | X], each made without its own row. One
        column a group, in the order of `group_names`. A row of zeros is never treated.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    sample_weight : array-like of shape (n_samples,), optional
        Survey weights, at least 0. Their scale does not matter. For standard errors and draws a
        row of weight 2 is one row; repeat rows that were seen twice.
    clusters : array-like of shape (n_samples,), optional
        Rows of one cluster are dependent; they get one weight in a draw.
    group_names : sequence, optional
        The groups in the order of coordinates; the first is called r (horizontal), the second b.
        By default sorted.

    Attributes
    ----------
    group_names : tuple
        Groups in the order of coordinates.
    group_shares : ndarray, shape (n_groups,)
        Weighted share of each group.
    n_samples, n_groups : int
        Rows and groups.

    Raises
    ------
    DegenerateGroupError
        No row, one group only, or a group without weight.
    ValueError, TypeError
        Arrays of other shapes or lengths, values that are not finite, or unknown `group_names`.

    Notes
    -----
    Two groups: one sort, O(n log n), and then every direction at once, because a row is treated
    on half the circle and the support points of opposite directions have a constant sum. More
    groups: O(n) a direction, and what is for two groups says so.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "Support Function of the Feasible Set" and "Support Function Estimator
       and Its Asymptotic Distribution".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> support.skew
    'balanced'
    >>> print(support.best_points.round(2))
    [[0.27 0.64]
     [0.63 0.28]]
    >>> print(round(support.h([-1, -1]), 2), round(support.standard_error([-1, -1]), 3))
    -0.85 0.014
    """

    def __init__(
        self,
        loss_0: Any,
        loss_1: Any,
        delta_theta: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        clusters: Any = None,
        group_names: Any = None,
    ) -> None:
        self._sample = frontier_sample(
            loss_0, loss_1, delta_theta, sensitive_features=sensitive_features,
            sample_weight=sample_weight, clusters=clusters, group_names=group_names,
        )

    def __repr__(self) -> str:
        """Rows, groups and arcs."""
        names = ", ".join(map(repr, self.group_names))
        arcs = f", {self.realised.n_arcs} arcs" if self.n_groups == 2 else ""
        return f"SupportFunction({self.n_samples} rows, groups {names}{arcs})"

    @property
    def group_names(self) -> tuple:
        """Groups in the order of coordinates; the first is r, the second b."""
        return self._sample.group_names

    @property
    def group_shares(self) -> np.ndarray:
        """Weighted share of each group."""
        return self._sample.share

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self._sample.n_rows

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return self._sample.n_groups

    def h(self, q: Any, arc: Any = None) -> Any:
        """Largest q'e that is estimated to be attainable.

        Parameters
        ----------
        q : array-like of shape (n_groups,) or (m, n_groups)
            Directions of any length but 0; h is positively homogeneous. Rows whose k is 0 but
            for 1e-12 are not treated, except that in the directions of R, B and F the value is
            that of an arc: just after the angles 3pi/4 and pi, just before 3pi/2 and 7pi/4.
        arc : int or array-like of shape (m,), optional
            The arcs whose value is meant, where q ends one. Two groups.

        Returns
        -------
        float, or ndarray of shape (m,)
            In units of loss.

        Notes
        -----
        O(log n) a direction for two groups, O(n) for more.
        """
        if self.n_groups == 2:
            return self.realised.h(q, arc)
        q = as_directions(q, self.n_groups)
        value = np.einsum("...i,...i->...", q, self.support_point(q, arc))
        return float(value) if q.ndim == 1 else value

    def support_point(self, q: Any, arc: Any = None) -> np.ndarray:
        """Give the risks of all groups when those with k(q) > 0 are treated.

        Parameters
        ----------
        q : array-like of shape (n_groups,) or (m, n_groups)
            Directions.
        arc : int or array-like of shape (m,), optional
            As for `h`.

        Returns
        -------
        ndarray of shape (n_groups,) or (m, n_groups)
            One coordinate a group.
        """
        if self.n_groups == 2:
            return self.realised.support_point(q, arc)
        self._no_arc(arc)
        q = as_directions(q, self.n_groups)
        points = [
            risks(self._sample, treated(self._sample, direction))
            for direction in np.atleast_2d(q)
        ]
        return points[0] if q.ndim == 1 else np.array(points)

    def decisions(self, q: Any, arc: int | None = None) -> np.ndarray:
        """Whether each row is treated in direction q. O(n).

        Parameters
        ----------
        q : array-like of shape (n_groups,)
            One direction.
        arc : int, optional
            As for `h`.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            True where treated.
        """
        q = self._one_direction(q)
        if self.n_groups > 2:
            self._no_arc(arc)
            return treated(self._sample, q)
        arcs, order = self.realised, self._order
        at = -1
        if arc is None:
            arc, at = (int(found[0]) for found in arcs.locate(q[np.newaxis]))
        backward, j = divmod(arc, arcs.breaks.shape[0])
        block = order.block_of_row()
        after = np.where(order.turn > 0, block <= j, block > j)
        decided = (order.turn != 0) & (~after if backward else after)
        return decided & (block != j) if at >= 0 else decided

    @cached_property
    def best_points(self) -> np.ndarray:
        """Risks of all groups where each group's is least, shape (n_groups, n_groups).

        Row 0 is R, just after the angle pi, and row 1 is B, just before 3pi/2: ties are broken
        for the other group, or the sum of the others.
        """
        if self.n_groups == 2:
            return _frontier_path.best_points(self.realised)
        return np.array([best_point(self._sample, g) for g in range(self.n_groups)])

    def influence(self, q: Any, arc: int | None = None) -> np.ndarray:
        """Influence function of h(q) at every row, of mean 0. O(n).

        Parameters
        ----------
        q : array-like of shape (n_groups,)
            One direction.
        arc : int, optional
            As for `h`.

        Returns
        -------
        ndarray of shape (n_samples,)
            In units of loss.
        """
        q = self._one_direction(q)
        return influence(self._sample, q, self.decisions(q, arc))

    def standard_error(self, q: Any, arc: int | None = None) -> float:
        """Standard error of h(q), of dependent rows where there are clusters. O(n).

        Parameters
        ----------
        q : array-like of shape (n_groups,)
            One direction.
        arc : int, optional
            As for `h`.

        Returns
        -------
        float
            At least 0, in units of loss; 0 where all members of each group lose the same. NaN
            where a group that q weighs has a single row, or cluster, of positive weight.
        """
        return float(np.sqrt(self.covariance(q, q, arc, arc)))

    def covariance(
        self, q_1: Any, q_2: Any, arc_1: int | None = None, arc_2: int | None = None
    ) -> float:
        """Covariance of h in two directions. O(n).

        Parameters
        ----------
        q_1, q_2 : array-like of shape (n_groups,)
            One direction each.
        arc_1, arc_2 : int, optional
            As for `h`.

        Returns
        -------
        float
            In squared units of loss; NaN as for `standard_error`.
        """
        weighed = (self._one_direction(q_1) != 0) | (self._one_direction(q_2) != 0)
        if (weighed & self._sample.without_spread).any():
            return float("nan")
        return covariance_of_means(
            self._sample, self.influence(q_1, arc_1), self.influence(q_2, arc_2)
        )

    def _one_direction(self, q: Any) -> np.ndarray:
        q = as_directions(q, self.n_groups)
        if q.ndim != 1:
            raise ValueError(f"q must be one direction here, got shape {q.shape}.")
        return q

    def _check_spread(self, name: str) -> None:
        """Refuse to infer anything where a group's risk is that of one row."""
        sample = self._sample
        if not sample.without_spread.any():
            return
        group = self.group_names[int(np.argmax(sample.without_spread))]
        unit = "cluster" if sample.cluster.size else "row"
        raise DegenerateGroupError(
            f"{name}: group {group!r} has a single {unit} of positive weight, and nothing tells "
            f"how much its risk varies. Gather more {unit}s, or merge the group with another."
        )

    def _no_arc(self, arc: Any) -> None:
        if arc is not None:
            self._for_two_groups("arc")
