"""What a display's `from_estimator` asks of a model and of X."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


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
