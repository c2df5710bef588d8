"""``frontier``: the library's own frontier of the columns of a file, and decisions judged."""

import json
import re
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from command_line_files import call, write_csv
from fairrank._command_line._frontier import turned_round
from fairrank.datasets import make_frontier_data
from fairrank.frontier import FrontierEstimator
from fairrank.frontier._lda_test import less_discriminatory_alternative_test


@pytest.fixture(scope="module")
def data():
    made = make_frontier_data(1200, random_state=0)
    rng = np.random.default_rng(0)
    columns = {f"x{j}": made.data[:, j] for j in range(2)}
    return columns | {
        "job": rng.choice(["clerk", "cook", "driver"], 1200), "town": rng.integers(0, 2, 1200),
        "sex": np.asarray(made.sensitive_features), "y": made.target,
        "old": made.status_quo(made.data).astype(int), "new": (1 - made.target) * 0.875,
    }


@pytest.fixture(scope="module")
def file(tmp_path_factory, data):
    return write_csv(tmp_path_factory.mktemp("frontier") / "rows.csv", data)


def found(capsys, file, *options):
    status, out, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--draws", 50, "--json", "-",
        *options,
    )
    assert status == 0, err
    return json.loads(out)["result"]


def one_hot(column):
    values = list(dict.fromkeys(column.tolist()))
    kept = values[1:] if len(values) == 2 else values
    return [column == value for value in kept]


def features(data):
    numeric = [data["x0"], data["x1"], data["town"]]
    return np.column_stack([*numeric, *one_hot(data["job"])]).astype(float)


def fitted(data, X=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return FrontierEstimator(pos_label=1, random_state=0, **options).fit(
            features(data) if X is None else X, data["y"], sensitive_features=data["sex"]
        )


def test_points_and_errors_are_those_of_the_library(capsys, file, data):
    record = found(capsys, file, "--decision", "old", "--decision", "new")
    frontier = fitted(data)
    assert record["features"] == ["x0", "x1", "town", *(f"job={job}" for job in
                                                        dict.fromkeys(data["job"].tolist()))]
    assert record["groups"] == list(frontier.group_names_)
    assert record["best_points"] == frontier.best_points_.tolist()
    assert record["fairest_point"]["risks"] == frontier.fairest_point_.point.tolist()
    assert record["skew"] == frontier.skew_
    errors = frontier.standard_errors_
    assert record["standard_errors"] == {name: one.tolist() for name, one in errors.items()}


def test_decisions_are_judged_as_the_library_does(capsys, file, data):
    record = found(capsys, file, "--decision", "old", "--decision", "new")["decisions"]
    frontier = fitted(data)
    assert list(record) == ["old", "new"]
    for name, one in record.items():
        test = less_discriminatory_alternative_test(
            frontier.support_function_, data[name], n_draws=50, random_state=0
        )
        assert one["test"] == json.loads(json.dumps(test.to_dict()))
        alternative = frontier.less_discriminatory_alternatives(data[name])
        assert one["alternative"]["risks"] == alternative.risks.tolist()
        assert one["alternative"]["realised_risks"] == alternative.realised_risks.tolist()


@pytest.mark.parametrize("options", [{}, {"loss": {"false_positive": 2.0, "false_negative": 1.0}}])
def test_losses_reach_the_library(capsys, file, data, options):
    # Without a column of decisions "old" and "new" would be features.
    given = ("--loss", "fp=2,fn=1") if options else ()
    record = found(capsys, file, "--exclude", "old", "--exclude", "new", *given)
    assert record["best_points"] == fitted(data, **options).best_points_.tolist()
    assert record["decisions"] == {}


def test_features_can_be_named_and_numbers_can_be_categories(capsys, file):
    record = found(capsys, file, "--features", "x0", "--categorical", "town")
    assert record["features"] in (["x0", "town=0"], ["x0", "town=1"])


def test_csv_and_parquet_give_the_same(capsys, tmp_path, file, data):
    as_parquet = tmp_path / "rows.parquet"
    parquet.write_table(pa.table(data), as_parquet)
    asked = ("--decision", "old", "--decision", "new")
    assert found(capsys, as_parquet, *asked) == found(capsys, file, *asked)


def test_the_text_has_points_tests_and_a_reading(capsys, file):
    status, out, _ = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--draws", 50, "--decision",
        "old", "--exclude", "new",
    )
    assert status == 0
    for words in ("best for r", "fairest", "gain", "alternative", "Reading", "risk b"):
        assert words in out


def test_decisions_with_an_alternative_can_be_a_gate(capsys, file):
    asked = ("frontier", file, "--label", "y", "--group", "sex", "--draws", 99, "--exclude",
             "old", "--decision", "new")
    assert call(capsys, *asked)[0] == 0
    assert call(capsys, *asked, "--fail-if-rejected")[0] == 1


def test_of_three_groups_there_are_best_points_only(capsys, tmp_path, data):
    sex = np.where(np.arange(1200) % 3 == 0, "x", data["sex"])
    three = write_csv(tmp_path / "three.csv", data | {"sex": sex})
    record = found(capsys, three, "--decision", "old", "--decision", "new")
    assert np.shape(record["best_points"]) == (3, 3)
    assert record["decisions"] == {}
    _, out, _ = call(
        capsys, "frontier", three, "--label", "y", "--group", "sex", "--decision", "old",
        "--exclude", "new",
    )
    assert "old: not judged" in out


@pytest.mark.parametrize("rule", ["group", "drop"])
def test_rows_without_a_group_are_kept_apart_or_left_out(capsys, tmp_path, data, rule):
    sex = data["sex"].astype(object)
    sex[:300] = None
    holed = write_csv(tmp_path / "holed.csv", data | {"sex": sex})
    record = found(capsys, holed, "--decision", "old", "--decision", "new", "--missing", rule)
    keep = np.arange(1200) >= (300 if rule == "drop" else 0)
    filled = np.where(np.arange(1200) < 300, "(missing)", data["sex"])
    kept = {name: column[keep] for name, column in (data | {"sex": filled}).items()}
    # One-hot columns are in the order of the whole file.
    frontier = fitted(kept, features(data)[keep])
    assert record["best_points"] == frontier.best_points_.tolist()
    assert record["n_dropped"] == (300 if rule == "drop" else 0)


def test_a_missing_category_is_one_of_its_own(capsys, tmp_path, data):
    job = data["job"].astype(object)
    job[::5] = None
    file = write_csv(tmp_path / "jobs.csv", data | {"job": job})
    record = found(capsys, file, "--decision", "old", "--decision", "new")
    assert "job=(missing)" in record["features"]


@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (np.arange(1200), (), "column 'extra' counts the rows .* --exclude extra"),
        (np.array([f"n{i}" for i in range(1200)]), (), "column 'extra' has 1,200 different"),
        (np.array(["1", "x"] * 600), (), r"both numbers and text \('1', 'x'\).*--categorical"),
        (np.array(["1"] * 1199 + ["x"]), (), "line 1201 .row 1,200.: column 'extra' holds 'x'"),
        (np.array(["1"] * 1199 + [""]), (), "column 'extra' is empty"),
        (np.zeros(1200), ("--features", "sex"), "cannot be a feature"),
        (np.zeros(1200), ("--features", "xtra"), "Did you mean 'extra'"),
        (np.full(1200, 2.0), ("--decision", "extra"), "must hold decisions"),
        (np.zeros(1200), ("--features", "x0", "--exclude", "x0"), "there is no feature"),
    ],
)
def test_what_is_no_feature_or_decision_is_refused(
    capsys, tmp_path, data, column, options, message
):
    file = write_csv(tmp_path / "rows.csv", data | {"extra": column})
    status, out, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--exclude", "old",
        "--exclude", "new", *options,
    )
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(message, err)


@pytest.mark.parametrize("text", ["one", "fp=1", "fp=1,fp=2", "fp=0,fn=1", "fp=1,fn=x", "a=1,b=2"])
def test_a_loss_that_is_none_is_refused(capsys, file, text):
    status, _, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--loss", text
    )
    assert status == 2
    assert "fp=5,fn=1 for instance" in err


def test_of_three_groups_two_can_be_chosen_and_decisions_are_judged(capsys, tmp_path, data):
    sex = np.where(np.arange(1200) % 3 == 0, "x", data["sex"])
    three = write_csv(tmp_path / "three.csv", data | {"sex": sex})
    asked = ("--decision", "old", "--exclude", "new")
    first = str(data["sex"][1])
    left = found(capsys, three, *asked, "--leave-out", "x")
    assert left["groups"] == sorted({*data["sex"].tolist()})
    assert list(left["decisions"]) == ["old"]
    rest = found(capsys, three, *asked, "--against-rest", first)
    assert {*rest["groups"]} == {first, "the rest"}
    assert list(rest["decisions"]) == ["old"]


@pytest.mark.parametrize(
    ("options", "message"),
    [((), "name the decisions"), (("--decision", "old"), "--against-rest GROUP")],
)
def test_a_gate_that_nothing_can_be_judged_by_is_refused(
    capsys, tmp_path, data, options, message
):
    sex = np.where(np.arange(1200) % 3 == 0, "x", data["sex"])
    three = write_csv(tmp_path / "three.csv", data | {"sex": sex})
    status, out, err = call(
        capsys, "frontier", three, "--label", "y", "--group", "sex", "--exclude", "new",
        "--fail-if-rejected", *options,
    )
    assert (status, out) == (2, "")
    assert message in err


def test_decisions_that_mean_the_opposite_are_told(capsys, tmp_path, data):
    turned = data | {"turned": 1 - data["y"] * (np.arange(1200) % 10 > 0)}
    file = write_csv(tmp_path / "rows.csv", turned)
    status, out, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--draws", 50, "--decision",
        "turned", "--decision", "old", "--exclude", "new",
    )
    assert status == 0
    assert "column 'turned' seems to mean the opposite of column 'y'" in err
    assert "'old'" not in err
    assert "turned: not to be read as it stands" in out


def test_decisions_that_tell_nothing_are_not_taken_for_the_opposite():
    rng = np.random.default_rng(0)
    n = 3000
    for _ in range(200):
        y, code, decisions = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.random(n)
        assert not turned_round(decisions, y, code)
    assert not turned_round(np.ones(n), y, code)
    assert turned_round(1.0 - y, y, code)


@pytest.mark.parametrize("packed", ["csv", "pyarrow", "parquet"])
def test_missing_numbers_become_the_median_and_are_marked(
    capsys, tmp_path, data, packed, monkeypatch
):
    holed = data["x0"].copy()
    holed[::9] = np.nan
    cells = np.where(np.isnan(holed), None, holed.astype(object))
    file = write_csv(tmp_path / "rows.csv", data | {"x0": cells})
    if packed == "parquet":
        file = tmp_path / "rows.parquet"
        parquet.write_table(pa.table(data | {"x0": pa.array(holed, from_pandas=True)}), file)
    elif packed == "csv":
        monkeypatch.setattr("fairrank._command_line._arrow_columns.has_arrow", lambda: False)
    asked = ("--exclude", "old", "--exclude", "new")
    status, _, err = call(capsys, "frontier", file, "--label", "y", "--group", "sex", *asked)
    assert status == 2
    assert "or pass --missing-features median" in err
    record = found(capsys, file, *asked, "--missing-features", "median")
    assert "x0=(missing)" in record["features"]
    filled = np.where(np.isnan(holed), np.nanmedian(holed), holed)
    whole = features(data | {"x0": filled})
    X = np.column_stack([whole[:, :3], np.isnan(holed), whole[:, 3:]])
    assert record["best_points"] == fitted(data, X).best_points_.tolist()


def test_a_number_that_is_none_is_refused_even_where_it_may_be_missing(capsys, tmp_path, data):
    cells = data["x0"].astype(object)
    cells[1100], cells[1150] = None, "x"
    file = write_csv(tmp_path / "rows.csv", data | {"x0": cells})
    status, _, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--exclude", "old",
        "--exclude", "new", "--missing-features", "median",
    )
    assert status == 2
    assert "line 1152 (row 1,151): column 'x0' holds 'x'" in err


@pytest.mark.parametrize("kind", ["number", "text"])
def test_a_feature_that_is_the_outcome_is_refused(capsys, tmp_path, data, kind):
    told = 3.0 - data["y"] if kind == "number" else np.where(data["y"] == 1, "paid", "lost")
    file = write_csv(tmp_path / "rows.csv", data | {"late": told})
    status, _, err = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--exclude", "old",
        "--exclude", "new",
    )
    assert status == 2
    assert re.search("feature 'late.*' tells the outcome of every row", err)


def test_folds_can_be_dealt_again(capsys, file, data):
    record = found(capsys, file, "--exclude", "old", "--exclude", "new", "--repeats", "2")
    assert record["best_points"] == fitted(data, n_repeats=2).best_points_.tolist()


def test_many_groups_stand_one_below_another(capsys, tmp_path, data):
    names = np.array([f"a rather long name of group {letter}" for letter in "pqrs"])
    four = write_csv(tmp_path / "four.csv", data | {"sex": names[np.arange(1200) % 4]})
    status, out, _ = call(
        capsys, "frontier", four, "--label", "y", "--group", "sex", "--exclude", "old",
        "--exclude", "new",
    )
    assert status == 0
    table = out.split("\n\n")[1]
    assert max(map(len, table.splitlines())) < 100
    assert table.count("best for") == 4
    assert table.count("\n  a rather") == 16


def test_the_fairest_point_is_told_with_its_error(capsys, file, data):
    status, out, _ = call(
        capsys, "frontier", file, "--label", "y", "--group", "sex", "--exclude", "old",
        "--exclude", "new",
    )
    assert status == 0
    frontier = fitted(data)
    point, error = frontier.fairest_point_.point[0], frontier.standard_errors_["fairest_point"][0]
    said = " ".join(out.split())
    assert f"Equal risks are attainable, at {point:.4f} (standard error {error:.4f})." in said
