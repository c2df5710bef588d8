"""The paper's rivals: post-logit after training, corr-reg and pairwise constraints inside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from fairrank.metrics import prf_disparity, ranking_disparity, urf_disparity, xauc_disparity

# Kallus and Zhou: expit(slope * score + OFFSET), the slope from this grid.
OFFSET = -2.0
SLOPES = np.arange(100) / 10.0
N_PAIRS = 20_000
# Penalties, in this order, until the training rows have no more disparity than ENOUGH.
PENALTIES = (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)
ENOUGH = 0.01


def disparity_of(disparity: str, y: np.ndarray, score: np.ndarray, group: np.ndarray) -> float:
    """Largest disparity over pairs of groups."""
    if disparity == "urf":
        return urf_disparity(y, score, sensitive_features=group)
    measure = {"xauc": xauc_disparity, "prf": prf_disparity}[disparity]
    return measure(y, score, sensitive_features=group)


def post_logit(y: np.ndarray, score: np.ndarray, group: np.ndarray,
               disparity: str) -> dict[int, Callable]:
    """A map of scores in [0, 1] for every group; the favoured group's is the identity.

    Each other group stands against the favoured one, pair by pair.
    """
    before = ranking_disparity(y, score, sensitive_features=group, disparity=disparity)
    reference = before.groups[int(before.differences.sum(axis=1).argmax())]
    maps: dict[int, Callable] = {reference: np.asarray}
    for other in before.groups:
        if other == reference:
            continue
        rows = (group == reference) | (group == other)
        gaps = []
        for slope in SLOPES:
            moved = np.where(group == other, logistic_curve(slope)(score), score)
            gaps.append(disparity_of(disparity, y[rows], moved[rows], group[rows]))
        maps[other] = logistic_curve(float(SLOPES[int(np.argmin(gaps))]))
    return maps


def logistic_curve(slope: float) -> Callable:
    """The map that post-logit chooses from."""
    return lambda score: expit(slope * score + OFFSET)


def sides(y: np.ndarray, group: np.ndarray, disparity: str) -> list[tuple]:
    """Rows above and below in the pairs whose order favours a, then those that favour b."""
    a, b, positive = group == 0, group == 1, y == 1
    if disparity == "xauc":
        return [(positive & a, ~positive & b), (positive & b, ~positive & a)]
    if disparity == "prf":
        return [(positive & a, ~positive), (positive & b, ~positive)]
    return [(a, b), (b, a)]


def correlation_penalty(y: np.ndarray, group: np.ndarray, disparity: str) -> Callable:
    """Squared correlation of a pair's score difference with which kind of pair it is.

    Beutel et al. sample pairs and take the absolute value. All pairs need means and variances of
    a few sets of rows only, and the square has a gradient everywhere. Both kinds weigh the same.
    Differences of probabilities: in log odds a few rows with rare dummies absorb the penalty.
    """
    shares: dict[bytes, list] = {}
    for sign, (above, below) in zip((1.0, -1.0), sides(y, group, disparity)):
        for rows, direction in ((above, sign), (below, -sign)):
            entry = shares.setdefault(rows.tobytes(), [rows, 0.0, 0.0])
            entry[1] += direction
            entry[2] += 0.5

    def penalty(score: np.ndarray) -> tuple[float, np.ndarray]:
        p = expit(score)
        shift, spread = 0.0, 0.0
        toward_shift, toward_spread = np.zeros(p.size), np.zeros(p.size)
        for rows, direction, share in shares.values():
            n, mean = rows.sum(), p[rows].mean()
            shift += direction * mean
            spread += share * p[rows].var()
            toward_shift[rows] += direction / n
            toward_spread[rows] += share * 2.0 * (p[rows] - mean) / n
        # Of a mixture, half and half: variance within plus a quarter of the squared shift.
        total = spread + 0.25 * shift**2 + 1e-12
        value = 0.25 * shift**2 / total
        toward = 0.5 * shift * toward_shift
        return value, p * (1.0 - p) * (toward - value * (toward_spread + toward)) / total

    return penalty


def cross_entropy(y: np.ndarray) -> Callable:
    """Mean log loss of log odds, and its gradient."""

    def loss(score: np.ndarray) -> tuple[float, np.ndarray]:
        value = float((np.logaddexp(0.0, score) - y * score).mean())
        return value, (expit(score) - y) / y.size

    return loss


class SampledPairs:
    """Pairs of rows, drawn once, one from each of two sets."""

    def __init__(self, above: np.ndarray, below: np.ndarray, rng: np.random.Generator):
        self.above = rng.choice(np.flatnonzero(above), N_PAIRS)
        self.below = rng.choice(np.flatnonzero(below), N_PAIRS)

    def differences(self, score: np.ndarray) -> np.ndarray:
        """Score above minus score below."""
        return score[self.above] - score[self.below]

    def to_rows(self, gradient: np.ndarray, n: int) -> np.ndarray:
        """Gradient by rows of a mean over pairs, from that by differences."""
        by_above = np.bincount(self.above, gradient, n)
        return (by_above - np.bincount(self.below, gradient, n)) / N_PAIRS


def pairwise_loss(y: np.ndarray, rng: np.random.Generator) -> Callable:
    """Logistic surrogate of 1 - AUC."""
    pairs = SampledPairs(y == 1, y == 0, rng)

    def loss(score: np.ndarray) -> tuple[float, np.ndarray]:
        apart = pairs.differences(score)
        return float(np.logaddexp(0.0, -apart).mean()), pairs.to_rows(-expit(-apart), y.size)

    return loss


def pairwise_penalty(y: np.ndarray, group: np.ndarray, disparity: str,
                     rng: np.random.Generator) -> Callable:
    """Square of the disparity with a sigmoid for every "ranked above"."""
    kinds = [SampledPairs(*rows, rng) for rows in sides(y, group, disparity)]

    def penalty(score: np.ndarray) -> tuple[float, np.ndarray]:
        value, toward = 0.0, np.zeros(score.size)
        for sign, pairs in zip((1.0, -1.0), kinds):
            above = expit(pairs.differences(score))
            value += sign * above.mean()
            toward += sign * pairs.to_rows(above * (1.0 - above), score.size)
        return value**2, 2.0 * value * toward

    return penalty


def penalised_ranker(method: str, X: np.ndarray, y: np.ndarray, group: np.ndarray,
                     disparity: str) -> np.ndarray:
    """Coefficients, the intercept last, of a linear score trained with the disparity's penalty.

    "pairwise" stands for the constrained model that the paper trains with tfco: here a quadratic
    penalty and L-BFGS, not Lagrange multipliers. Of the penalties the smallest that leaves
    `ENOUGH` on the training rows is taken, else the one that leaves least.
    """
    rng = np.random.default_rng(0)
    if method == "corr-reg":
        loss, penalty = cross_entropy(y), correlation_penalty(y, group, disparity)
    else:
        loss, penalty = pairwise_loss(y, rng), pairwise_penalty(y, group, disparity, rng)
    design = np.column_stack((X, np.ones(y.size)))
    ridge = 1.0 / y.size  # that of the plain logistic regression, C = 1

    def objective(w: np.ndarray, weight: float) -> tuple[float, np.ndarray]:
        score = design @ w
        fit, toward_fit = loss(score)
        unfair, toward_fair = penalty(score)
        value = fit + weight * unfair + 0.5 * ridge * float(w[:-1] @ w[:-1])
        gradient = design.T @ (toward_fit + weight * toward_fair)
        gradient[:-1] += ridge * w[:-1]
        return value, gradient

    # Each penalty starts from the fit before: a correlation is free of scale, and from 0 a large
    # one would end at scores of 1e-13 without any.
    w, best, least = np.zeros(design.shape[1]), None, np.inf
    for weight in PENALTIES:
        options = {"maxiter": 200}
        w = minimize(objective, w, (weight,), "L-BFGS-B", jac=True, options=options).x
        gap = disparity_of(disparity, y, design @ w, group)
        if gap < least:
            best, least = w, gap
        if gap <= ENOUGH:
            break
    return best
