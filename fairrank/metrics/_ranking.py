"""How often a group's positives outrank negatives: of one other group (xAUC), or all (PRF)."""

from __future__ import annotations

from typing import Any

from fairrank._validation import check_choice
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._rank_graduation import undefined_as_nan
from fairrank.metrics._ranking_sample import (
    RankingSample,
    part_won,
    ranking_sample,
    without_class,
    without_negatives,
)


def xauc_score(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    above: Any,
    below: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> float:
    """Cross-group AUC: probability that a positive of `above` outranks a negative of `below`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale (probabilities, logits): only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    above, below : group
        Whose positives, and whose negatives; a tuple for an intersection. They may be equal:
        the AUC inside that group.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for; needed unless labels are {0, 1} or {-1, 1}.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        What to do when the score is undefined: an error, or NaN with a warning.

    Returns
    -------
    float
        In [0, 1]; ties count one half.

    Raises
    ------
    DegenerateGroupError
        `above` has no positive, `below` no negative, or one of them no row.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    xauc_disparity : Largest gap between the two directions of a pair.
    xroc_curve : The curve it is the area of.

    Notes
    -----
    One sort of the rows involved, O(n log n). Kallus and Zhou (2019), "The fairness of risk
    scores beyond classification: bipartite ranking and the xAUC metric".

    Examples
    --------
    >>> from fairrank.metrics import xauc_score
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.3]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> xauc_score(y, score, sensitive_features=group, above="a", below="b")
    1.0
    >>> xauc_score(y, score, sensitive_features=group, above="b", below="a")
    0.0
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing,
        )
        return part_won(sample, *cross_codes(sample, above, below))
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)


def cross_codes(sample: RankingSample, above: Any, below: Any) -> tuple[list[int], list[int]]:
    """Codes of the positives of `above` and of the negatives of `below`.

    Raises
    ------
    DegenerateGroupError
        One of the two has no row.
    """
    counts, codes = sample.counts(), []
    for label, name, outcome, kind in (
        (above, "above", 1, "positive"), (below, "below", 0, "negative")
    ):
        group = sample.code_of(label, name)
        if counts[group, outcome] == 0:
            n_rows = int(counts[group].sum())
            raise DegenerateGroupError(without_class(label, n_rows, kind, "cross-group AUC"))
        codes.append([2 * group + outcome])
    return codes[0], codes[1]


def prf_score(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    group: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    undefined: str = "raise",
) -> float:
    """Pairwise ranking fairness: probability that a positive of `group` outranks any negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    group : group
        Whose positives; the negatives are everybody's.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when the score is undefined.

    Returns
    -------
    float
        In [0, 1]; ties count one half.

    Raises
    ------
    DegenerateGroupError
        `group` has no positive, or nobody is negative.
    ValueError, TypeError
        Bad input, as in `xauc_score`.

    See Also
    --------
    prf_disparity : Largest gap between two groups.

    Notes
    -----
    O(n log n). Beutel et al. (2019), "Fairness in recommendation ranking through pairwise
    comparisons".

    Examples
    --------
    >>> from fairrank.metrics import prf_score
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.3]
    >>> round(prf_score(y, score, sensitive_features=["a"] * 3 + ["b"] * 3, group="b"), 4)
    0.6667
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = ranking_sample(
            y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
            pos_label=pos_label, missing=missing,
        )
        code, counts = sample.code_of(group, "group"), sample.counts()
        if counts[code, 1] == 0:
            n_rows = int(counts[code].sum())
            raise DegenerateGroupError(without_class(group, n_rows, "positive", "PRF"))
        if counts[:, 0].sum() == 0:
            raise DegenerateGroupError(without_negatives(int(counts.sum())))
        return part_won(sample, [2 * code + 1], list(range(0, 2 * sample.n_groups, 2)))
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)


xauc_score.greater_is_better = True  # type: ignore[attr-defined]
prf_score.greater_is_better = True  # type: ignore[attr-defined]
