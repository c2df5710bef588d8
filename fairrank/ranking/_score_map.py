"""A monotone map from one group's scores to fair scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.ranking._chains import Chains


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ScoreMap:
    """Fair score of any score of one group: linear between the knots, clamped outside.

    Attributes
    ----------
    score : ndarray, shape (n_knots,)
        The group's distinct scores at fit, ascending.
    fair_score : ndarray, shape (n_knots,)
        Their fair scores in (0, 1), never decreasing.

    Examples
    --------
    >>> from fairrank.ranking import fair_ordering
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> ordering = fair_ordering(y, score, sensitive_features=list("aabbab"))
    >>> to_fair = ordering.score_maps["a"]
    >>> bool(to_fair([0.6]) < to_fair([0.75]) < to_fair([0.9]) == to_fair([7.0]))
    True
    """

    score: np.ndarray
    fair_score: np.ndarray

    def __call__(self, score: Any) -> np.ndarray:
        """Fair scores of finite scores, each by itself."""
        score = np.asarray(score, dtype=np.float64)
        found = np.interp(score, self.score, self.fair_score)
        # Between knots a denormal number apart the slope overflows: never beyond either knot.
        last = self.score.size - 1
        above = self.fair_score[np.minimum(np.searchsorted(self.score, score), last)]
        below = self.fair_score[np.maximum(np.searchsorted(self.score, score, "right") - 1, 0)]
        return np.clip(found, below, above)

    def __repr__(self) -> str:
        """Say where it leads from and to."""
        return (
            f"ScoreMap({self.score.size} knots, [{self.score[0]:.4g}, {self.score[-1]:.4g}] -> "
            f"[{self.fair_score[0]:.4f}, {self.fair_score[-1]:.4f}])"
        )


def maps_of(chains: Chains, fair_scores: list[np.ndarray]) -> tuple[ScoreMap, ...]:
    """The map of every chain whose steps, best first, have these fair scores."""
    return tuple(
        ScoreMap(
            score=np.ascontiguousarray(chain.score[::-1]),
            fair_score=np.ascontiguousarray(fair[::-1]),
        )
        for chain, fair in zip(chains.chain, fair_scores)
    )
