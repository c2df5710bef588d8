"""Resident memory over many fits and calls: what each leaves behind."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from tables import Table

from fairrank.audit import FeatureRemovalAuditor
from fairrank.exceptions import NuisanceWarning, SmallGroupWarning
from fairrank.frontier import FrontierEstimator, SupportFunction, less_discriminatory_alternatives
from fairrank.inference import rgf_interval, rgf_test
from fairrank.metrics import rgf_score, xauc_disparity
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor, fair_ordering
from fairrank.welfare import (
    WelfareEqualizingClassifier,
    WelfareEqualizingOffer,
    welfare_optimal_policy,
)

N_ROWS = 200
PARTS = 10
STATM = Path("/proc/self/statm")


class FirstColumn(ClassifierMixin, BaseEstimator):
    """P(Y = 1) is the first column: a fit that costs nothing and keeps nothing."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FirstColumn:
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        p = np.asarray(X)[:, 0].astype(float)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]


def resident() -> int:
    """Bytes of memory that the process holds."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def calls(n: int = N_ROWS) -> dict[str, Callable[[], Any]]:
    """One fit or call of each kind, on data made beforehand."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.05, 0.95, (n, 3))
    X[:, 2] = rng.integers(0, 2, n)
    y = (rng.uniform(size=n) < X[:, 0]).astype(int)
    group, score = X[:, 2].astype(int), X[:, 0]
    known = {"sensitive_features": group}
    fitted = {"sensitive_features": 2, "random_state": 0, "n_jobs": 1}
    losses = (y == 1).astype(float), (y == 0).astype(float)
    delta = rng.normal(size=(n, 2))
    model = FirstColumn()
    products = {"small": {}, "large": {"gain": 2.0, "loss": 3.0}}
    audit = FeatureRemovalAuditor(
        model, strategy="neutralize", features=[1], cv=2, n_permutations=9, n_resamples=9,
        **fitted,
    )
    few = {"n_jobs": 1, "random_state": 0}
    return {
        "rgf_score": lambda: rgf_score(y, score, **known),
        "xauc_disparity": lambda: xauc_disparity(y, score, **known),
        "rgf_test, 19 permutations": lambda: rgf_test(y, score, n_permutations=19, **few, **known),
        "rgf_interval, 19 resamples": lambda: rgf_interval(
            y, score, n_resamples=19, **few, **known
        ),
        "fair_ordering": lambda: fair_ordering(y, score, max_disparity=0.05, **known),
        "welfare_optimal_policy": lambda: welfare_optimal_policy(2 * score - 1, score, **known),
        "SupportFunction and its frontier": lambda: SupportFunction(
            *losses, delta, **known
        ).frontier,
        "less_discriminatory_alternatives": lambda: less_discriminatory_alternatives(
            SupportFunction(*losses, delta, **known), y
        ),
        "XOrderPostProcessor": XOrderPostProcessor(model, cv=2, **fitted).fit,
        "PostLogitPostProcessor": PostLogitPostProcessor(model, cv=2, **fitted).fit,
        "WelfareEqualizingClassifier": WelfareEqualizingClassifier(model, cv=2, **fitted).fit,
        "WelfareEqualizingOffer": WelfareEqualizingOffer(model, products, cv=2, **fitted).fit,
        "FrontierEstimator": FrontierEstimator(model, cv=2, **fitted).fit,
        "FeatureRemovalAuditor": audit.fit,
    } | {"X": X, "y": y}


def memory_growth(n_runs: int, n_jobs: int) -> list[Table]:
    """Bytes a fit by which resident memory grows, over `n_runs` fits after a tenth of them."""
    warnings.simplefilter("ignore", SmallGroupWarning)
    warnings.simplefilter("ignore", NuisanceWarning)
    todo = calls()
    X, y = todo.pop("X"), todo.pop("y")
    part = max(n_runs // PARTS, 1)
    table = Table(
        f"Resident memory over {PARTS * part:,} fits or calls after {part:,}, {N_ROWS} rows",
        ["what", "MB at the start", "MB half way", "MB at the end", "bytes a fit",
         "bytes a fit, second half"],
        notes=[
            "One process, one thread, one after another; memory as the system counts it, in pages "
            "of 4096 bytes, after gc.collect().",
            f"An array of {N_ROWS} doubles that a fit forgot to free would be {8 * N_ROWS} bytes "
            "a fit.",
        ],
    )
    for name, run in todo.items():
        arguments = (X, y) if hasattr(run, "__self__") else ()
        held = []
        for _ in range(PARTS + 1):
            for _ in range(part):
                run(*arguments)
            held.append(resident())
        half = PARTS // 2
        table.rows.append([
            name, *(held[i] / 2**20 for i in (0, half, PARTS)),
            (held[PARTS] - held[0]) / (PARTS * part),
            (held[PARTS] - held[half]) / ((PARTS - half) * part),
        ])
        print("  ", table.rows[-1], flush=True)
    return [table]
