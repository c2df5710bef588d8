"""What the README shows, run as it stands: in one notebook, and on the file that it writes."""

import re
import shlex
import warnings
from pathlib import Path

import pytest

from fairrank._command_line import main

README = Path(__file__).parents[2] / "README.rst"

pytestmark = pytest.mark.skipif(not README.exists(), reason="the tests stand alone")


def blocks(language):
    """Indented blocks of one language, in order."""
    text = README.read_text("utf-8")
    found = re.findall(
        rf"^\.\. code-block:: {language}\n\n((?: {{4}}.*\n|\n)+)", text, flags=re.MULTILINE
    )
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip() for block in found]


def commands():
    return [block for block in blocks("bash") if block.startswith("fairrank ")]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The namespace after all blocks were run one after the other in an empty folder."""
    folder = tmp_path_factory.mktemp("readme")
    names: dict = {}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # The smaller group has 197 rows, and the estimator says so.
        warnings.simplefilter("ignore", UserWarning)
        patch.chdir(folder)
        for block in blocks("python"):
            exec(compile(block, str(README), "exec"), names)
    return folder, names


def test_the_python_of_the_readme_runs(notebook):
    _, names = notebook
    assert names["report"].n_samples == len(names["rows"])
    assert names["fair"].disparity_after <= 0.02
    assert names["policy"].welfare_gap < 1e-9
    assert names["frontier"].group_names_ == ("black", "the rest")


def test_every_answer_in_a_notebook_is_shorter_than_ten_lines():
    assert len(blocks("python")) == 6
    assert all(len(block.splitlines()) < 10 for block in blocks("python")[1:])


def test_there_is_one_command_for_each_question():
    assert [shlex.split(command)[1] for command in commands()] == [
        "audit", "rank", "policy", "frontier",
    ]


@pytest.mark.parametrize("command", ["audit", "rank", "policy", "frontier"])
def test_the_commands_of_the_readme_run_on_its_file(notebook, monkeypatch, capsys, command):
    folder, _ = notebook
    monkeypatch.chdir(folder)
    line = next(one for one in commands() if shlex.split(one)[1] == command)
    assert main(shlex.split(line.replace("\\\n", " "))[1:]) == 0
    assert "Reading" in capsys.readouterr().out


def test_notebook_and_command_line_say_the_same(notebook, monkeypatch, capsys):
    folder, names = notebook
    monkeypatch.chdir(folder)
    line = next(one for one in commands() if shlex.split(one)[1] == "audit")
    main(shlex.split(line)[1:])
    said = " ".join(capsys.readouterr().out.split())
    assert " ".join(names["report"].reading.split()) in said


def test_the_commands_of_the_first_page_can_be_parsed():
    from fairrank._command_line._program import build_parser

    page = README.parent / "doc" / "index.rst"
    lines = page.read_text("utf-8").replace("\\\n", " ").splitlines()
    asked = [shlex.split(line)[1:] for line in lines if line.startswith("   fairrank ")]
    assert [build_parser().parse_args(one).command for one in asked] == [
        "audit", "rank", "policy", "frontier",
    ]
