"""Paired bootstrap: all models on the same rows, the same numbers however they are computed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import fairrank.inference._paired_bootstrap as paired
from fairrank.inference._paired_bootstrap import paired_distribution


@pytest.fixture(scope="module")
def models():
    rng = np.random.default_rng(0)
    n = 300
    group = rng.choice(3, n, p=[0.6, 0.3, 0.1]).astype(np.uint8)
    outcome = rng.integers(0, 2, n).astype(np.uint8)
    score = np.round(rng.random((5, n)), 2)
    return np.abs(outcome - score), score, group, outcome


def drawn(models, *, take=slice(None), n_resamples=50, seed=0, **options):
    burden, score, group, outcome = models
    return paired_distribution(
        burden[take], score[take], group=group, outcome=outcome, n_resamples=n_resamples,
        seed=np.random.SeedSequence(seed), **options,
    )


def test_draws_do_not_depend_on_the_threads(models, monkeypatch):
    one = drawn(models)
    monkeypatch.setattr(paired, "SERIAL_WORK", 0)
    assert_array_equal(drawn(models, n_jobs=2), one)


def test_draws_do_not_depend_on_the_models_beside(models, monkeypatch):
    together = drawn(models)
    assert_array_equal(drawn(models, take=[3]), together[:, [3]])
    monkeypatch.setattr(paired, "BATCH", 2)
    assert_array_equal(drawn(models), together)


def test_draws_do_not_depend_on_the_order_of_the_models_rows(models):
    # The order of rows rules which rows are drawn; equal rows give equal draws.
    burden, score, group, outcome = models
    twice = drawn((burden[[0, 0]], score[[0, 0]], group, outcome))
    assert_array_equal(twice[:, 0], twice[:, 1])


def test_draws_scatter_about_the_sample(models):
    from sklearn.metrics import average_precision_score, roc_auc_score

    from fairrank.metrics import rgf_score

    burden, score, group, outcome = models
    found = drawn(models, take=[0], n_resamples=400)[:, 0]
    sample = [
        rgf_score(None, None, sensitive_features=group, burden=burden[0]),
        rgf_score(None, None, sensitive_features=group, burden=burden[0], centered=True),
        roc_auc_score(outcome, score[0]), average_precision_score(outcome, score[0]),
    ]
    spread = found.std(axis=0)
    # Centred RGF is biased downwards near 1, by less than two standard deviations.
    assert_allclose(found.mean(axis=0), sample, atol=2.0 * spread.max())
    assert (spread > 0).all()


def test_seeds_differ_and_repeat(models):
    assert_array_equal(drawn(models, seed=1), drawn(models, seed=1))
    assert not np.array_equal(drawn(models, seed=1), drawn(models, seed=2))


def test_undefined_draws_are_nan():
    burden = np.array([[0.5, 0.5, 0.5, 0.5]])
    found = paired_distribution(
        burden, burden, group=np.array([0, 0, 1, 1], np.uint8), outcome=np.ones(4, np.uint8),
        n_resamples=5, seed=np.random.SeedSequence(0),
    )
    assert np.isnan(found).all()
