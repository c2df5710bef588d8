"""What the support function's door lets through, and what it says to the rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fairrank.exceptions import DegenerateGroupError
from fairrank.frontier import SupportFunction
from fairrank.frontier._frontier_sample import frontier_sample

GOOD = {
    "loss_0": [0, 1, 1, 0], "loss_1": [1, 0, 0, 1],
    "delta_theta": [[0.2, 0.1], [-0.3, 0], [0, -0.4], [0.1, 0.1]],
    "sensitive_features": ["a", "a", "b", "b"],
}


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"loss_0": [0, 1, np.nan, 0]}, ValueError, "loss_0 has 1 NaN"),
        ({"loss_1": [0, 1, 0]}, ValueError, "Arguments differ in length: .*loss_1 has 3"),
        ({"loss_1": ["x"] * 4}, ValueError, "loss_1 must be numbers"),
        ({"loss_0": [0, 1e101, 0, 0]}, ValueError, r"loss_0 reaches 1e\+101.* larger unit"),
        ({"delta_theta": np.zeros(4)}, ValueError, r"delta_theta has shape \(4,\), .*'a', 'b'"),
        ({"delta_theta": np.zeros((4, 3))}, ValueError, "4 rows and 2 groups: give one column"),
        ({"delta_theta": np.full((4, 2), np.inf)}, ValueError, "delta_theta has 0 NaN and 4"),
        ({"sensitive_features": ["a"] * 4}, DegenerateGroupError, "holds one group, 'a'"),
        ({"sensitive_features": ["a", None, "b", "b"]}, ValueError, "sensitive_features"),
        ({"sample_weight": [1, -1, 1, 1]}, ValueError, "sample_weight has 1 negative"),
        ({"sample_weight": [1, 1, 0, 0]}, DegenerateGroupError, "'b' has sample_weight 0"),
        ({"group_names": ["a"]}, ValueError, r"group_names=\('a',\) must name every group"),
        ({"group_names": ["a", "c"]}, ValueError, "it holds 'a', 'b'"),
        ({"group_names": ["a", "a"]}, ValueError, "must name every group .* once"),
        ({"clusters": [1, 2, 3]}, ValueError, "Arguments differ in length: .*clusters has 3"),
        ({"clusters": ["u", "v", None, "u"]}, ValueError, "clusters: row 2 holds None"),
        ({"clusters": [["u"], "v", "w", "x"]}, (TypeError, ValueError), "clusters"),
    ],
)
def test_a_bad_argument_is_named(changes, error, message):
    with pytest.raises(error, match=message):
        SupportFunction(**{**GOOD, **changes})


def test_no_rows_are_refused():
    with pytest.raises(DegenerateGroupError, match="empty"):
        SupportFunction([], [], np.empty((0, 2)), sensitive_features=[])


def test_groups_are_sorted_unless_named():
    sample = frontier_sample(**GOOD)
    assert sample.group_names == ("a", "b")
    named = frontier_sample(**GOOD, group_names=["b", "a"])
    assert named.group_names == ("b", "a")
    assert_array_equal(named.code, [1, 1, 0, 0])


def test_weights_make_the_shares_of_groups():
    sample = frontier_sample(**GOOD, sample_weight=[2, 4, 1, 1])
    assert_allclose(sample.weight_in_group, [1 / 3, 2 / 3, 0.5, 0.5])
    assert_allclose(sample.share, [0.75, 0.25])
    assert_allclose(sample.scaled, np.array(GOOD["delta_theta"]) / [0.75, 0.25])


@pytest.mark.parametrize(
    "clusters",
    [[7, 7, 3, 900], ["u", "u", "v", "w"], [("x", 1), ("x", 1), ("x", 2), "y"],
     np.array([0.5, 0.5, 1.5, 2.5])],
)
def test_clusters_may_be_any_hashables(clusters):
    sample = frontier_sample(**GOOD, clusters=clusters)
    first, same, other, last = sample.cluster
    assert first == same
    assert len({first, other, last}) == 3 == sample.n_clusters


def test_frames_and_boolean_losses_are_read():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(GOOD["delta_theta"], index=[9, 8, 7, 6])
    support = SupportFunction(
        pd.Series([False, True, True, False]), pd.Series([True, False, False, True]), frame,
        sensitive_features=pd.Series(["a", "a", "b", "b"], dtype="category"),
    )
    assert support.h([1, 2]) == SupportFunction(**GOOD).h([1, 2])


def test_an_identifier_is_no_group():
    n = 300
    with pytest.raises(ValueError, match="sensitive_features"):
        SupportFunction(
            np.zeros(n), np.ones(n), np.zeros((n, n)), sensitive_features=np.arange(n)
        )
