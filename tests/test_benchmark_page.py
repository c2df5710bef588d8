"""The page of benchmarks shows every part, and says where a peer takes less time."""

import importlib.util
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = sorted((ROOT / "benchmarks" / "results").glob("peers_*.md"))
pytestmark = pytest.mark.skipif(not PARTS, reason="the tests stand alone")


def module_of_the_documentation(name):
    path = ROOT / "doc" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables():
    return module_of_the_documentation("recorded_tables")


@pytest.fixture(scope="module")
def figures(tables):
    before = sys.modules.get("recorded_tables")
    sys.modules["recorded_tables"] = tables
    yield module_of_the_documentation("growth_figures")
    del sys.modules["recorded_tables"]
    if before is not None:
        sys.modules["recorded_tables"] = before


@pytest.fixture(scope="module")
def page():
    return (ROOT / "doc" / "benchmarks.rst").read_text("utf-8")


def number(cell):
    return float(cell) if re.fullmatch(r"[0-9.]+", cell) else float("nan")


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_the_page_shows_the_ratios_and_the_figure_of_every_part(path, tables, page):
    ratios = tables.read_record(path).sections[0]
    assert f".. recorded:: {path.stem}\n   :section: {ratios.title}\n" in page
    assert f".. image:: results/{path.stem}.svg\n" in page


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_the_first_note_names_exactly_the_peers_that_are_faster(path, tables):
    ratios = tables.read_record(path).sections[0]
    sizes = {
        column: name.removeprefix("ratio at ")
        for column, name in enumerate(ratios.header) if name.startswith("ratio at ")
    }
    assert "100,000" in sizes.values()
    for row in ratios.rows:
        for column, size in sizes.items():
            named = f'{row[1]} in "{row[0]}" at {size} (' in ratios.notes[0]
            # A ratio that is printed as 1.00 may lie on either side.
            assert named == (number(row[column]) < 1.0) or row[column] == "1.00"


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_recorded_ratios_are_those_of_the_recorded_seconds(path, tables):
    ratios, seconds = tables.read_record(path).sections[:2]
    taken = {(row[0], row[1]): row[2:] for row in seconds.rows}
    for row in ratios.rows:
        for j, cell in enumerate(row[3:-2]):
            ours, theirs = (number(taken[row[0], who][j]) for who in ("fairrank", row[1]))
            if number(cell) == number(cell):
                assert number(cell) == pytest.approx(theirs / ours, rel=0.015)


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_who_gives_the_same_number_gives_the_same_answer(path, tables):
    answers = tables.read_record(path).sections[2]
    ours = {row[0]: row[3] for row in answers.rows if row[1] == "fairrank"}
    for job, _, gives, answer in answers.rows:
        if gives == "the same number":
            assert answer == ours[job]


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_a_figure_has_a_line_for_everybody_who_was_timed(path, tables, figures):
    record = tables.read_record(path)
    panels = figures.panels_of(record)
    for job, who, *cells in record.sections[1].rows:
        n_sizes = len(cells) // 2
        timed = [number(cell) for cell in cells[:n_sizes] if number(cell) == number(cell)]
        lines = [line for line in panels.get(job, []) if line.who == who]
        assert [line.seconds for line in lines] == ([timed] if timed else [])


def test_a_line_that_ends_early_says_why(tables, figures):
    section = tables.Section(
        "A part: seconds, and multiples of a sort",
        ["job", "who", "s at 10,000", "s at 100,000", "argsorts at 10,000"],
        [["a job", "numpy", "1.50", "stopped", "20.0"]], [],
    )
    record = tables.Record("peers_part", [], [section])
    (line,) = figures.panels_of(record)["a job"]
    assert line == figures.Line("numpy", [10_000], [1.5], "stopped")
    assert line.label == "numpy (stopped)"


def test_labels_keep_their_order_and_their_distance(figures):
    spread = figures.spread([0.5, 0.5, 0.52, 0.1], 0.05)
    assert spread[3] == 0.1
    assert spread[0] < spread[1] < spread[2]
    assert min(high - low for low, high in pairwise(spread[:3])) >= 0.05 - 1e-6


def test_the_same_record_gives_the_same_figure(tables, figures, tmp_path):
    pytest.importorskip("matplotlib")
    records = {PARTS[0].stem: tables.read_record(PARTS[0])}
    written = []
    for _ in range(2):
        figures.write_figures(records, tmp_path)
        written.append((tmp_path / f"{PARTS[0].stem}.svg").read_bytes())
    assert written[0] == written[1]
