"""What `welfare_sample_size` promises beside what happens."""

from __future__ import annotations

import numpy as np
from tables import Table

from fairrank.welfare import welfare_optimal_policy, welfare_sample_size
from studies import welfare_lending as lending
from studies.runs import rate_and_error, simulated

DELTA, SMALLEST = 0.05, 0.1
EPSILONS = (0.2, 0.1, 0.05)


def gap_among_everybody(rng: np.random.Generator, n: int, utility: str) -> float:
    """Gap that the policy of n rows with known P(Y = 1) leaves, in parts of the largest utility.

    Everybody's own scale of the utility is used for both: rows serve to find the policy only.
    """
    everybody = lending.everybody()
    people = lending.drawn(rng, n, share=SMALLEST)
    _, _, scale = lending.lenders_view(utility, everybody.y_prob, everybody.group)
    revenue, worth, _ = lending.lenders_view(utility, people.y_prob, people.group)
    largest = 1.0
    if utility == "equal_opportunity":
        worth = people.y_prob * scale[people.group]
        largest = float((everybody.y_prob * scale[everybody.group]).max())
    policy = welfare_optimal_policy(revenue, worth, sensitive_features=people.group)
    accepted = lending.decided(policy, utility, scale, everybody.y_prob, everybody.group)
    return abs(lending.truth_of(everybody, utility, accepted)[1]) / largest


def promised_size(n_runs: int, n_jobs: int, seed: int = 7300) -> list[Table]:
    """Gaps at the number of rows asked for."""
    table = Table(
        f"welfare_sample_size, delta {DELTA:g}, smallest share {SMALLEST:g}; {n_runs} samples",
        ["utility", "epsilon", "n", "gap promised", "mean gap", "95th percentile", "largest",
         "beyond the promise %"],
        notes=[
            "P(Y = 1) known; gaps among everybody in parts of the largest utility. Promised, but "
            f"for {DELTA:.0%} of samples: epsilon for demographic parity, 2 epsilon for others.",
        ],
    )
    for utility in lending.UTILITIES:
        for epsilon in EPSILONS:
            seed += 1
            n = welfare_sample_size(epsilon, DELTA, smallest_share=SMALLEST, utility=utility)
            promised = epsilon if utility == "demographic_parity" else 2.0 * epsilon
            gaps = simulated(gap_among_everybody, n_runs, n_jobs, seed, n, utility)
            rate, _ = rate_and_error(gaps > promised)
            table.rows.append(
                [utility, f"{epsilon:g}", f"{n:,}", f"{promised:g}", lending.mean_text(gaps, 5),
                 f"{np.quantile(gaps, 0.95):.5f}", f"{gaps.max():.5f}", f"{100 * rate:.1f}"]
            )
    return [table]
