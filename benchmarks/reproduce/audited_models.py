"""Fit, hold out, measure: what every table of the lending sets is read off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split

from fairrank.audit import FeatureRemovalAuditor
from fairrank.inference import rgf_test
from fairrank.metrics import rgf_curve
from reproduce.lending_models import lending_models
from reproduce.lending_sets import LendingSet
from reproduce.published import N_PERMUTATIONS

SEED = 0


@dataclass(frozen=True)
class AuditedModel:
    """Scores of held-out rows, and the audit of features where one was made."""

    name: str
    denied: np.ndarray
    score: np.ndarray
    sensitive_features: np.ndarray
    removal: Any = None

    def measured(self) -> dict[str, float]:
        """Return the numbers of Tables 2 and 5, and ours beside them."""
        sample = (self.denied, self.score)
        group = {"sensitive_features": self.sensitive_features}
        test = rgf_test(*sample, **group, n_permutations=N_PERMUTATIONS, random_state=SEED)
        curve = rgf_curve(*sample, **group)
        (black,) = (part for part in test.groups if part.group == "Black")
        return {
            "ROC-AUC": roc_auc_score(*sample),
            "PR-AUC": average_precision_score(*sample),
            "RGF": test.rgf,
            "null RGF": test.null_reference,
            "centred RGF": test.centered_rgf,
            "burden ratio": black.burden_ratio,
            "AURGF": curve.area,
            "q_min": curve.q_min,
            "p": test.pvalue,
            "T": test.statistic,
            "T/E[T]": test.effect_size,
        }

    def pvalue_among_largest(self, top: float) -> float:
        """p of the test among this fraction of largest burdens."""
        return rgf_test(
            self.denied, self.score, sensitive_features=self.sensitive_features, top=top,
            n_permutations=N_PERMUTATIONS, random_state=SEED,
        ).pvalue


def holdout(lending: LendingSet) -> tuple[np.ndarray, np.ndarray]:
    """70 % of the rows to fit, 30 % to audit, stratified by group and outcome."""
    rows = np.arange(lending.denied.size)
    fitted, audited = train_test_split(
        rows, test_size=0.3, random_state=SEED, stratify=lending.cells
    )
    return fitted, audited


def audited_with_removal(
    lending: LendingSet, models: dict[str, Any], n_jobs: int, features: list[str] | None = None
) -> list[AuditedModel]:
    """Every model, and every model without each feature (all by default), on one holdout."""
    fitted, audited = holdout(lending)
    audits = []
    for name, model in models.items():
        auditor = FeatureRemovalAuditor(
            model, features=features, cv=[(fitted, audited)], n_permutations=N_PERMUTATIONS,
            n_resamples=500, n_jobs=n_jobs, random_state=SEED,
        )
        auditor.fit(lending.X, lending.denied, sensitive_features=lending.sensitive_features)
        audits.append(
            AuditedModel(
                name, lending.denied[audited], auditor.held_out_scores_[None][0, audited],
                lending.sensitive_features[audited], auditor.result_,
            )
        )
    return audits


def audited_balanced(lending: LendingSet, n_jobs: int) -> list[AuditedModel]:
    """Every model, fitted and held out on a sample with as many Black applicants as others."""
    lending = lending.balanced(SEED)
    fitted, audited = holdout(lending)
    models = lending_models(lending, balanced=True)
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_held_out_score)(model, lending, fitted, audited) for model in models.values()
    )
    return [
        AuditedModel(
            name, lending.denied[audited], score, lending.sensitive_features[audited]
        )
        for name, score in zip(models, scores)
    ]


def _held_out_score(model: Any, lending: LendingSet, fitted: np.ndarray, audited: np.ndarray):
    model.fit(lending.X.iloc[fitted], lending.denied[fitted])
    return model.predict_proba(lending.X.iloc[audited])[:, 1]
