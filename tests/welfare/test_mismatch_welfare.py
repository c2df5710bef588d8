"""What few rows can say of a change of welfare, and what their signs leave possible."""

import numpy as np
import pytest

from fairrank.welfare import mismatch_report
from fairrank.welfare._unseen_rows import unseen_share


def change_of(before, after, utility="demographic_parity", **asked):
    """Change of the first group, beside a hundred rows half of which are accepted."""
    n, rest = len(before), np.tile([0.0, 1.0], 50)
    asked = {"assumed_utility": "demographic_parity", "y_prob": np.full(n + 100, 0.5)} | asked
    if not isinstance(utility, str):
        utility = np.concatenate([np.asarray(utility, dtype=float), np.ones(100)])
    return mismatch_report(
        np.concatenate([after, rest]), {"v": utility}, gain=1, loss=1,
        unconstrained=np.concatenate([before, rest]),
        sensitive_features=["few"] * n + ["many"] * 100, **asked,
    ).underlying["v"].welfare


def test_rows_that_are_all_admitted_say_no_more_than_a_test_of_signs():
    for n in range(1, 6):
        few = change_of(np.zeros(n), np.ones(n))
        assert few.verdict[0] == "helped or unchanged"
        assert few.standard_error[0] > 0.5
        assert (few.low[0], few.high[0]) == (0, 1)
    # Six heads of six have a probability of 2 / 64 by a fair coin, five 2 / 32.
    assert change_of(np.zeros(6), np.ones(6)).verdict[0] == "helped"
    many = change_of(np.zeros(1000), np.ones(1000))
    assert many.low[0] == pytest.approx(1 - 2 * unseen_share(1000, 0.025))


def test_rows_most_of_which_move_are_no_surer_than_rows_that_all_do():
    for n in range(2, 7):
        assert change_of(np.ones(n), np.arange(n) == 0).verdict[0] == "harmed or unchanged"
    assert change_of(np.ones(7), np.arange(7) == 0).verdict[0] == "harmed"
    # Three of ten, and of a thousand, are few; thirty of a thousand are not.
    for n, dropped in ((10, 3), (1000, 3)):
        assert change_of(np.ones(n), np.arange(n) >= dropped).verdict[0] == "harmed or unchanged"
    many = change_of(np.ones(1000), np.arange(1000) >= 30)
    assert many.high[0] == pytest.approx(-0.03 + 1.96 * many.standard_error[0], abs=1e-6)
    assert many.verdict[0] == "harmed"


def test_rare_large_utilities_do_not_widen_an_interval_where_many_move():
    utility = np.concatenate([[40.0], np.ones(199)])
    change = change_of(np.arange(200) % 2, np.ones(200), utility)
    assert change.low[0] == pytest.approx(change.change[0] - 1.96 * change.standard_error[0], 1e-4)
    assert change.verdict[0] == "helped"


def test_rows_that_differ_in_utility_only_are_no_surer():
    few = change_of(np.zeros(3), np.ones(3), [0.98, 0.99, 1.0])
    assert few.verdict[0] == "helped or unchanged"


def test_a_group_whose_rows_are_all_rejected_is_not_the_lowest_for_sure():
    assert not change_of(np.zeros(3), np.zeros(3)).disadvantage_determined
    sure = change_of(np.zeros(30), np.zeros(30))
    assert sure.disadvantaged_group == "few"
    assert sure.disadvantage_determined


def test_rows_without_utility_do_not_count_as_rows():
    # One good case of a hundred in equal opportunity is one row, whatever stands beside it.
    y = np.concatenate([[1], np.zeros(99), np.tile([0, 1], 50)]).astype(int)
    change = mismatch_report(
        np.ones(200), "equal_opportunity", y_prob=np.full(200, 0.5), gain=1, loss=1, y_true=y,
        assumed_utility="demographic_parity", sensitive_features=["few"] * 100 + ["many"] * 100,
    ).underlying["equal_opportunity"].realised
    assert change.verdict[0] == "helped or unchanged"
    assert change.verdict[1] == "helped"


def test_bad_cases_alone_do_not_say_what_a_good_one_would_get():
    # Utility 1 for a good case, 0 for a bad one, and no scale: three bad cases are three rows.
    y = np.concatenate([[0, 0, 0], np.tile([0, 1], 50)])
    change = mismatch_report(
        np.ones(103), np.tile([0, 1], (103, 1)), y_prob=np.full(103, 0.5), gain=1, loss=1,
        y_true=y, assumed_utility="demographic_parity",
        sensitive_features=["few"] * 3 + ["many"] * 100,
    ).underlying["underlying utility"].realised
    assert change.verdict[0] == "unchanged"
    assert change.high[0] == pytest.approx(unseen_share(3, 0.025))


def test_one_heavy_row_does_not_become_many_by_light_ones():
    before, after = np.zeros(30), np.ones(30)
    light = np.concatenate([[1000.0], np.full(29, 0.1), np.ones(100)])
    assert change_of(before, after).verdict[0] == "helped"
    assert change_of(before, after, sample_weight=light).verdict[0] == "helped or unchanged"
    once = change_of(before[:3], after[:3], sample_weight=np.r_[10, 10, 10, np.ones(100, int)])
    again = change_of(before, after)
    assert once.standard_error[0] == pytest.approx(again.standard_error[0])


@pytest.mark.parametrize(
    ("after", "utility", "verdict", "low", "high"),
    [
        # Nobody gains: whatever is not sure, the group is not helped.
        ([0, 1, 1, 1, 1], [1, 1, 1, 1, 1], "harmed or unchanged", None, 0),
        ([0, 1, 1, 1, 1], [-1, 1, 1, 1, 1], "helped or unchanged", 0, None),
        # An approval that harms, and one that helps.
        ([0, 0, 1, 1, 1], [-1, 1, 1, 1, 1], "undetermined", None, None),
        ([0, 0, 0, 1, 1], [1, 1, 1, 1, 1], "harmed", None, None),
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1], "unchanged", None, None),
    ],
)
def test_the_sign_of_what_moves_is_not_denied(after, utility, verdict, low, high):
    times = 8 if verdict == "harmed" else 1
    change = change_of(np.ones(5 * times), after * times, utility * times)
    assert change.verdict[0] == verdict
    assert low is None or change.low[0] == low
    assert high is None or change.high[0] == high
    assert change.low[0] <= change.change[0] <= change.high[0]


def test_an_interval_holds_only_what_is_possible():
    # Half of two groups moves up and half moves down.
    shares = change_of([1, 0, 1], [0, 1, 0.5])
    assert (shares.low[0], shares.high[0]) == (-1, 1)
    tripled = change_of([1, 0, 1], [0, 1, 0.5], [3, 3, 3])
    assert (tripled.low[0], tripled.high[0]) == (-3, 3)
    # A share of good cases is at most 1, though their utility is 1 over a mean.
    scaled = change_of(
        [1, 0, 1], [0, 1, 0.5], "equal_opportunity", y_prob=np.r_[0.9, 0.1, 0.2, np.full(100, 0.5)]
    )
    assert scaled.low[0] == -1


def test_the_rows_as_everybody_leave_nothing_open():
    change = change_of([0, 0], [1, 1], confidence_level=None)
    assert change.verdict == ("helped", "unchanged")
    assert (change.low[0], change.high[0], change.standard_error[0]) == (1, 1, 0)
