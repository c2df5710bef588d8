"""Many groups: is a pair's p-value valid when a third group differs, and who finds a small one."""

from __future__ import annotations

import numpy as np
from tables import Table

from fairrank.inference import rgf_test
from fairrank.inference._exchangeability import Exchangeability, pair_statistics
from fairrank.inference._permutation import sampled_products
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from studies.runs import groups_of, new_seed, rate_and_error, simulated

ALPHA = 0.05
N_PERMUTATIONS = 999


def shared_draws(rng: np.random.Generator, burden: np.ndarray, group: np.ndarray):
    """T of every pair and its draws when all labels are exchanged together."""
    burdens = sorted_burdens(
        audit_sample(None, None, sensitive_features=group, burden=burden)
    )
    exchange = Exchangeability.of(burdens)
    products = sampled_products(
        exchange, N_PERMUTATIONS, np.random.SeedSequence(new_seed(rng)), n_jobs=1
    )
    return pair_statistics(exchange.products), pair_statistics(products)


def third_group_differs(rng: np.random.Generator, factor: float) -> tuple[float, float]:
    """p of the pair (0, 1), which is alike, by its own draws and by the common ones."""
    group = groups_of(700, 100, 200)
    burden = rng.beta(2, 6, group.size) * np.where(group == 2, factor, 1.0)
    result = rgf_test(
        None, None, sensitive_features=group, burden=burden, comparisons="pairs",
        n_permutations=N_PERMUTATIONS, n_jobs=1, random_state=new_seed(rng),
    )
    observed, drawn = shared_draws(rng, burden, group)
    naive = (1.0 + (drawn[:, 0, 1] >= observed[0, 1]).sum()) / (N_PERMUTATIONS + 1.0)
    (own,) = (pair.pvalue for pair in result.pairs if (pair.first, pair.second) == (0, 1))
    return own, naive


def small_group_harmed(rng: np.random.Generator, factor: float) -> tuple[float, ...]:
    """Smallest p of a pair with the harmed group: max-T standardised, raw; Holm; one vs rest."""
    group = groups_of(600, 385, 15)
    burden = rng.beta(2, 6, group.size) * np.where(group == 2, factor, 1.0)
    result = rgf_test(
        None, None, sensitive_features=group, burden=burden, comparisons="all",
        n_permutations=N_PERMUTATIONS, n_jobs=1, random_state=new_seed(rng),
    )
    observed, drawn = shared_draws(rng, burden, group)
    largest = drawn.max(axis=(1, 2))
    raw = (1.0 + (largest >= observed[2, :2].max()).sum()) / (N_PERMUTATIONS + 1.0)
    harmed = [pair for pair in result.pairs if pair.second == 2]
    (rest,) = (one.pvalue_holm for one in result.one_vs_rest if one.first == 2)
    return (
        min(pair.pvalue_max_t for pair in harmed), raw,
        min(pair.pvalue_holm for pair in harmed), rest, result.pvalue,
    )


def pairs(n_runs: int, n_jobs: int) -> list[Table]:
    """Size of a pair's p-value beside a third group that differs; power for a small group."""
    runs = max(n_runs // 4, 1)
    sizes = Table(
        f"Size at 5 % of the pair (700, 100) when a third group (200) differs, {runs} samples",
        ["third group's burdens", "own draws", "z", "common draws"],
        notes=[f"B = {N_PERMUTATIONS}. Own draws: labels change places inside the pair "
               "(fairrank). Common draws: read off permutations of all labels; not offered.",
               "z of the own draws against .05."],
    )
    for i, factor in enumerate((1.0, 1.1, 1.2, 1.5, 2.0)):
        own, naive = (
            simulated(third_group_differs, runs, n_jobs, 3000 + i, factor) <= ALPHA
        ).mean(axis=0)
        z = (own - ALPHA) / np.sqrt(ALPHA * (1.0 - ALPHA) / runs)
        sizes.rows.append([f"times {factor:g}", f"{own:.3f}", f"{z:+.1f}", f"{naive:.3f}"])
    runs = max(n_runs // 8, 1)
    power = Table(
        f"Power at 5 % for a harmed group of 15 beside 600 and 385, {runs} samples",
        ["its burdens", "max-T standardised", "max-T raw", "own pairs, Holm", "one vs rest, Holm",
         "global test", "largest s.e."],
        notes=["Found: the adjusted p of a pair with the harmed group is at most 5 %. "
               "Standardised max-T, Holm and one vs rest are fairrank's; raw max-T is not "
               "offered."],
    )
    for i, factor in enumerate((1.0, 1.5, 1.75, 2.0, 2.5)):
        found = simulated(small_group_harmed, runs, n_jobs, 3100 + i, factor) <= ALPHA
        errors = [rate_and_error(column)[1] for column in found.T]
        power.rows.append(
            [f"times {factor:g}", *(f"{rate:.3f}" for rate in found.mean(axis=0)),
             f"{max(errors):.3f}"]
        )
    return [sizes, power]
