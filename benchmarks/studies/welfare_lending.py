"""Two groups of borrowers whose P(Y = 1 | X, A) is known, and models that learn it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, qmc
from sklearn.linear_model import LogisticRegression

from fairrank.welfare import WelfarePolicy, expected_revenue, expected_utility

GAIN, LOSS, SHARE = 1.0, 2.0, 0.3
CUT = LOSS / (GAIN + LOSS)
UTILITIES = ("demographic_parity", "equal_opportunity")
N_FOLDS = 5
# Points of each group that stand for all of its members.
LOG2_POINTS = 16

Model = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Borrowers:
    """Two features, group (1: the disadvantaged) and P(Y = 1)."""

    features: np.ndarray
    group: np.ndarray
    y_prob: np.ndarray


def borrowers(features: np.ndarray, group: np.ndarray, apart: float) -> Borrowers:
    """Features of mean 0 and variance 1 become those of the groups, `apart` times as different.

    At 0 both groups pay back alike, and another feature tells it in each.
    """
    features = features - np.outer(apart * group, [0.5, 0.0])
    of_group = np.array([[1.2, 0.6], [0.6, 1.2]])[group]
    log_odds = 1.0 - 0.6 * apart * group + (of_group * features).sum(axis=1)
    return Borrowers(features, group, expit(log_odds))


def drawn(rng: np.random.Generator, n: int, apart: float = 1.0, share: float = SHARE) -> Borrowers:
    """A sample of n."""
    group = (rng.random(n) < share).astype(np.int64)
    return borrowers(rng.normal(size=(n, 2)), group, apart)


@lru_cache
def everybody(apart: float = 1.0) -> Borrowers:
    """The population: a Sobol net of each group, group 0 first."""
    points = qmc.Sobol(2, rng=11).random_base2(LOG2_POINTS)
    features = norm.ppf(np.clip(points, 1e-12, 1 - 1e-12))
    group = np.repeat([0, 1], len(points))
    return borrowers(np.vstack([features, features]), group, apart)


def outcomes(rng: np.random.Generator, people: Borrowers) -> np.ndarray:
    """Who pays back."""
    return (rng.random(people.group.size) < people.y_prob).astype(np.int64)


def logistic(X: np.ndarray, y: np.ndarray) -> LogisticRegression:
    """All but unpenalised."""
    return LogisticRegression(C=1e4, max_iter=1000).fit(X, y)


def by_group(X: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Columns that give every group a slope and an intercept of its own."""
    return np.column_stack([X, group, X * group[:, None]])


def group_blind(X: np.ndarray, group: np.ndarray, y: np.ndarray) -> Model:
    """Does not see the group."""
    fitted = logistic(X, y)
    return lambda X, group: fitted.predict_proba(X)[:, 1]


def group_aware(X: np.ndarray, group: np.ndarray, y: np.ndarray) -> Model:
    """Slopes of its own for each group: the right form."""
    fitted = logistic(by_group(X, group), y)
    return lambda X, group: fitted.predict_proba(by_group(X, group))[:, 1]


def recalibrated(X: np.ndarray, group: np.ndarray, y: np.ndarray) -> Model:
    """The blind model's log-odds, with a slope and an intercept for each group."""
    blind = group_blind(X, group, y)

    def log_odds(X: np.ndarray, group: np.ndarray) -> np.ndarray:
        return logit(blind(X, group))[:, None]

    fitted = logistic(by_group(log_odds(X, group), group), y)
    return lambda X, group: fitted.predict_proba(by_group(log_odds(X, group), group))[:, 1]


def out_of_fold(
    rng: np.random.Generator, learn: Callable[..., Model], people: Borrowers, y: np.ndarray
) -> np.ndarray:
    """P(Y = 1) of each row from the rows of other folds."""
    y_prob = np.empty(y.size)
    for rows in np.array_split(rng.permutation(y.size), N_FOLDS):
        others = np.ones(y.size, dtype=bool)
        others[rows] = False
        model = learn(people.features[others], people.group[others], y[others])
        y_prob[rows] = model(people.features[rows], people.group[rows])
    return y_prob


def lenders_view(utility: str, y_prob: np.ndarray, group: np.ndarray) -> tuple:
    """Revenue and utility as the lender sees them, and the utility's scale of each group."""
    worth = expected_utility(utility, y_prob, sensitive_features=group)
    scale = np.ones(2)
    if utility == "equal_opportunity":
        scale = 1.0 / np.array([y_prob[group == g].mean() for g in (0, 1)])
    return expected_revenue(y_prob, GAIN, LOSS), worth, scale


def decided(
    policy: WelfarePolicy, utility: str, scale: np.ndarray, y_prob: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Acceptance of new rows by a policy, with the utility's scale that it was found with."""
    worth = np.ones(y_prob.size) if utility == "demographic_parity" else y_prob * scale[group]
    revenue = expected_revenue(y_prob, GAIN, LOSS)
    return policy.acceptance_probability(revenue, worth, sensitive_features=group)


def truth_of(
    people: Borrowers, utility: str, accepted: np.ndarray, share: float | None = None
) -> tuple[float, float]:
    """Revenue per person and the gap of welfare, group 0 less group 1, under P(Y = 1).

    `share` of group 1 where it is not that of the rows.
    """
    worth, gain = [], []
    for g in (0, 1):
        rows = people.group == g
        p, c = people.y_prob[rows], accepted[rows]
        worth.append(c.mean() if utility == "demographic_parity" else p @ c / p.sum())
        gain.append(((GAIN + LOSS) * (p - CUT) * c).mean())
    share = people.group.mean() if share is None else share
    return (1.0 - share) * gain[0] + share * gain[1], worth[0] - worth[1]


def mean_text(values: np.ndarray, digits: int, factor: float = 1.0) -> str:
    """Mean of runs and its Monte Carlo standard error."""
    values = factor * np.asarray(values)
    error = values.std(ddof=1) / np.sqrt(values.size)
    # + 0.0: no minus before a rounded 0.
    return f"{round(values.mean(), digits) + 0.0:.{digits}f} ({error:.{digits}f})"
