"""Shifts of calibrated keys, one number a group, that level three and more groups.

Two groups have one shift and one disparity. G groups have G - 1 shifts and G (G - 1) / 2
disparities, which no shifts level all at once: the largest is made small instead.
"""

from __future__ import annotations

import numpy as np

from fairrank._kernels.steps import pairs_by_score
from fairrank.ranking._chains import Chains, auc_and_signed
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Chain, Steps

# Runs of steps a calibration is fitted on, and shifts are chosen on.
MAX_RUNS = 1000
# Steps that a calibration ties are kept in their order by this much over the whole chain.
TIE_BREAK = 1e-6
ROUNDS = 20
BISECTIONS = 30
# Parts of the way to the levelling shifts that are tried, and bisections of the last one.
N_PARTS = 64


def in_order(key: np.ndarray) -> np.ndarray:
    """Keys that strictly fall where they fell weakly."""
    return key - TIE_BREAK / key.size * np.arange(key.size)


def even_runs(chain: Chain) -> np.ndarray:
    """Cuts into at most `MAX_RUNS` runs with about the same weight."""
    if chain.n_steps <= MAX_RUNS:
        return np.arange(chain.n_steps + 1, dtype=np.intp)
    mass = chain.sums.sum(axis=1)
    inner = np.searchsorted(mass, np.linspace(0.0, mass[-1], MAX_RUNS + 1)[1:-1])
    return np.unique(np.concatenate(([0], inner, [chain.n_steps]))).astype(np.intp)


def most_shift(base: list[np.ndarray]) -> float:
    """A shift that puts one group wholly above another."""
    return max(key[0] for key in base) - min(key[-1] for key in base) + 1.0


def several_keys(chains: Chains, base: list[np.ndarray],
                 objective: Objective) -> list[np.ndarray]:
    """Keys shifted towards those that level the groups, as far as is asked.

    The way from no shifts to these is searched for the allowance or the best objective.
    """
    shift = _levelling_shifts(chains, base)

    def keys(part: float) -> list[np.ndarray]:
        return [key + part * by for key, by in zip(base, shift)]

    def worth(part: float) -> tuple[float, float]:
        auc, signed = chains.values(keys(part))
        return auc, float(np.abs(signed).max())

    parts = np.linspace(0.0, 1.0, N_PARTS + 1)
    found = [worth(part) for part in parts]
    best = int(np.argmax([objective.of(*each) for each in found]))
    if not objective.hard or best == 0 or not objective.meets(found[best][1]):
        return keys(float(parts[best]))
    # Back towards the part before, which has the larger AUC and does not meet the condition.
    low, high = float(parts[best - 1]), float(parts[best])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if objective.meets(worth(middle)[1]) else (middle, high)
    return keys(high) if objective.of(*worth(high)) >= objective.of(*found[best]) else keys(
        float(parts[best])
    )


def _runs(chain: Chain, cut: np.ndarray) -> Steps:
    """Runs of steps as one step each, inside which pairs count one half."""
    steps = chain.cut_at(cut)
    above = np.cumsum(steps.positive) - 0.5 * steps.positive
    return Steps(steps.negative, steps.positive, float((above * steps.negative).sum()))


class _Level:
    """Keys of runs that move group by group; pairs of the others are counted once."""

    def __init__(self, chains: Chains, keys: list[np.ndarray]):
        cuts = [even_runs(chain) for chain in chains.chain]
        self.chains = [_runs(chain, cut) for chain, cut in zip(chains.chain, cuts)]
        # Runs of one group may tie after rounding: a strict order keeps them apart. Backwards.
        self.keys = [
            in_order(key[(cut[:-1] + cut[1:] - 1) // 2])[::-1].copy()
            for key, cut in zip(keys, cuts)
        ]
        self.counts, self.disparity = chains.counts, chains.disparity
        self.shift = np.zeros(len(self.chains))
        self.won = np.diag([chain.concordant for chain in self.chains])
        self.any_won = np.zeros_like(self.won)
        for g in range(len(self.chains)):
            self.move(g, 0.0)

    def move(self, g: int, by: float) -> np.ndarray:
        """Signed disparities when the shift of g is `by`."""
        self.shift[g] = by
        a = self.chains[g]
        for h, b in enumerate(self.chains):
            if h == g:
                continue
            self.won[g, h], self.won[h, g], self.any_won[g, h] = pairs_by_score(
                self.keys[g] + by, a.negative, a.positive, self.keys[h] + self.shift[h],
                b.negative, b.positive,
            )
            self.any_won[h, g] = a.sums[-1].sum() * b.sums[-1].sum() - self.any_won[g, h]
        return auc_and_signed(self.won, self.any_won, self.counts, self.disparity)[1]


def _levelling_shifts(chains: Chains, keys: list[np.ndarray]) -> np.ndarray:
    """Shifts at which the largest disparity is small, the first group's 0.

    Each group in turn goes where its disparities with the others sum to 0, until none moves; then
    where the largest and the smallest of them cancel, which makes the larger of the two least.
    """
    level = _Level(chains, keys)
    most = most_shift(keys)
    tolerance = 1e-7 * most
    best, best_gap = level.shift.copy(), np.inf
    for centre in (np.sum, lambda favour: favour.max() + favour.min()):
        for _ in range(ROUNDS):
            largest = 0.0
            for g in range(1, len(keys)):
                before = level.shift[g]
                others = np.arange(len(keys)) != g
                low, high = before - most, before + most
                while high - low > tolerance:
                    middle = 0.5 * (low + high)
                    above = centre(level.move(g, middle)[g, others]) > 0.0
                    low, high = (low, middle) if above else (middle, high)
                signed = level.move(g, 0.5 * (low + high))
                largest = max(largest, abs(level.shift[g] - before))
            gap = float(np.abs(signed).max())
            if gap < best_gap:
                best, best_gap = level.shift.copy(), gap
            if largest <= 4.0 * tolerance:
                break
        for g in range(len(keys)):
            level.move(g, best[g])
    return best
