"""Rank graduation by brute force, word for word from its definitions.

Numpy and the standard library only, nothing of fairrank; slow and literal on purpose. A burden is
a sequence of n numbers, a group a sequence of n labels, both in the order the rows came.
"""

import itertools
import math

import numpy as np

TIE_TOLERANCE = 1e-12


# ---------------------------------------------------------------- order and ties

def tie_blocks(burden):
    """Rows of every block, smallest burden first; gaps to 1e-12 of the largest tie, and chain."""
    order = sorted(range(len(burden)), key=lambda row: burden[row])
    tolerance = TIE_TOLERANCE * burden[order[-1]]
    blocks = [[order[0]]]
    for before, row in itertools.pairwise(order):
        if burden[row] - burden[before] <= tolerance:
            blocks[-1].append(row)
        else:
            blocks.append([row])
    return blocks


def block_levels(burden):
    """Mean burden of every block, as a share of the total burden."""
    means = [math.fsum(burden[row] for row in block) / len(block) for block in tie_blocks(burden)]
    sizes = [len(block) for block in tie_blocks(burden)]
    total = math.fsum(mean * size for mean, size in zip(means, sizes))
    return [mean / total for mean in means]


# ---------------------------------------------------------------- paths over the positions 1 .. n

def cumulated(burden, part):
    """Path over k = 1 .. n of the burden of which every row counts only its `part` in [0, 1].

    Inside a block of ties the counted parts are spread evenly over the block's positions.
    """
    path, level = [], 0.0
    for block, value in zip(tie_blocks(burden), block_levels(burden)):
        counted = math.fsum(part[row] for row in block)
        for _ in block:
            level += value * counted / len(block)
            path.append(level)
    return np.array(path)


def ranks(n):
    return np.arange(1, n + 1) / n


def lorenz(burden):
    return cumulated(burden, np.ones(len(burden)))


def dual_lorenz(burden):
    """Lc(k) = 1 - L(n - k)."""
    return 1.0 - np.concatenate(([0.0], lorenz(burden)))[:-1][::-1]


def group_path(burden, group, label):
    return cumulated(burden, np.asarray(group) == label)


def completed(path):
    """Add (1 - s) t, so that the path ends at 1."""
    return path + (1.0 - path[-1]) * ranks(path.size)


def labels_of(group):
    return sorted(set(np.asarray(group).tolist()))


def pairs_of(group):
    return list(itertools.combinations(labels_of(group), 2))


def share_of(group, label):
    return float(np.mean(np.asarray(group) == label))


def pair_difference(burden, group, first, second):
    """D_gh = Et_g - Et_h."""
    return completed(group_path(burden, group, first)) - completed(
        group_path(burden, group, second)
    )


def pair_centre(burden, group, first, second):
    """mu_gh = (pi_g - pi_h)(L - t)."""
    gap = share_of(group, first) - share_of(group, second)
    return gap * (lorenz(burden) - ranks(len(burden)))


# ---------------------------------------------------------------- distances

def denominator(burden):
    """sum_k |Lc - L|."""
    return float(np.abs(dual_lorenz(burden) - lorenz(burden)).sum())


def rgd(burden, group, centred=False):
    """Mean over unordered pairs of sum |D| / sum |Lc - L|, or of sum |D - mu| / the same."""
    distances = []
    for first, second in pairs_of(group):
        difference = pair_difference(burden, group, first, second)
        if centred:
            difference = difference - pair_centre(burden, group, first, second)
        distances.append(np.abs(difference).sum() / denominator(burden))
    return float(np.mean(distances))


def rgf(burden, group, centred=False):
    return 1.0 - rgd(burden, group, centred)


def null_reference(group):
    """1 - mean over pairs |pi_g - pi_h| / 2."""
    gaps = [abs(share_of(group, g) - share_of(group, h)) for g, h in pairs_of(group)]
    return 1.0 - float(np.mean(gaps)) / 2.0


# ---------------------------------------------------------------- among the largest burdens

def kept_rows(burden, q):
    """The ceil(q n - 1e-9) largest burdens, a straddling block whole."""
    wanted, kept = math.ceil(q * len(burden) - 1e-9), []
    for block in reversed(tie_blocks(burden)):
        if len(kept) >= wanted:
            break
        kept += block
    return sorted(kept)


def rgf_among_largest(burden, group, q, centred=False):
    """NaN where a group has no row inside, or all burdens inside are tied."""
    rows = kept_rows(burden, q)
    inside, inside_group = np.asarray(burden)[rows], np.asarray(group)[rows]
    if labels_of(inside_group) != labels_of(group) or len(tie_blocks(inside)) == 1:
        return math.nan
    return rgf(inside, inside_group, centred)


def aurgf(burden, group, grid, min_group_size, centred=False):
    """(area, q_min): trapezoid of RGF(q) over [q_min, 1], divided by 1 - q_min."""
    enough = []
    for q in grid:
        inside = np.asarray(group)[kept_rows(burden, q)]
        if min(np.sum(inside == label) for label in labels_of(group)) >= min_group_size:
            enough.append(q)
    if not enough or enough[0] == 1.0:
        return math.nan, 1.0
    q_min = enough[0]
    values = [rgf_among_largest(burden, group, q, centred) for q in enough]
    area = sum(
        (right - left) * (below + above) / 2.0
        for (left, below), (right, above) in itertools.pairwise(zip(enough, values))
    )
    return area / (1.0 - q_min), q_min


# ---------------------------------------------------------------- weights

def repeated(rows, weight):
    """Every row as often as its weight says."""
    return np.array([row for row, times in zip(rows, weight) for _ in range(times)])


def absolute_integral(nodes, values):
    """Integral of |f| for a piecewise linear f, cut where it changes sign."""
    total = 0.0
    for (left, f), (right, g) in itertools.pairwise(zip(nodes, values)):
        if f * g < 0.0:
            zero = left + (right - left) * f / (f - g)
            total += abs(f) * (zero - left) / 2.0 + abs(g) * (right - zero) / 2.0
        else:
            total += (abs(f) + abs(g)) * (right - left) / 2.0
    return total


def rgd_over_mass(burden, group, weight, centred=False):
    """The same distance integrated over cumulated weight."""
    burden, group, weight = np.asarray(burden), np.asarray(group), np.asarray(weight)
    nodes, paths = [0.0], {label: [0.0] for label in labels_of(group)}
    for block in tie_blocks(burden):
        value = np.average(burden[block], weights=weight[block])
        nodes.append(nodes[-1] + weight[block].sum())
        for label, path in paths.items():
            path.append(path[-1] + value * weight[block][group[block] == label].sum())
    nodes = np.array(nodes)
    total = sum(path[-1] for path in paths.values())
    paths = {label: np.array(path) / total for label, path in paths.items()}
    t, curve = nodes / nodes[-1], sum(paths.values())
    # Lc bends at the mirrored nodes, so the denominator needs both sets.
    both = np.union1d(nodes, nodes[-1] - nodes)
    dual = 1.0 - np.interp(nodes[-1] - both, nodes, curve)
    area = absolute_integral(both, dual - np.interp(both, nodes, curve))
    distances = []
    for g, h in pairs_of(group):
        pi = {label: weight[group == label].sum() / nodes[-1] for label in (g, h)}
        difference = (paths[g] + (1.0 - paths[g][-1]) * t) - (
            paths[h] + (1.0 - paths[h][-1]) * t
        )
        if centred:
            difference = difference - (pi[g] - pi[h]) * (curve - t)
        distances.append(absolute_integral(nodes, difference) / area)
    return float(np.mean(distances))


# ---------------------------------------------------------------- the test

def expected_part(group, strata, label):
    """W_g(i): the share of the group among the rows of row i's stratum."""
    group, strata = np.asarray(group), np.asarray(strata)
    return np.array([share_of(group[strata == stratum], label) for stratum in strata])


def centred_paths(burden, group, strata=None):
    """U_g = E_g - F_g - (s_g - sigma_g) t of every group."""
    if strata is None:
        strata = np.zeros(len(burden), dtype=int)
    paths = {}
    for label in labels_of(group):
        path = group_path(burden, group, label)
        expected = cumulated(burden, expected_part(group, strata, label))
        drift = path[-1] - expected[-1]
        paths[label] = path - expected - drift * ranks(len(burden))
    return paths


def products(burden, group, strata=None):
    """<U_g, U_h> of every two groups."""
    paths = centred_paths(burden, group, strata)
    return np.array([[float(u @ w) for w in paths.values()] for u in paths.values()])


def statistic(burden, group, strata=None):
    """T: mean over unordered pairs of sum_k (U_g - U_h)^2."""
    paths = centred_paths(burden, group, strata)
    return float(np.mean([((paths[g] - paths[h]) ** 2).sum() for g, h in pairs_of(group)]))


def arrangements(labels):
    """Every distinct order of a multiset of labels."""
    if not labels:
        yield ()
    for label in sorted(set(labels)):
        rest = list(labels)
        rest.remove(label)
        for others in arrangements(rest):
            yield (label, *others)


def labellings(group, strata=None):
    """Every distinct labelling that keeps the group sizes inside every stratum."""
    group = np.asarray(group)
    strata = np.zeros(group.size, dtype=int) if strata is None else np.asarray(strata)
    places = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    inside = [list(arrangements(group[rows].tolist())) for rows in places]
    for dealt in itertools.product(*inside):
        labelling = group.copy()
        for rows, labels in zip(places, dealt):
            labelling[rows] = labels
        yield labelling


def pair_strata(group, strata, first, second):
    """Strata in which only rows of `first` and `second` can change places."""
    strata = [0] * len(group) if strata is None else strata
    return np.unique(
        [f"{s} {'moves' if g in (first, second) else 'stays'}" for g, s in zip(group, strata)],
        return_inverse=True,
    )[1]


def exact_pvalue(statistics, observed, tolerance):
    """Share of the labellings that reach the observed statistic, itself included."""
    return float(np.mean([value >= observed - tolerance for value in statistics]))


def sampled_pvalue(statistics, observed, tolerance):
    """(1 + #{T_b >= T}) / (B + 1)."""
    reached = sum(value >= observed - tolerance for value in statistics)
    return (1 + reached) / (len(statistics) + 1)


def besag_clifford(statistics, observed, tolerance, stop_after):
    """(p, draws read): h / l when the h-th exceedance is draw l, else (c + 1) / (B + 1)."""
    reached = 0
    for number, value in enumerate(statistics, start=1):
        reached += value >= observed - tolerance
        if reached == stop_after:
            return stop_after / number, number
    return (reached + 1) / (len(statistics) + 1), len(statistics)


def holm(pvalues):
    """Each p times the number of hypotheses not rejected before it, made monotone, at most 1."""
    adjusted, running = [0.0] * len(pvalues), 0.0
    for step, place in enumerate(sorted(range(len(pvalues)), key=lambda i: pvalues[i])):
        running = max(running, (len(pvalues) - step) * pvalues[place])
        adjusted[place] = min(1.0, running)
    return adjusted
