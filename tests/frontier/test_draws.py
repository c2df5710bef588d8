import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
import xoshiro
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import SupportFunction
from fairrank.frontier._draws import CHUNK
from strategies_frontier import angles, arguments, frontier_samples

Q = np.array([[-1, 0], [0, -1], [-1, -1], [1, -1], [-1, 1], [0.3, 0.8]])


def support_of(sample):
    return SupportFunction(**arguments(sample))


def simulated(n, seed=0, **options):
    data = make_frontier_data(n, random_state=seed)
    return data, SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data),
        sensitive_features=data.sensitive_features, group_names=data.group_names, **options,
    )


@given(frontier_samples(), st.data(), st.lists(angles, min_size=1, max_size=4))
def test_other_weights_give_what_summing_again_gives(sample, data, turned):
    exponents = st.integers(-6, 6).map(lambda k: 2.0**k)
    weight = np.array(data.draw(st.lists(exponents, min_size=sample.n, max_size=sample.n)))
    arcs = support_of(sample).reweighted(weight)
    for angle in turned:
        q = oracles.direction(angle)
        # Decisions are those under the first weights.
        decided = oracles.treated(sample, q, oracles.one_side_of(q))
        expected = float(q @ oracles.risks(sample, decided, weight))
        assert arcs.h(q) == pytest.approx(expected, abs=1e-12)
    expected = [s for _, _, s in oracles.arcs(sample, weight)]
    assert_allclose(arcs.support_points, expected, atol=1e-12)


@given(frontier_samples())
def test_the_same_weights_give_the_same_arcs(sample):
    support = support_of(sample)
    arcs = support.reweighted(sample.weight)
    assert_allclose(arcs.support_points, support.support_points, atol=1e-12)
    assert_allclose(arcs.entering, support.realised.entering, atol=1e-12)


@given(frontier_samples(), angles, st.sampled_from([0.0, 0.25, 1.0, 3.0]))
def test_a_blend_is_linear_in_both_functions(sample, angle, part):
    support, q = support_of(sample), oracles.direction(angle)
    other = support.reweighted(np.arange(1.0, sample.n + 1))
    expected = support.h(q) + part * (other.h(q) - support.h(q))
    assert support.realised.blended(other, part).h(q) == pytest.approx(expected, abs=1e-12)


def drawn_weights(n_weights, n_draws, seed):
    """Exp(1) of every row or cluster of each draw, from the seeds of its chunk."""
    found = []
    children = np.random.SeedSequence(seed).spawn(-(-n_draws // CHUNK))
    for child in children:
        stream = xoshiro.Xoshiro(child.generate_state(4, np.uint64))
        for _ in range(min(CHUNK, n_draws - len(found))):
            found.append([-np.log(1 - stream.uniform()) for _ in range(n_weights)])
    return np.array(found)


@given(frontier_samples(max_rows=8))
@settings(max_examples=50)
def test_draws_are_sums_over_rows_with_the_weights_drawn(sample):
    support = support_of(sample)
    rows = support._order.order
    labels = rows if sample.cluster is None else np.unique(sample.cluster)
    exponential = drawn_weights(len(labels), 3, 5)
    found = support.draws_of_h(Q, 3, random_state=np.random.SeedSequence(5))
    for w, values in zip(exponential, found):
        weight = np.empty(sample.n)
        if sample.cluster is None:
            weight[rows] = w
        else:
            first = {c: i for i, c in enumerate(labels)}
            weight = w[[first[c] for c in sample.cluster]]
        weight = weight * sample.mass
        expected = [
            q @ oracles.risks(sample, oracles.treated(sample, q, oracles.one_side_of(q)), weight)
            for q in Q
        ]
        assert_allclose(values, expected, atol=1e-12)


def test_risks_of_other_losses_are_drawn_with_the_same_weights():
    data, support = simulated(500)
    treated_by_none = (data.target != 0).astype(float)
    at_r = np.where(support.decisions([-1, 0]), data.target != 1, data.target != 0)

    def statistic(draw):
        assert draw.weight.shape == (500,)
        return np.concatenate([draw.risks.ravel(), draw.arcs.support_point([-1, 0])])

    losses = np.column_stack([treated_by_none, at_r])
    found = support.draws(statistic, 30, losses=losses, random_state=0)
    assert found.shape == (30, 6)
    assert_allclose(found[:, 2:4], found[:, 4:6], atol=1e-12)
    one = support.draws(lambda draw: draw.risks[0], 30, losses=treated_by_none, random_state=0)
    assert_array_equal(one, found[:, :2])


def test_draws_do_not_depend_on_the_number_of_threads():
    _, support = simulated(50_000)
    found = [support.draws_of_h(Q, 90, random_state=3, n_jobs=jobs) for jobs in (1, 2, 3)]
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])


def test_the_first_draws_do_not_depend_on_how_many_follow():
    _, support = simulated(300)
    long, short = (support.draws_of_h(Q, n, random_state=3) for n in (50, 20))
    assert_array_equal(long[:20], short)
    assert not (support.draws_of_h(Q, 20, random_state=4) == short).any()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_draws_have_the_covariance_of_the_influence_function(clustered, weighted):
    rng = np.random.default_rng(1)
    n = 1500
    options = {}
    if clustered:
        options["clusters"] = rng.integers(0, 400, n)
    if weighted:
        options["sample_weight"] = rng.random(n) + 0.1
    _, support = simulated(n, **options)
    found = support.draws_of_h(Q, 2000, random_state=0)
    expected = [[support.covariance(p, q) for p in Q] for q in Q]
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    # Correlations over 2000 draws have standard errors of .022, and the ratio a bias of O(1/n).
    assert_allclose(np.cov(found.T) / size, expected / size, atol=0.11)
    errors = np.sqrt(np.diag(expected))
    assert (np.abs(found.mean(axis=0) - support.h(Q)) < 6 * errors / 2000**0.5 + 2e-3).all()


def test_maxima_can_be_drawn_over_all_arcs():
    data, support = simulated(2000)
    e = data.status_quo_risks

    def statistic(draw):
        from fairrank.frontier._excess import largest_excess, separation

        return largest_excess(draw.arcs, e).value, separation(draw.arcs, e).value

    found = support.draws(statistic, 100, random_state=0)
    centre = [support.largest_excess(e).value, support.separation(e).value]
    assert (np.abs(found.mean(axis=0) - centre) < 0.02).all()


def test_weights_that_leave_a_group_without_risk_are_refused():
    support = SupportFunction([0, 1], [1, 0], np.eye(2), sensitive_features=["a", "b"])
    with pytest.raises(DegenerateGroupError, match="0 for all rows of group 'b'"):
        support.reweighted([1, 0])
    with pytest.raises(ValueError, match="differ in length"):
        support.reweighted([1, 0, 1])
    with pytest.raises(ValueError, match="n_draws must be at least 1"):
        support.draws_of_h([1, 0], 0)
    with pytest.raises(ValueError, match="losses has 3"):
        support.draws(lambda draw: 0, 2, losses=[1, 2, 3])
