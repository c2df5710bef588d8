"""``policy``: decisions of equal welfare for a file, their price, and whom they move."""

import csv
import json
import re

import numpy as np
import pytest

from command_line_files import call, loans, write_csv
from fairrank.welfare import (
    expected_revenue,
    expected_utility,
    mismatch_report,
    welfare_optimal_policy,
)


@pytest.fixture(scope="module")
def data():
    return loans()


@pytest.fixture(scope="module")
def file(tmp_path_factory, data):
    return write_csv(tmp_path_factory.mktemp("policy") / "loans.csv", data)


def decided(capsys, file, *options):
    return call(capsys, "policy", file, "--probability", "p", "--group", "race", *options)


def as_json(record):
    return json.loads(json.dumps(record), parse_constant=lambda name: None)


def policy_of(data, utility, *, gain=1.0, loss=2.0, amount=None, weight=None, **options):
    given = {"sensitive_features": data["race"], "sample_weight": weight}
    return welfare_optimal_policy(
        expected_revenue(data["p"], gain=gain, loss=loss),
        expected_utility(utility, data["p"], amount=amount, **given), **given, **options,
    )


@pytest.mark.parametrize("utility", ["demographic_parity", "equal_opportunity"])
def test_the_record_is_that_of_the_library(capsys, file, data, utility):
    status, out, err = decided(
        capsys, file, "--utility", utility, "--gain", 1, "--loss", 2, "--json", "-"
    )
    assert (status, err) == (0, "")
    result = json.loads(out)["result"]
    assert result["policy"] == as_json(policy_of(data, utility).to_dict())
    assert result["mismatch"] is None


def test_gain_loss_and_amount_can_be_columns(capsys, file, data):
    _, out, _ = decided(
        capsys, file, "--utility", "heterogeneous_opportunity", "--gain", "weight", "--loss",
        "amount", "--amount", "amount", "--weight", "weight", "--tolerance", "0.01", "--json", "-",
    )
    policy = policy_of(
        data, "heterogeneous_opportunity", gain=data["weight"], loss=data["amount"],
        amount=data["amount"], weight=data["weight"], tolerance=0.01,
    )
    assert json.loads(out)["result"]["policy"] == as_json(policy.to_dict())


def test_the_mismatch_is_that_of_the_library(capsys, file, data):
    _, out, _ = decided(
        capsys, file, "--utility", "equal_opportunity", "--gain", 1, "--loss", 2,
        "--underlying-utility", "demographic_parity", "--label", "deny", "--json", "-",
    )
    report = mismatch_report(
        policy_of(data, "equal_opportunity"), {"demographic_parity": "demographic_parity"},
        y_prob=data["p"], sensitive_features=data["race"], assumed_utility="equal_opportunity",
        gain=1.0, loss=2.0, y_true=data["deny"],
    )
    assert json.loads(out)["result"]["mismatch"] == as_json(report.to_dict())


def test_outcomes_alone_tell_what_happened(capsys, file):
    _, out, _ = decided(
        capsys, file, "--utility", "equal_opportunity", "--gain", 1, "--loss", 2, "--label", "deny"
    )
    assert "What happened" in out


def test_acceptance_is_written_beside_the_rows(capsys, tmp_path, file, data):
    output = tmp_path / "decided.csv"
    status, _, _ = decided(
        capsys, file, "--utility", "demographic_parity", "--gain", 1, "--loss", 2, "--output",
        output,
    )
    assert status == 0
    with output.open(newline="") as opened:
        written = [float(row["acceptance"]) for row in csv.DictReader(opened)]
    assert written == policy_of(data, "demographic_parity").acceptance.tolist()


def test_every_group_is_accepted_from_a_probability_on(capsys, file, data):
    _, out, _ = decided(
        capsys, file, "--utility", "equal_opportunity", "--gain", 1, "--loss", 2, "--json", "-"
    )
    lowest = json.loads(out)["result"]["lowest_accepted_probability"]
    policy = policy_of(data, "equal_opportunity")
    accepted = policy.acceptance > 0
    expected = [
        data["p"][accepted & (data["race"] == group)].min(initial=np.inf)
        for group in policy.groups
    ]
    assert lowest == [value if np.isfinite(value) else None for value in expected]


@pytest.mark.parametrize("rule", ["group", "drop"])
def test_rows_without_a_group_are_kept_apart_or_left_out(capsys, tmp_path, data, rule):
    race = data["race"].astype(object)
    race[:60] = None
    holed = write_csv(tmp_path / "holed.csv", data | {"race": race})
    output = tmp_path / "decided.csv"
    status, out, err = decided(
        capsys, holed, "--utility", "demographic_parity", "--gain", 1, "--loss", 2, "--missing",
        rule, "--output", output, "--json", "-",
    )
    assert (status, err) == (0, "")
    filled = race.copy()
    filled[:60] = "(missing)"
    keep = np.arange(race.size) >= (60 if rule == "drop" else 0)
    kept = {name: column[keep] for name, column in (data | {"race": filled}).items()}
    policy = policy_of(kept, "demographic_parity")
    assert json.loads(out)["result"]["policy"] == as_json(policy.to_dict())
    with output.open(newline="") as opened:
        written = [row["acceptance"] for row in csv.DictReader(opened)]
    assert [cell == "" for cell in written] == (~keep).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gain", "amuont", "--loss", "1"),
         "--gain amuont is neither a number nor a column: .*Did you mean 'amount'"),
        (("--gain", "0", "--loss", "1"), "--?gain must be above 0|gain must be above 0"),
        (("--gain", "1", "--loss", "1", "--tolerance", "-1"), "tolerance"),
        (("--gain", "1", "--loss", "1", "--underlying-utility", "heterogeneous_opportunity"),
         "pass --amount"),
    ],
)
def test_bad_terms_are_refused(capsys, file, options, message):
    status, out, err = decided(capsys, file, "--utility", "demographic_parity", *options)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert re.search(message, err)


def test_missing_groups_are_refused_with_the_options_that_help(capsys, tmp_path, data):
    race = data["race"].astype(object)
    race[5] = None
    holed = write_csv(tmp_path / "holed.csv", data | {"race": race})
    status, _, err = decided(
        capsys, holed, "--utility", "demographic_parity", "--gain", 1, "--loss", 2
    )
    assert status == 2
    assert "1 of 600 rows have no group" in err
    assert "--missing drop" in err
