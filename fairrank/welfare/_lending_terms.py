"""What a decision is worth, read from where the user keeps it: numbers, columns, callables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np

from fairrank._columns import column_names, column_values, find_column
from fairrank._validation import as_array, as_finite_float, check_choice
from fairrank.welfare._expected_revenue import positive_amounts
from fairrank.welfare._utilities import (
    SCALES,
    UTILITIES,
    NamedUtility,
    named_utility,
    utility_of_outcomes,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LendingTerms:
    """Terms of every row.

    Attributes
    ----------
    gain, loss : ndarray, shape (n,)
        Above 0.
    amount : ndarray, shape (n,), or None
        Above 0.
    utility : str or ndarray, shape (n,) or (n, 2)
        A name of `UTILITIES`; or the expected utility, or that at y = 0 and y = 1.
    scale : {"attainable", "amount"}
    """

    gain: np.ndarray
    loss: np.ndarray
    amount: np.ndarray | None
    utility: Any
    scale: str

    def take(self, chosen: np.ndarray) -> LendingTerms:
        """Terms of some rows."""
        return LendingTerms(
            gain=self.gain[chosen],
            loss=self.loss[chosen],
            amount=None if self.amount is None else self.amount[chosen],
            utility=self.utility if isinstance(self.utility, str) else self.utility[chosen],
            scale=self.scale,
        )

    def revenue(self, good: np.ndarray) -> np.ndarray:
        """Revenue of accepting each row: expected for a probability, actual for an outcome."""
        both = self.gain + self.loss
        return both * (good - self.loss / both)

    def worth(self, good: np.ndarray) -> np.ndarray:
        """Utility of accepting each row, before a named one's scale; `good` as in `revenue`."""
        if not isinstance(self.utility, str):
            return utility_of_outcomes(self.utility, good)
        if self.utility == "demographic_parity":
            return np.ones(good.size)
        by_amount = self.utility == "heterogeneous_opportunity" and self.amount is not None
        return good * self.amount if by_amount else good

    def base(self, good: np.ndarray) -> np.ndarray:
        """What a group's utility is divided by: its welfare is ``sum(worth) / sum(base)``."""
        if not isinstance(self.utility, str) or self.utility == "demographic_parity":
            return np.ones(good.size)
        if self.utility == "heterogeneous_opportunity" and self.scale == "amount":
            return self.amount if self.amount is not None else np.ones(good.size)
        return self.worth(good)

    def of_decision(
        self, good: np.ndarray, accepted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Acceptance, revenue and worth that decisions bring of each row."""
        return accepted, accepted * self.revenue(good), accepted * self.worth(good)

    def scaled_on(
        self, probability: np.ndarray, code: np.ndarray, labels: tuple, weight: np.ndarray | None
    ) -> NamedUtility | None:
        """The named utility with its beta of every group; None for one's own numbers."""
        if not isinstance(self.utility, str):
            return None
        return named_utility(
            self.utility, probability, code, labels, amount=self.amount, weight=weight,
            scale=self.scale,
        )

    def expected_utility(
        self, probability: np.ndarray, code: np.ndarray, named: NamedUtility | None
    ) -> np.ndarray:
        """Expected utility of accepting each row, a named one by the betas it was scaled with."""
        if named is None:
            return utility_of_outcomes(self.utility, probability)
        return named.of(probability, code, self.amount)

    def utility_by_outcome(self, code: np.ndarray, named: NamedUtility | None) -> np.ndarray:
        """Utility of accepting each row at y = 0 and at y = 1, shape (n, 2)."""
        return np.column_stack(
            [self.expected_utility(np.full(code.size, y), code, named) for y in (0.0, 1.0)]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermSources:
    """Where the terms come from, as the constructor of the estimator was told.

    Attributes
    ----------
    gain, loss : float, str, list of one column, callable or array
    amount : the same, or None
    utility : str, int, list of one column, callable or array
    scale : {"attainable", "amount"}
    needs_amount : bool
        Whether it is read at all.
    """

    gain: Any
    loss: Any
    amount: Any
    utility: Any
    scale: str
    needs_amount: bool

    def check(self) -> None:
        """Refuse what no rows can mend.

        Raises
        ------
        ValueError
            Unknown scale, a number that is not above 0, an amount that is needed and not given.
        """
        check_choice(self.scale, SCALES, "scale")
        if self.needs_amount and self.amount is None:
            raise ValueError(
                "amount is None, and both utility='heterogeneous_opportunity' and "
                "capacity_unit='amount' need what every row asks for: pass amount= the name of "
                "its column."
            )
        for name, source in self._amounts():
            if _is_number(source):
                positive_amounts(source, name, 1)

    def columns(self, X: Any) -> tuple[int, ...]:
        """Positions of the columns of `X` that hold terms.

        Raises
        ------
        ValueError, TypeError
            There is no such column.
        """
        found = {_column_of(source, X, name) for name, source in self._amounts()}
        found.add(_column_of(self.utility, X, "utility", (int, np.integer)))
        return tuple(sorted(j for j in found if j is not None))

    def callables(self) -> list[Callable]:
        """Those terms that are computed from X."""
        sources = [self.utility, *(source for _, source in self._amounts())]
        return [source for source in sources if callable(source)]

    def read(self, X: Any, n: int, group: Callable[[], np.ndarray], method: str) -> LendingTerms:
        """Terms of the rows of `X`.

        Parameters
        ----------
        X : array or frame with n rows
        group : callable
            ``() -> ndarray of object, shape (n,)``, asked for where a callable utility needs it.
        method : str
            "fit" alone takes arrays.

        Raises
        ------
        ValueError, TypeError
            As the messages say.
        """
        values = {
            name: np.broadcast_to(_values(source, X, n, name, method), (n,))
            for name, source in self._amounts()
        }
        return LendingTerms(
            gain=values["gain"], loss=values["loss"], amount=values.get("amount"),
            utility=utility_of_rows(self.utility, X, n, group, method), scale=self.scale,
        )

    def _amounts(self) -> list[tuple[str, Any]]:
        pairs = [("gain", self.gain), ("loss", self.loss)]
        return [*pairs, ("amount", self.amount)] if self.needs_amount else pairs


def utility_of_rows(
    source: Any, X: Any, n: int, group: Callable[[], np.ndarray], method: str
) -> Any:
    """The name of a utility, or its values of the rows of `X`: (n,), or (n, 2) by outcome.

    Parameters
    ----------
    source : str, int, list of one column, callable or array
    group, method
        As in `TermSources.read`.

    Raises
    ------
    ValueError, TypeError
        As the messages say.
    """
    if isinstance(source, str) and source in UTILITIES:
        return source
    column = _column_of(source, X, "utility", (int, np.integer))
    if column is not None:
        return as_finite_float(column_values(X, column), f"utility={source!r}")
    if callable(source):
        given, name = source(X, group()), "utility(X, sensitive_features)"
    else:
        _refuse_at_predict("utility", method)
        given, name = source, "utility"
    array = as_array(given, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] != 2):
        raise ValueError(
            f"{name} has shape {array.shape}: give two columns, the utility at y = 0 and at "
            "y = 1, or one expected utility a row."
        )
    _check_rows(array, n, name)
    columns = [as_finite_float(part, name) for part in np.atleast_2d(array.T)]
    return columns[0] if array.ndim == 1 else np.stack(columns, axis=1)


def _is_number(source: Any) -> bool:
    return isinstance(source, (Real, np.number)) and not isinstance(source, (bool, np.bool_))


def _column_of(source: Any, X: Any, name: str, bare: type | tuple = ()) -> int | None:
    """Position of the column that `source` names; None where it names none.

    A position stands in a list, [3], because 3 is a number of money; `bare` where it is none.
    """
    if isinstance(source, (list, tuple)) and len(source) == 1:
        (column,) = source
    elif isinstance(source, str) or (isinstance(source, bare) and not isinstance(source, bool)):
        column = source
    else:
        return None
    if name == "utility" and isinstance(source, str):
        if source in UTILITIES:
            return None
        names = column_names(X)
        if names is None or source not in names:
            near = get_close_matches(source, [*UTILITIES, *(names or [])], n=3, cutoff=0.5)
            hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise ValueError(
                f"utility={source!r} is neither the name of a utility "
                f"({', '.join(map(repr, UTILITIES))}) nor of a column of X.{hint}"
            )
    return find_column(column, column_names(X), X.shape[1], name)


def _values(source: Any, X: Any, n: int, name: str, method: str) -> Any:
    if _is_number(source):
        return positive_amounts(source, name, n)
    column = _column_of(source, X, name)
    if column is not None:
        return positive_amounts(column_values(X, column), f"{name}={source!r}", n)
    if callable(source):
        given, shown = source(X), f"{name}(X)"
        if np.ndim(given) == 0:
            raise ValueError(f"{shown} gave {given!r}: return one number for every row of X.")
    else:
        _refuse_at_predict(name, method)
        given, shown = source, name
    array = as_finite_float(given, shown)
    _check_rows(array, n, shown)
    return positive_amounts(array, shown, n)


def _check_rows(array: np.ndarray, n: int, name: str) -> None:
    if array.shape[0] != n:
        raise ValueError(
            f"{name} has {array.shape[0]} values for the {n} rows of X. An array serves one fit "
            "only, not cross-validation: name a column of X, or pass a callable."
        )


def _refuse_at_predict(name: str, method: str) -> None:
    if method != "fit":
        raise ValueError(
            f"{name} was given as an array, which holds the rows of fit and says nothing of "
            f"those of {method}: name a column of X, or pass a callable X -> values."
        )
