"""A small lending table with an unfairly noisy minority, and audits of it."""

import json

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from fairrank.audit import FeatureRemovalAuditor

COLUMNS = ["income", "debt", "noise"]


def lending_table(n=240):
    """Columns, race among them, and outcomes that race b's features tell less well."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=COLUMNS)
    X["race"] = rng.choice(["a", "b"], n, p=[0.7, 0.3])
    noise = rng.normal(size=n) * np.where(X["race"] == "b", 3.0, 0.5)
    return X, (X["income"] - X["debt"] + noise > 0).astype(int)


def auditor(model=None, **options):
    settings = {
        "sensitive_features": "race", "cv": 3, "n_permutations": 19, "n_resamples": 20,
        "random_state": 0, "error_score": "raise",
    }
    model = LogisticRegression() if model is None else model
    return FeatureRemovalAuditor(model, **{**settings, **options})


def numbers(result):
    """All of a result as text, because nan != nan."""
    return json.dumps(result.to_dict())
