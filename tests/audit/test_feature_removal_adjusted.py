"""P-values over features, refit noise over seeds, and the four readings."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from fairrank.audit import FeatureRemovalAuditor
from fairrank.inference import rgf_test

N = 300


@pytest.fixture(scope="module")
def audited():
    rng = np.random.default_rng(1)
    group = rng.random(N) < 0.3
    X = rng.normal(size=(N, 4))
    X[:, 1] += group
    y = (X[:, 0] + group * rng.normal(0, 2, N) + rng.normal(size=N) > 0).astype(int)
    audit = FeatureRemovalAuditor(
        LogisticRegression(), n_permutations=199, n_resamples=50, cv=3, random_state=0
    ).fit(X, y, sensitive_features=group)
    return X, y, group, audit


def test_pvalues_are_adjusted_over_the_features(audited):
    features = audited[3].result_.features
    for name in ("pvalue", "change_pvalue"):
        raw = np.array([getattr(row, name) for row in features])
        order = np.argsort(raw, kind="stable")
        steps = np.maximum.accumulate(raw[order] * np.arange(raw.size, 0, -1)).clip(max=1.0)
        holm = np.empty_like(raw)
        holm[order] = steps
        assert [getattr(row, f"{name}_holm") for row in features] == pytest.approx(holm)
        expected = false_discovery_control(raw)
        assert [getattr(row, f"{name}_bh") for row in features] == pytest.approx(expected)


def test_labels_are_exchanged_inside_folds(audited):
    X, y, group, audit = audited
    fold = np.arange(N) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    audit = FeatureRemovalAuditor(
        LogisticRegression(), n_permutations=1999, n_resamples=0, cv=splits, random_state=0
    ).fit(X, y, sensitive_features=group)
    score = audit.held_out_scores_["x0"][0]
    test = rgf_test(
        y, score, sensitive_features=group, strata=fold, n_permutations=1999, random_state=5
    )
    row = audit.result_["x0"]
    assert row.effect_size == pytest.approx(test.effect_size)
    assert row.pvalue == pytest.approx(test.pvalue, abs=0.05)


def test_every_feature_has_a_reading_that_names_no_cause(audited):
    full = audited[3].result_.full.pvalue <= 0.05
    for row in audited[3].result_.features:
        after = row.pvalue <= 0.05
        verb = {
            (True, True): "still rejects", (True, False): "no longer rejects",
            (False, True): "now rejects", (False, False): "rejects neither",
        }[full, after]
        moved = "rises" if row.centered_rgf.change > 0 else "falls"
        assert moved in row.reading
        assert verb in row.reading
        assert not any(word in row.reading for word in ("cause", "because", "effect of"))


def test_seeds_give_the_mean_and_the_scatter_of_the_refits(audited):
    X, y, group, _ = audited
    options = {"n_permutations": 0, "n_resamples": 0, "cv": 3, "random_state": 0}
    audit = FeatureRemovalAuditor(
        RandomForestClassifier(5), features=[0], scoring="roc_auc", n_seeds=3, **options
    ).fit(X, y, sensitive_features=group)
    full, without = (audit.held_out_scores_[name] for name in (None, "x0"))
    assert full.shape == without.shape == (3, N)
    assert len({scores.tobytes() for scores in full}) == 3

    def areas(scores):
        positive, negative = scores[:, y == 1, None], scores[:, None, y == 0]
        return ((positive > negative) + 0.5 * (positive == negative)).mean(axis=(1, 2))

    changes = areas(without) - areas(full)
    found = audit.result_["x0"].scores["roc_auc"]
    assert found.change == pytest.approx(changes.mean())
    assert found.refit_noise == pytest.approx(changes.std(ddof=1))
