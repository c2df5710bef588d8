"""The groups' burden paths along the ranking, with the band that exchanged labels stay inside."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fairrank._validation import check_count, check_fraction
from fairrank.inference._burden_band import (
    ROUNDING,
    centred_on,
    cumulated,
    drawn_paths,
    grid_ends,
    simultaneous_band,
)
from fairrank.inference._exchangeability import Exchangeability
from fairrank.inference._permutation import EQUALITY, seed_sequence
from fairrank.inference._rgf_test import burden_name
from fairrank.inference._strata import read_strata
from fairrank.metrics._audit_sample import (
    TIE_TOLERANCE,
    AuditSample,
    SortedBurdens,
    audit_sample,
    repeated,
    sorted_burdens,
)

N_DECILES = 10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BurdenCurve:
    """Every group's cumulated burden along the ranking, and where exchanged labels would put it.

    Shares are parts of the total burden. Arrays over the grid start at rank 0 and end at rank 1;
    arrays over groups follow `groups`.

    Attributes
    ----------
    groups : tuple
    rank : ndarray, shape (n_grid,)
        t, the share of rows with a smaller or equal burden, at block ends.
    lorenz : ndarray, shape (n_grid,)
        ``L``, the burden of all rows up to there.
    path : ndarray, shape (n_groups, n_grid)
        ``E_g``, the group's part of it; ends at `burden_share`.
    expected_path : ndarray, shape (n_groups, n_grid)
        ``F_g``, the mean of `path` when labels change places: ``pi_g L`` without strata.
    centered_path : ndarray, shape (n_groups, n_grid)
        ``U_g = E_g - F_g - (s_g - sigma_g) t``, mean 0 under exchange, 0 at both ends. It rises
        where the group carries more than elsewhere.
    pointwise_low, pointwise_high : ndarray, shape (n_groups, n_grid)
        Quantiles of ``U_g`` over the draws, rank by rank.
    low, high : ndarray, shape (n_groups, n_grid)
        Simultaneous band: all groups' paths lie inside everywhere in a part `confidence_level`
        of the draws.
    standard_deviation : ndarray, shape (n_groups, n_grid)
        Of ``U_g`` over the draws.
    max_deviation : float
        Largest ``U_g`` of any group at any rank, measured by a typical width there.
    critical_deviation : float
        The same where the band lies: a path leaves it if `max_deviation` is larger.
    pvalue : float
        Of `max_deviation`, the observed labels counted among the draws. It is not the p-value of
        `rgf_test`, which sums squares over all ranks.
    group_share, burden_share, expected_share : ndarray, shape (n_groups,)
        ``pi_g``, ``s_g`` and ``sigma_g``.
    decile_rows : ndarray, shape (n_groups, 10)
        The group's part of the rows in every tenth of the ranking, the largest burdens last.
    decile_burden : ndarray, shape (n_groups, 10)
        Its burden there.
    decile_expected : ndarray, shape (n_groups, 10)
        Mean of `decile_burden` under exchange.
    false_positive_burden, false_negative_burden : ndarray, shape (n_groups, 10), or None
        `decile_burden` of its negatives and of its positives; None for a burden given as an
        array.
    confidence_level : float
    n_permutations : int
    strata : str
        "none", "outcome", "score", "given", or several joined by " x ".
    burden : str
    n_samples, n_dropped : int
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import burden_curve
    >>> group = np.repeat(["a", "b"], [80, 20])
    >>> burden = np.random.default_rng(0).random(100)
    >>> curve = burden_curve(
    ...     None, None, sensitive_features=group, burden=burden, random_state=0
    ... )
    >>> curve.path.shape == curve.completed_path.shape == (2, curve.rank.size)
    True
    """

    groups: tuple
    rank: np.ndarray
    lorenz: np.ndarray
    path: np.ndarray
    expected_path: np.ndarray
    centered_path: np.ndarray
    pointwise_low: np.ndarray
    pointwise_high: np.ndarray
    low: np.ndarray
    high: np.ndarray
    standard_deviation: np.ndarray
    max_deviation: float
    critical_deviation: float
    pvalue: float
    group_share: np.ndarray
    burden_share: np.ndarray
    expected_share: np.ndarray
    decile_rows: np.ndarray
    decile_burden: np.ndarray
    decile_expected: np.ndarray
    false_positive_burden: np.ndarray | None
    false_negative_burden: np.ndarray | None
    confidence_level: float
    n_permutations: int
    strata: str
    burden: str
    n_samples: int
    n_dropped: int
    seed: tuple

    @property
    def completed_path(self) -> np.ndarray:
        """``E_g + (1 - s_g) t``: all groups' paths, ending at 1."""
        return self.path + (1.0 - self.burden_share[:, None]) * self.rank

    @property
    def expected_completed_path(self) -> np.ndarray:
        """``F_g + (1 - sigma_g) t``: where `completed_path` lies on average under exchange."""
        return self.expected_path + (1.0 - self.expected_share[:, None]) * self.rank

    @property
    def outside(self) -> np.ndarray:
        """Where a centred path leaves the simultaneous band, bool of shape (n_groups, n_grid)."""
        above = self.centered_path - self.high * (1.0 + EQUALITY)
        below = self.low * (1.0 + EQUALITY) - self.centered_path
        return np.maximum(above, below) > ROUNDING

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            out[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
        return out | {"groups": [str(group) for group in self.groups]}

    def __repr__(self) -> str:
        """Who carries how much, and where a path leaves the band."""
        lines = [
            f"BurdenCurve(n_samples={self.n_samples}, pvalue={self.pvalue:.4g}, "
            f"max_deviation={self.max_deviation:.3g} (critical {self.critical_deviation:.3g}), "
            f"confidence_level={self.confidence_level:g}, n_permutations={self.n_permutations}"
            f"{'' if self.strata == 'none' else ', strata=' + self.strata})"
        ]
        for code, outside in enumerate(self.outside):
            where = (
                f"outside the band at {outside.mean():.0%} of the grid, ranks "
                f"{self.rank[outside].min():.2f} to {self.rank[outside].max():.2f}"
                if outside.any()
                else "inside the band"
            )
            lines.append(
                f"  {self.groups[code]!s}: {self.group_share[code]:.1%} of rows, "
                f"{self.burden_share[code]:.1%} of burden; {where}"
            )
        return "\n".join(lines)


def burden_curve(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    strata: Any = None,
    n_bins: int | None = None,
    n_permutations: int = 500,
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    tie_tolerance: float = TIE_TOLERANCE,
    n_jobs: Any = None,
    random_state: Any = None,
) -> BurdenCurve:
    """Where along the ranking every group carries its burden, against exchanged group labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; None when `burden` is an array.
    y_score : array-like of shape (n_samples,), or None
        Probability of the positive label, in [0, 1], best from rows not used to fit.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row; several columns are read as their intersections.
    burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
        As in `fairrank.metrics.rgf_score`.
    strata : None, "outcome", "score", array-like, or a tuple of these
        Inside what rows labels change places, as in `rgf_test`.
    n_bins : int, optional
        Bins of "score": by default 10 below 20,000 rows, else 50.
    n_permutations : int
        Draws behind the bands.
    confidence_level : float
        Of the bands, in (0, 1).
    sample_weight : array-like of int, shape (n_samples,), optional
        Repetitions. Floats are refused.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    BurdenCurve
        Paths on a grid of at most about 400 block ends, bands, and shares by decile.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, all burdens equal, or no stratum with two groups.
    ValueError, TypeError
        Bad input, as in `rgf_test`, or too few draws for the level.

    See Also
    --------
    rgf_test : The test that sums the squared distance over all ranks.
    fairrank.audit.BurdenCurveDisplay : The picture.

    Notes
    -----
    One sort, then O(n) a draw. Grid points lie evenly along the Lorenz curve (equal steps of
    ``t + L``), so that the few large burdens are seen as finely as the many small ones. The
    simultaneous band is a directional-quantile envelope [1]_: its half-width at a rank is the
    geometric mean of the pointwise one there and the widest one, up and down apart (paths are
    skewed), times a factor common to all ranks and groups. Its level is exact, because the
    observed path is one of the draws. A path that leaves the band contradicts exchange of labels
    somewhere, not everywhere; with more than two groups, of that group with the rest.

    References
    ----------
    .. [1] M. Myllymäki, T. Mrkvička, P. Grabarnik, H. Seijo and U. Hahn (2017). Global envelope
       tests for spatial processes. JRSS B 79(2), 381-404.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import burden_curve
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat(["a", "b"], [900, 100])
    >>> burden = rng.random(1000) * np.where(group == "b", 1.4, 1.0)
    >>> curve = burden_curve(
    ...     None, None, sensitive_features=group, burden=burden, random_state=0
    ... )
    >>> bool(curve.outside.any()), curve.pvalue < 0.05
    (True, True)
    """
    check_count(n_permutations, "n_permutations")
    check_fraction(confidence_level, "confidence_level", high_open=True)
    tail = 1.0 - confidence_level
    if (n_permutations + 1) * tail < 1.0 - EQUALITY:
        raise ValueError(
            f"n_permutations={n_permutations} is too few for confidence_level="
            f"{confidence_level:g}: pass at least {int(np.ceil(1.0 / tail - EQUALITY)) - 1}."
        )
    sample = repeated(
        audit_sample(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden,
            sample_weight=sample_weight, pos_label=pos_label, missing=missing,
            tie_tolerance=tie_tolerance,
        )
    )
    burdens = sorted_burdens(sample)
    chosen = read_strata(strata, sample, n_bins)
    exchange = Exchangeability.of(
        burdens, None if chosen.code is None else chosen.code[burdens.order]
    )
    exchange.require_informative(f"strata={chosen.name!r}")
    seed = seed_sequence(random_state)

    n, n_groups = exchange.share.size, exchange.n_groups
    end = grid_ends(exchange)
    rank = end / n
    path, expected = np.empty((2, n_groups, end.size))
    for g in range(n_groups):
        path[g] = cumulated(exchange.share * (exchange.group == g), end)
        expected[g] = cumulated(exchange.share * exchange.reference[exchange.stratum, g], end)
    drawn = drawn_paths(exchange, end, expected, n_permutations, seed, n_jobs)
    centered = centred_on(path, expected, rank)
    return BurdenCurve(
        groups=burdens.labels,
        rank=rank,
        lorenz=path.sum(axis=0),
        path=path,
        expected_path=expected,
        centered_path=centered,
        **simultaneous_band(np.concatenate((centered[None], drawn)), confidence_level),
        group_share=exchange.counts.sum(axis=0) / n,
        burden_share=path[:, -1].copy(),
        expected_share=expected[:, -1].copy(),
        **decile_shares(sample, burdens, exchange),
        confidence_level=float(confidence_level),
        n_permutations=int(n_permutations),
        strata=chosen.name,
        burden=burden_name(burden),
        n_samples=n,
        n_dropped=sample.n_dropped,
        seed=tuple(np.atleast_1d(np.asarray(seed.entropy)).tolist()),
    )


def decile_shares(
    sample: AuditSample, burdens: SortedBurdens, exchange: Exchangeability
) -> dict[str, Any]:
    """Rows and burden of every group by decile; a block of ties is spread over its positions."""
    share = exchange.share
    end = exchange.block_start
    edges = np.linspace(0.0, share.size, N_DECILES + 1)

    def by_decile(step: np.ndarray) -> np.ndarray:
        return np.diff(np.interp(edges, end, cumulated(step, end)))

    mine = [exchange.group == g for g in range(exchange.n_groups)]
    rows = np.array([by_decile(m.astype(np.float64)) for m in mine])
    by_outcome: list[np.ndarray | None] = [None, None]
    if sample.outcome is not None:
        outcome = sample.outcome[burdens.order]
        by_outcome = [
            np.array([by_decile(share * (m & (outcome == y))) for m in mine]) for y in (0, 1)
        ]
    return {
        "decile_rows": rows / rows.sum(axis=0),
        "decile_burden": np.array([by_decile(share * m) for m in mine]),
        "decile_expected": np.array(
            [by_decile(share * exchange.reference[exchange.stratum, g]) for g in range(len(mine))]
        ),
        "false_positive_burden": by_outcome[0],
        "false_negative_burden": by_outcome[1],
    }
