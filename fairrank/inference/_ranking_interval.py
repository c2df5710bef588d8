"""Bootstrap intervals of ranking disparities: signed for every pair, and for the largest."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from fairrank._kernels.cross import resampled_concordance
from fairrank._validation import check_choice, check_count, check_fraction
from fairrank.exceptions import DegenerateGroupError, SmallGroupWarning
from fairrank.inference._permutation import SERIAL_WORK, chunk_seeds, entropy_of, seed_sequence
from fairrank.metrics._ranking_disparity import favoured_pair
from fairrank.metrics._ranking_sample import (
    DISPARITIES,
    RankingSample,
    SortedRanking,
    comparison_of,
    lacking,
    ranking_sample,
    repeated_rows,
    signed_differences,
    sorted_ranking,
)

CHUNK = 20
# A resample of fewer rows than this says little about their spread.
FEW_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInterval:
    """What one group is favoured by over another, with its intervals.

    Attributes
    ----------
    above, below : group
        Positive differences favour `above`.
    difference : float
    standard_error : float
        Standard deviation of the resampled differences.
    low, high : float
        Percentile interval of this pair alone.
    joint_low, joint_high : float
        Of the intervals that hold for all pairs at once; `low` and `high` where there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import ranking_disparity_interval
    >>> rng = np.random.default_rng(0)
    >>> score, group = rng.normal(size=300), rng.choice(["a", "b"], 300)
    >>> (pair,) = ranking_disparity_interval(
    ...     None, score, sensitive_features=group, disparity="urf", random_state=0
    ... ).pairs
    >>> pair.above, pair.below, pair.low < pair.difference < pair.high
    ('a', 'b', True)
    """

    above: Any
    below: Any
    difference: float
    standard_error: float
    low: float
    high: float
    joint_low: float
    joint_high: float

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON; the groups as text."""
        return asdict(self) | {"above": str(self.above), "below": str(self.below)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RankingDisparityInterval:
    """A bootstrap interval of the largest ranking disparity, and of every pair's.

    Attributes
    ----------
    low, high : float
        For the largest ``|difference|`` over pairs; `low` is 0 where no pair's joint interval
        lies on one side of 0.
    estimate : float
        The largest ``|difference|`` of the sample.
    pair : tuple of two labels
        The pair it belongs to, the favoured group first.
    pairs : tuple of SignedInterval
    confidence_level : float
    disparity : {"xauc", "prf", "urf"}
    n_resamples : int
    distribution : ndarray, shape (n_resamples, n_pairs)
        Resampled signed differences, in the order of `pairs`.
    seed : tuple of int
        Entropy of the draws' SeedSequence.

    Examples
    --------
    >>> from fairrank.inference import ranking_disparity_interval
    >>> score, group = [0.1, 0.4, 0.2, 0.6, 0.3, 0.7, 0.5, 0.9, 0.8, 0.95], ["a", "b"] * 5
    >>> ranking_disparity_interval(
    ...     None, score, sensitive_features=group, disparity="urf", random_state=0
    ... )
    RankingDisparityInterval(urf = 0.6800, 95 % [0.0400, 1.0000], favours 'b' over 'a', \
n_resamples=2000)
    """

    low: float
    high: float
    estimate: float
    pair: tuple
    pairs: tuple[SignedInterval, ...]
    confidence_level: float
    disparity: str
    n_resamples: int
    distribution: np.ndarray
    seed: tuple

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values; the resampled differences are left out."""
        names = [name for name in self.__slots__ if name != "distribution"]
        return {name: getattr(self, name) for name in names} | {
            "pair": [str(group) for group in self.pair],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "seed": list(self.seed),
        }

    def __repr__(self) -> str:
        """State the interval as one would write it."""
        first, second = self.pair
        return (
            f"RankingDisparityInterval({self.disparity} = {self.estimate:.4f}, "
            f"{100 * self.confidence_level:g} % [{self.low:.4f}, {self.high:.4f}], "
            f"favours {first!r} over {second!r}, n_resamples={self.n_resamples})"
        )


def resampled_differences(
    sample: RankingSample, ranking: SortedRanking, disparity: str, n_resamples: int,
    seed: np.random.SeedSequence, n_jobs: Any,
) -> np.ndarray:
    """Signed differences of stratified resamples, shape (n_resamples, G, G). O(n G) a draw."""
    comparison = comparison_of(disparity, sample.n_groups)
    strata = comparison.strata
    stratum = strata[ranking.code]
    sizes = np.bincount(stratum, minlength=int(strata.max()) + 1)
    warn_if_few(sample, disparity, sizes[strata])
    above_of, below_of = (np.empty(sizes.size, dtype=np.int16) for _ in range(2))
    above_of[strata], below_of[strata] = comparison.above_of, comparison.below_of
    stratum_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
    jobs = n_jobs if stratum.size * n_resamples >= SERIAL_WORK else 1
    parts = Parallel(n_jobs=jobs, prefer="threads")(
        delayed(resampled_concordance)(
            stratum, ranking.block_start, stratum_start, above_of, below_of,
            comparison.n_above, comparison.n_below, state, n_draws,
        )
        for state, n_draws in chunk_seeds(seed, n_resamples, CHUNK)
    )
    # A draw keeps the size of every sample.
    above, below = (
        np.bincount(table[table >= 0], weights=sizes[table >= 0]) for table in (above_of, below_of)
    )
    return signed_differences(np.concatenate(parts) / above[:, None] / below)


def warn_if_few(sample: RankingSample, disparity: str, n_rows: np.ndarray) -> None:
    """Say so when a sample that is resampled has hardly a row. `n_rows` is by code."""
    code = int(np.argmin(n_rows))
    if n_rows[code] >= FEW_ROWS:
        return
    kind = "rows" if disparity == "urf" else ("negatives", "positives")[code % 2]
    whose = "all groups" if kind == "negatives" and disparity == "prf" else (
        f"group {sample.labels[code // 2]!r}"
    )
    warnings.warn(
        f"sensitive_features: there are only {n_rows[code]} {kind} of {whose} to resample, so "
        "the interval is too narrow. Merge the group, or gather more rows.",
        SmallGroupWarning,
        stacklevel=4,
    )


def joint_bounds(
    difference: np.ndarray, resampled: np.ndarray, confidence_level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals that hold for all pairs at once: the maximum of studentised deviations.

    Parameters
    ----------
    difference : (n_pairs,)
    resampled : (n_resamples, n_pairs)
    """
    spread = resampled.std(axis=0, ddof=1)
    deviation = np.abs(resampled - difference)
    largest = np.divide(
        deviation, spread, out=np.zeros_like(deviation), where=spread > 0.0
    ).max(axis=1)
    reach = np.quantile(largest, confidence_level) * spread
    return np.maximum(difference - reach, -1.0), np.minimum(difference + reach, 1.0)


def absolute_bounds(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """Smallest and largest possible ``max |difference|`` when each lies in its interval."""
    nearest = np.maximum(np.maximum(low, -high), 0.0)
    return float(nearest.max()), float(np.maximum(-low, high).max())


def ranking_disparity_interval(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    disparity: str = "xauc",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    n_jobs: Any = None,
    random_state: Any = None,
) -> RankingDisparityInterval:
    """Bootstrap intervals of the groups' ranking disparities and of the largest of them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; may be None for "urf".
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    disparity : {"xauc", "prf", "urf"}
        As in `fairrank.metrics.ranking_disparity`.
    confidence_level : float
        In (0, 1).
    n_resamples : int
        Draws.
    sample_weight : array-like of int, shape (n_samples,), optional
        Repetitions, resampled as rows. Floats are refused.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    RankingDisparityInterval
        Read by name: `low`, `high`, `estimate`, `pairs`, ...

    Raises
    ------
    DegenerateGroupError
        Some pair's disparity is undefined, as in `fairrank.metrics.ranking_disparity`.
    ValueError, TypeError
        Bad input, as there.

    Warns
    -----
    SmallGroupWarning
        A sample of fewer than 5 rows is resampled.

    See Also
    --------
    fairrank.metrics.ranking_disparity : Standard errors without resampling.

    Notes
    -----
    Rows are drawn inside the samples that are compared: for xauc every group's positives and
    negatives; for prf every group's positives, and everybody's negatives together; for urf the
    groups. O(n G) a draw, without sorting.

    The largest ``|difference|`` is never below 0 and is above it by chance, so that percentiles
    of *its* resamples exclude a true 0 nearly always. Its interval is therefore read off signed
    intervals that hold for all pairs at once (the percentile interval of the only pair; for more
    groups, studentised deviations whose maximum over pairs stays below its quantile): when every
    difference lies in its interval, the largest in size lies between `low` and `high`. Hence it
    covers at least as often as they do, 0 included, and is cautious away from 0. Own derivation.

    Intervals hold the score for given: a model fitted to the same rows varies too.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import ranking_disparity_interval
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b", "c"], 900), rng.integers(0, 2, 900)
    >>> interval = ranking_disparity_interval(
    ...     y, rng.normal(size=900) + y, sensitive_features=group, random_state=0
    ... )
    >>> interval.low, interval.estimate < interval.high
    (0.0, True)
    """
    check_choice(disparity, DISPARITIES, "disparity")
    check_fraction(confidence_level, "confidence_level", high_open=True)
    check_count(n_resamples, "n_resamples", minimum=2)
    sample = repeated_rows(
        ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing, labelled=disparity != "urf",
        )
    )
    reason = lacking(sample, disparity)
    if reason is not None:
        raise DegenerateGroupError(reason)
    seed = seed_sequence(random_state)
    ranking = sorted_ranking(sample)
    differences = signed_differences(comparison_of(disparity, sample.n_groups).won(ranking))
    first, second = np.triu_indices(sample.n_groups, 1)
    resampled = resampled_differences(sample, ranking, disparity, n_resamples, seed, n_jobs)
    drawn, difference = resampled[:, first, second], differences[first, second]
    tail = (1.0 - confidence_level) / 2.0
    low, high = np.quantile(drawn, [tail, 1.0 - tail], axis=0)
    alone = difference.size == 1
    joint = (low, high) if alone else joint_bounds(difference, drawn, confidence_level)
    bounds = absolute_bounds(*joint)
    favoured = favoured_pair(differences)
    assert favoured is not None  # a pair without value was refused above
    return RankingDisparityInterval(
        low=bounds[0],
        high=bounds[1],
        estimate=abs(float(differences[favoured])),
        pair=(sample.labels[favoured[0]], sample.labels[favoured[1]]),
        pairs=tuple(
            SignedInterval(
                above=sample.labels[g], below=sample.labels[h], difference=float(d),
                standard_error=float(s), low=float(a), high=float(b), joint_low=float(c),
                joint_high=float(e),
            )
            for g, h, d, s, a, b, c, e in zip(
                first, second, difference, drawn.std(axis=0, ddof=1), low, high, *joint
            )
        ),
        confidence_level=float(confidence_level),
        disparity=disparity,
        n_resamples=int(n_resamples),
        distribution=drawn,
        seed=entropy_of(seed),
    )
