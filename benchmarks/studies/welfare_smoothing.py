"""How far decisions, revenue and the gap move when P(Y = 1) is a little wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tables import Table

from fairrank.welfare import welfare_optimal_policy
from studies import welfare_lending as lending
from studies.runs import simulated

N = 4000
SMOOTHINGS = (0.0, 0.02, 0.1)
ERRORS = (0.01, 0.05, 0.2)
MEASURES = ("moved", "lost", "gap", "moved anew", "gap anew")


def of_each_person(rng: np.random.Generator, people: lending.Borrowers) -> np.ndarray:
    """Errors that have nothing to do with each other."""
    return rng.normal(size=people.group.size)


def of_each_group(rng: np.random.Generator, people: lending.Borrowers) -> np.ndarray:
    """A model that is off the same way for a whole group."""
    return rng.normal(size=2)[people.group]


def of_each_grade(rng: np.random.Generator, people: lending.Borrowers) -> np.ndarray:
    """One error for all of a group who have the same grade."""
    grade = np.unique(people.y_prob, return_inverse=True)[1]
    return rng.normal(size=(2, grade.max() + 1))[people.group, grade]


# Errors, and whether scores come in ten grades.
DESIGNS: dict[str, tuple[Callable[..., np.ndarray], bool]] = {
    "continuous, each person's error": (of_each_person, False),
    "continuous, each group's error": (of_each_group, False),
    "ten grades, each group's and grade's error": (of_each_grade, True),
}


def moved_by_errors(rng: np.random.Generator, design: str, utility: str) -> np.ndarray:
    """Price of every smoothing, then `MEASURES` of every error.

    Shape (smoothings, 1 + errors * measures).
    """
    draw, graded = DESIGNS[design]
    people = lending.drawn(rng, N)
    if graded:
        in_grades = np.floor(10.0 * people.y_prob) / 10.0 + 0.05
        people = lending.Borrowers(people.features, people.group, in_grades)
    noise = draw(rng, people)
    revenue, worth, scale = lending.lenders_view(utility, people.y_prob, people.group)
    rows: list[list[float]] = []
    unsmoothed = welfare_optimal_policy(revenue, worth, sensitive_features=people.group).revenue
    for kappa in SMOOTHINGS:
        policy = welfare_optimal_policy(
            revenue, worth, sensitive_features=people.group, smoothing=kappa
        )
        rows.append([1.0 - policy.revenue / unsmoothed])
        for size in ERRORS:
            wrong = np.clip(people.y_prob * (1.0 + size * noise), 0.0, 1.0)
            kept = lending.decided(policy, utility, scale, wrong, people.group)
            earned, gap = lending.truth_of(people, utility, kept)
            seen, worth_seen, _ = lending.lenders_view(utility, wrong, people.group)
            anew = welfare_optimal_policy(
                seen, worth_seen, sensitive_features=people.group, smoothing=kappa
            ).acceptance
            _, gap_anew = lending.truth_of(people, utility, anew)
            rows[-1] += [
                np.abs(kept - policy.acceptance).mean(), 1.0 - earned / policy.revenue, abs(gap),
                np.abs(anew - policy.acceptance).mean(), abs(gap_anew),
            ]
    return np.array(rows)


def smoothing(n_runs: int, n_jobs: int, seed: int = 7100) -> list[Table]:
    """One table a design: what each error does at each smoothing."""
    tables = []
    for design in DESIGNS:
        table = Table(
            f"Smoothing: {design}; n = {N:,}, {n_runs} samples",
            ["utility", "error", "smoothing", "decisions moved %", "revenue lost %", "gap",
             "moved, solved anew %", "gap, solved anew", "its price %"],
        )
        for utility in lending.UTILITIES:
            seed += 1
            found = simulated(moved_by_errors, n_runs, n_jobs, seed, design, utility)
            moves = found[:, :, 1:].reshape(n_runs, len(SMOOTHINGS), len(ERRORS), len(MEASURES))
            for e, size in enumerate(ERRORS):
                for k, kappa in enumerate(SMOOTHINGS):
                    moved, lost, gap, anew, gap_anew = moves[:, k, e].T
                    table.rows.append(
                        [utility, f"{size:g}", f"{kappa:g}", lending.mean_text(moved, 2, 100),
                         lending.mean_text(lost, 2, 100), lending.mean_text(gap, 4),
                         lending.mean_text(anew, 2, 100), lending.mean_text(gap_anew, 4),
                         lending.mean_text(found[:, k, 0], 2, 100)]
                    )
        tables.append(table)
    tables[-1].notes.extend([
        "The policy is found with P(Y = 1) and applied to P(Y = 1) (1 + error z), z standard "
        "normal, clipped; solved anew: found with the wrong ones too. Moved: mean |change of the "
        "probability of acceptance|.",
        "Revenue lost: by the errors, as a part of the same policy's; what leaves a gap may earn "
        "more. Its price: of smoothing, as a part of the revenue without it. Gap: mean |gap of "
        "welfare|, by P(Y = 1), which is 0 without errors. Monte Carlo standard errors in "
        "brackets.",
    ])
    return tables
