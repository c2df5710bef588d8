"""Losses of decisions: by name, by cost, by a callable, row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pytest import approx

from fairrank.frontier._losses import check_loss, decision_losses, losses_of_predictions

Y = np.array([0, 1, 1, 0])
labels = st.lists(st.sampled_from([0, 1]), min_size=2, max_size=20).filter(lambda y: len(set(y)) == 2)
costs = st.floats(0.01, 100)


def test_zero_one_counts_decisions_that_are_not_the_outcome():
    found = decision_losses("zero_one", Y)
    assert_array_equal(found.loss_0, Y != 0)
    assert_array_equal(found.loss_1, Y != 1)
    assert_array_equal(found.by_outcome, [[0, 1], [1, 0]])
    assert (found.pos_label, found.classes.tolist()) == (1, [0, 1])


@given(labels, costs, costs)
def test_a_false_negative_is_decision_0_at_the_positive_label(y, a, b):
    found = decision_losses({"false_positive": a, "false_negative": b}, y)
    assert found.loss_0.tolist() == [b if value else 0.0 for value in y]
    assert found.loss_1.tolist() == [0.0 if value else a for value in y]


@given(labels)
def test_equal_costs_are_the_zero_one_loss(y):
    equal = decision_losses({"false_positive": 1.0, "false_negative": 1.0}, y)
    named = decision_losses("zero_one", y)
    assert_array_equal(equal.loss_0, named.loss_0)
    assert_array_equal(equal.loss_1, named.loss_1)


def test_decision_1_is_the_positive_label_whatever_it_is():
    y = np.array(["repaid", "late", "late"])
    found = decision_losses("zero_one", y, pos_label="late")
    assert_array_equal(found.loss_1, y != "late")
    assert found.classes.tolist() == ["late", "repaid"]
    assert_array_equal(found.outcome, [0, 1, 1])


@given(st.lists(st.floats(-10, 10), min_size=3, max_size=20))
def test_squared_is_the_distance_of_a_score_from_the_decision(y):
    found = decision_losses("squared", y)
    np.testing.assert_allclose(found.loss_0, np.square(y))
    np.testing.assert_allclose(found.loss_1, np.square(np.subtract(1, y)))


def test_an_outcome_without_two_labels_has_decisions_for_classes():
    found = decision_losses("squared", [0.1, 0.5, 0.9])
    assert found.by_outcome is None
    assert (found.classes.tolist(), found.pos_label) == ([0, 1], 1)
    assert_array_equal(found.outcome, [0, 0, 1])
    with pytest.raises(ValueError, match="has not two labels"):
        decision_losses("squared", [0.1, 0.5, 0.9], pos_label=1)


def test_a_callable_sees_the_labels_as_they_are_and_cannot_change_them():
    y = np.array(["a", "b", "c"])

    def loss(d, seen):
        cost = np.where(seen == "c", 5.0, 1.0) * d
        seen[:] = "a"
        return cost

    found = decision_losses(loss, y)
    assert_array_equal(found.loss_1, [1, 1, 5])
    assert_array_equal(found.loss_0, [0, 0, 0])
    assert y.tolist() == ["a", "b", "c"]


def test_a_callable_of_two_labels_is_known_to_depend_on_them_only():
    found = decision_losses(lambda d, y: 3.0 * (d != y), Y)
    assert_array_equal(found.by_outcome, [[0, 3], [3, 0]])
    told = iter([np.arange(4.0), np.zeros(4)])
    assert decision_losses(lambda d, y: next(told), Y).by_outcome is None


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (1.0, "one loss a row"), (np.ones(3), "differ in length"),
        (np.array([1, np.nan, 0, 0]), "NaN"), (np.ones((4, 2)), "one-dimensional"),
    ],
)
def test_what_a_callable_gives_is_checked(answer, match):
    with pytest.raises(ValueError, match=match):
        decision_losses(lambda d, y: answer, Y)


def test_losses_of_the_rows_take_the_place_of_the_named_one():
    found = decision_losses("zero_one", Y, loss_0=[1, 2, 3, 4], loss_1=[0, 0, 0, 0])
    assert_array_equal(found.loss_0, [1, 2, 3, 4])
    assert found.by_outcome is None
    with pytest.raises(ValueError, match="go together"):
        decision_losses("zero_one", Y, loss_0=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="differ in length"):
        decision_losses("zero_one", Y, loss_0=[1, 2], loss_1=[0, 0])


def test_what_was_not_seen_is_not_looked_at():
    selected = np.array([True, True, False, True])
    y = np.array([0.0, 1.0, np.nan, 0.0])
    found = decision_losses("zero_one", y, selected=selected)
    assert_array_equal(found.loss_0, [0, 1, 0, 0])
    assert_array_equal(found.loss_1[selected], [1, 0, 1])
    listed = decision_losses("zero_one", np.array(["no", "yes", None, "no"], object),
                             selected=selected)
    assert_array_equal(listed.outcome, [0, 1, 0, 0])
    arrays = decision_losses("zero_one", y, selected=selected, loss_0=y, loss_1=1 - y)
    assert np.isfinite(arrays.loss_1).all()


def test_what_was_seen_must_be_labels():
    with pytest.raises(ValueError, match="NaN"):
        decision_losses("zero_one", [0.0, 1.0, np.nan])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        decision_losses("zero_one", [0.5, 0.1, 0.2])
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        decision_losses("zero_one", [0, 1, 2])
    with pytest.raises(ValueError, match="one class only"):
        decision_losses("zero_one", [1, 1, 1])
    with pytest.raises(ValueError, match="requires y to be passed"):
        decision_losses("zero_one", None)
    with pytest.raises(ValueError, match="must be numbers"):
        decision_losses("squared", ["a", "b", "c"])


@pytest.mark.parametrize(
    "loss",
    [
        "hinge", None, {"false_positive": 1.0}, {"false_positive": 0.0, "false_negative": 1.0},
        {"false_positive": True, "false_negative": 1.0},
        {"false_positive": np.inf, "false_negative": 1.0},
    ],
)
def test_what_is_no_loss_is_refused(loss):
    with pytest.raises(ValueError, match=r"loss|costs"):
        check_loss(loss)


def test_arrays_belong_to_fit():
    with pytest.raises(TypeError, match="loss_0"):
        check_loss(np.ones(4))


@pytest.mark.parametrize(
    "loss", ["zero_one", "squared", {"false_positive": 2.0, "false_negative": 3.0},
             lambda d, y: 0.5 * (d - y) ** 2]
)
def test_predictions_lose_what_the_decision_they_are_loses(loss):
    decided = np.array([True, True, False, False])
    found = decision_losses(loss, Y)
    told = losses_of_predictions(loss, Y, decided, pos_label=1)
    assert told == approx(np.where(decided, found.loss_1, found.loss_0))
    assert losses_of_predictions(loss, Y[:1], decided[:1], pos_label=1) == approx(told[:1])
