"""The policy behind an estimator: what it decides, promises and finds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from fairrank.welfare import expected_revenue, expected_utility, welfare_optimal_policy
from lending import COLUMNS, applicants, chance, known, lender

UTILITIES = ["demographic_parity", "equal_opportunity", "heterogeneous_opportunity"]


@pytest.fixture(scope="module")
def table():
    return applicants()


# In example 3 of the paper there are certain cases, and in no other data.
CERTAIN = pytest.mark.filterwarnings("ignore:Group 1. the probabilities of all .* are 0 or 1")


def example_3():
    """Six cells of four persons, whose outcomes are just as likely as they were."""
    cells = pd.DataFrame({"x": [0, 1, 2, 0, 1, 2], "race": [0, 0, 0, 1, 1, 1]})
    X = cells.loc[np.repeat(np.arange(6), 4)].reset_index(drop=True)
    y = np.array([1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, *[0] * 8])
    p = {(0, 0): 0.75, (1, 0): 0.75, (2, 0): 0.25, (0, 1): 1.0, (1, 1): 0.0, (2, 1): 0.0}
    told = lambda X: np.array([p[cell] for cell in zip(X["x"], X["race"])])  # noqa: E731
    return cells, X, y, known(y, told)


@CERTAIN
def test_example_3_of_the_paper():
    cells, X, y, frozen = example_3()
    bank = lender(frozen, utility="equal_opportunity", loss=2.0, cv=None).fit(X, y)
    np.testing.assert_allclose(
        bank.acceptance_probability(cells), [1, 1, 0, 6 / 7, 0, 0], atol=1e-12
    )
    np.testing.assert_allclose(bank.thresholds_["welfare"], 6 / 7)
    assert bank.policy_.revenue == pytest.approx(0.25 - 1 / 42)
    assert bank.price_of_fairness_ == pytest.approx(1 / 42)
    assert (bank.raised_groups_, bank.lowered_groups_) == ((), (1,))
    # The outcomes follow the probabilities exactly, so all that is promised is realized.
    np.testing.assert_allclose(bank.realized_.welfare, bank.promised_.welfare)
    assert bank.realized_.total_revenue == pytest.approx(bank.promised_.total_revenue)
    assert [z for z in bank.calibration_["z"] if z == z] == [pytest.approx(0.0, abs=1e-12)]
    assert bank.held_out_realized_ is None
    assert bank.held_out_folds_["revenue"].shape == (0,)
    assert bank.predict(cells).tolist() == [1, 1, 0, 1, 0, 0]
    assert bank.deterministic_welfare_gap_ == pytest.approx(1 / 7)


@pytest.mark.parametrize("utility", UTILITIES)
def test_it_is_the_optimal_policy_of_probabilities_out_of_fold(table, utility):
    X, y = table
    bank = lender(utility=utility, gain=2.0, loss=3.0, amount="amount").fit(X, y)
    p = bank.out_of_fold_probabilities_
    policy = welfare_optimal_policy(
        expected_revenue(p, 2.0, 3.0),
        expected_utility(utility, p, sensitive_features=X["race"], amount=X["amount"]),
        sensitive_features=X["race"],
    )
    np.testing.assert_array_equal(bank.policy_.acceptance, policy.acceptance)
    assert bank.policy_.groups == ("a", "b")
    assert bank.price_of_fairness_ == policy.price_of_fairness > 0
    assert (bank.raised_groups_, bank.lowered_groups_) == (("b",), ("a",))
    assert bank.policy_.optimality_gap < 1e-12
    assert bank.thresholds_["multiplier"] == policy.multiplier.tolist()


@pytest.mark.parametrize("utility", UTILITIES)
def test_what_is_promised_and_realized_is_what_one_computes_by_hand(table, utility):
    X, y = table
    bank = lender(utility=utility, loss=2.0, amount="amount").fit(X, y)
    p, c = bank.out_of_fold_probabilities_, bank.policy_.acceptance
    free = p > 2 / 3
    for found, good in [(bank.promised_, p), (bank.realized_, y)]:
        earned = good - 2.0 * (1 - good)
        worth, base = {
            "demographic_parity": (np.ones(len(y)), np.ones(len(y))),
            "equal_opportunity": (good, good),
            "heterogeneous_opportunity": (good * X["amount"], good * X["amount"]),
        }[utility]
        assert found.total_revenue == pytest.approx((c * earned).mean())
        assert found.price_of_fairness == pytest.approx(((free - c) * earned).mean())
        assert found.total_revenue_standard_error == pytest.approx(
            (c * earned).std() / np.sqrt(len(y))
        )
        for g, group in enumerate("ab"):
            own = X["race"] == group
            assert found.welfare[g] == pytest.approx((c * worth)[own].sum() / base[own].sum())
            assert found.welfare_unconstrained[g] == pytest.approx(
                (free * worth)[own].sum() / base[own].sum()
            )
            assert found.revenue[g] == pytest.approx((c * earned)[own].mean())
            assert found.acceptance_rate[g] == pytest.approx(c[own].mean())
    np.testing.assert_allclose(bank.promised_.welfare, bank.policy_.welfare)
    assert bank.promised_.welfare_gap < 1e-12
    # By hand too: decisions without lots.
    sure = c >= 0.5
    worth = {"demographic_parity": 1.0, "equal_opportunity": p}.get(utility, p * X["amount"])
    base = np.broadcast_to(worth, len(y))
    of_group = [
        (sure * worth)[X["race"] == g].sum() / base[X["race"] == g].sum() for g in "ab"
    ]
    assert bank.deterministic_welfare_gap_ == pytest.approx(np.ptp(of_group))


def test_held_out_the_policy_comes_from_the_other_folds(table):
    X, y = table
    fold = np.arange(len(y)) % 2
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]
    bank = lender(utility="equal_opportunity", loss=2.0, cv=splits).fit(X, y)
    p = bank.out_of_fold_probabilities_
    utility = np.empty(len(y))
    accepted = np.empty(len(y))
    for there, here in splits:
        race = X["race"].to_numpy()[there]
        beta = {g: 1.0 / p[there][race == g].mean() for g in "ab"}
        utility[here] = p[here] * X["race"].iloc[here].map(beta)
        policy = welfare_optimal_policy(
            expected_revenue(p[there], 1.0, 2.0),
            expected_utility("equal_opportunity", p[there], sensitive_features=race),
            sensitive_features=race,
        )
        accepted[here] = policy.acceptance_probability(
            expected_revenue(p[here], 1.0, 2.0), utility[here],
            sensitive_features=X["race"].iloc[here],
        )
    earned = accepted * (y - 2.0 * (1 - y))
    assert bank.held_out_realized_.total_revenue == pytest.approx(earned.mean())
    # The share of the held-out good cases, by their own number.
    for g, group in enumerate("ab"):
        good = (X["race"] == group) & (y == 1)
        assert bank.held_out_realized_.welfare[g] == pytest.approx(accepted[good].mean())
    np.testing.assert_allclose(
        bank.held_out_folds_["revenue"], [earned[here].mean() for _, here in splits]
    )
    assert bank.held_out_folds_["n_rows"].tolist() == [300, 300]
    assert bank.held_out_folds_["welfare_gap"].max() > bank.policy_.welfare_gap


def test_standard_errors_are_those_of_new_samples():
    found = []
    for seed in range(120):
        X, y = applicants(400, seed=seed)
        bank = lender(known(y), utility="equal_opportunity", loss=1.5, cv=2).fit(X, y)
        found.append(bank)
    for name, error in [
        ("total_revenue", "total_revenue_standard_error"),
        ("price_of_fairness", "price_of_fairness_standard_error"),
        ("welfare_unconstrained", "welfare_unconstrained_standard_error"),
    ]:
        values = np.array([getattr(bank.held_out_realized_, name) for bank in found])
        errors = np.array([getattr(bank.held_out_realized_, error) for bank in found])
        # Fold policies share rows, and the common welfare moves with the sample.
        np.testing.assert_allclose(values.std(axis=0) / errors.mean(axis=0), 1.0, atol=0.35)
    # Known chances: what is promised is realized, to within the error of the mean.
    gap = np.array([b.held_out_realized_.total_revenue - b.promised_.total_revenue for b in found])
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap)) + 0.01


@pytest.mark.parametrize("utility", UTILITIES[:2])
def test_thresholds_on_the_probability_decide(table, utility):
    X, y = table
    for capacity in (None, 0.3):
        bank = lender(utility=utility, gain=2.0, loss=3.0, capacity=capacity).fit(X, y)
        cut = X["race"].map(dict(zip("ab", bank.thresholds_["threshold"])))
        p = bank.predict_proba(X)[:, 1]
        c = bank.acceptance_probability(X)
        clear = np.abs(p - cut) > 1e-9
        np.testing.assert_array_equal((c > 0.5)[clear], (p > cut)[clear])
    for options in ({"gain": [2]}, {"smoothing": 0.1}, {"utility": "amount"}):
        numbers = coded_numbers(X)
        other = lender(
            LogisticRegression(), **{"sensitive_features": "race", **options}
        ).fit(numbers, y)
        assert other.thresholds_["threshold"] == [None, None]


@pytest.mark.parametrize("capacity", [None, 0.05])
def test_amounts_that_cancel_leave_one_threshold_a_group(table, capacity):
    X, y = table
    options = {
        "utility": "heterogeneous_opportunity", "gain": "amount", "amount": "amount",
        "loss": lambda X: 3.0 * X["amount"], "capacity": capacity, "capacity_unit": "amount",
    }
    bank = lender(**options).fit(X, y)
    assert (bank.shadow_price_ > 0) == (capacity is not None)
    cut = X["race"].map(dict(zip("ab", bank.thresholds_["threshold"])))
    p, c = bank.predict_proba(X)[:, 1], bank.acceptance_probability(X)
    clear = np.abs(p - cut) > 1e-9
    assert clear.sum() > len(y) - 5
    np.testing.assert_array_equal((c > 0.5)[clear], (p > cut)[clear])
    # The utility, the loss or the price of use does not cancel.
    other = [{"utility": "equal_opportunity"}, {"loss": 3.0}]
    for changed in [*other, {"capacity_unit": "people"}] if capacity else other:
        assert lender(**{**options, **changed}).fit(X, y).thresholds_["threshold"] == [None, None]
    # What no multiplier moves has the lender's own threshold.
    free = lender(**{**options, "capacity": None, "tolerance": 1.0}).fit(X, y)
    assert free.thresholds_["threshold"] == pytest.approx([0.75, 0.75])


def coded_numbers(X):
    return X[COLUMNS].assign(race=(X["race"] == "b") * 1.0)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"utility": "equal_opportunity"}, {"smoothing": 0.05}, {"capacity": 0.2},
        {"tolerance": 0.1}, {"recalibrate": "isotonic"},
        {"utility": lambda X, group: np.tile([-1.0, 1.0], (len(X), 1))},
    ],
)
def test_the_sign_of_the_decision_is_the_prediction(table, options):
    X, y = table
    named = np.where(y == 1, "repaid", "default")
    for pos_label in ("repaid", "default"):
        outcome = named if pos_label == "repaid" else np.where(y == 1, "default", "repaid")
        bank = lender(pos_label=pos_label, **options).fit(X, outcome)
        predicted, decision = bank.predict(X), bank.decision_function(X)
        np.testing.assert_array_equal(predicted == bank.classes_[1], decision > 0)
        np.testing.assert_array_equal(
            predicted == pos_label, bank.acceptance_probability(X) >= 0.5
        )
        assert set(predicted) == {"repaid", "default"}


def test_the_decision_is_revenue_less_a_multiple_of_utility(table):
    X, y = table
    bank = lender(utility="equal_opportunity", loss=2.0).fit(X, y)
    p = bank.predict_proba(X)[:, 1]
    fitted = bank.out_of_fold_probabilities_
    utility = p / X["race"].map({g: fitted[X["race"] == g].mean() for g in "ab"})
    multiplier = X["race"].map(dict(zip("ab", bank.thresholds_["multiplier"])))
    np.testing.assert_allclose(
        bank.decision_function(X), p - 2.0 * (1 - p) - multiplier * utility, atol=1e-12
    )


def test_probabilities_stay_those_of_the_cases(table):
    X, y = table
    bank = lender(drop_sensitive=False).fit(X, y)
    np.testing.assert_array_equal(bank.predict_proba(X), bank.estimator_.predict_proba(X))


def test_the_same_rule_decides_on_new_rows():
    X, y = applicants(4000)
    new, _ = applicants(50_000, seed=1)
    bank = lender(known(y), utility="equal_opportunity", loss=1.5).fit(X, y)
    c, p = bank.acceptance_probability(new), chance(new)
    welfare = [np.average(c[new["race"] == g], weights=p[new["race"] == g]) for g in "ab"]
    assert np.ptp(welfare) < 0.06
    np.testing.assert_allclose(welfare, bank.policy_.welfare, atol=0.06)
    one_by_one = [bank.acceptance_probability(new.iloc[[i]])[0] for i in range(20)]
    np.testing.assert_array_equal(one_by_one, c[:20])


@CERTAIN
def test_lots_are_drawn_on_request_and_from_a_seed_only():
    cells, X, y, frozen = example_3()
    bank = lender(frozen, utility="equal_opportunity", loss=2.0, cv=None).fit(X, y)
    many = pd.concat([cells] * 2000)
    drawn = bank.draw(many, random_state=0).reshape(2000, 6)
    np.testing.assert_allclose(drawn.mean(axis=0), [1, 1, 0, 6 / 7, 0, 0], atol=0.03)
    np.testing.assert_array_equal(drawn.ravel(), bank.draw(many, random_state=0))
    assert (drawn.ravel() != bank.draw(many, random_state=1)).any()
    with pytest.raises(ValueError, match="random_state is None"):
        bank.draw(many, random_state=None)


@pytest.mark.parametrize("options", [{}, {"capacity": 0.3}, {"recalibrate": "logistic"}])
def test_whole_weights_are_repetitions_of_rows(table, options):
    X, y = table
    times = np.random.default_rng(0).integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), times)
    fold = np.arange(len(X)) % 3

    def splits(fold):
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]

    bank = lender(
        known(y), utility="equal_opportunity", loss=2.0, cv=splits(fold), **options
    )
    weighted = clone(bank).fit(X, y, sample_weight=times)
    written_out = clone(bank).set_params(cv=splits(fold[repeated]))
    written_out.fit(X.iloc[repeated], y[repeated])
    for name in ("promised_", "realized_", "held_out_promised_", "held_out_realized_"):
        one, other = getattr(weighted, name), getattr(written_out, name)
        for field in set(one.to_table()) - {"group", "n_rows"}:
            np.testing.assert_allclose(getattr(one, field), getattr(other, field), atol=1e-7)
        for field in ("total_revenue_standard_error", "price_of_fairness_standard_error"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-7)
    assert weighted.calibration_["z"] == pytest.approx(written_out.calibration_["z"], abs=1e-6)
    np.testing.assert_allclose(
        weighted.acceptance_probability(X), written_out.acceptance_probability(X), atol=1e-7
    )


def test_weights_reach_model_and_policy(table):
    X, y = table
    weight = np.where(X["income"] > 0, 3.0, 0.5)
    numbers = coded_numbers(X)
    bank = lender(LogisticRegression()).fit(numbers, y, sample_weight=weight)
    direct = LogisticRegression().fit(numbers, y, sample_weight=weight)
    np.testing.assert_allclose(bank.estimator_.coef_, direct.coef_)
    p = bank.out_of_fold_probabilities_
    policy = welfare_optimal_policy(
        2 * p - 1, np.ones(len(y)), sensitive_features=X["race"], sample_weight=weight
    )
    np.testing.assert_array_equal(bank.policy_.acceptance, policy.acceptance)
    piped = lender().fit(X, y, logisticregression__sample_weight=weight)
    assert piped.policy_.share == pytest.approx(policy.share)


def test_no_number_depends_on_n_jobs(table):
    X, y = table
    one = lender(GaussianNB(), n_jobs=1).fit(coded_numbers(X), y)
    two = lender(GaussianNB(), n_jobs=2).fit(coded_numbers(X), y)
    np.testing.assert_array_equal(one.policy_.acceptance, two.policy_.acceptance)
    assert one.held_out_realized_.to_dict() == two.held_out_realized_.to_dict()


def test_with_three_groups_the_middle_one_may_move_either_way():
    X, y = applicants(900, groups="abc")
    bank = lender(known(y, lambda X: chance(X, "abc"))).fit(X, y)
    assert bank.disadvantaged_group_ == "b"
    assert bank.disadvantage_["probability_lowest"][1] > 0.99
    assert "b" in bank.raised_groups_
    assert "c" in bank.lowered_groups_
    assert bank.policy_.welfare_gap < 1e-12


def test_a_group_that_is_lowest_by_chance_only_is_not_named():
    X, y = applicants(300, shift=0.05)
    bank = lender(known(y, lambda X: chance(X, shift=0.05))).fit(X, y)
    assert bank.disadvantaged_group_ is None
    assert min(bank.disadvantage_["probability_lowest"]) > 0.05
    assert bank.policy_.disadvantaged_group is not None


@pytest.mark.parametrize(("unit", "share"), [("people", 0.2), ("amount", 0.1)])
def test_a_capacity_is_met_exactly_and_has_a_price(table, unit, share):
    X, y = table
    bank = lender(
        utility="equal_opportunity", amount="amount", capacity=share, capacity_unit=unit
    ).fit(X, y)
    use = np.ones(len(y)) if unit == "people" else X["amount"].to_numpy()
    assert (bank.policy_.acceptance * use).sum() == pytest.approx(share * use.sum())
    assert bank.policy_.welfare_gap < 1e-12
    assert bank.policy_.optimality_gap < 1e-12
    assert bank.shadow_price_ > 0
    # Against a lender with the same capacity, not one without.
    assert bank.policy_.unconstrained.total_revenue < lender().fit(
        X, y
    ).policy_.unconstrained.total_revenue
    assert bank.price_of_fairness_ > 0
    np.testing.assert_allclose(
        bank.promised_.welfare_unconstrained, bank.policy_.unconstrained.welfare
    )
    assert bank.promised_.price_of_fairness == pytest.approx(bank.price_of_fairness_)
    assert np.average(bank.acceptance_probability(X), weights=use) == pytest.approx(
        share, abs=0.05
    )


def test_a_capacity_that_is_not_reached_changes_nothing(table):
    X, y = table
    ample = lender(capacity=1.0).fit(X, y)
    np.testing.assert_array_equal(ample.predict(X), lender().fit(X, y).predict(X))
    assert ample.shadow_price_ == 0.0


def test_a_smoothed_decision_is_that_of_the_mean_shifts(table):
    X, y = table
    bank = lender(utility="equal_opportunity", loss=1.5, smoothing=0.1).fit(X, y)
    decision, c = bank.decision_function(X), bank.acceptance_probability(X)
    assert ((c > 0.0) & (c < 1.0)).sum() > 20
    # Not one had to be brought to the side of its acceptance.
    assert np.abs(decision).min() > 1e-12
    for group in "ab":
        own = np.flatnonzero(X["race"] == group)
        by_decision = own[np.argsort(decision[own])]
        assert (np.diff(c[by_decision]) >= -1e-9).all()
