"""Coverage of bootstrap intervals near the kink at "shared alike", and away from it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from tables import Table

from fairrank.inference._bootstrap import interval_bounds, resampled_distances
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from fairrank.metrics._rank_graduation import measure_separation
from studies.runs import groups_of, new_seed, rate_and_error, simulated

LEVEL = 0.95
N_RESAMPLES = 500
METHODS = ("percentile", "basic", "hull")
# Resamples that lie off the estimate by this part of their spread betray the kink.
BIAS = 0.25
TRUTH_ROWS = 2_000_000


def sample_of(rng: np.random.Generator, n: int, share: float, factor: float):
    """Sorted burdens, Beta(2, 6), the minority's times `factor`."""
    n_minority = round(n * share)
    group = groups_of(n - n_minority, n_minority)
    burden = rng.beta(2, 6, n) * np.where(group == 1, factor, 1.0)
    return sorted_burdens(audit_sample(None, None, sensitive_features=group, burden=burden))


@lru_cache
def truth(share: float, factor: float) -> tuple[float, float]:
    """RGF and centred RGF of the population; without a difference in closed form."""
    if factor == 1.0:
        return 1.0 - abs(1.0 - 2.0 * share) / 2.0, 1.0
    measured = measure_separation(
        sample_of(np.random.default_rng(7), TRUTH_ROWS, share, factor)
    )
    return measured.rgf(False), measured.rgf(True)


def covered(
    rng: np.random.Generator, n: int, share: float, factor: float, target: tuple[float, float]
) -> list[float]:
    """For RGF, then centred RGF: (hit, width) of every method, then the relative bias."""
    burdens = sample_of(rng, n, share, factor)
    seed = np.random.SeedSequence(new_seed(rng))
    distances = resampled_distances(burdens, N_RESAMPLES, seed, n_jobs=1)
    measured = measure_separation(burdens)
    row: list[float] = []
    for column, true in enumerate(target):
        estimate, resampled = measured.rgf(bool(column)), 1.0 - distances[:, column]
        for method in METHODS:
            low, high = interval_bounds(estimate, resampled, LEVEL, method)
            row += [low <= true <= high, high - low]
        row.append(abs(resampled.mean() - estimate) / resampled.std())
    return row


def run_cell(n_runs: int, n_jobs: int, seed: int, n: int, share: float, factor: float):
    """Hits and widths, shape (runs, 2 statistics, 3 methods, 2), and biases (runs, 2)."""
    rows = simulated(covered, n_runs, n_jobs, seed, n, share, factor, truth(share, factor))
    rows = rows.reshape(n_runs, 2, 7)
    return rows[:, :, :6].reshape(n_runs, 2, 3, 2), rows[:, :, 6]


def coverage(n_runs: int, n_jobs: int) -> list[Table]:
    """Coverage of 95 % intervals: centred RGF, then plain RGF by the groups' mix."""
    runs = max(n_runs // 4, 1)
    centred = Table(
        f"Centred RGF at 90:10, 95 % intervals, {runs} samples, {N_RESAMPLES} resamples",
        ["n", "minority times", "truth", *METHODS, "largest s.e.", "hull / percentile width"],
        notes=["Truth: 1 where nothing differs, else the value at 2,000,000 rows."],
    )
    seed = 4000
    for n in (1000, 200):
        for factor in (1.0, 1.03, 1.06, 1.1, 1.5):
            seed += 1
            cell, _ = run_cell(runs, n_jobs, seed, n, 0.1, factor)
            hits, width = cell[:, 1, :, 0], cell[:, 1, :, 1].mean(axis=0)
            centred.rows.append(
                [f"{n}", f"{factor:g}", f"{truth(0.1, factor)[1]:.4f}", *percent(hits),
                 worst_error(hits), f"{width[2] / width[0]:.2f}"]
            )
    runs = max(n_runs // 8, 1)
    plain = Table(
        f"Plain RGF by the groups' mix, 95 % intervals, {runs} samples, {N_RESAMPLES} resamples",
        ["n", "minority", "null reference", "minority times", "truth", *METHODS, "by bias",
         "mean |bias| / s.d.", "hull / percentile width"],
        notes=[f"By bias: the hull where the resamples' mean lies more than {BIAS} of their "
               "standard deviation off the estimate, else percentile (tried, not offered).",
               f"s.e. at 95 %: {np.sqrt(0.95 * 0.05 / runs):.3f}."],
    )
    # The last factor of each mix gives both groups the same total burden.
    cells = [(share, factor) for share in (0.5, 0.45, 0.4, 0.35, 0.3, 0.1)
             for factor in (1.0, 1.05, 1.2, *({round(1.0 / share - 1.0, 3)} - {1.0}))]
    for n in (1000, 200):
        for share, factor in cells:
            seed += 1
            cell, bias = run_cell(runs, n_jobs, seed, n, share, factor)
            hits, width = cell[:, 0, :, 0], cell[:, 0, :, 1].mean(axis=0)
            by_bias = np.where(bias[:, 0] > BIAS, hits[:, 2], hits[:, 0])
            plain.rows.append(
                [f"{n}", f"{share:g}", f"{truth(share, 1.0)[0]:.2f}", f"{factor:g}",
                 f"{truth(share, factor)[0]:.4f}", *percent(hits), f"{by_bias.mean():.3f}",
                 f"{bias[:, 0].mean():.2f}", f"{width[2] / width[0]:.2f}"]
            )
    return [centred, plain]


def percent(hits: np.ndarray) -> list[str]:
    """Frequencies of the columns."""
    return [f"{rate:.3f}" for rate in hits.mean(axis=0)]


def worst_error(hits: np.ndarray) -> str:
    """Largest Monte Carlo standard error of the columns."""
    return f"{max(rate_and_error(column)[1] for column in hits.T):.3f}"
