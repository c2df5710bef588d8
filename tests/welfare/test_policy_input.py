"""What a policy is given: every kind of table, and what cannot be one."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairrank.exceptions import DegenerateGroupError, InfeasibleError, UnseenGroupError
from fairrank.welfare import (
    expected_utility,
    mismatch_report,
    price_of_fairness_path,
    unaware_policy,
    welfare_optimal_policy,
)

REVENUE, UTILITY, GROUP = [0.5, -0.2, -0.3, 0.6], [1.0, 1.0, 2.0, 1.0], list("aabb")


def policy(revenue=REVENUE, utility=UTILITY, group=GROUP, **options):
    return welfare_optimal_policy(revenue, utility, sensitive_features=group, **options)


@pytest.mark.parametrize("column", [list, np.array, pd.Series, pl.Series])
def test_columns_of_any_kind_are_the_same_people(column):
    found = policy(column(REVENUE), column(UTILITY), column(GROUP))
    assert found.acceptance.tolist() == policy().acceptance.tolist()


@pytest.mark.parametrize("table", [np.array, pd.DataFrame, pl.DataFrame])
def test_options_come_as_any_table(table):
    revenue, utility = np.c_[REVENUE, REVENUE], np.c_[UTILITY, UTILITY]
    found = policy(table(revenue), table(utility))
    assert found.acceptance.shape == (4, 3)
    assert found.revenue == pytest.approx(policy().revenue)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"revenue": [np.nan, 1, 1, 1]}, ValueError, "revenue has 1 NaN"),
        ({"utility": list("wxyz")}, ValueError, "utility must be numbers"),
        ({"revenue": [], "utility": [], "group": []}, DegenerateGroupError, "empty"),
        ({"revenue": [1, 2, 3]}, ValueError, r"revenue has shape \(3,\) and utility \(4,\)"),
        ({"group": list("aab")}, ValueError, "revenue has 4, sensitive_features has 3 rows"),
        ({"revenue": np.ones((4, 0)), "utility": np.ones((4, 0))}, ValueError, "no option"),
        ({"group": list("aaaa")}, DegenerateGroupError, "holds one group, 'a'"),
        ({"group": ["a", None, "b", "b"]}, ValueError, "missing='group'"),
        ({"utility": [0, 0, 1, 1]}, DegenerateGroupError, "no decision changes the welfare"),
        ({"utility": [1e-200, 1, 1, 1]}, ValueError, "a utility is next to 0"),
        ({"sample_weight": [1, 1, 1, -1]}, ValueError, "sample_weight has 1 negative"),
        ({"sample_weight": [1, 1, 0, 0]}, DegenerateGroupError, "group 'b' has sample_weight 0"),
        ({"tolerance": -1}, ValueError, "tolerance must be at least 0"),
        ({"tolerance": np.inf}, ValueError, "tolerance must be at least 0 and finite"),
        ({"tolerance": "0"}, TypeError, "tolerance must be a number"),
        ({"rejected_utility": None}, ValueError, "leaves a single option to everybody"),
        ({"rejected_utility": [0, 0, 3, 3]}, InfeasibleError, "group 'b' has at least"),
        ({"smoothing": 1e-12}, ValueError, "finer than the multipliers can be told apart"),
        ({"method": "simplex"}, ValueError, "method must be one of 'sweep'"),
        ({"search_tol": 0}, ValueError, "search_tol must lie in"),
    ],
)
def test_what_cannot_be_decided_on_is_named(changed, error, message):
    with pytest.raises(error, match=message):
        policy(**changed)


def test_a_missing_group_is_a_group_or_is_left_out():
    group = ["a", None, "b", "b"]
    assert policy(group=group, missing="group").groups == ("a", "b", None)
    dropped = policy(group=group, missing="drop")
    assert np.isnan(dropped.acceptance).tolist() == [False, True, False, False]
    rest = [0, 2, 3]
    without = policy(
        *(np.array(column)[rest] for column in (REVENUE, UTILITY, GROUP)),
    )
    assert dropped.acceptance[rest].tolist() == without.acceptance.tolist()
    assert dropped.revenue == without.revenue


def test_an_infeasible_condition_says_what_would_be_feasible():
    rejected = [0, 0, 3, 3]
    with pytest.raises(InfeasibleError, match=r"Pass tolerance=0\.505") as caught:
        policy(rejected_utility=rejected)
    assert "group 'a' at most 1" in str(caught.value)
    assert policy(rejected_utility=rejected, tolerance=0.505).welfare_gap <= 0.505


def test_a_utility_of_being_rejected_moves_nothing_but_the_level():
    plain = policy()
    shifted = policy(utility=np.array(UTILITY) + 0.25, rejected_utility=0.25)
    assert shifted.acceptance == pytest.approx(plain.acceptance)
    assert shifted.welfare == pytest.approx(plain.welfare + 0.25)


def test_other_people_are_decided_on_by_the_rule_of_their_group():
    found = policy()
    cut = found.multiplier
    new = found.acceptance_probability(
        [cut[0] + 0.1, cut[0] - 0.1, 2 * cut[1] + 0.1], [1, 1, 2], sensitive_features=list("aab")
    )
    assert new.tolist() == [1, 0, 1]
    with pytest.raises(UnseenGroupError, match="group 'c'"):
        found.acceptance_probability([1], [1], sensitive_features=["c"])
    with pytest.raises(ValueError, match="the policy was found on shape"):
        found.acceptance_probability([[1, 2]], [[1, 2]], sensitive_features=["a"])


def test_results_are_written_out():
    found = policy()
    assert pd.DataFrame(found.to_table()).shape == (2, 10)
    assert json.loads(json.dumps(found.to_dict()))["lowered_groups"] == []
    assert pickle.loads(pickle.dumps(found)).revenue == found.revenue
    assert "price" in repr(found)


@pytest.mark.parametrize(
    "asked",
    [
        lambda group: expected_utility("equal_opportunity", [0.5] * 4, sensitive_features=group),
        lambda group: unaware_policy([0.5] * 4, [0.5] * 4, sensitive_features=group),
        lambda group: mismatch_report(
            [1, 0, 1, 0], "demographic_parity", y_prob=[0.5] * 4, sensitive_features=group,
            assumed_utility="demographic_parity", gain=1, loss=1,
        ),
    ],
)
def test_who_has_no_argument_for_missing_groups_offers_none(asked):
    with pytest.raises(ValueError, match="Give them one, or take those rows out") as caught:
        asked(["a", None, "b", "b"])
    assert "missing=" not in str(caught.value)


def test_the_price_path_leaves_rows_without_a_group_out_too():
    group = ["a", None, "b", "b"]
    path = price_of_fairness_path(
        REVENUE, UTILITY, sensitive_features=group, missing="drop"
    )
    assert path.revenue_at(0.0) == pytest.approx(policy(group=group, missing="drop").revenue)


def test_a_menu_without_rejection_can_leave_no_welfare_that_all_can_have():
    revenue, utility = np.ones((4, 2)), np.array([[0, 1.0], [0, 1], [2, 3], [2, 3]])
    with pytest.raises(InfeasibleError, match=r"at least 2 .* at most 1"):
        policy(revenue, utility, rejected_utility=None)


def test_a_group_without_utility_keeps_the_others_near_it():
    path = price_of_fairness_path(REVENUE, [1, 1, 0, 0], sensitive_features=GROUP)
    for tolerance in (0.1, 0.3, 1.0):
        found = policy(utility=[1, 1, 0, 0], tolerance=tolerance)
        assert found.welfare == pytest.approx([min(tolerance, 0.5), 0])
        assert path.revenue_at(tolerance) == pytest.approx(found.revenue)
