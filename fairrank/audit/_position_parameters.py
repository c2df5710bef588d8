"""Parameters of estimators that tell columns by position or name, when columns are removed."""

from __future__ import annotations

from typing import Any

import numpy as np

CATEGORICAL = ("categorical_features", "cat_features")


def adapt_position_parameters(estimator: Any, seen: Any, path: str) -> None:
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
        _require_known(seen, f"{path}: monotonic_cst")
        changed["monotonic_cst"] = np.asarray(order)[~seen.removed]
    together = parameters.get("interaction_cst")
    if together is not None and not isinstance(together, str):
        kept = [_kept_list(list(part), seen, f"{path}: interaction_cst") for part in together]
        changed["interaction_cst"] = [part for part in kept if part] or None
    groups = parameters.get("sensitive_features")
    if isinstance(groups, (str, int, np.integer, list, tuple)):
        changed["sensitive_features"] = _kept_groups(groups, seen, path)
    if changed:
        estimator.set_params(**changed)


def _require_known(seen: Any, what: str) -> None:
    if seen.removed is None:
        raise ValueError(
            f"{what} tells columns by position behind {seen.after}, which makes columns of its "
            "own, so that nothing tells where those of a removed feature are. Tell them by name "
            '(set_output(transform="pandas") on the step before), or by dtype where the '
            "estimator can (categorical_features='from_dtype')."
        )


def _is_gone(name: str, seen: Any) -> bool:
    if seen.removed is not None and seen.names is not None and name in seen.names:
        return bool(seen.removed[seen.names.index(name)])
    return name.split("__")[-1] in seen.removed_names


def _kept_list(values: list, seen: Any, what: str) -> list:
    """Names, positions or a mask, without the removed columns."""
    if all(isinstance(value, str) for value in values):
        return [value for value in values if not _is_gone(value, seen)]
    _require_known(seen, what)
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return [value for value, gone in zip(values, seen.removed) if not gone]
    positions = [int(value) % seen.removed.size for value in values]
    return [int(seen.moved[j]) for j in positions if not seen.removed[j]]


def _kept_groups(groups: Any, seen: Any, path: str) -> Any:
    several = isinstance(groups, (list, tuple))
    listed = list(groups) if several else [groups]
    kept = [part for column in listed for part in _kept_list([column], seen, path)]
    if len(kept) < len(listed):
        raise ValueError(
            f"{path} reads its groups from the column {groups!r}, which was taken out of X. Pass "
            "drop_sensitive=False to leave the group's column to the estimator."
        )
    return kept if several else kept[0]
