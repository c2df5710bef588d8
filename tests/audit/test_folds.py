"""Every fold has its part of every group and outcome, and no row is held out twice."""

import numpy as np
import pytest
from sklearn.model_selection import RepeatedKFold, StratifiedKFold

from fairrank.audit._folds import held_out_splits
from fairrank.exceptions import DegenerateGroupError

OUTCOME = np.array([0, 0, 0, 1] * 25)
GROUP = np.repeat([0, 1], [80, 20])


def splits(cv, group=GROUP, outcome=OUTCOME, seed=0):
    return held_out_splits(
        cv, np.zeros((group.size, 1)), outcome, cell=group * 2 + outcome, group=group,
        labels=("big", "small"), rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize("n_folds", [2, 3, 5, 20])
def test_folds_part_the_rows_and_hold_every_group_in_proportion(n_folds):
    found = splits(n_folds)
    assert sorted(np.concatenate([test for _, test in found])) == list(range(100))
    for train, test in found:
        assert np.intersect1d(train, test).size == 0
        assert train.size + test.size == 100
        for code, size in enumerate(np.bincount(GROUP)):
            assert abs((GROUP[test] == code).sum() - size / n_folds) < 1
        assert abs(OUTCOME[test].sum() - 25 / n_folds) < 2


def test_a_holdout_takes_its_part_of_every_cell():
    ((train, test),) = splits(0.3)
    assert (train.size, test.size) == (70, 30)
    cell = GROUP * 2 + OUTCOME
    for code, size in enumerate(np.bincount(cell)):
        assert abs((cell[test] == code).sum() - 0.3 * size) <= 1


def test_folds_are_drawn_at_random():
    assert not np.array_equal(splits(5)[0][1], splits(5, seed=1)[0][1])
    assert np.array_equal(splits(5)[0][1], splits(5)[0][1])


def test_splitters_iterables_and_masks_are_taken():
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    expected = list(cv.split(np.zeros(100), OUTCOME))
    masks = [(~np.isin(np.arange(100), test), np.isin(np.arange(100), test))
             for _, test in splits(4)]
    for found, given in [(splits(cv), expected), (splits(iter(expected)), expected)]:
        for (_, test), (_, known) in zip(found, given):
            np.testing.assert_array_equal(test, known)
    assert [test.size for _, test in splits(masks)] == [25] * 4


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        (1, ValueError, "at least 2"),
        (21, DegenerateGroupError, "group 'small' has 20 rows"),
        (1.5, ValueError, r"in \(0, 1\)"),
        (0.001, ValueError, "0 held out"),
        (True, TypeError, "cv must be"),
        (None, TypeError, "cv must be"),
        ("five", TypeError, "cv must be"),
        ([], ValueError, "no split"),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), ValueError, "more than once"),
        ([(np.arange(80), np.arange(79, 100))], ValueError, "trains on rows that it holds out"),
        ([(np.arange(20, 100), np.arange(20))], DegenerateGroupError, "fold 0 .* 'small'"),
        ([(np.arange(5), np.array([100]))], ValueError, "names row 100"),
        ([(np.arange(5), np.array([]))], ValueError, "neither empty"),
    ],
)
def test_bad_folds_are_refused(cv, error, message):
    with pytest.raises(error, match=message):
        splits(cv)


def test_rows_without_a_group_are_dealt_out_too():
    group = GROUP.copy()
    group[:10] = -1
    found = held_out_splits(
        5, None, OUTCOME, cell=np.where(group < 0, 2, group) * 2 + OUTCOME, group=group,
        labels=("big", "small"), rng=np.random.default_rng(0),
    )
    assert sorted(np.concatenate([test for _, test in found])) == list(range(100))
