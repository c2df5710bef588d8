"""Huge, tiny and far-apart numbers, one row or two, one group, one class: named or right."""

import numpy as np
import pytest

from fairrank.frontier import SupportFunction
from fairrank.metrics import rgf_score, xauc_disparity, xauc_score
from fairrank.ranking import fair_ordering
from fairrank.welfare import welfare_optimal_policy
from public_calls import CALLS, SUPPORT, complaint, legal_columns, numbers_of

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::fairrank.exceptions.{name}")
    for name in (
        "SmallGroupWarning", "NuisanceWarning", "CalibrationWarning", "UndefinedMetricWarning"
    )
]
LEGAL = legal_columns()
SMALLEST = 5e-324
of_calls = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)

# What becomes of a column of numbers.
SCALED = {
    "huge": lambda v: np.where(np.arange(len(v)) % 3, v.T, v.T * 1e300).T,
    "all huge": lambda v: v * 1e300,
    "tiny": lambda v: np.where(np.arange(len(v)) % 3, v.T, v.T * 1e-300).T,
    "all tiny": lambda v: v * 1e-300,
    "denormal": lambda v: np.where(np.arange(len(v)) % 3, v.T, np.sign(v.T) * SMALLEST).T,
    "all denormal": lambda v: np.sign(v) * SMALLEST,
}
FEW_ROWS = {
    "one row": slice(0, 1), "two rows of two groups": slice(0, 2),
    "two rows of one": slice(0, 3, 2),
    "three rows": slice(0, 3),
}
ONE_OF = {
    "one group": {"group": np.full(24, "a")}, "negatives only": {"label": np.zeros(24, dtype=int)},
    "positives only": {"label": np.ones(24, dtype=int)},
    "one decision": {"decision": np.ones(24, dtype=int)},
    "one score": {"score": np.full(24, 0.5)},
    "no loss": {"loss_0": np.zeros(24), "loss_1": np.zeros(24)},
    "no difference": {"delta": np.zeros((24, 2)), "own": np.zeros(24)},
    "no revenue": {"revenue": np.zeros(24)}, "no utility": {"utility": np.zeros(24)},
    "weight in one row a group": {"weight": np.where(np.arange(24) < 2, 1.0, 0.0)},
    "a group of one row": {"group": np.where(np.arange(24) == 1, "b", "a")},
    "one cluster": {"cluster": np.zeros(24, dtype=int)},
}


def leaves(value):
    """All floats of a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    array = np.asarray(value)
    return array.ravel().tolist() if array.dtype.kind == "f" else []


def infinities(call, arguments):
    """How many numbers of the result are infinite; none where there is an error."""
    try:
        result = call(**arguments)
    except ValueError:
        return 0
    return sum(map(np.isinf, leaves(numbers_of(result))))


@of_calls
@pytest.mark.parametrize("rows", FEW_ROWS)
def test_few_rows_have_a_result_or_an_error_that_names_an_argument(call, rows):
    columns = {name: values[FEW_ROWS[rows]] for name, values in LEGAL.items()}
    assert complaint(call, call.arguments(columns)) is None


@of_calls
def test_what_does_not_vary_has_a_result_or_an_error_that_names_an_argument(call):
    ends = {
        name: complaint(call, call.arguments(LEGAL | columns))
        for name, columns in ONE_OF.items() if columns.keys() & set(call.columns.values())
    }
    assert {name: wrong for name, wrong in ends.items() if wrong} == {}


@of_calls
def test_huge_and_tiny_numbers_have_a_finite_result_or_an_error_that_names_an_argument(call):
    legal = call.arguments(LEGAL)
    expected, wrong = infinities(call, legal), {}
    for argument, values in legal.items():
        if values.dtype.kind != "f":
            continue
        for name, scale in SCALED.items():
            with np.errstate(over="ignore", under="ignore"):
                changed = legal | {argument: scale(values)}
            if found := complaint(call, changed):
                wrong[argument, name] = found
            elif infinities(call, changed) > expected:
                wrong[argument, name] = "an infinite result"
    assert wrong == {}


@of_calls
def test_weights_of_any_size_count_by_their_ratios(call):
    if "weight" not in call.columns.values():
        pytest.skip("it takes no masses")
    legal = call.arguments(LEGAL)
    whole = np.round(LEGAL["weight"] * 64)
    # Masses that a result tells are then those of weights below 1.
    below_one = np.ldexp(whole, -np.frexp(whole.max())[1])
    expected = leaves(numbers_of(call(**legal | {"sample_weight": below_one})))
    for power in (-1060, -300, 300, 1010):
        weight = np.ldexp(whole, power)
        found = leaves(numbers_of(call(**legal | {"sample_weight": weight})))
        np.testing.assert_array_equal(found, expected)


@of_calls
def test_weights_twelve_orders_apart_are_near_weights_of_zero(call):
    if "weight" not in call.columns.values():
        pytest.skip("it takes no masses")
    apart = np.where(np.arange(24) % 6 < 2, 1e-12, LEGAL["weight"])
    arguments = call.arguments(LEGAL | {"weight": apart})
    assert complaint(call, arguments) is None
    assert infinities(call, arguments) == infinities(call, call.arguments(LEGAL))


def test_only_the_order_of_scores_counts_however_large_or_small_they_are():
    rank = np.argsort(np.argsort(LEGAL["score"]))
    given = {"sensitive_features": LEGAL["group"]}
    expected = xauc_disparity(LEGAL["label"], rank, **given)
    fair = fair_ordering(LEGAL["label"], rank, max_disparity=0.0, **given).fair_score
    signs = np.where(rank < 12, -1.0, 1.0)
    for score in (
        rank * SMALLEST, (rank - 12.0) * 1e307, signs * np.exp2(40.0 * np.abs(rank - 11.5)),
        -1.7e308 + rank * 1e306,
    ):
        assert xauc_disparity(LEGAL["label"], score, **given) == expected
        again = fair_ordering(LEGAL["label"], score, max_disparity=0.0, **given).fair_score
        np.testing.assert_array_equal(again, fair)


def test_a_pair_of_weights_far_apart_is_exact():
    weight = [1.0, 1e12, 1e-12, 1.0]
    found = xauc_score(
        [1, 0, 0, 1], [0.9, 0.8, 0.95, 0.1], sensitive_features=list("abba"), above="a",
        below="b", sample_weight=weight,
    )
    # Row 0 beats the negative of weight 1e12, not that of 1e-12; row 3 beats none.
    assert found == pytest.approx(0.5, rel=1e-14)


def test_burdens_that_are_all_tiny_are_shares_as_any_others():
    given = {"sensitive_features": LEGAL["group"]}
    # A tolerance for ties is in units of the burden.
    expected = rgf_score(None, None, burden=LEGAL["burden"], tie_tolerance=0.0, **given)
    for scale in (2.0**-900, 2.0**300):
        found = rgf_score(
            None, None, burden=LEGAL["burden"] * scale, tie_tolerance=0.0, **given
        )
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [2.0**-400, 2.0**400])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_policy_does_not_depend_on_the_unit_of_revenue_or_utility(scale, smoothing):
    given = {
        "sensitive_features": LEGAL["group"], "sample_weight": LEGAL["weight"],
        "smoothing": smoothing,
    }
    expected = welfare_optimal_policy(LEGAL["revenue"], LEGAL["utility"], **given).acceptance
    for revenue, utility in ((scale, 1.0), (1.0, scale), (scale, scale)):
        found = welfare_optimal_policy(
            LEGAL["revenue"] * revenue, LEGAL["utility"] * utility, **given
        )
        np.testing.assert_allclose(found.acceptance, expected, atol=1e-9)


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-300, 2.0**300])
def test_a_support_function_has_the_unit_of_the_losses(scale):
    given = {argument: LEGAL[column] for argument, column in SUPPORT.items()}
    expected = SupportFunction(**given).h([[-1.0, -0.5], [0.3, 1.0]])
    scaled = {**given, "loss_0": given["loss_0"] * scale, "loss_1": given["loss_1"] * scale}
    scaled["delta_theta"] = given["delta_theta"] * scale
    found = SupportFunction(**scaled).h([[-1.0, -0.5], [0.3, 1.0]])
    np.testing.assert_allclose(found, expected * scale, rtol=1e-12)
