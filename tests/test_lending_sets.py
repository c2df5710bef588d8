"""The lending files of ``benchmarks/reproduce`` are cleaned of race and of the decision."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

SOURCE = Path(__file__).parents[1] / "benchmarks" / "reproduce" / "lending_sets.py"
N = 60
NEW_YORK_LEAKS = [
    "action_taken", "status", "derived_race", "applicant_poc", "derived_sex", "sex", "race",
    "denied", "applicant_age", "age_bracket", "lender_id", "census_tract",
]
NATIONAL_LEAKS = [
    "approved", "protected_group", "race", "ethnicity", "is_reference_group", "sex", "lei",
]


@pytest.fixture
def cleaning(monkeypatch):
    """The module itself, by its path: benchmarks are not a package of the tests."""
    if not SOURCE.is_file():
        pytest.skip("the tests stand alone")
    spec = importlib.util.spec_from_file_location("lending_sets", SOURCE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "lending_sets", module)  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def new_york(rng):
    frame = pd.DataFrame({name: rng.integers(0, 2, N) for name in NEW_YORK_LEAKS})
    frame["race"] = np.where(rng.random(N) < 0.3, "Black", "White")
    frame["debt_to_income_ratio"] = rng.choice(["<20%", "30%-<36%", "43", ">60%"], N)
    numbers = ["log_income", "log_loan_amount", "combined_loan_to_value_ratio",
               "tract_minority_population_percent", "tract_to_msa_income_percentage"]
    return frame.assign(**{name: rng.random(N) for name in numbers})


def national(rng):
    frame = pd.DataFrame({name: rng.integers(0, 2, N) for name in NATIONAL_LEAKS})
    frame["protected_group"] = np.where(rng.random(N) < 0.3, "Black", "White (reference)")
    numbers = ["loan_amount", "applicant_income_000s", "loan_to_value_ratio",
               "debt_to_income_pct", "property_value"]
    codes = ["loan_type_code", "loan_purpose_code", "occupancy_type_code", "dwelling_category"]
    frame = frame.assign(**{name: 1.0 + 300.0 * rng.random(N) for name in numbers})
    return frame.assign(**{name: rng.choice(["1", "2"], N) for name in codes})


CASES = [
    (new_york, "clean_new_york", NEW_YORK_LEAKS),
    (national, "clean_national", NATIONAL_LEAKS),
]


@pytest.mark.parametrize(("draw", "clean", "leaks"), CASES)
def test_no_leak_reaches_a_model(cleaning, draw, clean, leaks):
    frame = draw(np.random.default_rng(0))
    other = frame.assign(**{name: frame[name].to_numpy()[::-1] for name in leaks})
    before, after = (getattr(cleaning, clean)(one) for one in (frame, other))
    assert (before.denied != after.denied).any()
    pd.testing.assert_frame_equal(before.X, after.X)


def test_one_means_denied_in_both_files(cleaning):
    york, sample = new_york(np.random.default_rng(1)), national(np.random.default_rng(1))
    assert cleaning.clean_new_york(york).denied.tolist() == york["denied"].tolist()
    denied = (sample["approved"] == 0).astype(int).tolist()
    assert cleaning.clean_national(sample).denied.tolist() == denied


def test_brackets_of_the_debt_ratio_become_numbers(cleaning):
    X = cleaning.clean_new_york(new_york(np.random.default_rng(2))).X
    assert set(X["debt_to_income"]) == {15.0, 33.0, 43.0, 65.0}


def test_incomplete_rows_of_the_national_sample_are_left_out(cleaning):
    frame = national(np.random.default_rng(3))
    frame.loc[:4, "property_value"] = np.nan
    assert cleaning.clean_national(frame).denied.size == N - 5


def test_undersampling_keeps_every_black_applicant_and_as_many_others(cleaning):
    lending = cleaning.clean_national(national(np.random.default_rng(4)))
    black = np.flatnonzero(lending.sensitive_features == "Black")
    balanced = lending.balanced(0)
    assert (balanced.sensitive_features == "Black").sum() == black.size
    assert balanced.denied.size == 2 * black.size
    kept = balanced.X[balanced.sensitive_features == "Black"]
    pd.testing.assert_frame_equal(kept.reset_index(drop=True),
                                  lending.X.iloc[black].reset_index(drop=True))
