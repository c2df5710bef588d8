"""P(good case) of rows from a fitted model."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import check_probability
from fairrank.inference._asked_scores import asked_scores

# Naive Bayes gives probabilities of 1e-200, and revenue / utility overflows there.
NEXT_TO_NOTHING = 1e-100


def asked_probability(model: Any, X: Any, pos_label: Any) -> np.ndarray:
    """Probability of `pos_label` for each row of `X`; 0 where it is next to nothing.

    Raises
    ------
    AttributeError
        The model has no ``predict_proba``.
    ValueError
        It was not fitted on both labels, or gives what is no probability.
    """
    if not hasattr(model, "predict_proba"):
        raise AttributeError(
            f"{type(model).__name__} has no predict_proba, and expected revenue needs "
            "probabilities. Take a classifier that has it, or wrap it in CalibratedClassifierCV."
        )
    good = check_probability(
        asked_scores(model, X, "predict_proba", pos_label), "estimator.predict_proba(X)"
    )
    return np.where(good < NEXT_TO_NOTHING, 0.0, good)
