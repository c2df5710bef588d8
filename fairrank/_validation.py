"""The one door: labels, scores, burdens and weights become typed, finite arrays here.

Below it nothing is checked again. Groups are coded by `fairrank._sensitive`. An array that comes
out may be the caller's own memory (a read-only memmap too), so nothing below writes into it.
"""

from __future__ import annotations

from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from fairrank.exceptions import DegenerateGroupError

BURDENS = ("absolute", "squared")
# |p| may leave [0, 1] by rounding alone; a float32 softmax reaches 1 + 1.2e-7.
PROBABILITY_SLACK = 1e-6
# Totals of whole weights stay exact, in int64 and in float64.
MAX_TOTAL = 2.0**53
# Products of four weights stay within the range of floats, 1e-308 to 1e308.
MAX_RATIO = 1e75
FAR_FROM_ONE = 250  # binary digits
# Squares of amounts, weighted and summed, stay finite; of payoffs no squares are taken.
LARGEST_AMOUNT, LARGEST_PAYOFF = 1e100, 1e250
NUMBERS = (int, float, np.number, np.bool_)


def is_missing(value: Any) -> bool:
    """Tell whether `value` is None, NaN (a Decimal's too), NaT or pandas.NA, without pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot even be compared
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def as_array(values: Any, name: str) -> np.ndarray:
    """Array of `values` that tells apart what they tell apart.

    np.asarray alone turns ``["a", nan]`` into ``["a", "nan"]``, ``[1, "1"]`` into strings, pairs
    into rows, nullable integers with a null into floats, and forgets the mask of a masked array.
    """
    if values is None:
        raise ValueError(f"{name} is None: pass one value for every row.")
    if hasattr(values, "__next__"):
        raise TypeError(
            f"{name} is a {type(values).__name__}, which can be read only once: "
            "pass a list or an array."
        )
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise TypeError(
            f"{name} must hold one value a row, got {values!r} of type {type(values).__name__}."
        )
    if isinstance(values, (dict, set, frozenset)):
        raise TypeError(
            f"{name} is a {type(values).__name__}, whose values are not rows in an order: "
            "pass a list or an array."
        )
    if hasattr(values, "toarray"):  # scipy sparse
        values = values.toarray()
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # None where masked
    if not hasattr(values, "__array__"):
        return _array_of_list(list(values), name)
    if hasattr(values, "combine_chunks"):
        # pyarrow 26: a chunked dictionary loses its nulls to another value in __array__.
        values = values.combine_chunks()
    array = np.asarray(values)
    kept_type = str(getattr(values, "dtype", getattr(values, "type", "float"))).lower()
    if array.dtype.kind == "f" and "float" not in kept_type and "double" not in kept_type:
        # Integers with a null came out as floats.
        to_list = values.tolist if hasattr(values, "tolist") else values.to_list
        array = _array_of_list(to_list(), name)
    return array


def _array_of_list(values: list, name: str) -> np.ndarray:
    kinds = set(map(type, values))
    if kinds == {list}:
        cells = {type(cell) for row in values for cell in row}
        try:
            return np.array(values, dtype=None if len(cells) <= 1 else object)
        except ValueError:
            lengths = sorted({len(row) for row in values})
            raise ValueError(
                f"{name}: its rows differ in length, {lengths[:5]}: pass the same columns in "
                "every row."
            ) from None
    if len(kinds) <= 1 and all(issubclass(kind, NUMBERS) for kind in kinds):
        return np.asarray(values)
    return np.fromiter(values, dtype=object, count=len(values))


def as_vector(values: Any, name: str) -> np.ndarray:
    """One-dimensional array of `values`, whatever holds them; a column vector is flattened."""
    array = as_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        hint = (
            " predict_proba gives one column a class: pass the column of the positive class, "
            "y_score[:, 1]."
            if array.ndim == 2 and array.shape[1] == 2
            else ""
        )
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.{hint}")
    return array


def python_cells(cells: list) -> list:
    """Cells with Python's numbers in place of numpy's; dates stay, whose .item() may be an int.

    A Decimal cannot be compared with an integer of numpy.
    """
    kinds = {kind for kind in set(map(type, cells)) if issubclass(kind, np.generic)}
    kinds -= {np.datetime64, np.timedelta64}
    return [cell.item() if type(cell) in kinds else cell for cell in cells] if kinds else cells


def refuse_unhashable(cells: list, name: str) -> None:
    """Raise a TypeError that names the first cell which cannot be hashed, if one cannot."""
    for row, cell in enumerate(cells):
        try:
            hash(cell)
        except TypeError:
            raise TypeError(
                f"{name}: row {row} holds {cell!r} of type {type(cell).__name__}, which cannot be "
                "hashed: use strings, numbers or tuples."
            ) from None


def as_finite_float(values: Any, name: str) -> np.ndarray:
    """Contiguous float64 vector without NaN or infinity."""
    array = as_vector(values, name)
    if array.dtype.kind not in "biuf":
        cells = [np.nan if is_missing(value) else value for value in array.tolist()]
        for row, value in enumerate(cells):
            # float("0.5") is legal, but a column of text is a mistake; so are complex numbers.
            if (
                array.dtype.kind != "O"
                or not isinstance(value, (Number, np.bool_))
                or isinstance(value, (complex, np.complexfloating))
            ):
                raise ValueError(
                    f"{name} must be numbers, got dtype {array.dtype} (row {row} holds {value!r} "
                    f"of type {type(value).__name__})."
                )
        try:
            with np.errstate(over="ignore"):
                array = np.array(cells, dtype=np.float64)
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(
                f"{name} holds a number that is none in 64 bits ({error}): measure it in a larger "
                "unit, or pass floats."
            ) from None
    with np.errstate(over="ignore"):  # a long double may become infinite, and is refused below
        array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        n_nan = int(np.count_nonzero(np.isnan(array)))
        n_inf = int(np.count_nonzero(np.isinf(array)))
        raise ValueError(
            f"{name} has {n_nan} NaN and {n_inf} infinite values among {array.size}: "
            "take those rows out, or mend the model that made them."
        )
    return array


def as_amounts(values: Any, name: str, largest: float = LARGEST_AMOUNT) -> np.ndarray:
    """Contiguous float64 vector of numbers whose squares, or sums by another bound, are finite."""
    array = as_finite_float(values, name)
    seen = max(-array.min(initial=0.0), array.max(initial=0.0))
    if seen > largest:
        raise ValueError(
            f"{name} reaches {seen:.3g}, and beyond {largest:.0e} what is computed from it "
            "overflows: measure it in a larger unit."
        )
    return array


def check_same_length(**arrays: Any) -> int:
    """Length shared by all arrays that are not None; an empty one is refused."""
    lengths = {name: len(array) for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        seen = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"Arguments differ in length: {seen} rows. Pass the same rows in all.")
    n_samples = next(iter(lengths.values()))
    if n_samples == 0:
        raise DegenerateGroupError(
            f"{' and '.join(lengths)} {'is' if len(lengths) == 1 else 'are'} empty: "
            "there is no row to audit."
        )
    return n_samples


def check_binary_labels(y_true: Any, pos_label: Any = None, name: str = "y_true") -> np.ndarray:
    """Outcome as uint8, 1 where it equals `pos_label`.

    Without `pos_label` the labels must be {0, 1}, {-1, 1} or booleans, and 1 is positive.
    Any other two values need it, because guessing it reverses every result silently.
    """
    labels = as_vector(y_true, name)
    if labels.size == 0:
        raise DegenerateGroupError(f"{name} is empty: there is no row to audit.")
    if pos_label is not None and (np.ndim(pos_label) != 0 or is_missing(pos_label)):
        raise TypeError(f"pos_label must be one label of {name}, got {pos_label!r}.")
    distinct = _distinct_labels(labels, name)
    if pos_label is None:
        if set(distinct) <= {0, 1} or set(distinct) <= {-1, 1}:
            return np.asarray(labels == 1).astype(np.uint8)
        raise ValueError(
            f"{name} holds the labels {', '.join(map(repr, distinct))}: pass pos_label to say "
            "which of them the score is the probability of."
        )
    if pos_label not in distinct:
        # A sample of one class may lack the positive one, but not of another type.
        same_type = all(isinstance(v, str) == isinstance(pos_label, str) for v in distinct)
        if len(distinct) > 1 or not same_type:
            kind = type(pos_label).__name__
            hint = "" if same_type else f" This pos_label is of type {kind}: pass the same type."
            raise ValueError(
                f"pos_label={pos_label!r} is not among the labels of {name}, which are "
                f"{', '.join(map(repr, distinct))}.{hint}"
            )
    if labels.dtype.kind == "O":
        pos_label = np.array(pos_label, dtype=object)  # or numpy strips the end of "a\0"
    return np.asarray(labels == pos_label).astype(np.uint8)


def _distinct_labels(labels: np.ndarray, name: str) -> list:
    if labels.dtype.kind == "b":
        return [False, True]
    if labels.dtype.kind in "iuf":
        whole = labels.dtype.kind != "f"
        n_unusable = 0 if whole else int(np.count_nonzero(~np.isfinite(labels)))
        # Two values suffice to know: no sort of a million labels.
        low, high = labels.min(), labels.max()
        distinct = [low.item()] if low == high else [low.item(), high.item()]
        if not whole or int(high) - int(low) > 1:
            others = labels[(labels != low) & (labels != high)]
            distinct += np.unique(others)[:8].tolist()
    else:
        cells = python_cells(labels.tolist())
        try:
            distinct = list(dict.fromkeys(cells))
        except TypeError:
            refuse_unhashable(cells, name)
            raise
        distinct.sort(key=lambda value: (type(value).__name__, str(value)))
        n_unusable = sum(map(is_missing, cells)) if any(map(is_missing, distinct)) else 0
    if n_unusable:
        raise ValueError(
            f"{name} has {n_unusable} missing or infinite values among {labels.size} (None or "
            "NaN): take those rows out."
        )
    if len(distinct) > 2:
        raise ValueError(
            f"{name} must hold two labels, got {len(distinct)}"
            f"{' or more' if len(distinct) > 9 else ''}: "
            f"{', '.join(map(repr, distinct[:5]))}{' …' if len(distinct) > 5 else ''}. For a "
            "regression or a multiclass model pass burden= an array of losses and y_true=None; "
            "if these are scores, y_true and y_score are swapped."
        )
    return distinct


def check_probability(y_score: Any, name: str = "y_score", *, copy: bool = True) -> np.ndarray:
    """Scores as float64 in [0, 1], by default in new memory; logits are refused and named so."""
    score = as_finite_float(y_score, name)
    low, high = score.min(initial=0.0), score.max(initial=1.0)
    if low < -PROBABILITY_SLACK or high > 1 + PROBABILITY_SLACK:
        # Only scores can be replaced by the losses they lead to.
        other = ", or pass burden= an array of losses" if name == "y_score" else ""
        raise ValueError(
            f"{name} must be probabilities in [0, 1], got values from {score.min():.6g} to "
            f"{score.max():.6g}. These look like logits or decision values: pass predict_proba's "
            f"column, apply scipy.special.expit to logits{other}."
        )
    return np.clip(score, 0.0, 1.0) if copy or low < 0.0 or high > 1.0 else score


def check_burden(
    y_true: Any, y_score: Any, *, burden: Any, pos_label: Any
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Burden of every row, with the outcome and score it came from (None for an array burden).

    Parameters
    ----------
    burden : {"absolute", "squared"}, callable or array-like
        ``|y - p|``, ``(y - p)**2``, ``burden(y, p) -> array`` with y in {0, 1}, or the
        burdens themselves, when `y_true` and `y_score` must be None.
    """
    if isinstance(burden, str) or callable(burden):
        if isinstance(burden, str) and burden not in BURDENS:
            raise ValueError(
                f"burden must be one of {BURDENS}, a callable or an array, got {burden!r}."
            )
        if y_true is None or y_score is None:
            missing = "y_true" if y_true is None else "y_score"
            raise ValueError(
                f"{missing} is None, but burden={burden!r} is computed from both y_true and "
                "y_score: pass them, or pass burden= an array of losses."
            )
        y_vector, score_vector = as_vector(y_true, "y_true"), as_vector(y_score, "y_score")
        check_same_length(y_true=y_vector, y_score=score_vector)
        outcome = check_binary_labels(y_vector, pos_label)
        if callable(burden):
            score = as_finite_float(score_vector, "y_score")
            # A copy, because `score` may be the caller's memory and the callable may write.
            answer = burden(outcome.astype(np.float64), score.copy())
            loss = as_amounts(answer, "burden(y, p)")
            check_same_length(y_true=outcome, **{"burden(y, p)": loss})
        else:
            score = check_probability(score_vector, copy=False)
            loss = outcome - score
            np.abs(loss, out=loss)
            if burden == "squared":
                loss *= loss
    else:
        if burden is None:
            raise ValueError(f"burden must be one of {BURDENS}, a callable or an array, not None.")
        if y_true is not None or y_score is not None:
            raise ValueError(
                "burden is an array, so y_true and y_score must be None: the burden would not "
                "be computed from them."
            )
        loss, outcome, score = as_amounts(burden, "burden"), None, None
        check_same_length(burden=loss)
    if loss.min() < 0:
        raise ValueError(
            f"burden has {np.count_nonzero(loss < 0)} negative values (smallest "
            f"{loss.min():.6g}): a burden is a loss and must be at least 0."
        )
    return loss, outcome, score


def check_sample_weight(sample_weight: Any) -> np.ndarray | None:
    """Weights as int64 (repetition) or float64 (mass), by their dtype alone."""
    if sample_weight is None:
        return None
    vector = as_vector(sample_weight, "sample_weight")
    weight = as_finite_float(vector, "sample_weight")
    if weight.size and weight.min() < 0:
        raise ValueError(
            f"sample_weight has {np.count_nonzero(weight < 0)} negative values: a weight must be "
            "at least 0."
        )
    if weight.size and not weight.any():
        raise DegenerateGroupError("sample_weight is 0 in every row: no row is left.")
    if vector.dtype.kind in "biu":
        if weight.sum() > MAX_TOTAL:
            raise ValueError(
                f"sample_weight has weights up to {weight.max():.6g}, and whole weights are "
                f"repetitions whose total must stay below {MAX_TOTAL:.6g}: pass floats."
            )
        return vector.astype(np.int64)
    return _multipliable(weight)


def _multipliable(weight: np.ndarray) -> np.ndarray:
    """Masses whose products neither vanish nor overflow. Only their ratios count."""
    if not weight.size:
        return weight
    exponent = int(np.frexp(weight.max())[1])
    if abs(exponent) > FAR_FROM_ONE:
        weight = np.ldexp(weight, -exponent)  # exact
    least = weight.min(where=weight > 0, initial=np.inf)
    if least * MAX_RATIO < weight.max():
        raise ValueError(
            f"sample_weight has positive weights from {least:.3g} to {weight.max():.3g}, and when "
            f"they differ by a factor above {MAX_RATIO:.0e} their products vanish in 64 bits: set "
            "those to 0 that count for nothing."
        )
    return weight


def check_choice(value: Any, choices: tuple, name: str) -> Any:
    """`value` when it is one of `choices`; otherwise an error that lists them."""
    if not any(value is c or (isinstance(value, str) and value == c) for c in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
    return value


def check_count(value: Any, name: str, minimum: int = 1) -> int:
    """Return `value` as an int when it is a whole number of at least `minimum`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number, got {value!r}.")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}.")
    return int(value)


def check_fraction(
    value: Any, name: str, *, low_open: bool = True, high_open: bool = False
) -> float:
    """Return `value` as a float when it lies in the unit interval, ends open or closed as said."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    low_ok = value > 0 if low_open else value >= 0
    high_ok = value < 1 if high_open else value <= 1
    if not (low_ok and high_ok):
        interval = f"{'(' if low_open else '['}0, 1{')' if high_open else ']'}"
        raise ValueError(f"{name} must lie in {interval}, got {value!r}.")
    return float(value)


def check_at_least_zero(value: Any, name: str) -> float:
    """Return `value` as a float when it is a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not 0 <= value < np.inf:
        raise ValueError(f"{name} must be at least 0 and finite, got {value!r}.")
    return float(value)
