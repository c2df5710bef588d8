"""Rank graduation beside other packages: score, permutation test, bootstrap interval."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from bench_welfare_rivals import GivenScores
from numpy_peers import (
    labels_shuffled,
    resample_by_counts,
    resample_sorted_again,
    rgf_of_sorted,
    rows_chosen,
)
from peer_race import OURS, SAME, Race, Runner, peer_tables
from sklearn.metrics import mean_absolute_error, roc_auc_score
from tables import Table

from fairrank.inference import rgf_interval, rgf_test
from fairrank.metrics import rgf_score

N_PERMUTATIONS, N_RESAMPLES = 100, 20
PACKAGES = ("fairlearn", "aif360", "safeaipackage", "scikit-learn", "scipy")


def audited_rows(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, score and group; the score is worse for group 1, 9.37 % of the rows."""
    rng = np.random.default_rng(0)
    score = rng.beta(1, 4, n)
    group = (rng.random(n) < 0.0937).astype(np.int64)
    chance = np.where(group == 1, 0.7 * score + 0.1, score)
    return (rng.random(n) < chance).astype(np.int64), score, group


def group_frame(metric: Callable, y: np.ndarray, p: np.ndarray, group: np.ndarray,
                **options: Any) -> Callable[[], Any]:
    """fairlearn's MetricFrame of one metric, and the difference between groups."""
    from fairlearn.metrics import MetricFrame

    def run() -> Any:
        frame = MetricFrame(
            metrics=metric, y_true=y, y_pred=p, sensitive_features=group, **options
        )
        return frame.difference_ci() if options else frame.difference()

    return run


def rank_graduation_accuracy(y: np.ndarray, p: np.ndarray) -> Callable[[], float]:
    """safeaipackage's RGA of everybody."""
    from safeaipackage.core import rga

    return partial(rga, y, p)


def accuracy_parity(y: np.ndarray, p: np.ndarray, group: np.ndarray) -> Callable[[], str]:
    """safeaipackage's RGA-based imparity; the group has to be a feature of the model."""
    from safeaipackage.check_fairness import compute_rga_parity

    frame = pd.DataFrame({"p": p, "group": group})

    class Given(GivenScores):
        """Takes the scores out of the frame."""

        def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
            """Columns of both classes."""
            return super().predict_proba(X.to_numpy())

    return partial(compute_rga_parity, frame, frame, y, p, Given(), "group")


def last_word(sentence: str) -> str:
    """The number in the sentence that safeaipackage returns."""
    return f"{float(sentence.split()[-1].rstrip('.')):.6f}"


def entropy_between(y: np.ndarray, p: np.ndarray, group: np.ndarray) -> Callable[[], float]:
    """aif360's between-group generalized entropy of decisions."""
    from aif360.sklearn.metrics import between_group_generalized_entropy_error

    outcome = pd.Series(y, index=pd.Index(group, name="group"))
    return partial(
        between_group_generalized_entropy_error, outcome, (p >= 0.5).astype(int), "group"
    )


def sorted_once(burden: np.ndarray, group: np.ndarray) -> float:
    """RGF by argsort and cumsum."""
    order = np.argsort(burden)
    return rgf_of_sorted(burden[order], group[order] == 1)[0]


def statistic_of(burden: np.ndarray) -> Callable[[np.ndarray], float]:
    """T of two groups, as a function of the labels of the sorted burdens."""
    n = burden.size
    share, rank = burden / burden.sum(), np.arange(1, n + 1) / n
    lorenz = np.cumsum(share)

    def statistic(minority: np.ndarray, axis: int = -1) -> float:
        pi, path = minority.mean(), np.cumsum(share * minority)
        centred = path - pi * lorenz - (path[-1] - pi) * rank
        return 4.0 * float(centred @ centred)

    return statistic


def permuted_by(draws: Callable, burden: np.ndarray, group: np.ndarray) -> float:
    """P-value of T by one of the loops in numpy, its sort included."""
    order = np.argsort(burden)
    ordered, label = burden[order], group[order]
    draw = draws(ordered, label, np.random.default_rng(1))
    seen = statistic_of(ordered)(label.astype(float))
    drawn = np.array([draw() for _ in range(N_PERMUTATIONS)])
    return float((1 + (drawn >= seen).sum()) / (1 + N_PERMUTATIONS))


def permuted_by_scipy(burden: np.ndarray, group: np.ndarray) -> float:
    """The same by scipy.stats.permutation_test, one resample at a time."""
    from scipy.stats import permutation_test

    order = np.argsort(burden)
    return permutation_test(
        (group[order].astype(float),), statistic_of(burden[order]), permutation_type="pairings",
        vectorized=False, n_resamples=N_PERMUTATIONS, batch=1, alternative="greater", rng=1,
    ).pvalue


def resampled_by(draws: Callable, burden: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Quantiles of RGF by one of the bootstraps in numpy, its first sort included."""
    order = np.argsort(burden)
    draw = draws(burden[order], group[order], np.random.default_rng(1))
    drawn = np.array([draw()[0] for _ in range(N_RESAMPLES)])
    return np.quantile(drawn, [0.025, 0.975])


def ends(found: Any) -> str:
    """Both ends of an interval."""
    low, high = found
    return f"{float(low):.4f} to {float(high):.4f}"


def races(n: int) -> list[Race]:
    """Score, test and interval of n rows."""
    y, p, group = audited_rows(n)
    burden = np.abs(y - p)
    given = {"sensitive_features": group}
    drawn = given | {"n_jobs": 1, "random_state": 0}
    score = Race(
        "RGF",
        Runner(OURS, "RGF", lambda: partial(rgf_score, y, p, **given)),
        [
            Runner("numpy, argsort and cumsum", SAME,
                   lambda: lambda: sorted_once(np.abs(y - p), group)),
            Runner("scikit-learn roc_auc_score", "AUC, no groups",
                   lambda: partial(roc_auc_score, y, p)),
            Runner("safeaipackage rga", "AUC, no groups",
                   lambda: rank_graduation_accuracy(y, p)),
            Runner("safeaipackage compute_rga_parity", "difference of groups' AUC, in a sentence",
                   lambda: accuracy_parity(y, p, group), last_word),
            Runner("fairlearn MetricFrame", "difference of groups' mean burdens",
                   lambda: group_frame(mean_absolute_error, y, p, group)),
            Runner("aif360 generalized entropy", "entropy between groups, of decisions",
                   lambda: entropy_between(y, p, group)),
        ],
    )
    test = Race(
        f"RGF test, {N_PERMUTATIONS} permutations",
        Runner(OURS, "p-value, and null mean", lambda: partial(
            rgf_test, y, p, **drawn, n_permutations=N_PERMUTATIONS, comparisons="none",
        ), lambda found: f"p = {found.pvalue:.4f}"),
        [
            Runner(who, "p-value of the same statistic", lambda run=run: run,
                   "p = {:.4f}".format)
            for who, run in {
                "numpy, as written": partial(permuted_by, labels_shuffled, burden, group),
                "numpy, fastest": partial(permuted_by, rows_chosen, burden, group),
                "scipy permutation_test": partial(permuted_by_scipy, burden, group),
            }.items()
        ],
    )
    options = {"n_boot": N_RESAMPLES, "ci_quantiles": [0.025, 0.975], "random_state": 0}
    interval = Race(
        f"RGF interval, {N_RESAMPLES} resamples",
        Runner(OURS, "percentile interval", lambda: partial(
            rgf_interval, y, p, **drawn, statistic="rgf", n_resamples=N_RESAMPLES,
        ), lambda found: ends((found.low, found.high))),
        [
            Runner("numpy, sorting each resample", "interval of the same number",
                   lambda: partial(resampled_by, resample_sorted_again, burden, group), ends),
            Runner("numpy, by counts", "interval of the same number",
                   lambda: partial(resampled_by, resample_by_counts, burden, group), ends),
            Runner("fairlearn MetricFrame", "interval of the difference of mean burdens",
                   lambda: group_frame(mean_absolute_error, y, p, group, **options), ends),
        ],
    )
    return [score, test, interval]


def rank_graduation(quick: bool) -> list[Table]:
    """Three tables."""
    return peer_tables(
        "Rank graduation", races, PACKAGES, quick,
        (
            "safeaipackage's RGA of 0-1 outcomes is the AUC, with ties one half: scikit-learn's "
            "number. Its parity is the largest less the smallest AUC inside a group, which "
            "ranking_disparity gives on the diagonal of its concordance. None of its numbers is "
            "RGF: that looks at whose errors are large along the ranking.",
        ),
    )


BENCHMARKS = {"peers_rank_graduation": rank_graduation}
