"""What one sort of two groups' rows gives: both kinds of arcs, the plane they bound, and draws."""

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
from fairrank.frontier._draws import FrontierDraw, SweptRows, drawn, swept_rows
from fairrank.frontier._excess import Excess
from fairrank.frontier._fairest_point import FairestPoint, fairest_point, side_of_equal_risks
from fairrank.frontier._feasible_set import feasible_set
from fairrank.frontier._frontier_sample import FrontierSample
from fairrank.inference._permutation import seed_sequence


class TwoGroupFrontier:
    """The part of `SupportFunction` in which directions are a circle."""

    _sample: FrontierSample

    @cached_property
    def _order(self) -> AngularOrder:
        return angular_order(self._sample.scaled)

    @cached_property
    def _swept(self) -> SweptRows:
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
        """Arcs of the plug-in zonogon: `delta_theta` for the change of loss. Two groups."""
        self._for_two_groups("plug_in")
        sample = self._sample
        step = (sample.weight / sample.mass.sum())[:, np.newaxis] * sample.scaled
        # A zonogon is symmetric about the risks of deciding by a fair coin, and those are seen
        # whatever is estimated: from there, not from the risks when nobody is treated.
        centre = sample.group_means(sample.loss + 0.5 * sample.change)
        return arcs_of(self._order, step, centre - 0.5 * step.sum(axis=0))

    @property
    def support_points(self) -> np.ndarray:
        """Support point of each arc, counterclockwise, shape (n_arcs, 2). Two groups."""
        return self.realised.support_points

    @property
    def arc_starts(self) -> np.ndarray:
        """Unit direction at which each arc begins, from (-1, 1), shape (n_arcs, 2). Two groups."""
        return self.realised.starts

    @property
    def skew(self) -> str:
        """"balanced", "r" or "b": whether R and B lie on both sides of equal risks. Two groups.

        r is the first of `group_names` and b the second, whatever they are called.
        """
        return _frontier_path.skew_of(_frontier_path.best_points(self.realised))

    @property
    def skewed_towards(self) -> tuple:
        """The group that has the lower risk at R and at B; empty when balanced. Two groups."""
        at = {"balanced": slice(0), "r": slice(1), "b": slice(1, 2)}[self.skew]
        return self._sample.group_names[at]

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
            plug-in direction; the paper's largest ``-h(q) / |q_r + q_b|``, biased upward; or the
            crossing of the realised support points with the line.

        Returns
        -------
        FairestPoint
            Risks, direction, and where the level came from.
        """
        return fairest_point(self.realised, self.plug_in, method)

    def largest_excess(self, e: Any, over: Any = "all") -> Excess:
        """Largest q'e - h(q) over unit directions, exactly. Two groups, O(n) a point.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)
            Risks of r and b.
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

        C(e) holds the risks that are as accurate as `e` for both groups, or more, and as fair, or
        fairer; h_C(e) is its support function, and h that of the attainable risks.

        Parameters
        ----------
        e : array-like of shape (2,) or (m, 2)
            Risks of r and b.

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
            Risks of r and b.
        slack : float, optional
            Bound on what the risks are beyond the attainable set plus what is attainable beyond
            them; sqrt(log n / n) by default, n being the number of rows, or clusters.

        Returns
        -------
        bool or ndarray of bool, shape (m,)
            True where they are.
        """
        if slack is None:
            n = self._sample.n_clusters
            slack = np.sqrt(np.log(n) / n)
        return _excess.on_frontier(self.realised, e, check_at_least_zero(slack, "slack"))

    @cached_property
    def feasible_set(self) -> np.ndarray:
        """Corners of {e : q'e <= h(q) for all q}, counterclockwise, (n_corners, 2). Two groups.

        Without a corner where no point is left, which happens in tiny samples.
        """
        return feasible_set(self.realised)

    def frontier(self) -> np.ndarray:
        """Give the corners of the plug-in fairness-accuracy frontier. Two groups.

        Returns
        -------
        ndarray of shape (n_corners, 2)
            From R to B when balanced; from R to F when skewed towards r, from F to B towards b.
        """
        return _frontier_path.frontier_path(self.plug_in)

    def pareto_frontier(self) -> np.ndarray:
        """Give the corners of the plug-in Pareto frontier. Two groups.

        Returns
        -------
        ndarray of shape (n_corners, 2)
            From R to B.
        """
        return _frontier_path.pareto_path(self.plug_in)

    def reweighted(self, sample_weight: Any) -> Arcs:
        """Sweep under other weights, decisions kept. Two groups, O(n).

        The weights change losses and group shares, not who is treated where.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,)
            At least 0, in place of those given at first.

        Returns
        -------
        Arcs
            Of h, with the same breaks.
        """
        self._for_two_groups("reweighted")
        weight = check_sample_weight(sample_weight)
        check_same_length(loss_0=self._sample.loss, sample_weight=weight)
        weight = np.ones(self._sample.n_rows) if weight is None else weight.astype(np.float64)
        mass = np.bincount(self._sample.code, weights=weight, minlength=2)
        if not mass.all():
            group = self._sample.group_names[int(np.argmin(mass))]
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
            What `statistic` gave, draw by draw.

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
        table = np.empty((self._sample.n_rows, 0))
        if losses is not None:
            array = as_array(losses, "losses")
            check_same_length(loss_0=self._sample.loss, losses=array)
            table = as_finite_float(array.ravel(), "losses").reshape(self._sample.n_rows, -1)
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
            Directions.
        n_draws : int
            As for `draws`.
        random_state : int, RandomState, SeedSequence or None
            As for `draws`.
        n_jobs : int, optional
            As for `draws`.

        Returns
        -------
        ndarray, shape (n_draws,) or (n_draws, m)
            In units of loss.

        Notes
        -----
        The maximum over a grid falls short of that over all directions, which `draws` gives
        exactly.
        """
        q = as_directions(q, 2)
        return self.draws(
            lambda draw: draw.arcs.h(q), n_draws, random_state=random_state, n_jobs=n_jobs
        )

    def _for_two_groups(self, name: str) -> None:
        names = self._sample.group_names
        if len(names) != 2:
            raise ValueError(
                f"{name} is for two groups, where directions are a circle that one sort sweeps; "
                f"sensitive_features holds {len(names)}: {', '.join(map(repr, names))}. Merge "
                "them, or compare two at a time."
            )
