"""The mismatch report's numbers, against sums over rows written out again."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from fairrank.exceptions import DegenerateGroupError, UnseenGroupError
from fairrank.welfare import (
    expected_revenue,
    expected_utility,
    mismatch_report,
    welfare_optimal_policy,
)

SEEDS = st.integers(0, 10**6)
EXAMPLE_3 = {"y_prob": [0.75, 0.75, 0.25, 1, 0, 0], "sensitive_features": [0, 0, 0, 1, 1, 1]}


def example_3_policy(times=1):
    y_prob, group = (np.repeat(EXAMPLE_3[name], times) for name in EXAMPLE_3)
    policy = welfare_optimal_policy(
        expected_revenue(y_prob, gain=1, loss=2),
        expected_utility("equal_opportunity", y_prob, sensitive_features=group),
        sensitive_features=group,
    )
    return policy, y_prob, group


def example_3(times=1, **asked):
    policy, y_prob, group = example_3_policy(times)
    return mismatch_report(
        policy, "demographic_parity", y_prob=y_prob, sensitive_features=group,
        assumed_utility="equal_opportunity", gain=1, loss=2, **asked,
    )


def lending(seed):
    """Rows of 2-4 groups with probabilities, acceptance, amounts, outcomes and weights."""
    rng = np.random.default_rng(seed)
    n_groups = int(rng.integers(2, 5))
    n = int(rng.integers(3 * n_groups, 60))
    group = np.concatenate([np.repeat(np.arange(n_groups), 2), rng.integers(0, n_groups, n)])
    n = group.size
    y = np.concatenate([np.ones(n_groups * 2, dtype=int), rng.integers(0, 2, n - n_groups * 2)])
    return {
        "y_prob": rng.integers(1, 10, n) / 10, "group": group, "y": y,
        "accepted": rng.choice([0.0, 0.3, 1.0], n), "amount": rng.random(n) + 0.2,
        "weight": [np.ones(n), rng.random(n) + 0.1, rng.integers(1, 4, n)][rng.integers(0, 3)],
        "gain": float(rng.integers(1, 3)), "loss": float(rng.integers(1, 4)),
        "own": rng.normal(size=n), "both": rng.normal(size=(n, 2)),
    }


def utility_by_hand(rows, name, p, marked):
    """Utility of one group's rows, from its definition."""
    w, m = rows["weight"][marked], rows["amount"][marked]
    p = p[marked]
    if name == "demographic_parity":
        return np.ones(p.size)
    if name == "equal_opportunity":
        return p / (np.sum(w * p) / np.sum(w))
    if name == "heterogeneous_opportunity":
        return p * m / (np.sum(w * p * m) / np.sum(w))
    if name == "both":
        return rows["both"][marked][:, 1] * p + rows["both"][marked][:, 0] * (1 - p)
    return rows["own"][marked]


def report_of(rows, assumed="equal_opportunity", **asked):
    return mismatch_report(
        rows["accepted"],
        {
            "demographic_parity": "demographic_parity", "equal_opportunity": "equal_opportunity",
            "heterogeneous_opportunity": "heterogeneous_opportunity", "own": rows["own"],
            "both": rows["both"],
        },
        y_prob=rows["y_prob"], sensitive_features=rows["group"], assumed_utility=assumed,
        gain=rows["gain"], loss=rows["loss"], amount=rows["amount"],
        sample_weight=rows["weight"], **asked,
    )


@given(SEEDS)
def test_welfare_revenue_and_shares_are_sums_over_rows(seed):
    rows = lending(seed)
    report = report_of(rows, y_true=rows["y"])
    p, w, after = rows["y_prob"], rows["weight"], rows["accepted"]
    before = (rows["gain"] * p - rows["loss"] * (1 - p) > 1e-12).astype(float)
    for g in report.groups:
        marked = rows["group"] == g
        moved = (after - before)[marked]
        admitted = np.average(np.maximum(moved, 0), weights=w[marked])
        dropped = np.average(np.maximum(-moved, 0), weights=w[marked])
        assert report.admitted[g] == pytest.approx(admitted, abs=1e-12)
        assert report.dropped[g] == pytest.approx(dropped, abs=1e-12)
        assert report.n_samples[g] == marked.sum()
        for name, one in report.underlying.items():
            for change, at in ((one.welfare, p), (one.realised, rows["y"].astype(float))):
                utility = utility_by_hand(rows, name, at, marked)
                levels = [
                    np.average(utility * c[marked], weights=w[marked]) for c in (before, after)
                ]
                assert change.unconstrained[g] == pytest.approx(levels[0], abs=1e-12)
                assert change.constrained[g] == pytest.approx(levels[1], abs=1e-12)
                assert change.change[g] == pytest.approx(levels[1] - levels[0], abs=1e-12)
        for z, chosen in (
            (report.realised.accepted_z[g], np.maximum(before, after)[marked]),
            (report.realised.changed_z[g], np.abs(moved)),
        ):
            # Whole weights are so many persons each, others one person of that mass.
            repeats = w.dtype.kind == "i" or (w == 1).all()
            part, q = w[marked] * chosen, p[marked]
            spread = part * chosen * q * (1 - q) * (1 if repeats else w[marked])
            excess = np.sum(part * (rows["y"][marked] - q))
            if spread.sum() > 0:
                assert z == pytest.approx(excess / np.sqrt(spread.sum()), abs=1e-12)
            else:
                assert np.isnan(z)
    for revenue, at in ((report.revenue, p), (report.realised.revenue, rows["y"])):
        worth = rows["gain"] * at - rows["loss"] * (1 - at)
        assert revenue.unconstrained == pytest.approx(np.average(worth * before, weights=w))
        assert revenue.constrained == pytest.approx(np.average(worth * after, weights=w))
    same = report.underlying["equal_opportunity"].welfare
    np.testing.assert_array_equal(report.assumed.change, same.change)
    np.testing.assert_array_equal(report.assumed.standard_error, same.standard_error)


def binom_interval_width(n, tail):
    """1 less the share at which n rows of n are alike with probability `tail`."""
    return 1 - binomtest(int(n), int(n)).proportion_ci(1 - 2 * tail, method="exact").low


def apart(values):
    """Rows that have not the value of the others: 0, or the least or the largest."""
    values = values.astype(float)
    shared = (0.0, values.min(), values.max())
    return values.size - max(np.sum(np.abs(values - one) < 1e-9) for one in shared)


@given(SEEDS)
def test_the_error_of_a_mean_is_its_standard_error(seed):
    rows = lending(seed)
    rows["weight"] = np.ones(rows["group"].size)
    report = report_of(rows, confidence_level=0.9)
    p, after = rows["y_prob"], rows["accepted"]
    worth = rows["gain"] * p - rows["loss"] * (1 - p)
    before = (worth > 1e-12).astype(float)
    change = report.underlying["own"].welfare
    z = norm.ppf(0.95)
    for g in report.groups:
        marked = rows["group"] == g
        difference = (rows["own"] * (after - before))[marked]
        mean, largest = difference.mean(), np.abs(rows["own"][marked]).max()
        error = difference.std(ddof=1) / np.sqrt(marked.sum())
        unseen = binom_interval_width(marked.sum(), 0.05) * (apart((after - before)[marked]) < 10)
        below = max(z * error, unseen * (mean + largest))
        above = max(z * error, unseen * (largest - mean))
        if apart((after - before)[marked]) == 0:
            error = max(below, above) / z
        assert change.standard_error[g] == pytest.approx(error, abs=1e-9)
        gains, loses = (difference > 0).any(), (difference < 0).any()
        highest = 0 if loses and not gains else largest
        assert change.high[g] == pytest.approx(min(mean + above, highest), abs=1e-9)
        lowest = 0 if gains and not loses else -largest
        assert change.low[g] == pytest.approx(max(mean - below, lowest), abs=1e-9)
        expected = "undetermined"
        if not difference.any():
            expected = "unchanged"
        elif mean > below:
            expected = "helped"
        elif -mean > above:
            expected = "harmed"
        elif gains != loses:
            expected = "helped or unchanged" if gains else "harmed or unchanged"
        assert change.verdict[g] == expected
    difference = worth * (after - before)
    assert report.revenue.standard_error == pytest.approx(
        difference.std(ddof=1) / np.sqrt(difference.size), abs=1e-12
    )


@pytest.mark.parametrize("name", ["equal_opportunity", "heterogeneous_opportunity"])
@pytest.mark.parametrize("scale", ["attainable", "amount"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_scale_estimated_on_the_rows_enters_the_error(name, scale, weighted):
    rng = np.random.default_rng(3)
    n = 800
    p, amount, group = rng.random(n), rng.lognormal(size=n), np.arange(n) % 2
    weight = rng.random(n) + 0.5 if weighted else np.ones(n)
    accepted = (p > 0.1).astype(float)

    def change_without(left_out):
        kept = np.arange(n) != left_out
        return mismatch_report(
            accepted[kept], name, y_prob=p[kept], sensitive_features=group[kept],
            assumed_utility="demographic_parity", amount=amount[kept], scale=scale,
            sample_weight=weight[kept], gain=1, loss=1,
        ).underlying[name].welfare

    full = change_without(-1)
    members = np.flatnonzero(group == 0)
    jackknife = np.array([change_without(i).change[0] for i in members])
    spread = np.sqrt((jackknife - jackknife.mean()) @ (jackknife - jackknife.mean()))
    assert full.standard_error[0] == pytest.approx(spread, rel=0.03)


@given(SEEDS)
def test_whole_weights_are_repetitions(seed):
    rows = lending(seed)
    rows["weight"] = np.random.default_rng(seed).integers(1, 4, rows["group"].size)
    once = report_of(rows, y_true=rows["y"])
    again = {
        name: np.repeat(value, rows["weight"], axis=0) if isinstance(value, np.ndarray) else value
        for name, value in rows.items()
    }
    again["weight"] = None
    repeated = report_of(again, y_true=again["y"])
    for name, one in once.underlying.items():
        other = repeated.underlying[name]
        for a, b in ((one.welfare, other.welfare), (one.realised, other.realised)):
            np.testing.assert_allclose(a.change, b.change, atol=1e-12)
            np.testing.assert_allclose(a.standard_error, b.standard_error, atol=1e-12)
    np.testing.assert_allclose(
        once.realised.accepted_z, repeated.realised.accepted_z, atol=1e-12
    )


@given(SEEDS)
def test_the_closed_gap_is_what_the_highest_fell_and_the_lowest_rose(seed):
    one = report_of(lending(seed)).underlying["own"].welfare
    closed = one.gap_unconstrained - one.gap_constrained
    assert one.closed_by_lowering + one.closed_by_raising == pytest.approx(closed, abs=1e-12)
    if closed > 1e-6:
        assert one.levelling_down == pytest.approx(one.closed_by_lowering / closed)
    else:
        assert np.isnan(one.levelling_down)


@given(SEEDS)
def test_a_group_is_lowest_for_sure_if_it_lies_below_the_others_by_more_than_the_error(seed):
    rows = lending(seed)
    rows["weight"] = np.ones(rows["group"].size)
    welfare = report_of(rows).underlying["own"].welfare
    worth = rows["gain"] * rows["y_prob"] - rows["loss"] * (1 - rows["y_prob"])
    got = rows["own"] * (worth > 1e-12)
    members = [got[rows["group"] == g] for g in welfare.groups]
    mean = np.array([one.mean() for one in members])
    variance = np.array([one.var(ddof=1) / one.size for one in members])
    for g, one in enumerate(members):
        top = np.abs(rows["own"][rows["group"] == g]).max()
        low, high = -top * (rows["own"] < 0).any(), top * (rows["own"] > 0).any()
        few = apart((worth > 1e-12)[rows["group"] == g]) < 10
        far = few * max(mean[g] - low, high - mean[g]) * binom_interval_width(one.size, 0.025)
        variance[g] = max(variance[g], (far / norm.ppf(0.975)) ** 2)
    lowest = int(mean.argmin())
    if np.sort(mean)[1] - mean[lowest] < 1e-9:
        assert welfare.disadvantaged_group is None
        return
    others = np.delete(np.arange(mean.size), lowest)
    z = (mean[others] - mean[lowest]) / np.sqrt(variance[others] + variance[lowest])
    assert welfare.disadvantaged_group == lowest
    assert welfare.disadvantage_determined == (z > norm.ppf(0.975)).all()


def test_example_3_equal_opportunity_harms_the_disadvantaged_group():
    report = example_3(confidence_level=None)
    welfare = report.underlying["demographic_parity"].welfare
    assert welfare.unconstrained[1] == pytest.approx(1 / 3)
    assert welfare.constrained[1] == pytest.approx(2 / 7)
    assert welfare.verdict == ("unchanged", "harmed")
    assert welfare.disadvantaged_group == 1
    assert welfare.standard_error.tolist() == [0, 0]
    assert report.harmed_groups() == (1,)
    assert report.revenue.unconstrained == pytest.approx(0.25)
    assert report.revenue.constrained == pytest.approx(0.226190, abs=1e-6)
    assert report.assumed.levelling_down == pytest.approx(1.0)
    np.testing.assert_allclose(report.assumed.constrained, [6 / 7, 6 / 7])


def test_six_rows_drawn_at_random_do_not_determine_what_six_thousand_do():
    few = example_3().underlying["demographic_parity"].welfare
    many = example_3(times=1000).underlying["demographic_parity"].welfare
    assert few.verdict == ("unchanged", "harmed or unchanged")
    assert few.high[1] == 0 > few.low[1] > -1
    assert many.verdict == ("unchanged", "harmed")
    assert many.high[1] < 0


def test_the_policy_decides_on_other_rows_by_its_rule():
    policy, _, _ = example_3_policy()
    y_prob, group = np.array([0.9, 0.2, 1.0, 0.1]), [0, 0, 1, 1]
    report = mismatch_report(
        policy, "demographic_parity", y_prob=y_prob, sensitive_features=group,
        assumed_utility=[1.0, 1.0, 2.0, 2.0], gain=1, loss=2,
    )
    decided = policy.acceptance_probability(
        expected_revenue(y_prob, 1, 2), [1.0, 1.0, 2.0, 2.0], sensitive_features=group
    )
    again = mismatch_report(
        decided, "demographic_parity", y_prob=y_prob, sensitive_features=group,
        assumed_utility=[1.0, 1.0, 2.0, 2.0], gain=1, loss=2,
    )
    assert report.summary() == again.summary()
    assert json.dumps(report.to_dict()) == json.dumps(again.to_dict())


def test_revenue_may_be_given_instead_of_gain_and_loss():
    policy, y_prob, group = example_3_policy()
    revenue = expected_revenue(y_prob, gain=1, loss=2)
    known = {
        "y_prob": y_prob, "sensitive_features": group, "assumed_utility": "equal_opportunity",
        "y_true": [1, 1, 0, 1, 0, 0],
    }
    one = mismatch_report(policy, "demographic_parity", gain=1, loss=2, **known)
    other = mismatch_report(policy, "demographic_parity", revenue=revenue, **known)
    assert one.revenue.to_dict() == other.revenue.to_dict()
    assert one.realised.revenue is not None
    assert other.realised.revenue is None


def test_a_utility_of_rejection_is_part_of_the_assumed_welfare():
    revenue, group = np.array([0.5, -0.2, 0.3, -0.6]), list("aabb")
    utility = np.array([1.0, 2.0, 3.0, 1.0])
    policy = welfare_optimal_policy(
        revenue, utility, sensitive_features=group, rejected_utility=0.5
    )
    report = mismatch_report(
        policy, [1.0, 1.0, 1.0, 1.0], y_prob=[0.5] * 4, revenue=revenue, assumed_utility=utility,
        sensitive_features=group, confidence_level=None,
    )
    np.testing.assert_allclose(report.assumed.constrained, policy.welfare)
    np.testing.assert_allclose(report.assumed.unconstrained, policy.unconstrained.welfare)
    assert report.assumed.total_constrained == pytest.approx(policy.values.total_welfare)
    drawn = mismatch_report(
        policy, [1.0, 1.0, 1.0, 1.0], y_prob=[0.5] * 4, revenue=revenue, assumed_utility=utility,
        sensitive_features=group,
    )
    difference = ((utility - 0.5) * (policy.acceptance - (revenue > 0))).reshape(2, 2)
    error = difference.std(axis=1, ddof=1) / np.sqrt(2)
    assert drawn.assumed.standard_error[1] == pytest.approx(error[1])
    # Nobody moves in the first group, of two rows whose utility over rejection is at most 1.5.
    assert drawn.assumed.standard_error[0] == pytest.approx(
        1.5 * binom_interval_width(2, 0.025) / norm.ppf(0.975)
    )


def test_outcomes_that_do_not_come_as_promised_are_seen():
    rng = np.random.default_rng(0)
    group, p = np.arange(2000) % 2, rng.uniform(0.5, 1, 2000)
    y = (rng.random(2000) < np.where(group == 1, p - 0.2, p)).astype(int)
    accepted = np.where(group == 1, p > 0.6, p > 0.8).astype(float)
    report = mismatch_report(
        accepted, "demographic_parity", y_prob=p, sensitive_features=group,
        assumed_utility="demographic_parity", gain=1, loss=3, y_true=y,
    )
    assert abs(report.realised.accepted_z[0]) < 3
    assert report.realised.accepted_z[1] < -3
    assert report.realised.changed_z[1] < -3
    assert "y_prob is off among accepted persons of group 1" in report.summary()


def test_the_report_as_a_dict_is_ready_for_json():
    report = report_of(lending(1), y_true=lending(1)["y"])
    out = json.loads(json.dumps(report.to_dict()))
    assert set(out["underlying"]) == set(report.underlying)
    assert out["verdict"] == report.verdict
    table = report.to_table()
    assert {len(column) for column in table.values()} == {6 * len(report.groups)}


def test_a_group_of_one_row_is_not_determined():
    report = mismatch_report(
        [0, 1, 1, 0], "demographic_parity", y_prob=[0.9, 0.9, 0.2, 0.4],
        sensitive_features=list("abbb"), assumed_utility="demographic_parity", gain=1, loss=1,
    )
    welfare = report.underlying["demographic_parity"].welfare
    assert welfare.standard_error[0] == pytest.approx(0.975 * 2 / norm.ppf(0.975), rel=0.05)
    assert welfare.verdict[0] == "harmed or unchanged"
    assert (welfare.low[0], welfare.high[0]) == (-1, 0)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"policy": 3}, TypeError, "policy must be a WelfarePolicy or one probability"),
        ({"policy": [0, 1, 2, 0]}, ValueError, "policy has values from 0 to 2"),
        ({"policy": [0, 1, 1]}, ValueError, "policy has 3"),
        ({"underlying_utility": {}}, ValueError, "underlying_utility must name"),
        ({"underlying_utility": "welfare"}, ValueError, "utility must be one of"),
        ({"underlying_utility": "heterogeneous_opportunity"}, ValueError, "amount is None"),
        ({"confidence_level": 1.0}, ValueError, "confidence_level must lie in"),
        ({"sensitive_features": list("aaaa")}, DegenerateGroupError, "holds one group, 'a'"),
        ({"sample_weight": [1, 1, 0, 0]}, DegenerateGroupError, "group 'b' has sample_weight 0"),
        ({"revenue": [1.0], "gain": None, "loss": None}, ValueError, "revenue has 1"),
        ({"y_true": [0, 1]}, ValueError, "y_true has 2"),
        (
            {"y_true": [1, 1, 0, 0], "underlying_utility": "equal_opportunity"},
            DegenerateGroupError, "y_true: group 'b' has no good case",
        ),
    ],
)
def test_bad_input_is_named(changed, error, message):
    asked = {
        "policy": [1, 0, 1, 0], "underlying_utility": "demographic_parity",
        "y_prob": [0.9, 0.2, 0.8, 0.4], "sensitive_features": list("aabb"),
        "assumed_utility": "demographic_parity", "gain": 1, "loss": 1,
    } | changed
    with pytest.raises(error, match=message):
        mismatch_report(asked.pop("policy"), asked.pop("underlying_utility"), **asked)


def test_a_policy_over_several_options_or_other_groups_is_refused():
    known = {
        "y_prob": [0.9, 0.2, 0.8, 0.4], "sensitive_features": [0, 0, 1, 1],
        "assumed_utility": "demographic_parity", "gain": 1, "loss": 1,
    }
    menu = welfare_optimal_policy(
        np.ones((4, 2)), np.ones((4, 2)), sensitive_features=[0, 0, 1, 1]
    )
    with pytest.raises(ValueError, match="policy chooses among 3 options"):
        mismatch_report(menu, "demographic_parity", **known)
    other = welfare_optimal_policy([0.1, 0.2], [1, 1], sensitive_features=[0, 7])
    with pytest.raises(UnseenGroupError):
        mismatch_report(other, "demographic_parity", **known)
