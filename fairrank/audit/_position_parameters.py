"""Parameters of estimators that tell columns by position or name, when columns are removed."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank.audit._selected_columns import SeenColumns, checked_positions, require_length

CATEGORICAL = ("categorical_features", "cat_features")


def adapt_position_parameters(estimator: Any, seen: SeenColumns, path: str) -> None:
    """Move `categorical_features`, `monotonic_cst` and their kin to the columns that stay.

    Parameters
    ----------
    estimator : estimator
        A clone; changed in place.
    seen : SeenColumns
        The columns that reach it.
    path : str
        Where it is, for messages.

    Raises
    ------
    ValueError
        The columns cannot be followed to it, or it reads its groups from a removed one.
    """
    parameters = estimator.get_params(deep=False)
    changed: dict[str, Any] = {}
    for name in CATEGORICAL:
        value = parameters.get(name)
        if value is not None and not isinstance(value, str):
            changed[name] = _kept_list(list(value), seen, f"{path}: {name}")
    order = parameters.get("monotonic_cst")
    if isinstance(order, dict):
        changed["monotonic_cst"] = {
            name: sign for name, sign in order.items() if not _is_gone(name, seen)
        }
    elif order is not None:
        removed = _known_removed(seen, f"{path}: monotonic_cst")
        require_length(len(order), removed.size, f"{path}: monotonic_cst")
        changed["monotonic_cst"] = np.asarray(order)[~removed]
    together = parameters.get("interaction_cst")
    if together is not None and not isinstance(together, str):
        kept = [_kept_list(list(part), seen, f"{path}: interaction_cst") for part in together]
        changed["interaction_cst"] = [part for part in kept if part] or None
    groups = parameters.get("sensitive_features")
    if isinstance(groups, (str, int, np.integer, list, tuple)):
        changed["sensitive_features"] = _kept_groups(groups, seen, path)
    if changed:
        estimator.set_params(**changed)


def _known_removed(seen: SeenColumns, what: str) -> np.ndarray:
    """Mask of the removed columns, where they can be told."""
    if seen.removed is None:
        raise ValueError(
            f"{what} tells columns by position behind {seen.after}, which makes columns of its "
            "own, so that nothing tells where those of a removed feature are. Tell them by name "
            '(set_output(transform="pandas") on the step before), or by dtype where the '
            "estimator can (categorical_features='from_dtype')."
        )
    return seen.removed


def _is_gone(name: str, seen: SeenColumns) -> bool:
    if seen.removed is not None and seen.names is not None and name in seen.names:
        return bool(seen.removed[seen.names.index(name)])
    return name.split("__")[-1] in seen.removed_names


def _kept_list(values: list, seen: SeenColumns, what: str) -> list:
    """Names, positions or a mask, without the removed columns."""
    if all(isinstance(value, str) for value in values):
        return [value for value in values if not _is_gone(value, seen)]
    removed = _known_removed(seen, what)
    kept = [j for j in checked_positions(values, removed.size, what) if not removed[j]]
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        return [j in kept for j in np.flatnonzero(~removed)]
    return [int(seen.moved[j]) for j in kept]


def _kept_groups(groups: Any, seen: SeenColumns, path: str) -> Any:
    several = isinstance(groups, (list, tuple))
    listed = list(groups) if several else [groups]
    kept = [part for column in listed for part in _kept_list([column], seen, path)]
    if len(kept) < len(listed):
        raise ValueError(
            f"{path} reads its groups from the column {groups!r}, which was taken out of X. Pass "
            "drop_sensitive=False to leave the group's column to the estimator."
        )
    return kept if several else kept[0]
