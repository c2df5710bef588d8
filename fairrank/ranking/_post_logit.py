"""The baseline of Kallus and Zhou: scores of a group through a logistic curve."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.special import expit

from fairrank._sensitive import encode_groups
from fairrank._validation import as_finite_float, check_choice, check_probability
from fairrank.metrics._ranking_disparity import favoured_pair
from fairrank.metrics._ranking_sample import DISPARITIES, ranking_sample
from fairrank.ranking._chains import Chains
from fairrank.ranking._solvers import check_orderable

INTERCEPT = -2.0
SLOPES = np.arange(100) / 10.0


@dataclass(frozen=True, slots=True)
class LogisticMap:
    """``expit(slope * score + intercept)``; the score itself where `slope` is None.

    Attributes
    ----------
    slope : float or None
    intercept : float
    """

    slope: float | None
    intercept: float = INTERCEPT

    def __call__(self, score: Any) -> np.ndarray:
        """Adjusted scores, each by itself."""
        score = np.asarray(score, dtype=np.float64)
        return score if self.slope is None else expit(self.slope * score + self.intercept)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PostLogit:
    """Scores of which all groups but one went through a logistic curve.

    Attributes
    ----------
    fair_score : ndarray, shape (n_samples,)
        In [0, 1]; NaN for rows whose missing group was dropped.
    score_maps : dict of group to callable
        They give the fair score of any score in [0, 1].
    slopes : dict of group to float
        All groups but the reference; 0 ties the whole group.
    reference : group
        Whose scores stayed as they were.
    disparity : {"xauc", "prf", "urf"}
    auc_before, auc_after : float
        ROC-AUC of everybody.
    disparity_before, disparity_after : float
        Largest absolute disparity over pairs of groups, in [0, 1].
    pair_before, pair_after : tuple of two groups
        Whose disparity that is, the favoured group first.
    groups : tuple
        In the order of rows and columns below.
    differences : ndarray, shape (G, G)
        What the row's group is favoured by over the column's, afterwards.

    Examples
    --------
    >>> from fairrank.ranking import post_logit
    >>> y, score = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1]
    >>> post_logit(y, score, sensitive_features=list("aabbab")).slopes
    {'b': 4.9}
    """

    fair_score: np.ndarray
    score_maps: dict[Any, LogisticMap]
    slopes: dict[Any, float]
    reference: Any
    disparity: str
    auc_before: float
    auc_after: float
    disparity_before: float
    disparity_after: float
    pair_before: tuple
    pair_after: tuple
    groups: tuple
    differences: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        del found["score_maps"]
        found["slopes"] = {str(group): slope for group, slope in self.slopes.items()}
        found["reference"] = str(self.reference)
        for name in ("pair_before", "pair_after", "groups"):
            found[name] = [str(group) for group in found[name]]
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in found.items()
        }

    def __repr__(self) -> str:
        """State disparity and AUC before and after, and the slopes."""
        return (
            f"PostLogit({self.disparity} {self.disparity_before:.4f} -> "
            f"{self.disparity_after:.4f}, AUC {self.auc_before:.4f} -> {self.auc_after:.4f}, "
            f"slopes {self.slopes})"
        )


def post_logit(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    disparity: str = "xauc",
    reference: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
) -> PostLogit:
    """Send each group's scores through the logistic curve nearest to a reference group's.

    Scores s of a group become ``expit(a * s - 2)`` with the a among 0, 0.1, ..., 9.9 that has the
    smallest absolute disparity with the reference group; its own scores stay.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two labels.
    y_score : array-like of shape (n_samples,)
        Probabilities in [0, 1]: here their values matter, not only their order.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row, any hashables; several columns are read as their intersections.
    disparity : {"xauc", "prf", "urf"}
        As in `fairrank.metrics.ranking_disparity`.
    reference : group, optional
        Whose scores stay; the group with the largest weight by default.
    sample_weight : array-like of shape (n_samples,), optional
        Integers are repetitions, floats masses.
    pos_label : label, optional
        The label that a higher score speaks for; needed unless labels are {0, 1} or {-1, 1}.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out. Dropped rows
        have a NaN fair score.

    Returns
    -------
    PostLogit
        Adjusted scores, the slopes, AUC and disparity before and after.

    Raises
    ------
    DegenerateGroupError
        One group only, or a group that lacks the class which the disparity needs.
    ValueError, TypeError
        Bad input, logits among them: the message names the argument, what was seen and what to
        do.

    See Also
    --------
    fair_ordering : Keeps more AUC at the same disparity.
    PostLogitPostProcessor : The same behind an estimator, for new rows.

    Notes
    -----
    One sort a group, then O(n) for each of 100 slopes and every group. One number a group cannot
    reach every disparity, and 0 ties a whole group. Of equal disparities the larger AUC is taken.
    Other groups than the two compared have no say in a slope, nor have their negatives in that of
    "prf".

    References
    ----------
    Kallus, Zhou (2019): "The fairness of risk scores beyond classification: bipartite ranking and
    the xAUC metric". The grid is that of the xOrder paper's experiments.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import expit
    >>> from fairrank.ranking import post_logit
    >>> rng = np.random.default_rng(0)
    >>> group, y = rng.choice(["a", "b"], 2000, p=[0.7, 0.3]), rng.integers(0, 2, 2000)
    >>> score = expit(rng.normal(size=2000) + y + 0.5 * (group == "b"))
    >>> post_logit(y, score, sensitive_features=group)
    PostLogit(xauc 0.2119 -> 0.0013, AUC 0.7395 -> 0.7456, slopes {'b': 3.6})
    """
    check_choice(disparity, DISPARITIES, "disparity")
    sample = ranking_sample(
        y_true, check_probability(y_score), sensitive_features=sensitive_features,
        sample_weight=sample_weight, pos_label=pos_label, missing=missing,
    )
    counts = check_orderable(sample, disparity)
    chains = Chains.of(sample, disparity, counts)
    if reference is None:
        kept = int(np.argmax(chains.counts.sum(axis=1)))
    else:
        kept = sample.code_of(reference, "reference")
    maps = [
        LogisticMap(None if g == kept else _best_slope(chains, g, kept))
        for g in range(chains.n_groups)
    ]
    auc_before, before = chains.values_before
    auc_after, after = chains.values([one(s) for one, s in zip(maps, chains.step_scores)])
    pairs = [favoured_pair(differences) or (0, 1) for differences in (before, after)]
    pair_before, pair_after = (
        (sample.labels[above], sample.labels[below]) for above, below in pairs
    )
    groups = encode_groups(sensitive_features, missing=missing)
    score = np.clip(as_finite_float(y_score, "y_score"), 0.0, 1.0)
    fair_score = np.full(score.size, np.nan)
    for g, to_fair in enumerate(maps):
        own = groups.keep & (groups.codes == g)
        fair_score[own] = to_fair(score[own])
    return PostLogit(
        fair_score=fair_score,
        score_maps=dict(zip(sample.labels, maps)),
        slopes={
            label: one.slope for label, one in zip(sample.labels, maps) if one.slope is not None
        },
        reference=sample.labels[kept],
        disparity=disparity,
        auc_before=auc_before,
        auc_after=auc_after,
        disparity_before=float(np.abs(before).max()),
        disparity_after=float(np.abs(after).max()),
        pair_before=pair_before,
        pair_after=pair_after,
        groups=sample.labels,
        differences=after,
    )


def _best_slope(chains: Chains, group: int, reference: int) -> float:
    """Slope with the smallest disparity from the reference; of equal ones, with the best AUC."""
    own, other = chains.chain[group], chains.chain[reference]
    pair = Chains((own, other), chains.disparity)
    worth = []
    for slope in SLOPES.tolist():
        auc, differences = pair.values([LogisticMap(slope)(own.score), other.score])
        worth.append((abs(float(differences[0, 1])), -auc, slope))
    return min(worth)[2]
