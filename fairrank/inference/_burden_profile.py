"""Who carries the burden, and where along the ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.inference._exchangeability import Exchangeability
from fairrank.metrics._audit_sample import AuditSample, SortedBurdens


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBurden:
    """One group's part of the burden: an entry of `RGFTestResult.groups`.

    Attributes
    ----------
    group : hashable
        The group, as it was passed.
    n_samples : int
        Its rows, repetitions counted.
    group_share : float
        ``pi_g``, its part of the rows, in (0, 1).
    burden_share : float
        ``s_g``, its part of the total burden, in [0, 1].
    expected_share : float
        ``sigma_g``, the part it would carry if labels were exchanged inside the strata;
        ``pi_g`` without strata.
    burden_ratio : float
        ``s_g / pi_g``, at least 0; above 1 the group carries more than its share.
    conditional_ratio : float
        ``s_g / sigma_g``, the same inside the strata; NaN where ``sigma_g`` is 0.
    mean_burden : float
        In units of the burden.
    mean_false_positive_burden, mean_false_negative_burden : float or None
        Mean burden of its rows with a negative and with a positive outcome, in units of the
        burden; NaN where it has no such row, None when the burden was given as an array.
    false_positive_share, false_negative_share : float or None
        Parts of the total burden that its negatives and its positives carry, in [0, 1]; None when
        the burden was given as an array.
    peak : float
        The centred path ``U_g`` where it is furthest from 0, with its sign, as a part of the
        total burden: see `BurdenCurve.centered_path`.
    peak_rank : float
        Rank (0 = smallest burden, 1 = largest) of the peak.
    peak_range : tuple of float
        Ranks around the peak where ``U_g`` keeps at least half of it.
    excess_range : tuple of float
        Ranks between which ``U_g`` rises most: there the group carries more than elsewhere.

    See Also
    --------
    rgf_test : The test whose result holds one of these a group.

    Examples
    --------
    >>> from fairrank.inference import rgf_test
    >>> burden, group = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9], ["a", "a", "b", "a", "b", "b"]
    >>> test = rgf_test(None, None, sensitive_features=group, burden=burden)
    >>> carried = test.groups[1]
    >>> carried.group, round(carried.burden_share, 2), round(carried.burden_ratio, 2)
    ('b', 0.72, 1.44)
    """

    group: Any
    n_samples: int
    group_share: float
    burden_share: float
    expected_share: float
    burden_ratio: float
    conditional_ratio: float
    mean_burden: float
    mean_false_positive_burden: float | None
    mean_false_negative_burden: float | None
    false_positive_share: float | None
    false_negative_share: float | None
    peak: float
    peak_rank: float
    peak_range: tuple[float, float]
    excess_range: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values; the group as text."""
        return asdict(self) | {"group": str(self.group)}


def expected_part(exchange: Exchangeability, code: int) -> np.ndarray:
    """Share of group `code` in every row's stratum; one number when there is one stratum."""
    if exchange.n_strata == 1:
        return exchange.reference[0, code]
    return exchange.reference[exchange.stratum, code]


def centred_path(exchange: Exchangeability, code: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranks and ``U_g`` at the block ends, both starting at 0."""
    share, group = exchange.share, exchange.group
    step = share * ((group == code) - expected_part(exchange, code))
    ends = exchange.block_start[1:]
    path = np.cumsum(step)[ends - 1]
    rank = ends / share.size
    path = path - path[-1] * rank
    path[-1] = 0.0
    return np.concatenate(([0.0], rank)), np.concatenate(([0.0], path))


def burden_profile(
    sample: AuditSample, burdens: SortedBurdens, exchange: Exchangeability
) -> tuple[GroupBurden, ...]:
    """`GroupBurden` of every group. O(n G)."""
    total = float(burdens.burden.sum())
    outcome = None if sample.outcome is None else sample.outcome[burdens.order]
    profiles = []
    rank, path = centred_path(exchange, 0)
    for code, label in enumerate(burdens.labels):
        mine = burdens.group == code
        n_mine = int(mine.sum())
        carried = float(burdens.burden[mine].sum())
        expected = float((expected_part(exchange, code) * exchange.share).sum())
        by_outcome: list[float | None] = [None] * 4
        if outcome is not None:
            for j, positive in enumerate((0, 1)):
                inside = mine & (outcome == positive)
                part = float(burdens.burden[inside].sum())
                by_outcome[j] = part / int(inside.sum()) if inside.any() else float("nan")
                by_outcome[2 + j] = part / total
        if code == 1 and len(burdens.labels) == 2:
            path = -path  # two centred paths sum to 0
        elif code > 0:
            rank, path = centred_path(exchange, code)
        top = int(np.argmax(np.abs(path)))
        pi, s = n_mine / burdens.group.size, carried / total
        profiles.append(
            GroupBurden(
                group=label,
                n_samples=n_mine,
                group_share=pi,
                burden_share=s,
                expected_share=expected,
                burden_ratio=s / pi,
                conditional_ratio=s / expected if expected > 0 else float("nan"),
                mean_burden=carried / n_mine,
                mean_false_positive_burden=by_outcome[0],
                mean_false_negative_burden=by_outcome[1],
                false_positive_share=by_outcome[2],
                false_negative_share=by_outcome[3],
                peak=float(path[top]),
                peak_rank=float(rank[top]),
                peak_range=_half_height(rank, path, top),
                excess_range=_steepest_rise(rank, path),
            )
        )
    return tuple(profiles)


def _half_height(rank: np.ndarray, path: np.ndarray, top: int) -> tuple[float, float]:
    low = np.flatnonzero(path * np.sign(path[top]) < np.abs(path[top]) / 2.0)
    before, after = low[low < top], low[low > top]
    first = before[-1] + 1 if before.size else 0
    last = after[0] - 1 if after.size else path.size - 1
    return float(rank[first]), float(rank[last])


def _steepest_rise(rank: np.ndarray, path: np.ndarray) -> tuple[float, float]:
    lowest = np.minimum.accumulate(path)
    end = int(np.argmax(path - lowest))
    start = int(np.argmin(path[: end + 1]))
    return float(rank[start]), float(rank[end])
