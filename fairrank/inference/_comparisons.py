"""Which groups differ: pairs and one group against the rest, each with draws of its own.

Statistics of a pair read off the same draws as the whole are not valid once a third group
differs: its labels must stay where they are. Only max-T uses the common draws, and tests the
complete null alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.inference._exchangeability import Exchangeability, pair_statistics
from fairrank.inference._holm import holm


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupComparison:
    """One pair of groups, or one group against the rest.

    It is an entry of `RGFTestResult.pairs` or `RGFTestResult.one_vs_rest`.

    Attributes
    ----------
    first, second : hashable
        The groups; `second` is None for "the rest".
    statistic : float
        T with the comparison's own centre, at least 0.
    expected_statistic : float
        Its mean over the comparison's permutations.
    effect_size : float
        Their ratio, about 1 when burdens are shared alike; NaN where the mean is 0.
    pvalue : float
        Labels change places inside the comparison only. NaN where none can.
    pvalue_holm : float
        Adjusted for all comparisons of this kind (Holm 1979).
    pvalue_max_t : float
        Single-step adjusted from the common draws, every statistic divided by its own mean.
        Valid under the complete null only; NaN for one against the rest and sequential tests.

    See Also
    --------
    rgf_test : Its `comparisons` says which are made.

    Examples
    --------
    >>> from fairrank.inference import rgf_test
    >>> burden = [0.1, 0.2, 0.3, 0.2, 0.4, 0.5, 0.3, 0.6, 0.9]
    >>> test = rgf_test(None, None, sensitive_features=list("aaabbbccc"), burden=burden)
    >>> [(pair.first, pair.second, round(pair.pvalue, 2)) for pair in test.pairs]
    [('a', 'b', 0.4), ('a', 'c', 0.3), ('b', 'c', 0.3)]
    >>> test.one_vs_rest[2].first, test.one_vs_rest[2].second
    ('c', None)
    """

    first: Any
    second: Any
    statistic: float
    expected_statistic: float
    effect_size: float
    pvalue: float
    pvalue_holm: float
    pvalue_max_t: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values; the groups as text, and None for the rest."""
        second = None if self.second is None else str(self.second)
        return asdict(self) | {"first": str(self.first), "second": second}


def max_t_pvalues(exchange: Exchangeability, products: np.ndarray, exact: bool) -> np.ndarray:
    """Adjusted p of every pair from the common draws, shape (G, G).

    Standardised by each pair's own mean: raw, the largest pair always wins.
    """
    expected = exchange.expected_norms
    safe = np.where(expected > 0.0, expected, np.inf)
    observed = pair_statistics(exchange.products) / safe
    drawn = (pair_statistics(products) / safe).max(axis=(1, 2))
    reached = (drawn[:, None, None] >= observed - 1e-9 * np.maximum(observed, 1.0)).sum(axis=0)
    if exact:
        return reached / drawn.size
    return (1.0 + reached) / (drawn.size + 1.0)


def compare_groups(
    exchange: Exchangeability,
    labels: tuple,
    pairs: list[tuple[int, int | None]],
    pvalue_of: Callable[[Exchangeability, np.random.SeedSequence], float],
    seed: np.random.SeedSequence,
    max_t: np.ndarray | None,
) -> tuple[GroupComparison, ...]:
    """Test every comparison on its own and adjust the p-values together."""
    found = []
    for (first, second), child in zip(pairs, seed.spawn(len(pairs))):
        own = exchange.one_against(first, second)
        statistic = float(pair_statistics(own.products)[0, 1])
        expected = float(own.expected_norms[0, 1])
        movable = bool(own.informative.any())
        found.append(
            (statistic, expected, pvalue_of(own, child) if movable else float("nan"))
        )
    adjusted = holm(np.array([pvalue for _, _, pvalue in found]))
    return tuple(
        GroupComparison(
            first=labels[first],
            second=None if second is None else labels[second],
            statistic=statistic,
            expected_statistic=expected,
            effect_size=statistic / expected if expected > 0.0 else float("nan"),
            pvalue=pvalue,
            pvalue_holm=float(holm_p),
            pvalue_max_t=(
                float("nan") if max_t is None or second is None else float(max_t[first, second])
            ),
        )
        for ((first, second), (statistic, expected, pvalue), holm_p) in zip(
            pairs, found, adjusted
        )
    )
