"""Feature removal beside refits by hand, filters and importances of other packages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from bench_feature_removal import NUMBERS, applicants
from bench_peers_rank_graduation import group_frame
from bench_rank_graduation import repeat
from numpy_peers import paired_by_counts, paired_sorted_again
from peer_race import OURS, Race, Runner, peer_tables
from sklearn.base import clone
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mean_absolute_error, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from tables import Table

from fairrank.audit import FeatureRemovalAuditor
from fairrank.inference._paired_bootstrap import paired_distribution

N_RESAMPLES = 20
PACKAGES = ("fairlearn", "scikit-lego", "safeaipackage", "scikit-learn")
Audit = tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def audited_applicants(n: int) -> Audit:
    """Four numbers, outcome, group, training and held-out rows."""
    X, y, group = applicants(n)
    split = StratifiedShuffleSplit(1, test_size=0.3, random_state=0).split(X, y)
    return X[NUMBERS].copy(), y, group, *next(split)


def without_each(audit: Audit, measure: Callable, reduce: Callable) -> list[float]:
    """`measure` of a model fitted to `reduce` of every column, less that of the full model."""
    X, y, group, train, test = audit
    estimator, found = LogisticRegression(), []
    for removed in (None, *X.columns):
        reduced = X if removed is None else reduce(X, removed)
        model = clone(estimator).fit(np.asarray(reduced)[train], y[train])
        p = model.predict_proba(np.asarray(reduced)[test])[:, 1]
        found.append(measure(y[test], p, group[test]))
    return [one - found[0] for one in found[1:]]


def dropped(X: pd.DataFrame, removed: str) -> pd.DataFrame:
    """The other columns."""
    return X.drop(columns=removed)


def area(y: np.ndarray, p: np.ndarray, group: np.ndarray) -> float:
    """AUC of everybody."""
    return float(roc_auc_score(y, p))


def mean_gap(y: np.ndarray, p: np.ndarray, group: np.ndarray) -> float:
    """Difference of groups' mean burdens."""
    return float(group_frame(mean_absolute_error, y, p, group)())


def filtered_by_sklego(X: pd.DataFrame, removed: str) -> np.ndarray:
    """scikit-lego's filter of a column's information out of the others."""
    from sklego.preprocessing import InformationFilter

    return InformationFilter(removed).fit_transform(X)


def filtered_by_fairlearn(X: pd.DataFrame, removed: str) -> np.ndarray:
    """fairlearn's filter of a column's correlation out of the others."""
    from fairlearn.preprocessing import CorrelationRemover

    return CorrelationRemover(sensitive_feature_ids=[removed]).fit_transform(X)


def with_filter(module: str, audit: Audit, reduce: Callable) -> Callable[[], list[float]]:
    """Refits behind a filter of a module, which must be there."""
    import_module(module)
    return partial(without_each, audit, area, reduce)


def fitted(audit: Audit) -> LogisticRegression:
    """The full model."""
    X, y, _, train, _ = audit
    return LogisticRegression().fit(X.iloc[train], y[train])


def explained_by_safeai(audit: Audit) -> Callable[[], Any]:
    """safeaipackage's RGE of every column: a column's mean in its place, no refit."""
    from safeaipackage.check_explainability import compute_rge_values

    X, _, _, train, test = audit
    model = fitted(audit)
    before, held_out = X.iloc[train], X.iloc[test].reset_index(drop=True)
    p = model.predict_proba(held_out)[:, 1]
    return lambda: compute_rge_values(before, held_out, p, model, NUMBERS)["RGE"].loc[NUMBERS]


def importance(audit: Audit) -> Callable[[], Any]:
    """scikit-learn's permutation importance, of AUC."""
    X, y, _, _, test = audit
    return partial(
        permutation_importance, fitted(audit), X.iloc[test], y[test], scoring="roc_auc",
        n_repeats=5, random_state=0,
    )


def listed(found: Any) -> str:
    """Four changes."""
    return ", ".join(f"{float(one):+.4f}" for one in found)


def auditor(audit: Audit, **options: Any) -> Callable[[], FeatureRemovalAuditor]:
    """An audit without tests and intervals."""
    X, y, group, train, test = audit
    asked = FeatureRemovalAuditor(
        LogisticRegression(), cv=[(train, test)], n_permutations=0, n_resamples=0, n_jobs=1,
        error_score="raise", random_state=0, **options,
    )
    return lambda: asked.fit(X, y, sensitive_features=group)


def compared(found: FeatureRemovalAuditor) -> str:
    """Changes of AUC that the audit reports."""
    return listed(found.result_[name].scores["roc_auc"].change for name in NUMBERS)


def models_of(n: int, n_models: int = 5) -> tuple[np.ndarray, ...]:
    """Burdens and scores of models, group and outcome."""
    rng = np.random.default_rng(0)
    group = (rng.random(n) < 0.0937).astype(np.uint8)
    chance = rng.beta(1, 3, n)
    outcome = (rng.random(n) < chance).astype(np.uint8)
    score = np.clip(chance + rng.normal(0, 0.1, (n_models, n)), 1e-6, 1 - 1e-6)
    score += rng.random(score.shape) * 1e-7  # no ties where they were clipped
    return np.abs(outcome - score), score, group, outcome


def races(n: int) -> list[Race]:
    """Audits with and without refits, and the bootstrap behind their intervals."""
    audit = audited_applicants(n)
    burden, score, group, outcome = models = models_of(n)
    change, auc = "changes of mean burdens' difference", "changes of AUC"
    refits = Race(
        "audit with refits, 4 columns",
        Runner(OURS, "changes of RGF, AUC and more", lambda: auditor(audit), compared),
        [
            Runner("scikit-learn, by hand", auc,
                   lambda: partial(without_each, audit, area, dropped), listed),
            Runner("fairlearn MetricFrame, by hand", change,
                   lambda: partial(without_each, audit, mean_gap, dropped), listed),
            Runner("scikit-lego InformationFilter", "changes of AUC, columns filtered",
                   lambda: with_filter("sklego.preprocessing", audit, filtered_by_sklego),
                   listed),
            Runner("fairlearn CorrelationRemover", "changes of AUC, columns filtered",
                   lambda: with_filter("fairlearn.preprocessing", audit, filtered_by_fairlearn),
                   listed),
        ],
    )
    mean = Race(
        "audit without refits, 4 columns",
        Runner(OURS, "changes of RGF, AUC and more",
               lambda: auditor(audit, strategy="neutralize"), compared),
        [
            Runner("safeaipackage compute_rge_values", "1 - RGA between both models' scores",
                   lambda: explained_by_safeai(audit), listed),
            Runner("scikit-learn permutation_importance", "changes of AUC, 5 permutations",
                   lambda: importance(audit), lambda found: listed(found.importances_mean)),
        ],
    )
    bootstrap = Race(
        f"bootstrap of 5 models, {N_RESAMPLES} resamples",
        Runner(OURS, "RGF, AUC and precision, paired", lambda: partial(
            paired_distribution, burden, score, group=group, outcome=outcome,
            n_resamples=N_RESAMPLES, seed=np.random.SeedSequence(0), n_jobs=1,
        ), lambda found: f"{found.shape[0]} draws of {found.shape[1]} models"),
        [
            Runner(f"numpy, {how}", "the same numbers", lambda form=form: partial(
                repeat, form(*models, np.random.default_rng(1)), N_RESAMPLES,
            ), lambda _: f"{N_RESAMPLES} draws of {len(burden)} models")
            for how, form in (
                ("sorting each resample", paired_sorted_again), ("by counts", paired_by_counts),
            )
        ],
    )
    return [refits, mean, bootstrap]


def feature_removal(quick: bool) -> list[Table]:
    """Three tables."""
    return peer_tables(
        "Feature removal", races, PACKAGES, quick,
        (
            "Answers in the order of the columns: " + ", ".join(NUMBERS) + ".",
            "Logistic regression, 70 % of rows to train, one split. fairrank's audits also give "
            "centred RGF, AURGF and average precision, and fit the model on all rows.",
            "safeaipackage puts a column's training mean in its place, as strategy=\"neutralize\" "
            "does; its number is one less the RGA between the scores before and after, and knows "
            "neither groups nor outcomes.",
        ),
    )


BENCHMARKS = {"peers_feature_removal": feature_removal}
