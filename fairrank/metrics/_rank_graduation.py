"""Rank graduation fairness: how far apart the groups' cumulated burdens run along the ranking.

The name has two uses. Older packages call "RGF" the rank graduation accuracy between a model
and one without the protected variable; that is another quantity. Here it is the distance of
burden curves of arXiv 2609.39025.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fairrank._kernels.burden import separation
from fairrank._validation import check_choice
from fairrank.exceptions import DegenerateGroupError, SmallGroupWarning, UndefinedMetricWarning
from fairrank.metrics._audit_sample import (
    TIE_TOLERANCE,
    SortedBurdens,
    audit_sample,
    sorted_burdens,
)

# A centred RGF is read off the ratio of two distances; below this sqrt(n) * Gini the
# denominator is sampling noise and values far under 0 are seen (-45 on near-constant burdens).
NEARLY_CONSTANT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """Distances between the groups' paths, for one kept part of the ranking.

    Attributes
    ----------
    plain, centred : ndarray, shape (n_pairs,)
        RGD of every unordered pair, in the order of ``numpy.triu_indices(G, 1)``.
    gini : float
        Gini coefficient of the burdens, in [0, 1).
    group_share, burden_share : ndarray, shape (G,)
        ``pi_g`` and ``s_g``.
    mass : float
        Rows (or weight) inside.
    """

    plain: np.ndarray
    centred: np.ndarray
    gini: float
    group_share: np.ndarray
    burden_share: np.ndarray
    mass: float

    @property
    def null_reference(self) -> float:
        """``1 - mean |pi_g - pi_h| / 2``, what plain RGF comes to when burdens are shared."""
        first, second = pairs_of(self.group_share.size)
        gaps = np.abs(self.group_share[first] - self.group_share[second])
        return float(1.0 - gaps.mean() / 2.0)

    def rgf(self, centered: bool) -> float:
        """One minus the mean distance over pairs."""
        return float(1.0 - np.mean(self.centred if centered else self.plain))


@lru_cache(maxsize=32)
def pairs_of(n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Unordered pairs of groups, as `numpy.triu_indices` has them; read-only.

    A curve asks for them at a hundred levels, and they took half the time of one of 2000 rows.
    """
    first, second = np.triu_indices(n_groups, 1)
    first.setflags(write=False)
    second.setflags(write=False)
    return first, second


def measure_separation(burdens: SortedBurdens, first_block: int = 0) -> Separation:
    """Distances inside the blocks from `first_block` on; NaN where the burdens are equal."""
    plain, centred, totals, group_totals = separation(
        burdens.burden, burdens.group, burdens.weight, burdens.block_start, first_block,
        burdens.n_groups, burdens.at_ranks,
    )
    mass, total, area = totals
    pairs = pairs_of(burdens.n_groups)
    # One block has area 0 exactly; a kept part with one pooled value is undefined, not fair.
    if not area > 0.0:
        area = np.nan
    return Separation(
        plain=plain[pairs] / area,
        centred=centred[pairs] / area,
        gini=float(area / mass),
        group_share=group_totals[0] / mass,
        burden_share=group_totals[1] / total if total > 0 else np.full(burdens.n_groups, np.nan),
        mass=float(mass),
    )


def undefined_as_nan(error: DegenerateGroupError, undefined: str) -> float:
    """NaN with a warning when the user asked for it; otherwise the error goes on."""
    if undefined == "raise":
        raise error
    warnings.warn(f"NaN is returned: {error}", UndefinedMetricWarning, stacklevel=3)
    return float("nan")


def warn_if_nearly_constant(gini: float, n_effective: float) -> None:
    """A centred score on nearly constant burdens is noise over noise: say so."""
    if np.sqrt(n_effective) * gini < NEARLY_CONSTANT:
        warnings.warn(
            f"burden is nearly constant (Gini coefficient {gini:.3g} on "
            f"{n_effective:.6g} rows): RGF and centred RGF divide by it and say little here. "
            "Look at the test and the burden ratios instead.",
            SmallGroupWarning,
            stacklevel=3,
        )


def rgf_score(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    centered: bool = False,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    tie_tolerance: float = TIE_TOLERANCE,
    undefined: str = "raise",
) -> float:
    """Rank graduation fairness: do the groups' burdens cumulate alike along the error ranking.

    Rows are sorted by burden (their prediction error). Each group's cumulated burden, completed
    evenly to 1, is compared with every other group's along all positions; RGF is one minus that
    distance in units of the area between the Lorenz curve of the burdens and its dual.

    The plain score depends on the groups' sizes: burdens shared alike give about
    ``1 - |pi_g - pi_h| / 2``, not 1, and a growing burden of a minority first *raises* it. The
    centred score takes that mean out: 1 is fair at every mix, and it falls as burdens part.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; None when `burden` is an array.
    y_score : array-like of shape (n_samples,), or None
        Probability of the positive label, in [0, 1] (any number for a callable `burden`).
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
        ``|y - p|`` (the paper's), ``(y - p)**2``, ``burden(y, p)`` with y in {0, 1}, or the
        burdens themselves, at least 0 (losses of a regression, say).
    centered : bool
        Take the permutation mean of the distance out.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, exactly; floats are masses, integrated over.
    pos_label : label, optional
        The label that `y_score` is the probability of; needed unless labels are {0, 1} or {-1, 1}.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    undefined : {"raise", "nan"}
        What to do when the score is undefined: an error, or NaN with a warning.

    Returns
    -------
    float
        At most 1, higher is more alike. Not bounded below; never clipped.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, or all burdens equal.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    rgd_score : The distance itself.
    fairrank.inference.rgf_test : Whether the distance is more than chance.

    Notes
    -----
    One sort, O(n log n), then O(n G^2) for G groups. Burdens closer than 1e-12 of the largest
    are tied, and a block of ties is spread evenly, so the order of tied rows changes nothing.
    Definitions: arXiv 2609.39025, rank graduation fairness and its centring; the mean over
    unordered pairs for more than two groups.

    Examples
    --------
    >>> from fairrank.metrics import rgf_score
    >>> y, p = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.8, 0.3, 0.2, 0.9]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> round(rgf_score(y, p, sensitive_features=group), 4)
    0.7051
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        sample = audit_sample(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden,
            sample_weight=sample_weight, pos_label=pos_label, missing=missing,
            tie_tolerance=tie_tolerance,
        )
        burdens = sorted_burdens(sample)
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)
    measured = measure_separation(burdens)
    warn_if_nearly_constant(measured.gini, burdens.n_effective)
    return measured.rgf(centered)


def rgd_score(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    centered: bool = False,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    tie_tolerance: float = TIE_TOLERANCE,
    undefined: str = "raise",
) -> float:
    """Rank graduation distance between the groups' cumulated burdens, one minus `rgf_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; None when `burden` is an array.
    y_score : array-like of shape (n_samples,), or None
        Probability of the positive label, in [0, 1].
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
        As in `rgf_score`.
    centered : bool
        Take the permutation mean of the distance out.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions; floats are masses.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when the score is undefined.

    Returns
    -------
    float
        At least 0; 0 when all curves coincide. Lower is more alike.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, or all burdens equal.
    ValueError, TypeError
        Bad input, as in `rgf_score`.

    See Also
    --------
    rgf_score : One minus this.

    Notes
    -----
    O(n log n). Definition: arXiv 2609.39025, the mean over unordered pairs of groups.

    Examples
    --------
    >>> from fairrank.metrics import rgd_score
    >>> burden = [0.1, 0.4, 0.2, 0.7, 0.2, 0.1]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> round(rgd_score(None, None, sensitive_features=group, burden=burden), 4)
    0.2949
    """
    return 1.0 - rgf_score(
        y_true, y_score, sensitive_features=sensitive_features, burden=burden, centered=centered,
        sample_weight=sample_weight, pos_label=pos_label, missing=missing, undefined=undefined,
        tie_tolerance=tie_tolerance,
    )


rgf_score.greater_is_better = True  # type: ignore[attr-defined]
rgd_score.greater_is_better = False  # type: ignore[attr-defined]
