"""A statistic that is large where a null is false, against draws of it where it is true."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fairrank.inference._permutation import seed_sequence

# Below this part of the losses' size a difference is rounding.
ROUNDING = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapTest:
    """Outcome of a bootstrap test.

    Attributes
    ----------
    statistic : float
        In units of loss times the root of the number of independent rows.
    critical_value : float
        Rejected is what lies above; infinite where there are too few draws for the level.
    pvalue : float
        (1 + number of draws that reach the statistic) / (1 + number of draws).
    reject : bool
        Whether the p-value is at most the significance level, and the statistic above its
        critical value: both say the same.

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, less_discriminatory_alternative_test
    >>> data = make_frontier_data(1000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> test = less_discriminatory_alternative_test(
    ...     support, data.status_quo(data.data), n_draws=200, random_state=0
    ... ).feasibility
    >>> test.statistic, test.pvalue, test.reject
    (0.0, 1.0, False)
    """

    statistic: float
    critical_value: float
    pvalue: float
    reject: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values, ready for JSON."""
        return asdict(self)


def bootstrap_test(
    statistic: float, draws: np.ndarray, *, significance_level: float, slack: float
) -> BootstrapTest:
    """Test by the draws of one statistic. O(number of draws).

    Parameters
    ----------
    statistic : float
    draws : ndarray, shape (n_draws,)
    significance_level : float
        In (0, 1).
    slack : float
        At least 0: what is added to every draw, for rounding and for atoms of their distribution.
    """
    at_least = draws[:, np.newaxis]
    return BootstrapTest(
        statistic=float(statistic),
        critical_value=float(upper_quantiles(at_least, significance_level)[0] + slack),
        pvalue=float(pvalues(np.array([statistic]), at_least, slack)[0]),
        reject=bool(pvalues(np.array([statistic]), at_least, slack)[0] <= significance_level),
    )


def pvalues(statistic: np.ndarray, draws: np.ndarray, slack: Any) -> np.ndarray:
    """Give the p-value of each of m statistics.

    Parameters
    ----------
    statistic : ndarray, shape (m,)
    draws : ndarray, shape (n_draws, m)
    slack : float or ndarray, shape (m,)
    """
    reached = (draws + slack >= statistic).sum(axis=0)
    return (1.0 + reached) / (1.0 + draws.shape[0])


def upper_quantiles(draws: np.ndarray, significance_level: float) -> np.ndarray:
    """The largest statistics that are not rejected, but for the slack.

    Parameters
    ----------
    draws : ndarray, shape (n_draws, m)
    significance_level : float

    Returns
    -------
    ndarray, shape (m,)
        The draw that p-values at most the significance level leave above: with 1000 draws and 5 %
        the 50th largest.
    """
    n_draws = draws.shape[0]
    # Rounded so that 0.05 * 1000 draws is what is meant and not a hair less.
    above = int(np.floor(round(significance_level * (n_draws + 1), 9))) - 1
    if above < 0:
        return np.full(draws.shape[1], np.inf)
    at = n_draws - 1 - above
    return np.partition(draws, at, axis=0)[at] if at >= 0 else np.full(draws.shape[1], -np.inf)


def repeatable_seed(random_state: Any) -> np.random.SeedSequence:
    """A seed that its own entropy makes again, for results that say how they were drawn."""
    if not isinstance(random_state, np.random.SeedSequence):
        return seed_sequence(random_state)
    if not random_state.spawn_key and isinstance(random_state.entropy, (int, list, tuple)):
        # Made anew, because spawning changes what it spawns next.
        return np.random.SeedSequence(random_state.entropy)
    # A child's entropy is that of its parent.
    return np.random.SeedSequence(random_state.generate_state(4).tolist())
