"""fair_ordering as users call it: its promises, and how it refuses."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from fairrank.exceptions import DegenerateGroupError, InfeasibleError
from fairrank.metrics import ranking_disparity
from fairrank.ranking import fair_ordering

SOLVERS = ["hull", "lattice", "calibrated"]
KINDS = ["xauc", "prf", "urf"]


def sample(n=400, seed=0, decimals=None, weighted=False):
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(n) < 0.35, "a", "b")
    y = (rng.random(n) < np.where(group == "a", 0.3, 0.5)).astype(int)
    score = rng.normal(size=n) + y - 0.6 * (group == "a")
    if decimals is not None:
        score = score.round(decimals)
    return y, score, group, rng.integers(1, 4, n) if weighted else None


asked = st.sampled_from([{}, {"trade_off": 0.1}, {"trade_off": 2.0}, {"max_disparity": 0.1}])


@settings(max_examples=150)
@given(st.integers(0, 10**6), st.sampled_from(SOLVERS), st.sampled_from(KINDS), asked,
       st.sampled_from([0, 1, None]), st.booleans())
def test_what_is_reported_is_what_the_fair_scores_come_to(
    seed, solver, disparity, options, decimals, weighted
):
    y, score, group, weight = sample(120, seed, decimals, weighted)
    known = {"sensitive_features": group, "disparity": disparity, "sample_weight": weight}
    try:
        found = fair_ordering(y, score, solver=solver, **known, **options)
    except InfeasibleError:
        assert "max_disparity" in options
        return
    judged = ranking_disparity(y, found.fair_score, **known)
    before = ranking_disparity(y, score, **known)
    assert found.disparity_after == pytest.approx(judged.value, abs=1e-12)
    assert found.auc_after == pytest.approx(judged.auc, abs=1e-12)
    assert found.disparity_before == pytest.approx(before.value, abs=1e-12)
    assert found.auc_before == pytest.approx(before.auc, abs=1e-12)
    assert found.pair_before == before.pair
    np.testing.assert_allclose(found.differences, judged.differences, atol=1e-12)
    assert found.optimality_gap >= 0.0
    for label, to_fair in found.score_maps.items():
        here = group == label
        np.testing.assert_array_equal(to_fair(score[here]), found.fair_score[here])
        rank = np.argsort(score[here], kind="stable")
        assert (np.diff(found.fair_score[here][rank]) >= 0.0).all()
        # Equal scores, and only these, share a fair score unless a calibration tied them.
        if solver != "calibrated":
            assert np.unique(found.fair_score[here]).size == np.unique(score[here]).size
    if "max_disparity" in options:
        assert found.disparity_after <= options["max_disparity"] + 1e-12


@pytest.mark.parametrize("disparity", KINDS)
@pytest.mark.parametrize("decimals", [0, 1, None])
@pytest.mark.parametrize("trade_off", [0.0, 0.1, 1.0, 20.0])
def test_the_hull_never_loses_to_another_solver(disparity, decimals, trade_off):
    for seed in range(4):
        y, score, group, _ = sample(300, seed, decimals)
        worth = {
            solver: fair_ordering(
                y, score, sensitive_features=group, disparity=disparity, solver=solver,
                trade_off=trade_off,
            )
            for solver in SOLVERS
        }
        for solver in SOLVERS[1:]:
            assert worth[solver].objective <= worth["hull"].objective + 1e-12
        assert worth["hull"].objective <= worth["hull"].upper_bound


def test_heavy_ties_are_solved_to_the_end():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 5000)
    y = (rng.random(5000) < 0.3 + 0.3 * group).astype(int)
    score = np.clip(np.round(3.0 * y + 2.0 * group + 2.5 * rng.normal(size=5000)), 1, 10)
    known = {"sensitive_features": group, "trade_off": 1.0}
    found = fair_ordering(y, score, **known)
    split = fair_ordering(y, score, finish="two_split", **known)
    lattice = fair_ordering(y, score, solver="lattice", **known)
    assert found.proven
    assert found.objective > max(split.objective, lattice.objective)


def test_weights_are_repetitions():
    y, score, group, weight = sample(60, 1, 1, weighted=True)
    again = [np.repeat(column, weight) for column in (y, score, group)]
    weighted = fair_ordering(
        y, score, sensitive_features=group, sample_weight=weight, trade_off=1.0
    )
    repeated = fair_ordering(again[0], again[1], sensitive_features=again[2], trade_off=1.0)
    assert weighted.objective == pytest.approx(repeated.objective, abs=1e-12)
    np.testing.assert_allclose(np.repeat(weighted.fair_score, weight), repeated.fair_score)


@pytest.mark.parametrize("solver", ["hull", "lattice"])
def test_a_monotone_rescaling_of_the_scores_changes_nothing(solver):
    y, score, group, _ = sample(200, 2)
    known = {"sensitive_features": group, "trade_off": 1.0, "solver": solver}
    found, moved = (fair_ordering(y, s, **known) for s in (score, np.exp(score / 2.0) - 7.0))
    np.testing.assert_array_equal(found.fair_score, moved.fair_score)


def test_rows_in_another_order_keep_their_fair_scores():
    y, score, group, _ = sample(200, 4, 1)
    rank = np.random.default_rng(0).permutation(200)
    found = fair_ordering(y, score, sensitive_features=group, max_disparity=0.02)
    moved = fair_ordering(
        y[rank], score[rank], sensitive_features=group[rank], max_disparity=0.02
    )
    np.testing.assert_array_equal(found.fair_score[rank], moved.fair_score)


@pytest.mark.parametrize("disparity", KINDS)
def test_a_large_trade_off_leaves_less_than_one_row(disparity):
    y, score, group, _ = sample(300, 5)
    found = fair_ordering(
        y, score, sensitive_features=group, disparity=disparity, trade_off=1e5
    )
    smallest = fair_ordering(y, score, sensitive_features=group, disparity=disparity)
    one_row = max(1.0 / (y[group == g] == 1).sum() for g in "ab")
    assert found.disparity_after < one_row
    assert smallest.disparity_after < one_row


def test_rows_without_weight_have_a_place_and_no_say():
    y, score, group, _ = sample(100, 6)
    weight = np.ones(100, dtype=int)
    weight[:10] = 0
    found = fair_ordering(
        y, score, sensitive_features=group, sample_weight=weight, trade_off=1.0
    )
    without = fair_ordering(y[10:], score[10:], sensitive_features=group[10:], trade_off=1.0)
    np.testing.assert_array_equal(found.fair_score[10:], without.fair_score)
    assert np.isfinite(found.fair_score[:10]).all()
    for i in range(10):
        assert found.fair_score[i] == found.score_maps[group[i]]([score[i]])[0]


def test_rows_whose_group_is_dropped_have_no_fair_score():
    y, score, group, _ = sample(100, 7)
    group = group.astype(object)
    group[:5] = None
    with pytest.raises(ValueError, match="missing='group'"):
        fair_ordering(y, score, sensitive_features=group, trade_off=1.0)
    found = fair_ordering(
        y, score, sensitive_features=group, trade_off=1.0, missing="drop"
    )
    assert np.isnan(found.fair_score[:5]).all()
    assert np.isfinite(found.fair_score[5:]).all()
    assert sorted(found.order[-5:].tolist()) == [0, 1, 2, 3, 4]


def test_a_subsample_keeps_the_condition_on_its_rows_and_places_all():
    y, score, group, _ = sample(5000, 8)
    found = fair_ordering(
        y, score, sensitive_features=group, max_disparity=0.01, solver="lattice", subsample=500
    )
    assert np.isfinite(found.fair_score).all()
    assert np.isnan(found.upper_bound)
    assert not found.proven
    assert found.disparity_after < 0.1 < found.disparity_before
    judged = ranking_disparity(y, found.fair_score, sensitive_features=group)
    assert judged.value == pytest.approx(found.disparity_after, abs=1e-12)


def test_the_smallest_disparity_is_named_where_a_condition_cannot_be_met():
    y, score, group = [1, 0, 1, 0, 1, 1, 0], [2, 2, 1, 1, 1, 3, 4], list("aabbbbb")
    smallest = fair_ordering(y, score, sensitive_features=group)
    assert smallest.disparity_after > 0.1
    near = re.escape(f"smallest found is {smallest.disparity_after:.6g}")
    with pytest.raises(InfeasibleError, match=f"{near}.*every order was searched"):
        fair_ordering(y, score, sensitive_features=group, max_disparity=0.1)


def test_a_calibrator_of_the_user_is_fitted_and_must_be_monotone():
    class Falling(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    y, score, group, _ = sample(400, 9)
    known = {"sensitive_features": group, "solver": "calibrated", "max_disparity": 0.02}
    plain = fair_ordering(y, score, **known)
    given_one = fair_ordering(y, score, calibrator=LogisticRegression(C=1e3), **known)
    isotonic = fair_ordering(y, score, calibrator="hull", **known)
    assert given_one.auc_after == pytest.approx(plain.auc_after, abs=2e-3)
    assert isotonic.auc_after >= plain.auc_after
    with pytest.raises(ValueError, match="monotone calibrator"):
        fair_ordering(y, score, calibrator=Falling(), **known)


@pytest.mark.parametrize("disparity", KINDS)
def test_scores_that_speak_against_the_outcome_are_still_kept_in_order(disparity):
    y, score, group, _ = sample(300, 10)
    found = fair_ordering(
        y, -score, sensitive_features=group, disparity=disparity, solver="calibrated"
    )
    for g in "ab":
        here = group == g
        rank = np.argsort(-score[here])
        assert (np.diff(found.fair_score[here][rank]) > 0.0).all()


def test_a_group_of_one_class_has_a_urf_and_no_xauc():
    y, score, group = [1, 1, 0, 1, 0], [3, 1, 2, 1.5, 0], list("aabbb")
    for solver in SOLVERS:
        found = fair_ordering(y, score, sensitive_features=group, disparity="urf", solver=solver)
        assert found.disparity_after <= found.disparity_before
    with pytest.raises(DegenerateGroupError, match="group 'a' has no negative among its 2 rows"):
        fair_ordering(y, score, sensitive_features=group, disparity="xauc")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"trade_off": 1.0, "max_disparity": 0.1}, ValueError, "both given"),
        ({"trade_off": -1.0}, ValueError, "trade_off must be at least 0"),
        ({"trade_off": np.inf}, ValueError, "trade_off must be at least 0 and finite"),
        ({"trade_off": "1"}, TypeError, "trade_off must be a number"),
        ({"max_disparity": 1.5}, ValueError, "max_disparity must lie in"),
        ({"disparity": "auc"}, ValueError, "disparity must be one of"),
        ({"solver": "dp"}, ValueError, "solver must be one of"),
        ({"finish": "best"}, ValueError, "finish must be one of"),
        ({"subsample": 1}, ValueError, "subsample must be at least 2"),
        ({"subsample": 2}, DegenerateGroupError, "subsample=2 leaves a group without"),
        ({"calibrator": "spline", "solver": "calibrated"}, ValueError, "calibrator"),
        ({"calibrator": "hull"}, ValueError, "calibrator"),
        ({"calibrator": 3, "solver": "calibrated"}, TypeError, "calibrator=3 has no fit"),
        ({"trade_off": 1e9}, ValueError, "where AUC no longer counts"),
    ],
)
def test_bad_arguments_are_named(options, error, message):
    y, score, group, _ = sample(60)
    with pytest.raises(error, match=message):
        fair_ordering(y, score, sensitive_features=group, **options)


@pytest.mark.parametrize(
    ("y", "group", "message"),
    [
        ([1, 0, 1, 0], ["a"] * 4, "one group only"),
        ([1, 1, 1, 0], list("aabb"), "group 'a' has no negative"),
        ([0, 0, 1, 0], list("aabb"), "group 'a' has no positive"),
    ],
)
def test_degenerate_samples_are_refused(y, group, message):
    with pytest.raises(DegenerateGroupError, match=message):
        fair_ordering(y, [0.1, 0.2, 0.3, 0.4], sensitive_features=group)


def test_auc_needs_both_classes_even_where_urf_does_not():
    with pytest.raises(DegenerateGroupError, match="no negative among its 4 rows, so AUC"):
        fair_ordering([1, 1, 1, 1], [1, 2, 3, 4], sensitive_features=list("aabb"),
                      disparity="urf")


def test_a_lattice_that_would_not_fit_says_what_to_do(monkeypatch):
    monkeypatch.setattr("fairrank.ranking._lattice._free_memory", lambda: 1000)
    y, score, group, _ = sample(200)
    with pytest.raises(MemoryError, match="subsample=2000, or solver='hull'"):
        fair_ordering(y, score, sensitive_features=group, solver="lattice")


def test_one_member_or_all_tied_can_be_ordered():
    lone = fair_ordering([1, 0, 1, 0], [3, 1, 2, 0], sensitive_features=list("abbb"),
                         disparity="urf")
    assert lone.proven
    tied = fair_ordering([1, 0, 1, 0], [1, 1, 1, 1], sensitive_features=list("aabb"),
                         trade_off=1.0)
    assert tied.auc_before == tied.auc_after == 0.5
    # The only order without a disparity: both groups share one place.
    assert tied.fair_score.tolist() == [0.5] * 4


def test_the_result_is_read_by_name_and_goes_to_json():
    y, score, group, _ = sample(60)
    found = fair_ordering(y, score, sensitive_features=group, max_disparity=0.1)
    again = json.loads(json.dumps(found.to_dict()))
    assert again["max_disparity"] == 0.1
    assert set(again["score_maps"]) == {"a", "b"}
    assert "FairOrdering(xauc" in repr(found)
    with pytest.raises(AttributeError):
        found.auc_after = 1.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("finish", ["auto", "two_split"])
def test_no_solver_leaves_the_scores_worse_than_they_came(solver, finish):
    for seed in range(12):
        y, score, group, _ = sample(80, seed, decimals=0)
        known = {"sensitive_features": group, "solver": solver, "finish": finish}
        smallest = fair_ordering(y, score, **known)
        assert smallest.disparity_after <= smallest.disparity_before + 1e-12
        traded = fair_ordering(y, score, trade_off=1.0, **known)
        assert traded.objective >= traded.auc_before - traded.disparity_before - 1e-12
        met = min(1.0, smallest.disparity_before + 1e-6)
        kept = fair_ordering(y, score, max_disparity=met, **known)
        assert kept.auc_after >= kept.auc_before - 1e-12


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_score_for_everybody_stays_shared(solver):
    y, group = np.arange(400) % 2, np.where(np.arange(400) % 5 < 3, "a", "b")
    found = fair_ordering(y, np.ones(400), sensitive_features=group, solver=solver)
    assert (found.disparity_after, found.auc_after) == (0.0, 0.5)


def test_the_bound_of_the_smallest_disparity_is_that_of_auc_at_it():
    for seed in range(6):
        y, score, group, _ = sample(150, seed, decimals=0)
        known = {"sensitive_features": group, "disparity": "prf"}
        lattice = fair_ordering(y, score, solver="lattice", **known)
        best = fair_ordering(y, score, max_disparity=lattice.disparity_after, **known)
        assert best.auc_after <= lattice.upper_bound + 1e-12


@pytest.mark.parametrize("calibrator", [None, "hull"])
def test_weights_are_repetitions_for_the_calibrated_solver_too(calibrator):
    for seed in range(8):
        y, score, group, weight = sample(40, seed, 0, weighted=True)
        again = [np.repeat(column, weight) for column in (y, score, group)]
        known = {"solver": "calibrated", "calibrator": calibrator, "trade_off": 0.3}
        weighted = fair_ordering(
            y, score, sensitive_features=group, sample_weight=weight, **known
        )
        repeated = fair_ordering(again[0], again[1], sensitive_features=again[2], **known)
        assert weighted.auc_after == pytest.approx(repeated.auc_after, abs=1e-9)
        assert weighted.disparity_after == pytest.approx(repeated.disparity_after, abs=1e-9)


def test_groups_that_no_dictionary_keeps_apart_are_refused():
    y, score, _, _ = sample(60)
    group = np.empty(60, dtype=object)
    group[:] = [1 if i % 2 else 1.0 for i in range(60)]
    with pytest.raises(ValueError, match="equal but of different types"):
        fair_ordering(y, score, sensitive_features=group)


def test_a_subsample_of_everybody_keeps_its_certificate():
    y, score, group, _ = sample(60)
    found = fair_ordering(y, score, sensitive_features=group, trade_off=1.0, subsample=60)
    assert found.proven
    assert np.isfinite(found.upper_bound)


def test_a_condition_that_cannot_be_met_names_one_that_can():
    y, score, group, _ = sample(400, 3)
    with pytest.raises(InfeasibleError) as refused:
        fair_ordering(y, score, sensitive_features=group, max_disparity=0.0)
    assert "equal scores" not in str(refused.value)
    level = float(re.search(r"Accept more, max_disparity=([\d.e-]+)", str(refused.value))[1])
    found = fair_ordering(y, score, sensitive_features=group, max_disparity=level)
    assert found.disparity_after <= level + 1e-12


def test_dozens_of_levels_are_searched_with_few_labels_thinned_at_once():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 800), rng.choice(["a", "b"], 800)
    score = np.clip(np.round(4.0 * rng.normal(size=800) + 6.0 * y), -15, 20)
    found = fair_ordering(y, score, sensitive_features=group)
    assert found.disparity_after < 1e-4
