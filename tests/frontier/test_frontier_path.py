import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._frontier_path import skew_of
from strategies_frontier import arguments, populations


def support_of(population):
    return SupportFunction(**arguments(population.as_sample()))


@pytest.mark.parametrize(
    ("best", "skew"),
    [
        ([[1, 2], [2, 1]], "balanced"), ([[1, 1], [1, 1]], "balanced"),
        ([[1, 3], [2, 2.5]], "r"), ([[1, 3], [2, 2]], "r"),
        ([[3, 3], [4, 2]], "b"), ([[3, 2], [4, 1]], "b"),
        ([[1, 3], [2, 2 - 1e-15]], "r"),
    ],
)
def test_the_skew_is_where_the_best_points_lie(best, skew):
    assert skew_of(np.array(best, dtype=float)) == skew


@given(populations())
def test_the_pareto_frontier_holds_the_rules_that_no_rule_improves_for_both(population):
    path = support_of(population).pareto_frontier()
    rules = population.all_deterministic()
    assert path[0, 0] == pytest.approx(rules[:, 0].min())
    assert path[-1, 1] == pytest.approx(rules[:, 1].min())
    for point in path:
        assert np.abs(rules - point).max(axis=1).min() < 1e-12
        assert not ((rules < point - 1e-9).all(axis=1)).any()
    moved = np.diff(path, axis=0)
    assert (moved[:, 0] >= -1e-12).all()
    assert (moved[:, 1] <= 1e-12).all()


@given(populations(), st.integers(0, 2**16))
def test_no_mixture_of_rules_dominates_the_fairness_accuracy_frontier(population, seed):
    path = support_of(population).frontier()
    rules = population.all_deterministic()
    rng = np.random.default_rng(seed)
    part = rng.dirichlet(np.full(len(rules), 0.1), size=60)
    attainable = [*rules, *(part @ rules)]
    between = path[:-1] + rng.random((len(path) - 1, 1)) * np.diff(path, axis=0)
    for point in [*path, *between]:
        assert not oracles.is_dominated(point, attainable, 1e-8)


@given(populations())
def test_the_frontier_joins_the_points_of_its_skew(population):
    support = support_of(population)
    path, (r, b) = support.frontier(), support.best_points
    fairest = support.fairest_point().point
    ends = {"balanced": (r, b), "r": (r, fairest), "b": (fairest, b)}[support.skew]
    assert_allclose(path[[0, -1]], ends, atol=1e-9)


def test_frontiers_of_the_designs_join_the_true_points():
    for design, last in (("balanced", 1), ("r_skewed", None)):
        data = make_frontier_data(100_000, design=design, random_state=0)
        delta = data.delta_theta(data.data)
        theta = data.theta(data.data)
        code = np.where(data.sensitive_features == "r", 0, 1)
        support = SupportFunction(
            *[theta[np.arange(code.size), d, code] / data.group_shares[code] for d in (0, 1)],
            delta, sensitive_features=data.sensitive_features, group_names=data.group_names,
        )
        path = support.frontier()
        assert_allclose(path[0], data.best_points[0], atol=0.004)
        end = data.fairest_point if last is None else data.best_points[1]
        assert_allclose(path[-1], end, atol=0.004)
