"""Table 6: parity at a threshold, through fairlearn, its direction and threshold stated."""

from __future__ import annotations

import numpy as np
from fairlearn.metrics import (
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from sklearn.metrics import precision_score

from reproduce.audited_models import AuditedModel

DIRECTION = (
    "A positive prediction is a denial predicted, score >= threshold. Black applicants minus the "
    "rest: SPD of predicted denial, EOD of true positive rates, FPR difference of false positive "
    "rates, PPD of precision; DI is the ratio of predicted denial, Black over the rest."
)


def thresholds(model: AuditedModel) -> dict[str, float]:
    """One half, and where as many denials are predicted as there were."""
    return {".5": 0.5, "observed rate": float(np.quantile(model.score, 1 - model.denied.mean()))}


def classical_metrics(model: AuditedModel, threshold: float) -> dict[str, float]:
    """The five classical numbers of one model at one threshold."""
    frame = MetricFrame(
        metrics={
            "denial": selection_rate,
            "tpr": true_positive_rate,
            "fpr": false_positive_rate,
            "precision": lambda y, predicted: precision_score(y, predicted, zero_division=np.nan),
        },
        y_true=model.denied,
        y_pred=(model.score >= threshold).astype(int),
        sensitive_features=model.sensitive_features,
    )
    # Read by group: MetricFrame.difference() is largest minus smallest, which hides the direction.
    black, other = frame.by_group.loc["Black"], frame.by_group.loc["other"]
    gap = black - other
    return {
        "denial Black": black["denial"],
        "denial other": other["denial"],
        "SPD": gap["denial"],
        "DI": black["denial"] / other["denial"] if other["denial"] else float("nan"),
        "EOD": gap["tpr"],
        "FPR difference": gap["fpr"],
        "PPD": gap["precision"],
    }
