"""Welfare-equal policies beside those of fairlearn and error-parity, on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from bench_welfare import Rows, lending_rows, payoffs, solved
from sklearn.base import BaseEstimator, ClassifierMixin
from tables import Table
from timing import take_turns


class GivenScores(ClassifierMixin, BaseEstimator):
    """An estimator whose probabilities are its only column."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: np.ndarray, y: np.ndarray) -> GivenScores:
        """There is nothing to learn."""
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Columns of both classes."""
        return np.column_stack([1.0 - X[:, 0], X[:, 0]])


PARITIES = {
    "demographic_parity": "demographic_parity",
    "equal_opportunity": "true_positive_rate_parity",
}


def by_fairlearn(
    rows: Rows, y: np.ndarray, utility: str, loss: float, tolerance: float
) -> Callable[[], Callable[[], np.ndarray]] | None:
    """Fit ThresholdOptimizer; then a function that gives acceptance. None where it cannot."""
    from fairlearn.postprocessing import ThresholdOptimizer

    if loss != 1.0:
        return None
    # Accuracy is revenue at gain = loss = 1, but for a constant.
    X, group = rows[0][:, None], rows[2]

    def fit() -> Callable[[], np.ndarray]:
        fitted = ThresholdOptimizer(
            estimator=GivenScores().fit(X, y), constraints=PARITIES[utility],
            objective="accuracy_score", prefit=True, predict_method="predict_proba",
            tol=tolerance or None,
        ).fit(X, y, sensitive_features=group)
        return lambda: fitted._pmf_predict(X, sensitive_features=group)[:, 1]

    return fit


@lru_cache
def error_parity_is_there() -> bool:
    """It and the solver that it asks for, which it does not bring; says so once where not."""
    try:
        import ecos  # noqa: F401
        import error_parity  # noqa: F401
    except ModuleNotFoundError as missing:
        print(f"error-parity is left out: {missing} (pip install error-parity ecos)")
        return False
    return True


def by_error_parity(
    rows: Rows, y: np.ndarray, utility: str, loss: float, tolerance: float
) -> Callable[[], Callable[[], np.ndarray]] | None:
    """Fit RelaxedThresholdOptimizer; then a function that gives acceptance. None without it."""
    if not error_parity_is_there():
        return None
    from error_parity import RelaxedThresholdOptimizer
    from error_parity.classifiers import RandomizedClassifier

    X, group = rows[0][:, None], rows[2]

    def fit() -> Callable[[], np.ndarray]:
        fitted = RelaxedThresholdOptimizer(
            predictor=lambda X: X[:, 0], constraint=PARITIES[utility], tolerance=tolerance,
            false_pos_cost=loss, false_neg_cost=1.0,
        ).fit(X, y, group=group)

        def acceptance() -> np.ndarray:
            accepted = np.empty(len(X))
            for g, one in fitted._realized_classifier.group_to_clf.items():
                part = X[group == g]
                if not isinstance(one, RandomizedClassifier):
                    accepted[group == g] = one(part)
                    continue
                # A third is a coin whose bias is the rate of false positives.
                chances = [k(part) for k in one.classifiers[:2]]
                chances += [np.full(len(part), fitted.groupwise_roc_points[g][0])]
                accepted[group == g] = sum(
                    p * chance for p, chance in zip(one.probabilities, chances)
                )
            return accepted

        return acceptance

    return fit


RIVALS = {"fairlearn": by_fairlearn, "error-parity": by_error_parity}


def other_libraries(quick: bool) -> list[Table]:
    """Time, revenue and gap of other post-processors, and our revenue at their gap."""
    asked = [(1.0, 0.0), (3.0, 0.0), (1.0, 0.02)]
    tables = []
    for loss, tolerance in asked:
        table = Table(
            f"Post-processors on the same P(Y = 1), loss {loss:g}, tolerance {tolerance:g}",
            ["n", "utility", "who", "s", "times ours", "revenue", "gap of welfare",
             "ours at that gap", "ours - theirs"],
        )
        for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
            for utility in PARITIES:
                table.rows.extend(beside_others(n, utility, loss, tolerance))
        tables.append(table)
    tables[-1].notes.extend([
        "s: finding the policy (fit). Ours: the whole call, with acceptance of every row, values "
        "and bound; theirs without.",
        "They learn from labels drawn from P(Y = 1), the only thing they take; ours from P(Y = "
        "1). Revenue per person is E[r c] under P(Y = 1), gap the difference of expected "
        "acceptance or true positive rates, both of the probabilities of acceptance, on the rows "
        "that they learned from.",
        "Theirs below ours at their gap: labels' noise, and their grids of 1000. fairlearn's "
        "accuracy is our revenue at loss 1 only; neither takes amounts.",
    ])
    return tables


def beside_others(n: int, utility: str, loss: float, tolerance: float) -> list[list]:
    """Ours, then every rival that there is: one row each."""
    rows = lending_rows(n)
    problem = payoffs(rows, utility, loss)
    y = (np.random.default_rng(1).random(n) < rows[0]).astype(int)
    found: dict[str, Callable[[], np.ndarray]] = {}
    runs: dict[str, Callable] = {"fairrank": partial(solved, problem, tolerance=tolerance)}
    for who, rival in RIVALS.items():
        fit = rival(rows, y, utility, loss, tolerance)
        if fit is not None:
            runs[who] = lambda who=who, fit=fit: found.update({who: fit()})
    rounds = 9 if n <= 10_000 else 3
    seconds = {who: taken.min() for who, taken in take_turns(runs, rounds, warm_up=False).items()}
    ours = solved(problem, tolerance=tolerance)
    lines: list[list] = [
        [f"{n:,}", utility, "fairrank", seconds["fairrank"], 1.0, f"{ours.revenue:.6f}",
         f"{ours.welfare_gap:.1e}", "", ""]
    ]
    for who, acceptance in found.items():
        accepted = acceptance()
        revenue = float(np.mean(problem[0] * accepted))
        gap = float(np.ptp([np.mean((problem[1] * accepted)[rows[2] == g]) for g in (0, 1)]))
        at_gap = solved(problem, tolerance=gap).revenue
        lines.append(
            [f"{n:,}", utility, who, seconds[who], seconds[who] / seconds["fairrank"],
             f"{revenue:.6f}", f"{gap:.1e}", f"{at_gap:.6f}", f"{at_gap - revenue:+.1e}"]
        )
    return lines


BENCHMARKS = {"welfare_rivals": other_libraries}
