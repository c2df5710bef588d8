"""The permutation distribution of the centred statistic: exact, sampled, or sampled until decided.

Draws come in chunks of fixed size, each with its own child of one SeedSequence, so the numbers do
not depend on how many workers computed them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state

from fairrank._kernels import expectation as _expectation
from fairrank._kernels import permutation as _draws
from fairrank.inference._exchangeability import (
    Exchangeability,
    mean_over_pairs,
    pair_statistics,
)

CHUNK = 50
# Below this many rows walked in all, threads cost more than they bring.
SERIAL_WORK = 4_000_000
MAX_LABELLINGS = 200_000
EXACT_BATCH = 4096
# Draws that equal the observed statistic must count: two-valued burdens make many of them.
EQUALITY = 1e-9


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """A SeedSequence from whatever scikit-learn takes as `random_state`."""
    if isinstance(random_state, np.random.SeedSequence):
        return random_state
    words = check_random_state(random_state).randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.SeedSequence(words.tolist())


def entropy_of(seed: np.random.SeedSequence) -> tuple[int, ...]:
    """The words from which `seed` can be made again."""
    entropy: Any = seed.entropy
    return tuple(np.atleast_1d(entropy).tolist())


def chunk_seeds(seed: np.random.SeedSequence, n_draws: int, chunk: int = CHUNK) -> list[tuple]:
    """(state, n) of every chunk, the last one shorter."""
    n_chunks = -(-n_draws // chunk)
    return [
        (child.generate_state(4, np.uint64), min(chunk, n_draws - i * chunk))
        for i, child in enumerate(seed.spawn(n_chunks))
    ]


def rows_by_stratum(exchange: Exchangeability) -> np.ndarray:
    """Sorted rows, stratum after stratum, int32."""
    if exchange.n_strata == 1:
        return np.arange(exchange.stratum.size, dtype=np.int32)
    return np.argsort(exchange.stratum, kind="stable").astype(np.int32)


@dataclass(frozen=True)
class DrawPlan:
    """Everything a chunk of draws reads, with the largest group last.

    Attributes
    ----------
    column : ndarray of intp, shape (G,)
        Draw code -> group code.
    """

    exchange: Exchangeability
    column: np.ndarray
    position: np.ndarray
    stratum_start: np.ndarray
    n_drawn: np.ndarray
    expected: np.ndarray
    ff: np.ndarray
    ft_sigma: np.ndarray

    def __sizeof__(self) -> int:
        """Roughly the bytes of its arrays; joblib sends a cluster apart, once, what is large."""
        return object.__sizeof__(self) + 32 * self.position.size

    @classmethod
    def of(cls, exchange: Exchangeability) -> DrawPlan:
        """Order the groups and compute what no draw changes. O(n G)."""
        column = np.argsort(exchange.counts.sum(axis=0), kind="stable")
        drawn = column[:-1]
        # The sums lose less when the drawn rows are few; the last group follows from the others.
        expected, ff, ft_sigma = _expectation.expected_paths(
            exchange.share,
            exchange.stratum,
            np.ascontiguousarray(exchange.reference[:, drawn]),
            exchange.block_start,
        )
        return cls(
            exchange=exchange,
            column=column,
            position=rows_by_stratum(exchange),
            stratum_start=np.concatenate(([0], np.cumsum(exchange.sizes))).astype(np.intp),
            n_drawn=np.ascontiguousarray(exchange.counts[:, column]),
            expected=expected,
            ff=ff,
            ft_sigma=ft_sigma,
        )

    @property
    def constants(self) -> np.ndarray:
        """FF, Ft, tt and sigma of the one drawn group."""
        return np.array(
            [self.ff[0, 0], self.ft_sigma[0, 0], self.exchange.squared_ranks, self.ft_sigma[1, 0]]
        )

    @cached_property
    def rows(self) -> np.ndarray:
        """Burden share and ``v sum_k phi F`` of every row side by side: one cache line a row."""
        return np.column_stack((self.exchange.share, self.expected[:, 0]))

    @property
    def work(self) -> int:
        """Rows walked by one draw."""
        return int(self.n_drawn[:, :-1].sum())

    def restored(self, products: np.ndarray) -> np.ndarray:
        """Inner products with rows and columns back in the order of the group codes."""
        place = np.empty_like(self.column)
        place[self.column] = np.arange(self.column.size)
        return products[..., place[:, None], place[None, :]]


def draw_products(plan: DrawPlan, state: np.ndarray, n_draws: int) -> np.ndarray:
    """``<U_g, U_h>`` in permutations of one chunk, shape (n_draws, G, G)."""
    exchange = plan.exchange
    if exchange.n_groups > 2:
        return plan.restored(
            _draws.labelled_products(
                exchange.block, exchange.blocks, plan.expected, plan.ff, plan.ft_sigma,
                exchange.squared_ranks, plan.position, plan.stratum_start, plan.n_drawn,
                state, n_draws,
            )
        )
    n_drawn = np.ascontiguousarray(plan.n_drawn[:, 0])
    if exchange.block_start.size == exchange.share.size + 1:
        norms = _draws.untied_norms(
            plan.rows, plan.constants, plan.position, plan.stratum_start, n_drawn, state, n_draws,
        )
    else:
        norms = _draws.tied_norms(
            exchange.block, exchange.blocks, plan.expected[:, 0], plan.constants, plan.position,
            plan.stratum_start, n_drawn, state, n_draws,
        )
    return norms[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])


def sampled_products(
    exchange: Exchangeability, n_draws: int, seed: np.random.SeedSequence, n_jobs: Any = None
) -> np.ndarray:
    """``<U_g, U_h>`` in `n_draws` permutations, the same for every n_jobs."""
    plan = DrawPlan.of(exchange)
    tasks = chunk_seeds(seed, n_draws)
    if plan.work * n_draws < SERIAL_WORK:
        parts = [draw_products(plan, state, n) for state, n in tasks]
    else:
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(draw_products)(plan, state, n) for state, n in tasks
        )
    return np.concatenate(parts)


def sampled_until(
    exchange: Exchangeability, n_draws: int, seed: np.random.SeedSequence, n_jobs: Any,
    threshold: float, stop_after: int,
) -> np.ndarray:
    """Statistics of the draws up to the `stop_after`-th that reaches `threshold` (Besag-Clifford).

    Chunks are read in order, so the stop is the same for every n_jobs.
    """
    plan = DrawPlan.of(exchange)
    tasks = chunk_seeds(seed, n_draws)
    wave = max(1, effective_n_jobs(n_jobs))
    drawn: list[np.ndarray] = []
    reached = 0
    for i in range(0, len(tasks), wave):
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(draw_products)(plan, state, n) for state, n in tasks[i : i + wave]
        )
        for products in parts:
            statistics = mean_over_pairs(pair_statistics(products))
            hits = np.flatnonzero(statistics >= threshold)
            if reached + hits.size >= stop_after:
                last = hits[stop_after - reached - 1]
                drawn.append(statistics[: last + 1])
                return np.concatenate(drawn)
            reached += hits.size
            drawn.append(statistics)
    return np.concatenate(drawn)


def all_products(exchange: Exchangeability) -> np.ndarray:
    """``<U_g, U_h>`` of every labelling, the observed one among them."""
    plan = DrawPlan.of(exchange)
    parts = [
        plan.restored(
            _draws.given_products(
                exchange.block, exchange.blocks, plan.expected, plan.ff, plan.ft_sigma,
                exchange.squared_ranks, rows, labels,
            )
        )
        for rows, labels in _labellings(plan)
    ]
    return np.concatenate(parts)


def _labellings(plan: DrawPlan) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Batches of (rows, labels): where the drawn groups stand, stratum by stratum.

    Where no exchange changes a path, one placement stands for all.
    """
    choices = []
    for s in range(plan.n_drawn.shape[0]):
        rows = plan.position[plan.stratum_start[s] : plan.stratum_start[s + 1]]
        sizes = plan.n_drawn[s, :-1].tolist()
        if plan.exchange.informative[s]:
            placed = list(_assignments(tuple(range(rows.size)), sizes))
        else:
            placed = [tuple(range(sum(sizes)))]
        label = np.repeat(np.arange(plan.n_drawn.shape[1] - 1), plan.n_drawn[s, :-1])
        choices.append((rows[np.array(placed, dtype=np.intp)], label.astype(np.uint8)))
    n_ways = [placed.shape[0] for placed, _ in choices]
    # Digits of mixed radix; only informative strata have more than one way, so few dimensions.
    moving = [s for s, ways in enumerate(n_ways) if ways > 1]
    labels = np.concatenate([label for _, label in choices])
    total = prod(n_ways)
    for start in range(0, total, EXACT_BATCH):
        index = np.arange(start, min(start + EXACT_BATCH, total))
        digits = [np.zeros_like(index)] * len(choices)
        if moving:
            found = np.unravel_index(index, tuple(n_ways[s] for s in moving))
            for s, digit in zip(moving, found):
                digits[s] = digit
        rows = np.concatenate(
            [placed[digit] for (placed, _), digit in zip(choices, digits)], axis=1
        )
        yield (
            np.ascontiguousarray(rows, dtype=np.int32),
            np.ascontiguousarray(np.broadcast_to(labels, rows.shape)),
        )


def _assignments(free: tuple, sizes: list[int]) -> Iterator[tuple]:
    """Every way to give disjoint subsets of `free` of these sizes, written one after another."""
    if not sizes:
        yield ()
        return
    for chosen in combinations(free, sizes[0]):
        taken = set(chosen)
        rest = tuple(i for i in free if i not in taken)
        for others in _assignments(rest, sizes[1:]):
            yield chosen + others


def equality_threshold(statistic: float, expected: float) -> float:
    """Draws at least this large count as reaching the observed statistic."""
    return statistic - EQUALITY * max(statistic, expected)
