"""Paths of orderings: each point is fair_ordering's, and other rows can judge it."""

import json

import numpy as np
import pytest

from fairrank.exceptions import InfeasibleError, UnseenGroupError
from fairrank.metrics import ranking_disparity
from fairrank.ranking import fair_ordering, fair_ordering_path


def sample(n=600, seed=0, decimals=None, labels=("a", "b")):
    rng = np.random.default_rng(seed)
    group = rng.choice(labels, n)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + y * (0.4 + (group == labels[-1]))
    return y, score if decimals is None else score.round(decimals), group


@pytest.mark.parametrize("disparity", ["xauc", "prf", "urf"])
@pytest.mark.parametrize("solver", ["hull", "calibrated"])
@pytest.mark.parametrize(
    "asked", [{"trade_offs": [0.0, 0.1, 1.0]}, {"max_disparities": [0.2, 0.05, 0.01]}]
)
def test_every_point_is_the_ordering_asked_for(disparity, solver, asked):
    y, score, group = sample()
    known = {"sensitive_features": group, "disparity": disparity, "solver": solver}
    path = fair_ordering_path(y, score, finish="auto", **known, **asked)
    ((name, levels),) = asked.items()
    for point, level in enumerate(levels):
        alone = fair_ordering(y, score, finish="auto", **known,
                              **{"trade_off" if name == "trade_offs" else "max_disparity": level})
        again = path.ordering(point)
        np.testing.assert_array_equal(again.fair_score, alone.fair_score)
        assert path.auc[point] == pytest.approx(alone.auc_after, abs=1e-12)
        assert path.disparity_after[point] == pytest.approx(alone.disparity_after, abs=1e-12)
        assert path.upper_bound[point] == pytest.approx(alone.upper_bound, abs=1e-12)


@pytest.mark.parametrize("disparity", ["xauc", "prf", "urf"])
def test_without_levels_the_path_runs_from_the_best_auc_to_the_smallest_disparity(disparity):
    y, score, group = sample()
    path = fair_ordering_path(y, score, sensitive_features=group, disparity=disparity, n_points=9)
    best = fair_ordering(y, score, sensitive_features=group, disparity=disparity, trade_off=0.0)
    assert path.auc[0] == pytest.approx(best.auc_after)
    assert path.disparity_after[-1] < 1e-3
    assert np.isnan(path.max_disparity[-1])
    assert path.met.all()
    assert (path.disparity_after[:-1] <= path.max_disparity[:-1] + 1e-12).all()
    assert (path.auc <= path.upper_bound + 1e-12).all()
    # The bound is the concave frontier of all orders: it falls with the disparity allowed.
    assert (np.diff(path.upper_bound) <= 1e-12).all()


def test_the_rows_of_the_fit_say_what_the_path_says():
    y, score, group = sample(decimals=1)
    path = fair_ordering_path(y, score, sensitive_features=group, n_points=5)
    seen = path.evaluate(y, score, sensitive_features=group)
    np.testing.assert_allclose(seen.auc, path.auc, atol=1e-12)
    np.testing.assert_allclose(seen.disparity, path.disparity_after, atol=1e-12)
    assert seen.auc_before == pytest.approx(path.auc_before)
    assert seen.disparity_before == pytest.approx(path.disparity_before)


def test_other_rows_are_judged_by_the_maps():
    y, score, group = sample()
    path = fair_ordering_path(y, score, sensitive_features=group, n_points=4)
    new_y, new_score, new_group = sample(seed=1)
    seen = path.evaluate(new_y, new_score, sensitive_features=new_group)
    maps = path.score_maps(2)
    fair = np.array([maps[g]([s])[0] for g, s in zip(new_group, new_score)])
    judged = ranking_disparity(new_y, fair, sensitive_features=new_group)
    assert seen.auc[2] == pytest.approx(judged.auc)
    assert seen.disparity[2] == pytest.approx(judged.value)
    before = ranking_disparity(new_y, new_score, sensitive_features=new_group)
    assert seen.standard_error == pytest.approx(before.standard_error)
    with pytest.raises(UnseenGroupError, match="group 'c' was not among those of the path"):
        path.evaluate(new_y, new_score, sensitive_features=np.where(new_group == "b", "c", "a"))


def test_a_level_that_no_order_meets_is_marked_and_its_ordering_refused():
    y, score, group = [1, 0, 1, 0, 1, 1, 0], [2, 2, 1, 1, 1, 3, 4], list("aabbbbb")
    path = fair_ordering_path(y, score, sensitive_features=group, max_disparities=[0.9, 0.001])
    assert path.met.tolist() == [True, False]
    assert path.disparity_after[1] > 0.001
    with pytest.raises(InfeasibleError, match=r"max_disparity=0\.001"):
        path.ordering(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trade_offs": [1.0], "max_disparities": [0.1]}, "both given"),
        ({"trade_offs": []}, "trade_offs is empty"),
        ({"trade_offs": [-1.0]}, "trade_off must be at least 0"),
        ({"max_disparities": [2.0]}, "max_disparity must lie in"),
        ({"n_points": 1}, "n_points must be at least 2"),
        ({"solver": "lattice"}, "solver='lattice' solves every point anew"),
    ],
)
def test_bad_arguments_are_named(options, message):
    y, score, group = sample(60)
    with pytest.raises(ValueError, match=message):
        fair_ordering_path(y, score, sensitive_features=group, **options)


def test_every_point_is_ready_for_json():
    y, score, group = sample(labels=(0, 1))
    path = fair_ordering_path(y, score, sensitive_features=group, trade_offs=[0.0, 0.1])
    read = json.loads(json.dumps(path.to_dict()))
    assert read["groups"] == ["0", "1"]
    for name in ("trade_off", "auc", "disparity_after", "upper_bound"):
        assert read[name] == getattr(path, name).tolist()
    assert np.isnan(read["max_disparity"]).all()
