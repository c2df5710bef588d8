"""The order of a scored sample that loses least AUC for a given disparity between groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairrank._sensitive import encode_groups
from fairrank._validation import as_finite_float, check_choice, check_count
from fairrank.metrics._ranking_sample import DISPARITIES, ranking_sample
from fairrank.ranking._calibrated import check_calibrator
from fairrank.ranking._chains import Chains
from fairrank.ranking._fair_ordering_result import FairOrdering, ordering_of
from fairrank.ranking._solvers import (
    FINISHES,
    SOLVERS,
    check_orderable,
    check_thinned,
    objective_of,
    solve,
)


def fair_ordering(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    disparity: str = "xauc",
    trade_off: float | None = None,
    max_disparity: float | None = None,
    solver: str = "hull",
    finish: str = "auto",
    sample_weight: Any = None,
    subsample: int | None = None,
    calibrator: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
) -> FairOrdering:
    """Interleave the groups' scores so that AUC suffers least from a smaller disparity.

    Inside a group the order by score is kept; what changes is how the groups stand to each other.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    disparity : {"xauc", "prf", "urf"}
        As in `fairrank.metrics.ranking_disparity`; with more than two groups the largest over
        pairs.
    trade_off : float, optional
        Maximise ``AUC - trade_off * disparity``; from 0 to 1e5.
    max_disparity : float in [0, 1], optional
        Maximise AUC among orders with at most this disparity, whatever the scores had before. The
        easier of the two to think in; 0 itself is hardly ever attainable.
        With neither, the smallest disparity that is found, and the best AUC there; differences
        far below 1e-5 give way to AUC.
    solver : {"hull", "lattice", "calibrated"}
        "hull": near linear, with a bound that no order passes. "lattice": Algorithm 1 of the
        paper, O(n_a n_b) time and bytes; with three and more groups on the lattice of all of them
        while that has at most 2e7 cells, else by merging one group after another. "calibrated":
        each group's scores are calibrated and shifted by one number; it does best on new data.
    finish : {"auto", "two_split", "labels"}
        How "hull" ends where two orders tie: by one split, or by a search that on small samples
        proves the optimum. "auto" searches unless the split leaves less than 1e-6 to the bound.
        Three and more groups have one finish of their own.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    subsample : int, optional
        Solve on about so many rows, every m-th of each sorted group, to which the condition then
        applies; all rows are placed by the maps, and AUC and disparity are those of all.
    calibrator : {"logistic", "hull"} or classifier, optional
        For "calibrated": how scores become odds inside a group; "logistic" by default, and
        "hull" (isotonic, smoothed) where a logistic slope is not positive. A classifier is
        cloned and fitted to one column: logits when all scores lie in [0, 1], else scores.
    pos_label : label, optional
        The label that a higher score speaks for; needed unless labels are {0, 1} or {-1, 1}.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out. Dropped rows
        have a NaN fair score.

    Returns
    -------
    FairOrdering
        Fair scores, one monotone map a group, AUC and disparity before and after, the bound.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group that lacks the class which the disparity needs.
    InfeasibleError
        No order was found with `max_disparity` or less; the message says how near one came.
    MemoryError
        ``solver="lattice"`` would not fit.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    fair_ordering_path : Every trade-off at once.
    XOrderPostProcessor : The same behind an estimator, for new rows.

    Notes
    -----
    One sort by radix, then O(n) pooling and a few merges of what is pooled ("hull").
    The signed problem is solved exactly: the gain of placing a step of one group before a step of
    another is a cross product, so each group pools to a hull and hulls merge by direction. Its
    dual bounds the problem with ``|D|``; `optimality_gap` is what is left, `proven` says that
    nothing is. Members of a group with equal scores stay together.

    Three and more groups: PRF stays planar, with a multiplier for every group, and its dual is
    minimised by cutting planes; xAUC and URF are bounded by what every pair of groups reaches by
    itself. From the best order at the bound's multipliers, which is near the bound but unfair,
    runs of steps that are tied there change places: seconds at 10^5 rows and five groups. What is
    left to the bound grows with the number of groups and falls with that of rows.

    Optimality is a statement about the rows given. On new rows disparities carry sampling noise,
    and "hull" follows the noise of these rows more closely than "calibrated" does.

    References
    ----------
    Cui, Pan, Zhang, Wang: "Bipartite Ranking Fairness through a Model Agnostic Ordering
    Adjustment" (xOrder), Algorithm 1 for "lattice". Hull, labels and bound are fairrank's own.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.ranking import fair_ordering
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 2000), rng.integers(0, 2, 2000)
    >>> score = rng.normal(size=2000) + y * (1 + (group == "b"))
    >>> known = {"sensitive_features": group, "disparity": "prf"}
    >>> fair_ordering(y, score, max_disparity=0.05, **known)
    FairOrdering(prf 0.1788 -> 0.0500, AUC 0.8401 -> 0.8629, gap 5.0e-06, 'b' above 'a')
    >>> fair_ordering(y, score, trade_off=1, **known).optimality_gap < 1e-4
    True
    """
    check_choice(disparity, DISPARITIES, "disparity")
    check_choice(solver, SOLVERS, "solver")
    check_choice(finish, FINISHES, "finish")
    check_calibrator(calibrator, solver)
    objective = objective_of(trade_off, max_disparity)
    if subsample is not None:
        check_count(subsample, "subsample", minimum=2)
    sample = ranking_sample(
        y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
        pos_label=pos_label, missing=missing,
    )
    counts = check_orderable(sample, disparity)
    chains = Chains.of(sample, disparity, counts)
    part = chains
    if subsample is not None:
        part = chains.thinned(sample, subsample)
        check_thinned(part, subsample)
    placed = solve(part, objective, solver=solver, finish=finish, calibrator=calibrator)
    ordering = ordering_of(
        sample, chains, part, placed, objective,
        solver=solver, trade_off=trade_off, max_disparity=max_disparity,
    )
    score = as_finite_float(y_score, "y_score")
    if sample.score.size == score.size:
        return ordering
    # Rows without weight had no say, yet have a place; rows without a group have none.
    groups = encode_groups(sensitive_features, missing=missing)
    fair_score = np.full(score.size, np.nan)
    for g, label in enumerate(groups.labels):
        rows = groups.keep & (groups.codes == g)
        fair_score[rows] = ordering.score_maps[label](score[rows])
    return replace(ordering, fair_score=fair_score)
