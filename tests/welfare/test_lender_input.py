"""What a lender takes (utilities, gains, losses, amounts, groups, models) and refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.welfare import WelfareEqualizingClassifier, expected_utility
from lending import COLUMNS, applicants, coded, encoding, known, lender, model


@pytest.fixture(scope="module")
def table():
    return applicants(400)


def priced(X):
    return X.assign(margin=0.5 + 0.1 * X["amount"], cost=X["amount"], worth=X["income"] + 4.0)


def test_terms_by_column_callable_and_array_are_the_same(table):
    X, y = table
    X = priced(X)
    options = {"utility": "heterogeneous_opportunity"}
    named = lender(gain="margin", loss="cost", amount="amount", **options).fit(X, y)
    called = lender(
        gain=lambda X: X["margin"], loss=lambda X: X["cost"].tolist(),
        amount=lambda X: X["amount"].to_numpy(), **options,
    ).fit(X, y)
    listed = lender(gain=["margin"], loss=[-2], amount=["amount"], **options).fit(X, y)
    given = lender(
        gain=X["margin"].to_numpy(), loss=X["cost"].tolist(), amount=X["amount"], **options
    ).fit(X, y)
    for other in (called, listed, given):
        np.testing.assert_array_equal(other.policy_.acceptance, named.policy_.acceptance)
        np.testing.assert_array_equal(other.predict_proba(X), named.predict_proba(X))
    for other in (called, listed):
        np.testing.assert_array_equal(other.decision_function(X), named.decision_function(X))
    assert np.isfinite(named.acceptance_probability(X)).all()
    for method in ("predict", "decision_function", "acceptance_probability"):
        with pytest.raises(ValueError, match=rf"gain was given as an array.* of {method}"):
            getattr(given, method)(X)


def test_utilities_by_column_callable_and_array_are_the_same(table):
    X, y = table
    X = priced(X)
    by_name = lender(utility="worth").fit(X, y)
    by_position = lender(utility=X.columns.get_loc("worth")).fit(X, y)
    by_callable = lender(utility=lambda X, group: X["worth"]).fit(X, y)
    by_array = lender(utility=X["worth"]).fit(X, y)
    for other in (by_position, by_callable, by_array):
        np.testing.assert_array_equal(other.policy_.acceptance, by_name.policy_.acceptance)
    np.testing.assert_array_equal(by_callable.predict(X), by_name.predict(X))
    with pytest.raises(ValueError, match="utility was given as an array"):
        by_array.predict(X)
    # A column that bears the name of a utility.
    odd = X.assign(equal_opportunity=X["worth"])
    listed = lender(utility=["equal_opportunity"]).fit(odd, y)
    np.testing.assert_array_equal(listed.policy_.acceptance, by_name.policy_.acceptance)


def test_a_callable_utility_sees_rows_and_groups_and_gives_both_outcomes(table):
    X, y = table
    seen = []

    def harm(X, sensitive_features):
        seen.append(sensitive_features)
        return np.column_stack([-X["amount"], np.where(sensitive_features == "b", 2.0, 1.0)])

    bank = lender(utility=harm).fit(X, y)
    assert seen[0].tolist() == X["race"].tolist()
    p, c = bank.out_of_fold_probabilities_, bank.policy_.acceptance
    utility = expected_utility(harm(X, X["race"].to_numpy()), p)
    for g, group in enumerate("ab"):
        own = X["race"] == group
        assert bank.promised_.welfare[g] == pytest.approx((c * utility)[own].mean())
        actual = np.where(y == 1, np.where(group == "b", 2.0, 1.0), -X["amount"])
        assert bank.realized_.welfare[g] == pytest.approx((c * actual)[own].mean())
    new, _ = applicants(50, seed=3)
    bank.predict(new)
    assert seen[-1].tolist() == new["race"].tolist()


def test_intersections_and_rows_without_a_group_reach_a_callable_utility(table):
    X, y = table
    seen = []

    def utility(X, sensitive_features):
        seen.append(sensitive_features)
        return np.ones((len(X), 2))

    both = X.assign(old=X["debt"] > 0)
    lender(sensitive_features=["race", "old"], utility=utility).fit(both, y)
    assert set(seen[0]) == {("a", False), ("a", True), ("b", False), ("b", True)}
    holed = X.assign(race=X["race"].where(X.index % 5 > 0, None))
    bank = lender(utility=utility, missing="drop").fit(holed, y)
    assert set(seen[1]) == {"a", "b", None}
    assert bank.groups_ == ("a", "b")
    np.testing.assert_array_equal(np.isnan(bank.policy_.acceptance), holed["race"].isna())
    assert np.isfinite(bank.out_of_fold_probabilities_).all()


@pytest.mark.parametrize("missing", ["raise", "group"])
def test_missing_groups_raise_or_are_a_group(table, missing):
    X, y = table
    holed = X.assign(race=X["race"].where(X.index % 3 > 0, None))
    if missing == "raise":
        with pytest.raises(ValueError, match="134 of 400 rows have no group"):
            lender().fit(holed, y)
        return
    bank = lender(missing="group").fit(holed, y)
    assert bank.groups_ == ("a", "b", None)
    assert bank.policy_.groups == ("a", "b", None)
    assert set(bank.policy_.frontiers) == {"a", "b", None}
    assert np.isfinite(bank.acceptance_probability(holed)).all()
    few = lender(missing="group", capacity=0.2).fit(holed, y)
    assert few.policy_.groups == ("a", "b", None)
    assert few.policy_.acceptance.mean() == pytest.approx(0.2)


def test_an_array_serves_one_fit_and_no_other_rows(table):
    X, y = table
    with pytest.raises(ValueError, match="gain has 300 values for the 400 rows of X"):
        lender(gain=np.ones(300)).fit(X, y)
    with pytest.raises(ValueError, match="utility has 300 values for the 400 rows"):
        lender(utility=np.ones(300)).fit(X, y)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"gain": 0.0}, ValueError, "gain must be above 0"),
        ({"loss": -1}, ValueError, "loss must be above 0"),
        ({"loss": "debt"}, ValueError, "loss='debt' must be above 0, got"),
        ({"gain": lambda X: X["debt"]}, ValueError, r"gain\(X\) must be above 0"),
        ({"gain": lambda X: 1.0}, ValueError, r"gain\(X\) gave 1.0"),
        ({"gain": None}, ValueError, "gain is None"),
        ({"gain": True}, TypeError, "gain must hold one value"),
        ({"loss": "costs"}, ValueError, "loss: X has no column 'costs'"),
        ({"loss": [9]}, ValueError, "loss: 9 is no column position"),
        ({"utility": "equal_oportunity"}, ValueError, "Did you mean 'equal_opportunity'"),
        ({"utility": lambda X, g: np.ones((len(X), 3))}, ValueError, r"shape \(400, 3\)"),
        ({"utility": lambda X, g: np.full(len(X), np.nan)}, ValueError, "400 NaN"),
        ({"utility": "heterogeneous_opportunity"}, ValueError, "amount is None"),
        (
            {"capacity": 0.5, "capacity_unit": "amount"}, ValueError, "amount is None",
        ),
        ({"capacity": 1.5}, ValueError, "capacity must lie in"),
        ({"capacity": "all"}, TypeError, "capacity must be a number"),
        ({"capacity_unit": "loans"}, ValueError, "capacity_unit must be one of"),
        ({"tolerance": -1.0}, ValueError, "tolerance must be at least 0"),
        ({"smoothing": 1.0}, ValueError, "smoothing must lie in"),
        ({"method": "simplex"}, ValueError, "method must be one of"),
        ({"recalibrate": "sigmoid"}, ValueError, "recalibrate must be one of"),
        ({"scale": "income"}, ValueError, "scale must be one of"),
        ({"missing": "keep"}, ValueError, "missing"),
        ({"pos_label": 7}, ValueError, "pos_label=7"),
        ({"cv": "five"}, TypeError, "cv must be"),
        ({"drop_sensitive": True, "sensitive_features": lambda X: X["race"]}, ValueError,
         "drop_sensitive=True drops"),
        ({"sensitive_features": None}, ValueError, "was given no sensitive_features"),
    ],
)
def test_bad_options_are_named(table, options, error, match):
    X, y = table
    bank = lender(**options)
    with pytest.raises(error, match=match):
        bank.fit(X, y)
    with pytest.raises(NotFittedError):
        bank.predict(X)


def test_degenerate_groups_are_refused_with_their_names(table):
    X, y = table
    with pytest.raises(DegenerateGroupError, match="holds one group, 'a'"):
        lender().fit(X.assign(race="a"), y)
    with pytest.raises(DegenerateGroupError, match="group 'b' has no good case"):
        lender(utility="equal_opportunity").fit(X, np.where(X["race"] == "b", 0, y))
    with pytest.raises(DegenerateGroupError, match="welfare of group 'b'"):
        lender(utility=lambda X, g: np.where(g == "b", 0.0, 1.0)).fit(X, y)
    with pytest.raises(DegenerateGroupError, match="'b' has sample_weight 0"):
        lender().fit(
            X, y, logisticregression__sample_weight=np.where(X["race"] == "a", 1.0, 0.0)
        )
    nobody = lender().fit(X, np.where(X["race"] == "b", 0, y))
    assert np.isfinite(nobody.held_out_realized_.welfare).all()


def test_models_without_probabilities_are_refused(table):
    X, y = table
    numbers = coded(X)
    for estimator in (LinearSVC(), LinearRegression()):
        with pytest.raises(AttributeError, match="has no predict_proba"):
            lender(estimator).fit(numbers, y)
    with pytest.raises(ValueError, match="must be probabilities in"):
        lender(known(y, lambda X: X["income"] * 5)).fit(X, y)
    with pytest.raises(TypeError, match="estimator must be"):
        WelfareEqualizingClassifier("forest", sensitive_features="race").fit(X, y)


def test_an_unseen_group_is_refused(table):
    X, y = table
    bank = lender().fit(X, y)
    for method in (bank.predict, bank.acceptance_probability, bank.decision_function):
        with pytest.raises(UnseenGroupError, match="'c'"):
            method(X.assign(race="c"))
    # Chances need no group.
    assert bank.predict_proba(X.assign(race="c")).shape == (400, 2)
    with pytest.raises(UnseenGroupError, match="no group"):
        bank.predict(X.assign(race=[None, *X["race"][1:]]))


@pytest.mark.parametrize("recalibrate", [None, "logistic"])
def test_an_unseen_group_is_named_though_the_model_s_encoder_fails_on_it(table, recalibrate):
    X, y = table
    bank = lender(encoding(), recalibrate=recalibrate).fit(X, y)
    for method in (
        bank.predict, bank.acceptance_probability, bank.decision_function, bank.predict_proba
    ):
        for race, match in (("c", "group 'c' .* was not seen at fit"), (None, "no group")):
            with pytest.raises(UnseenGroupError, match=match) as raised:
                method(X.assign(race=[race, *X["race"][1:]]))
            assert "unknown categories" in str(raised.value.__cause__)
    # What is not the group's fault stays the model's to say.
    with pytest.raises(ValueError, match="NaN"):
        bank.predict(X.assign(income=np.nan))
    with pytest.raises(ValueError, match=r"columns are missing: {'debt'}"):
        bank.predict(X.drop(columns="debt"))


@pytest.mark.parametrize("labels", [["late", "good"], [2, 1]])
def test_which_label_is_good_is_asked_where_the_labels_do_not_say_it(table, labels):
    X, y = table
    outcome = np.array(labels)[y]
    message = f"{labels[0]!r}, is taken for the good case.*Pass pos_label={labels[0]!r}"
    with pytest.warns(UserWarning, match=message):
        guessed = lender().fit(X, outcome)
    assert guessed.pos_label_ == labels[0]
    told = lender(pos_label=labels[1]).fit(X, outcome)
    assert told.pos_label_ == labels[1]
    assert told.thresholds_["pos_label"] == [labels[1]] * 2
    np.testing.assert_array_equal(
        told.predict(X) == labels[1], lender().fit(X, y).predict(X) == 1
    )


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [0.0, 1.0], [False, True]])
def test_labels_that_say_which_is_good_are_taken_without_a_word(table, labels):
    X, y = table
    assert lender().fit(X, np.array(labels)[y]).pos_label_ == 1


def test_a_label_that_was_encoded_away_is_explained(table):
    X, y = table
    with pytest.raises(ValueError, match=r"pos_label='repaid'.*cross_val_predict"):
        lender(pos_label="repaid").fit(X, y)


def test_names_need_a_frame(table):
    X, y = table
    numbers = coded(X).to_numpy()
    base = LogisticRegression()
    with pytest.raises(ValueError, match="without column names"):
        lender(base).fit(numbers, y)
    with pytest.raises(ValueError, match="'amount' names a column, but X has no column names"):
        lender(base, sensitive_features=3, loss="amount").fit(numbers, y)
    with pytest.raises(ValueError, match="utility='worth' is neither"):
        lender(base, sensitive_features=3, utility="worth").fit(numbers, y)


def test_columns_of_groups_and_terms_are_dropped_on_request(table):
    X, y = table
    X = coded(priced(X)).assign(margin=1.0, cost=2.0)
    bank = lender(
        LogisticRegression(), gain="margin", loss=["cost"], drop_terms=True
    ).fit(X, y)
    assert bank.estimator_.feature_names_in_.tolist() == [*COLUMNS, "race"]
    both = lender(
        LogisticRegression(), gain="margin", loss="cost", drop_terms=True, drop_sensitive=True,
        recalibrate="logistic",
    ).fit(X, y)
    assert both.estimator_.feature_names_in_.tolist() == COLUMNS
    assert both.predict(X).shape == (400,)
    fixed = lender(LogisticRegression(), gain=1.0, loss=2.0).fit(X.drop(columns=["cost"]), y)
    assert fixed.estimator_.n_features_in_ == 5
    with pytest.raises(ValueError, match="feature names should match"):
        bank.predict(X[X.columns[::-1]])


@pytest.mark.parametrize("kind", ["numpy", "polars", "pyarrow", "csr_array", "list"])
def test_every_kind_of_table_gives_the_same_decisions(table, kind):
    X, y = table
    X = coded(X)
    options = {
        "utility": "heterogeneous_opportunity", "sensitive_features": 3, "amount": [2],
        "loss": [-2],
    }
    base = LogisticRegression()
    expected = lender(base, **options).fit(X.to_numpy(), y).decision_function(X.to_numpy())
    if kind in ("polars", "pyarrow"):
        module = pytest.importorskip(kind)
        given = (
            module.from_pandas(X) if kind == "polars" else module.Table.from_pandas(X)
        )
        options |= {"sensitive_features": "race", "amount": "amount", "loss": "amount"}
    elif kind == "csr_array":
        given = scipy.sparse.csr_array(X.to_numpy())
    else:
        given = X.to_numpy().tolist() if kind == "list" else X.to_numpy()
    found = lender(base, **options).fit(given, y).decision_function(given)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def test_groups_by_metadata_are_those_of_the_column(table):
    X, y = table
    numbers = X[COLUMNS]
    passed = lender(LogisticRegression(), sensitive_features=None)
    passed.fit(numbers, y, sensitive_features=X["race"])
    called = lender(
        LogisticRegression(), sensitive_features=lambda numbers: X["race"].loc[numbers.index]
    ).fit(numbers, y)
    for method in ("predict", "decision_function", "acceptance_probability"):
        np.testing.assert_array_equal(
            getattr(passed, method)(numbers, sensitive_features=X["race"]),
            getattr(called, method)(numbers),
        )
        with pytest.raises(ValueError, match=rf"pass the groups of the rows to {method}\("):
            getattr(passed, method)(numbers)
    assert passed.score(numbers, y, sensitive_features=X["race"]) > 0.6
    with pytest.raises(ValueError, match="differ in length"):
        passed.predict(numbers, sensitive_features=["a", "b"])


def test_probabilities_next_to_nothing_are_nothing(table):
    X, y = table
    far = coded(X).assign(income=X["income"] * 1e4)
    bank = lender(GaussianNB(), utility="equal_opportunity").fit(far, y)
    assert np.isfinite(bank.decision_function(far)).all()


def test_a_failed_fit_leaves_nothing_that_seems_fitted(table):
    X, y = table
    broken = lender(cv=1)
    with pytest.raises(ValueError, match="cv=1"):
        broken.fit(X, y)
    with pytest.raises(NotFittedError):
        broken.predict(X)


def test_folds_that_hold_out_some_rows_only(table):
    X, y = table
    fold = np.arange(len(y)) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(2)]
    bank = lender(cv=splits).fit(X, y)
    np.testing.assert_array_equal(np.isnan(bank.policy_.acceptance), fold == 2)
    assert bank.held_out_realized_.n_rows.sum() == (fold < 2).sum()
    # A group that one fold alone holds has no policy without that fold.
    race = np.where((fold == 0) & (X["income"] > 0), "c", X["race"])
    lone = lender(model(), cv=splits).fit(X.assign(race=race), y)
    assert np.isnan(lone.held_out_folds_["revenue"]).tolist() == [True, False]
    assert lone.held_out_realized_.groups == ("a", "b", "c")
    pd.DataFrame(lone.thresholds_)
