"""What the mismatch report says in words, and that it says no more than its numbers."""

import numpy as np
import pytest

from fairrank.welfare import mismatch_report


def report_of(accepted, p, utility="demographic_parity", group="aabb", **asked):
    return mismatch_report(
        accepted, utility, y_prob=p, sensitive_features=list(group), gain=1,
        **{"assumed_utility": "demographic_parity", "confidence_level": None, "loss": 1} | asked,
    )


def in_one_line(text):
    return " ".join(text.split())


def test_the_verdict_names_who_is_harmed_and_who_is_helped():
    report = report_of([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.4])
    assert in_one_line(report.verdict) == (
        "Measured by demographic parity, demographic parity would harm group a (welfare 1.0000 "
        "-> 0.5000) and help group b (the disadvantaged one, welfare 0.5000 -> 1.0000)."
    )


def test_what_is_not_determined_is_not_called_a_harm():
    report = report_of([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.4], group="aaab", confidence_level=0.95)
    assert in_one_line(report.verdict) == (
        "Measured by demographic parity, demographic parity may help or harm group a (welfare "
        "0.6667 -> 0.6667, change -1.0000 to +1.0000): that is not determined."
    )
    assert repr(report).endswith("demographic parity: undetermined 'a')")


def test_what_the_signs_rule_out_is_said():
    report = report_of(
        [1, 0, 1, 1, 1, 0], [0.9, 0.8, 0.7, 0.4, 0.8, 0.8], group="aabbcc",
        confidence_level=0.95,
    )
    assert in_one_line(report.verdict) == (
        "Measured by demographic parity, demographic parity would harm group a (welfare 1.0000 "
        "-> 0.5000, change -1.0000 to +0.0000) and group c (welfare 1.0000 -> 0.5000, change "
        "-1.0000 to +0.0000) or leave them as they are: nobody there gains by it. It would help "
        "group b (the disadvantaged one, welfare 0.5000 -> 1.0000, change +0.0000 to +1.0000) or "
        "leave it as it is: nobody there loses by it."
    )
    assert repr(report).endswith(
        "demographic parity: harmed or unchanged 'a', 'c', helped or unchanged 'b')"
    )
    still = report_of([1, 1, 1, 0], [0.9, 0.8, 0.7, 0.4], confidence_level=0.95)
    assert in_one_line(still.verdict).endswith("would move nobody's welfare on these rows.")


def test_probabilities_that_outcomes_contradict_stand_in_the_verdict():
    rng = np.random.default_rng(0)
    p = np.tile([0.9, 0.6], 200)
    y = (rng.random(400) < p * np.where(np.arange(400) % 4 < 2, 1, 0.6)).astype(int)
    report = report_of(
        np.ones(400), p, group="aabb" * 100, y_true=y, loss=2, confidence_level=0.95
    )
    assert abs(report.realised.accepted_z[0]) < 3
    z = report.realised.accepted_z[1]
    assert z < -3
    assert (
        f"But y_prob is off among accepted persons of group b (z = {z:+.1f}): recalibrate by "
        "group before believing what is expected." in in_one_line(report.verdict)
    )
    assert in_one_line(report.summary()).count("y_prob is off among accepted persons") == 1


def test_one_is_and_two_are():
    one = report_of([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.4]).summary()
    two = report_of([0, 0, 1, 1], [0.9, 0.8, 0.7, 0.4]).summary()
    assert "1 of its members is accepted less than before" in in_one_line(one)
    assert "2 of its members are accepted less than before" in in_one_line(two)


def test_revenue_that_happened_has_standard_errors():
    accepted, y = np.array([1, 0, 1, 1]), np.array([1, 1, 0, 0])
    report = report_of(accepted, [0.9, 0.8, 0.7, 0.4], y_true=y, confidence_level=0.95)
    worth = 2.0 * y - 1
    errors = [
        (worth * c).std(ddof=1) / 2 for c in (np.array([1, 1, 1, 0]), accepted, [0, -1, 0, 1])
    ]
    found = report.realised.revenue
    assert found.unconstrained_standard_error == pytest.approx(errors[0])
    assert found.constrained_standard_error == pytest.approx(errors[1])
    assert found.standard_error == pytest.approx(errors[2])
    assert (
        f"What happened Revenue per person 0.25 (+/- {errors[0]:.4g}) -> -0.25 (+/- "
        f"{errors[1]:.4g}): the condition cost 0.5 (+/- {errors[2]:.4g}). Expected: 0.45 -> 0.25."
        in in_one_line(report.summary())
    )


def test_a_policy_that_changes_nothing_moves_nobody():
    report = report_of([1, 1, 1, 0], [0.9, 0.8, 0.7, 0.4], assumed_utility=[1, 1, 2, 1])
    assert report.verdict == (
        "Measured by demographic parity, equalizing the assumed utility would move nobody's "
        "welfare."
    )
    assert "The gap in what is equalized was not closed." in report.summary()
    assert "Nobody's decision changes in group a." in report.summary()
    assert repr(report) == (
        "MismatchReport(assumed utility: price 0.0 %; demographic parity: nobody moved)"
    )


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        ([0.5, 0.5, 1, 0], "the highest welfare fell by 0.5000, the lowest stayed. 100 %"),
        ([1, 1, 1, 1], "the highest welfare stayed, the lowest rose by 0.5000. 0 %"),
        ([0, 0, 0, 0], "the highest welfare fell by 1.0000, the lowest fell by 0.5000. 100 %"),
    ],
)
def test_levelling_down_is_told_apart_from_levelling_up(accepted, said):
    report = report_of(accepted, [0.9, 0.8, 0.7, 0.4])
    assert said in in_one_line(report.summary())


def test_who_takes_the_rows_as_everybody_is_told_so():
    everybody = report_of([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.4]).summary()
    drawn = report_of([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.4], confidence_level=0.9).summary()
    assert "nothing is uncertain" in in_one_line(everybody)
    assert "0 lies outside the 90 % interval of the change" in in_one_line(drawn)
    assert "y_prob is taken as true" in in_one_line(drawn)


def test_what_happened_stands_beside_what_was_expected():
    report = report_of([1, 0, 1, 1], [0.9, 0.8, 0.7, 0.4], y_true=[1, 1, 0, 0])
    text = in_one_line(report.summary())
    assert (
        "What happened Revenue per person 0.25 -> -0.25: the condition cost 0.5. Expected: 0.45 "
        "-> 0.25." in text
    )
    assert "Welfare in demographic parity (underlying): a 1.0000 -> 0.5000 harmed" in text


def test_lines_fit_a_page():
    rng = np.random.default_rng(0)
    report = report_of(
        rng.random(60), rng.random(60), {"approval can harm": rng.normal(size=(60, 2))},
        group="abcdef" * 10, y_true=np.r_[[1] * 6, rng.integers(0, 2, 54)],
        assumed_utility="equal_opportunity", confidence_level=0.95,
    )
    assert max(map(len, str(report).splitlines())) <= 99
    assert str(report) == report.summary()
