"""Scorers of the audit: two come from all held-out scores together, others fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, check_scoring, roc_auc_score

from fairrank.metrics import FairnessScorer

POOLED = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}


@dataclass(frozen=True)
class Scoring:
    """What to score.

    Attributes
    ----------
    pooled : dict of str to str
        Name -> "roc_auc" or "average_precision", read off all held-out scores at once.
    by_fold : dict of str to callable
        Name -> ``scorer(estimator, X, y)``, averaged over folds by their rows.
    """

    pooled: dict[str, str]
    by_fold: dict[str, Any]

    def values(self, model: Any, X: Any, y: Any, groups: Any) -> dict[str, float]:
        """Scores of a fitted model on the held-out rows of one fold."""
        found: dict[str, float] = {}
        for name, scorer in self.by_fold.items():
            routed = isinstance(scorer, FairnessScorer) and scorer.sensitive_features is None
            value = scorer(model, X, y, **({"sensitive_features": groups} if routed else {}))
            if isinstance(value, Mapping):
                found |= {str(key): float(one) for key, one in value.items()}
            else:
                found[name] = float(value)
        return found


def pooled_value(statistic: str, outcome: np.ndarray, score: np.ndarray) -> float:
    """ROC-AUC or average precision of held-out scores; NaN when an outcome is missing."""
    if outcome.min() == outcome.max():
        return float("nan")
    return float(POOLED[statistic](outcome, score))


def read_scoring(scoring: Any, estimator: Any) -> Scoring:
    """Read the parameter `scoring`: None, a name, a callable, a list of names or a dict.

    Raises
    ------
    ValueError, TypeError
        As scikit-learn says of an unknown scorer.
    """
    if scoring is None:
        named: dict[str, Any] = {"score": None}
    elif isinstance(scoring, str):
        named = {scoring: scoring}
    elif isinstance(scoring, Mapping):
        named = dict(scoring)
    elif callable(scoring):
        named = {getattr(scoring, "__name__", "score"): scoring}
    elif hasattr(scoring, "__iter__") and all(isinstance(name, str) for name in scoring):
        named = {name: name for name in scoring}
    else:
        raise TypeError(
            "scoring must be None, a name, a scorer(estimator, X, y), a list of names or a dict, "
            f"got {scoring!r}. Name callables: {{'mine': scorer}}."
        )
    pooled = {
        name: one for name, one in named.items() if isinstance(one, str) and one in POOLED
    }
    by_fold = {
        name: check_scoring(estimator, scoring=one)
        for name, one in named.items()
        if name not in pooled
    }
    return Scoring(pooled=pooled, by_fold=by_fold)
