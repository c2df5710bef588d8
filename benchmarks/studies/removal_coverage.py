"""Coverage of the intervals of what a removal changes: two fixed models, new held-out rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from tables import Table

from fairrank.audit._removal_changes import (
    change_interval,
    change_pvalue,
    fairness_change_interval,
)
from fairrank.inference._paired_bootstrap import STATISTICS, paired_distribution
from fairrank.metrics._audit_sample import audit_sample, sorted_burdens
from fairrank.metrics._rank_graduation import measure_separation
from studies.runs import groups_of, new_seed, rate_and_error, simulated

LEVEL = 0.95
N_RESAMPLES = 500
METHODS = ("percentile", "basic", "hull", "fairrank")
MEASURES = ("centered_rgf", "rgf", "roc_auc")
TRUTH_ROWS = 2_000_000
# How much noise the removed feature has in the minority, and how much of the features' weight
# counts for the minority's outcomes: below 1 both models err more there.
DESIGNS = {
    "both fair": (0.0, 1.0),
    "removal makes it fair, from a little": (0.7, 1.0),
    "removal makes it fair, from far": (2.0, 1.0),
    "removal makes it nearly fair": (2.0, 0.9),
    "both unfair": (0.0, 0.4),
}


def held_out(
    rng: np.random.Generator, n: int, share: float, design: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, group, and the scores of the full model and without a feature."""
    noise, weight = DESIGNS[design]
    n_minority = round(n * share)
    group = groups_of(n - n_minority, n_minority).astype(np.uint8)
    kept, removed = rng.normal(size=(2, n))
    logit = 1.5 * kept + removed
    outcome = rng.random(n) < expit(logit * np.where(group == 1, weight, 1.0))
    full = expit(logit + noise * group * rng.normal(size=n))
    # 1.3: what 1.5 comes to when the other feature is averaged over.
    return outcome.astype(np.uint8), group, np.array([full, expit(1.3 * kept)])


def measured(outcome: np.ndarray, group: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """`MEASURES` of every model, shape (2, 3)."""
    found = []
    for score in scores:
        sample = audit_sample(outcome, score, sensitive_features=group)
        separation = measure_separation(sorted_burdens(sample))
        found.append((separation.rgf(True), separation.rgf(False), roc_auc_score(outcome, score)))
    return np.array(found)


@lru_cache
def truth(share: float, design: str) -> np.ndarray:
    """The changes of `MEASURES` in a huge sample."""
    full, without = measured(*held_out(np.random.default_rng(7), TRUTH_ROWS, share, design))
    return without - full


def covered(
    rng: np.random.Generator, n: int, share: float, design: str, target: np.ndarray
) -> np.ndarray:
    """(hit, width) of every method for every one of `MEASURES`, shape (3, 4, 2); then p <= 5 %."""
    outcome, group, scores = held_out(rng, n, share, design)
    draws = paired_distribution(
        np.abs(outcome - scores), scores, group=group, outcome=outcome,
        n_resamples=N_RESAMPLES, seed=np.random.SeedSequence(new_seed(rng)), n_jobs=1,
    )
    row: list[float] = []
    for j, (full, without) in enumerate(measured(outcome, group, scores).T):
        drawn = draws[:, :, STATISTICS.index(MEASURES[j])].T
        change, changes = without - full, drawn[1] - drawn[0]
        low, high = change_interval(change, changes, LEVEL, hull=False)
        offered = (low, high)
        if MEASURES[j] != "roc_auc":
            offered = fairness_change_interval(full, without, *drawn, LEVEL)
        basic = (2.0 * change - high, 2.0 * change - low)
        hull = change_interval(change, changes, LEVEL, hull=True)
        for lower, upper in ((low, high), basic, hull, offered):
            row += [lower <= target[j] <= upper, upper - lower]
        row.append(change_pvalue(change, changes) <= 1.0 - LEVEL)
    return np.array(row)


def removal_coverage(n_runs: int, n_jobs: int) -> list[Table]:
    """Coverage of 95 % intervals of the change in centred RGF, RGF and AUC."""
    runs = max(n_runs // 8, 1)
    notes = [
        f"Truth: the change at {TRUTH_ROWS:,} rows. The models are fixed; held-out rows vary.",
        "fairrank: what FeatureRemovalAuditor gives. Width: its mean over the percentile's.",
        f"s.e. at 95 %: {np.sqrt(0.95 * 0.05 / runs):.3f}.",
    ]
    titles = ("centred RGF", "plain RGF", "AUC")
    tables = [
        Table(
            f"Change in {title}, 95 % intervals, {runs} samples, {N_RESAMPLES} resamples",
            ["n", "minority", "models", "truth", *METHODS, "width", "p <= 5 %"],
            notes=list(notes),
        )
        for title in titles
    ]
    for table in tables[1:]:
        table.notes.append("The auditor gives no p-value of this change.")
    seed = 6000
    for n in (1000, 4000):
        for share in (0.1, 0.5):
            for design in DESIGNS:
                seed += 1
                target = truth(share, design)
                found = simulated(covered, runs, n_jobs, seed, n, share, design, target)
                found = found.reshape(runs, 3, 9)
                for j, table in enumerate(tables):
                    hits, width = found[:, j, 0:8:2], found[:, j, 1:8:2].mean(axis=0)
                    rates = [f"{rate_and_error(column)[0]:.3f}" for column in hits.T]
                    table.rows.append(
                        [f"{n}", f"{share:g}", design, f"{target[j]:+.4f}", *rates,
                         f"{width[3] / width[0]:.2f}", f"{found[:, j, 8].mean():.3f}"]
                    )
    return tables
