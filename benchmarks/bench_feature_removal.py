"""Feature removal: what the auditor adds to its refits, and the paired bootstrap against numpy."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy_peers import paired_by_counts, paired_sorted_again
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from tables import Table
from timing import take_turns

from fairrank.audit import FeatureRemovalAuditor
from fairrank.inference._paired_bootstrap import paired_distribution

# Held-out rows of the paper's mortgage data, and the minority among them.
N_HELD_OUT, N_MINORITY = 134_071, 12_562
NUMBERS, WORDS = ["income", "loan", "debt", "age"], ["purpose", "district"]


def applicants(n: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Table of four numbers and two words, outcomes, groups."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=NUMBERS)
    X["purpose"] = rng.choice(["buy", "build", "repair"], n)
    X["district"] = rng.choice([f"d{i}" for i in range(20)], n)
    group = rng.choice(["a", "b"], n, p=[0.9, 0.1])
    logit = X["income"] - X["debt"] + (X["purpose"] == "buy")
    noise = rng.logistic(size=n) * np.where(group == "b", 2.0, 1.0)
    return X, (logit + noise > 0).to_numpy().astype(int), group


def bare_refits(estimator, X: pd.DataFrame, y: np.ndarray, splits: list) -> None:
    """What anyone would write: the full model and one without each column, then one on all rows.

    Column selections of a pipeline are given for the columns that are left.
    """
    for removed in (None, *X.columns):
        kept = [column for column in X.columns if column != removed]
        for train, test in splits:
            model = clone(estimator(kept)).fit(X[kept].iloc[train], y[train])
            model.predict_proba(X[kept].iloc[test])
    estimator(list(X.columns)).fit(X, y)


def forest(columns: list[str]) -> RandomForestClassifier:
    """A forest, whatever the columns."""
    return RandomForestClassifier(100, random_state=0, n_jobs=1)


def pipeline(columns: list[str]):
    """Numbers scaled and words spelled out, then a logistic regression."""
    chosen = ColumnTransformer([
        ("numbers", StandardScaler(), [name for name in NUMBERS if name in columns]),
        ("words", OneHotEncoder(), [name for name in WORDS if name in columns]),
    ])
    return make_pipeline(chosen, LogisticRegression())


def overhead(quick: bool) -> list[Table]:
    """`FeatureRemovalAuditor.fit` against the bare refits on the same splits."""
    n, rounds = (4000, 1) if quick else (20_000, 3)
    X, y, group = applicants(n)
    holdout = list(StratifiedShuffleSplit(1, test_size=0.3, random_state=0).split(X, y))
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    cases: list[tuple[str, Callable, pd.DataFrame, list]] = [
        ("forest of 100 trees, 4 columns, one holdout", forest, X[NUMBERS], holdout),
        ("ColumnTransformer, LogisticRegression, 6 columns, 5 folds", pipeline, X, folds),
    ]
    table = Table(
        f"FeatureRemovalAuditor.fit without tests and intervals, n = {n:,}, n_jobs=1",
        ["estimator", "fits", "bare refits s", "auditor s", "overhead of best", "of medians",
         "ms a model"],
        notes=[
            f"Seconds of the processor, in turn, {rounds} rounds; the best of each. Overhead: "
            "auditor over bare, minus 1; ms a model: the difference of the medians, divided by "
            "one more than the columns.",
            "Bare: clone, fit and predict_proba without each column on the same splits, and the "
            "fit on all rows. The auditor adds checks, groups, selections adapted, RGF, AURGF, "
            "AUC and average precision of every model, and FC (n_permutations=0, n_resamples=0).",
        ],
    )
    for name, estimator, columns, splits in cases:
        auditor = FeatureRemovalAuditor(
            estimator(list(columns)), cv=splits, n_permutations=0, n_resamples=0, n_jobs=1,
            error_score="raise", random_state=0,
        )
        seconds = take_turns(
            {
                "bare": partial(bare_refits, estimator, columns, y, splits),
                "auditor": partial(auditor.fit, columns, y, sensitive_features=group),
            },
            rounds,
            warm_up=estimator is pipeline,
            clock=time.process_time,
        )
        bare, ours = seconds["bare"], seconds["auditor"]
        n_fits = (1 + columns.shape[1]) * len(splits) + 1
        table.rows.append(
            [
                name, n_fits, bare.min(), ours.min(), f"{ours.min() / bare.min() - 1:+.1%}",
                f"{np.median(ours) / np.median(bare) - 1:+.1%}",
                1e3 * (np.median(ours) - np.median(bare)) / (1 + columns.shape[1]),
            ]
        )
    return [table]


def repeat(run: Callable[[], object], times: int) -> None:
    """Call `run` so often."""
    for _ in range(times):
        run()


def paired_bootstrap(quick: bool) -> list[Table]:
    """Draws of several models' fairness and accuracy against two forms in numpy."""
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat([0, 1], [N_HELD_OUT - N_MINORITY, N_MINORITY]))
    group = group.astype(np.uint8)
    chance = rng.beta(1, 3, N_HELD_OUT)
    outcome = (rng.random(N_HELD_OUT) < chance).astype(np.uint8)
    n_draws, rounds, n_numpy = (20, 1, 2) if quick else (100, 5, 5)
    table = Table(
        f"Paired bootstrap of RGF, centred RGF, AUC and average precision, n = {N_HELD_OUT:,}, "
        "two groups, one thread",
        ["models", "who", "ms a draw", "ms a draw and model", "times fairrank", "of medians"],
        notes=[
            f"fairrank: the whole call with {n_draws} draws, its sorts among them, divided by "
            f"{n_draws}; numpy: {n_numpy} draws a round, in turn, sorts before the draws not "
            f"counted; best of {rounds} rounds.",
            "numpy by counts: each model's rows sorted once; a draw is bincount of the drawn "
            "rows, repeat, and cumsum (continuous scores only: ties are not pooled).",
        ],
    )
    for n_models in (2, 10):
        score = np.clip(chance + rng.normal(0, 0.1, (n_models, N_HELD_OUT)), 1e-6, 1 - 1e-6)
        score += rng.random(score.shape) * 1e-7  # no ties where they were clipped
        burden = np.abs(outcome - score)
        sorting, counting = (
            form(burden, score, group, outcome, np.random.default_rng(1))
            for form in (paired_sorted_again, paired_by_counts)
        )
        seconds = take_turns(
            {
                "fairrank": partial(
                    paired_distribution, burden, score, group=group, outcome=outcome,
                    n_resamples=n_draws, seed=np.random.SeedSequence(0), n_jobs=1,
                ),
                "sorts": partial(repeat, sorting, n_numpy),
                "counts": partial(repeat, counting, n_numpy),
            },
            rounds,
        )
        ours = seconds["fairrank"] / n_draws
        for who, taken in (
            ("paired_distribution", ours),
            ("numpy, sorting each resample", seconds["sorts"] / n_numpy),
            ("numpy by counts", seconds["counts"] / n_numpy),
        ):
            table.rows.append(
                [
                    n_models, who, 1e3 * taken.min(), 1e3 * taken.min() / n_models,
                    taken.min() / ours.min(), np.median(taken) / np.median(ours),
                ]
            )
    return [table]


BENCHMARKS = {"removal_overhead": overhead, "removal_bootstrap": paired_bootstrap}
