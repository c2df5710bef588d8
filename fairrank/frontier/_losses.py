"""What either decision costs in every row: named losses, callables and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from fairrank._binary_target import binary_target, target_column
from fairrank._validation import as_finite_float, check_same_length

NAMED = ("zero_one", "squared")
ERRORS = ("false_positive", "false_negative")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecisionLosses:
    """Realised losses of the rows, and what is known of the outcome behind them.

    Attributes
    ----------
    loss_0, loss_1 : ndarray, shape (n,)
        Of decision 0 and of decision 1; 0 where the outcome was not seen.
    y : ndarray, shape (n,)
        As it was given; where it was not seen, some value that was.
    outcome : ndarray of uint8, shape (n,)
        1 where y is `pos_label`; of an outcome without two labels, where decision 1 loses less.
    classes : ndarray, shape (2,)
        The two labels; 0 and 1, the decisions, of an outcome that has not two.
    pos_label : label
        Of `classes`, what decision 1 is called.
    by_outcome : ndarray, shape (2, 2), or None
        Loss of decision d at outcome o at [d, o], where it depends on nothing else.
    """

    loss_0: np.ndarray
    loss_1: np.ndarray
    y: np.ndarray
    outcome: np.ndarray
    classes: np.ndarray
    pos_label: Any
    by_outcome: np.ndarray | None


def check_loss(loss: Any) -> None:
    """Refuse what is no loss.

    Raises
    ------
    ValueError, TypeError
        The message says what is one.
    """
    if callable(loss) or (isinstance(loss, str) and loss in NAMED):
        return
    if isinstance(loss, Mapping):
        if set(loss) != set(ERRORS):
            raise ValueError(
                f"loss={dict(loss)!r} must say what either error costs: "
                '{"false_positive": 1.0, "false_negative": 2.0}.'
            )
        for name in ERRORS:
            cost = loss[name]
            number = isinstance(cost, (int, float, np.number)) and not isinstance(cost, bool)
            if not number or not 0 < cost < np.inf:
                raise ValueError(
                    f"loss: {name} costs {cost!r}, and must be above 0 and finite."
                )
        return
    if isinstance(loss, (str, type(None))):
        raise ValueError(
            f"loss={loss!r} must be 'zero_one', 'squared', a dict of the costs of a "
            "'false_positive' and a 'false_negative', or a callable loss(d, y). Losses of the "
            "rows go to fit(..., loss_0=, loss_1=)."
        )
    raise TypeError(
        f"loss is a {type(loss).__name__}: pass losses of the rows to fit(..., loss_0=, loss_1=), "
        "and a name, a dict or a callable here."
    )


def decision_losses(
    loss: Any,
    y: Any,
    *,
    pos_label: Any = None,
    selected: np.ndarray | None = None,
    loss_0: Any = None,
    loss_1: Any = None,
    owner: str = "FrontierEstimator",
) -> DecisionLosses:
    """Losses of both decisions in every row.

    Parameters
    ----------
    loss : {"zero_one", "squared"}, dict or callable
        As `FrontierEstimator` takes it, and checked by `check_loss`.
    y : array-like of shape (n,)
    pos_label : label, optional
    selected : ndarray of bool, shape (n,), optional
        Rows whose outcome was seen. Elsewhere `y` and the losses are not looked at.
    loss_0, loss_1 : array-like of shape (n,), optional
        Both or none; in place of `loss`.
    owner : str
        Who asks, for messages.

    Raises
    ------
    ValueError, TypeError
        Not two labels where the loss needs them, or losses that are not finite numbers.
    """
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    y = target_column(y)
    if selected is not None:
        check_same_length(y=y, selected=selected)
    seen = y if selected is None else y[selected]
    if (loss_0 is None) != (loss_1 is None):
        raise ValueError("loss_0 and loss_1 go together: pass both, or none.")
    given = loss_0 is not None
    two_labels = isinstance(loss, Mapping) or (isinstance(loss, str) and loss == "zero_one")
    if (two_labels and not given) or _has_two_labels(seen):
        seen, outcome, pos_label = binary_target(seen, pos_label, owner, "a frontier needs")
        classes = np.unique(seen)
    else:
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r}, but y has not two labels: decisions are called 0 and 1."
            )
        outcome, classes, pos_label = None, np.array([0, 1]), 1
    of_rows: list[np.ndarray]
    if given:
        of_rows = [
            _of_rows(values, y.shape[0], selected, name)
            for values, name in ((loss_0, "loss_0"), (loss_1, "loss_1"))
        ]
    elif outcome is not None and two_labels:
        costs = loss if isinstance(loss, Mapping) else dict.fromkeys(ERRORS, 1.0)
        of_rows = [
            float(costs["false_negative"]) * outcome,
            float(costs["false_positive"]) * (1.0 - outcome),
        ]
    elif isinstance(loss, str):
        value = as_finite_float(seen, "y, of which loss='squared' is computed,")
        of_rows = [value**2, (1.0 - value) ** 2]
    else:
        of_rows = [_called(loss, d, seen) for d in (0, 1)]
    by_outcome = None if outcome is None else _by_outcome(of_rows, outcome)
    if outcome is None:
        outcome = (of_rows[1] < of_rows[0]).astype(np.uint8)
    rows = [seen, outcome, *of_rows]
    if selected is not None:
        rows = [_spread(part, selected) for part in rows]
    return DecisionLosses(
        y=rows[0], outcome=rows[1], loss_0=rows[2], loss_1=rows[3], classes=classes,
        pos_label=pos_label, by_outcome=by_outcome,
    )


def _has_two_labels(y: np.ndarray) -> bool:
    """Whether y is labels, of which there are two; 0.5 and 1.5 are scores."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        return False
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # of huge floats
            return np.unique(y).size == 2 and type_of_target(y) == "binary"
    except TypeError:  # 1 < "a"
        return False


def _of_rows(values: Any, n: int, selected: np.ndarray | None, name: str) -> np.ndarray:
    if selected is None:
        array = as_finite_float(values, name)
        check_same_length(y=np.empty(n), **{name: array})
        return array
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, but there are {n} rows.")
    return as_finite_float(array[selected], name)


def _called(loss: Any, decision: int, y: np.ndarray) -> np.ndarray:
    """Losses by a callable, which gets copies."""
    name = f"loss({decision}, y)"
    answer = loss(np.full(y.shape[0], decision), y.copy())
    if np.ndim(answer) == 0:
        raise ValueError(
            f"{name} gave {answer!r} for {y.shape[0]} rows: return an array, one loss a row."
        )
    values = as_finite_float(answer, name)
    check_same_length(y=y, **{name: values})
    return values


def _by_outcome(of_rows: list[np.ndarray], outcome: np.ndarray) -> np.ndarray | None:
    """Losses at [d, o] where they are the same in all rows of an outcome; None otherwise."""
    table = np.empty((2, 2))
    for d, values in enumerate(of_rows):
        for o in (0, 1):
            mine = values[outcome == o]
            if mine.min() != mine.max():
                return None
            table[d, o] = mine[0]
    return table


def _spread(values: np.ndarray, selected: np.ndarray) -> np.ndarray:
    """Values of the selected rows among all rows; the least of them, or 0, elsewhere."""
    filled = np.zeros(selected.size, dtype=values.dtype)
    if values.dtype.kind not in "fiub":
        filled[:] = values[0]
    filled[selected] = values
    return filled


def check_labels(y: np.ndarray, classes: np.ndarray) -> None:
    """Refuse outcomes that are none of the labels of the fit: they would all count as negative.

    Raises
    ------
    ValueError
        It names the first.
    """
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(
            f"y holds {y[unknown].tolist()[0]!r}, and the labels are {classes.tolist()}."
        )


def losses_of_predictions(loss: Any, y: Any, decided: np.ndarray, *, pos_label: Any) -> np.ndarray:
    """Loss of every row under decisions 0 and 1, for new rows.

    Parameters
    ----------
    loss : {"zero_one", "squared"}, dict or callable
    y : array-like of shape (n,)
        One class alone is enough here.
    decided : ndarray of bool, shape (n,)
    pos_label : label
    """
    y = target_column(y)
    check_same_length(X=decided, y=y)
    if isinstance(loss, str) and loss == "squared":
        return (decided - as_finite_float(y, "y")) ** 2
    if callable(loss):
        return np.where(decided, _called(loss, 1, y), _called(loss, 0, y))
    costs = loss if isinstance(loss, Mapping) else dict.fromkeys(ERRORS, 1.0)
    positive = y == pos_label
    return np.where(
        decided, costs["false_positive"] * ~positive, costs["false_negative"] * positive
    )
