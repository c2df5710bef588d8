"""The support function of the attainable group risks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from fairrank._validation import (
    as_array,
    as_finite_float,
    check_at_least_zero,
    check_count,
    check_same_length,
    check_sample_weight,
)
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import _excess, _frontier_path
from fairrank.frontier._angular_order import AngularOrder, angular_order
from fairrank.frontier._arcs import Arcs, arcs_of, as_directions
from fairrank.frontier._by_direction import best_point, risks, treated
from fairrank.frontier._draws import FrontierDraw, drawn, swept_rows
from fairrank.frontier._excess import Excess
from fairrank.frontier._fairest_point import FairestPoint, fairest_point, side_of_equal_risks
from fairrank.frontier._feasible_set import feasible_set
from fairrank.frontier._frontier_sample import frontier_sample
from fairrank.frontier._influence import covariance_of_means, influence
from fairrank.inference._permutation import seed_sequence


class SupportFunction:
    """Estimated support function of the group risks that decisions 0 and 1 can attain.

    A decision rule a(X) that does not see the group gives every group a risk, the mean loss of
    its members. ``h(q)`` estimates the largest q'e among all risks e that such rules attain: it
    is attained by treating (deciding 1) whoever has ``k(q) > 0``, k being the product of q with
    the row's `delta_theta` over the group shares [1]_. Losses are realised and only the sign of k
    is estimated, which makes h a good *level* and a poor choice of *direction*; `plug_in` is the
    same with `delta_theta` for both, a true convex support function, for directions.

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
       arXiv 2402.08879, equations for the support function and its estimator, sections 3 and 4.

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

    @cached_property
    def _order(self) -> AngularOrder:
        return angular_order(self._sample.scaled)

    @cached_property
    def _swept(self) -> Any:
        return swept_rows(self._sample, self._order)

    @cached_property
    def realised(self) -> Arcs:
        """Arcs of h from realised losses. Two groups."""
        self._for_two_groups("realised")
        sample = self._sample
        step = np.zeros((sample.n_rows, 2))
        step[np.arange(sample.n_rows), sample.code] = sample.weight_in_group * sample.change
        return arcs_of(self._order, step, sample.group_means(sample.loss))

    @cached_property
    def plug_in(self) -> Arcs:
        """Arcs of the plug-in zonogon: `delta_theta` for the losses' change too. Two groups."""
        self._for_two_groups("plug_in")
        sample = self._sample
        step = sample.weight[:, np.newaxis] * sample.scaled
        return arcs_of(self._order, step, sample.group_means(sample.loss))

    @property
    def support_points(self) -> np.ndarray:
        """Support point of each arc, counterclockwise, shape (n_arcs, 2). Two groups."""
        return self.realised.support_points

    @property
    def arc_starts(self) -> np.ndarray:
        """Unit direction at which each arc begins, from (-1, 1), shape (n_arcs, 2). Two groups."""
        return self.realised.starts

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
        """Risks of all groups when those with k(q) > 0 are treated.

        Parameters
        ----------
        q : array-like of shape (n_groups,) or (m, n_groups)
        arc : int or array-like of shape (m,), optional
            As for `h`.

        Returns
        -------
        ndarray of shape (n_groups,) or (m, n_groups)
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
        arc : int, optional
            As for `h`.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
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

    @property
    def skew(self) -> str:
        """"balanced", "r" or "b": whether R and B lie on both sides of equal risks. Two groups."""
        self._for_two_groups("skew")
        return _frontier_path.skew_of(self.best_points)

    @property
    def side(self) -> str:
        """"above", "below" or "across" the line of equal risks. Two groups."""
        return side_of_equal_risks(self.realised)

    def fairest_point(self, method: str = "plug_in") -> FairestPoint:
        """The attainable risks that are nearest to each other. Two groups, O(n).

        Parameters
        ----------
        method : {"plug_in", "infimum", "crossing"}
            Where the level comes from when equal risks are attainable: the realised level in the
            plug-in direction; the paper's largest -h(q) / |q_r + q_b|, biased upward; or the
            crossing of the realised support points with the line.

        Returns
        -------
        FairestPoint
        """
        return fairest_point(self.realised, self.plug_in, method)

    def largest_excess(self, e: Any, over: Any = "all") -> Excess:
        """Largest q'e - h(q) over unit directions, exactly. Two groups, O(n) a point.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)
        over : {"all", "frontier", "pareto"} or pair of directions
            Angles from 3pi/4 to 7pi/4, from pi to 3pi/2, or from one direction counterclockwise
            to the other.

        Returns
        -------
        Excess
            Above 0 where `e` is not attainable.
        """
        return _excess.largest_excess(self.realised, e, over)

    def separation(self, e: Any) -> Excess:
        """Largest -h_C(e)(-q) - h(q) over the frontier's directions. Two groups, O(n) a point.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)

        Returns
        -------
        Excess
            Below 0 where attainable risks are more accurate and as fair, or fairer.
        """
        return _excess.separation(self.realised, e)

    def on_frontier(self, e: Any, slack: float | None = None) -> Any:
        """Whether risks are on the fairness-accuracy frontier but for `slack`. O(n) a point.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)
        slack : float, optional
            Bound on what the risks are beyond the attainable set plus what is attainable beyond
            them; sqrt(log n / n) by default.

        Returns
        -------
        bool or ndarray of bool, shape (m,)
        """
        if slack is None:
            slack = np.sqrt(np.log(self.n_samples) / self.n_samples)
        return _excess.on_frontier(self.realised, e, check_at_least_zero(slack, "slack"))

    @cached_property
    def feasible_set(self) -> np.ndarray:
        """Corners of {e : q'e <= h(q) for all q}, counterclockwise, (n_corners, 2). Two groups.

        Without a corner where no point is left, which happens in tiny samples.
        """
        return feasible_set(self.realised)

    def frontier(self) -> np.ndarray:
        """Corners of the plug-in fairness-accuracy frontier, shape (n_corners, 2). Two groups.

        From R to B when balanced; from R to F when skewed towards r, and from F to B towards b.
        """
        return _frontier_path.frontier_path(self.plug_in)

    def pareto_frontier(self) -> np.ndarray:
        """Corners of the plug-in Pareto frontier from R to B, (n_corners, 2). Two groups."""
        return _frontier_path.pareto_path(self.plug_in)

    def influence(self, q: Any, arc: int | None = None) -> np.ndarray:
        """Influence function of h(q) at every row, of mean 0. O(n).

        Parameters
        ----------
        q : array-like of shape (n_groups,)
        arc : int, optional
            As for `h`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        q = self._one_direction(q)
        return influence(self._sample, q, self.decisions(q, arc))

    def standard_error(self, q: Any, arc: int | None = None) -> float:
        """Standard error of h(q), of dependent rows where there are clusters. O(n).

        Parameters
        ----------
        q : array-like of shape (n_groups,)
        arc : int, optional
            As for `h`.

        Returns
        -------
        float
            At least 0, in units of loss; 0 where all members of each group lose the same.
        """
        return float(np.sqrt(self.covariance(q, q, arc, arc)))

    def covariance(
        self, q_1: Any, q_2: Any, arc_1: int | None = None, arc_2: int | None = None
    ) -> float:
        """Covariance of h in two directions. O(n).

        Parameters
        ----------
        q_1, q_2 : array-like of shape (n_groups,)
        arc_1, arc_2 : int, optional
            As for `h`.

        Returns
        -------
        float
        """
        return covariance_of_means(
            self._sample, self.influence(q_1, arc_1), self.influence(q_2, arc_2)
        )

    def reweighted(self, sample_weight: Any) -> Arcs:
        """Arcs of h under other weights, decisions kept. Two groups, O(n).

        The weights change losses and group shares, not who is treated where.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,)
            At least 0, in place of those given at first.

        Returns
        -------
        Arcs
        """
        self._for_two_groups("reweighted")
        weight = check_sample_weight(sample_weight)
        check_same_length(loss_0=self._sample.loss, sample_weight=weight)
        weight = np.ones(self.n_samples) if weight is None else weight.astype(np.float64)
        mass = np.bincount(self._sample.code, weights=weight, minlength=2)
        if not mass.all():
            group = self.group_names[int(np.argmin(mass))]
            raise DegenerateGroupError(
                f"sample_weight is 0 for all rows of group {group!r}, so it has no risk."
            )
        arcs = self._swept.empty_arcs()
        self._swept.sweep(weight[self._order.order], arcs)
        return arcs

    def draws(
        self,
        statistic: Callable[[FrontierDraw], Any],
        n_draws: int = 1000,
        *,
        losses: Any = None,
        random_state: Any = None,
        n_jobs: Any = None,
    ) -> np.ndarray:
        """Bootstrap a statistic of the support function. Two groups, O(n) a draw for all arcs.

        Every row, or cluster, gets a weight from the exponential distribution of mean 1, times
        its survey weight. The weights enter losses and group shares; who is treated where stays,
        which is equivalent to first order and needs no sort.

        Parameters
        ----------
        statistic : callable
            Of a `FrontierDraw`, with the arcs under the draw's weights; returns numbers, always
            of the same shape. Its arrays are overwritten by the next draw.
        n_draws : int
            At least 1.
        losses : array-like of shape (n_samples,) or (n_samples, n_losses), optional
            Losses of other decisions, whose group means each draw gives as `risks`.
        random_state : int, RandomState, SeedSequence or None
            Seed of the draws.
        n_jobs : int, optional
            Threads (joblib). The numbers do not depend on it.

        Returns
        -------
        ndarray, shape (n_draws, ...)

        Examples
        --------
        >>> from fairrank.datasets import make_frontier_data
        >>> from fairrank.frontier import SupportFunction
        >>> data = make_frontier_data(2000, random_state=0)
        >>> support = SupportFunction(
        ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
        ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
        ... )
        >>> drawn = support.draws(lambda draw: draw.arcs.h([-1, -1]), 200, random_state=0)
        >>> print(round(drawn.std(), 2), round(support.standard_error([-1, -1]), 2))
        0.02 0.02
        """
        self._for_two_groups("draws")
        check_count(n_draws, "n_draws")
        table = np.empty((self.n_samples, 0))
        if losses is not None:
            array = as_array(losses, "losses")
            check_same_length(loss_0=self._sample.loss, losses=array)
            table = as_finite_float(array.ravel(), "losses").reshape(self.n_samples, -1)
        return drawn(
            self._swept, statistic, n_draws, seed_sequence(random_state), n_jobs, table
        )

    def draws_of_h(
        self, q: Any, n_draws: int = 1000, *, random_state: Any = None, n_jobs: Any = None
    ) -> np.ndarray:
        """Bootstrap h on a grid of directions. Two groups.

        Parameters
        ----------
        q : array-like of shape (2,) or (m, 2)
        n_draws, random_state, n_jobs
            As for `draws`.

        Returns
        -------
        ndarray, shape (n_draws,) or (n_draws, m)

        Notes
        -----
        The maximum over a grid falls short of that over all directions: of 1000 directions by
        .06-.11 and of 100 by .2-.3 in units of 1 / sqrt(n).
        """
        q = as_directions(q, 2)
        return self.draws(
            lambda draw: draw.arcs.h(q), n_draws, random_state=random_state, n_jobs=n_jobs
        )

    def _one_direction(self, q: Any) -> np.ndarray:
        q = as_directions(q, self.n_groups)
        if q.ndim != 1:
            raise ValueError(f"q must be one direction here, got shape {q.shape}.")
        return q

    def _for_two_groups(self, name: str) -> None:
        if self.n_groups != 2:
            raise ValueError(
                f"{name} is for two groups, where directions are a circle that one sort sweeps; "
                f"sensitive_features holds {self.n_groups}: "
                f"{', '.join(map(repr, self.group_names))}. Merge them, or compare two at a time."
            )

    def _no_arc(self, arc: Any) -> None:
        if arc is not None:
            self._for_two_groups("arc")
