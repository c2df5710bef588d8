"""From chains and an objective to a place for every step, by the solver that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels.steps import count_codes, mid_ranks
from fairrank._validation import check_fraction
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._ranking_sample import RankingSample, lacking
from fairrank.ranking._calibrated import calibrated_keys
from fairrank.ranking._chains import Chains, ranks_of_keys
from fairrank.ranking._hull import HullSolver, find_kink
from fairrank.ranking._interleavings import Interleaving, Several
from fairrank.ranking._lattice import check_lattice_memory, lattice_order
from fairrank.ranking._lattice_several import (
    largest_merge,
    lattice_of_all,
    lattice_one_by_one,
    lattice_several,
    n_cells,
)
from fairrank.ranking._orders import SMALLEST, UNBOUNDED, BlockOrder, Objective
from fairrank.ranking._several_chains import FEW_STEPS, bound_of, solve_several
from fairrank.ranking._two_chains import MAX_LATTICE_CELLS, solve_pair

SOLVERS = ("hull", "lattice", "calibrated")
FINISHES = ("auto", "two_split", "labels")
# Bisections of the trade-off by which the lattice meets a condition on the disparity.
BISECTIONS = 30
# Algorithm 1 for several groups serves as a start for larger trade-offs at this one.
GENTLE = 10.0


@dataclass(frozen=True)
class Placed:
    """Fair scores of every chain's steps, and what is known of all other orders.

    Attributes
    ----------
    step_ranks : list of ndarray
        In (0, 1), higher first; they do not increase along a chain.
    bound : float
        No order of these chains is worth more.
    proven : bool
    multiplier : float or ndarray
        Of the signed problem that gives the bound.
    values : tuple of float and ndarray of shape (G, G), or None
        AUC and signed disparities of these fair scores, where the solver knows them.
    """

    step_ranks: list[np.ndarray]
    bound: float
    proven: bool
    multiplier: Any
    values: tuple[float, np.ndarray] | None = None


def objective_of(trade_off: Any, max_disparity: Any) -> Objective:
    """What is maximised; disparity before AUC when neither is given."""
    if trade_off is not None and max_disparity is not None:
        raise ValueError(
            f"trade_off={trade_off!r} and max_disparity={max_disparity!r} are both given: pass "
            "one. max_disparity is the largest disparity you accept."
        )
    if trade_off is not None:
        if isinstance(trade_off, bool) or not isinstance(trade_off, (int, float, np.number)):
            raise TypeError(f"trade_off must be a number, got {trade_off!r}.")
        if not 0.0 <= float(trade_off) < np.inf:
            raise ValueError(
                f"trade_off must be at least 0 and finite, got {trade_off!r}. For the smallest "
                "disparity pass neither trade_off nor max_disparity."
            )
        if trade_off > SMALLEST:
            raise ValueError(
                f"trade_off={trade_off!r} is above {SMALLEST:g}, where AUC no longer counts: pass "
                "neither trade_off nor max_disparity for the smallest disparity."
            )
        return Objective(float(trade_off))
    if max_disparity is not None:
        allowance = check_fraction(max_disparity, "max_disparity", low_open=False)
        return Objective(UNBOUNDED, allowance, hard=True)
    return Objective(SMALLEST)


def check_orderable(sample: RankingSample, disparity: str) -> np.ndarray:
    """Rows of every group and class, (G, 2), of a sample whose disparity and AUC are defined.

    Raises
    ------
    DegenerateGroupError
        It names the group and the class.
    ValueError
        Groups such as 1 and True, which no dictionary keeps apart.
    """
    if len(set(sample.labels)) < sample.n_groups:
        alike = [label for label in sample.labels if sample.labels.count(label) > 1]
        raise ValueError(
            f"sensitive_features holds groups that are equal but of different types, {alike}: "
            "no map could be found by such a group. Make them of one type."
        )
    counts = count_codes(sample.code, 2 * sample.n_groups).reshape(-1, 2)
    if sample.n_groups > 1 and counts.all():
        return counts
    reason = lacking(sample, disparity)
    # The others need both classes somewhere for the disparity itself.
    if reason is None and disparity == "urf":
        for outcome, n_rows in zip(("negative", "positive"), counts.sum(axis=0)):
            if n_rows == 0:
                reason = (
                    f"y_true has no {outcome} among its {sample.score.size} rows, so AUC is "
                    "undefined. Check pos_label and y_true."
                )
    if reason is not None:
        raise DegenerateGroupError(reason.replace(" or pass undefined='nan'", ""))
    return counts


def check_thinned(chains: Chains, subsample: Any) -> None:
    """Refuse a subsample in which a group lost a class that it has.

    Raises
    ------
    DegenerateGroupError
        A larger subsample would do.
    """
    counts = chains.counts
    lost = not counts.sum(axis=0).all()
    lost |= chains.disparity == "xauc" and not counts.all()
    lost |= chains.disparity == "prf" and not counts[:, 1].all()
    if lost:
        raise DegenerateGroupError(
            f"subsample={subsample} leaves a group without one of its classes: take more rows, "
            "or solver='hull', which needs no subsample."
        )


def solve(chains: Chains, objective: Objective, *, solver: str, finish: str,
          calibrator: Any) -> Placed:
    """Place every step."""
    if solver == "calibrated":
        keys = calibrated_keys(chains, objective, calibrator)
        bound, multiplier = certified_bound(chains, objective)
        return Placed(ranks_of_keys(chains, keys), bound, False, multiplier)
    if chains.n_groups > 2:
        return _several_placed(chains, objective, solver)
    pair = chains.pair()
    if solver == "lattice":
        check_lattice_memory(pair.a.n_steps, pair.b.n_steps)
        order = _lattice_for(chains, objective)
        bound, multiplier = certified_bound(chains, objective)
        return _placed_in(chains, order, bound, False, multiplier)
    solved = solve_pair(pair, objective, finish=finish)
    return _placed_in(chains, solved.order, solved.bound, solved.proven, solved.multiplier)


def _placed_in(chains: Chains, order: BlockOrder, bound: float, proven: bool,
               multiplier: float) -> Placed:
    """The steps of two chains in this order, and its values unless ranks tie by rounding."""
    *ranks, counts, apart = _mid_ranks(chains, order)
    values = chains.pair_values(counts) if apart else None
    return Placed(ranks, bound, proven, multiplier, values)


def ranks_of_order(chains: Chains, order: BlockOrder) -> list[np.ndarray]:
    """Fair scores of the steps of two chains in this order."""
    return list(_mid_ranks(chains, order)[:2])


def _mid_ranks(chains: Chains, order: BlockOrder) -> tuple:
    a, b = chains.chain
    return mid_ranks(
        a.negative, a.positive, b.negative, b.positive, order.a_cut, order.b_cut, order.before,
        order.tied, float(chains.counts.sum()),
    )


def _several_placed(chains: Chains, objective: Objective, solver: str) -> Placed:
    """Three and more groups, by "hull" or "lattice"."""
    several = Several(chains.chain, chains.disparity)
    if solver == "lattice":
        bound, multipliers = certified_bound(chains, objective)
        order, proven = lattice_several(several, objective), False
    else:
        solved = solve_several(several, objective, _starts(several, chains, objective))
        order, proven, bound = solved.order, solved.proven, solved.dual
        multipliers = solved.multipliers
    ranks = ranks_of_keys(chains, order.keys(chains.n_groups))
    return Placed(ranks, bound, proven, multipliers)


def no_worse_than_before(chains: Chains, objective: Objective, placed: Placed,
                         before: float) -> tuple[Placed, tuple[float, np.ndarray]]:
    """Leave the scores as they came where they are worth more; `before` is what they are worth.

    Their places may be shared by many, which no solver tries. With the order comes what it has:
    AUC and signed disparities.
    """
    auc, signed = placed.values or chains.values(placed.step_ranks)
    if before <= objective.of(auc, float(np.abs(signed).max())):
        return placed, (auc, signed)
    proven = placed.bound - before <= 1e-15
    ranks = ranks_of_keys(chains, chains.step_scores)
    return Placed(ranks, placed.bound, proven, placed.multiplier), chains.values(ranks)


def _starts(several: Several, chains: Chains, objective: Objective) -> list[Interleaving]:
    """Orders that the hull solver must not lose to."""
    starts = []
    if largest_merge(several) <= MAX_LATTICE_CELLS:
        starts.append(lattice_one_by_one(several, min(objective.penalty, GENTLE)))
    if int(several.start[-1]) <= FEW_STEPS:
        starts.append(several.by_keys(calibrated_keys(chains, objective, "hull")))
        if n_cells(several) <= MAX_LATTICE_CELLS:
            starts.append(lattice_of_all(several, min(objective.penalty, GENTLE)))
    return starts


def certified_bound(chains: Chains, objective: Objective) -> tuple[float, Any]:
    """What no order of the chains exceeds, whoever solves, and the multiplier that says so."""
    if chains.n_groups > 2:
        bound, _ = bound_of(Several(chains.chain, chains.disparity), objective)
        return bound.value, bound.multipliers
    kink = find_kink(HullSolver(chains.pair()), objective)
    return kink.bound, kink.multiplier


def auc_bound(chains: Chains, gap: float) -> float:
    """What AUC no order with this disparity, or less, exceeds."""
    return certified_bound(chains, Objective(UNBOUNDED, gap, hard=True))[0]


def _lattice_for(chains: Chains, objective: Objective) -> BlockOrder:
    """Algorithm 1 at the trade-off; for a condition, the best order that bisection meets."""
    pair = chains.pair()
    if not objective.hard:
        return lattice_order(pair, objective.penalty)
    free = lattice_order(pair, 0.0)
    if objective.meets(free.disparity):
        return free
    found = lattice_order(pair, objective.penalty)
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        order = lattice_order(pair, middle)
        if objective.of_order(order) > objective.of_order(found):
            found = order
        low, high = (low, middle) if objective.meets(order.disparity) else (middle, high)
    return found
