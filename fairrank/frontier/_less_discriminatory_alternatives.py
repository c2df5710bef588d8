"""Algorithms that are as accurate for both groups and as fair as given decisions, and better."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fairrank._validation import check_choice, check_same_length
from fairrank.frontier._angular_order import TIED
from fairrank.frontier._arcs import as_coordinates
from fairrank.frontier._by_direction import risks
from fairrank.frontier._decision_risks import as_decisions
from fairrank.frontier._direction import direction_to
from fairrank.frontier._frontier_rule import FrontierRule, frontier_rule
from fairrank.frontier._support_function import SupportFunction

CHOICES = ("largest_smallest_slack", "most_accurate", "fairest")
# Relative to the risks: a smaller improvement is rounding.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LessDiscriminatoryAlternatives:
    """The part of the plug-in frontier that is better than given decisions, and one of it.

    Falsy where no alternative was found. That is no proof that there is none: the frontier is
    that of the covariates and estimates at hand.

    Attributes
    ----------
    risks : ndarray, shape (2,)
        Of the given decisions, from realised losses.
    frontier : ndarray, shape (n_corners, 2)
        Corners of the part, from the best point of r towards that of b. Of shape (0, 2) where
        there is none.
    point : ndarray, shape (2,)
        Plug-in risks of the chosen alternative; NaN where there is none.
    slacks : ndarray, shape (3,)
        How far `point` is below the given decisions: in the risk of the first group, of the
        second, and in the difference of both without sign.
    rule : FrontierRule or None
        The alternative, for any row.
    decisions : ndarray, shape (n_samples,), or None
        Its probability of decision 1 on these rows.
    realised_risks : ndarray, shape (2,)
        Its risks from realised losses. Like `point` they flatter it: take other rows to judge.
    realised_slacks : ndarray, shape (3,)
        As `slacks`, of the realised risks; below 0 where these rows do not confirm them.
    group_names : tuple
        Groups in the order of coordinates.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, less_discriminatory_alternatives
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> less_discriminatory_alternatives(support, support.decisions([-1, 0]))
    LessDiscriminatoryAlternatives(none found; that does not prove that there is none)
    """

    risks: np.ndarray
    frontier: np.ndarray
    point: np.ndarray
    slacks: np.ndarray
    rule: FrontierRule | None
    decisions: np.ndarray | None
    realised_risks: np.ndarray
    realised_slacks: np.ndarray
    group_names: tuple

    def __bool__(self) -> bool:
        """Whether an alternative was found."""
        return self.rule is not None

    def __repr__(self) -> str:
        """The chosen risks, or that none was found."""
        if self.rule is None:
            found = "none found; that does not prove that there is none"
        else:
            point = ", ".join(
                f"{name} {risk:.4f}" for name, risk in zip(self.group_names, self.point)
            )
            found = f"smallest slack {self.slacks.min():.4f} at {point}"
        return f"LessDiscriminatoryAlternatives({found})"

    def __str__(self) -> str:
        """Risks of the decisions and of the alternative, and how far they are apart."""
        columns = [*(f"risk {name}" for name in self.group_names), "difference"]
        width = max(10, *map(len, columns))
        lines = [" " * 22 + " ".join(f"{column:>{width}}" for column in columns)]
        rows = {"decisions": self.risks}
        if self.rule is not None:
            rows |= {"alternative, plug-in": self.point,
                     "alternative, realised": self.realised_risks}
        for label, pair in rows.items():
            values = [*pair, abs(pair[0] - pair[1])]
            lines.append(f"{label:<22}" + " ".join(f"{value:>{width}.4f}" for value in values))
        if self.rule is None:
            lines.append("No alternative was found, which does not prove that there is none.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: value.tolist() if isinstance(value, np.ndarray)
            else list(map(str, value)) if isinstance(value, tuple)
            else value.to_dict() if isinstance(value, FrontierRule) else value
            for name, value in values.items()
        }


def less_discriminatory_alternatives(
    support: SupportFunction, decisions: Any, *, choose: Any = "largest_smallest_slack"
) -> LessDiscriminatoryAlternatives:
    """Find algorithms that harm no group, are as fair, and are better in something.

    With e the groups' risks under the decisions these are the algorithms whose risks x have
    ``x_r <= e_r``, ``x_b <= e_b`` and ``|x_r - x_b| <= |e_r - e_b|``. Of those on the plug-in
    frontier one is chosen.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    decisions : array-like of shape (n_samples,)
        Probability of decision 1 in [0, 1] for the rows of the support function, or the decision
        itself.
    choose : {"largest_smallest_slack", "most_accurate", "fairest"} or array-like of shape (2,)
        Which alternative. By default the one whose smallest improvement, of three, is largest;
        "most_accurate" has the least mean loss of all, "fairest" the least difference of risks,
        and for a pair of risks it is the alternative nearest to them.

    Returns
    -------
    LessDiscriminatoryAlternatives
        Without a rule where no alternative was found.

    Raises
    ------
    ValueError, TypeError
        More than two groups, decisions outside [0, 1] or of another length, or an unknown choice.

    Notes
    -----
    O(n). The frontier is a polyline, which four half-planes cut exactly; slacks are linear along
    its edges, so that the best point is a corner or where two of them cross. The risks under the
    decisions are realised and the frontier is the plug-in one, whose choice of a point is not led
    by the noise of realised losses. Alternatives that were chosen on rows look better on them: let
    the rule decide rows that neither the estimates nor the choice have seen.

    References
    ----------
    Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier. arXiv
    2402.08879, "Less Discriminatory Alternatives"; the choice of a point is fairrank's own.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, less_discriminatory_alternatives
    >>> data = make_frontier_data(5000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> found = less_discriminatory_alternatives(support, data.status_quo(data.data))
    >>> found
    LessDiscriminatoryAlternatives(smallest slack 0.0368 at r 0.3750, b 0.4645)
    >>> print(found)
                              risk r     risk b difference
    decisions                 0.4117     0.5381     0.1263
    alternative, plug-in      0.3750     0.4645     0.0895
    alternative, realised     0.3741     0.4629     0.0889
    """
    support._for_two_groups("less_discriminatory_alternatives")
    sample = support._sample
    decided = as_decisions(decisions)
    check_same_length(loss_0=sample.loss, decisions=decided)
    near = None
    if isinstance(choose, str) or choose is None:
        check_choice(choose, CHOICES, "choose")
    else:
        near = as_coordinates(choose, "choose", 2)
        if near.ndim != 1:
            raise ValueError(f"choose must be one pair of risks, got shape {near.shape}.")
    e = risks(sample, decided)
    part = PartInside.of(support.frontier(), e)
    point = None if part is None else part.chosen(choose, support.group_shares, near)
    if part is None or point is None:
        nowhere = np.full(2, np.nan)
        return LessDiscriminatoryAlternatives(
            risks=e, frontier=np.empty((0, 2)), point=nowhere, slacks=np.full(3, np.nan),
            rule=None, decisions=None, realised_risks=nowhere,
            realised_slacks=np.full(3, np.nan), group_names=support.group_names,
        )
    rule = frontier_rule(support, direction_to(support, point))
    alternative = rule._chance(sample.scaled)
    realised = risks(sample, alternative)
    return LessDiscriminatoryAlternatives(
        risks=e, frontier=part.corners(), point=point, slacks=slacks_of(point, e), rule=rule,
        decisions=alternative, realised_risks=realised, realised_slacks=slacks_of(realised, e),
        group_names=support.group_names,
    )


def slacks_of(x: np.ndarray, e: np.ndarray) -> np.ndarray:
    """How far risks are below others: of either group, and in their difference without sign.

    Parameters
    ----------
    x : ndarray, shape (..., 2)
    e : ndarray, shape (2,)

    Returns
    -------
    ndarray, shape (..., 3)
    """
    gap = np.abs(e[0] - e[1]) - np.abs(x[..., 0] - x[..., 1])
    return np.stack([e[0] - x[..., 0], e[1] - x[..., 1], gap], axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartInside:
    """Edges of a polyline, each from `start` by `edge`, and the part of each that is inside C(e).

    Attributes
    ----------
    start, edge : ndarray, shape (m, 2)
    low, high : ndarray, shape (m,)
        Parts of the edge at which it enters and leaves, in [0, 1].
    above, rise : ndarray, shape (m, 4)
        How far the start is inside each half-plane, and what the edge adds to it.
    e : ndarray, shape (2,)
    """

    start: np.ndarray
    edge: np.ndarray
    low: np.ndarray
    high: np.ndarray
    above: np.ndarray
    rise: np.ndarray
    e: np.ndarray

    @classmethod
    def of(cls, corners: np.ndarray, e: np.ndarray) -> PartInside | None:
        """Edges of a convex polyline inside C(e); None without any. O(n_corners)."""
        tied = TIED * float(np.abs(np.vstack([corners, e])).max())
        gap = corners[:, 0] - corners[:, 1]
        # Equal but for rounding is equal: F is to be inside where the decisions' risks are.
        gap = np.where(np.abs(gap) <= tied, 0.0, gap)
        most = abs(e[0] - e[1])
        most = 0.0 if most <= tied else most
        inside = np.column_stack([e[0] - corners[:, 0], e[1] - corners[:, 1], most - gap,
                                  most + gap])
        if corners.shape[0] == 1:
            corners, inside = np.repeat(corners, 2, axis=0), np.repeat(inside, 2, axis=0)
        above, below = inside[:-1], inside[1:]
        rise = below - above
        with np.errstate(divide="ignore", invalid="ignore"):
            at = above / (above - below)
        low = np.where((above < 0) & (below >= 0), at, 0.0).max(axis=1)
        high = np.where((above >= 0) & (below < 0), at, 1.0).min(axis=1)
        kept = ((above >= 0) | (below >= 0)).all(axis=1) & (low <= high)
        if not kept.any():
            return None
        return cls(
            start=corners[:-1][kept], edge=np.diff(corners, axis=0)[kept], low=low[kept],
            high=high[kept], above=above[kept], rise=rise[kept], e=e,
        )

    def corners(self) -> np.ndarray:
        """Corners of the part, without repeats, shape (n_corners, 2)."""
        ends = np.stack([self._points(self.low), self._points(self.high)], axis=1).reshape(-1, 2)
        tied = TIED * np.abs(ends).max()
        moved = np.abs(np.diff(ends, axis=0)).max(axis=1) > tied
        return ends[np.concatenate([[True], moved])]

    def chosen(
        self, choose: Any, share: np.ndarray, near: np.ndarray | None
    ) -> np.ndarray | None:
        """The point that is asked for; None where no point of the part is better than e."""
        at = self._candidates()
        points = self.start[:, np.newaxis] + at[..., np.newaxis] * self.edge[:, np.newaxis]
        slacks = slacks_of(points, self.e)
        if slacks.max() <= NEGLIGIBLE * max(float(np.abs(points).max()), TIED):
            return None
        if near is not None:
            return self._nearest(near)
        if choose == "largest_smallest_slack":
            best = np.argmax(slacks.min(axis=-1))
        elif choose == "fairest":
            best = np.argmax(slacks[..., 2])
        else:
            best = np.argmin(points @ share)
        return points.reshape(-1, 2)[best]

    def _points(self, at: np.ndarray) -> np.ndarray:
        return self.start + at[:, np.newaxis] * self.edge

    def _candidates(self) -> np.ndarray:
        """Parts of every edge at which a smallest slack can be largest, shape (m, 9)."""
        columns = [self.low, self.high]
        with np.errstate(divide="ignore", invalid="ignore"):
            for i, j in combinations(range(4), 2):
                apart = self.above[:, i] - self.above[:, j]
                columns.append(apart / (self.rise[:, j] - self.rise[:, i]))
        at = np.column_stack(columns)
        # Parallel slacks cross nowhere, or everywhere.
        at = np.where(np.isfinite(at), at, self.low[:, np.newaxis])
        return np.clip(at, self.low[:, np.newaxis], self.high[:, np.newaxis])

    def _nearest(self, near: np.ndarray) -> np.ndarray:
        length = np.einsum("ij,ij->i", self.edge, self.edge)
        along = np.einsum("ij,ij->i", near - self.start, self.edge)
        at = np.divide(along, length, out=np.zeros_like(length), where=length > 0)
        points = self._points(np.clip(at, self.low, self.high))
        return points[np.argmin(((points - near) ** 2).sum(axis=1))]

