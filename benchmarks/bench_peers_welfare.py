"""Welfare-equal policies beside other packages, linear programs and fair learners."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from bench_welfare import Rows, lending_rows, payoffs, solved
from bench_welfare_rivals import by_error_parity, by_fairlearn
from peer_race import OURS, Race, Runner, peer_tables
from scipy.optimize import linprog
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from tables import Table

from fairrank.welfare import price_of_fairness_path

# Accuracy, which fairlearn can maximise, is revenue where a good and a bad loan count alike.
LOSS = 1.0
N_TOLERANCES = 10
PACKAGES = ("fairlearn", "error-parity", "ecos", "scikit-lego", "cvxpy", "aif360", "scipy")
UTILITIES = ("demographic_parity", "equal_opportunity")


def words(problem: Rows, accepted: np.ndarray) -> str:
    """Revenue, gap of welfare, and fairrank's revenue at that gap."""
    revenue, worth, group = problem
    earned = float(np.mean(revenue * accepted))
    gap = float(np.ptp([np.mean((worth * accepted)[group == g]) for g in np.unique(group)]))
    ours = solved(problem, tolerance=gap).revenue
    return f"revenue {earned:.5f}, gap {gap:.1e}; fairrank's at that gap {ours:.5f}"


def by_program(problem: Rows, presolve: bool, tolerance: float = 0.0) -> Callable[[], np.ndarray]:
    """The linear program over all rows by scipy's HiGHS, its matrix made before the clock."""
    revenue, worth, group = problem
    share = worth * np.where(group == 0, 1.0 / (group == 0).sum(), -1.0 / (group == 1).sum())
    rows = {"A_eq": share[np.newaxis], "b_eq": [0.0]} if tolerance == 0.0 else {
        "A_ub": np.vstack([share, -share]), "b_ub": [tolerance, tolerance]
    }
    chosen = {} if presolve else {"method": "highs-ds", "options": {"presolve": False}}
    return lambda: linprog(-revenue / revenue.size, **rows, bounds=(0.0, 1.0), **chosen).x


def fitted_acceptance(peer: Callable, rows: Rows, y: np.ndarray, utility: str,
                      tolerance: float = 0.0) -> Callable[[], Callable[[], np.ndarray]]:
    """A call that fits, and gives what then gives acceptance."""
    fit = peer(rows, y, utility, LOSS, tolerance)
    if fit is None:
        raise ModuleNotFoundError("error-parity or ecos")
    return fit


def covariates(rows: Rows) -> np.ndarray:
    """Logit of P(Y = 1), amount, group: what those that learn are given."""
    return np.column_stack([logit(rows[0]), rows[1], rows[2]])


def by_exponentiated_gradient(rows: Rows, y: np.ndarray, utility: str) -> Callable[[], Any]:
    """fairlearn's reduction, over logistic regressions."""
    from fairlearn.reductions import (
        DemographicParity,
        ExponentiatedGradient,
        TruePositiveRateParity,
    )

    moment = DemographicParity if utility == "demographic_parity" else TruePositiveRateParity
    X = covariates(rows)

    def run() -> Callable[[], np.ndarray]:
        fitted = ExponentiatedGradient(LogisticRegression(), moment(difference_bound=0.001))
        fitted.fit(X, y, sensitive_features=rows[2])
        return lambda: fitted._pmf_predict(X)[:, 1]

    return run


def by_sklego(rows: Rows, y: np.ndarray, utility: str) -> Callable[[], Any]:
    """scikit-lego's logistic regression with a bound on a covariance."""
    import cvxpy  # noqa: F401
    from sklego.linear_model import DemographicParityClassifier, EqualOpportunityClassifier

    bound: dict[str, Any] = {"sensitive_cols": [2], "covariance_threshold": 0.01, "penalty": None}
    X = covariates(rows)

    def run() -> Callable[[], np.ndarray]:
        if utility == "demographic_parity":
            fitted = DemographicParityClassifier(**bound).fit(X, y)
        else:
            fitted = EqualOpportunityClassifier(positive_target=1, **bound).fit(X, y)
        return lambda: fitted.predict(X).astype(float)

    return run


def by_reject_option(rows: Rows, y: np.ndarray, utility: str) -> Callable[[], Any]:
    """aif360's search over thresholds and margins, on all rows."""
    from aif360.sklearn.postprocessing import RejectOptionClassifierCV

    index = pd.Index(1 - rows[2], name="group")
    X = pd.DataFrame({0: 1.0 - rows[0], 1: rows[0]}, index=index)
    outcome = pd.Series(y, index=index)
    every = np.arange(y.size)
    scoring = "statistical_parity" if utility == "demographic_parity" else utility

    def run() -> Callable[[], np.ndarray]:
        fitted = RejectOptionClassifierCV("group", scoring=scoring, cv=[(every, every)])
        fitted.fit(X, outcome)
        return lambda: fitted.predict(X).astype(float)

    return run


def policy(n: int, utility: str) -> Race:
    """The policy of largest revenue at equal welfare."""
    rows = lending_rows(n)
    problem = payoffs(rows, utility, LOSS)
    y = (np.random.default_rng(1).random(n) < rows[0]).astype(int)

    def told(found: Callable[[], np.ndarray]) -> str:
        return words(problem, found())

    of_all_rows = partial(words, problem)
    learned = {
        "fairlearn ExponentiatedGradient": ("a mixture of classifiers", by_exponentiated_gradient),
        "aif360 RejectOptionClassifierCV": ("a threshold and a margin", by_reject_option),
        "scikit-lego fair classifier": ("a logistic regression", by_sklego),
    }
    return Race(
        f"policy, {utility.replace('_', ' ')}",
        Runner(OURS, "policy, acceptance, price, bound", lambda: partial(solved, problem),
               lambda found: words(problem, found.acceptance)),
        [
            Runner("fairlearn ThresholdOptimizer", "thresholds, from drawn labels",
                   lambda: fitted_acceptance(by_fairlearn, rows, y, utility), told),
            Runner("error-parity", "thresholds, from drawn labels",
                   lambda: fitted_acceptance(by_error_parity, rows, y, utility), told),
            Runner("scipy linprog, dual simplex", "acceptance of every row",
                   lambda: by_program(problem, presolve=False), of_all_rows),
            Runner("scipy linprog, defaults", "acceptance of every row",
                   lambda: by_program(problem, presolve=True), of_all_rows),
            *(
                Runner(who, gives, lambda peer=peer: peer(rows, y, utility), told)
                for who, (gives, peer) in learned.items()
            ),
        ],
    )


def prices(n: int) -> Race:
    """What every tolerance of a gap costs."""
    utility = "equal_opportunity"
    rows = lending_rows(n)
    problem = payoffs(rows, utility, LOSS)
    revenue, worth, group = problem
    y = (np.random.default_rng(1).random(n) < rows[0]).astype(int)
    tolerances = np.linspace(0.0, 0.1, N_TOLERANCES)

    def fits(peer: Callable) -> Callable[[], Any]:
        calls = [fitted_acceptance(peer, rows, y, utility, tolerance) for tolerance in tolerances]
        return lambda: [call() for call in calls]

    def programs() -> Callable[[], Any]:
        calls = [by_program(problem, False, tolerance) for tolerance in tolerances]
        return lambda: [call() for call in calls]

    def points(found: Any) -> str:
        return f"{len(found)} tolerances"

    return Race(
        "price of every tolerance",
        Runner(OURS, "all tolerances, exactly",
               lambda: partial(price_of_fairness_path, revenue, worth, sensitive_features=group),
               lambda found: f"{found.tolerance.size:,} corners, linear between"),
        [
            Runner("fairlearn ThresholdOptimizer", f"{N_TOLERANCES} tolerances",
                   lambda: fits(by_fairlearn), points),
            Runner("error-parity", f"{N_TOLERANCES} tolerances",
                   lambda: fits(by_error_parity), points),
            Runner("scipy linprog, dual simplex", f"{N_TOLERANCES} tolerances", programs, points,
                   N_TOLERANCES * 32.0 * n),
        ],
    )


def races(n: int) -> list[Race]:
    """Two policies and a path of n rows."""
    return [*(policy(n, utility) for utility in UTILITIES), prices(n)]


def welfare(quick: bool) -> list[Table]:
    """Three tables."""
    return peer_tables(
        "Equal welfare", races, PACKAGES, quick,
        (
            "Revenue per person is E[r c] under P(Y = 1), gain and loss 1; gap is the difference "
            "of expected acceptance, or of true positive rates, on the rows they learned from. "
            "fairrank and linprog take P(Y = 1); the packages learn from labels drawn from it.",
            "Fair learners do not solve this problem, but are what the packages have for it: they "
            "see the logit, the amount and the group; acceptance of their classifiers.",
        ),
    )


BENCHMARKS = {"peers_welfare": welfare}
