"""xAUC, PRF and URF against pair counting."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate

import oracles_ranking as oracles
from fairrank.exceptions import DegenerateGroupError, UndefinedMetricWarning
from fairrank.metrics import (
    make_fairness_scorer,
    prf_disparity,
    prf_score,
    ranking_disparity,
    urf_disparity,
    xauc_disparity,
    xauc_score,
    xroc_curve,
)

METRICS = {"xauc": xauc_disparity, "prf": prf_disparity, "urf": urf_disparity}


@st.composite
def samples(draw, weights=False):
    """(y, score, group, weight) with both classes in every group."""
    n_groups = draw(st.integers(2, 5))
    n = draw(st.integers(2 * n_groups, 24))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    tied = draw(st.booleans())
    value = st.integers(0, 4).map(float) if tied else st.floats(-5.0, 5.0)
    score = draw(st.lists(value, min_size=n, max_size=n))
    group = draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n))
    for g in range(n_groups):
        group[2 * g : 2 * g + 2] = [g, g]
        y[2 * g : 2 * g + 2] = [0, 1]
    weight = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)) if weights else None
    return np.array(y), np.array(score), np.array(group), weight and np.array(weight)


@given(samples(), st.sampled_from(list(METRICS)))
def test_disparities_are_the_largest_over_pairs(sample, kind):
    y, score, group, _ = sample
    expected = oracles.largest_disparity(y, score, group, kind)
    found = METRICS[kind](y, score, sensitive_features=group)
    assert found == pytest.approx(expected, abs=1e-12)
    result = ranking_disparity(y, score, sensitive_features=group, disparity=kind)
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert result.auc == pytest.approx(roc_auc_score(y, score), abs=1e-12)


@given(samples())
def test_scores_count_pairs(sample):
    y, score, group, _ = sample
    xauc = xauc_score(y, score, sensitive_features=group, above=0, below=1)
    prf = prf_score(y, score, sensitive_features=group, group=1)
    assert xauc == pytest.approx(oracles.xauc(y, score, group, 0, 1), abs=1e-12)
    assert prf == pytest.approx(oracles.prf(y, score, group, 1), abs=1e-12)


@given(samples(weights=True), st.sampled_from(list(METRICS)))
def test_whole_weights_are_repetitions_exactly(sample, kind):
    y, score, group, weight = sample
    rows = np.repeat(np.arange(y.size), weight)
    weighted = ranking_disparity(
        y, score, sensitive_features=group, disparity=kind, sample_weight=weight
    )
    repeated = ranking_disparity(
        y[rows], score[rows], sensitive_features=group[rows], disparity=kind
    )
    assert weighted.value == repeated.value
    # Squares: the root of a variance that is 0 but for rounding may be 1e-9.
    np.testing.assert_allclose(
        weighted.standard_errors**2, repeated.standard_errors**2, atol=1e-12
    )
    for field in ("concordance", "differences", "n_negative", "n_positive"):
        np.testing.assert_array_equal(getattr(weighted, field), getattr(repeated, field))


@given(samples(weights=True), st.sampled_from(list(METRICS)))
def test_masses_weigh_the_pairs(sample, kind):
    y, score, group, weight = sample
    mass = weight * 0.37
    expected = oracles.largest_disparity(y, score, group, kind, mass)
    found = METRICS[kind](y, score, sensitive_features=group, sample_weight=mass)
    assert found == pytest.approx(expected, abs=1e-12)


@given(samples(), st.sampled_from(list(METRICS)), st.floats(0.1, 4.0))
def test_monotone_rescaling_changes_nothing(sample, kind, slope):
    y, score, group, _ = sample
    moved = np.exp(slope * score)
    assume(np.unique(moved).size == np.unique(score).size)
    before = METRICS[kind](y, score, sensitive_features=group)
    assert METRICS[kind](y, moved, sensitive_features=group) == before


@given(samples())
def test_standard_errors_are_those_of_the_placements(sample):
    y, score, group, _ = sample
    result = ranking_disparity(y, score, sensitive_features=group, disparity="xauc")
    variance = 0.0
    for above, below in ((0, 1), (1, 0)):
        positive = score[(y == 1) & (group == above)]
        negative = score[(y == 0) & (group == below)]
        if min(positive.size, negative.size) < 2:
            assert np.isnan(result.standard_errors[0, 1])
            return
        won = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
        variance += won.mean(axis=1).var(ddof=1) / positive.size
        variance += won.mean(axis=0).var(ddof=1) / negative.size
    assert result.standard_errors[0, 1] == pytest.approx(np.sqrt(variance), abs=1e-12)


@given(samples())
def test_the_area_of_the_curve_is_the_cross_auc(sample):
    y, score, group, _ = sample
    curve = xroc_curve(
        y, score, sensitive_features=group, above=1, below=0, drop_intermediate=False
    )
    points = np.array(oracles.xroc(y, score, group, 1, 0))
    assert curve.area == pytest.approx(oracles.xauc(y, score, group, 1, 0), abs=1e-12)
    np.testing.assert_allclose(np.column_stack((curve.fpr, curve.tpr)), points, atol=1e-12)
    assert curve.area == xauc_score(y, score, sensitive_features=group, above=1, below=0)


@given(samples(weights=True))
def test_a_curve_without_its_straight_runs_is_the_same_curve(sample):
    y, score, group, weight = sample
    full, short = (
        xroc_curve(
            y, score, sensitive_features=group, above=1, below=0, sample_weight=weight * 0.3,
            drop_intermediate=drop,
        )
        for drop in (False, True)
    )
    assert short.area == full.area
    kept = np.isin(full.thresholds, short.thresholds)
    np.testing.assert_array_equal(full.fpr[kept], short.fpr)
    np.testing.assert_array_equal(full.tpr[kept], short.tpr)
    assert (short.fpr[[0, -1]] == [0, 1]).all()
    assert (short.tpr[[0, -1]] == [0, 1]).all()
    assert np.trapezoid(short.tpr, short.fpr) == pytest.approx(full.area, abs=1e-12)


@pytest.mark.parametrize("kind", ["xauc", "prf"])
def test_a_group_without_a_positive_is_an_error_or_nan(kind):
    y, score, group = [1, 0, 0, 0], [0.4, 0.2, 0.3, 0.1], ["a", "a", "b", "b"]
    with pytest.raises(DegenerateGroupError, match="'b' has no positive among its 2 rows"):
        METRICS[kind](y, score, sensitive_features=group)
    with pytest.warns(UndefinedMetricWarning, match="'b' has no positive"):
        found = METRICS[kind](y, score, sensitive_features=group, undefined="nan")
    assert np.isnan(found)


def test_urf_needs_no_labels():
    score, group = [0.9, 0.2, 0.4, 0.6], ["a", "a", "b", "b"]
    assert urf_disparity(None, score, sensitive_features=group) == 0.0


def test_one_group_only_is_an_error():
    with pytest.raises(DegenerateGroupError, match="one group only"):
        xauc_disparity([0, 1], [0.1, 0.2], sensitive_features=["a", "a"])


def test_an_unknown_group_is_named_with_those_there_are():
    with pytest.raises(DegenerateGroupError, match="above='c'"):
        xauc_score([0, 1], [0.1, 0.2], sensitive_features=["a", "b"], above="c", below="a")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 2] = rng.integers(0, 2, 300)
    y = (X[:, 0] + 0.5 * X[:, 2] + rng.normal(size=300) > 0).astype(int)
    return X, y


@pytest.mark.parametrize(
    ("metric", "better"),
    [(xauc_score, True), (prf_score, True), *((gap, False) for gap in METRICS.values())],
)
def test_the_metrics_tell_their_direction(metric, better):
    assert metric.greater_is_better is better
    assert make_fairness_scorer(metric)._sign == (1 if better else -1)


def test_one_scorer_gives_a_score_of_one_group_and_the_gap(table):
    X, y = table
    model = LogisticRegression().fit(X, y)
    scorer = make_fairness_scorer(
        {"gap": xauc_disparity, "urf": urf_disparity, "auc": roc_auc_score}, sensitive_features=2
    )
    one = make_fairness_scorer(xauc_score, sensitive_features=2, above=1.0, below=0.0)
    p = model.predict_proba(X)[:, 1]
    found = scorer(model, X, y)
    assert found["gap"] == -xauc_disparity(y, p, sensitive_features=X[:, 2])
    assert found["urf"] == -urf_disparity(y, p, sensitive_features=X[:, 2])
    assert found["auc"] == roc_auc_score(y, p)
    assert one(model, X, y) == xauc_score(y, p, sensitive_features=X[:, 2], above=1, below=0)


def test_a_fold_that_lacks_a_group_can_be_nan(table):
    X, y = table
    scorer = make_fairness_scorer(xauc_disparity, sensitive_features=2, undefined="nan")
    with pytest.warns(UndefinedMetricWarning, match="one group only"):
        value = scorer(LogisticRegression().fit(X, y), X[X[:, 2] == 0], y[X[:, 2] == 0])
    assert np.isnan(value)


@pytest.mark.parametrize("metric", list(METRICS.values()))
def test_a_search_minimises_a_disparity(table, metric):
    X, y = table
    scorer = make_fairness_scorer(metric, sensitive_features=2, response_method="predict_proba")
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.01, 1.0]}, scoring={"auc": "roc_auc", "gap": scorer},
        refit="gap", error_score="raise",
    ).fit(X, y)
    gaps = search.cv_results_["mean_test_gap"]
    assert (gaps <= 0).all()
    assert search.best_index_ == np.argmax(gaps)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (xauc_score, {"above": 1, "below": 0}), (prf_score, {"group": 1}),
        *((gap, {}) for gap in METRICS.values()),
    ],
)
def test_scikit_learns_own_scorer_takes_the_metrics_under_routing(table, metric, options):
    X, y = table
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(
            metric, response_method="predict_proba", greater_is_better=metric.greater_is_better,
            **options,
        ).set_score_request(sensitive_features=True)
        found = cross_validate(
            LogisticRegression(), X, y, scoring=scorer, error_score="raise",
            params={"sensitive_features": X[:, 2]},
        )
    ours = make_fairness_scorer(metric, sensitive_features=2, **options)
    column = cross_validate(LogisticRegression(), X, y, scoring=ours, error_score="raise")
    np.testing.assert_allclose(found["test_score"], column["test_score"])
