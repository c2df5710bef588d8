"""The four kinds of model of the paper, each with the settings that all sets share."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from reproduce.lending_sets import LendingSet

SETTINGS = (
    "Logistic regression; random forest of 100 trees with leaves of 10 rows or more; "
    "HistGradientBoosting with 15 leaves; MLP as in the paper, 128 ReLU units, and 128-64-32 tanh "
    "units on balanced samples, 20 epochs. Standardised numbers, one-hot categories. The paper "
    "tunes all of them; nothing is tuned here, and each is fitted once."
)


def lending_models(lending: LendingSet, *, balanced: bool = False) -> dict[str, Any]:
    """Pipelines by the paper's names."""
    # Small batches where rows are few, or 20 epochs would be a handful of steps. No early
    # stopping: it watches accuracy, and where denial is rare that stops at once.
    batch = min(500, max(20, lending.denied.size // 100))
    hidden: dict[str, Any] = {"hidden_layer_sizes": (128,), "activation": "relu"}
    if balanced:
        hidden = {"hidden_layer_sizes": (128, 64, 32), "activation": "tanh"}
    classifiers = {
        "logistic regression": LogisticRegression(max_iter=1000),
        "random forest": RandomForestClassifier(100, min_samples_leaf=10, random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(max_leaf_nodes=15, random_state=0),
        "MLP": MLPClassifier(**hidden, batch_size=batch, max_iter=20, random_state=0),
    }
    return {name: encoded(lending, classifier) for name, classifier in classifiers.items()}


def weighted_forest(lending: LendingSet) -> Any:
    """A forest whose classes weigh alike: our guess at what the paper's forest may have been."""
    return encoded(
        lending,
        RandomForestClassifier(
            100, min_samples_leaf=10, class_weight="balanced", random_state=0
        ),
    )


def encoded(lending: LendingSet, classifier: Any) -> Any:
    """The classifier behind standardised numbers and one-hot categories."""
    numeric = [name for name in lending.X.columns if name not in lending.categorical]
    return make_pipeline(
        ColumnTransformer([
            ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
             numeric),
            ("categories", OneHotEncoder(handle_unknown="ignore", sparse_output=False),
             lending.categorical),
        ]),
        classifier,
    )
