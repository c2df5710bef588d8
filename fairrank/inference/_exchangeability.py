"""Which labels may change places: strata, what is expected inside them, and how many ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from fairrank._kernels import expectation as _expectation
from fairrank._kernels.burden import centred_products
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._audit_sample import SortedBurdens


@dataclass(frozen=True)
class Exchangeability:
    """Sorted burdens whose group labels are exchangeable inside strata.

    Attributes
    ----------
    share : ndarray of float64, shape (n,)
        Burden share of every sorted row, tied rows pooled.
    group : ndarray of uint8, shape (n,)
    block_start : ndarray of intp, shape (n_blocks + 1,)
    block : ndarray of int32, shape (n,)
    stratum : ndarray of intp, shape (n,)
    n_groups, n_strata : int
    """

    share: np.ndarray
    group: np.ndarray
    block_start: np.ndarray
    block: np.ndarray
    stratum: np.ndarray
    n_groups: int
    n_strata: int

    @classmethod
    def of(cls, burdens: SortedBurdens, stratum: np.ndarray | None = None) -> Exchangeability:
        """From sorted burdens; `stratum` is coded 0 .. S-1 in sorted order, None is one."""
        n = burdens.burden.size
        if stratum is None:
            stratum = np.zeros(n, dtype=np.intp)
        return cls(
            share=burdens.share,
            group=burdens.group,
            block_start=burdens.block_start,
            block=burdens.block,
            stratum=np.ascontiguousarray(stratum, dtype=np.intp),
            n_groups=burdens.n_groups,
            n_strata=int(stratum.max()) + 1,
        )

    def one_against(self, first: int, second: int | None = None) -> Exchangeability:
        """Group `first` (code 0) against `second`, or against all others (code 1).

        Against `second`, the rows of further groups stay where they are: each stratum splits in
        two, and in the half of the others nothing can move.
        """
        stratum = self.stratum
        if second is not None:
            outside = (self.group != first) & (self.group != second)
            stratum = np.where(outside, self.n_strata, stratum)
            _, stratum = np.unique(stratum, return_inverse=True)
        return Exchangeability(
            share=self.share,
            group=(self.group != first).astype(np.uint8),
            block_start=self.block_start,
            block=self.block,
            stratum=np.ascontiguousarray(stratum, dtype=np.intp),
            n_groups=2,
            n_strata=int(stratum.max()) + 1,
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """Rows of every stratum and group, shape (n_strata, n_groups)."""
        joint = self.stratum * self.n_groups + self.group
        return np.bincount(joint, minlength=self.n_strata * self.n_groups).reshape(
            self.n_strata, self.n_groups
        ).astype(np.intp)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows of every stratum."""
        return self.counts.sum(axis=1)

    @cached_property
    def reference(self) -> np.ndarray:
        """Share of every group inside every stratum, ``pi_{g|s}``."""
        return np.ascontiguousarray(self.counts / self.sizes[:, None])

    @cached_property
    def informative(self) -> np.ndarray:
        """Strata where exchange can change a path: at least two groups, and two burdens."""
        # Rows are sorted by block, and the last of repeated assignments stays.
        first = np.empty(self.n_strata, dtype=np.int32)
        last = np.empty(self.n_strata, dtype=np.int32)
        first[self.stratum[::-1]] = self.block[::-1]
        last[self.stratum] = self.block
        return ((self.counts > 0).sum(axis=1) > 1) & (first < last)

    @cached_property
    def blocks(self) -> np.ndarray:
        """Per block: burden share of a row, sum phi, sum phi^2, sum phi t."""
        return _expectation.block_constants(self.share, self.block_start)

    @cached_property
    def squared_ranks(self) -> float:
        """Sum of t_k^2."""
        n = float(self.share.size)
        return (n + 1.0) * (2.0 * n + 1.0) / (6.0 * n)

    @cached_property
    def products(self) -> np.ndarray:
        """``<U_g, U_h>`` as observed, walked rather than expanded."""
        return centred_products(
            self.share, self.group, self.stratum, self.reference, self.block_start
        )

    @cached_property
    def expected_norms(self) -> np.ndarray:
        """``E |U_g - U_h|^2`` of every pair over permutations, shape (n_groups, n_groups)."""
        spread = _expectation.spread_in_strata(
            self.stratum, self.sizes, self.block_start, self.blocks
        )
        # Elsewhere the spread is rounding, and the means must be 0 exactly.
        moving = self.informative
        factor = np.zeros(self.n_strata)
        factor[moving] = spread[moving] * self.sizes[moving] / (self.sizes[moving] - 1.0)
        pi = self.reference
        total = pi[:, :, None] + pi[:, None, :]
        gap = pi[:, :, None] - pi[:, None, :]
        expected = np.einsum("s,sgh->gh", factor, total - gap**2)
        np.fill_diagonal(expected, 0.0)
        return expected

    def count_labellings(self, at_most: int) -> int:
        """Labellings that exchange inside informative strata can make; stops past `at_most`."""
        total = 1
        for row in self.counts[self.informative]:
            left = int(row.sum())
            for count in row[:-1]:
                # comb grows fast: bounded factors keep the numbers small.
                total *= comb(left, int(count)) if min(count, left - count) < 64 else at_most + 1
                if total > at_most:
                    return total
                left -= int(count)
        return total

    def require_informative(self, what: str) -> None:
        """Refuse a test in which no label can move."""
        if not self.informative.any():
            raise DegenerateGroupError(
                f"{what}: none of its {self.n_strata} strata holds two groups with unlike "
                "burdens, so exchanging labels changes nothing and nothing can be tested. Use "
                "fewer or wider strata."
            )


def pair_statistics(products: np.ndarray) -> np.ndarray:
    """``T_gh = |U_g - U_h|^2`` of every pair from inner products, shape (..., G, G)."""
    norms = np.diagonal(products, axis1=-2, axis2=-1)
    return norms[..., :, None] + norms[..., None, :] - 2.0 * products


def mean_over_pairs(pair_values: np.ndarray) -> np.ndarray:
    """Mean over unordered pairs of the last two axes."""
    first, second = np.triu_indices(pair_values.shape[-1], 1)
    return pair_values[..., first, second].mean(axis=-1)
