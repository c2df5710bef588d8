"""Ranking metrics and fair orders beside other packages and forms in numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from bench_peers_rank_graduation import accuracy_parity, ends, group_frame, last_word
from bench_ranking import scored_rows
from bench_welfare_rivals import GivenScores
from peer_race import OURS, SAME, Race, Runner, peer_tables
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from tables import Table

from fairrank.inference import ranking_disparity_interval
from fairrank.metrics import prf_disparity, ranking_disparity, urf_disparity, xauc_disparity
from fairrank.ranking import fair_ordering, post_logit

N_RESAMPLES = 20
TRADE_OFF = 1.0
PACKAGES = ("fairlearn", "aif360", "scikit-lego", "safeaipackage", "scikit-learn", "scipy")
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def cross_by_sklearn(rows: Rows) -> float:
    """|xAUC(0, 1) - xAUC(1, 0)| from two calls of roc_auc_score on the rows that they compare."""
    y, score, group = rows
    first = (group == 0) == (y == 1)
    return abs(
        roc_auc_score(y[first], score[first]) - roc_auc_score(y[~first], score[~first])
    )


def pairwise_by_sklearn(rows: Rows) -> float:
    """|PRF(0) - PRF(1)| in the same way: positives of a group, and all negatives."""
    y, score, group = rows
    kept = [(y == 0) | (group == g) for g in (0, 1)]
    return abs(np.subtract(*(roc_auc_score(y[rows], score[rows]) for rows in kept)))


def cross_by_one_sort(rows: Rows) -> float:
    """|xAUC(0, 1) - xAUC(1, 0)| by one argsort and two cumsums; ties would need more."""
    y, score, group = rows
    order = np.argsort(score)
    y, group = y[order], group[order]
    found = []
    for above, below in ((0, 1), (1, 0)):
        negative, positive = (y == 0) & (group == below), (y == 1) & (group == above)
        beaten = np.cumsum(negative)[positive].sum()
        found.append(beaten / (negative.sum() * positive.sum()))
    return abs(found[0] - found[1])


def cross_with_error(rows: Rows) -> tuple[float, float]:
    """|xAUC(0, 1) - xAUC(1, 0)| and its standard error (DeLong), by sort and searchsorted."""
    y, score, group = rows
    found, variance = [], 0.0
    for above, below in ((0, 1), (1, 0)):
        negative = np.sort(score[(y == 0) & (group == below)])
        positive = np.sort(score[(y == 1) & (group == above)])
        of_positive = np.searchsorted(negative, positive) / negative.size
        of_negative = 1.0 - np.searchsorted(positive, negative) / positive.size
        found.append(of_positive.mean())
        variance += of_positive.var(ddof=1) / positive.size
        variance += of_negative.var(ddof=1) / negative.size
    return abs(found[0] - found[1]), float(np.sqrt(variance))


def with_error(found: tuple[float, float]) -> str:
    """A number and its standard error."""
    return f"{found[0]:.6f} ± {found[1]:.6f}"


def resampled(rows: Rows) -> np.ndarray:
    """Quantiles of xAUC(0, 1) - xAUC(1, 0) in resamples inside group and outcome, sorting each."""
    y, score, group = rows
    rng = np.random.default_rng(1)
    members = [np.flatnonzero((y == c) & (group == g)) for c in (0, 1) for g in (0, 1)]
    drawn = []
    for _ in range(N_RESAMPLES):
        taken = np.concatenate([mine[rng.integers(mine.size, size=mine.size)] for mine in members])
        drawn.append(cross_by_one_sort((y[taken], score[taken], group[taken])))
    return np.quantile(drawn, [0.025, 0.975])


def by_aif360(metric: str, rows: Rows) -> Callable[[], Any]:
    """aif360: AUC inside each group, or the difference of positive rates of decisions."""
    from aif360.sklearn.metrics import intersection, statistical_parity_difference

    y, score, group = rows
    outcome = pd.Series(y, index=pd.Index(group, name="group"))
    if metric == "auc":
        return lambda: abs(np.subtract(*intersection(roc_auc_score, outcome, score, "group")))
    decided = pd.Series((score > 0.5).astype(int), index=outcome.index)
    return lambda: abs(statistical_parity_difference(outcome, decided, prot_attr="group"))


def rates_by_fairlearn(rows: Rows) -> Callable[[], float]:
    """fairlearn: difference of positive rates of decisions."""
    from fairlearn.metrics import demographic_parity_difference

    y, score, group = rows
    return partial(
        demographic_parity_difference, y, (score > 0.5).astype(int), sensitive_features=group
    )


def rates_by_sklego(rows: Rows) -> Callable[[], float]:
    """scikit-lego: ratio of positive rates of decisions, by its scorer."""
    from sklego.metrics import p_percent_score

    _, score, group = rows
    X = np.column_stack([score, group])

    class Decided(GivenScores):
        """Decides by the first column."""

        def predict(self, X: np.ndarray) -> np.ndarray:
            """1 above a half."""
            return (X[:, 0] > 0.5).astype(int)

    return partial(p_percent_score(1), Decided(), X)


def mann_whitney(rows: Rows) -> float:
    """|P(S_0 > S_1) - P(S_1 > S_0)| from scipy's statistic."""
    from scipy.stats import mannwhitneyu

    _, score, group = rows
    a, b = score[group == 0], score[group == 1]
    won = mannwhitneyu(a, b, method="asymptotic").statistic / (a.size * b.size)
    return float(abs(2.0 * won - 1.0))


def paper_lattice(rows: Rows) -> float:
    """Best AUC - |D| that Algorithm 1 finds for xAUC, in numpy: one anti-diagonal after another.

    Without the way back through the lattice, for which the choices are kept as bits.
    """
    y, score, group = rows
    order = np.argsort(-score)
    a, b = (y[order][group[order] == g].astype(float) for g in (0, 1))
    left_a, left_b = (np.append((1 - c)[::-1].cumsum()[::-1], 0.0) for c in (a, b))
    n_positive, n_negative = y.sum(), y.size - y.sum()
    own = sum((c * left[:-1]).sum() for c, left in ((a, left_a), (b, left_b)))
    scale = n_positive * n_negative
    per = 1.0 / (a.sum() * left_b[0]), 1.0 / (b.sum() * left_a[0])

    def value(won: np.ndarray) -> np.ndarray:
        return won.sum(axis=0) / scale - TRADE_OFF * np.abs(won[0] * per[0] - won[1] * per[1])

    m, n = a.size, b.size
    best, bits = np.zeros((2, m + 1)), []
    for k in range(1, m + n + 1):
        # Cells (i, k - i): i rows of a and k - i of b are placed.
        low, high = max(0, k - n), min(m, k)
        i = np.arange(low, high + 1)
        by_b = best[:, low:high + 1].copy()
        by_b[1] += b[k - i - 1] * left_a[i] * (i < k)
        by_a = best[:, np.maximum(i - 1, 0)]
        by_a[0] += a[np.maximum(i - 1, 0)] * left_b[k - i]
        from_a = value(by_a) > value(by_b)
        # Along the edges there is one way.
        from_a[i == 0], from_a[i == k] = False, True
        best[:, low:high + 1] = np.where(from_a, by_a, by_b)
        bits.append(np.packbits(from_a))
    return float(own / scale + value(best[:, m:])[0])


def objective(y: np.ndarray, score: np.ndarray, group: np.ndarray) -> str:
    """AUC and xAUC disparity of scores, and their difference."""
    auc, gap = roc_auc_score(y, score), xauc_disparity(y, score, sensitive_features=group)
    return f"AUC {auc:.5f}, disparity {gap:.5f}, AUC - disparity {auc - TRADE_OFF * gap:.5f}"


def order_words(rows: Rows, found: Any) -> str:
    """The same of one of our results."""
    return objective(rows[0], found.fair_score, rows[2])


def calibrated_odds(rows: Rows) -> Callable[[], np.ndarray]:
    """aif360's CalibratedEqualizedOdds, fitted to probabilities and applied to them."""
    from aif360.sklearn.postprocessing import CalibratedEqualizedOdds

    y, score, group = rows
    index = pd.Index(group, name="group")
    p = expit(2.0 * score - 1.0)
    X, outcome = pd.DataFrame({0: 1.0 - p, 1: p}, index=index), pd.Series(y, index=index)

    def run() -> np.ndarray:
        fitted = CalibratedEqualizedOdds("group", cost_constraint="fnr", random_state=0)
        return fitted.fit(X, outcome).predict_proba(X)[:, 1]

    return run


def races(n: int) -> list[Race]:
    """Four metrics and an order of n rows."""
    rows = y, score, group = scored_rows(n)
    given = {"sensitive_features": group}
    return [
        Race(
            "xAUC disparity",
            Runner(OURS, "largest over pairs", lambda: partial(xauc_disparity, y, score, **given)),
            [
                Runner("numpy, argsort and cumsum", SAME,
                       lambda: partial(cross_by_one_sort, rows)),
                Runner("scikit-learn roc_auc_score twice", SAME,
                       lambda: partial(cross_by_sklearn, rows)),
                Runner("fairlearn MetricFrame", "difference of AUC inside groups",
                       lambda: group_frame(roc_auc_score, y, score, group)),
                Runner("aif360 intersection", "difference of AUC inside groups",
                       lambda: by_aif360("auc", rows)),
                Runner("safeaipackage compute_rga_parity", "difference of AUC inside groups",
                       lambda: accuracy_parity(y, score, group), last_word),
            ],
        ),
        Race(
            "PRF disparity",
            Runner(OURS, "largest over pairs", lambda: partial(prf_disparity, y, score, **given)),
            [Runner("scikit-learn roc_auc_score twice", SAME,
                    lambda: partial(pairwise_by_sklearn, rows))],
        ),
        Race(
            "URF disparity",
            Runner(OURS, "largest over pairs", lambda: partial(urf_disparity, y, score, **given)),
            [
                Runner("scipy mannwhitneyu", SAME, lambda: partial(mann_whitney, rows)),
                Runner("fairlearn demographic_parity_difference", "rates at one threshold",
                       lambda: rates_by_fairlearn(rows)),
                Runner("aif360 statistical_parity_difference", "rates at one threshold",
                       lambda: by_aif360("rates", rows)),
                Runner("scikit-lego p_percent_score", "ratio of rates at one threshold",
                       lambda: rates_by_sklego(rows)),
            ],
        ),
        Race(
            "xAUC disparity and its error",
            Runner(OURS, "standard error, and the AUC",
                   lambda: partial(ranking_disparity, y, score, **given),
                   lambda found: with_error((found.value, found.standard_error))),
            [Runner("numpy, sort and searchsorted", "the same numbers",
                    lambda: partial(cross_with_error, rows), with_error)],
        ),
        Race(
            f"xAUC disparity interval, {N_RESAMPLES} resamples",
            Runner(OURS, "interval of the largest", lambda: partial(
                ranking_disparity_interval, y, score, **given, n_resamples=N_RESAMPLES, n_jobs=1,
                random_state=0,
            ), lambda found: ends((found.low, found.high))),
            [
                Runner("numpy, sorting each resample", "percentiles of the same number",
                       lambda: partial(resampled, rows), ends),
                Runner("fairlearn MetricFrame", "interval of the difference of AUC inside groups",
                       lambda: group_frame(
                           roc_auc_score, y, score, group, n_boot=N_RESAMPLES,
                           ci_quantiles=[0.025, 0.975], random_state=0,
                       ), ends),
            ],
        ),
        orders(rows),
    ]


def orders(rows: Rows) -> Race:
    """An order that trades AUC for a smaller disparity."""
    y, score, group = rows
    given = {"sensitive_features": group}
    in_a = int(group.sum())
    cells = in_a * (group.size - in_a)
    call = partial(fair_ordering, y, score, **given, trade_off=TRADE_OFF)
    return Race(
        f"fair order, trade-off {TRADE_OFF:g}",
        Runner(OURS, "order, maps and bound", lambda: call, partial(order_words, rows)),
        [
            Runner("Algorithm 1 of xOrder, fairrank's kernel", "order and maps",
                   lambda: partial(call, solver="lattice"), partial(order_words, rows), cells, 2),
            Runner("Algorithm 1 of xOrder, numpy", "its AUC - disparity",
                   lambda: partial(paper_lattice, rows),
                   "AUC - disparity {:.5f}".format, cells / 8, 2),
            Runner("post-logit of Kallus and Zhou, ours", "scores",
                   lambda: partial(post_logit, y, expit(2.0 * score - 1.0), **given),
                   partial(order_words, rows)),
            Runner("aif360 CalibratedEqualizedOdds", "scores, some replaced at random",
                   lambda: calibrated_odds(rows), lambda fair: objective(y, fair, group)),
        ],
    )


def ranking(quick: bool) -> list[Table]:
    """Three tables."""
    return peer_tables(
        "Rankings", races, PACKAGES, quick,
        (
            "The groups' AUC inside, which the packages compare, say nothing of how one group "
            "stands to the other: they may be equal where the xAUC disparity is large.",
            "No other package has an order or scores that lower an xAUC, PRF or URF disparity. "
            "CalibratedEqualizedOdds levels mean scores of positives; what that does to AUC and "
            "xAUC stands in its answer.",
        ),
    )


BENCHMARKS = {"peers_ranking": ranking}
