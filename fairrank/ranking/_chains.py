"""All groups' chains: what scores of their steps come to, and the scores of an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from fairrank._kernels.best_first import best_first
from fairrank._kernels.steps import give_to_rows, pairs_by_score
from fairrank.metrics._ranking_sample import RankingSample
from fairrank.ranking._steps import Chain, Pair, Steps, chains_of_rows


@dataclass(frozen=True)
class Chains:
    """The chain of every group of one sample.

    Attributes
    ----------
    chain : tuple of Chain
        In the order of the sample's groups.
    disparity : {"xauc", "prf", "urf"}
    row_weight : float
        What a row weighs: 1 where weights are repetitions, the mean of them where they are masses.
    """

    chain: tuple[Chain, ...]
    disparity: str
    row_weight: float = 1.0

    @classmethod
    def of(cls, sample: RankingSample, disparity: str, counts: np.ndarray) -> Chains:
        """Sort the rows, once for all groups; `counts` of rows are (G, 2). O(n)."""
        weight = None if sample.weight is None else sample.weight.astype(np.float64)
        return cls(
            chains_of_rows(
                best_first(sample.score), counts.sum(axis=1), sample.score, sample.code, weight
            ),
            disparity,
            1.0 if weight is None or sample.weighting != "mass" else float(weight.mean()),
        )

    @property
    def n_groups(self) -> int:
        """Number of chains."""
        return len(self.chain)

    @property
    def step_scores(self) -> list[np.ndarray]:
        """The scores that came in, of every chain's steps."""
        return [chain.score for chain in self.chain]

    @cached_property
    def counts(self) -> np.ndarray:
        """Negatives and positives of every group, shape (G, 2)."""
        return np.array([chain.counts for chain in self.chain])

    def pair(self) -> Pair:
        """The two chains, when there are two."""
        first, second = self.chain
        return Pair(first, second, self.disparity)

    def values(self, step_scores: list[np.ndarray]) -> tuple[float, np.ndarray]:
        """AUC and signed disparities (G, G) of chains whose steps have these scores.

        Scores decrease along every chain, weakly; equal ones tie, one half, between groups and
        inside them. O(n G).
        """
        if all(_strict(scores) for scores in step_scores):
            return self._of_strict(self.chain, step_scores)
        pooled = [_pooled(chain, score) for chain, score in zip(self.chain, step_scores)]
        return self._of_strict([steps for steps, _ in pooled], [score for _, score in pooled])

    @cached_property
    def values_before(self) -> tuple[float, np.ndarray]:
        """`values` of the scores that came in, which differ from step to step."""
        return self._of_strict(self.chain, self.step_scores)

    def _of_strict(self, steps: Sequence[Steps],
                   scores: list[np.ndarray]) -> tuple[float, np.ndarray]:
        won = np.diag([own.concordant for own in steps])
        any_won = np.zeros((self.n_groups, self.n_groups))
        rising = [np.ascontiguousarray(score[::-1]) for score in scores]
        for g, h in combinations(range(self.n_groups), 2):
            a, b = steps[g], steps[h]
            won[g, h], won[h, g], any_won[g, h] = pairs_by_score(
                rising[g], a.negative, a.positive, rising[h], b.negative, b.positive
            )
        return auc_and_signed(won, any_won, self.counts, self.disparity)

    def pair_values(self, counts: np.ndarray) -> tuple[float, np.ndarray]:
        """`values` of two chains from the weights of pairs across them, as `pairs_by_score`'s."""
        a, b = self.chain
        won = np.array([[a.concordant, counts[0]], [counts[1], b.concordant]])
        any_won = np.array([[0.0, counts[2]], [0.0, 0.0]])
        return auc_and_signed(won, any_won, self.counts, self.disparity)

    def of_rows(self, step_scores: list[np.ndarray], n_rows: int) -> np.ndarray:
        """Every row's score."""
        scores = np.empty(n_rows)
        for chain, score in zip(self.chain, step_scores):
            give_to_rows(score, chain.opens, chain.row, scores)
        return scores

    def thinned(self, sample: RankingSample, n_rows: int) -> Chains:
        """Every m-th row of each sorted group, about `n_rows` in all, the best one first."""
        every = -(-sample.score.size // n_rows)
        if every <= 1:
            return self
        weight = None if sample.weight is None else sample.weight.astype(np.float64)
        rows = [chain.row[::every] for chain in self.chain]
        sizes = np.array([part.size for part in rows])
        return Chains(
            chains_of_rows(
                np.concatenate(rows).astype(np.intp), sizes, sample.score, sample.code, weight
            ),
            self.disparity,
            self.row_weight,
        )


def auc_and_signed(won: np.ndarray, any_won: np.ndarray, counts: np.ndarray,
                   disparity: str) -> tuple[float, np.ndarray]:
    """AUC and signed disparities of pairs of groups, from weights of pairs of rows.

    Parameters
    ----------
    won, any_won : ndarray, shape (G, G)
        (Positive of the row's group, negative of the column's) and (any, any), the former placed
        better; ties one half. `won` has pairs inside groups on its diagonal.
    counts : ndarray, shape (G, 2)
        Negatives and positives of every group.
    """
    negatives, positives = counts.T
    auc = float(won.sum() / positives.sum() / negatives.sum())
    if disparity == "xauc":
        part = won / positives[:, None] / negatives
        signed = part - part.T
    elif disparity == "prf":
        part = won.sum(axis=1) / positives / negatives.sum()
        signed = part[:, None] - part
    else:
        total = negatives + positives
        upper = np.triu(2.0 * any_won / total[:, None] / total - 1.0, 1)
        signed = upper - upper.T
    np.fill_diagonal(signed, 0.0)
    return auc, signed


def _strict(scores: np.ndarray) -> bool:
    return bool((scores[:-1] > scores[1:]).all())


def _pooled(chain: Chain, score: np.ndarray) -> tuple[Steps, np.ndarray]:
    """The chain with steps of one score as one step, and the scores of these."""
    first = np.flatnonzero(np.diff(score, prepend=np.inf))
    cut = np.append(first, score.size)
    pooled = chain.cut_at(cut)
    starts = chain.sums[cut[:-1]]
    # Pairs inside a pooled step count one half, in whatever order they stood.
    concordant = float(((starts[:, 1] + 0.5 * pooled.positive) * pooled.negative).sum())
    return Steps(pooled.negative, pooled.positive, concordant), score[first]


def ranks_of_keys(chains: Chains, keys: list[np.ndarray]) -> list[np.ndarray]:
    """Fair scores of steps that stand in the order of `keys`, higher first; equal keys tie.

    A place's score is 1 - (mass above + half its own) / all. O(n log n) in the steps.
    """
    mass = np.concatenate([chain.negative + chain.positive for chain in chains.chain])
    key = np.concatenate(keys)
    distinct, place = np.unique(-key, return_inverse=True)
    of_place = np.bincount(place, weights=mass, minlength=distinct.size)
    above = np.cumsum(of_place) - of_place
    rank = (1.0 - (above + 0.5 * of_place) / of_place.sum())[place]
    return np.split(rank, np.cumsum([chain.n_steps for chain in chains.chain])[:-1])
