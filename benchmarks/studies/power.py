"""Does the minimum detectable effect predict power, and what the strata's own centre is worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from tables import Table

from fairrank.inference import rgf_test
from studies.runs import groups_of, new_seed, rate_and_error, simulated

ALPHA, POWER = 0.05, 0.8
N_PERMUTATIONS = 499


def scaled(burden: np.ndarray, factor: float) -> np.ndarray:
    """Every burden of the harmed group times `factor`."""
    return burden * factor


def largest_scaled(burden: np.ndarray, factor: float) -> np.ndarray:
    """Only burdens above .3, about a quarter of them: harm at the top."""
    return np.where(burden > 0.3, burden * factor, burden)


def spread(burden: np.ndarray, factor: float) -> np.ndarray:
    """Burdens spread about their mean, .25, which stays."""
    return np.maximum(0.25 + factor * (burden - 0.25), 0.0)


def tested(
    rng: np.random.Generator, sizes: tuple, harm: Callable, factor: float
) -> tuple[float, float, float, float]:
    """Effect size, p, minimum detectable effect and rows needed; the last group is harmed."""
    group = groups_of(*sizes)
    burden = rng.beta(2, 6, group.size)
    harmed = group == len(sizes) - 1
    burden[harmed] = harm(burden[harmed], factor)
    result = rgf_test(
        None, None, sensitive_features=group, burden=burden, comparisons="none",
        n_permutations=N_PERMUTATIONS, n_jobs=1, random_state=new_seed(rng),
    )
    detectable = result.minimum_detectable_effect(POWER, ALPHA)
    return result.effect_size, result.pvalue, detectable, result.samples_needed(POWER, ALPHA)


def factor_of_effect(
    effect_of: Callable[[float], float], low: float, high: float
) -> float:
    """The factor at which `effect_of` comes to 0."""
    return float(brentq(effect_of, low, high, xtol=0.003))


def predicted(n_runs: int, n_jobs: int) -> Table:
    """Actual power where the mean effect is the minimum detectable one."""
    runs, trial = max(n_runs // 4, 1), max(n_runs // 8, 1)
    table = Table(
        f"Power where the mean effect T / E[T] equals the minimum detectable one, {runs} samples",
        ["groups", "harm", "detectable", "factor", "mean effect", "power", "s.e.", "should be"],
        notes=[f"B = {N_PERMUTATIONS}, 5 %. Detectable: mean over samples of "
               "result.minimum_detectable_effect(0.8). The factor was found by bisection on "
               f"{trial} samples of one seed."],
    )
    cases = [
        ((180, 20), scaled), ((900, 100), scaled), ((4500, 500), scaled), ((500, 500), scaled),
        ((900, 100), largest_scaled), ((900, 100), spread), ((600, 300, 100), scaled),
    ]
    for i, (sizes, harm) in enumerate(cases):

        def excess(factor: float, sizes: tuple = sizes, harm: Callable = harm) -> float:
            rows = simulated(tested, trial, n_jobs, 5000, sizes, harm, factor)
            return float(rows[:, 0].mean() - rows[:, 2].mean())

        factor = factor_of_effect(excess, 1.0, 4.0)
        rows = simulated(tested, runs, n_jobs, 5100 + i, sizes, harm, factor)
        power, error = rate_and_error(rows[:, 1] <= ALPHA)
        table.rows.append(
            [":".join(map(str, sizes)), harm.__name__.replace("_", " "),
             f"{rows[:, 2].mean():.2f}", f"{factor:.3f}", f"{rows[:, 0].mean():.2f}",
             f"{power:.3f}", f"{error:.3f}", f"{POWER:.2f}"]
        )
    return table


def rows_needed(n_runs: int, n_jobs: int) -> Table:
    """Actual power at the number of rows a pilot's mean effect asks for."""
    runs = max(n_runs // 4, 1)
    table = Table(
        f"Power at the rows that a pilot of 1000 (90:10) says are needed, {runs} samples",
        ["burdens times", "pilots' mean effect", "rows needed", "power there", "s.e.",
         "should be"],
        notes=["Rows needed: result.samples_needed's formula at the mean effect over pilots; "
               "from a single pilot the number is far less certain."],
    )
    for i, factor in enumerate((1.08, 1.12)):
        pilot = simulated(tested, runs, n_jobs, 5200 + i, (900, 100), scaled, factor)
        effect, detectable = pilot[:, 0].mean(), pilot[:, 2].mean()
        tens = int(np.ceil(100.0 * (detectable - 1.0) / (effect - 1.0)))
        rows = simulated(tested, runs, n_jobs, 5300 + i, (9 * tens, tens), scaled, factor)
        power, error = rate_and_error(rows[:, 1] <= ALPHA)
        table.rows.append(
            [f"{factor:g}", f"{effect:.2f}", f"{10 * tens}", f"{power:.3f}", f"{error:.3f}",
             f"{POWER:.2f}"]
        )
    return table


def both_centres(rng: np.random.Generator, factor: float) -> tuple[float, float]:
    """p inside strata with the strata's centre (fairrank), and with the plain one."""
    stratum = groups_of(200, 200)
    group = np.concatenate([groups_of(190, 10), groups_of(110, 90)])
    burden = rng.beta(2, 6, 400) * np.where(stratum == 1, 0.5, 1.0)
    burden *= np.where(group == 1, factor, 1.0)
    own = rgf_test(
        None, None, sensitive_features=group, burden=burden, strata=stratum,
        n_permutations=N_PERMUTATIONS, n_jobs=1, random_state=new_seed(rng),
    ).pvalue
    order = np.argsort(burden)
    share, rank = burden[order] / burden.sum(), np.arange(1, 401) / 400
    labels = np.empty((N_PERMUTATIONS + 1, 400))
    for s in (0, 1):
        rows = np.flatnonzero(stratum[order] == s)
        observed = group[order][rows].astype(float)
        labels[:, rows] = rng.permuted(np.tile(observed, (N_PERMUTATIONS + 1, 1)), axis=1)
        labels[0, rows] = observed
    paths = np.cumsum(labels * share, axis=1)
    pi = group.mean()
    centred = paths - pi * np.cumsum(share) - (paths[:, -1:] - pi) * rank
    statistics = (centred**2).sum(axis=1)
    plain = (statistics >= statistics[0] * (1.0 - 1e-9)).mean()
    return own, float(plain)


def centres(n_runs: int, n_jobs: int) -> Table:
    """Power inside strata: the strata's own centre against the plain one."""
    runs = max(n_runs // 4, 1)
    table = Table(
        f"Power of the test inside two strata by its centre, {runs} samples",
        ["minority's burdens", "own centre", "plain centre", "largest s.e."],
        notes=[f"n = 400: the minority is 5 % of the stratum with large burdens and 45 % of the "
               f"one with half of them. B = {N_PERMUTATIONS}, 5 %. Times 1 is size."],
    )
    for i, factor in enumerate((1.0, 1.1, 1.2, 1.3)):
        found = simulated(both_centres, runs, n_jobs, 5400 + i, factor) <= ALPHA
        errors = [rate_and_error(column)[1] for column in found.T]
        table.rows.append(
            [f"times {factor:g}", *(f"{rate:.3f}" for rate in found.mean(axis=0)),
             f"{max(errors):.3f}"]
        )
    return table


def power(n_runs: int, n_jobs: int) -> list[Table]:
    """Predicted power, rows needed, and the centre inside strata."""
    return [study(n_runs, n_jobs) for study in (predicted, rows_needed, centres)]
