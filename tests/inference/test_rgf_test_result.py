"""The result of a test: what it says, and that it says no more."""

import dataclasses
import json
from datetime import date

import numpy as np
import pytest
from scipy.stats import binomtest

from fairrank.inference import RGFTestResult, rgf_test
from fairrank.metrics import rgf_score


def made(n=600, factor=1.0, n_groups=2, **options):
    """A test of burdens from scores; those of the last group are times `factor`."""
    rng = np.random.default_rng(0)
    group = np.array(list("abc"))[rng.integers(0, n_groups, n)]
    score = rng.random(n) * 0.5
    outcome = (rng.random(n) < score).astype(int)
    last = "abc"[n_groups - 1]
    options = {"n_permutations": 199, "random_state": 0} | options
    return rgf_test(
        outcome, score, sensitive_features=group,
        burden=lambda y, p: np.abs(y - p) * np.where(group == last, factor, 1.0), **options,
    )


@pytest.fixture(scope="module")
def alike():
    return made()


@pytest.fixture(scope="module")
def apart():
    return made(factor=2.0)


# ---------------------------------------------------------------- numbers

def test_scores_stand_beside_the_test():
    rng = np.random.default_rng(0)
    burden, group = rng.random(300), rng.integers(0, 3, 300)
    found = rgf_test(None, None, sensitive_features=group, burden=burden, n_permutations=9)
    for name, centered in (("rgf", False), ("centered_rgf", True)):
        score = rgf_score(
            None, None, sensitive_features=group, burden=burden, centered=centered
        )
        assert getattr(found, name) == score


def test_monte_carlo_error_is_that_of_a_proportion(alike):
    p = alike.pvalue
    assert alike.pvalue_standard_error == pytest.approx(np.sqrt(p * (1 - p) / 199))


@pytest.mark.parametrize("factor", [1.0, 1.2, 2.0])
def test_interval_of_a_sampled_p_is_clopper_pearson(factor):
    found = made(factor=factor)
    reached = round(found.pvalue * 200) - 1
    expected = binomtest(reached, 199).proportion_ci(0.9)
    assert found.pvalue_interval(0.9) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("stop_after", [3, 150], ids=["stopped", "not stopped"])
def test_interval_of_a_sequential_p_counts_the_draws_that_reached(stop_after):
    found = made(factor=1.05, stop_after=stop_after)
    threshold = found.statistic - 1e-9 * max(found.statistic, found.expected_statistic)
    reached = int((found.null_distribution >= threshold).sum())
    assert reached >= 3
    expected = binomtest(reached, found.n_draws).proportion_ci(0.95)
    assert found.pvalue_interval() == pytest.approx((expected.low, expected.high))


def test_an_exact_p_has_no_interval_and_no_error():
    found = rgf_test(None, None, sensitive_features=list("aabbab"), burden=np.arange(6.0))
    assert found.pvalue_interval() == (found.pvalue, found.pvalue)
    assert found.pvalue_standard_error == 0.0


def test_the_smallest_p_is_bounded_by_draws_and_by_labellings(alike):
    assert alike.smallest_pvalue == 1 / 200
    few = rgf_test(
        None, None, sensitive_features=list("aabbab"), burden=np.arange(6.0),
        method="monte_carlo", n_permutations=199,
    )
    assert few.smallest_pvalue == 1 / 20


def test_an_effect_that_is_found_needs_no_more_rows(apart):
    assert apart.effect_size > apart.minimum_detectable_effect()
    assert apart.samples_needed() < apart.n_samples
    assert apart.minimum_detectable_effect(power=0.95) > apart.minimum_detectable_effect()


# ---------------------------------------------------------------- words

def test_a_rejection_names_the_burdened_group_and_no_cause(apart):
    assert apart.pvalue <= 0.05
    assert "Burdens are not shared alike" in apart.reading
    assert f"Group b carries {apart.groups[1].burden_ratio:.2f} times its share" in apart.reading
    assert "The test does not say why." in apart.reading


def test_no_rejection_is_not_called_fair(alike):
    assert alike.pvalue > 0.05
    assert "No evidence that burdens part" in alike.reading
    assert "That is not evidence of equality" in alike.reading
    assert "fair" not in alike.reading.lower()


def test_too_few_labellings_are_said_to_be_so():
    found = rgf_test(None, None, sensitive_features=list("aab"), burden=[1.0, 2.0, 4.0])
    assert "the smallest p-value this test can give is 0.333" in found.reading


@pytest.mark.parametrize("excess", [1.0, 1e-9, 1e-14])
def test_a_statistic_that_every_labelling_gives_is_said_to_tell_nothing(excess):
    # One row of another burden, and as many rows of either group: T does not know where it is.
    found = rgf_test(
        None, None, sensitive_features=list("aaabbb"), burden=1.0 + excess * np.eye(6)[0],
        tie_tolerance=0.0,
    )
    assert found.pvalue == 1.0
    assert np.isnan(found.minimum_detectable_effect())
    assert "every separation is as large as this one" in found.reading


def test_many_rows_are_warned_to_be_judged_by_effect_size():
    rng = np.random.default_rng(0)
    group = np.arange(100_000) % 2
    found = rgf_test(
        None, None, sensitive_features=group, burden=rng.random(100_000) * (1 + 0.2 * group),
        n_permutations=19, random_state=0,
    )
    assert "judge by the effect size" in found.reading


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "group labels were exchanged among all rows"),
        ({"strata": "outcome"}, "exchanged among rows of the same outcome"),
        ({"strata": "score"}, "exchanged among rows of like score"),
        ({"strata": np.arange(600) % 3}, "exchanged among rows of the same stratum"),
        ({"strata": ("outcome", "score")}, "rows alike in outcome x score"),
    ],
)
def test_reading_states_the_null(options, words):
    assert words in made(factor=2.0, **options).reading


def test_inside_strata_the_excess_is_over_what_is_expected_there():
    found = made(factor=2.0, strata="outcome")
    most = found.most_burdened
    assert f"{most.conditional_ratio:.2f} times the error it would carry" in found.reading


def test_a_calibrated_rejection_points_to_calibration():
    rng = np.random.default_rng(0)
    group, score = rng.integers(0, 2, 2000), rng.random(2000) * 0.5
    outcome = (rng.random(2000) < score + 0.3 * group).astype(int)
    found = rgf_test(
        outcome, score, sensitive_features=group, reference="calibrated", n_permutations=99,
        random_state=0,
    )
    assert "more than calibrated scores would explain" in found.reading
    assert "Look at calibration by group" in found.reading


def test_repr_shows_what_a_reader_wants_first(apart):
    text = repr(apart)
    for part in ("pvalue=0.005", "method=monte_carlo", "null reference", "burden ratio", "b (n="):
        assert part in text
    assert apart.reading in text


# ---------------------------------------------------------------- as data

@pytest.mark.parametrize("n_groups", [2, 3])
def test_result_is_ready_for_json(n_groups):
    found = made(n_groups=n_groups)
    read = json.loads(json.dumps(found.to_dict()))
    assert read["pvalue"] == found.pvalue
    assert read["reading"] == found.reading
    assert len(read["groups"]) == n_groups
    assert len(read["pairs"]) == (3 if n_groups == 3 else 0)
    assert read["null_distribution"]["0.5"] == np.quantile(found.null_distribution, 0.5)


def test_groups_of_any_kind_are_text_in_the_data():
    rng = np.random.default_rng(0)
    days = [date(2020, 1, day) for day in (1, 2, 3)]
    group = np.array([*np.repeat(days, 30), None, days[0], date(2020, 1, 4)], dtype=object)
    found = rgf_test(
        None, None, sensitive_features=group, burden=rng.random(93), missing="group",
        min_group_rows=2, n_permutations=19, comparisons="all", random_state=0,
    )
    read = json.loads(json.dumps(found.to_dict()))
    assert [row["group"] for row in read["groups"]] == list(map(str, days))
    assert [row["first"] for row in read["one_vs_rest"]] == list(map(str, days))
    assert {row["second"] for row in read["one_vs_rest"]} == {None}
    assert sorted(read["groups_left_out"]) == [["2020-01-04", 1], ["None", 1]]


def test_calibration_is_part_of_the_data():
    found = made(reference="calibrated", factor=1.0)
    assert [row["group"] for row in found.to_dict()["calibration"]] == ["a", "b"]


def test_result_is_read_by_name_and_cannot_be_changed(alike):
    with pytest.raises(dataclasses.FrozenInstanceError):
        alike.pvalue = 0.0
    with pytest.raises(TypeError, match="not iterable"):
        tuple(alike)
    assert isinstance(alike, RGFTestResult)
