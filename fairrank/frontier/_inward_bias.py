"""How far inside the true frontier the estimated one is expected to lie, from repeated folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.frontier._direction import as_direction
from fairrank.frontier._support_function import SupportFunction

# Below this part of its standard error, a bias is not worth a word.
MATERIAL = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class InwardBias:
    """How much too small h is on average in one direction, because of noise in the nuisances.

    Attributes
    ----------
    bias : float
        In units of loss, at least 0, in a direction of length 1.
    standard_error : float
        Of h in that direction.
    smallest_group : object
        Group of the fewest rows.
    smallest_group_size : int
        Its rows.
    n_repeats : int
        Cross-fittings that it was estimated from.

    Examples
    --------
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(n_repeats=3, random_state=0).fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features
    ... )
    >>> bias = frontier.expected_inward_bias("utilitarian")
    >>> 0 < bias.in_standard_errors < 1
    True
    """

    bias: float
    standard_error: float
    smallest_group: Any
    smallest_group_size: int
    n_repeats: int

    @property
    def in_standard_errors(self) -> float:
        """`bias` over `standard_error`; NaN where that is 0."""
        return self.bias / self.standard_error if self.standard_error > 0 else float("nan")

    @property
    def reading(self) -> str:
        """One sentence."""
        return (
            f"Noise of the nuisances is expected to draw the estimated frontier inward by "
            f"{self.bias:.2g} in units of loss there, {self.in_standard_errors:.2g} of its "
            f"standard error {self.standard_error:.2g}; the smallest group, "
            f"{self.smallest_group!s}, has {self.smallest_group_size} rows."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return asdict(self) | {
            "smallest_group": str(self.smallest_group),
            "in_standard_errors": self.in_standard_errors, "reading": self.reading,
        }

    def __str__(self) -> str:
        """The reading."""
        return self.reading


def expected_inward_bias(
    supports: Sequence[SupportFunction], n_folds: int, direction: Any = "utilitarian"
) -> InwardBias:
    """Estimate how far nuisance noise draws h inward, from folds that were dealt out anew.

    Parameters
    ----------
    supports : sequence of SupportFunction
        At least two cross-fittings of the same rows.
    n_folds : int
        Folds of each, at least 2.
    direction : str, array-like of shape (n_groups,) or Direction, default="utilitarian"
        As in `as_direction`; the bias is that of h in the direction of length 1.

    Returns
    -------
    InwardBias
        Of the support function of the repeats' medians.

    Raises
    ------
    ValueError
        Fewer than two cross-fittings, or other rows in one than in another.

    Notes
    -----
    h falls short by E[k 1{k > 0}] - E[k 1{k' > 0}], k' being the estimate of k. Where k' - k is
    noise of variance v with mean 0, that is f v / 2 to second order, f being the density of k at
    0, and by as much the mean of positive parts E[k' 1{k' > 0}] is too large. The latter is seen
    without any outcome: averaging R cross-fittings takes a part of v away, and the mean of
    positive parts sinks by f / 2 times that part. Two models of one row that each see 1 - 1/K of
    the other rows, drawn anew, share that much of their training; a delete-a-group jackknife, so
    that v is K times the variance between them. Hence the bias is K R / (R - 1) times the
    sinking, and that of the medians 1 - (1 - 1/R) / K of this.

    It counts noise alone: what a penalty or a wrong model does to the sign comes on top. Of a
    learner that a few rows change much, as untuned boosting, the jackknife makes too much;
    ``benchmarks/results/frontier_inward_bias.md`` has the numbers. Where X has few values noise
    seldom changes a sign, and the estimate is 0 in most samples. O(n R). Own derivation.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction
    >>> from fairrank.frontier import expected_inward_bias
    >>> data = make_frontier_data(2000, random_state=0)
    >>> known = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> expected_inward_bias([known, known], 5).bias
    0.0
    """
    if len(supports) < 2:
        raise ValueError(
            f"{len(supports)} cross-fitting was given, and noise shows between two: fit with "
            "n_repeats=3."
        )
    first = supports[0]
    if any(one.n_samples != first.n_samples for one in supports):
        raise ValueError("supports are of different rows: pass cross-fittings of the same ones.")
    q = as_direction(first, direction).q
    q = q / np.sqrt(q @ q)
    gains = np.array([one._sample.scaled @ q for one in supports])
    weight, repeats = first._sample.weight, len(supports)
    each, together = np.maximum(gains, 0.0).mean(axis=0), np.maximum(gains.mean(axis=0), 0.0)
    sinking = float(np.average(np.maximum(each - together, 0.0), weights=weight))
    of_one = n_folds * repeats / (repeats - 1) * sinking
    sizes = np.bincount(first._sample.code, minlength=first.n_groups)
    smallest = int(np.argmin(sizes))
    return InwardBias(
        bias=of_one * (1.0 - (1.0 - 1.0 / repeats) / n_folds),
        standard_error=first.standard_error(q), smallest_group=first.group_names[smallest],
        smallest_group_size=int(sizes[smallest]), n_repeats=repeats,
    )
