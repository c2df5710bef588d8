"""How often a model names the wrong group as the one that is worse off."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from tables import Table

from fairrank.welfare import welfare_optimal_policy
from studies import welfare_lending as lending
from studies.runs import rate_and_error, simulated

SIZES = (300, 1000)
APART = (0.25, 0.5, 1.0)
MODELS = ("boosting", "logistic, group-aware", "P(Y = 1) known")


def boosting(X: np.ndarray, group: np.ndarray, y: np.ndarray) -> lending.Model:
    """scikit-learn's defaults, on the features and the group."""
    fitted = HistGradientBoostingClassifier(random_state=0).fit(np.column_stack([X, group]), y)
    return lambda X, group: fitted.predict_proba(np.column_stack([X, group]))[:, 1]


def misnamed(rng: np.random.Generator, n: int, apart: float) -> np.ndarray:
    """Whether group 1 is not named, of every model and utility."""
    people = lending.drawn(rng, n, apart)
    y = lending.outcomes(rng, people)
    row = []
    for y_prob in (
        lending.out_of_fold(rng, boosting, people, y),
        lending.out_of_fold(rng, lending.group_aware, people, y), people.y_prob,
    ):
        for utility in lending.UTILITIES:
            revenue, worth, _ = lending.lenders_view(utility, y_prob, people.group)
            policy = welfare_optimal_policy(revenue, worth, sensitive_features=people.group)
            row.append(policy.disadvantaged_group != 1)
    return np.array(row)


def disadvantaged(n_runs: int, n_jobs: int, seed: int = 7200) -> list[Table]:
    """Rates by n, by how far apart the groups are, and by model."""
    table = Table(
        f"The disadvantaged group misnamed, % of {n_runs} samples",
        ["utility", "gap among everybody", "P(Y = 1) from", *(f"n = {n:,}" for n in SIZES)],
        notes=[
            "Named: the group of least welfare by P(Y = 1) out of fold, without a condition; none "
            "named counts as misnamed. Boosting: scikit-learn's histogram boosting by default. "
            "Known: what drawing n rows does alone. Monte Carlo standard errors in brackets.",
        ],
    )
    rates = {}
    for apart in APART:
        for n in SIZES:
            seed += 1
            rates[apart, n] = simulated(misnamed, n_runs, n_jobs, seed, n, apart).reshape(
                n_runs, len(MODELS), len(lending.UTILITIES)
            )
    for j, utility in enumerate(lending.UTILITIES):
        for apart in APART:
            people = lending.everybody(apart)
            free = (people.y_prob > lending.CUT).astype(float)
            gap = lending.truth_of(people, utility, free)[1]
            for i, model in enumerate(MODELS):
                cells = [rate_and_error(rates[apart, n][:, i, j]) for n in SIZES]
                table.rows.append(
                    [utility, f"{gap:.3f}", model,
                     *(f"{100 * rate:.1f} ({100 * error:.1f})" for rate, error in cells)]
                )
    return [table]
