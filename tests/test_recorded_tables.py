"""What the documentation shows of the recorded measurements is what was recorded."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.md"))
pytestmark = pytest.mark.skipif(not RESULTS, reason="the tests stand alone")


@pytest.fixture(scope="module")
def tables():
    path = ROOT / "doc" / "recorded_tables.py"
    spec = importlib.util.spec_from_file_location("recorded_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(text):
    """Everything between bars and marks, in order."""
    return re.sub(r"[|#*\s]+", " ", text).split()


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_reading_a_recorded_file_loses_nothing(path, tables):
    record = tables.read_record(path)
    seen = [record.name, *record.facts]
    for section in record.sections:
        cells = [cell for row in section.rows for cell in row]
        seen += [section.title, *section.header, *cells, *section.notes]
    without_rules = re.sub(r"^\|[-|]+\|$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    assert words(" ".join(seen)) == words(without_rules)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_recorded_file_has_its_chapter_and_full_rows(path, tables):
    record = tables.read_record(path)
    assert record.chapter in tables.CHAPTERS
    for section in record.sections:
        assert section.rows
        assert {len(row) for row in section.rows} == {len(section.header)}


@pytest.mark.parametrize("page", ["tested.rst", "benchmarks.rst"])
def test_the_pages_show_sections_that_are_recorded(tables, page):
    shown = re.findall(
        r"^\.\. recorded:: (\w+)\n(?:   :section: (.+)\n)?",
        (ROOT / "doc" / page).read_text("utf-8"), flags=re.MULTILINE,
    )
    assert len(shown) > 5
    records = tables.read_records()
    for name, section in shown:
        assert tables.inclusion_lines(records[name], section)


def test_a_section_that_is_not_recorded_is_named_with_those_that_are(tables):
    record = tables.Record("size", [], [tables.Section("Size at 5 %", [], [], [])])
    with pytest.raises(LookupError, match=r"0 sections begin with 'Power'.*Size at 5 %"):
        tables.find_sections(record, "Power")
