"""Recorded measurements as pages and as tables inside pages.

``benchmarks/results/*.md`` are written by the benchmarks and by nobody else. Here they become
pages under ``doc/results``, and tables inside pages by the directive of `recorded_directive`, so
that no number is copied by hand.
"""

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

RESULTS = Path(__file__).resolve().parent.parent / "benchmarks" / "results"
# By the command that recorded them.
CHAPTERS = {
    "What the statistics keep of their promises": ("monte_carlo.py", "studies/"),
    "The papers, reproduced": ("reproduce/",),
    "Speed": ("run.py", "bench_"),
}


class Section(NamedTuple):
    """A table with its title and the notes under it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str]


class Record(NamedTuple):
    """One file: its name, how it was made, and its sections."""

    name: str
    facts: list[str]
    sections: list[Section]

    @property
    def chapter(self):
        """The heading under which it is listed."""
        command = self.facts[0]
        for chapter, marks in CHAPTERS.items():
            if any(mark in command for mark in marks):
                return chapter
        raise ValueError(f"{self.name}.md: no chapter for its first line, {command!r}")


def read_record(path):
    """Read one recorded file; a line that is none of its four kinds is an error."""
    record, bars = Record(path.stem, [], []), []
    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith("# ") or set(line) == {"|", "-"}:
            continue
        if line.startswith("## "):
            record.sections.append(Section(line[3:], [], [], []))
        elif line.startswith("* "):
            (record.sections[-1].notes if record.sections else record.facts).append(line[2:])
        elif line.startswith("|") and record.sections:
            section = record.sections[-1]
            if section.header:
                section.rows.append(cells_of(line, bars))
            else:
                bars = [match.start() for match in re.finditer(r"\|", lines[number + 1])]
                section.header.extend(cells_of(line, bars))
        else:
            raise ValueError(f"{path.name}: neither heading, note nor table row: {line!r}")
    return record


def cells_of(line, bars):
    """Cells between the columns' bars; tables are aligned, and a cell may hold a bar itself."""
    if any(line[bar : bar + 1] != "|" for bar in bars):
        raise ValueError(f"a row that is not aligned with its header: {line!r}")
    return [line[left + 1 : right].strip() for left, right in pairwise(bars)]


def read_records():
    """All recorded files, by name."""
    return {path.stem: read_record(path) for path in sorted(RESULTS.glob("*.md"))}


def as_text(markdown):
    """Plain text and code spans of a note or a cell, as reStructuredText."""
    pieces = re.split(r"(`[^`]+`)", markdown)
    return "".join(
        f"`{piece}`" if piece.startswith("`") else re.sub(r"([\\*`|_])", r"\\\1", piece)
        for piece in pieces
    )


def table_lines(section):
    """A section's table and notes in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", "   :class: recorded", ""]
    for row in [section.header, *section.rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {as_text(cell)}" for i, cell in enumerate(row)]
    return [*lines, "", *(f"* {as_text(note)}" for note in section.notes), ""]


def page_lines(record):
    """The page of one file."""
    lines = [record.name.replace("_", " "), "=" * len(record.name), ""]
    lines += [f"* {as_text(fact)}" for fact in record.facts] + [""]
    for section in record.sections:
        title = as_text(section.title)
        lines += [title, "-" * len(title), "", *table_lines(section)]
    return lines


def index_lines(records):
    """The list of all pages, under the chapters."""
    title = "All recorded measurements"
    lines = [title, "=" * len(title), ""]
    lines += [
        "As the benchmarks wrote them, with command, date, versions and processor. Times are to",
        "be read as ratios inside one run.",
        "",
    ]
    for chapter in CHAPTERS:
        lines += [chapter, "-" * len(chapter), "", ".. toctree::", "   :maxdepth: 1", ""]
        lines += [f"   {name}" for name, record in records.items() if record.chapter == chapter]
        lines += [""]
    return lines


def find_sections(record, begins):
    """The section of this title, or the one that begins so; all of them for "".

    Raises LookupError, with the titles that there are, unless one is meant.
    """
    found = [section for section in record.sections if section.title == begins]
    found = found or [section for section in record.sections if section.title.startswith(begins)]
    if not found or (begins and len(found) > 1):
        titles = [section.title for section in record.sections]
        raise LookupError(f"{record.name}: {len(found)} sections begin with {begins!r}: {titles}")
    return found


def inclusion_lines(record, begins):
    """What stands in a page: the sections' tables, and where and when they were recorded."""
    lines = []
    for section in find_sections(record, begins):
        lines += [f"**{as_text(section.title)}**", "", *table_lines(section)]
    when = next(fact for fact in record.facts if fact.startswith("Date: "))
    link = f":doc:`{record.name} </results/{record.name}>`"
    return [*lines, f"Recorded {when.removeprefix('Date: ')}: {link}.", ""]
