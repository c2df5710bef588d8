"""The xROC curve: positives of one group against negatives of another, over all thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.metrics._ranking import cross_codes
from fairrank.metrics._ranking_sample import ranking_sample, sorted_ranking


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class XROCCurve:
    """True positive rate of `above` against false positive rate of `below`.

    Attributes
    ----------
    fpr, tpr : ndarray, shape (n_thresholds,)
        Both ascend from 0 to 1.
    thresholds : ndarray, shape (n_thresholds,)
        Rows with at least this score pass; the first is infinite.
    area : float
        ``xAUC(above, below)``.
    above, below : group

    Examples
    --------
    >>> from fairrank.metrics import xroc_curve
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.7]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> xroc_curve(y, score, sensitive_features=group, above="a", below="b")
    XROCCurve(above='a', below='b', area=0.7500, 5 points)
    """

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray
    area: float
    above: Any
    below: Any

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return {
            "fpr": self.fpr.tolist(),
            "tpr": self.tpr.tolist(),
            "thresholds": self.thresholds.tolist(),
            "area": self.area,
            "above": str(self.above),
            "below": str(self.below),
        }

    def __repr__(self) -> str:
        """State the groups and the area."""
        return (
            f"XROCCurve(above={self.above!r}, below={self.below!r}, area={self.area:.4f}, "
            f"{self.fpr.size} points)"
        )


def bends(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mask of the points where the curve does not go straight on along an axis."""
    level = [(np.diff(side, prepend=-1.0) == 0) & (np.diff(side, append=2.0) == 0)
             for side in (x, y)]
    return ~(level[0] | level[1])


def xroc_curve(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    above: Any,
    below: Any,
    drop_intermediate: bool = True,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
) -> XROCCurve:
    """True positive rate of `above` against false positive rate of `below`, over thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Finite scores on any monotone scale.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row.
    above, below : group
        Whose positives (upwards), and whose negatives (to the right). They may be equal: the
        ROC curve inside that group.
    drop_intermediate : bool
        Leave out thresholds inside a straight horizontal or vertical run.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.

    Returns
    -------
    XROCCurve
        Read by name: `fpr`, `tpr`, `thresholds`, `area`.

    Raises
    ------
    DegenerateGroupError
        `above` has no positive, `below` no negative, or one of them no row.
    ValueError, TypeError
        Bad input, as in `xauc_score`.

    See Also
    --------
    xauc_score : The area alone.
    fairrank.ranking.XROCDisplay : Both directions in one picture.

    Notes
    -----
    One sort of the rows involved, O(n log n). Kallus and Zhou (2019), "The fairness of risk
    scores beyond classification: bipartite ranking and the xAUC metric".

    Examples
    --------
    >>> from fairrank.metrics import xroc_curve
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.7]
    >>> group = ["a", "a", "a", "b", "b", "b"]
    >>> curve = xroc_curve(y, score, sensitive_features=group, above="a", below="b")
    >>> curve.fpr.tolist(), curve.tpr.tolist(), curve.thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.9, 0.7, 0.6, 0.2])
    """
    sample = ranking_sample(
        y_true, y_score, sensitive_features=sensitive_features, sample_weight=sample_weight,
        pos_label=pos_label, missing=missing,
    )
    positive, negative = cross_codes(sample, above, below)
    ranking = sorted_ranking(sample.take(np.isin(sample.code, positive + negative)))
    risen = ranking.code == positive[0]
    starts = ranking.block_start[:-1]
    steps = [np.add.reduceat(ranking.weight * side, starts)[::-1] for side in (~risen, risen)]
    rates = [np.concatenate(([0.0], np.cumsum(side))) for side in steps]
    # Over whole counts, so that it is xauc_score to the last digit.
    area = float(np.trapezoid(rates[1], rates[0]) / rates[1][-1] / rates[0][-1])
    fpr, tpr = (side / side[-1] for side in rates)
    thresholds = np.concatenate(([np.inf], ranking.score[starts][::-1]))
    if drop_intermediate:
        kept = bends(fpr, tpr)
        fpr, tpr, thresholds = fpr[kept], tpr[kept], thresholds[kept]
    above, below = (sample.labels[codes[0] // 2] for codes in (positive, negative))
    return XROCCurve(
        fpr=fpr, tpr=tpr, thresholds=thresholds, area=area, above=above, below=below
    )
