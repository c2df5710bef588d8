"""Columns come out as they stand in the file, whoever reads it and in blocks of whatever size."""

import csv

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from command_line_files import loans, write_csv
from fairrank._command_line import _arrow_columns, _csv_text
from fairrank._command_line._bad_input import BadInputError
from fairrank._command_line._near_names import near_names
from fairrank._command_line._table_reader import table_source


def source_of(path, delimiter=None, encoding="utf-8"):
    return table_source(str(path), delimiter=delimiter, encoding=encoding)


@pytest.fixture(params=["pyarrow", "csv"])
def reader(request, monkeypatch):
    """With pyarrow, and without it, in small blocks."""
    if request.param == "csv":
        monkeypatch.setattr(_arrow_columns, "has_arrow", lambda: False)
    monkeypatch.setattr(_csv_text, "BLOCK_ROWS", 7)
    monkeypatch.setattr(_arrow_columns, "BLOCK_BYTES", 300)
    monkeypatch.setattr(_arrow_columns, "BLOCK_ROWS", 7)
    return request.param


def check_columns(table, data):
    assert table.n_rows == len(data["p"])
    assert table.numbers["p"].tolist() == data["p"].tolist()
    assert table.numbers["amount"].tolist() == data["amount"].tolist()
    assert table.categories["race"].cells().tolist() == data["race"].tolist()
    assert table.categories["year"].cells().tolist() == data["year"].tolist()


def read(source):
    return source.read(numbers=["p", "amount"], categories=["race", "year"])


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_csv_columns_come_out_as_they_stand(tmp_path, reader, ending):
    data = loans(100)
    check_columns(read(source_of(write_csv(tmp_path / f"rows{ending}", data))), data)


def test_parquet_columns_come_out_as_they_stand(tmp_path, monkeypatch):
    monkeypatch.setattr(_arrow_columns, "BLOCK_ROWS", 7)
    data = loans(100)
    coded = pa.table(data).set_column(1, "race", pa.array(data["race"]).dictionary_encode())
    for table in (pa.table(data), coded):
        parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=31)
        check_columns(read(source_of(tmp_path / "rows.parquet")), data)


def test_columns_that_are_not_asked_for_are_not_converted(tmp_path, reader):
    data = loans(40) | {"note": np.array(["1", "x"] * 20)}
    check_columns(read(source_of(write_csv(tmp_path / "rows.csv", data))), data)


def test_a_file_by_tabs_and_one_with_a_byte_order_mark_are_read(tmp_path, reader):
    data = loans(30)
    check_columns(read(source_of(write_csv(tmp_path / "rows.tsv", data, delimiter="\t"))), data)
    text = write_csv(tmp_path / "rows.csv", data).read_text("utf-8")
    (tmp_path / "marked.csv").write_text(text, encoding="utf-8-sig")
    check_columns(read(source_of(tmp_path / "marked.csv")), data)
    (tmp_path / "wide.csv").write_text(text, encoding="utf-16")
    check_columns(read(source_of(tmp_path / "wide.csv", encoding="utf-16")), data)


def test_blank_lines_and_windows_line_ends_do_not_count(tmp_path, reader):
    data = loans(30)
    lines = write_csv(tmp_path / "rows.csv", data).read_text("utf-8").splitlines()
    (tmp_path / "blank.csv").write_bytes("\r\n\r\n".join(lines).encode())
    check_columns(read(source_of(tmp_path / "blank.csv")), data)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "2", "10"], [1, 2, 10]),
        (["-1", "1", "1"], [-1, 1, 1]),
        (["01", "1", "2"], ["01", "1", "2"]),
        (["1", "2", "x"], ["1", "2", "x"]),
        (["1.0", "2.0", "1.0"], ["1.0", "2.0", "1.0"]),
        (["1", "", "2"], [1, None, 2]),
        (["None", "NA", "a"], ["None", None, "a"]),
        (["a ", "a", " a"], ["a ", "a", " a"]),
        (["-0", "0", "0"], ["-0", "0", "0"]),
    ],
)
def test_groups_are_whole_numbers_where_nothing_is_lost_by_it(tmp_path, reader, cells, values):
    path = write_csv(tmp_path / "rows.csv", {"g": np.array(cells), "p": np.arange(3.0)})
    table = source_of(path).read(numbers=["p"], categories=["g"])
    found = table.categories["g"].cells().tolist()
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=("Cs",)),
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(
        st.tuples(TEXT, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=30
    )
)
def test_both_readers_agree_on_every_text_and_number(tmp_path, rows):
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["g", "p"])
        writer.writerows(rows)
    source = source_of(path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_arrow_columns, "BLOCK_BYTES", 200)
        by_arrow = source.read(numbers=["p"], categories=["g"])
        patched.setattr(_arrow_columns, "has_arrow", lambda: False)
        by_csv = source.read(numbers=["p"], categories=["g"])
    assert by_csv.numbers["p"].tolist() == [value for _, value in rows]
    assert by_arrow.numbers["p"].tolist() == by_csv.numbers["p"].tolist()
    assert by_arrow.categories["g"].cells().tolist() == by_csv.categories["g"].cells().tolist()


ODD_CELLS = [
    "a", " a", "1", "01", "", "NA", '"a,b"', '"a\nb"', 'a"b', '"a""b"', '""', '"', ' "a"', '"a" ',
    '"a"b', "é", "\ufeffx", "#", "\\n", "NaN", '"\u2028"',
]
ODD_NUMBERS = ["1", "0.5", "1e3", " 2", "3 ", "-0", ".5", "1_0", "0x1", "nan", "inf", '"4"',
               "1e400", "+5", "1,5", ""]


def outcome_of(source):
    try:
        table = source.read(numbers=["p"], categories=["g"])
    except BadInputError as error:
        return str(error)
    return repr((table.numbers["p"].tolist(), table.categories["g"].cells().tolist()))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(ODD_CELLS), st.sampled_from(ODD_NUMBERS[:7] * 3 + ODD_NUMBERS)),
        min_size=1, max_size=6,
    ),
    line_end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), last=st.booleans(),
)
def test_both_readers_agree_on_odd_files_and_on_what_is_wrong_with_them(
    tmp_path, rows, line_end, last
):
    path = tmp_path / "odd.csv"
    text = line_end.join(["g,p", *map(",".join, rows)]) + line_end * last
    path.write_bytes(text.encode())
    source = source_of(path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_arrow_columns, "BLOCK_BYTES", 64)
        by_arrow = outcome_of(source)
        patched.setattr(_arrow_columns, "has_arrow", lambda: False)
        assert outcome_of(source) == by_arrow


@pytest.mark.parametrize(
    ("name", "names", "near"),
    [
        ("RACE", ["race", "sex"], ["race"]),
        ("scroe", ["label", "score"], ["score"]),
        ("race", ["x", "applicant_race_1"], ["applicant_race_1"]),
        ("income", ["age", "sex"], []),
        (" p", ["p", "q"], ["p"]),
    ],
)
def test_near_names_are_found(name, names, near):
    assert near_names(name, names) == near
