"""Files hold one idea, know no machine, and are text that git can tell apart."""

import ast
import re
import subprocess

import pytest

from architecture.sources import TESTS, package_files, project_files

MOST_LINES = 400


def code_lines(source):
    """Number of lines with code: neither empty, nor comment, nor docstring."""
    told = set()
    for node in ast.walk(ast.parse(source)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node) is not None:
            told |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(
        number not in told and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(source.splitlines(), 1)
    )


def test_no_file_is_so_long_that_it_holds_two_ideas():
    lines = {path.name: code_lines(path.read_text("utf-8")) for path in package_files(".py")}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_only_lines_of_code_count():
    source = (
        '"""Module.\n\nMore.\n"""\n\n# Why.\n'
        'def f():\n    """Give 1."""\n    return (\n        1\n    )\n'
    )
    assert code_lines(source) == 4


MACHINE_FOLDERS = ("work", "root", "home", "tmp")

# Assembled from pieces, or this file would be the first to be caught.
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:{})\b".format("|".join(MACHINE_FOLDERS)))


def machine_paths(text):
    """Lines that name a folder of the machine they were written on."""
    return [line.strip() for line in text.splitlines() if MACHINE_PATH.search(line)]


def test_no_file_names_a_folder_of_one_machine():
    suffixes = (".py", ".pyx", ".pxd", ".pyi", ".md", ".rst", ".txt", ".csv", ".json", ".toml")
    files = project_files(*suffixes)
    found = {path.name: machine_paths(path.read_text("utf-8")) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("folder", ["work/shared/data", "root/fr", "home/me/x.csv", "tmp"])
def test_a_folder_of_one_machine_is_caught(folder):
    assert len(machine_paths(f"first line\nDATA = Path('/{folder}')\n")) == 1


def test_paths_that_belong_to_no_machine_are_let_through():
    text = "https://example.org/home tests/tmp_path ~/work n/root a/b/tmp.csv /homework"
    assert machine_paths(text) == []


PACKED_DATA = ("fairrank/datasets/data", ".csv.gz")


def binary_files(root, names):
    """Files, by their path from `root`, that are no text and no packed data of the samples."""
    folder, suffix = PACKED_DATA
    return [
        name
        for name in names
        if not (name.startswith(folder) and name.endswith(suffix))
        if b"\0" in (root / name).read_bytes()
    ]


@pytest.mark.skipif(not (TESTS.parent / ".git").exists(), reason="not a clone")
def test_a_clone_holds_text_and_packed_data_only():
    root = TESTS.parent
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if (root / name).is_file()]
    assert "README.rst" in names
    assert binary_files(root, names) == []


def test_a_binary_file_is_caught(tmp_path):
    packed = "fairrank/datasets/data/x.csv.gz"
    (tmp_path / packed).parent.mkdir(parents=True)
    for name in ("tool.whl", "data.csv.gz", packed):
        (tmp_path / name).write_bytes(b"PK\0\1")
    (tmp_path / "x.py").write_text("x = 1")
    assert binary_files(tmp_path, ["tool.whl", "data.csv.gz", packed, "x.py"]) == [
        "tool.whl", "data.csv.gz"
    ]
