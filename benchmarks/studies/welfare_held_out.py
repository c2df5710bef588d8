"""A policy found on n rows, among everybody: the gap it leaves, and the revenue it promised."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from tables import Table

from fairrank.welfare import welfare_optimal_policy
from studies import welfare_lending as lending
from studies.runs import simulated

SIZES = (500, 2000, 8000, 32_000)
MODELS = {
    "group-aware": lending.group_aware, "group-blind": lending.group_blind,
    "blind, recalibrated": lending.recalibrated,
}
MEASURES = (
    "gap", "promised", "realised", "promised unconstrained", "realised unconstrained",
)


def found_and_held_out(rng: np.random.Generator, n: int) -> np.ndarray:
    """`MEASURES` of every model and utility, shape (models, utilities, measures)."""
    people = lending.drawn(rng, n)
    y = lending.outcomes(rng, people)
    everybody = lending.everybody()
    rows = []
    for learn in MODELS.values():
        y_prob = lending.out_of_fold(rng, learn, people, y)
        model = learn(people.features, people.group, y)
        predicted = model(everybody.features, everybody.group)
        free = (predicted > lending.CUT).astype(float)
        for utility in lending.UTILITIES:
            revenue, worth, scale = lending.lenders_view(utility, y_prob, people.group)
            policy = welfare_optimal_policy(revenue, worth, sensitive_features=people.group)
            accepted = lending.decided(policy, utility, scale, predicted, everybody.group)
            realised, gap = lending.truth_of(everybody, utility, accepted, lending.SHARE)
            realised_free, _ = lending.truth_of(everybody, utility, free, lending.SHARE)
            rows.append(
                (gap, policy.revenue, realised, policy.unconstrained.total_revenue, realised_free)
            )
    return np.reshape(rows, (len(MODELS), len(lending.UTILITIES), len(MEASURES)))


@lru_cache
def best(utility: str) -> tuple[float, float, float]:
    """Revenue without and with the condition, and the gap without, where P(Y = 1) is known."""
    people = lending.everybody()
    revenue, worth, _ = lending.lenders_view(utility, people.y_prob, people.group)
    weight = np.where(people.group == 1, lending.SHARE, 1.0 - lending.SHARE)
    policy = welfare_optimal_policy(
        revenue, worth, sensitive_features=people.group, sample_weight=weight
    )
    free = policy.unconstrained
    return free.total_revenue, policy.revenue, free.welfare_gap


def exponent(mean: np.ndarray, error: np.ndarray) -> tuple[float, float]:
    """Slope of log mean over log n by weighted least squares, and its standard error."""
    x, weight = np.log(SIZES), (mean / error) ** 2
    x = x - weight @ x / weight.sum()
    slope = weight * x @ np.log(mean) / (weight @ x**2)
    return float(slope), float(1.0 / np.sqrt(weight @ x**2))


def held_out(n_runs: int, n_jobs: int, seed: int = 7000) -> list[Table]:
    """The gap by n with its exponent; then revenue and price, promised and realised."""
    cells = np.stack([
        simulated(found_and_held_out, n_runs, n_jobs, seed + i, n)
        for i, n in enumerate(SIZES)
    ])
    return [gap_table(cells[..., 0], n_runs), *(
        promise_table(cells[:, :, :, j], utility, n_runs)
        for j, utility in enumerate(lending.UTILITIES)
    )]


def gap_table(gaps: np.ndarray, n_runs: int) -> Table:
    """Gaps of shape (sizes, runs, models, utilities)."""
    table = Table(
        f"Gap of welfare among everybody, of the policy found on n rows; {n_runs} samples",
        ["utility", "P(Y = 1) from", *(f"n = {n:,}" for n in SIZES), "exponent",
         f"mean signed gap at {SIZES[-1]:,}"],
        notes=[
            "Mean |gap| (Monte Carlo standard error). Exponent: of n, by weighted least squares "
            "of the logarithms; -.5 is 1/sqrt(n). Signed: group 0 less group 1; what is not 0 "
            "there is bias of the model, which more rows do not take away.",
            f"Without a condition: {best('demographic_parity')[2]:.3f} (demographic parity), "
            f"{best('equal_opportunity')[2]:.3f} (equal opportunity). P(Y = 1) out of fold, "
            f"{lending.N_FOLDS} folds, group 1 {lending.SHARE:.0%}; everybody: 2 x "
            f"2^{lending.LOG2_POINTS} points, whose P(Y = 1) is known.",
        ],
    )
    for j, utility in enumerate(lending.UTILITIES):
        for i, model in enumerate(MODELS):
            size = np.abs(gaps[:, :, i, j])
            mean, error = size.mean(axis=1), size.std(axis=1, ddof=1) / np.sqrt(n_runs)
            slope, slope_error = exponent(mean, error)
            table.rows.append(
                [utility, model, *(lending.mean_text(one, 4) for one in size),
                 f"{slope:+.3f} ({slope_error:.3f})", lending.mean_text(gaps[-1, :, i, j], 4)]
            )
    return table


def promise_table(cells: np.ndarray, utility: str, n_runs: int) -> Table:
    """Cells of shape (sizes, runs, models, measures)."""
    free, fair, _ = best(utility)
    table = Table(
        f"Promised and realised, {utility}; {n_runs} samples",
        ["n", "P(Y = 1) from", "revenue promised", "revenue realised", "promised - realised",
         "price promised %", "price realised %", "below the best fair policy %"],
        notes=[
            "Promised: by the model's own P(Y = 1), out of fold, on the n rows. Realised: among "
            "everybody. Price: of the same model's decisions without a condition, as a part of "
            "what they earn. Below the best: less than 0 where a gap is left that pays. Monte "
            "Carlo standard errors in brackets.",
            f"The best that P(Y = 1 | X, A) allows: {free:.4f} without a condition, {fair:.4f} "
            f"with it, price {100 * (1 - fair / free):.2f} %.",
        ],
    )
    for k, n in enumerate(SIZES):
        for i, model in enumerate(MODELS):
            _, promised, realised, promised_free, realised_free = cells[k, :, i].T
            table.rows.append(
                [f"{n:,}", model, lending.mean_text(promised, 4), lending.mean_text(realised, 4),
                 lending.mean_text(promised - realised, 4),
                 lending.mean_text(1 - promised / promised_free, 2, 100),
                 lending.mean_text(1 - realised / realised_free, 2, 100),
                 lending.mean_text(1 - realised / fair, 2, 100)]
            )
    return table
