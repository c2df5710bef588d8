"""Everything an audit checks and settles before its first refit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from fairrank._columns import column_names, named_columns
from fairrank._sensitive import GroupCodes, check_one_source, encode_groups, read_groups
from fairrank._validation import check_same_length
from fairrank.audit._audited_features import (
    AuditedFeature,
    audited_features,
    columns_equal_to,
    columns_read_by,
)
from fairrank.audit._folds import Split, held_out_splits
from fairrank.exceptions import DegenerateGroupError


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """What will be removed, and which rows are held out.

    Attributes
    ----------
    outcome : ndarray of uint8, shape (n_samples,)
    pos_label : label
    groups : GroupCodes
    named : tuple of int
        Columns taken out of X before any model sees it.
    features : tuple of AuditedFeature
    splits : list of (train, test)
    strata : ndarray of int or None
        Within which features are neutralised.
    """

    outcome: np.ndarray
    pos_label: Any
    groups: GroupCodes
    named: tuple[int, ...]
    features: tuple[AuditedFeature, ...]
    splits: list[Split]
    strata: np.ndarray | None


def check_refittable(estimator: Any, strategy: str) -> None:
    """Refuse what cannot be fitted again without a feature."""
    if not hasattr(estimator, "fit") or not hasattr(estimator, "get_params"):
        raise TypeError(
            f"estimator must be a scikit-learn estimator that can be cloned and refitted, got "
            f"{estimator!r}."
        )
    if strategy == "neutralize":
        return
    # Its own entry comes last: a FrozenEstimator has a parameter of that name too.
    parts = estimator.get_params(deep=True) | {"estimator": estimator}
    for name, part in parts.items():
        steps = part if isinstance(part, (list, tuple)) else [part]
        if any(isinstance(step, FrozenEstimator) for step in steps):
            raise ValueError(
                f"{name} is a FrozenEstimator, which cannot be refitted without a feature. Pass "
                "the estimator itself, or strategy='neutralize', which keeps the fitted model "
                "and replaces the feature in held-out rows."
            )


def plan_audit(
    auditor: Any, X: Any, y: np.ndarray, outcome: np.ndarray, pos_label: Any, metadata: Any,
    seed: np.random.SeedSequence,
) -> AuditPlan:
    """Read groups, features and folds from an auditor's parameters.

    Parameters
    ----------
    auditor : FeatureRemovalAuditor
    X : array or frame of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    outcome : ndarray of uint8
    pos_label : label
    metadata : array-like or None
        `sensitive_features` as passed to fit.
    seed : SeedSequence
        Of the folds.
    """
    n_columns = X.shape[1]
    chosen = auditor.sensitive_features
    named = named_columns(X, n_columns, chosen)
    groups = _groups_of(auditor, X, y, metadata)
    check_same_length(X=np.empty(X.shape[0]), y=y, sensitive_features=groups.codes)
    if len(groups.labels) < 2:
        raise DegenerateGroupError(
            f"sensitive_features holds one group only, {groups.labels[0]!r}: at least two groups "
            "are needed to compare."
        )
    if callable(chosen):
        def codes_of(answer: Any) -> np.ndarray:
            return encode_groups(answer, missing="group").codes

        # One by one, so that a column stays a feature where the group does not rest on it.
        holding = columns_read_by(X, n_columns, chosen, codes_of)
    elif chosen is None:
        holding = columns_equal_to(X, n_columns, groups.codes) if groups.keep.all() else ()
    else:
        holding = named
    taken_out = named if auditor.drop_sensitive else ()
    features = audited_features(
        auditor.features, X, n_columns, named=taken_out, group_columns=holding,
        leaves_nothing=auditor.strategy == "refit",
    )
    n_groups = len(groups.labels)
    group = np.where(groups.keep, groups.codes.astype(np.intp), -1)
    # By the classes' order, so that the folds do not depend on which of them is positive.
    _, class_code = np.unique(y, return_inverse=True)
    splits = held_out_splits(
        auditor.cv, X, y, cell=np.where(group < 0, n_groups, group) * 2 + class_code,
        group=group, labels=groups.labels, rng=np.random.default_rng(seed),
    )
    strata = None
    if auditor.neutralize_strata is not None:
        strata = encode_groups(
            read_groups(X, auditor.neutralize_strata), missing="group", name="neutralize_strata"
        ).codes.astype(np.intp)
    return AuditPlan(
        outcome=outcome, pos_label=pos_label, groups=groups, named=taken_out, features=features,
        splits=splits, strata=strata,
    )


def _groups_of(auditor: Any, X: Any, y: np.ndarray, metadata: Any) -> GroupCodes:
    chosen = auditor.sensitive_features
    check_one_source(chosen, metadata, type(auditor).__name__, "fit")
    if chosen is None:
        return encode_groups(metadata, missing=auditor.missing)
    try:
        return encode_groups(read_groups(X, chosen), missing=auditor.missing)
    except Exception:
        if callable(chosen):
            # What is wrong with X the estimator says best; a callable stumbles over it.
            clone(auditor.estimator).fit(X, y)
        raise


def column_label(X: Any) -> Any:
    """Position -> name of a column of X, "x3" where columns have none."""
    names = column_names(X)
    return lambda column: f"x{column}" if names is None else names[column]
