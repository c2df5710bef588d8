"""How well the nuisances predict rows that they were not fitted on, and a warning if badly."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from fairrank.exceptions import NuisanceWarning, SmallGroupWarning
from fairrank.frontier._cross_fitted_nuisance import RowNuisance
from fairrank.frontier._nuisance import NuisanceForm, NuisanceRows

# Below this, log loss and logit are those of it.
EXTREME = 1e-6
# What is wrong must be known by 2 standard errors, and must cost this part of the constant's loss:
# where X tells nothing, a good nuisance is next to constant and its slope arbitrary.
N_ERRORS = 2.0
MATERIAL = 0.01
LOW_SLOPE = 0.6
SMALL_GROUP = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class NuisanceQuality:
    """Predictions of one nuisance, out of fold, against what happened.

    Attributes
    ----------
    name : str
        The conditional probability or mean that is predicted.
    n_samples : int
        Rows that it is judged by.
    loss, constant_loss : float
        Mean log loss (nats) of probabilities, mean squared error of means; and that of the base
        rate, or mean, of the rows each fold trained on.
    z_worse : float
        How many standard errors `loss` is above `constant_loss`; negative where the nuisance
        predicts something.
    brier, constant_brier : float
        Mean squared error of probabilities; NaN for means.
    auc : float
        Of probabilities; NaN for means, and where one class is there only.
    r2 : float
        1 less the squared error over that of the constant.
    calibration_slope, slope_error, slope_cost : float
        Of the outcome on the logit of its probability by logistic regression, or of the value on
        its mean, with its standard error: 1 is calibrated, below 1 too sure of itself, above 1
        shrunken. NaN where predictions do not vary, or tell the outcomes apart. And how much
        of `loss` would go if intercept and slope were mended.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(LogisticRegression(C=0.1), random_state=0).fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features
    ... )
    >>> quality = frontier.nuisance_quality_["P(Y=1 | X, G='r')"]
    >>> round(quality.auc, 2), quality.loss < quality.constant_loss
    (0.74, True)
    """

    name: str
    n_samples: int
    loss: float
    constant_loss: float
    z_worse: float
    brier: float
    constant_brier: float
    auc: float
    r2: float
    calibration_slope: float
    slope_error: float
    slope_cost: float

    @property
    def is_worse_than_constant(self) -> bool:
        """Whether a constant predicts better, by more than 2 standard errors and 1 %."""
        return (
            self.z_worse > N_ERRORS and self.loss > (1.0 + MATERIAL) * self.constant_loss
        )

    @property
    def is_overconfident(self) -> bool:
        """Whether the slope is below 0.6 by more than 2 standard errors, and costs 1 %."""
        low = self.calibration_slope + N_ERRORS * self.slope_error < LOW_SLOPE
        return low and self.slope_cost > MATERIAL * self.constant_loss

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return asdict(self)


def quality_of_probability(
    name: str, happened: np.ndarray, probability: np.ndarray, fold: np.ndarray,
    weight: np.ndarray,
) -> NuisanceQuality:
    """Quality of P(happened | X). O(n log n)."""
    y = happened.astype(np.float64)
    constant = _constant(y, fold, weight)
    loss, loss_of_constant = _log_loss(y, probability), _log_loss(y, constant)
    brier = float(np.average((y - probability) ** 2, weights=weight))
    of_constant = float(np.average((y - constant) ** 2, weights=weight))
    slope, error, mended = _logistic_slope(y, probability, weight)
    mean_loss = float(np.average(loss, weights=weight))
    return NuisanceQuality(
        name=name, n_samples=y.size, loss=mean_loss,
        constant_loss=float(np.average(loss_of_constant, weights=weight)),
        z_worse=_z(loss - loss_of_constant, weight), brier=brier, constant_brier=of_constant,
        auc=_auc(happened, probability, weight), r2=_r2(brier, of_constant),
        calibration_slope=slope, slope_error=error, slope_cost=mean_loss - mended,
    )


def quality_of_mean(
    name: str, value: np.ndarray, mean: np.ndarray, fold: np.ndarray, weight: np.ndarray
) -> NuisanceQuality:
    """Quality of E[value | X]. O(n)."""
    constant = _constant(value, fold, weight)
    squared, of_constant = (value - mean) ** 2, (value - constant) ** 2
    loss = float(np.average(squared, weights=weight))
    constant_loss = float(np.average(of_constant, weights=weight))
    slope, error = _linear_slope(value, mean, weight)
    nan = float("nan")
    return NuisanceQuality(
        name=name, n_samples=value.size, loss=loss, constant_loss=constant_loss,
        z_worse=_z(squared - of_constant, weight), brier=nan, constant_brier=nan, auc=nan,
        r2=_r2(loss, constant_loss), calibration_slope=slope, slope_error=error,
        slope_cost=(1.0 - slope) ** 2 * _variance(mean, weight),
    )


def nuisance_quality(
    form: NuisanceForm, rows: NuisanceRows, nuisance: RowNuisance, weight: np.ndarray | None
) -> dict[str, NuisanceQuality]:
    """Quality of every nuisance, by name."""
    answers, fold, pos_label = nuisance.answers, nuisance.fold, form.classes.tolist()[1]
    weight = np.ones(rows.code.size) if weight is None else weight
    names = form.group_names
    found = []

    def add(judge: Any, name: str, truth: np.ndarray, told: np.ndarray, chosen: Any) -> None:
        if weight[chosen].sum() > 0:
            found.append(
                judge(name, truth[chosen], told[chosen], fold[chosen], weight[chosen])
            )

    every = slice(None)
    if form.kind == "direct" and not form.by_class:
        for g, name in enumerate(names):
            add(quality_of_mean, f"E[(loss_1 - loss_0) 1{{G={name!r}}} | X]",
                rows.change * (rows.code == g), answers[:, g], every)
        return {one.name: one for one in found}
    shares = form.shares(answers)
    for g, name in enumerate(names if len(names) > 2 else names[:1]):
        add(quality_of_probability, f"P(G={name!r} | X)", rows.code == g, shares[:, g], every)
    for g, name in enumerate(names):
        mine = np.flatnonzero((rows.code == g) & rows.selected)
        if form.by_class:
            told = (
                form.conditional(answers) if form.kind == "factorized"
                else np.divide(answers[:, 1::2], shares, out=np.zeros_like(shares),
                               where=shares > 0)
            )
            add(quality_of_probability, f"P(Y={pos_label!r} | X, G={name!r})",
                rows.outcome == 1, told[:, g], mine)
        else:
            add(quality_of_mean, f"E[loss_1 - loss_0 | X, G={name!r}]", rows.change,
                form.conditional(answers)[:, g], mine)
        if form.selective:
            add(quality_of_probability, f"P(selected | X, G={name!r})", rows.selected,
                form.seen(answers)[:, g], np.flatnonzero(rows.code == g))
    return {one.name: one for one in found}


def warn_of_nuisances(quality: dict[str, NuisanceQuality]) -> None:
    """Warn of nuisances that predict worse than a constant, or are too sure of themselves.

    Warns
    -----
    NuisanceWarning
        It names them.
    """
    worse = [one.name for one in quality.values() if one.is_worse_than_constant]
    if worse:
        warnings.warn(
            f"out of fold a constant predicts better than the nuisance {', '.join(worse)}: the "
            "frontier is estimated too far inside. Take a more regularised estimator, the "
            "default for one; nuisance_quality_ has the numbers.",
            NuisanceWarning, stacklevel=4,
        )
    sure = [one for one in quality.values()
            if one.is_overconfident and not one.is_worse_than_constant]
    if sure:
        told = ", ".join(f"{one.name} (slope {one.calibration_slope:.2f})" for one in sure)
        warnings.warn(
            f"out of fold the nuisance {told} is too sure of itself: its calibration slope is "
            "far below 1, a sign of over-fitting, and the frontier is estimated too far inside. "
            "Take a more regularised estimator, or wrap it in CalibratedClassifierCV.",
            NuisanceWarning, stacklevel=4,
        )


def warn_of_small_group(code: np.ndarray, group_names: tuple, n_repeats: int) -> None:
    """Warn where the smallest group has fewer than 500 rows.

    Warns
    -----
    SmallGroupWarning
        With the group and its number.
    """
    sizes = np.bincount(code, minlength=len(group_names))
    least = int(sizes.argmin())
    if sizes[least] < SMALL_GROUP:
        told = "expected_inward_bias() tells by how much."
        if n_repeats == 1:
            told = f"fit with n_repeats=3, and {told}"
        warnings.warn(
            f"group {group_names[least]!r} has {sizes[least]} rows, fewer than {SMALL_GROUP}: its "
            "risks are known with large errors (their variance goes as 1 over that number), and "
            "its nuisances are noisy, so that the estimated frontier lies inside the true one: "
            + told,
            SmallGroupWarning, stacklevel=4,
        )


def _constant(y: np.ndarray, fold: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Mean of the rows outside each row's fold; of all rows where nothing was held out."""
    of_fold = fold - fold.min()
    total = np.bincount(of_fold, weights=weight)
    sums = np.bincount(of_fold, weights=weight * y)
    mass, whole = total.sum() - total, sums.sum()
    outside = np.divide(whole - sums, mass, out=np.full(total.size, whole / total.sum()),
                        where=mass > 0)
    return outside[of_fold]


def _log_loss(y: np.ndarray, probability: np.ndarray) -> np.ndarray:
    p = np.clip(probability, EXTREME, 1.0 - EXTREME)
    return -np.log(np.where(y > 0, p, 1.0 - p))


def _z(difference: np.ndarray, weight: np.ndarray) -> float:
    """Weighted mean of differences over its standard error."""
    mean = np.average(difference, weights=weight)
    error = np.sqrt(np.sum((weight * (difference - mean)) ** 2)) / weight.sum()
    return float(mean / error) if error > 0 else 0.0


def _variance(values: np.ndarray, weight: np.ndarray) -> float:
    return float(np.average((values - np.average(values, weights=weight)) ** 2, weights=weight))


def _r2(loss: float, constant_loss: float) -> float:
    return 1.0 - loss / constant_loss if constant_loss > 0 else float("nan")


def _auc(happened: np.ndarray, probability: np.ndarray, weight: np.ndarray) -> float:
    distinct, place = np.unique(probability, return_inverse=True)
    positive = np.bincount(place, weights=weight * happened, minlength=distinct.size)
    negative = np.bincount(place, weights=weight * ~happened, minlength=distinct.size)
    pairs = positive.sum() * negative.sum()
    if not pairs > 0:
        return float("nan")
    below = np.cumsum(negative) - 0.5 * negative
    return float(positive @ below / pairs)


def _logistic_slope(
    y: np.ndarray, probability: np.ndarray, weight: np.ndarray
) -> tuple[float, float, float]:
    """Slope of the outcome on the logit, its standard error, and the log loss it leaves.

    Newton's steps of O(n) each.
    """
    x = logit(np.clip(probability, EXTREME, 1.0 - EXTREME))
    nan = float("nan")
    if np.ptp(x) < 1e-9 or np.ptp(y) == 0:
        return nan, nan, nan
    scale = weight.mean()
    design = np.column_stack([np.ones_like(x), x])
    # From 1 the first step may overshoot where probabilities are extreme.
    at = np.zeros(2)
    for _ in range(50):
        p = expit(design @ at)
        gradient = design.T @ (weight * (y - p))
        curvature = (design * (weight * p * (1.0 - p))[:, np.newaxis]).T @ design
        if np.linalg.cond(curvature) > 1e12:
            return nan, nan, nan
        # Where outcomes are told apart, it would run to infinity.
        step = np.clip(np.linalg.solve(curvature, gradient), -2.0, 2.0)
        at = at + step
        if np.abs(step).max() < 1e-8:
            break
    else:
        return nan, nan, nan
    mended = float(np.average(_log_loss(y, expit(design @ at)), weights=weight))
    return float(at[1]), float(np.sqrt(np.linalg.inv(curvature)[1, 1] * scale)), mended


def _linear_slope(
    y: np.ndarray, mean: np.ndarray, weight: np.ndarray
) -> tuple[float, float]:
    """Slope of the value on its mean, and its standard error under unequal variances. O(n)."""
    x = mean - np.average(mean, weights=weight)
    spread = float(np.sum(weight * x * x))
    if spread <= 1e-18 * (1.0 + float(np.sum(weight * mean * mean))):
        return float("nan"), float("nan")
    centred = y - np.average(y, weights=weight)
    slope = float(np.sum(weight * x * centred)) / spread
    rest = weight * x * (centred - slope * x)
    return slope, float(np.sqrt(np.sum(rest * rest)) / spread)
