"""What an ordering came to: fair scores, maps, AUC and disparity before and after, the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.exceptions import InfeasibleError
from fairrank.metrics._ranking_disparity import favoured_pair
from fairrank.metrics._ranking_sample import RankingSample
from fairrank.ranking._chains import Chains
from fairrank.ranking._orders import Objective
from fairrank.ranking._score_map import ScoreMap, maps_of
from fairrank.ranking._solvers import Placed, auc_bound, no_worse_than_before

# Fewer distinct scores than this may be why a condition cannot be met.
FEW_STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FairOrdering:
    """An order of scored rows that trades AUC against a disparity between groups.

    Attributes
    ----------
    fair_score : ndarray, shape (n_samples,)
        In (0, 1), higher first: 1 - (weight above + half the weight beside) / all. NaN for rows
        whose missing group was dropped.
    score_maps : dict of group to ScoreMap
        Monotone; they give the fair score of any score, and these ones exactly.
    disparity : {"xauc", "prf", "urf"}
    solver : {"hull", "lattice", "calibrated"}
    trade_off, max_disparity : float or None
        As asked for.
    auc_before, auc_after : float
        ROC-AUC of everybody.
    disparity_before, disparity_after : float
        Largest absolute disparity over pairs of groups, in [0, 1].
    pair_before, pair_after : tuple of two groups
        Whose disparity that is, the favoured group first.
    groups : tuple
        In the order of rows and columns below.
    differences : ndarray, shape (G, G)
        What the row's group is favoured by over the column's, afterwards.
    objective : float
        AUC minus trade_off times disparity; AUC under a condition, or when the smallest disparity
        was asked for.
    upper_bound : float
        No order of these scores has a larger objective, nor, where the smallest disparity was
        asked for, a larger AUC at this disparity or less; NaN for a subsample.
    optimality_gap : float
        ``upper_bound - objective``, at least 0.
    proven : bool
        The order is the best of all, not only near the bound; with more than two groups, of all
        those in which no two groups share a place.
    multiplier : float or ndarray
        Trade-off of the signed problem that gives the bound; positive where the order moves the
        first group down.

    Examples
    --------
    >>> from fairrank.ranking import fair_ordering
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> ordering = fair_ordering(y, score, sensitive_features=list("aabbab"), trade_off=1)
    >>> ordering.proven, round(ordering.disparity_before, 3), round(ordering.disparity_after, 3)
    (True, 0.75, 0.0)
    >>> ordering.order.tolist()
    [0, 2, 1, 4, 3, 5]
    """

    fair_score: np.ndarray
    score_maps: dict[Any, ScoreMap]
    disparity: str
    solver: str
    trade_off: float | None
    max_disparity: float | None
    auc_before: float
    auc_after: float
    disparity_before: float
    disparity_after: float
    pair_before: tuple
    pair_after: tuple
    groups: tuple
    differences: np.ndarray
    objective: float
    upper_bound: float
    optimality_gap: float
    proven: bool
    multiplier: Any

    @property
    def order(self) -> np.ndarray:
        """Rows, best first; tied ones as they came, those without a fair score last."""
        return np.argsort(-self.fair_score, kind="stable")

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; maps as lists of knots."""
        out = {name: getattr(self, name) for name in self.__slots__}
        out["score_maps"] = {
            str(group): {"score": one.score.tolist(), "fair_score": one.fair_score.tolist()}
            for group, one in self.score_maps.items()
        }
        for name in ("pair_before", "pair_after", "groups"):
            out[name] = [str(group) for group in out[name]]
        return {
            name: value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
            for name, value in out.items()
        }

    def __repr__(self) -> str:
        """State disparity and AUC before and after, the gap, and who stands above."""
        closed = self.proven and self.optimality_gap <= 1e-12
        gap = "proven" if closed else f"gap {self.optimality_gap:.1e}"
        above, below = self.pair_after
        return (
            f"FairOrdering({self.disparity} {self.disparity_before:.4f} -> "
            f"{self.disparity_after:.4f}, AUC {self.auc_before:.4f} -> {self.auc_after:.4f}, "
            f"{gap}, {above!r} above {below!r})"
        )


def ordering_of(sample: RankingSample, chains: Chains, part: Chains, placed: Placed,
                objective: Objective, **asked: Any) -> FairOrdering:
    """Judge the placed steps of `part` on all `chains`.

    Raises
    ------
    InfeasibleError
        A condition was given that the order does not meet.
    """
    auc_before, before = chains.values_before
    gap_before = float(np.abs(before).max())
    of_part = part.values_before
    placed, (auc, after) = no_worse_than_before(
        part, objective, placed, objective.of(of_part[0], float(np.abs(of_part[1]).max()))
    )
    maps = maps_of(part, placed.step_ranks)
    ranks = placed.step_ranks
    # A subsample answers for itself: the maps are judged on all rows, the condition is not.
    met = float(np.abs(after).max())
    if part is not chains:
        ranks = [to_fair(chain.score) for to_fair, chain in zip(maps, chains.chain)]
        auc, after = chains.values(ranks)
    gap = float(np.abs(after).max())
    if objective.hard and not objective.meets(met):
        raise InfeasibleError(_infeasible(met, placed.proven and part is chains, part, **asked))
    smallest = not objective.hard and asked["trade_off"] is None
    worth = auc if objective.hard or smallest else objective.of(auc, gap)
    bound = auc_bound(chains, gap) if smallest else placed.bound
    # The bound of a subsample says nothing of the others.
    bound = float(np.maximum(worth, bound)) if part is chains else float("nan")
    return FairOrdering(
        fair_score=chains.of_rows(ranks, sample.score.size),
        score_maps=dict(zip(sample.labels, maps)),
        disparity=chains.disparity,
        auc_before=auc_before,
        auc_after=auc,
        disparity_before=gap_before,
        disparity_after=gap,
        pair_before=_pair(sample, before),
        pair_after=_pair(sample, after),
        groups=sample.labels,
        differences=after,
        objective=worth,
        upper_bound=bound,
        optimality_gap=bound - worth,
        proven=placed.proven and part is chains,
        multiplier=placed.multiplier,
        **asked,
    )


def _pair(sample: RankingSample, differences: np.ndarray) -> tuple:
    above, below = favoured_pair(differences)  # type: ignore[misc]  # no NaN comes here
    return sample.labels[above], sample.labels[below]


def _infeasible(gap: float, exhaustive: bool, part: Chains, *, max_disparity: float,
                solver: str, **_: Any) -> str:
    searched = f"solver={solver!r} does not look at every order"
    if exhaustive:
        shared = " in which no two groups share a place" if part.n_groups > 2 else ""
        searched = f"every order{shared} was searched: there is none"
    n_steps = sum(chain.n_steps for chain in part.chain)
    coarse = (
        " Members of a group with equal scores stay together, so coarse scores leave few orders."
        if n_steps < FEW_STEPS
        else ""
    )
    other = "" if exhaustive or solver == "hull" else ", pass solver='hull'"
    return (
        f"max_disparity={max_disparity}: no order was found with a disparity that small; the "
        f"smallest found is {gap:.6g}, and {searched}.{coarse} Accept more, "
        f"max_disparity={1.01 * gap:.2g}{other}, or give neither trade_off nor max_disparity: "
        "then the smallest is returned."
    )
