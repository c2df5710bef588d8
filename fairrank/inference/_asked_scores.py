"""One real number a row from a fitted model, growing with the chance of the positive label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from fairrank._validation import as_finite_float

RESPONSE_METHODS = ("auto", "predict_proba", "decision_function", "predict")


def asked_scores(model: Any, X: Any, response_method: str, pos_label: Any) -> np.ndarray:
    """Scores of the rows of `X`, each finite.

    Parameters
    ----------
    model : fitted estimator
    X : array or frame
    response_method : {"auto", "predict_proba", "decision_function", "predict"}
        "auto" is the first of the first two that the model has.
    pos_label : label
        Of the classes of a classifier; anything else is taken to grow with it.

    Raises
    ------
    AttributeError
        The model has no such method.
    ValueError
        A classifier was not fitted on both labels, or labels would be taken for scores.
    """
    method = _method_of(model, response_method)
    if method == "predict":
        if is_classifier(model):
            raise ValueError(
                f"response_method='predict': {type(model).__name__} predicts labels, which give "
                "two places in a ranking. Pass 'predict_proba' or 'decision_function'; 'predict' "
                "is for regressors and rankers."
            )
        return as_finite_float(model.predict(X), "estimator.predict(X)")
    answer = np.asarray(getattr(model, method)(X))
    classes = getattr(model, "classes_", None)
    if classes is None:
        column = answer[:, 1] if method == "predict_proba" else answer
        return as_finite_float(column, f"estimator.{method}(X)")
    listed = np.asarray(classes).tolist()
    if len(listed) != 2 or pos_label not in listed:
        raise ValueError(
            f"{type(model).__name__} was fitted on the classes {listed}, and needs two, "
            f"{pos_label!r} among them. In cross-validation stratify the folds; a frozen "
            "estimator must know the labels of y."
        )
    side = listed.index(pos_label)
    if method == "predict_proba":
        return as_finite_float(answer[:, side], "estimator.predict_proba(X)")
    value = as_finite_float(answer, "estimator.decision_function(X)")
    return value if side == 1 else -value


def _method_of(model: Any, response_method: str) -> str:
    wanted = RESPONSE_METHODS[1:3] if response_method == "auto" else (response_method,)
    for method in wanted:
        if hasattr(model, method):
            return method
    hint = (
        "Pass response_method='predict' for a regressor or a ranker."
        if response_method == "auto"
        else "Pass response_method='auto', or an estimator that has it."
    )
    raise AttributeError(f"{type(model).__name__} has no {' and no '.join(wanted)}. {hint}")
