"""Largest gap over pairs of groups: of cross-group AUCs, of PRFs, of places without labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import check_choice
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._rank_graduation import undefined_as_nan
from fairrank.metrics._ranking_sample import (
    RankingSample,
    comparison_of,
    lacking,
    ranking_sample,
    signed_differences,
    sorted_ranking,
)


def largest_difference(sample: RankingSample, disparity: str) -> float:
    """Largest |signed difference| over pairs.

    Raises
    ------
    DegenerateGroupError
        That of some pair is undefined.
    """
    reason = lacking(sample, disparity)
    if reason is not None:
        raise DegenerateGroupError(reason)
    comparison = comparison_of(disparity, sample.n_groups)
    return float(np.abs(signed_differences(comparison.won(sorted_ranking(sample)))).max())


def xauc_disparity(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> float:
    """Largest ``|xAUC(a, b) - xAUC(b, a)|`` over pairs of groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when any pair is undefined: never the largest of the
        others, which would hide it.

    Returns
    -------
    float
        In [0, 1]; 0 when each group's positives outrank the other's negatives equally often.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group that lacks a class.
    ValueError, TypeError
        Bad input, as in `xauc_score`.

    See Also
    --------
    ranking_disparity : Names the pair, with the matrix and a standard error.
    xauc_score : One direction.

    Notes
    -----
    One sort, then O(n G) for G groups. For more than two groups a maximum is above 0 by chance
    alone: see `fairrank.inference.ranking_disparity_interval`.

    References
    ----------
    N. Kallus and A. Zhou (2019). The Fairness of Risk Scores Beyond Classification: Bipartite
    Ranking and the xAUC Metric. arXiv 1902.05826. They have two groups.

    Examples
    --------
    >>> from fairrank.metrics import xauc_disparity
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.3]
    >>> xauc_disparity(y, score, sensitive_features=["a", "a", "a", "b", "b", "b"])
    1.0
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing,
        )
        return largest_difference(sample, "xauc")
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)


def prf_disparity(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> float:
    """Largest ``|PRF(a) - PRF(b)|`` over pairs of groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when any pair is undefined.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    DegenerateGroupError
        One group only, a group without a positive, or no negative at all.
    ValueError, TypeError
        Bad input, as in `xauc_score`.

    See Also
    --------
    prf_score : That of one group.
    ranking_disparity : Names the pair, with a standard error.

    Notes
    -----
    O(n log n).

    References
    ----------
    A. Beutel et al. (2019). Fairness in Recommendation Ranking through Pairwise Comparisons.
    KDD 2019, arXiv 1903.00780.

    Examples
    --------
    >>> from fairrank.metrics import prf_disparity
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.3]
    >>> round(prf_disparity(y, score, sensitive_features=["a"] * 3 + ["b"] * 3), 4)
    0.25
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing,
        )
        return largest_difference(sample, "prf")
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)


def urf_disparity(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> float:
    """Largest ``|P(S_a > S_b) - P(S_b > S_a)|`` over pairs of groups, whatever the labels.

    Parameters
    ----------
    y_true : ignored
        Not looked at, and may be None; it is there because scorers pass labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when any pair is undefined.

    Returns
    -------
    float
        In [0, 1]; 0 when neither group of any pair tends to stand above the other.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group whose weights are all 0.
    ValueError, TypeError
        Bad input, as in `xauc_score`.

    See Also
    --------
    ranking_disparity : Names the pair, with the matrix and a standard error.

    Notes
    -----
    One sort, then O(n G) for G groups. Of two groups it is the size of Cliff's delta,
    ``|2 U / (n_a n_b) - 1|`` with the U of Mann and Whitney.

    References
    ----------
    S. Cui, W. Pan, C. Zhang and F. Wang (2023). Bipartite Ranking Fairness through a Model
    Agnostic Ordering Adjustment. arXiv 2307.14668.

    Examples
    --------
    >>> from fairrank.metrics import urf_disparity
    >>> score = [0.9, 0.6, 0.6, 0.2, 0.4, 0.3]
    >>> urf_disparity(None, score, sensitive_features=["a", "a", "a", "b", "b", "b"])
    1.0
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = ranking_sample(
            None, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            missing=missing, labelled=False,
        )
        return largest_difference(sample, "urf")
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)


xauc_disparity.greater_is_better = False  # type: ignore[attr-defined]
prf_disparity.greater_is_better = False  # type: ignore[attr-defined]
urf_disparity.greater_is_better = False  # type: ignore[attr-defined]
