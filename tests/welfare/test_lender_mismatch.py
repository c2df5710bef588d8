"""Whom a fitted lender helps and harms: the report with all that the lender knows."""


import numpy as np
import pytest

from fairrank.exceptions import UnseenGroupError
from fairrank.welfare import mismatch_report
from lending import applicants, chance, known, lender

TERMS = {
    "gain": "amount", "loss": lambda X: 2.0 * X["amount"], "amount": "amount",
    "utility": "heterogeneous_opportunity",
}


@pytest.fixture(scope="module")
def table():
    return applicants()


@pytest.fixture(scope="module")
def new():
    return applicants(500, seed=1)


@pytest.mark.parametrize("outcomes", [False, True])
def test_it_is_the_report_one_writes_out(table, new, outcomes):
    X, y = table
    bank = lender(recalibrate="logistic", **TERMS).fit(X, y)
    rows, outcome = new
    p = bank.predict_proba(rows)[:, 1]
    fitted = bank.policy_probabilities_ * X["amount"]
    beta = rows["race"].map({
        g: (X["race"] == g).sum() / fitted[X["race"] == g].sum() for g in "ab"
    })
    given = {"y_true": outcome} if outcomes else {}
    underlying = {"loan": "demographic_parity", "size": rows["amount"].to_numpy()}
    written = mismatch_report(
        bank.acceptance_probability(rows), underlying, y_prob=p,
        sensitive_features=rows["race"], gain=rows["amount"], loss=2.0 * rows["amount"],
        assumed_utility=np.column_stack([np.zeros(len(p)), beta * rows["amount"]]), **given,
    )
    found = bank.mismatch_report(
        rows, outcome if outcomes else None, underlying_utility={**underlying, "size": "amount"}
    )
    assert found.assumed_name == "heterogeneous_opportunity"
    one, other = found.assumed, written.assumed
    np.testing.assert_allclose(one.constrained, other.constrained)
    np.testing.assert_allclose(one.standard_error, other.standard_error)
    assert found.revenue.price == pytest.approx(written.revenue.price)
    for name in underlying:
        np.testing.assert_allclose(
            found.underlying[name].welfare.change, written.underlying[name].welfare.change
        )
    assert (found.realised is not None) == outcomes
    if outcomes:
        np.testing.assert_allclose(found.realised.accepted_z, written.realised.accepted_z)


def test_the_assumed_welfare_agrees_on_the_rows_of_the_fit(table):
    X, y = table
    bank = lender(known(y), utility="equal_opportunity", loss=1.5).fit(X, y)
    found = bank.mismatch_report(X, y, underlying_utility="demographic_parity")
    np.testing.assert_allclose(found.assumed.constrained, bank.policy_.welfare)
    np.testing.assert_allclose(found.assumed.unconstrained, bank.policy_.unconstrained.welfare)
    assert found.revenue.price == pytest.approx(bank.price_of_fairness_)
    assert "equal opportunity" in found.verdict


@pytest.mark.parametrize("pos_label", ["repaid", "late"])
def test_labels_and_utilities_come_in_the_lender_s_own_forms(table, new, pos_label):
    X, y = table
    rows, outcome = new
    other = {"repaid": "late", "late": "repaid"}[pos_label]
    bank = lender(pos_label=pos_label).fit(X, np.where(y == 1, pos_label, other))

    def harm(X, sensitive_features):
        return np.column_stack([-X["amount"], np.where(sensitive_features == "b", 2.0, 1.0)])

    labels = np.where(outcome == 1, pos_label, other)
    c = bank.acceptance_probability(rows)
    for utility in (harm, harm(rows, rows["race"].to_numpy())):
        found = bank.mismatch_report(rows, labels, underlying_utility=utility)
        assert found.assumed_name == "demographic_parity"
        assert found.realised.revenue.constrained == pytest.approx((c * (2 * outcome - 1)).mean())
        (one,) = found.underlying.values()
        for g, group in enumerate("ab"):
            own = rows["race"] == group
            happened = np.where(outcome == 1, 1.0 + (group == "b"), -rows["amount"])
            assert one.realised.constrained[g] == pytest.approx((c * happened)[own].mean())


def test_an_underlying_utility_may_need_an_amount_that_the_lender_does_not(table, new):
    X, y = table
    rows, _ = new
    bank = lender(amount="amount").fit(X, y)
    found = bank.mismatch_report(rows, underlying_utility="heterogeneous_opportunity")
    money = rows["amount"] * bank.predict_proba(rows)[:, 1]
    accepted = bank.acceptance_probability(rows)
    for g, group in enumerate("ab"):
        own = rows["race"] == group
        assert found.underlying["heterogeneous_opportunity"].welfare.constrained[g] == (
            pytest.approx(np.average(accepted[own], weights=money[own]))
        )
    with pytest.raises(ValueError, match="amount is None"):
        lender().fit(X, y).mismatch_report(rows, underlying_utility="heterogeneous_opportunity")
    with pytest.raises(ValueError, match="Did you mean 'equal_opportunity'"):
        bank.mismatch_report(rows, underlying_utility="equal_oportunity")
    with pytest.raises(ValueError, match="utility has 3 values for the 500 rows"):
        bank.mismatch_report(rows, underlying_utility=[1.0, 1.0, 1.0])
    with pytest.raises(UnseenGroupError, match="'c'"):
        bank.mismatch_report(rows.assign(race="c"), underlying_utility="amount")


def test_within_a_capacity_it_is_compared_with_a_lender_who_has_the_same(table):
    X, y = table
    bank = lender(known(y), utility="equal_opportunity", capacity=0.2).fit(X, y)
    found = bank.mismatch_report(X, underlying_utility="demographic_parity")
    np.testing.assert_allclose(found.assumed.unconstrained, bank.policy_.unconstrained.welfare)
    np.testing.assert_allclose(found.assumed.constrained, bank.policy_.welfare)
    assert found.revenue.price == pytest.approx(bank.price_of_fairness_)
    assert found.admitted @ found.share == pytest.approx(found.dropped @ found.share)


def test_the_probabilities_that_the_policy_was_found_on_are_there():
    X, y = applicants(900)
    blind = known(y, lambda X: chance(X, shift=0.0))
    X = X.assign(race=X["race"].where(X.index % 5 > 0, None))
    bank = lender(
        blind, recalibrate="logistic", missing="drop", utility="equal_opportunity"
    ).fit(X, y)
    p = bank.policy_probabilities_
    np.testing.assert_array_equal(np.isnan(p), X["race"].isna())
    kept = X["race"].notna().to_numpy()
    assert np.abs(p - bank.out_of_fold_probabilities_)[kept].max() > 0.05
    found = mismatch_report(
        bank.policy_.acceptance[kept], "demographic_parity", y_prob=p[kept],
        sensitive_features=X["race"][kept], gain=1.0, loss=1.0,
        assumed_utility="equal_opportunity",
    )
    np.testing.assert_allclose(found.assumed.constrained, bank.policy_.welfare)
    assert found.revenue.price == pytest.approx(bank.price_of_fairness_)
    plain = lender(utility="equal_opportunity").fit(X.fillna({"race": "a"}), y)
    np.testing.assert_array_equal(plain.policy_probabilities_, plain.out_of_fold_probabilities_)
