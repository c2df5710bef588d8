import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from strategies_frontier import angles, arguments, frontier_samples


def support_of(sample, **changes):
    return SupportFunction(**{**arguments(sample), **changes})


def independent(sample):
    """Clusters, or rows, of positive weight in each group."""
    cluster = range(sample.n) if sample.cluster is None else sample.cluster
    pairs = set(zip(sample.group[sample.mass > 0], np.array(cluster)[sample.mass > 0]))
    return np.array([sum(g == group for g, _ in pairs) for group in range(sample.n_groups)])


@given(st.integers(2, 3).flatmap(lambda g: frontier_samples(n_groups=g)), angles)
def test_the_influence_is_the_derivative_by_a_rows_weight(sample, angle):
    q = np.array([*oracles.direction(angle), 0.5][: sample.n_groups])
    then = oracles.one_side_of(q) if sample.n_groups == 2 else None
    expected = oracles.influence(sample, q, oracles.treated(sample, q, then))
    found = support_of(sample).influence(q)
    assert_allclose(found, expected, atol=1e-5)
    assert abs(found.sum()) < 1e-10


@given(frontier_samples(), st.data())
def test_the_influence_of_an_arc_is_that_of_its_decisions(sample, data):
    support = support_of(sample)
    arc = data.draw(st.integers(0, support.realised.n_arcs - 1))
    q = support.arc_starts[arc]
    inside = q + support.arc_starts[(arc + 1) % support.realised.n_arcs]
    decided = oracles.treated(sample, inside)
    assert_allclose(
        support.influence(q, arc), oracles.influence(sample, q, decided), atol=1e-5
    )


@given(frontier_samples(), angles, angles)
def test_the_covariance_is_that_of_influence_sums_within_clusters(sample, first, second):
    support = support_of(sample)
    q, p = oracles.direction(first), oracles.direction(second)
    a, b = support.influence(q), support.influence(p)
    cluster = np.arange(sample.n) if sample.cluster is None else sample.cluster
    expected = sum(
        a[cluster == c].sum() * b[cluster == c].sum() for c in np.unique(cluster)
    ) / sample.n**2
    if (independent(sample)[(q != 0) | (p != 0)] < 2).any():
        expected = np.nan
    assert support.covariance(q, p) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert support.standard_error(q) ** 2 == pytest.approx(
        support.covariance(q, q), abs=1e-15, nan_ok=True
    )
    # h is linear in q while decisions stay; so is the influence.
    assert support.standard_error(3 * q) == pytest.approx(
        3 * support.standard_error(q), nan_ok=True
    )


@given(frontier_samples(), angles)
def test_without_weights_the_variance_is_that_of_two_group_means(sample, angle):
    q = oracles.direction(angle)
    support = support_of(sample, sample_weight=None, clusters=None)
    loss = np.where(support.decisions(q), sample.loss_1, sample.loss_0)
    parts = [q[g] ** 2 * loss[sample.group == g].var() / (sample.group == g).sum() for g in (0, 1)]
    known = (np.bincount(sample.group)[q != 0] >= 2).all()
    assert support.standard_error(q) ** 2 == pytest.approx(
        sum(parts) if known else np.nan, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_standard_error_is_that_of_the_jackknife(clustered, weighted):
    rng = np.random.default_rng(0)
    n = 600
    cluster = rng.integers(0, 150, n) if clustered else None
    effect = rng.standard_normal(150)[cluster] if clustered else 0.0
    sample = oracles.Sample(
        loss_0=rng.standard_normal(n) + effect, loss_1=rng.standard_normal(n) - effect,
        delta=rng.standard_normal((n, 2)), group=rng.integers(0, 2, n),
        weight=rng.random(n) + 0.1 if weighted else None, cluster=cluster,
    )
    support = support_of(sample)
    for angle in (0.3, 2.0, 4.0):
        q = oracles.direction(angle)
        expected = oracles.jackknife_variance(sample, q, oracles.treated(sample, q))
        assert support.standard_error(q) == pytest.approx(expected**0.5, rel=0.03)


@pytest.mark.statistical
def test_the_standard_error_is_the_spread_over_samples():
    q = np.array([[-1, 0], [-1, -1], [1, -1], [-1, 1]])
    levels, errors = [], []
    for seed in range(300):
        data = make_frontier_data(1000, random_state=seed)
        support = SupportFunction(
            data.target != 0, data.target != 1, data.delta_theta(data.data),
            sensitive_features=data.sensitive_features, group_names=data.group_names,
        )
        levels.append(support.h(q))
        errors.append([support.standard_error(x) for x in q])
    # The spread of a spread over 300 samples is 4 %.
    assert_allclose(np.std(levels, axis=0), np.mean(errors, axis=0), rtol=0.16)


@pytest.mark.parametrize("options", [
    {"sample_weight": [1, 1, 1, 0]}, {"clusters": [0, 1, 2, 2]},
])
def test_a_group_of_one_row_has_no_standard_error(options):
    # Its mean cannot vary: an error of 0 would say that its risk is known exactly.
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], [[-1.0, -1.0]] * 4, sensitive_features=list("rrbb"),
        group_names=("r", "b"), **options,
    )
    assert np.isnan(support.standard_error([-1, -1]))
    assert np.isnan(support.covariance([-1, 0], [0, -1]))
    assert support.standard_error([-1, 0]) > 0
