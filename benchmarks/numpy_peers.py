"""The same statistics in plain numpy: what a user could write, and the fastest form we know.

Burdens come sorted, so that a permutation draw has no sort in it. Ties are not pooled: that
would only cost numpy more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

HEIGHT = 48


def labels_shuffled(
    burden: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> Callable[[], float]:
    """One draw of T for groups 0 and 1 as written down: permute labels, one cumsum, centre, dot.

    Generator.permutation of float labels is the fastest of permutation, permuted and shuffle on
    float64, bool and uint8 (numpy moves eight bytes faster than one).
    """
    n = burden.size
    share = burden / burden.sum()
    minority = (group == 1).astype(float)
    pi, rank = minority.mean(), np.arange(1, n + 1) / n
    lorenz = np.cumsum(share)

    def draw() -> float:
        path = np.cumsum(share * rng.permutation(minority))
        centred = path - pi * lorenz - (path[-1] - pi) * rank
        return 4.0 * float(centred @ centred)

    return draw


def rows_chosen(
    burden: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> Callable[[], float]:
    """The fastest O(n) draw of T, for any number of groups, that we found in numpy.

    Generator.choice(replace=False) picks the rows of all groups but the largest, so that no n
    labels move; ranks run down columns of 48, and 48 additions of whole rows replace a flat
    cumsum, in which every addition waits for the one before; paths are centred by inner
    products instead of passes over n ranks; all arrays are reused.
    """
    n = burden.size
    sizes = np.bincount(group)
    drawn_sizes = np.sort(sizes)[:-1]
    n_drawn, ends = int(drawn_sizes.sum()), np.cumsum(drawn_sizes)
    n_paths, width = drawn_sizes.size, -(-n // HEIGHT)
    place = np.arange(n) % HEIGHT * width + np.arange(n) // HEIGHT

    def laid_out(values: np.ndarray) -> np.ndarray:
        table = np.zeros(HEIGHT * width)
        table[place] = values
        return table

    share, rank = burden / burden.sum(), np.arange(1, n + 1) / n
    bend, ramp = laid_out(np.cumsum(share) - rank), laid_out(rank)
    shapes = np.column_stack([bend, ramp])
    gram = shapes.T @ shapes
    padding = HEIGHT * width - n  # ranks past the last, where every path stays at its end
    steps = np.zeros((n_paths, HEIGHT * width))
    tables = steps.reshape(n_paths, HEIGHT, width)
    slope = np.column_stack([drawn_sizes / n, np.zeros(n_paths)])

    def draw() -> float:
        rows = rng.choice(n, n_drawn, replace=False, shuffle=n_paths > 1)
        steps.fill(0.0)
        for flat, table, mine in zip(steps, tables, np.split(rows, ends[:-1])):
            flat[place[mine]] = share[mine]
            for i in range(1, HEIGHT):
                np.add(table[i - 1], table[i], out=table[i])
            bottom = np.cumsum(table[-1])
            table[:, 1:] += bottom[:-1]
        ending = slope[:, 1] = steps.reshape(n_paths, HEIGHT, width)[:, -1, -1]
        crossed = slope @ (steps @ shapes).T
        products = steps @ steps.T - padding * np.outer(ending, ending)
        products += slope @ gram @ slope.T - crossed - crossed.T
        return 2.0 / n_paths * float(np.trace(products) + products.sum())

    return draw


def paths_of_all_groups(
    burden: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> Callable[[], float]:
    """One draw of T for several groups as written down: permute labels, one cumsum a group."""
    n = burden.size
    sizes = np.bincount(group)
    share, rank = burden / burden.sum(), np.arange(1, n + 1) / n
    lorenz = np.cumsum(share)

    def draw() -> float:
        label = rng.permutation(group)
        norms = 0.0
        for g, size in enumerate(sizes):
            path = np.cumsum(share * (label == g))
            centred = path - size / n * lorenz - (path[-1] - size / n) * rank
            norms += float(centred @ centred)
        return 2.0 / (sizes.size - 1) * norms

    return draw


def resample_sorted_again(
    burden: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> Callable[[], tuple[float, float]]:
    """One group-stratified resample of (RGF, centred RGF), two groups: take rows, sort, sum."""
    members = [np.flatnonzero(group == g) for g in (0, 1)]

    def draw() -> tuple[float, float]:
        rows = np.concatenate([rng.choice(mine, mine.size) for mine in members])
        resampled = burden[rows]
        order = np.argsort(resampled)
        return rgf_of_sorted(resampled[order], (group[rows] == 1)[order])

    return draw


def resample_by_counts(
    burden: np.ndarray, group: np.ndarray, rng: np.random.Generator
) -> Callable[[], tuple[float, float]]:
    """The same resample without a sort: count how often each sorted row is drawn, repeat it."""
    members = [np.flatnonzero(group == g) for g in (0, 1)]
    position = np.arange(burden.size)
    minority = group == 1

    def draw() -> tuple[float, float]:
        rows = np.concatenate([mine[rng.integers(mine.size, size=mine.size)] for mine in members])
        taken = np.repeat(position, np.bincount(rows, minlength=burden.size))
        return rgf_of_sorted(burden[taken], minority[taken])

    return draw


def paired_sorted_again(
    burden: np.ndarray, score: np.ndarray, group: np.ndarray, outcome: np.ndarray,
    rng: np.random.Generator,
) -> Callable[[], list[tuple[float, ...]]]:
    """RGF, centred RGF, AUC and average precision of every model in one resample, sorting it."""
    members = [np.flatnonzero(group == g) for g in (0, 1)]

    def draw() -> list[tuple[float, ...]]:
        rows = np.concatenate([rng.choice(mine, mine.size) for mine in members])
        minority, positive, once = group[rows] == 1, outcome[rows], np.ones(rows.size)
        found = []
        for z, p in zip(burden[:, rows], score[:, rows]):
            by_burden, by_score = np.argsort(z), np.argsort(p)
            found.append(
                rgf_of_sorted(z[by_burden], minority[by_burden])
                + accuracy_of_sorted(positive[by_score], once)
            )
        return found

    return draw


def paired_by_counts(
    burden: np.ndarray, score: np.ndarray, group: np.ndarray, outcome: np.ndarray,
    rng: np.random.Generator,
) -> Callable[[], list[tuple[float, ...]]]:
    """The same without a sort in a draw: each model's rows are sorted once and then counted."""
    members = [np.flatnonzero(group == g) for g in (0, 1)]
    by_burden, by_score = np.argsort(burden, axis=1), np.argsort(score, axis=1)
    sorted_burden = np.take_along_axis(burden, by_burden, axis=1)
    minority, positive = (group == 1)[by_burden], outcome[by_score]
    position = np.arange(group.size)

    def draw() -> list[tuple[float, ...]]:
        rows = np.concatenate([mine[rng.integers(mine.size, size=mine.size)] for mine in members])
        count = np.bincount(rows, minlength=group.size)
        found = []
        for m in range(burden.shape[0]):
            taken = np.repeat(position, count[by_burden[m]])
            found.append(
                rgf_of_sorted(sorted_burden[m, taken], minority[m, taken])
                + accuracy_of_sorted(positive[m], count[by_score[m]])
            )
        return found

    return draw


def accuracy_of_sorted(positive: np.ndarray, count: np.ndarray) -> tuple[float, float]:
    """AUC and average precision of rows in ascending order of score, each `count` times."""
    hit = positive * count
    above, hits_above = np.cumsum(count[::-1]), np.cumsum(hit[::-1])
    n_hits, n_misses = hits_above[-1], above[-1] - hits_above[-1]
    misses_below = n_misses - (above - hits_above)
    auc = hit[::-1] @ misses_below / (n_hits * n_misses)
    precision = np.divide(hits_above, above, out=np.zeros(above.size), where=above > 0)
    return float(auc), float(hit[::-1] @ precision / n_hits)


def rgf_of_sorted(burden: np.ndarray, minority: np.ndarray) -> tuple[float, float]:
    """RGF and centred RGF of two groups; ties only between rows of one group (resampled ones)."""
    n = burden.size
    lorenz, path = np.cumsum(burden), np.cumsum(burden * minority)
    total, pi = lorenz[-1], minority.mean()
    rank = np.arange(1, n + 1) / n
    area = (2.0 * np.arange(1, n + 1) - n - 1) @ burden / total
    gap = (2.0 * path - lorenz) / total
    gap -= gap[-1] * rank
    plain = np.abs(gap).sum()
    gap -= (2.0 * pi - 1.0) * (lorenz / total - rank)
    return 1.0 - plain / area, 1.0 - np.abs(gap).sum() / area
