"""Risks of decisions and their standard errors against sums over rows."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import oracles_frontier as oracles
from fairrank.datasets import make_frontier_data
from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import SupportFunction
from fairrank.frontier._decision_risks import decision_risks
from strategies_frontier import angles, arguments, frontier_samples

samples = st.integers(2, 4).flatmap(lambda g: frontier_samples(n_groups=g))
quarters = st.integers(0, 4).map(lambda k: k / 4)


def decided_rows(sample, data):
    return np.array(data.draw(st.lists(quarters, min_size=sample.n, max_size=sample.n)))


def risks_of(sample, decisions, **changes):
    keywords = {k: v for k, v in arguments(sample).items() if k != "delta_theta"}
    return decision_risks(decisions=decisions, **{**keywords, **changes})


def expected_losses(sample, decisions):
    """The sample in which either decision costs what the drawn one costs on average."""
    loss = (1 - decisions) * sample.loss_0 + decisions * sample.loss_1
    return replace(sample, loss_0=loss, loss_1=loss)


def variance_of(sample, q, losses):
    """Sum over clusters of the squared sums of what each row moves, over n squared."""
    moved = oracles.influence(losses, q, np.zeros(sample.n, dtype=bool))
    cluster = np.arange(sample.n) if sample.cluster is None else sample.cluster
    sums = [moved[cluster == c].sum() for c in np.unique(cluster)]
    return float(np.square(sums).sum()) / sample.n**2


def n_independent(sample, g):
    inside = (sample.group == g) & (sample.mass > 0)
    return inside.sum() if sample.cluster is None else len(set(sample.cluster[inside]))


@given(samples, st.data())
def test_a_risk_is_the_mean_loss_of_the_group(sample, data):
    decisions = decided_rows(sample, data)
    found = risks_of(sample, decisions)
    losses = expected_losses(sample, decisions)
    nobody = np.zeros(sample.n, dtype=bool)
    assert_allclose(found.risks, oracles.risks(losses, nobody), atol=1e-12)
    inside = [sample.group == g for g in range(sample.n_groups)]
    rates = [np.average(decisions[rows], weights=sample.mass[rows]) for rows in inside]
    assert_allclose(found.selection_rates, rates, atol=1e-12)
    assert found.selection_rate == pytest.approx(np.average(decisions, weights=sample.mass))
    assert_array_equal(found.n_samples, [(sample.mass[rows] > 0).sum() for rows in inside])


@given(samples, st.data())
def test_a_standard_error_is_that_of_a_ratio_of_cluster_sums(sample, data):
    decisions = decided_rows(sample, data)
    found = risks_of(sample, decisions)
    losses = expected_losses(sample, decisions)
    for g, unit in enumerate(np.eye(sample.n_groups)):
        if n_independent(sample, g) < 2:
            assert np.isnan(found.standard_errors[g])
            continue
        expected = variance_of(sample, unit, losses)
        assert found.covariance[g, g] == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert found.standard_errors[g] == pytest.approx(np.sqrt(found.covariance[g, g]))


@given(samples, st.data())
def test_a_difference_has_the_standard_error_of_the_difference(sample, data):
    decisions = decided_rows(sample, data)
    found = risks_of(sample, decisions).difference(1, 0)
    losses = expected_losses(sample, decisions)
    risks = oracles.risks(losses, np.zeros(sample.n, dtype=bool))
    assert found.difference == pytest.approx(risks[1] - risks[0], abs=1e-12)
    if min(n_independent(sample, 0), n_independent(sample, 1)) < 2:
        assert np.isnan(found.standard_error)
        assert np.isnan(found.pvalue)
    else:
        unit = np.zeros(sample.n_groups)
        unit[:2] = -1.0, 1.0
        expected = variance_of(sample, unit, losses)
        assert found.standard_error**2 == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert found.high - found.low == pytest.approx(2 * 1.959963985 * found.standard_error)


@given(frontier_samples(), angles)
def test_risks_at_a_support_point_have_its_level_and_standard_error(sample, angle):
    q = oracles.direction(angle)
    support = SupportFunction(**arguments(sample))
    found = risks_of(sample, support.decisions(q))
    assert_allclose(found.risks, support.support_point(q), atol=1e-12)
    if not np.isnan(found.covariance).any():
        assert q @ found.covariance @ q == pytest.approx(support.standard_error(q) ** 2, abs=1e-12)


def test_groups_are_independent_without_clusters_and_not_with_them():
    rng = np.random.default_rng(0)
    loss, group = rng.random(200), np.arange(200) % 2
    apart = decision_risks(loss, loss, np.zeros(200), sensitive_features=group)
    assert apart.covariance[0, 1] == 0
    pair = np.repeat(rng.random(100), 2)
    together = decision_risks(
        pair, pair, np.zeros(200), sensitive_features=group, clusters=np.arange(200) // 2
    )
    assert together.difference().standard_error == pytest.approx(0, abs=1e-9)
    assert together.standard_errors.min() > 0.02


def test_intervals_cover_the_truth_as_often_as_they_say():
    covered = []
    for seed in range(300):
        data = make_frontier_data(600, random_state=seed)
        drawn = np.random.default_rng(seed).random(600) < data.status_quo(data.data)
        found = decision_risks(
            data.target != 0, data.target != 1, drawn,
            sensitive_features=data.sensitive_features, group_names=("r", "b"),
            confidence_level=0.9,
        )
        gap = found.difference()
        truth = data.status_quo_risks
        covered.append(
            [*((found.low <= truth) & (truth <= found.high)),
             gap.low <= truth[0] - truth[1] <= gap.high]
        )
    # 0.9 has a standard error of 0.017 in 300 samples.
    assert np.abs(np.mean(covered, axis=0) - 0.9).max() < 0.05


def test_the_order_of_groups_is_that_of_their_names():
    found = decision_risks(
        [0, 1, 1], [1, 0, 0], [0, 0, 0], sensitive_features=["a", "b", "b"],
        group_names=("b", "a"),
    )
    assert found.risks.tolist() == [1, 0]
    assert found.difference().first == "b"
    assert found.difference("a", "b").difference == -1


def test_the_text_and_the_dictionary_name_every_group():
    found = decision_risks(
        [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0], sensitive_features=["a", "b", "a", "b"],
        confidence_level=0.8,
    )
    assert str(found).splitlines()[0].split() == [
        "group", "n", "risk", "80", "%", "interval", "selected"
    ]
    assert str(found).splitlines()[1].split()[:3] == ["a", "2", "0.5000"]
    values = json.loads(json.dumps(found.to_dict()))
    assert values["risks"] == [0.5, 0.5]
    assert values["group_names"] == ["a", "b"]
    apart = found.difference("b", "a")
    values = json.loads(json.dumps(apart.to_dict()))
    assert (values["first"], values["second"]) == ("b", "a")
    assert values["difference"] == apart.difference


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"decisions": [0, 2, 0]}, ValueError,
         r"decisions must be probabilities .* 1 are not, the first 2 in row 1"),
        ({"decisions": [0, np.nan, 0]}, ValueError, "decisions has 1 NaN"),
        ({"decisions": [0, 1]}, ValueError, "differ in length: .* decisions has 2"),
        ({"loss_0": [0, 1]}, ValueError, "differ in length: loss_0 has 2"),
        ({"loss_1": [0, 1]}, ValueError, "differ in length: .* loss_1 has 2"),
        ({"sample_weight": [1, 1]}, ValueError, "differ in length: .* sample_weight has 2"),
        ({"sensitive_features": list("aaa")}, DegenerateGroupError, "one group, 'a'"),
        ({"confidence_level": 1}, ValueError, r"confidence_level must lie in \(0, 1\)"),
        ({"group_names": ("a", "c")}, ValueError, "must name every group"),
    ],
)
def test_bad_input_is_named(changes, error, message):
    good = {
        "loss_0": [0, 1, 0], "loss_1": [1, 0, 1], "decisions": [0, 1, 0],
        "sensitive_features": list("aab"),
    }
    with pytest.raises(error, match=message):
        decision_risks(**{**good, **changes})


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ((), "first=None is none of the groups, 'a', 'b', 'c'"),
        (("a", "d"), "second='d' is none of the groups"),
        (("a", "a"), "first and second are both 'a'"),
    ],
)
def test_a_difference_is_between_two_named_groups(pair, message):
    found = decision_risks([0, 1, 1], [1, 0, 1], [0, 0, 0], sensitive_features=list("abc"))
    with pytest.raises(ValueError, match=message):
        found.difference(*pair)
