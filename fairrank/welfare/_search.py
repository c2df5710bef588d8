"""The paper's algorithm: golden section over welfare, binary search over multipliers inside.

It asks only for expectations under threshold policies (Propositions 11 and 12, Appendix E.1),
never for a sort. The paper restricts epsilon so that multipliers stay bounded; here their bracket
grows until it encloses the welfare that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairrank.welfare._policy_sample import PolicySample
from fairrank.welfare._threshold_rule import ThresholdRule

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
# Doublings of a bracket before its end counts as infinite, and halvings afterwards.
N_DOUBLINGS, N_HALVINGS = 60, 200


@dataclass(frozen=True, slots=True)
class _Bracket:
    """Two threshold policies of a group, and what the part `tie` between them comes to."""

    low: float
    high: float
    tie: float
    welfare: float
    revenue: float


class _Group:
    """Expectations of one group's threshold policies, per person."""

    def __init__(self, sample: PolicySample, g: int) -> None:
        rows = sample.code == g
        if sample.weight.size:
            rows &= sample.weight > 0
        self.revenue = np.ascontiguousarray(sample.revenue[rows])
        self.utility = np.ascontiguousarray(sample.utility[rows])
        weight = sample.weight[rows] if sample.weight.size else np.ones(len(self.revenue))
        self.weight = (weight / weight.sum()).reshape(-1, *[1] * (self.revenue.ndim - 1))
        self.code = np.zeros(len(self.revenue), dtype=np.uint8)
        self.largest = float(np.abs(self.revenue).max())
        # Multipliers of this size make revenue and utility weigh alike.
        self.scale = max(self.largest / (float(np.abs(self.utility).max()) or 1.0), 1e-300)
        self.left, self.right = self.at(np.inf)[0], self.at(-np.inf)[0]

    def at(self, multiplier: float) -> tuple[float, float]:
        """Welfare and revenue of taking every step steeper than `multiplier`. O(n)."""
        cut = np.array([multiplier])
        rule = ThresholdRule(
            multiplier=cut, tie_probability=np.zeros(1), cut_low=cut, cut_high=cut
        )
        taken = self.weight * rule.acceptance(self.revenue, self.utility, self.code)
        return float((taken * self.utility).sum()), float((taken * self.revenue).sum())

    def holding(self, welfare: float, tol: float) -> _Bracket:
        """Mix of two threshold policies with this welfare, by binary search."""
        low, high = -np.inf, np.inf
        probe, step = 0.0, self.scale
        at_low, at_high = self.at(low), self.at(high)
        for _ in range(N_DOUBLINGS + N_HALVINGS):
            here = self.at(probe)
            if here[0] >= welfare:
                low, at_low = probe, here
            else:
                high, at_high = probe, here
            if np.isfinite(low) and np.isfinite(high):
                # What mixing the two can lose in revenue (Proposition 12).
                if (high - low) * (at_low[0] - at_high[0]) <= tol * self.largest * 1e-3:
                    break
                probe = 0.5 * (low + high)
                if probe in (low, high):
                    break
            elif abs(probe) > self.scale * 2.0**N_DOUBLINGS:
                break
            else:
                probe = (probe + step) if np.isfinite(low) else (probe - step)
                step *= 2.0
        gap = at_low[0] - at_high[0]
        tie = (welfare - at_high[0]) / gap if gap > 0 else 0.0
        tie = min(max(tie, 0.0), 1.0)
        return _Bracket(
            low, high, tie, tie * at_low[0] + (1 - tie) * at_high[0],
            tie * at_low[1] + (1 - tie) * at_high[1],
        )


def golden_search(
    sample: PolicySample, unconstrained: np.ndarray, tolerance: float, tol: float
) -> ThresholdRule:
    """Rule within about `tol` of the largest revenue, relative to the largest |revenue|.

    O(n log(1 / tol)^2) for each group.

    Returns
    -------
    ThresholdRule
        Between its two cuts it mixes two threshold policies.
    """
    groups = [_Group(sample, g) for g in range(sample.n_groups)]
    free = unconstrained - sample.base

    def brackets(edge: float) -> list[_Bracket]:
        wanted = np.clip(free, edge, edge + tolerance) if tolerance else np.full(free.size, edge)
        return [
            one.holding(float(np.clip(w, one.left, one.right)), tol)
            for one, w in zip(groups, wanted)
        ]

    def revenue(edge: float) -> float:
        return float(sample.share @ [one.revenue for one in brackets(edge)])

    low = max(one.left for one in groups) - tolerance
    high = min(one.right for one in groups)
    # The best window never lies beyond all unconstrained welfares.
    low, high = max(low, min(free.min() - tolerance, high)), min(high, max(free.max(), low))
    a, d = low, high
    b, c = d - GOLDEN * (d - a), a + GOLDEN * (d - a)
    at_b, at_c = revenue(b), revenue(c)
    while d - a > 0.25 * tol * max(high - low, 1e-300):
        if at_b >= at_c:
            d, c, at_c = c, b, at_b
            b = d - GOLDEN * (d - a)
            at_b = revenue(b)
        else:
            a, b, at_b = b, c, at_c
            c = a + GOLDEN * (d - a)
            at_c = revenue(c)
        if not a < b < c < d:
            break
    # The ends and each group's own best are where optima often lie.
    edges = [b, c, low, high, *np.clip(free, low, high), *np.clip(free - tolerance, low, high)]
    best = max(edges, key=revenue)
    found = brackets(best)
    ends = np.array([[one.low, one.high] for one in found])
    finite = np.where(np.isfinite(ends), ends, ends[:, ::-1])
    multiplier = np.where(np.isfinite(finite).all(axis=1), finite.mean(axis=1), 0.0)
    return ThresholdRule(
        multiplier=multiplier, tie_probability=np.array([one.tie for one in found]),
        cut_low=ends[:, 0].copy(), cut_high=ends[:, 1].copy(),
    )
