"""Does the test reject at 5 % in 5 % of samples in which its null is true."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tables import Table

from fairrank.inference import rgf_test
from studies.runs import groups_of, new_seed, simulated

ALPHA = 0.05
# With 999 draws 5 % is attainable exactly: p = 50 / 1000.
N_PERMUTATIONS = 999


def pvalue(rng: np.random.Generator, burden: Any, group: np.ndarray, **options: Any) -> float:
    """The p-value of burdens that are given."""
    settings = {"n_permutations": N_PERMUTATIONS, "comparisons": "none"} | options
    return rgf_test(
        None, None, sensitive_features=group, burden=burden, n_jobs=1,
        random_state=new_seed(rng), **settings,
    ).pvalue


def alike(rng: np.random.Generator, sizes: tuple, digits: int | None = None, **options: Any):
    """Burdens that have nothing to do with the group."""
    burden = rng.beta(2, 6, sum(sizes))
    return pvalue(rng, burden if digits is None else burden.round(digits), groups_of(*sizes),
                  **options)


def scores_given_outcome(rng: np.random.Generator, strata: Any):
    """Base rates .2 and .5, but scores that depend on the outcome alone."""
    group = groups_of(360, 40)
    y = (rng.random(400) < np.where(group == 1, 0.5, 0.2)).astype(int)
    p = np.where(y == 1, rng.beta(3, 4, 400), rng.beta(2, 5, 400))
    return rgf_test(
        y, p, sensitive_features=group, strata=strata, n_permutations=N_PERMUTATIONS, n_jobs=1,
        random_state=new_seed(rng),
    ).pvalue


def outcome_given_score(rng: np.random.Generator):
    """Calibrated scores, higher in the minority, in nine values: strata of equal scores."""
    group = groups_of(340, 60)
    p = np.round(0.1 + 0.8 * rng.beta(np.where(group == 1, 4, 2), 4), 1)
    y = (rng.random(400) < p).astype(int)
    return rgf_test(
        y, p, sensitive_features=group, strata=p, n_permutations=N_PERMUTATIONS, n_jobs=1,
        random_state=new_seed(rng),
    ).pvalue


def strata_given(rng: np.random.Generator, use: bool, n_groups: int = 2):
    """Four strata that differ in burden and in the groups' mix; alike inside each."""
    stratum = np.repeat(np.arange(4), [200, 100, 60, 40])
    mix = np.array([0.05, 0.1, 0.3, 0.5])[stratum]
    group = np.where(rng.random(400) < mix, 1 + rng.integers(n_groups - 1, size=400), 0)
    burden = rng.beta(2, 6, 400) * np.array([1.0, 1.2, 1.5, 2.0])[stratum]
    return pvalue(rng, burden, group, **({"strata": stratum} if use else {}))


def calibrated(rng: np.random.Generator, reference: str):
    """Outcomes drawn from the scores, which are higher in the minority."""
    group = groups_of(360, 40)
    p = rng.beta(np.where(group == 1, 2, 1), 6)
    y = (rng.random(400) < p).astype(int)
    return rgf_test(
        y, p, sensitive_features=group, reference=reference, n_permutations=N_PERMUTATIONS,
        n_jobs=1, random_state=new_seed(rng),
    ).pvalue


def attainable(labellings: int) -> float:
    """The level a test of so many equally likely values has when 5 % is asked for."""
    return int(ALPHA * labellings) / labellings


# Case -> (one run, the size it should have).
NULL_TRUE: dict[str, tuple[Callable, float]] = {
    "two groups 90:10, n=200": (partial(alike, sizes=(180, 20)), ALPHA),
    "two groups 90:10, n=1000": (partial(alike, sizes=(900, 100)), ALPHA),
    "ties (about 8 values), n=200": (partial(alike, sizes=(180, 20), digits=1), ALPHA),
    "three groups 70:20:10, n=300": (partial(alike, sizes=(210, 60, 30)), ALPHA),
    "three groups, ties, n=300": (partial(alike, sizes=(210, 60, 30), digits=1), ALPHA),
    "largest half only, n=400": (partial(alike, sizes=(320, 80), top=0.5), ALPHA),
    "strata='outcome', base rates .2/.5": (partial(scores_given_outcome, strata="outcome"), ALPHA),
    "strata of equal scores": (outcome_given_score, ALPHA),
    "strata given, four": (partial(strata_given, use=True), ALPHA),
    "strata given, three groups": (partial(strata_given, use=True, n_groups=3), ALPHA),
    "Besag-Clifford, stop_after=20": (partial(alike, sizes=(180, 20), stop_after=20), ALPHA),
    "calibrated reference, calibrated p": (partial(calibrated, reference="calibrated"), ALPHA),
    "exact, 6:3 (84 labellings)": (partial(alike, sizes=(6, 3)), attainable(84)),
    # Swapping equally large groups changes nothing: every value comes twice.
    "exact, 4:4 (35 values)": (partial(alike, sizes=(4, 4)), attainable(35)),
    "exact, 4:3:2 (1260 labellings)": (partial(alike, sizes=(4, 3, 2)), attainable(1260)),
}
NULL_FALSE: dict[str, Callable] = {
    "base rates .2/.5, no strata": partial(scores_given_outcome, strata=None),
    "four strata, ignored": partial(strata_given, use=False),
    "calibrated p, labels exchanged": partial(calibrated, reference="permutation"),
}


def size(n_runs: int, n_jobs: int) -> list[Table]:
    """Rejection rates at 5 % where the null is true, and where the wrong null is asked."""
    table = Table(
        f"Size at 5 %, {n_runs} samples each, B = {N_PERMUTATIONS}",
        ["null true", "rejected", "should be", "s.e.", "z"],
        notes=["s.e. = sqrt(level (1 - level) / runs). One z in twenty is beyond 2 by chance. "
               "Exact tests: the attainable level next below 5 %."],
    )
    for i, (name, (experiment, level)) in enumerate(NULL_TRUE.items()):
        rate = float((simulated(experiment, n_runs, n_jobs, 1000 + i) <= ALPHA).mean())
        error = float(np.sqrt(level * (1.0 - level) / n_runs))
        table.rows.append(
            [name, f"{rate:.4f}", f"{level:.4f}", f"{error:.4f}", f"{(rate - level) / error:+.1f}"]
        )
    contrast = Table(
        f"The same samples asked the wrong question, {n_runs} samples each",
        ["null false", "rejected"],
        notes=["Not errors of the test: burdens do differ between groups, for reasons the right "
               "strata or the calibrated reference take out."],
    )
    for i, (name, experiment) in enumerate(NULL_FALSE.items()):
        rate = float((simulated(experiment, n_runs, n_jobs, 2000 + i) <= ALPHA).mean())
        contrast.rows.append([name, f"{rate:.4f}"])
    return [table, contrast]
