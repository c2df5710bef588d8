"""Tables that are printed, and recorded word for word with what produced them."""

from __future__ import annotations

import datetime
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("fairrank", "numpy", "scipy", "scikit-learn", "joblib")


@dataclass(frozen=True)
class Table:
    """Rows under a header, with a title above and notes below."""

    title: str
    header: list[str]
    rows: list[list] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        cells = [self.header, *([cell_text(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.header))]
        lines = [
            "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |"
            for row in cells
        ]
        lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
        notes = [f"* {note}" for note in self.notes]
        return "\n".join([f"## {self.title}", "", *lines, *([""] if notes else []), *notes, ""])


def cell_text(cell: object) -> str:
    """Three significant digits for a float; everything else as it is."""
    if isinstance(cell, float):
        if cell != cell:
            return "-"
        return f"{cell:.0f}" if abs(cell) >= 1000 else f"{cell:#.3g}".rstrip(".")
    return str(cell)


def processor() -> str:
    """Model of the CPU, and how many of them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    wide = ", AVX-512" if any("avx512f" in line for line in lines) else ""
    return f"{models[0]}{wide}, {len(models)} CPUs" if models else platform.machine()


def circumstances(command: str, remarks: list[str]) -> str:
    """What was run, when, with which versions and on what."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    lines = [
        f"Command: `{command}`",
        f"Date: {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        f"Versions: Python {platform.python_version()}, {versions}",
        f"Processor: {processor()}",
        *remarks,
    ]
    return "\n".join(f"* {line}" for line in lines)


def write_result(name: str, tables: list[Table], command: str, remarks: list[str]) -> Path:
    """Write results/NAME.md: the circumstances, then the tables as they were printed."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    body = "\n".join(str(table) for table in tables)
    path.write_text(f"# {name}\n\n{circumstances(command, remarks)}\n\n{body}", encoding="utf-8")
    return path
