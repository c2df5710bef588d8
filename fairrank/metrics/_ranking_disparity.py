"""Ranking disparities of every pair of groups in one result, with standard errors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels import cross as _cross
from fairrank._validation import check_choice
from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.metrics._rank_graduation import pairs_of
from fairrank.metrics._ranking_sample import (
    DISPARITIES,
    Comparison,
    RankingSample,
    SortedRanking,
    comparison_of,
    lacking,
    part_of_pairs,
    ranking_sample,
    signed_differences,
    sorted_ranking,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RankingDisparity:
    """How far apart the groups stand in a ranking, pair by pair.

    Attributes
    ----------
    value : float
        Largest ``|difference|`` over pairs; NaN when any pair is undefined.
    pair : tuple of two labels, or None
        The pair it belongs to, the favoured group first; None when `value` is NaN.
    standard_error : float
        Of the signed difference of `pair`, as if the pair had been chosen beforehand.
    disparity : {"xauc", "prf", "urf"}
    groups : tuple
        The labels, in the order of rows and columns below.
    concordance : ndarray
        xauc: shape (G, G), ``xAUC(row, column)``, within-group AUC on the diagonal. prf: shape
        (G,), ``PRF``. urf: shape (G, G), ``P(S_row > S_column)``.
    differences : ndarray, shape (G, G)
        What the row's group is favoured by over the column's; antisymmetric.
    standard_errors : ndarray, shape (G, G)
        Of `differences`; NaN where a sample has one row only.
    auc : float
        AUC of everybody; NaN without labels or with one class.
    n_negative, n_positive : ndarray, shape (G,)
        Rows (repetitions counted, weights summed); all count as negative without labels.
    weighting : {"none", "repetition", "mass"}

    Examples
    --------
    >>> from fairrank.metrics import ranking_disparity
    >>> y, score = [1, 0, 1, 0, 1, 1], [0.9, 0.6, 0.6, 0.2, 0.4, 0.7]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> result = ranking_disparity(y, score, sensitive_features=group, disparity="prf")
    >>> result
    RankingDisparity(prf = 0.1250, favours 'a' over 'b', standard_error=0.3062, auc=0.8125)
    >>> result.concordance.round(3).tolist()
    [0.875, 0.75]
    """

    value: float
    pair: tuple | None
    standard_error: float
    disparity: str
    groups: tuple
    concordance: np.ndarray
    differences: np.ndarray
    standard_errors: np.ndarray
    auc: float
    n_negative: np.ndarray
    n_positive: np.ndarray
    weighting: str

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        } | {
            "groups": [str(group) for group in self.groups],
            "pair": None if self.pair is None else [str(group) for group in self.pair],
        }

    def __repr__(self) -> str:
        """State the value, the pair, and what it rests on."""
        pair = "undefined" if self.pair is None else "favours {!r} over {!r}".format(*self.pair)
        return (
            f"RankingDisparity({self.disparity} = {self.value:.4f}, {pair}, "
            f"standard_error={self.standard_error:.4f}, auc={self.auc:.4f})"
        )


def favoured_pair(differences: np.ndarray) -> tuple[int, int] | None:
    """Row and column of the largest difference, the first of equals; None if one is NaN."""
    first, second = pairs_of(differences.shape[0])
    upper = differences[first, second]
    if upper.size == 0 or np.isnan(upper).any():
        return None
    g, h = (int(side[np.argmax(np.abs(upper))]) for side in (first, second))
    return (h, g) if differences[g, h] < 0 else (g, h)


def difference_variances(
    sample: RankingSample, ranking: SortedRanking, disparity: str, comparison: Comparison,
    won: np.ndarray, masses: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Variance of every signed difference, (G, G), from the rows' placements (DeLong 1988).

    `won` and `masses` are the concordances, and the weights of the samples above and below.
    """
    per_above, per_below = (
        per_spread(sample, ranking, table, mass)
        for table, mass in zip((comparison.above_of, comparison.below_of), masses)
    )
    # A repeated row counts as often as it says; a mass is a constant in front of its row.
    mass = sample.weighting == "mass"
    spread_weight = ranking.weight * ranking.weight if mass else ranking.weight
    arrays = (
        ranking.code, ranking.weight, spread_weight, ranking.block_start, comparison.above_of,
        comparison.below_of,
    )
    of_above, of_below = _cross.placement_spread(*arrays, *masses, won)
    with np.errstate(invalid="ignore"):
        if disparity == "prf":
            # The groups share their negatives: only the difference of two placements varies.
            shared = _cross.shared_spread(*arrays, masses[0], np.ascontiguousarray(won[:, 0]))
            own = (of_above * per_above[:, None])[:, 0]
            spread = np.diag(shared)[:, None] + np.diag(shared) - 2.0 * shared
            found = own[:, None] + own + spread * per_below
        else:
            found = of_above * per_above[:, None] + of_below * per_below
            # xAUC(g, h) and xAUC(h, g) have no row in common; P(S_h > S_g) = 1 - P(S_g > S_h).
            found = found + found.T if disparity == "xauc" else 4.0 * found
    return np.maximum(found, 0.0)


def total_by(by_code: np.ndarray, table: np.ndarray, n_samples: int) -> np.ndarray:
    """Sum over the codes of every sample that `table` lists."""
    listed = table >= 0
    return np.bincount(table[listed], weights=by_code[listed], minlength=n_samples)


def per_spread(
    sample: RankingSample, ranking: SortedRanking, table: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """Factor from a sum of squared deviations to the variance of a mean; NaN for one row."""
    if sample.weighting != "mass":
        rows, per_row = mass, mass
    else:
        by_code = np.bincount(ranking.code, minlength=table.size).astype(np.float64)
        rows = total_by(by_code, table, mass.size)
        per_row = mass * mass / rows
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows > 1, 1.0 / ((rows - 1.0) * per_row), np.nan)


def overall_auc(sample: RankingSample, ranking: SortedRanking, disparity: str,
                pairs_won: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    """AUC of everybody, from the pairs of a disparity of labels; NaN where it has no meaning."""
    if not sample.has_outcome:
        return float("nan")
    if disparity == "urf":  # its pairs are those of all rows
        outcome = np.tile(np.array([-1, 0], dtype=np.int16), sample.n_groups)
        everybody = Comparison(above_of=outcome, below_of=-1 - outcome, n_above=1, n_below=1)
        pairs_won = everybody.pairs_won(ranking)
    won, above, below = (total.sum() for total in pairs_won)
    with np.errstate(invalid="ignore"):  # one class only
        return float(won / above / below)


def ranking_disparity(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    disparity: str = "xauc",
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> RankingDisparity:
    """Ranking disparity of every pair of groups, the largest named, with standard errors.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; may be None for "urf".
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale (probabilities, logits): only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    disparity : {"xauc", "prf", "urf"}
        ``xAUC(a, b) - xAUC(b, a)``: how much more often positives of a outrank negatives of b
        than the reverse. ``PRF(a) - PRF(b)``: positives of a against those of b, above anybody's
        negatives. ``P(S_a > S_b) - P(S_b > S_a)``, whatever the labels.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, exactly; floats are masses.
    pos_label : label, optional
        The label that a higher score speaks for; needed unless labels are {0, 1} or {-1, 1}.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        What to do when a pair is undefined: an error, or a warning and NaN for that pair *and*
        for the largest: the others stay in `concordance` and `differences`.

    Returns
    -------
    RankingDisparity
        Read by name: `value`, `pair`, `standard_error`, `concordance`, ...

    Raises
    ------
    DegenerateGroupError
        No row or one group; for xauc a group that lacks a class, for prf a group without a
        positive, or no negative at all. Without any row it is raised whatever `undefined` says.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    xauc_disparity, prf_disparity, urf_disparity : The value alone.
    fairrank.inference.ranking_disparity_interval : Bootstrap intervals.

    Notes
    -----
    One sort, then O(n G), O(n G^2) for prf. Standard errors are DeLong's, from the rows'
    placements: rows above and below are samples of their own; xAUC(a, b) and xAUC(b, a) have no
    row in common; the PRF of two groups share the negatives, so that only the difference of each
    negative's placements counts. With float weights w they are those of weighted means whose
    rows are drawn independently: ``n / (n - 1) * sum(w^2 (placement - mean)^2) / sum(w)^2``,
    which no rescaling of the weights changes and which is DeLong's for equal weights. They hold
    the score for given: a model fitted to the same rows varies too.

    The largest of several pairs is above 0 by chance alone; so is ``|difference|`` of one.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.metrics import ranking_disparity
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b", "c"], 3000), rng.integers(0, 2, 3000)
    >>> score = rng.normal(size=3000) + y + 0.5 * (group == "b")
    >>> result = ranking_disparity(y, score, sensitive_features=group)
    >>> result.pair, round(result.value, 2), round(result.standard_error, 2)
    (('b', 'a'), 0.25, 0.02)
    """
    check_choice(disparity, DISPARITIES, "disparity")
    check_choice(undefined, ("raise", "nan"), "undefined")
    sample = ranking_sample(
        y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
        pos_label=pos_label, missing=missing, labelled=disparity != "urf",
    )
    reason = lacking(sample, disparity)
    if reason is not None:
        if undefined == "raise":
            raise DegenerateGroupError(reason)
        warnings.warn(f"NaN is returned: {reason}", UndefinedMetricWarning, stacklevel=2)
    return disparity_of(sample, sorted_ranking(sample), disparity)


def disparity_of(
    sample: RankingSample, ranking: SortedRanking, disparity: str
) -> RankingDisparity:
    """Result for a sorted sample; NaN where a pair is undefined. O(n G), O(n G^2) for prf."""
    comparison = comparison_of(disparity, sample.n_groups)
    pairs_won = comparison.pairs_won(ranking)
    won = part_of_pairs(*pairs_won)
    differences = signed_differences(won)
    variances = difference_variances(sample, ranking, disparity, comparison, won, pairs_won[1:])
    standard_errors = np.sqrt(variances)
    # A group differs from itself by exactly 0, or by NaN where it cannot be compared.
    np.fill_diagonal(standard_errors, np.diag(differences))
    pair = favoured_pair(differences)
    mass = np.bincount(ranking.code, weights=ranking.weight, minlength=2 * sample.n_groups)
    return RankingDisparity(
        value=float("nan") if pair is None else abs(float(differences[pair])),
        pair=None if pair is None else (sample.labels[pair[0]], sample.labels[pair[1]]),
        standard_error=float("nan") if pair is None else float(standard_errors[pair]),
        disparity=disparity,
        groups=sample.labels,
        concordance=won[:, 0] if disparity == "prf" else won,
        differences=differences,
        standard_errors=standard_errors,
        auc=overall_auc(sample, ranking, disparity, pairs_won),
        n_negative=mass[::2],
        n_positive=mass[1::2],
        weighting=sample.weighting,
    )
