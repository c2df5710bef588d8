"""The target of an estimator that takes two classes, with the words scikit-learn expects."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target


def target_column(y: Any, check: Callable[[np.ndarray], Any] | None = None) -> np.ndarray:
    """Target as a one-dimensional array, where what scikit-learn says against it names y.

    Parameters
    ----------
    check : callable, optional
        More to say against the array.
    """
    try:
        # Huge floats are cast to integers on the way, to see whether they are labels.
        with np.errstate(over="ignore", invalid="ignore"):
            column = column_or_1d(y, warn=True)
            if column.size == 0:
                raise ValueError("it is empty: there is no row to learn from.")
            if check is not None:
                check(column)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"y: {error}") from error
    return column


def binary_target(
    y: Any, pos_label: Any, owner: str, needs: str
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Target as an array, as 0 and 1, and its positive label (the greater one by default).

    Parameters
    ----------
    owner, needs : str
        Who asks, and "burdens need" or the like, for messages.

    Raises
    ------
    ValueError
        Not two labels, or `pos_label` is none of them.
    """
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    y = target_column(y, _refuse_other_than_two_labels)
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes[0]!r}: {needs} both outcomes.")
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in classes:
        encoded = (
            " Labels become 0 and 1 in cross_val_predict(method='predict_proba'), in stacking and "
            "in voting, in the order of their values: encode y before, and pass the number."
            if classes == [0, 1]
            else ""
        )
        raise ValueError(
            f"pos_label={pos_label!r} is not among the classes of y, {classes}.{encoded}"
        )
    return y, (y == pos_label).astype(np.uint8), pos_label


def _refuse_other_than_two_labels(y: np.ndarray) -> None:
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )


def warn_of_taken_label(y: np.ndarray, pos_label: Any, taken: Any, *, called: str) -> None:
    """Warn where the greater label was taken for positive, and its value does not say so.

    Parameters
    ----------
    y : ndarray
        Two labels.
    pos_label : label or None
        As it was given.
    taken : label
        By default.
    called : str
        What the positive label is: "the good case".

    Warns
    -----
    UserWarning
        `pos_label` is None, and the labels are neither 0 and 1, nor -1 and 1, nor booleans.
    """
    classes = np.unique(y).tolist()
    if pos_label is None and classes not in ([0, 1], [-1, 1]):
        other = next(label for label in classes if label != taken)
        warnings.warn(
            f"pos_label is None, and the labels of y are {classes[0]!r} and {classes[1]!r}: the "
            f"greater, {taken!r}, is taken for {called}. If {called} is {other!r}, everything is "
            f"the wrong way round. Pass pos_label={taken!r} or pos_label={other!r}.",
            UserWarning, stacklevel=4,
        )
