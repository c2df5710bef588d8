"""Three and more chains to interleave, and what an interleaving of them is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairrank._kernels.interleaving import pairs_across
from fairrank.ranking._chains import auc_and_signed
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Steps


@dataclass(frozen=True)
class Interleaving:
    """An order of the steps of several chains.

    Attributes
    ----------
    sequence : ndarray of intp, shape (n_steps of all,)
        Number of a chain at every place, best first; its steps stand in their own order.
    auc : float
    signed : ndarray, shape (G, G)
        What the row's group is favoured by over the column's.
    """

    sequence: np.ndarray
    auc: float
    signed: np.ndarray

    @property
    def gap(self) -> float:
        """Largest disparity of a pair."""
        return float(np.abs(self.signed).max())

    def worth(self, objective: Objective) -> float:
        """Its value."""
        return objective.of(self.auc, self.gap)

    def signed_worth(self, multipliers: np.ndarray) -> float:
        """AUC - sum over pairs of multiplier * disparity; `multipliers` are antisymmetric."""
        return float(self.auc - 0.5 * (multipliers * self.signed).sum())

    def keys(self, n_chains: int) -> list[np.ndarray]:
        """Keys of every chain's steps, higher first."""
        return [-np.flatnonzero(self.sequence == g).astype(float) for g in range(n_chains)]


@dataclass(frozen=True)
class Several:
    """Chains to interleave, with the weights by which AUC and disparities count pairs.

    ``W[g, h]`` being the weight of pairs (positive of g above negative of h) and ``T[g, h]`` of
    (any of g above any of h), AUC is the sum of W times `per_auc`, and the disparity D[g, h] is
    ``per_won[g, h] W[g, h] - per_won[h, g] W[h, g] + per_any[g, h] T[g, h]`` plus the difference
    of both groups' ``per_chain[g] sum_h W[g, h]``, but for a constant.

    Attributes
    ----------
    steps : tuple of Steps
    disparity : {"xauc", "prf", "urf"}
    """

    steps: tuple[Steps, ...]
    disparity: str

    @property
    def n_chains(self) -> int:
        """Number of groups."""
        return len(self.steps)

    @cached_property
    def start(self) -> np.ndarray:
        """Where each chain begins among all steps."""
        return np.cumsum([0, *(chain.n_steps for chain in self.steps)]).astype(np.intp)

    @cached_property
    def blocks(self) -> np.ndarray:
        """Negatives and positives of every step, chain after chain."""
        return np.concatenate(
            [np.column_stack((chain.negative, chain.positive)) for chain in self.steps]
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """Negatives and positives of every group, shape (G, 2)."""
        return np.array([chain.counts for chain in self.steps])

    @cached_property
    def auc_pairs(self) -> float:
        """Positives times negatives, whatever the group."""
        return float(np.prod(self.counts.sum(axis=0)))

    @cached_property
    def per_won(self) -> np.ndarray:
        """What a pair in W[g, h] adds to D[g, h] alone."""
        if self.disparity != "xauc":
            return np.zeros((self.n_chains, self.n_chains))
        weights = 1.0 / self.counts[:, 1][:, None] / self.counts[:, 0]
        np.fill_diagonal(weights, 0.0)
        return weights

    @cached_property
    def per_any(self) -> np.ndarray:
        """What a pair in T[g, h] adds to D[g, h]."""
        if self.disparity != "urf":
            return np.zeros((self.n_chains, self.n_chains))
        mass = self.counts.sum(axis=1)
        weights = 2.0 / mass[:, None] / mass
        np.fill_diagonal(weights, 0.0)
        return weights

    @cached_property
    def per_chain(self) -> np.ndarray:
        """What a pair in W[g, h] adds to D[g, k] for all k."""
        if self.disparity != "prf":
            return np.zeros(self.n_chains)
        return 1.0 / self.counts[:, 1] / self.counts[:, 0].sum()

    def judged(self, sequence: np.ndarray) -> Interleaving:
        """An order with its AUC and disparities. O(n G)."""
        won, any_won = pairs_across(sequence, self.blocks, self.start)
        won[np.diag_indices(self.n_chains)] = [chain.concordant for chain in self.steps]
        return Interleaving(
            sequence, *auc_and_signed(won, any_won, self.counts, self.disparity)
        )

    def by_keys(self, keys: list[np.ndarray]) -> Interleaving:
        """The order of falling keys; equal ones in the order of the chains."""
        chain = np.repeat(np.arange(self.n_chains), np.diff(self.start))
        return self.judged(chain[np.argsort(-np.concatenate(keys), kind="stable")])

    def gains(self, multipliers: np.ndarray) -> np.ndarray:
        """``F[g, h][y, y']`` of AUC - sum of multiplier * D, times positives times negatives.

        Gain of placing a step of g (row: its label) before a step of h (column).
        """
        scaled = self.auc_pairs * multipliers
        won = 1.0 - scaled * self.per_won - (scaled.sum(axis=1) * self.per_chain)[:, None]
        both = -scaled * self.per_any
        gain = np.empty((self.n_chains, self.n_chains, 2, 2))
        gain[..., 0, 0] = gain[..., 1, 1] = both
        gain[..., 1, 0] = won + both
        gain[..., 0, 1] = both - won.T
        return gain

    def cut_at(self, cuts: list[np.ndarray]) -> Several:
        """Every chain with runs of steps as one step each."""
        return Several(
            tuple(chain.cut_at(cut) for chain, cut in zip(self.steps, cuts)), self.disparity
        )


def on_steps(sequence: np.ndarray, cuts: list[np.ndarray]) -> np.ndarray:
    """The order of the steps themselves when runs of steps, between `cuts`, stand like this."""
    size = np.empty(sequence.size, dtype=np.intp)
    for g, cut in enumerate(cuts):
        size[sequence == g] = np.diff(cut)
    return np.repeat(sequence, size)
