"""The program itself: help, status, where it writes, and that a shell can call it."""

import importlib.metadata
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from command_line_files import call, loans, write_csv
from fairrank._command_line import _inline_svg, _program, main
from fairrank._command_line._answer import plain
from fairrank._command_line._bad_input import in_words_of_the_file

COMMANDS = ("audit", "rank", "policy", "frontier")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("program") / "loans.csv", loans(200))


ASKED = ("--label", "deny", "--score", "p", "--group", "race", "--draws", "20", "--resamples",
         "20")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_has_examples_and_tells_the_exit_status(capsys, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = call(capsys, *command, "--help")
    assert (status, err) == (0, "")
    assert f"python -m fairrank {' '.join(command)}" in out
    assert "exit status: 0" in out
    assert all(len(line) <= 99 for line in out.splitlines())


def example_lines(text):
    """Commands of the examples, their continued lines joined."""
    joined = text.replace("\\\n", " ")
    return [line.split() for line in joined.splitlines() if "python -m fairrank" in line]


def test_the_examples_of_the_help_can_be_parsed(capsys):
    parser = _program.build_parser()
    texts = [call(capsys, *command, "--help")[1] for command in [(), *((c,) for c in COMMANDS)]]
    lines = [line for text in texts for line in example_lines(text)]
    assert len(lines) >= 10
    for line in lines:
        if "--help" not in line:
            parser.parse_args(line[3:])


def test_the_version_is_told(capsys):
    version = importlib.metadata.version("fairrank")
    assert call(capsys, "--version")[:2] == (0, f"fairrank {version}\n")


@pytest.mark.parametrize(
    "arguments",
    [(), ("adit",), ("audit",), ("audit", "f.csv", "--label", "y"),
     ("audit", "f.csv", *ASKED, "--draws", "0"), ("audit", "f.csv", *ASKED, "--draws", "many"),
     ("audit", "f.csv", *ASKED, "--resamples", "1"), ("audit", "f.csv", *ASKED, "--seed", "-1"),
     ("audit", "f.csv", *ASKED, "--fail-if-rejected", "2"), ("audit", "f.csv", *ASKED, "--scor")],
)
def test_bad_use_is_status_2(capsys, arguments):
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert "error: " in err


def test_the_module_can_be_run_from_a_shell(file):
    # Elsewhere than in a source tree, whose uncompiled package Python would take first.
    answer = subprocess.run(
        [sys.executable, "-m", "fairrank", "audit", str(file), *ASKED], capture_output=True,
        text=True, cwd=file.parent,
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Rank graduation fairness")
    answer = subprocess.run(
        [sys.executable, "-m", "fairrank", "audit", "nowhere.csv", *ASKED], capture_output=True,
        text=True, cwd=file.parent,
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr == "fairrank: nowhere.csv: there is no such file.\n"


def test_a_reader_that_goes_away_is_no_error(file):
    code = (
        "import os, sys\nfrom fairrank._command_line import main\n"
        "r, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nsys.exit(main(sys.argv[1:]))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code, "audit", str(file), *ASKED], stderr=subprocess.PIPE,
        text=True, cwd=file.parent,
    )
    assert (answer.returncode, answer.stderr) == (0, "")


def test_the_console_script_is_this_program():
    scripts = list(importlib.metadata.entry_points(group="console_scripts", name="fairrank"))
    source = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if source.exists():
        value = tomllib.loads(source.read_text("utf-8"))["project"]["scripts"]["fairrank"]
        scripts.append(importlib.metadata.EntryPoint("fairrank", value, "console_scripts"))
    assert {script.load() for script in scripts} == {main}


def test_the_record_goes_to_a_file_or_in_place_of_the_text(capsys, tmp_path, file):
    record = tmp_path / "record.json"
    status, text, _ = call(capsys, "audit", file, *ASKED, "--json", record)
    assert status == 0
    assert text.startswith("Rank graduation fairness")
    _, out, _ = call(capsys, "audit", file, *ASKED, "--json", "-")
    assert json.loads(out) == json.loads(record.read_text("utf-8"))


@pytest.mark.parametrize("option", ["--html", "--json"])
def test_a_place_where_nothing_can_be_written_is_refused_before_the_work(
    capsys, tmp_path, file, option, monkeypatch
):
    monkeypatch.setattr("fairrank._command_line._audit.rgf_report", None)
    for place, message in (
        (tmp_path / "no" / "x", "is not there"), (tmp_path, "is a folder"),
        (file, "is the file that is read"),
    ):
        status, out, err = call(capsys, "audit", file, *ASKED, option, place)
        assert (status, out) == (2, "")
        assert err.startswith(f"fairrank: {option} {place}")
        assert message in err


def test_progress_is_told_on_stderr_where_it_is_asked_for(capsys, file):
    _, quiet, nothing = call(capsys, "audit", file, *ASKED)
    _, out, err = call(capsys, "audit", file, *ASKED, "--progress")
    assert nothing == ""
    assert out == quiet
    assert "reading" in err
    assert "200 rows" in err
    assert "auditing" in err


def test_long_work_is_announced_unless_progress_is_off(capsys, file, monkeypatch):
    monkeypatch.setattr("fairrank._command_line._audit.LONG_WORK", 4000)
    assert "20 draws of 200 rows take a while" in call(capsys, "audit", file, *ASKED)[2]
    assert call(capsys, "audit", file, *ASKED, "--no-progress")[2] == ""


def test_progress_on_a_terminal_overwrites_its_line(capsys, file, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _, _, err = call(capsys, "audit", file, *ASKED)
    assert err.startswith("\r\x1b[K")
    assert err.endswith(" s\n")


def test_an_interruption_is_told_without_a_traceback(capsys, file, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fairrank._command_line._audit.rgf_report", interrupted)
    assert call(capsys, "audit", file, *ASKED) == (130, "", "fairrank: interrupted.\n")


def test_too_little_memory_is_told_without_a_traceback(capsys, file, monkeypatch):
    def greedy(*_, **__):
        raise MemoryError

    monkeypatch.setattr("fairrank._command_line._audit.rgf_report", greedy)
    status, out, err = call(capsys, "audit", file, *ASKED)
    assert (status, out) == (2, "")
    assert err.startswith("fairrank: There is not enough memory.")


def test_pictures_without_matplotlib_are_left_out_and_the_extra_is_named(
    capsys, tmp_path, file, monkeypatch
):
    monkeypatch.setattr(_program, "has_matplotlib", lambda: False)
    for module in ("_audit_page", "_rank", "_policy_page", "_frontier_page"):
        monkeypatch.setattr(f"fairrank._command_line.{module}.has_matplotlib", lambda: False)
    page = tmp_path / "page.html"
    status, _, err = call(capsys, "audit", file, *ASKED, "--html", page)
    assert status == 0
    assert "pip install 'fairrank[plot]'" in err
    text = page.read_text("utf-8")
    assert "<svg" not in text
    assert "fairrank[plot]" in text
    assert "Reading" in text


def test_matplotlib_is_found_where_it_is():
    assert _inline_svg.has_matplotlib()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("y_score has 1 NaN", "column 'p' has 1 NaN"),
        ("pass missing='group' to keep", "pass --missing group to keep"),
        ("max_disparity=0.1: none", "--max-disparity 0.1: none"),
        ("pass pos_label to say", "pass --pos-label to say"),
        ("my_score and y_scores stay", "my_score and y_scores stay"),
        ("y_score=3 stays", "y_score=3 stays"),
        ("the decisions stay", "the decisions stay"),
        ("inside: fit with n_repeats=3, and expected_inward_bias() tells by how much.",
         "inside: pass --repeats 3, or leave it out, --leave-out."),
        ("inside: expected_inward_bias() tells by how much.",
         "inside, and a gain looks smaller than it is."),
    ],
)
def test_messages_of_the_library_are_put_in_words_of_the_file(message, said):
    assert in_words_of_the_file(message, {"y_score": "p", "decisions": "d"}) == said


def test_what_json_lacks_becomes_null_or_text():
    record = {
        1: np.float64("nan"), "a": (np.int64(2), float("inf"), None), "b": np.array([1.0]),
        "c": np.datetime64("2020-01-01"), "d": True,
    }
    assert plain(record) == {
        "1": None, "a": [2, None, None], "b": [1.0], "c": "2020-01-01", "d": True
    }


def test_one_place_cannot_hold_two_outputs(capsys, tmp_path, file):
    place = tmp_path / "out"
    status, out, err = call(capsys, "audit", file, *ASKED, "--html", place, "--json", place)
    assert (status, out) == (2, "")
    assert "--html and --json are both" in err
    assert not place.exists()


def test_a_place_that_refuses_files_is_told_before_the_work(capsys, tmp_path, file, monkeypatch):
    def refused(**options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("fairrank._command_line._answer.tempfile.TemporaryFile", refused)
    monkeypatch.setattr("fairrank._command_line._audit.run", None)
    status, _, err = call(capsys, "audit", file, *ASKED, "--html", tmp_path / "page.html")
    assert status == 2
    assert "cannot be written: Permission denied" in err
