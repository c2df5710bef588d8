"""Fairness-accuracy frontiers by sums over rows, one direction at a time.

Numpy and the standard library only, nothing of fairrank; slow and literal on purpose.

A *sample* has realised losses `loss_0` and `loss_1` of both decisions, estimated differences
`delta` (n, n_groups), `group` as numbers 0 .. n_groups - 1, and weights or None. Group 0 is r. A
direction q in which |k| is below TIE in relative size counts as k = 0.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np

TIE = 1e-12
# Angles nearer than this are one break: samples have breaks far apart, or rounding apart.
SAME_ANGLE = 1e-10
FORCED = (3 * math.pi / 4, math.pi, 3 * math.pi / 2)
# Where an arc's own value is meant at its end: (direction, where to look from there).
ONE_SIDED = {
    "R": ((-1.0, 0.0), (0.0, -1.0)),
    "B": ((0.0, -1.0), (-1.0, 0.0)),
    "above": ((1.0, -1.0), (-1.0, -1.0)),
    "below": ((-1.0, 1.0), (-1.0, -1.0)),
}


@dataclass(frozen=True)
class Sample:
    loss_0: np.ndarray
    loss_1: np.ndarray
    delta: np.ndarray
    group: np.ndarray
    weight: np.ndarray | None = None
    cluster: np.ndarray | None = None

    @property
    def n(self):
        return len(self.group)

    @property
    def n_groups(self):
        return self.delta.shape[1]

    @property
    def mass(self):
        return np.ones(self.n) if self.weight is None else np.asarray(self.weight, dtype=float)

    @property
    def share(self):
        """mu_g."""
        total = math.fsum(self.mass)
        return np.array(
            [math.fsum(self.mass[self.group == g]) / total for g in range(self.n_groups)]
        )


# ---------------------------------------------------------------- one direction

def sign_of_k(sample, q, i):
    """Sign of sum_g q_g delta_g / mu_g of row i, 0 where that is rounding."""
    scaled = sample.delta[i] / sample.share
    k = math.fsum(x * d for x, d in zip(q, scaled))
    if abs(k) <= TIE * math.hypot(*q) * math.hypot(*scaled):
        return 0
    return 1 if k > 0 else -1


def treated(sample, q, then=None):
    """1{k > 0} of every row; with `then`, the limit from its side."""
    decided = []
    for i in range(sample.n):
        sign = sign_of_k(sample, q, i)
        if sign == 0 and then is not None:
            sign = sign_of_k(sample, then, i)
        decided.append(sign > 0)
    return np.array(decided)


def risks(sample, decided, weight=None):
    """Weighted mean loss in every group."""
    weight = sample.mass if weight is None else np.asarray(weight, dtype=float)
    loss = np.where(decided, sample.loss_1, sample.loss_0)
    return np.array(
        [
            math.fsum(weight[inside] * loss[inside]) / math.fsum(weight[inside])
            for inside in (sample.group == g for g in range(sample.n_groups))
        ]
    )


def support_point(sample, q, then=None, weight=None):
    return risks(sample, treated(sample, q, then), weight)


def named_point(sample, name):
    """The support point in a direction of ONE_SIDED, from the side that is meant there."""
    return support_point(sample, *ONE_SIDED[name])


def one_side_of(q):
    """Which side is meant in direction q of two groups; None for neither."""
    q = np.asarray(q) / math.hypot(*q)
    for direction, then in ONE_SIDED.values():
        if np.abs(np.asarray(direction) / math.hypot(*direction) - q).max() < SAME_ANGLE:
            return then
    return None


def h(sample, q, weight=None):
    """n^-1 sum zeta_i(q): with realised losses and the estimated sign."""
    then = one_side_of(q) if sample.n_groups == 2 else None
    return float(np.dot(q, support_point(sample, q, then, weight)))


def h_plug_in(sample, q):
    """q'E[M L_0] plus the mean of [k]+ ."""
    nobody = risks(sample, np.zeros(sample.n, dtype=bool))
    total = math.fsum(sample.mass)
    k = [math.fsum(x * d for x, d in zip(q, row / sample.share)) for row in sample.delta]
    return float(np.dot(q, nobody)) + math.fsum(
        w * max(v, 0.0) / total for w, v in zip(sample.mass, k)
    )


def most_gained(sample, q, capacity):
    """Largest mean of a_i k_i over a in [0, 1] with mean at most the capacity, row by row."""
    total = math.fsum(sample.mass)
    k = [math.fsum(x * d for x, d in zip(q, row / sample.share)) for row in sample.delta]
    left, gained = capacity, 0.0
    for value, mass in sorted(zip(k, sample.mass / total), reverse=True):
        taken = min(mass, left) if value > 0 else 0.0
        left -= taken
        gained += taken * value
    return gained


# ---------------------------------------------------------------- all arcs of two groups

def break_angles(sample):
    """Angles in [3pi/4, 11pi/4) at which some row's treatment changes, and the forced ones."""
    angles = [a + turn for a in FORCED for turn in (0.0, math.pi)]
    for x, y in sample.delta / sample.share:
        if x or y:
            angles += [math.atan2(y, x) + turn for turn in (-math.pi / 2, math.pi / 2)]
    start = 3 * math.pi / 4
    angles = sorted(
        start + (a - start + SAME_ANGLE) % (2 * math.pi) - SAME_ANGLE for a in angles
    )
    kept = [angles[0]]
    for a in angles[1:]:
        if a - kept[-1] > SAME_ANGLE:
            kept.append(a)
    return kept


def direction(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def arcs(sample, weight=None):
    """(first angle, last angle, support point) of every arc, from 3pi/4 counterclockwise."""
    angles = break_angles(sample)
    ends = [*angles[1:], angles[0] + 2 * math.pi]
    return [
        (a, b, support_point(sample, direction((a + b) / 2), weight=weight))
        for a, b in zip(angles, ends)
    ]


def within(cut, low, high):
    """The part of the arcs between two angles."""
    kept = []
    for turn in (-2 * math.pi, 0.0, 2 * math.pi):
        for a, b, s in cut:
            a, b = max(a + turn, low), min(b + turn, high)
            if b - a > SAME_ANGLE:
                kept.append((a, b, s))
    return kept


def largest(cut, value, peaks):
    """Largest value(angle, s) over arcs, met at an end or at one of the angles peaks(s)."""
    best = -math.inf
    for a, b, s in cut:
        tried = [a, b]
        for peak in peaks(s):
            peak = a + (peak - a) % (2 * math.pi)
            if peak < b:
                tried.append(peak)
        best = max([best, *(value(angle, s) for angle in tried)])
    return best


def largest_excess(cut, e):
    """Largest q'(e - S) over arcs."""
    return largest(
        cut,
        lambda angle, s: float(direction(angle) @ (e - s)),
        lambda s: [math.atan2(*(e - s)[::-1])],
    )


def h_of_better(e, p):
    """h_C(e)(p) of C(e) = {x <= e, |x_r - x_b| <= |e_r - e_b|}; infinite where p_r + p_b < 0."""
    r, b = e
    return max(p[0] * min(r, 2 * b - r) + p[1] * b, p[0] * r + p[1] * min(b, 2 * r - b))


def largest_better_by_points(e, p, far=1e3):
    """h_C(e)(p) by the corners of C(e), cut off far away."""
    r, b = e
    gap = abs(r - b)
    corners = [(r, b), (r, min(b, r + gap)), (r, max(r - gap, b - 2 * far)),
               (min(r, b + gap), b), (-far, -far + gap), (-far + gap, -far)]
    inside = [
        (x, y)
        for x, y in [*corners, (b - gap, b), (r, r - gap)]
        if x <= r + 1e-12 and y <= b + 1e-12 and abs(x - y) <= gap + 1e-12
    ]
    return max(p[0] * x + p[1] * y for x, y in inside)


def separation(cut, e):
    """max over 3pi/4 .. 7pi/4 of -h_C(e)(-q) - h(q)."""
    r, b = e
    targets = np.array([(min(r, 2 * b - r), b), (r, min(b, 2 * r - b))])
    return largest(
        within(cut, FORCED[0], FORCED[0] + math.pi),
        lambda angle, s: -h_of_better(e, -direction(angle)) - float(direction(angle) @ s),
        lambda s: [math.atan2(*(v - s)[::-1]) for v in targets],
    )


def smallest_equal_risk(cut):
    """sup of -h(q) / |q_r + q_b| over 3pi/4 < angle < 7pi/4: monotone inside an arc."""
    low, high = FORCED[0], FORCED[0] + math.pi
    tried = []
    for a, b, s in within(cut, low, high):
        for angle in (a, b):
            if low + SAME_ANGLE < angle < high - SAME_ANGLE:
                q = direction(angle)
                tried.append(float(q @ s) / q.sum())
    return max(tried)


# ---------------------------------------------------------------- convex sets

def clipped(normals, offsets, far=1e4):
    """Corners of {e : normal'e <= offset for all}, by clipping a large square line by line."""
    corners = [np.array(p) for p in ((-far, -far), (far, -far), (far, far), (-far, far))]
    for normal, offset in zip(normals, offsets):
        kept = []
        for p, q in zip(corners, [*corners[1:], *corners[:1]]):
            above_p, above_q = normal @ p - offset, normal @ q - offset
            if above_p <= 0:
                kept.append(p)
            if (above_p < 0 < above_q) or (above_q < 0 < above_p):
                kept.append(p + above_p / (above_p - above_q) * (q - p))
        corners = kept
    return np.array(corners).reshape(-1, 2)


def hull_support(points, q):
    """Largest q'x over points; minus infinity over none."""
    return max((float(np.dot(q, x)) for x in points), default=-math.inf)


# ---------------------------------------------------------------- influence

def influence(sample, q, decided, step=1e-4):
    """n w_i dh/dw_i by central differences, decisions held: what doubling row i moves, times n."""
    values = []
    for i in range(sample.n):
        moved = []
        for sign in (1, -1):
            weight = sample.mass.copy()
            weight[i] *= 1 + sign * step
            moved.append(float(np.dot(q, risks(sample, decided, weight))))
        values.append(sample.n * (moved[0] - moved[1]) / (2 * step))
    return np.array(values)


def jackknife_variance(sample, q, decided):
    """Variance of h by leaving out one row, or one cluster, at a time, decisions held."""
    cluster = np.arange(sample.n) if sample.cluster is None else np.asarray(sample.cluster)
    labels = np.unique(cluster)
    left = np.array(
        [
            np.dot(q, risks(sample, decided, np.where(cluster == c, 0.0, sample.mass)))
            for c in labels
        ]
    )
    return (len(labels) - 1) / len(labels) * ((left - left.mean()) ** 2).sum()


# ---------------------------------------------------------------- a population of finite support

@dataclass(frozen=True)
class Population:
    """Cells x with P(x), P(g | x) in columns, and E[loss of decision d | x, g] at [:, d, g]."""

    mass: np.ndarray
    group: np.ndarray
    loss: np.ndarray

    @property
    def share(self):
        return self.mass @ self.group

    @property
    def theta(self):
        """theta_d^g(x) at [:, d, g]."""
        return self.loss * self.group[:, np.newaxis, :]

    def risks(self, rule):
        """e_g(a) of a rule with P(decision 1) of every cell."""
        rule = np.asarray(rule, dtype=float)[:, np.newaxis]
        loss = rule * self.theta[:, 1] + (1 - rule) * self.theta[:, 0]
        return self.mass @ loss / self.share

    def all_deterministic(self):
        """Risks of all 2^n rules; E is their hull."""
        return np.array(
            [self.risks(rule) for rule in itertools.product((0, 1), repeat=len(self.mass))]
        )

    def as_sample(self):
        """One row a cell and group, weighted by its probability, losing what is expected."""
        n, n_groups = self.group.shape
        cell, g = np.repeat(np.arange(n), n_groups), np.tile(np.arange(n_groups), n)
        delta = self.theta[:, 1] - self.theta[:, 0]
        return Sample(
            loss_0=self.loss[cell, 0, g], loss_1=self.loss[cell, 1, g], delta=delta[cell],
            group=g, weight=(self.mass[:, np.newaxis] * self.group)[cell, g],
        )


def is_dominated(e, points, slack):
    """Whether a point is as accurate for both groups and as fair, and better by `slack` in one."""
    better = [
        np.array([e[0] - x[0], e[1] - x[1], abs(e[0] - e[1]) - abs(x[0] - x[1])]) for x in points
    ]
    return any((gain >= -1e-12).all() and (gain > slack).any() for gain in better)
