"""What is wrong with a file is said in one message, with exit status 2 and no traceback."""

import gzip

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from command_line_files import call, loans, write_csv
from fairrank._command_line import _arrow_columns

READERS = ["pyarrow", "csv"]


@pytest.fixture(params=READERS)
def reader(request, monkeypatch):
    """With pyarrow, and without it."""
    if request.param == "csv":
        monkeypatch.setattr(_arrow_columns, "has_arrow", lambda: False)
    return request.param


@pytest.fixture
def data():
    return loans(60)


def refused(capsys, file, *options, label="deny", score="p", group="race"):
    status, out, err = call(
        capsys, "audit", file, "--label", label, "--score", score, "--group", group, "--draws",
        "20", "--resamples", "20", *options,
    )
    assert (status, out) == (2, "")
    assert err.startswith("fairrank: ")
    assert err.count("\n") == 1
    return err.removeprefix("fairrank: ")


def file_of(tmp_path, text):
    path = tmp_path / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("rce", "'race'"), ("Race", "'race'"), ("wieght", "'weight'"), ("zzz", None)],
)
def test_a_missing_column_is_named_with_its_near_names(capsys, tmp_path, data, asked, meant):
    error = refused(capsys, write_csv(tmp_path / "rows.csv", data), group=asked)
    assert f"has no column {asked!r}" in error
    assert "'deny'" in error
    assert ("Did you mean" in error) == (meant is not None)
    if meant:
        assert f"Did you mean {meant}?" in error


def test_a_missing_file_is_named_with_its_near_names(capsys, tmp_path, data):
    write_csv(tmp_path / "rows.csv", data)
    error = refused(capsys, tmp_path / "row.csv")
    assert "there is no such file" in error
    assert "rows.csv" in error


def test_a_folder_is_no_file(capsys, tmp_path):
    assert "is a folder" in refused(capsys, tmp_path)


def test_an_empty_file_is_empty(capsys, tmp_path, reader):
    assert "is empty" in refused(capsys, file_of(tmp_path, ""))
    assert "is empty" in refused(capsys, file_of(tmp_path, "\n\n"))


def test_a_header_alone_is_no_rows(capsys, tmp_path, reader):
    assert "has a header but no rows" in refused(capsys, file_of(tmp_path, "deny,p,race\n"))


def test_an_empty_parquet_file_is_no_rows(capsys, tmp_path):
    empty = tmp_path / "rows.parquet"
    columns = {"deny": pa.array([], pa.int64()), "p": pa.array([], pa.float64())}
    parquet.write_table(pa.table(columns | {"race": pa.array([], pa.string())}), empty)
    assert "has a header but no rows" in refused(capsys, empty)


@pytest.mark.parametrize(
    ("cell", "said"),
    [("high", "'high'"), ("nan", "'nan'"), ("inf", "'inf'"), ("", "is empty"), ("NA", "'NA'"),
     ("0,5", "'0,5'")],
)
def test_a_bad_score_is_quoted_with_its_line_and_row(capsys, tmp_path, reader, cell, said):
    quoted = f'"{cell}"' if "," in cell else cell
    text = f"deny,p,race\n1,0.5,a\n\n0,0.25,b\n1,{quoted},b\n0,x,a\n"
    error = refused(capsys, file_of(tmp_path, text))
    assert "line 5 (row 3)" in error
    assert f"column 'p' {said}" in error or f"column 'p' holds {said}" in error


def test_a_bad_score_far_down_is_found(capsys, tmp_path, reader):
    n = 70_000
    rows = ["deny,p,race", *("1,0.5,a" for _ in range(n)), "0,bad,b"]
    error = refused(capsys, file_of(tmp_path, "\n".join(rows)))
    assert f"line {n + 2} (row {n + 1:,}): column 'p' holds 'bad'" in error


def test_bad_scores_of_parquet_are_named_by_row(capsys, tmp_path, data):
    path = tmp_path / "rows.parquet"
    scores = data["p"].copy()
    scores[7] = np.nan
    parquet.write_table(pa.table(data | {"p": scores}), path)
    assert "row 8: column 'p' holds nan" in refused(capsys, path)
    parquet.write_table(pa.table(data | {"p": [None, *scores[1:7], *scores[8:], 0.5]}), path)
    assert "row 1: column 'p' is empty" in refused(capsys, path)
    parquet.write_table(pa.table(data | {"p": list(map(str, data["p"]))}), path)
    assert "column 'p' holds text (row 1: " in refused(capsys, path)
    dates = np.full(60, "2020-01-01", dtype="datetime64[s]")
    parquet.write_table(pa.table(data | {"p": dates}), path)
    assert "is of type timestamp" in refused(capsys, path)


def test_scores_that_are_no_probabilities_are_named_by_column(capsys, tmp_path, data):
    file = write_csv(tmp_path / "rows.csv", data)
    error = refused(capsys, file, score="amount")
    assert "column 'amount' must be probabilities in [0, 1]" in error
    assert "burden=" not in error


def test_one_column_cannot_be_score_and_group(capsys, tmp_path, data, reader):
    error = refused(capsys, write_csv(tmp_path / "rows.csv", data), score="race")
    assert "column 'race' holds" in error


def test_other_than_two_labels_are_listed(capsys, tmp_path, data, reader):
    file = write_csv(tmp_path / "rows.csv", data)
    error = refused(capsys, file, label="race", group="year")
    assert "must hold two labels, and holds 3: " in error
    assert all(repr(race) in error for race in ("white", "black", "asian"))
    assert "holds 60: 0, 1, 2" in refused(capsys, file, label="id")


def test_two_unknown_labels_need_the_positive_one(capsys, tmp_path, data):
    words = np.array(["paid", "denied"])[data["deny"]]
    file = write_csv(tmp_path / "rows.csv", data | {"deny": words})
    error = refused(capsys, file)
    assert "'paid'" in error
    assert "'denied'" in error
    assert "--pos-label" in error
    assert "holds" in refused(capsys, file, "--pos-label", "deny")


def test_a_row_without_a_label_is_counted(capsys, tmp_path, reader):
    error = refused(capsys, file_of(tmp_path, "deny,p,race\n1,0.5,a\n,0.25,b\n"))
    assert "no label in 1 of 2 rows (first: row 2)" in error


@pytest.mark.parametrize("n", [60, 20_000])
def test_an_identifier_is_no_group(capsys, tmp_path, reader, n):
    error = refused(capsys, write_csv(tmp_path / "rows.csv", loans(n)), group="id")
    assert "identifier" in error
    assert "column 'id' has" in error
    assert ("60 different values in 60 rows" if n == 60 else "more than 10,000 different") in error
    assert "merge" in error


def test_a_measurement_is_no_group(capsys, tmp_path, data):
    file = write_csv(tmp_path / "rows.csv", loans(2000))
    assert "identifier or a measurement" in refused(capsys, file, group="p")


def test_missing_groups_are_counted_with_the_options_that_help(capsys, tmp_path, reader):
    text = "deny,p,race\n1,0.5,a\n0,0.25,\n1,0.5,NA\n0,0.5,b\n"
    error = refused(capsys, file_of(tmp_path, text))
    assert "column 'race': 2 of 4 rows have no group" in error
    assert "--missing group" in error
    assert "--missing drop" in error


def test_a_missing_stratum_is_refused(capsys, tmp_path):
    text = "deny,p,race,year\n1,0.5,a,2019\n0,0.25,b,\n"
    error = refused(capsys, file_of(tmp_path, text), "--strata", "year")
    assert "column 'year' has no stratum in 1 of 2 rows (first: row 2)" in error


def test_too_few_rows_for_a_test_are_told_beside_the_others(capsys, tmp_path):
    text = "deny,p,race\n1,0.5,a\n0,0.25,b\n1,0.75,b\n0,0.1,a\n0,0.3,b\n1,0.9,a\n"
    asked = (
        "audit", file_of(tmp_path, text), "--label", "deny", "--score", "p", "--group", "race",
        "--draws", "20", "--resamples", "20",
    )
    left_out = "Not tested: labels exchanged among rows of like score."
    status, out, _ = call(capsys, *asked)
    assert status == 0
    assert left_out in out
    status, out, _ = call(capsys, *asked, "--bins", "2")
    assert status == 0
    assert left_out not in out


def test_one_group_alone_is_named_by_column(capsys, tmp_path):
    error = refused(capsys, file_of(tmp_path, "deny,p,race\n1,0.5,a\n0,0.25,a\n"))
    assert "column 'race'" in error


def test_a_line_of_another_width_is_named(capsys, tmp_path, reader):
    error = refused(capsys, file_of(tmp_path, "deny,p,race\n1,0.5,a\n0,0.25\n"))
    assert "line 3: 2 cells where the header has 3" in error


def test_a_column_that_is_there_twice_is_refused(capsys, tmp_path, reader):
    text = "deny,p,p,race\n1,0.5,0.4,a\n0,0.25,0.1,b\n"
    assert "2 columns called 'p'" in refused(capsys, file_of(tmp_path, text))


def test_two_columns_that_nobody_asks_for_may_share_a_name(capsys, tmp_path, reader):
    columns = loans(200)
    lines = zip(columns["deny"], columns["p"], columns["race"])
    text = "x,deny,p,x,race\n" + "".join(f"1,{y},{p},2,{race}\n" for y, p, race in lines)
    status, _, err = call(
        capsys, "audit", file_of(tmp_path, text), "--label", "deny", "--score", "p", "--group",
        "race", "--draws", "20", "--resamples", "20",
    )
    assert (status, err) == (0, "")


def test_another_delimiter_is_suggested_and_taken(capsys, tmp_path, data, reader):
    file = write_csv(tmp_path / "rows.csv", data, delimiter=";")
    assert "pass --delimiter ';'" in refused(capsys, file)
    status, _, _ = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", "--draws",
        "20", "--resamples", "20", "--delimiter", ";",
    )
    assert status == 0
    assert "must be one character" in refused(capsys, file, "--delimiter", ";;")


def test_text_of_another_encoding_is_refused_and_read_when_named(capsys, tmp_path, reader):
    columns = loans(200)
    names = np.where(columns["race"] == "black", "zoë", "b")
    plain = write_csv(tmp_path / "plain.csv", columns | {"race": names})
    file = file_of(tmp_path, plain.read_text("utf-8").encode("cp1252"))
    error = refused(capsys, file)
    assert "is not utf-8 text" in error
    assert "--encoding" in error
    status, out, _ = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", "--draws",
        "20", "--resamples", "20", "--encoding", "cp1252",
    )
    assert status == 0
    assert "zoë" in out
    assert "no such encoding" in refused(capsys, file, "--encoding", "utf-0")


def test_a_damaged_file_is_refused(capsys, tmp_path, data):
    packed = write_csv(tmp_path / "rows.csv.gz", data)
    packed.write_bytes(packed.read_bytes()[:-200])
    assert "damaged gzip" in refused(capsys, packed)
    broken = tmp_path / "rows.parquet"
    broken.write_bytes(b"PAR1" + bytes(100))
    assert "cannot be read as parquet" in refused(capsys, broken)


def test_parquet_without_pyarrow_names_the_extra(capsys, tmp_path, data, monkeypatch):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table(data), path)
    monkeypatch.setattr(_arrow_columns, "has_arrow", lambda: False)
    assert "pip install 'fairrank[parquet]'" in refused(capsys, path)


def test_a_quote_that_is_never_closed_is_refused(capsys, tmp_path, reader):
    text = 'deny,p,race\n1,0.5,"a\n0,0.25,b\n'
    assert "line 2: a quote is opened and not closed" in refused(capsys, file_of(tmp_path, text))


def test_nothing_is_written_where_the_file_is_bad(capsys, tmp_path, data):
    file = write_csv(tmp_path / "rows.csv", data)
    refused(capsys, file, "--html", tmp_path / "page.html", "--json", tmp_path / "r.json",
            score="name")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_packed_text_is_read(capsys, tmp_path, data, reader):
    file = write_csv(tmp_path / "rows.csv.gz", data)
    with gzip.open(file) as opened:
        assert opened.read(2) == b"id"
    status, _, err = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", "--draws",
        "20", "--resamples", "20",
    )
    assert (status, err) == (0, "")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04" + bytes(200), "a spreadsheet or a zip archive"),
        (b'[{"race": "a", "deny": 1}]\n', "JSON"), (b"<html></html>\n", "a page of HTML"),
    ],
)
def test_what_is_no_table_is_called_by_its_kind(capsys, tmp_path, content, kind):
    error = refused(capsys, file_of(tmp_path, content))
    assert f"is {kind}" in error
    assert "save it as csv" in error


def test_values_in_place_of_names_are_told(capsys, tmp_path):
    error = refused(capsys, file_of(tmp_path, "1,0.5,a\n0,0.25,b\n"))
    assert "first line seems to hold values" in error


def test_a_long_name_of_a_column_is_cut_short(capsys, tmp_path):
    error = refused(capsys, file_of(tmp_path, "x" * 5000 + "\n1\n"))
    assert len(error) < 500
    assert "Its only column is" in error


@pytest.mark.parametrize("named", ["\\t", "tab", "\t"])
def test_a_tab_can_be_named(capsys, tmp_path, reader, named):
    file = write_csv(tmp_path / "rows.csv", loans(200), delimiter="\t")
    status, _, err = call(
        capsys, "audit", file, "--label", "deny", "--score", "p", "--group", "race", "--draws",
        "20", "--resamples", "20", "--delimiter", named,
    )
    assert (status, err) == (0, "")


def test_a_decimal_comma_is_suspected_and_taken(capsys, tmp_path, reader):
    columns = loans(200)
    commas = np.array([str(score).replace(".", ",") for score in columns["p"]])
    plain = write_csv(tmp_path / "plain.csv", columns, delimiter=";")
    file = write_csv(tmp_path / "rows.csv", columns | {"p": commas}, delimiter=";")
    assert "Pass --decimal ','" in refused(capsys, file, "--delimiter", ";")
    asked = ("--label", "deny", "--score", "p", "--group", "race", "--draws", "20",
             "--resamples", "20", "--delimiter", ";")
    with_comma = call(capsys, "audit", file, *asked, "--decimal", ",")
    assert with_comma == call(capsys, "audit", plain, *asked)
    assert with_comma[0] == 0
    assert "are both ','" in refused(capsys, file, "--decimal", ",")


def test_standard_input_is_no_file(capsys):
    assert "name a file" in refused(capsys, "-")


def test_one_label_alone_is_no_outcome(capsys, tmp_path, reader):
    error = refused(capsys, file_of(tmp_path, "deny,p,race\n0,0.5,a\n0,0.25,b\n"))
    assert "column 'deny' holds 0 in every row" in error


@pytest.mark.parametrize("option", ["score", "group"])
def test_an_outcome_cannot_be_score_or_group_too(capsys, tmp_path, data, option):
    error = refused(capsys, write_csv(tmp_path / "rows.csv", data), **{option: "deny"})
    assert f"column 'deny' is both --label and --{option}" in error


def test_a_constant_score_is_told_without_what_only_a_function_can_do(capsys, tmp_path, data):
    constant = write_csv(tmp_path / "rows.csv", data | {"p": np.full(60, 0.5)})
    error = refused(capsys, constant)
    assert "constant" in error
    assert "undefined=" not in error
