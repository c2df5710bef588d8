"""Every trade-off between AUC and disparity at once: one sort, one pooling, many merges."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import as_finite_float, check_choice, check_count
from fairrank.metrics._ranking_sample import DISPARITIES, ranking_sample
from fairrank.ranking._calibrated import check_calibrator
from fairrank.ranking._chains import Chains, ranks_of_keys
from fairrank.ranking._fair_ordering_path_result import FairOrderingPath
from fairrank.ranking._hull import HullSolver
from fairrank.ranking._orders import Objective
from fairrank.ranking._solvers import (
    FINISHES,
    SOLVERS,
    Placed,
    auc_bound,
    check_orderable,
    objective_of,
    solve,
)
from fairrank.ranking._two_chains import Solved, solve_pair


def fair_ordering_path(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    disparity: str = "xauc",
    trade_offs: Any = None,
    max_disparities: Any = None,
    n_points: int = 50,
    solver: str = "hull",
    finish: str = "two_split",
    sample_weight: Any = None,
    calibrator: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
) -> FairOrderingPath:
    """Order for many trade-offs, or many largest disparities, with one sort and one pooling.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    disparity : {"xauc", "prf", "urf"}
        As in `fairrank.metrics.ranking_disparity`.
    trade_offs : array-like of shape (n_points,), optional
        Maximise ``AUC - trade_off * disparity`` for each of these.
    max_disparities : array-like of shape (n_points,), optional
        Maximise AUC with at most each of these disparities.
    n_points : int
        With neither: so many largest disparities, evenly from that of the order with the best
        AUC down to the smallest that is found.
    solver : {"hull", "calibrated"}
        As in `fair_ordering`.
    finish : {"two_split", "auto", "labels"}
        As in `fair_ordering`; the quick one unless another is asked for.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    calibrator : {"logistic", "hull"} or classifier, optional
        As in `fair_ordering`.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.

    Returns
    -------
    FairOrderingPath
        AUC, disparity and bound of every point; each point's ordering on request.

    Raises
    ------
    DegenerateGroupError
        As `fair_ordering` does.
    ValueError, TypeError
        Bad input, `trade_offs` and `max_disparities` both given, or solver="lattice".

    See Also
    --------
    fair_ordering : One point.
    RankingTradeOffDisplay : The picture.

    Notes
    -----
    One sort and one pooling; two groups then cost a few merges of the hulls and one split a
    point, which does not grow with the rows but for the split.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.ranking import fair_ordering_path
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 4000), rng.integers(0, 2, 4000)
    >>> score = rng.normal(size=4000) + y * (1 + (group == "b"))
    >>> path = fair_ordering_path(
    ...     y, score, sensitive_features=group, disparity="prf", trade_offs=[0, 0.1, 1]
    ... )
    >>> path.disparity_after.round(3).tolist(), path.auc.round(3).tolist()
    ([0.104, 0.071, 0.0], [0.856, 0.854, 0.839])
    """
    check_choice(disparity, DISPARITIES, "disparity")
    check_choice(solver, SOLVERS, "solver")
    check_choice(finish, FINISHES, "finish")
    check_calibrator(calibrator, solver)
    if solver == "lattice":
        raise ValueError(
            "solver='lattice' solves every point anew: call fair_ordering for each, or pass "
            "solver='hull'."
        )
    if trade_offs is not None and max_disparities is not None:
        raise ValueError("trade_offs and max_disparities are both given: pass one of them.")
    check_count(n_points, "n_points", minimum=2)
    sample = ranking_sample(
        y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
        pos_label=pos_label, missing=missing,
    )
    counts = check_orderable(sample, disparity)
    chains = Chains.of(sample, disparity, counts)
    solver_of_pair = HullSolver(chains.pair()) if chains.n_groups == 2 else None

    def solved(objective: Objective) -> Solved | Placed:
        if solver == "hull" and solver_of_pair is not None:
            return solve_pair(solver_of_pair.pair, objective, finish=finish,
                              solver=solver_of_pair)
        return solve(chains, objective, solver=solver, finish=finish, calibrator=calibrator)

    asked = asked_points(trade_offs, max_disparities)
    if not asked:
        free = _values(chains, solved(Objective(0.0)))[1]
        asked = [(None, float(level)) for level in np.linspace(free, 0.0, n_points)[:-1]]
        asked.append((None, None))
    objectives = [objective_of(*point) for point in asked]
    before_auc, before = chains.values_before
    gap_before = float(np.abs(before).max())
    solutions = []
    for objective in objectives:
        found = solved(objective)
        worth = objective.of(before_auc, gap_before)
        if worth > objective.of(*_values(chains, found)):
            # As they came, with places that many share.
            as_given = ranks_of_keys(chains, chains.step_scores)
            found = Placed(as_given, found.bound, False, found.multiplier)
        solutions.append(found)
    auc, gap = np.array([_values(chains, solution) for solution in solutions]).T
    # Where the smallest disparity is asked for, the bound is that of AUC at this disparity.
    bound = np.array([
        auc_bound(chains, at) if asked[i] == (None, None) else solutions[i].bound
        for i, at in enumerate(gap)
    ])
    trade_off, max_disparity = np.array(asked, dtype=float).T
    return FairOrderingPath(
        trade_off=trade_off,
        max_disparity=max_disparity,
        auc=auc,
        disparity_after=gap,
        upper_bound=bound,
        met=np.array([not objective.hard or objective.meets(at)
                      for objective, at in zip(objectives, gap)]),
        disparity=disparity,
        solver=solver,
        auc_before=before_auc,
        disparity_before=gap_before,
        groups=sample.labels,
        _sample=sample,
        _chains=chains,
        _solutions=tuple(solutions),
    )


def asked_points(trade_offs: Any, max_disparities: Any) -> list[tuple]:
    """Pairs (trade_off, max_disparity), one of them None; empty when neither is given."""
    for values, name in ((trade_offs, "trade_offs"), (max_disparities, "max_disparities")):
        if values is None:
            continue
        levels = as_finite_float(values, name).tolist()
        if not levels:
            raise ValueError(f"{name} is empty: pass at least one value.")
        return [(level, None) if name == "trade_offs" else (None, level) for level in levels]
    return []


def _values(chains: Chains, solution: Solved | Placed) -> tuple[float, float]:
    if isinstance(solution, Solved):
        return solution.order.auc, abs(solution.order.disparity)
    auc, signed = chains.values(solution.step_ranks)
    return auc, float(np.abs(signed).max())
