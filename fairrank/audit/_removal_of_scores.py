"""The audit of scores whose models were refitted elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairrank._sensitive import encode_groups
from fairrank._validation import as_finite_float, check_binary_labels, check_same_length
from fairrank.audit._audited_features import AuditedFeature
from fairrank.audit._feature_removal import (
    HeldOutRows,
    MeasuredModel,
    measured_model,
    removal_result,
)
from fairrank.audit._feature_removal_result import FeatureRemovalResult
from fairrank.audit._scoring import POOLED, pooled_value
from fairrank.inference._permutation import seed_sequence


def result_of_scores(
    y_true: Any,
    y_score: Any,
    y_score_without: Mapping[str, Any],
    *,
    sensitive_features: Any,
    strata: Any,
    burden: Any,
    undefined: str,
    pos_label: Any,
    missing: str,
    random_state: Any,
    **options: Any,
) -> FeatureRemovalResult:
    """Compare scores of reduced models with those of the full one, on the same rows.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
    y_score_without : mapping of str to array-like of shape (n_samples,)
    sensitive_features, strata, burden, undefined, pos_label, missing, random_state
        As `FeatureRemovalDisplay.from_predictions` takes them.
    **options : dict
        As `removal_result` takes them.
    """
    outcome = check_binary_labels(y_true, pos_label)
    groups = encode_groups(sensitive_features, missing=missing)
    fold = np.zeros(outcome.size, dtype=np.intp)
    if strata is not None:
        fold = encode_groups(strata, name="strata").codes.astype(np.intp)
    check_same_length(y_true=outcome, sensitive_features=groups.codes, strata=fold)
    rows = HeldOutRows(
        outcome=outcome[groups.keep], group=groups.codes[groups.keep], labels=groups.labels,
        fold=fold[groups.keep], burden=burden, n_dropped=groups.n_dropped,
        pooled={statistic: statistic for statistic in POOLED},
    )

    def measured(score: Any, name: str) -> MeasuredModel:
        found = as_finite_float(score, name)
        check_same_length(y_true=outcome, **{name: found})
        found = found[groups.keep]
        scores = {key: np.array([pooled_value(key, rows.outcome, found)]) for key in POOLED}
        return measured_model(rows, found[None], scores, name, undefined)

    models = {
        AuditedFeature(str(feature), (i,)): measured(score, f"y_score_without[{feature!r}]")
        for i, (feature, score) in enumerate(y_score_without.items())
    }
    return removal_result(
        rows, measured(y_score, "y_score"), models,
        column_labels=list(map(str, y_score_without)).__getitem__,
        seed=seed_sequence(random_state), **options,
    )
