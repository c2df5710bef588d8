"""Which groups are compared, and which rows have a say in it."""

import json

import numpy as np
import pytest

from command_line_files import call, loans, write_csv

AUDIT = ("--label", "deny", "--score", "p", "--draws", "40", "--resamples", "20", "--json", "-")
RANK = ("--label", "deny", "--score", "p", "--max-disparity", "0.05", "--json", "-")
POLICY = ("--probability", "p", "--utility", "demographic_parity", "--gain", "1", "--loss", "2",
          "--json", "-")
COMMANDS = {"audit": AUDIT, "rank": RANK, "policy": POLICY}


def file_of(path, columns, keep=slice(None)):
    return write_csv(path, {name: column[keep] for name, column in columns.items()})


def result(capsys, command, file, *options):
    status, out, err = call(capsys, command, file, *COMMANDS[command], *options)
    assert (status, err) == (0, "")
    return json.loads(out)["result"]


def without_counts(record):
    """What says how many rows had no say, and which bytes the file had, may differ."""
    if isinstance(record, list):
        return [without_counts(one) for one in record]
    if not isinstance(record, dict):
        return record
    return {key: without_counts(value) for key, value in record.items()
            if key not in ("n_dropped", "data_hash")}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_group_that_is_left_out_is_as_if_it_were_not_there(capsys, tmp_path, command):
    data = loans(400)
    whole = file_of(tmp_path / "whole.csv", data)
    part = file_of(tmp_path / "part.csv", data, data["race"] != "asian")
    assert without_counts(
        result(capsys, command, whole, "--group", "race", "--leave-out", "asian")
    ) == without_counts(result(capsys, command, part, "--group", "race"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_group_against_the_rest_is_as_if_the_others_were_one(capsys, tmp_path, command):
    data = loans(400)
    whole = file_of(tmp_path / "whole.csv", data)
    merged = np.where(data["race"] == "black", "black", "the rest")
    two = file_of(tmp_path / "two.csv", data | {"race": merged})
    assert without_counts(
        result(capsys, command, whole, "--group", "race", "--against-rest", "black")
    ) == without_counts(result(capsys, command, two, "--group", "race"))


def test_both_can_be_asked_for_and_rows_without_a_group_go_with_the_rest(capsys, tmp_path):
    data = loans(400)
    race = data["race"].astype(object)
    race[::7] = None
    whole = file_of(tmp_path / "whole.csv", data | {"race": race})
    gone = race == "asian"
    merged = np.where(race == "black", "black", "the rest")
    two = file_of(tmp_path / "two.csv", data | {"race": merged}, ~gone)
    asked = ("--group", "race", "--missing", "group", "--against-rest", "black", "--leave-out",
             "asian")
    assert without_counts(result(capsys, "policy", whole, *asked)) == without_counts(
        result(capsys, "policy", two, "--group", "race")
    )


def test_intersections_are_named_by_both_of_their_parts(capsys, tmp_path):
    data = loans(400)
    year = data["year"]
    whole = file_of(tmp_path / "whole.csv", data)
    gone = (data["race"] == "asian") & (year == 2019)
    part = file_of(tmp_path / "part.csv", data, ~gone)
    asked = ("--group", "race", "--group", "year")
    assert without_counts(
        result(capsys, "policy", whole, *asked, "--leave-out", "asian & 2019")
    ) == without_counts(result(capsys, "policy", part, *asked))
    status, out, _ = call(
        capsys, "policy", whole, *POLICY[:-2], *asked, "--against-rest", "asian & 2019"
    )
    assert status == 0
    assert [line.split("  ")[0] for line in out.splitlines()[4:6]] == ["asian & 2019", "the rest"]


def test_the_fair_score_of_rows_that_are_left_out_is_empty(capsys, tmp_path):
    data = loans(400)
    whole = file_of(tmp_path / "whole.csv", data)
    output, page = tmp_path / "fair.csv", tmp_path / "page.html"
    status, _, err = call(
        capsys, "rank", whole, *RANK, "--group", "race", "--leave-out", "asian", "--output",
        output, "--html", page,
    )
    assert (status, err) == (0, "")
    cells = [line.split(",")[-1] for line in output.read_text().splitlines()[1:]]
    assert [cell == "" for cell in cells] == (data["race"] == "asian").tolist()
    assert page.read_text("utf-8").count("<svg") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--leave-out", "blck"), "--leave-out blck: column 'race' has no such group. Did you "
         "mean 'black'?"),
        (("--against-rest", "zz"), "Its groups are: "),
        (("--against-rest", "black", "--leave-out", "black"), "both left out and compared"),
        (("--leave-out", "black", "--leave-out", "white", "--leave-out", "asian"),
         "no group of column 'race' is left"),
    ],
)
def test_a_group_that_nobody_is_in_is_refused(capsys, tmp_path, options, said):
    whole = file_of(tmp_path / "whole.csv", loans(200))
    status, out, err = call(
        capsys, "policy", whole, *POLICY, "--group", "race", *options
    )
    assert (status, out) == (2, "")
    assert said in err


def test_rows_without_a_group_still_need_a_rule(capsys, tmp_path):
    data = loans(200)
    race = data["race"].astype(object)
    race[3] = None
    whole = file_of(tmp_path / "whole.csv", data | {"race": race})
    status, _, err = call(
        capsys, "policy", whole, *POLICY, "--group", "race", "--against-rest", "black"
    )
    assert status == 2
    assert "--missing drop" in err


def test_a_group_called_as_the_rest_is_told_from_it(capsys, tmp_path):
    data = loans(200)
    race = np.where(data["race"] == "black", "the rest", data["race"])
    whole = file_of(tmp_path / "whole.csv", data | {"race": race})
    _, out, _ = call(
        capsys, "policy", whole, *POLICY[:-2], "--group", "race", "--against-rest", "the rest"
    )
    assert [line.split("  ")[0] for line in out.splitlines()[4:6]] == ["all others", "the rest"]
