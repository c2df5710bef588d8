"""Several products: what is offered to whom, and what it comes to."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from fairrank.exceptions import UnseenGroupError
from fairrank.welfare import WelfareEqualizingOffer, welfare_optimal_policy
from lending import applicants, chance, known, lender, model

PRODUCTS = {
    "small": {"gain": 1.0, "loss": 1.0, "amount": 1.0},
    "large": {"gain": 2.0, "loss": 5.0, "amount": "amount"},
}
OWN = {
    "small": {"utility": lambda X, group: np.ones((len(X), 2))},
    "large": {"gain": 3.0, "loss": 4.0, "utility": lambda X, group: np.tile([-1.0, 3.0],
                                                                           (len(X), 1))},
}


def offers(estimator=None, products=PRODUCTS, **options):
    chosen = {"sensitive_features": "race", "cv": 3, "random_state": 0}
    return WelfareEqualizingOffer(
        model() if estimator is None else estimator, products, **{**chosen, **options}
    )


@pytest.fixture(scope="module")
def table():
    return applicants()


def payoffs(X, p, utility, products=PRODUCTS):
    """Revenue and utility by hand, one column a product."""
    if utility is None:
        return (
            np.column_stack([2 * p - 1, 3 * p - 4 * (1 - p)]),
            np.column_stack([np.ones(len(p)), 3 * p - (1 - p)]),
        )
    revenue = np.column_stack([2 * p - 1, 2 * p - 5 * (1 - p)])
    amount = np.column_stack([np.ones(len(p)), X["amount"]])
    worth = {
        "demographic_parity": np.ones((len(p), 2)),
        "equal_opportunity": np.column_stack([p, p]),
        "heterogeneous_opportunity": p[:, None] * amount,
    }[utility]
    base = worth.max(axis=1)
    own = X["race"].map({g: base[X["race"] == g].mean() for g in "ab"}).to_numpy()
    return revenue, worth / own[:, None]


@pytest.mark.parametrize(
    ("utility", "products"),
    [
        ("demographic_parity", PRODUCTS), ("equal_opportunity", PRODUCTS),
        ("heterogeneous_opportunity", PRODUCTS), (None, OWN),
    ],
)
def test_it_is_the_optimal_policy_of_several_options(table, utility, products):
    X, y = table
    bank = offers(products=products, utility=utility).fit(X, y)
    p = bank.out_of_fold_probabilities_
    revenue, worth = payoffs(X, p, utility)
    policy = welfare_optimal_policy(revenue, worth, sensitive_features=X["race"])
    np.testing.assert_allclose(bank.policy_.acceptance, policy.acceptance, atol=1e-9)
    assert bank.policy_.revenue == pytest.approx(policy.revenue, abs=1e-12)
    assert bank.promised_.total_revenue == pytest.approx(policy.revenue)
    np.testing.assert_allclose(bank.promised_.welfare, policy.welfare, atol=1e-9)
    np.testing.assert_allclose(
        bank.promised_.welfare_unconstrained, policy.unconstrained.welfare, atol=1e-9
    )
    assert bank.price_of_fairness_ == pytest.approx(policy.price_of_fairness)
    assert bank.products_.tolist() == [None, "small", "large"]
    c = bank.policy_.acceptance
    actual, _ = payoffs(X, y.astype(float), utility)
    assert bank.realized_.total_revenue == pytest.approx((c[:, 1:] * actual).sum(axis=1).mean())
    assert np.isfinite(bank.held_out_realized_.welfare).all()


def test_two_equal_products_are_one():
    X, y = applicants(500)
    frozen = known(y)
    one = lender(frozen, loss=2.0).fit(X, y)
    two = offers(frozen, {"x": {"loss": 2.0}, "y": {"loss": 2.0}}).fit(X, y)
    assert two.policy_.revenue == pytest.approx(one.policy_.revenue)
    np.testing.assert_allclose(
        1.0 - two.offer_probability(X)[:, 0], one.acceptance_probability(X), atol=1e-9
    )
    np.testing.assert_array_equal(two.predict(X), one.predict(X))
    assert two.held_out_realized_.total_revenue == pytest.approx(
        one.held_out_realized_.total_revenue
    )


def test_offers_drawn_and_sure_follow_the_probabilities(table):
    X, y = table
    bank = offers(utility="heterogeneous_opportunity").fit(X, y)
    c = bank.offer_probability(X)
    np.testing.assert_allclose(c.sum(axis=1), 1.0)
    sure = bank.offer(X)
    assert {None, "small", "large"} == set(sure)
    np.testing.assert_array_equal(sure, bank.products_[c.argmax(axis=1)])
    np.testing.assert_array_equal(bank.predict(X) == 1, sure != None)  # noqa: E711
    drawn = bank.draw(X, random_state=0)
    clear = c.max(axis=1) == 1.0
    np.testing.assert_array_equal(drawn[clear], sure[clear])
    np.testing.assert_array_equal(drawn, bank.draw(X, random_state=0))
    with pytest.raises(ValueError, match="random_state is None"):
        bank.draw(X, random_state=None)


def test_ties_are_drawn_by_their_probabilities():
    X, y = applicants(300)
    coarse = known(y, lambda X: np.where(chance(X) > 0.5, 0.8, 0.3))
    bank = offers(coarse).fit(X, y)
    c = bank.offer_probability(X)
    tied = c.max(axis=1) < 1.0
    assert tied.any()
    many = np.array([bank.draw(X, random_state=seed) for seed in range(400)])
    for j, name in enumerate(bank.products_):
        found = (many[:, tied] == name).mean()
        assert found == pytest.approx(c[tied, j].mean(), abs=0.02)


@pytest.mark.parametrize("routing", [False, True])
def test_it_is_searched_and_cross_validated(table, routing):
    X, y = table
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            offers(), {"tolerance": [0.0, 0.2]}, scoring="neg_log_loss", cv=2,
            error_score="raise",
        ).fit(X, y)
        found = cross_validate(
            search, X, y, scoring=["accuracy", "roc_auc"], cv=2, error_score="raise"
        )
    assert found["test_roc_auc"].mean() > 0.7


def test_recalibration_and_weights_work_as_for_one_product(table):
    X, y = table
    numbers = X.assign(race=(X["race"] == "b") * 1.0)
    weight = np.where(X["income"] > 0, 2, 1)
    bank = offers(
        LogisticRegression(), recalibrate="logistic", drop_sensitive=True,
        utility="equal_opportunity",
    ).fit(numbers, y, sample_weight=weight)
    assert bank.estimator_.n_features_in_ == 3
    assert bank.policy_.welfare_gap < 1e-9
    assert bank.policy_.share[1] == pytest.approx(
        weight[X["race"] == "b"].sum() / weight.sum()
    )


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"products": {"one": {}}}, ValueError, "has 1 product"),
        ({"products": ["small", "large"]}, TypeError, "products must be a mapping"),
        ({"products": {"a": {}, "b": {"price": 1}}}, ValueError, r"products\['b'\]"),
        ({"products": {"a": {}, "b": 3.0}}, ValueError, r"products\['b'\]"),
        ({"products": OWN}, ValueError, "a utility of its own where utility=None"),
        ({"utility": None}, ValueError, "a utility of its own where utility=None"),
        ({"utility": "amount"}, ValueError, "utility must be one of"),
        (
            {"products": {"a": {}, "b": {}}, "utility": "heterogeneous_opportunity"},
            ValueError, "amount is None",
        ),
        ({"products": {"a": {}, "b": {"loss": "cost"}}}, ValueError, "no column 'cost'"),
        ({"recalibrate": "sigmoid"}, ValueError, "recalibrate must be one of"),
    ],
)
def test_bad_products_are_named(table, options, error, match):
    X, y = table
    with pytest.raises(error, match=match):
        offers(**options).fit(X, y)


def test_an_unseen_group_is_refused(table):
    X, y = table
    bank = offers().fit(X, y)
    for method in (bank.offer, bank.offer_probability, bank.predict):
        with pytest.raises(UnseenGroupError, match="'c'"):
            method(X.assign(race="c"))
