"""What a post-processor checks at fit and at predict: target, groups, columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing, assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from fairrank._sensitive import read_groups


def binary_target(y: Any, pos_label: Any, owner: str) -> tuple[np.ndarray, np.ndarray, Any]:
    """Target as an array, as 0 and 1, and its positive label (the greater one by default).

    Raises
    ------
    ValueError
        Not two labels, or `pos_label` is none of them.
    """
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise ValueError(f"y holds one class only, {classes[0]!r}: a ranking needs both outcomes.")
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes of y, {classes}.")
    return y, (y == pos_label).astype(np.uint8), pos_label


def groups_of_rows(X: Any, chosen: Any, metadata: Any, owner: str, method: str) -> Any:
    """Groups read from X as the constructor says, or those that were passed.

    Parameters
    ----------
    X : array or frame
    chosen : str, int, list of these, callable or None
        Of the constructor.
    metadata : array-like or None
        Passed to `method`.

    Raises
    ------
    ValueError
        Neither, or both.
    """
    if chosen is None and metadata is None:
        raise ValueError(
            f"{owner} was given no sensitive_features. Name the group's column of X in the "
            'constructor, sensitive_features="race", which works everywhere in scikit-learn; or '
            f"pass the groups of the rows to {method}(..., sensitive_features=g), which "
            "scikit-learn's own scorers and cross-validation never do at predict."
        )
    if chosen is not None and metadata is not None:
        raise ValueError(
            f"sensitive_features={chosen!r} reads the groups from X, so sensitive_features= must "
            f"not be passed to {method} as well: leave out one of the two."
        )
    return metadata if chosen is None else read_groups(X, chosen)


def named_positions(X: Any, chosen: Any) -> np.ndarray:
    """Positions of the columns that `chosen` names; `read_groups` has found them before."""
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))  # pyarrow; pandas, polars
    listed = chosen if isinstance(chosen, (list, tuple)) else [chosen]
    return np.unique(
        [
            names.index(column) if isinstance(column, str) else int(column) % X.shape[1]
            for column in listed
        ]
    )


def without_positions(X: Any, positions: np.ndarray) -> Any:
    """`X` without some columns, in the same container."""
    kept = np.setdiff1d(np.arange(X.shape[1]), positions)
    return _safe_indexing(X, kept, axis=1)


def indexable_rows(X: Any) -> Any:
    """`X` in a form whose rows can be taken: lists become arrays, odd sparse formats CSR."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)
