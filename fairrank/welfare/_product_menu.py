"""Several products: what giving each of them to each person is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.welfare._lending_terms import LendingTerms, TermSources
from fairrank.welfare._utilities import UTILITIES, NamedUtility, named_utility

KEYS = ("gain", "loss", "amount", "utility")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductMenu:
    """Terms of every product; whether a case turns out well does not depend on the product.

    Attributes
    ----------
    terms : tuple of LendingTerms
        One a product, all of the same utility where it is a named one.
    """

    terms: tuple[LendingTerms, ...]

    def take(self, chosen: np.ndarray) -> ProductMenu:
        """Terms of some rows."""
        return ProductMenu(terms=tuple(one.take(chosen) for one in self.terms))

    def revenue(self, good: np.ndarray) -> np.ndarray:
        """Revenue of giving each product to each row, shape (n, n_products)."""
        return np.column_stack([one.revenue(good) for one in self.terms])

    def base(self, good: np.ndarray) -> np.ndarray:
        """What a group's utility is divided by: of amounts, the largest on offer."""
        return np.max([one.base(good) for one in self.terms], axis=0)

    def of_decision(
        self, good: np.ndarray, accepted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Acceptance, revenue and worth of each row; the first column of `accepted` rejects."""
        given = accepted[:, 1:]
        worth = np.column_stack([one.worth(good) for one in self.terms])
        return (
            given.sum(axis=1), (given * self.revenue(good)).sum(axis=1),
            (given * worth).sum(axis=1),
        )

    @property
    def utility(self) -> Any:
        """The name of the utility, or that of the first product."""
        return self.terms[0].utility

    def scaled_on(
        self, probability: np.ndarray, code: np.ndarray, labels: tuple, weight: np.ndarray | None
    ) -> NamedUtility | None:
        """The named utility with its beta of every group; None for one's own numbers."""
        if not isinstance(self.utility, str):
            return None
        amounts = [one.amount for one in self.terms if one.amount is not None]
        return named_utility(
            self.utility, probability, code, labels, weight=weight,
            amount=np.max(amounts, axis=0) if amounts else None,
        )

    def expected_utility(
        self, probability: np.ndarray, code: np.ndarray, named: NamedUtility | None
    ) -> np.ndarray:
        """Expected utility of each product, shape (n, n_products)."""
        return np.column_stack(
            [one.expected_utility(probability, code, named) for one in self.terms]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductSources:
    """Where the terms of the products come from.

    Attributes
    ----------
    names : tuple
    sources : tuple of TermSources
    """

    names: tuple
    sources: tuple[TermSources, ...]

    def check(self) -> None:
        """Refuse what no rows can mend."""
        for one in self.sources:
            one.check()

    def columns(self, X: Any) -> tuple[int, ...]:
        """Positions of the columns of `X` that hold terms."""
        return tuple(sorted({column for one in self.sources for column in one.columns(X)}))

    def callables(self) -> list[Callable]:
        """Those terms that are computed from X."""
        return [source for one in self.sources for source in one.callables()]

    def read(self, X: Any, n: int, group: Callable[[], np.ndarray], method: str) -> ProductMenu:
        """Terms of the rows of `X`."""
        return ProductMenu(
            terms=tuple(one.read(X, n, group, method) for one in self.sources)
        )


def product_sources(products: Any, utility: Any) -> ProductSources:
    """Read the parameter `products`.

    Parameters
    ----------
    products : mapping of name to mapping
        With the keys "gain", "loss", "amount" and, where `utility` is None, "utility".
    utility : str or None

    Raises
    ------
    ValueError, TypeError
        Fewer than two products, a key that is none, a utility that is missing or not wanted.
    """
    if not isinstance(products, Mapping):
        raise TypeError(
            'products must be a mapping, {"small": {"gain": 1, "loss": 5}, "large": {...}}, got '
            f"{products!r}."
        )
    if len(products) < 2:
        raise ValueError(
            f"products has {len(products)} product(s): for one, WelfareEqualizingClassifier."
        )
    if utility is not None and not (isinstance(utility, str) and utility in UTILITIES):
        raise ValueError(
            f"utility must be one of {', '.join(map(repr, UTILITIES))}, or None for a utility of "
            f"each product's own, got {utility!r}."
        )
    found = []
    for name, terms in products.items():
        if not isinstance(terms, Mapping) or set(terms) - set(KEYS):
            raise ValueError(
                f"products[{name!r}] must be a mapping with the keys {', '.join(KEYS)}, got "
                f"{terms!r}."
            )
        if ("utility" in terms) != (utility is None):
            raise ValueError(
                f"products[{name!r}]: a product has a utility of its own where utility=None, and "
                f"only there; utility is {utility!r}."
            )
        found.append(
            TermSources(
                gain=terms.get("gain", 1.0), loss=terms.get("loss", 1.0),
                amount=terms.get("amount"), scale="attainable",
                utility=terms["utility"] if utility is None else utility,
                needs_amount=utility == "heterogeneous_opportunity",
            )
        )
    return ProductSources(names=tuple(products), sources=tuple(found))
