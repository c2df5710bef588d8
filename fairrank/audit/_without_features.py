"""Take columns out of an estimator: every selector inside it must do without them.

`without_columns` walks a cloned estimator with the columns that reach each step. A
ColumnTransformer loses them from its names, positions, slices, masks and callables; positions
that follow them move up. Where the columns cannot be followed, it says how to write the pipeline.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from fairrank._columns import column_names
from fairrank.audit._position_parameters import adapt_position_parameters
from fairrank.audit._selected_columns import SeenColumns, selected_positions

# Imputers keep their columns unless they add indicators.
IMPUTERS = ("SimpleImputer", "KNNImputer", "IterativeImputer")
# Arguments whose estimator is given predictions, not X.
ON_PREDICTIONS = ("final_estimator", "meta_classifier", "meta_estimator")


def without_columns(estimator: Any, X: Any, removed: Any) -> Any:
    """Clone of `estimator` to be fitted on `X` without the columns `removed`.

    Parameters
    ----------
    estimator : estimator
        Left as it is.
    X : array or frame of shape (n_samples, n_columns)
        Training rows with all columns; only read by selectors that are callables.
    removed : sequence of int
        Positions.

    Raises
    ------
    ValueError
        A selector cannot be followed, or selects nothing any more.
    """
    estimator = clone(estimator)
    gone = np.zeros(X.shape[1], dtype=bool)
    gone[list(removed)] = True
    if gone.any():
        names = column_names(X)
        lost = frozenset() if names is None else frozenset(np.array(names, dtype=object)[gone])
        _reach(estimator, SeenColumns(gone, names, lost, lambda: X), type(estimator).__name__)
    return estimator


def _reach(estimator: Any, seen: SeenColumns, path: str) -> None:
    """Adapt `estimator`, a clone, in place."""
    if isinstance(estimator, ColumnTransformer):
        _reach_column_transformer(estimator, seen, path)
        return
    if isinstance(estimator, Pipeline):
        for name, step in estimator.steps:
            if _is_estimator(step):
                here = f"{path} > {name}"
                # What comes after is told from the step as it was.
                following = _after(step, seen, here)
                _reach(step, seen, here)
                seen = following
        return
    adapt_position_parameters(estimator, seen, path)
    for name, value in estimator.get_params(deep=False).items():
        inside = seen
        if name in ON_PREDICTIONS:
            inside = seen.unknown(f"{path}'s estimators")
        for label, part in _estimators_in(name, value):
            _reach(part, inside, f"{path} > {label}")


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "fit") and hasattr(value, "get_params") and not isinstance(value, type)


def _estimators_in(name: str, value: Any) -> list[tuple[str, Any]]:
    """Estimators held by a parameter: itself, or those of a list of (name, estimator)."""
    if _is_estimator(value):
        return [(name, value)]
    if isinstance(value, (list, tuple)):
        pairs = [part for part in value if isinstance(part, tuple) and len(part) == 2]
        return [(str(label), part) for label, part in pairs if _is_estimator(part)]
    return []


def _after(step: Any, seen: SeenColumns, path: str) -> SeenColumns:
    """Columns that a step hands on, where each is one that it was given."""
    if seen.removed is None:
        return seen.unknown(path)
    if isinstance(step, Pipeline):
        for name, part in step.steps:
            if _is_estimator(part):
                seen = _after(part, seen, f"{path} > {name}")
        return seen
    if isinstance(step, ColumnTransformer):
        return _after_column_transformer(step, seen, path)
    if isinstance(step, FunctionTransformer):
        keeps = step.func is None or step.feature_names_out == "one-to-one"
    elif type(step).__name__ in IMPUTERS:
        keeps = not step.add_indicator
    else:
        keeps = isinstance(step, OneToOneFeatureMixin)
    return seen if keeps else seen.unknown(path)


def _after_column_transformer(
    transformer: ColumnTransformer, seen: SeenColumns, path: str
) -> SeenColumns:
    assert seen.removed is not None
    parts = []
    selected = []
    for name, part, columns in transformer.transformers:
        positions, _ = selected_positions(columns, seen, f"{path} > {name}")
        selected.append(positions)
        parts.append((name, part, positions))
    left = np.setdiff1d(np.arange(seen.removed.size), np.concatenate([*selected, []]))
    parts.append(("remainder", transformer.remainder, left.astype(np.intp)))
    handed_on, names = [], []
    for name, part, positions in parts:
        if (isinstance(part, str) and part == "drop") or positions.size == 0:
            continue
        if _is_estimator(part):
            inside = _after(part, seen.restricted(positions), path)
            if inside.removed is None:
                return seen.unknown(path)
        handed_on.append(positions)
        prefix = f"{name}__" if transformer.verbose_feature_names_out is True else ""
        names += [prefix + seen.names[j] for j in positions] if seen.names is not None else []
    order = np.concatenate([*handed_on, []]).astype(np.intp)
    return SeenColumns(
        seen.removed[order], names or None, seen.removed_names, seen.data, path
    )


def _reach_column_transformer(
    transformer: ColumnTransformer, seen: SeenColumns, path: str
) -> None:
    kept, weights = [], dict(transformer.transformer_weights or {})
    taken = []
    for name, part, columns in transformer.transformers:
        here = f"{path} > {name}"
        if seen.removed is None:
            columns = _known_by_name(columns, seen, here)
            if not (isinstance(columns, list) and not columns):
                kept.append((name, part, columns))
                if _is_estimator(part):
                    _reach(part, seen.unknown(seen.after), here)
            continue
        positions, how = selected_positions(columns, seen, here)
        taken.append(positions)
        stay = positions[~seen.removed[positions]]
        if positions.size and not stay.size:
            weights.pop(name, None)  # emptied: as if it had never been there
            continue
        if _is_estimator(part):
            _reach(part, seen.restricted(positions), here)
        kept.append((name, part, _respelled(columns, stay, how, seen)))
    if seen.removed is not None:
        left = np.setdiff1d(np.arange(seen.removed.size), np.concatenate([*taken, []]))
        left = left.astype(np.intp)
        if _is_estimator(transformer.remainder):
            _reach(transformer.remainder, seen.restricted(left), f"{path} > remainder")
        remainder_gives = not _is_drop(transformer.remainder) and not seen.removed[left].all()
        if all(_is_drop(part) for _, part, _ in kept) and not remainder_gives:
            raise ValueError(
                f"{path} selects no column any more. Remove fewer columns at a time."
            )
    transformer.set_params(
        transformers=kept,
        transformer_weights=None if transformer.transformer_weights is None else weights,
    )


def _is_drop(part: Any) -> bool:
    return isinstance(part, str) and part == "drop"


def _respelled(columns: Any, stay: np.ndarray, how: str, seen: SeenColumns) -> Any:
    """The selector of the columns that stay, as names or as their new positions."""
    found: list
    if how == "name":
        assert seen.names is not None
        found = [seen.names[j] for j in stay]
    else:
        found = [int(seen.moved[j]) for j in stay]
    # A single column given as a scalar reaches the transformer as a vector.
    return found[0] if np.isscalar(columns) else found


def _known_by_name(columns: Any, seen: SeenColumns, path: str) -> Any:
    """A selector behind a step that makes columns of its own: names can be followed."""
    if callable(columns):
        return columns
    if isinstance(columns, str):
        return [] if columns.split("__")[-1] in seen.removed_names else columns
    listed = [] if isinstance(columns, slice) or np.isscalar(columns) else list(columns)
    if listed and all(isinstance(column, str) for column in listed):
        return [name for name in listed if name.split("__")[-1] not in seen.removed_names]
    raise ValueError(
        f"{path} selects columns by position behind {seen.after}, which makes columns of its own, "
        "so that nothing tells where those of a removed feature are. Select by name "
        '(set_output(transform="pandas") on the step before), with make_column_selector, or put '
        "the ColumnTransformer first."
    )
