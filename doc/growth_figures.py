"""Figures of time against rows, drawn from the recorded tables ``benchmarks/results/peers_*.md``.

Nothing is timed when the documentation is built. One figure a part, one panel a job; a line ends
where its owner was stopped, did not fit, or failed, and its label says so.
"""

import math
import textwrap
from itertools import pairwise
from typing import NamedTuple

import recorded_tables

# Of the package that a runner's name begins with.
COLOURS = {
    "fairrank": "#1b4f9c", "np.argsort": "#777777", "numpy": "#d9822b", "scikit-learn": "#2a9d8f",
    "scipy": "#7b5ea7", "fairlearn": "#c8384b", "aif360": "#8a5a3c", "scikit-lego": "#4f8a2e",
    "safeaipackage": "#a0860b", "error-parity": "#d1699e",
}
OTHER = "#444444"
# Of runners of the same package, in turn.
MARKERS = "os^Dv"
PREFIX = "peers_"
# Between two labels, in parts of a panel's height; and where a label breaks.
APART, WIDTH = 0.095, 41


class Line(NamedTuple):
    """Seconds of one runner at growing numbers of rows, and why there are no more."""

    who: str
    rows: list[int]
    seconds: list[float]
    why: str

    @property
    def label(self):
        """Name, and why the line ends."""
        return f"{self.who} ({self.why})" if self.why else self.who

    @property
    def package(self):
        """The beginning of its name that has a colour, or "" for none."""
        return next((name for name in COLOURS if self.who.startswith(name)), "")


def panels_of(record):
    """Lines of every job, in the order of the table of seconds."""
    section = next(one for one in record.sections if "seconds, and multiples" in one.title)
    at = {
        column: int(name.removeprefix("s at ").replace(",", ""))
        for column, name in enumerate(section.header) if name.startswith("s at ")
    }
    panels = {}
    for row in section.rows:
        known = {n: row[column] for column, n in at.items() if is_number(row[column])}
        why = next((row[column] for column in at if not is_number(row[column])), "")
        if known:
            line = Line(row[1], list(known), [float(text) for text in known.values()], why)
            panels.setdefault(row[0], []).append(line)
    return panels


def is_number(text):
    """Whether a cell holds seconds."""
    return text.replace(".", "", 1).isdigit()


def spread(heights, least):
    """Heights in the same order, moved apart to at least this distance, near where they were."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    moved = list(heights)
    for _ in range(200):
        for low, high in pairwise(order):
            lacking = least - (moved[high] - moved[low])
            if lacking > 1e-9:
                moved[low] -= lacking / 2
                moved[high] += lacking / 2
    return moved


def draw_panel(axes, job, lines):
    """One job: lines on doubly logarithmic axes, named at their ends."""
    every = [second for line in lines for second in line.seconds]
    low, high = math.log10(min(every)) - 0.25, math.log10(max(every)) + 0.25
    sizes = sorted({n for line in lines for n in line.rows})
    ends = [(math.log10(line.seconds[-1]) - low) / (high - low) for line in lines]
    seen = dict.fromkeys([line.package for line in lines], 0)
    for line, height in zip(lines, spread(ends, APART)):
        colour, ours = COLOURS.get(line.package, OTHER), line.who == "fairrank"
        style = {"color": colour, "linewidth": 2.4 if ours else 1.2, "zorder": 3 if ours else 2}
        axes.plot(line.rows, line.seconds, marker=MARKERS[seen[line.package] % len(MARKERS)],
                  markersize=3.5, linestyle="--" if line.who == "np.argsort" else "-", **style)
        seen[line.package] += 1
        axes.annotate(
            "\n".join(textwrap.wrap(line.label, WIDTH)), (line.rows[-1], line.seconds[-1]),
            (1.06, height), color=colour, textcoords="axes fraction", va="center", fontsize=6.5,
            linespacing=0.95, fontweight="bold" if ours else "normal",
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 0,
                        "shrinkB": 2},
        )
    axes.set(xscale="log", yscale="log", ylim=(10**low, 10**high),
             xticks=sizes, xticklabels=[f"$10^{{{round(math.log10(n))}}}$" for n in sizes])
    axes.minorticks_off()
    axes.set_title(job, fontsize=8.5, loc="left")
    axes.tick_params(labelsize=7)
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def draw_figure(record):
    """All panels of a part."""
    from matplotlib.figure import Figure

    panels = panels_of(record)
    n_rows = math.ceil(len(panels) / 2)
    figure = Figure(figsize=(9.2, 2.75 * n_rows))
    grid = figure.subplots(n_rows, 2, squeeze=False).ravel()
    for axes, (job, lines) in zip(grid, panels.items()):
        draw_panel(axes, job, lines)
        axes.set_ylabel("seconds", fontsize=7)
    for axes in grid[len(panels):]:
        axes.set_visible(False)
    for axes in grid[max(0, len(panels) - 2):len(panels)]:
        axes.set_xlabel("rows", fontsize=7)
    figure.subplots_adjust(left=0.06, right=0.8, wspace=1.05, hspace=0.36)
    return figure


def write_figures(records, folder):
    """An svg for every part that is recorded; the same record gives the same bytes."""
    import matplotlib

    folder.mkdir(parents=True, exist_ok=True)
    written = set()
    with matplotlib.rc_context({"svg.hashsalt": "fairrank", "svg.fonttype": "path"}):
        for name, record in records.items():
            if name.startswith(PREFIX):
                path = folder / f"{name}.svg"
                draw_figure(record).savefig(path, metadata={"Date": None}, bbox_inches="tight")
                written.add(path)
    for left_over in set(folder.glob(f"{PREFIX}*.svg")) - written:
        left_over.unlink()


if __name__ == "__main__":
    from pathlib import Path

    write_figures(recorded_tables.read_records(), Path(__file__).parent / "results")
