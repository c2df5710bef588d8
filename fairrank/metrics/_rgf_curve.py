"""RGF among the largest burdens, as a curve over the kept fraction, and the area under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._kernels.nested import nested_separations
from fairrank._validation import as_finite_float, check_choice, check_count
from fairrank.exceptions import DegenerateGroupError
from fairrank.metrics._audit_sample import (
    TIE_TOLERANCE,
    SortedBurdens,
    audit_sample,
    sorted_burdens,
)
from fairrank.metrics._rank_graduation import measure_separation, pairs_of, undefined_as_nan

MIN_GROUP_SIZE = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RGFCurve:
    """RGF recomputed among the largest burdens, for every kept fraction of a grid.

    Attributes
    ----------
    q : ndarray, shape (n_q,)
        The grid: fractions in (0, 1], ascending, ending at 1.
    q_effective : ndarray, shape (n_q,)
        Fraction really kept; above `q` where a block of ties straddles the cut.
    rgf, centered_rgf : ndarray, shape (n_q,)
        NaN where a group has no row inside, or all burdens inside are equal.
    null_reference : ndarray, shape (n_q,)
        What plain RGF comes to inside when burdens are shared alike there.
    group_counts : ndarray of int, shape (n_q, n_groups)
        Rows of every group inside (repetitions counted).
    groups : tuple
        The groups, in the order of `group_counts`' columns.
    q_min : float
        Smallest grid point from which every group has `min_group_size` rows inside.
    min_group_size : int
    area, centered_area : float
        AURGF and its centred form over [q_min, 1]; NaN if q_min is 1 or undefined inside.

    Examples
    --------
    >>> from fairrank.metrics import rgf_curve
    >>> burden, group = [0.1, 0.2, 0.3, 0.4, 0.6, 0.9], ["a", "a", "b", "a", "b", "b"]
    >>> curve = rgf_curve(
    ...     None, None, sensitive_features=group, burden=burden, grid=[0.5, 1.0], min_group_size=1
    ... )
    >>> curve.group_counts.tolist(), curve.null_reference.round(3).tolist()
    ([[1, 2], [3, 3]], [0.833, 1.0])
    """

    q: np.ndarray
    q_effective: np.ndarray
    rgf: np.ndarray
    centered_rgf: np.ndarray
    null_reference: np.ndarray
    group_counts: np.ndarray
    groups: tuple
    q_min: float
    min_group_size: int
    area: float
    centered_area: float

    def __repr__(self) -> str:
        """State the area, its range, and what it rests on."""
        return (
            f"RGFCurve(area={self.area:.4f} over q in [{self.q_min:g}, 1], "
            f"{self.q.size} grid points, min_group_size={self.min_group_size}, "
            f"rgf(1)={self.rgf[-1]:.4f}, null_reference(1)={self.null_reference[-1]:.4f})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in ((name, getattr(self, name)) for name in self.__slots__)
        } | {"groups": [str(group) for group in self.groups]}


def check_grid(grid: Any) -> np.ndarray:
    """Ascending fractions in (0, 1] that end at 1; i/100 by default."""
    if grid is None:
        return np.arange(1, 101) / 100.0
    q = as_finite_float(grid, "grid")
    if q.size == 0 or q[0] <= 0 or q[-1] != 1.0 or (np.diff(q) <= 0).any():
        raise ValueError(
            f"grid must ascend strictly within (0, 1] and end at 1, got {q.tolist()[:10]}."
        )
    return q


def first_kept_blocks(burdens: SortedBurdens, q: np.ndarray) -> np.ndarray:
    """Blocks from which on at least the fractions `q` of the rows lie, none of them cut."""
    mass_below = np.concatenate(([0.0], np.cumsum(burdens.weight)))[burdens.block_start]
    total = mass_below[-1]
    if burdens.at_ranks:
        kept = np.ceil(q * total - 1e-9)
    else:
        kept = q * total * (1.0 - 1e-12)
    # The last block whose mass at and above it still reaches `kept`.
    return np.searchsorted(mass_below[:-1], total - kept, side="right") - 1


def group_masses(burdens: SortedBurdens, starts: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weight of every group in the sorted rows from each of the falling `starts` on."""
    inside, end = np.empty((starts.size, burdens.n_groups)), weight.size
    for j, start in enumerate(starts):
        inside[j] = np.bincount(
            burdens.group[start:end], weights=weight[start:end], minlength=burdens.n_groups
        )
        end = start
    return inside.cumsum(axis=0)


def curve_of(
    burdens: SortedBurdens, grid: np.ndarray, min_group_size: int = MIN_GROUP_SIZE
) -> RGFCurve:
    """RGF at every grid point, in O(n) and a small part of it a point; no second sort."""
    first = first_kept_blocks(burdens, grid)
    starts = burdens.block_start[first]
    mass = group_masses(burdens, starts, burdens.weight)
    rows = mass if burdens.at_ranks else group_masses(burdens, starts, np.ones(burdens.group.size))
    counts = rows.round().astype(np.int64)
    everybody = counts.min(axis=1) > 0
    plain, centred, area = nested_separations(
        burdens.burden, burdens.group, burdens.weight, burdens.block_start, first,
        burdens.n_groups, burdens.at_ranks,
    )
    area[~everybody | ~(area > 0.0)] = np.nan
    rgf, centered = (1.0 - (sums / area[:, None]).mean(axis=1) for sums in (plain, centred))
    if everybody[-1]:
        # To the last digit what the score of these rows is.
        whole = measure_separation(burdens, int(first[-1]))
        rgf[-1], centered[-1] = whole.rgf(False), whole.rgf(True)
    low, high = pairs_of(burdens.n_groups)
    total = mass.sum(axis=1)
    share = mass / total[:, None]
    gaps = np.abs(share[:, low] - share[:, high]).mean(axis=1)
    null_reference = np.where(everybody, 1.0 - gaps / 2.0, np.nan)
    enough = np.flatnonzero((counts >= min_group_size).all(axis=1))
    first_q = int(enough[0]) if enough.size else grid.size - 1
    q_min = float(grid[first_q])
    areas = [
        float(np.trapezoid(values[first_q:], grid[first_q:]) / (1.0 - q_min))
        if q_min < 1.0
        else float("nan")
        for values in (rgf, centered)
    ]
    return RGFCurve(
        q=grid,
        q_effective=total / total[-1],
        rgf=rgf,
        centered_rgf=centered,
        null_reference=null_reference,
        group_counts=counts,
        groups=burdens.labels,
        q_min=q_min,
        min_group_size=min_group_size,
        area=areas[0],
        centered_area=areas[1],
    )


def rgf_curve(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    grid: Any = None,
    min_group_size: int = MIN_GROUP_SIZE,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    tie_tolerance: float = TIE_TOLERANCE,
) -> RGFCurve:
    """RGF among the fraction q of rows with the largest burdens, for every q of a grid.

    Where the curve falls, the groups' burdens part among the largest errors. Read it against
    its null reference, which moves with the groups' mix inside.

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
    grid : array-like of shape (n_q,), optional
        Fractions in (0, 1], ascending, ending at 1; by default 0.01, 0.02, ..., 1.
    min_group_size : int
        Rows of every group that must lie inside before the area begins.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions; floats are masses.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).

    Returns
    -------
    RGFCurve
        Arrays over the grid, the area under the curve (AURGF) and the q it starts at.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, or all burdens equal.
    ValueError, TypeError
        Bad input, as in `rgf_score`, or a grid that does not ascend to 1.

    See Also
    --------
    aurgf_score : The area alone.

    Notes
    -----
    One sort, O(n), and a small part of O(n) a grid point: paths are walked again only where they
    cross. A block of ties that straddles the cut is kept whole. The paper (arXiv 2609.39025)
    states neither grid nor minimum; both rule the area, so both are in the result.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.metrics import rgf_curve
    >>> rng = np.random.default_rng(0)
    >>> burden, group = rng.random(400), np.repeat(["a", "b"], [300, 100])
    >>> curve = rgf_curve(None, None, sensitive_features=group, burden=burden)
    >>> float(curve.q_min), curve.rgf.shape
    (0.34, (100,))
    """
    check_count(min_group_size, "min_group_size")
    sample = audit_sample(
        y_true, y_score, sensitive_features=sensitive_features, burden=burden,
        sample_weight=sample_weight, pos_label=pos_label, missing=missing,
        tie_tolerance=tie_tolerance,
    )
    return curve_of(sorted_burdens(sample), check_grid(grid), min_group_size)


def aurgf_score(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    centered: bool = False,
    grid: Any = None,
    min_group_size: int = MIN_GROUP_SIZE,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    tie_tolerance: float = TIE_TOLERANCE,
    undefined: str = "raise",
) -> float:
    """Area under the RGF curve over the kept fraction of the largest burdens.

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
        Area under the centred curve.
    grid : array-like of shape (n_q,), optional
        Fractions in (0, 1], ascending, ending at 1; by default 0.01, 0.02, ..., 1.
    min_group_size : int
        Rows of every group that must lie inside before the area begins.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions; floats are masses.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    undefined : {"raise", "nan"}
        An error, or NaN with a warning, when no curve exists (one group, equal burdens).

    Returns
    -------
    float
        Mean RGF over [q_min, 1]. NaN when some group has `min_group_size` rows only at q = 1, or
        burdens inside are all equal somewhere: `rgf_curve` shows where.

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, or all burdens equal.
    ValueError, TypeError
        Bad input, as in `rgf_curve`.

    See Also
    --------
    rgf_curve : The curve, with q_min and the group counts.

    Notes
    -----
    O(n log n), and a small part of O(n) a grid point. The first grid points rule the value:
    compare only areas with the same `grid` and `min_group_size`.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.metrics import aurgf_score
    >>> rng = np.random.default_rng(0)
    >>> burden, group = rng.random(4000), np.repeat(["a", "b"], 2000)
    >>> round(aurgf_score(None, None, sensitive_features=group, burden=burden), 2)
    0.71
    """
    check_choice(undefined, ("raise", "nan"), "undefined")
    try:
        curve = rgf_curve(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden, grid=grid,
            min_group_size=min_group_size, sample_weight=sample_weight, pos_label=pos_label,
            missing=missing, tie_tolerance=tie_tolerance,
        )
    except DegenerateGroupError as error:
        return undefined_as_nan(error, undefined)
    return curve.centered_area if centered else curve.area


aurgf_score.greater_is_better = True  # type: ignore[attr-defined]
