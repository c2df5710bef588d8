"""``rank``: the fair ordering of a scored file, and the file with it."""

import csv
import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from command_line_files import call, loans, write_csv
from fairrank.ranking import fair_ordering


@pytest.fixture(scope="module")
def data():
    return loans()


@pytest.fixture(scope="module")
def file(tmp_path_factory, data):
    return write_csv(tmp_path_factory.mktemp("rank") / "loans.csv", data)


def ranked(capsys, file, *options):
    return call(
        capsys, "rank", file, "--label", "deny", "--score", "p", "--group", "race", *options
    )


def test_the_record_is_that_of_the_library(capsys, file, data):
    status, out, err = ranked(
        capsys, file, "--disparity", "prf", "--max-disparity", "0.05", "--json", "-"
    )
    assert (status, err) == (0, "")
    expected = fair_ordering(
        data["deny"], data["p"], sensitive_features=data["race"], disparity="prf",
        max_disparity=0.05,
    ).to_dict()
    del expected["fair_score"]
    assert json.loads(out)["result"] == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (("--trade-off", "0.5"), {"trade_off": 0.5}),
        ((), {}),
        (("--solver", "calibrated", "--disparity", "urf"),
         {"solver": "calibrated", "disparity": "urf"}),
        (("--weight", "weight"), {"sample_weight": True}),
    ],
)
def test_the_fair_score_is_written_beside_the_rows(
    capsys, tmp_path, file, data, options, arguments
):
    output = tmp_path / "fair.csv"
    status, out, _ = ranked(capsys, file, *options, "--output", output)
    assert status == 0
    assert f"written: {output}, column fair_score" in out
    if "sample_weight" in arguments:
        arguments = {"sample_weight": data["weight"]}
    expected = fair_ordering(
        data["deny"], data["p"], sensitive_features=data["race"], **arguments
    ).fair_score
    with output.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [float(row["fair_score"]) for row in rows] == expected.tolist()
    assert [row["p"] for row in rows] == list(map(str, data["p"].tolist()))
    assert list(rows[0]) == [*data, "fair_score"]


def test_auc_disparity_bound_and_gap_are_printed(capsys, file, data):
    ordering = fair_ordering(
        data["deny"], data["p"], sensitive_features=data["race"], max_disparity=0.05
    )
    _, out, _ = ranked(capsys, file, "--max-disparity", "0.05")
    for value in (ordering.auc_before, ordering.auc_after, ordering.disparity_before,
                  ordering.disparity_after):
        assert f"{value:.4f}" in out
    assert f"bound for any order: {ordering.upper_bound:.4g}" in out
    assert "gap to that bound" in out
    assert "Reading" in out


def test_rows_without_a_group_have_an_empty_fair_score(capsys, tmp_path, data):
    race = data["race"].astype(object)
    race[[0, 3]] = None
    holed = write_csv(tmp_path / "holed.csv", data | {"race": race})
    output = tmp_path / "fair.csv"
    assert ranked(capsys, holed, "--missing", "drop", "--output", output)[0] == 0
    with output.open(newline="") as opened:
        scores = [row["fair_score"] for row in csv.DictReader(opened)]
    assert [i for i, score in enumerate(scores) if score == ""] == [0, 3]


def test_a_column_can_have_another_name(capsys, tmp_path, file):
    output = tmp_path / "fair.csv"
    ranked(capsys, file, "--output", output, "--output-column", "place")
    assert output.read_text().splitlines()[0].endswith(",place")


def test_a_packed_copy_has_the_same_bytes_on_every_run(capsys, tmp_path, file):
    outputs = [tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"]
    for output in outputs:
        assert ranked(capsys, file, "--output", output)[0] == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    with gzip.open(outputs[0], "rt") as opened:
        assert len(opened.readlines()) == 601


def test_parquet_is_written_with_numbers_where_they_were_read(capsys, tmp_path, file, data):
    output = tmp_path / "fair.parquet"
    assert ranked(capsys, file, "--output", output)[0] == 0
    table = parquet.read_table(output)
    assert table["fair_score"].type == table["p"].type == pa.float64()
    assert table["year"].type == pa.string()
    assert table["p"].to_pylist() == data["p"].tolist()


def test_parquet_goes_to_parquet_and_to_csv_with_its_own_types(capsys, tmp_path, data):
    source = tmp_path / "loans.parquet"
    parquet.write_table(pa.table(data), source, row_group_size=100)
    as_parquet, as_csv = tmp_path / "fair.parquet", tmp_path / "fair.csv"
    assert ranked(capsys, source, "--output", as_parquet)[0] == 0
    assert ranked(capsys, source, "--output", as_csv)[0] == 0
    table = parquet.read_table(as_parquet)
    assert table["year"].type == pa.int64()
    with as_csv.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [float(row["fair_score"]) for row in rows] == table["fair_score"].to_pylist()
    assert [int(row["year"]) for row in rows] == data["year"].tolist()


def test_a_limit_out_of_reach_is_status_1_and_says_how_near_one_comes(capsys, tmp_path, file):
    output = tmp_path / "fair.csv"
    status, out, err = ranked(capsys, file, "--max-disparity", "1e-12", "--output", output)
    assert (status, out) == (1, "")
    assert "--max-disparity 1e-12: no order was found" in err
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-disparity", "0.1", "--trade-off", "1"), "not allowed with"),
        (("--output-column", "p", "--output", "{folder}/o.csv"), "already has a column 'p'"),
        (("--output", "{file}"), "is the file that is read"),
        (("--output", "{folder}/no/o.csv"), "is not there"),
        (("--output", "{folder}"), "is a folder"),
        (("--max-disparity", "2"), "--max-disparity"),
        (("--trade-off", "-1"), "--trade-off"),
    ],
)
def test_bad_options_are_refused_before_the_work(capsys, tmp_path, file, options, message):
    filled = [one.format(folder=tmp_path, file=file) for one in options]
    status, out, err = ranked(capsys, file, *filled)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_copy_that_fails_leaves_nothing_behind(capsys, tmp_path, file, monkeypatch):
    from fairrank._command_line import _written_rows

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_written_rows, "_write_csv", full)
    status, _, err = ranked(capsys, file, "--output", tmp_path / "fair.csv")
    assert status == 2
    assert "No space left" in err
    assert list(tmp_path.iterdir()) == []


def test_groups_with_few_outcomes_are_named(capsys, tmp_path, data):
    race = data["race"].copy()
    race[:4] = "tiny"
    columns = data | {"race": race, "deny": np.r_[0, 1, 0, 1, data["deny"][4:]]}
    file = write_csv(tmp_path / "rows.csv", columns)
    status, out, _ = call(
        capsys, "rank", file, "--label", "deny", "--score", "p", "--group", "race",
        "--max-disparity", "0.05",
    )
    assert status == 0
    assert "tiny (2 and 2)" in " ".join(out.split())
    assert "white (" not in out


def test_a_high_rank_is_not_called_a_favour(capsys, file):
    _, out, _ = ranked(capsys, file, "--max-disparity", "0.05")
    assert "being ranked too high against" in " ".join(out.split())
    assert "favour" not in out
