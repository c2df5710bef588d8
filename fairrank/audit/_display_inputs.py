"""What a display's `from_estimator` asks of a model and of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank._sensitive import read_groups


def positive_probability(estimator: Any, X: Any, pos_label: Any) -> tuple[np.ndarray, Any]:
    """Probability of the positive class, and that class.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        Before anything else.
    AttributeError
        The estimator gives no probabilities.
    ValueError
        It is not binary, or does not know `pos_label`.
    """
    check_is_fitted(estimator)
    name = type(estimator).__name__
    if not hasattr(estimator, "predict_proba"):
        raise AttributeError(
            f"{name} has no predict_proba, and decision values are not probabilities: calibrate "
            "it with CalibratedClassifierCV, or use from_predictions(None, None, burden=...) "
            "with an array of losses."
        )
    classes = list(estimator.classes_)
    if len(classes) != 2:
        raise ValueError(
            f"{name} has {len(classes)} classes, and burdens need two: use from_predictions(None, "
            "None, burden=...) with an array of losses."
        )
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among {name}'s classes {classes}.")
    return estimator.predict_proba(X)[:, classes.index(pos_label)], pos_label


def groups_of(X: Any, sensitive_features: Any) -> Any:
    """Groups of the rows of `X`: as given, or read from `X` by column or callable.

    A list is one of columns, unless it has one entry for every row.
    """
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    names_columns = isinstance(sensitive_features, (str, int, np.integer)) or (
        isinstance(sensitive_features, (list, tuple)) and len(sensitive_features) != n_rows
    )
    if names_columns or callable(sensitive_features):
        return read_groups(X, sensitive_features)
    return sensitive_features
