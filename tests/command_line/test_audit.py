"""``audit``: the library's own report of the columns of a file."""

import json
import warnings

import numpy as np
import pytest

from command_line_files import call, loans, write_csv
from fairrank._command_line import _audit
from fairrank.exceptions import SmallGroupWarning
from fairrank.inference import rgf_report

FEW = ("--draws", 99, "--resamples", 50)
DRAWS = {"n_permutations": 99, "n_resamples": 50, "n_null_draws": 99, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    return loans()


@pytest.fixture(scope="module")
def file(tmp_path_factory, data):
    return write_csv(tmp_path_factory.mktemp("audit") / "loans.csv", data)


def audited(capsys, file, *options):
    status, out, err = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", *FEW,
        "--json", "-", *options,
    )
    assert (status, err) == (0, "")
    return json.loads(out)


def as_json(record):
    """The library's record after a journey through JSON, where NaN is null."""
    text = json.dumps(record, default=lambda value: value.tolist())
    return json.loads(text, parse_constant=lambda name: None)


def test_the_record_is_that_of_the_library(capsys, file, data):
    report = rgf_report(data["deny"], data["p"], sensitive_features=data["race"], **DRAWS)
    assert audited(capsys, file)["result"] == as_json(report.to_dict())


def test_strata_weights_and_several_groups_reach_the_library(capsys, file, data):
    found = audited(
        capsys, file, "--group", "year", "--strata", "year", "--weight", "weight", "--burden",
        "squared", "--seed", "7", "--confidence-level", "0.8",
    )
    report = rgf_report(
        data["deny"], data["p"], sensitive_features={"race": data["race"], "year": data["year"]},
        strata=data["year"], sample_weight=data["weight"], burden="squared",
        confidence_level=0.8, **(DRAWS | {"random_state": 7}),
    )
    assert found["result"] == as_json(report.to_dict())


def test_the_page_that_is_printed_is_the_report(capsys, file, data):
    report = rgf_report(data["deny"], data["p"], sensitive_features=data["race"], **DRAWS)
    status, out, err = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", *FEW
    )
    assert (status, out, err) == (0, f"{report}\n", "")
    assert "Reading" in out


def test_the_record_says_what_was_asked(capsys, file):
    record = audited(capsys, file, "--strata", "year")
    assert record["command"] == "audit"
    assert record["options"]["strata"] == ["year"]
    assert record["options"]["draws"] == 99
    assert record["warnings"] == []


@pytest.mark.parametrize("words", [("no", "yes"), ("paid", "denied")])
def test_a_positive_label_of_text_is_named(capsys, tmp_path, file, data, words):
    told = data | {"deny": np.array(words)[data["deny"]]}
    spelled = write_csv(tmp_path / "words.csv", told)
    by_words = audited(capsys, spelled, "--pos-label", words[1])
    assert by_words["result"] == audited(capsys, file)["result"]


@pytest.mark.parametrize("words", [("False", "True"), ("-1", "1"), ("0.0", "1.0")])
def test_truth_values_and_signs_need_no_positive_label(capsys, tmp_path, file, data, words):
    told = data | {"deny": np.array(words)[data["deny"]]}
    spelled = write_csv(tmp_path / "words.csv", told)
    assert audited(capsys, spelled)["result"] == audited(capsys, file)["result"]


def test_the_other_label_can_be_the_positive_one(capsys, file, data):
    found = audited(capsys, file, "--pos-label", "0")
    report = rgf_report(1 - data["deny"], data["p"], sensitive_features=data["race"], **DRAWS)
    assert found["result"] == as_json(report.to_dict())


@pytest.mark.parametrize("rule", ["group", "drop"])
def test_rows_without_a_group_are_kept_apart_or_left_out(capsys, tmp_path, data, rule):
    race = data["race"].astype(object)
    race[:40] = None
    holed = write_csv(tmp_path / "holed.csv", data | {"race": race})
    report = rgf_report(data["deny"], data["p"], sensitive_features=race, missing=rule, **DRAWS)
    found = audited(capsys, holed, "--missing", rule)
    assert found["result"] == as_json(report.to_dict())


def test_the_numbers_do_not_depend_on_the_number_of_threads(capsys, file):
    assert audited(capsys, file, "--jobs", 2)["result"] == audited(capsys, file)["result"]


def test_warnings_of_the_library_come_on_stderr_and_into_the_record(capsys, file, monkeypatch):
    def warned(*arguments, **options):
        warnings.warn("y_score is odd", SmallGroupWarning, stacklevel=2)
        return rgf_report(*arguments, **options)

    monkeypatch.setattr(_audit, "rgf_report", warned)
    status, out, err = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", *FEW,
        "--json", "-",
    )
    assert status == 0
    assert json.loads(out)["warnings"] == ["column 'p' is odd"]
    assert err == "fairrank: warning: column 'p' is odd\n"


def test_a_gate_that_rejects_is_status_1(capsys, tmp_path):
    file = write_csv(tmp_path / "unfair.csv", loans(3000))
    asked = ("audit", file, "--label", "deny", "--score", "p", "--group", "race", *FEW)
    assert call(capsys, *asked)[0] == 0
    status, out, err = call(capsys, *asked, "--fail-if-rejected")
    assert (status, err) == (1, "")
    assert "Reading" in out
    assert call(capsys, *asked, "--fail-if-rejected", "0.0001")[0] == 0
