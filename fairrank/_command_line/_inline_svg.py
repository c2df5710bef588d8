"""Pictures as text that can stand inside a page, the same on every run."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from importlib.util import find_spec
from textwrap import fill
from typing import Any

# Letters that fit beside, above and inside a picture. Names of groups may be any length.
UPRIGHT, ACROSS, INSIDE = 44, 60, 40
MAX_ENTRIES = 7
LINE_INCHES = 0.17

Draw = Callable[[Any], Any]
NEED_MATPLOTLIB = (
    "The pictures need matplotlib and are left out: pip install 'fairrank[plot]', and run the "
    "command again."
)


def has_matplotlib() -> bool:
    """Tell whether matplotlib can be imported."""
    return find_spec("matplotlib") is not None


def inline_svg(
    draw: Draw, *, name: str, label: str, size: tuple[float, float] = (5.2, 4.4)
) -> str:
    """Draw one picture.

    Parameters
    ----------
    draw : callable
        Takes the Axes to draw on.
    name : str
        Put before every id, so that several pictures can share a page.
    label : str
        What is said to who cannot see it.
    size : tuple of two float
        Inches.

    Returns
    -------
    str
        An svg element.
    """
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    # The settings of whoever runs it must not change the page.
    with plt.style.context(["default", {"svg.hashsalt": name, "svg.fonttype": "path"}]):
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        draw(axes)
        _fit_words(figure, axes)
        file = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing, bbox_inches="tight")
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = svg.replace("url(#", f"url(#{name}-")
    spoken = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{spoken}" ', 1)


def _fit_words(figure: Any, axes: Any) -> None:
    """Break long words of the axes, and put a legend that would cover the picture below it."""
    axes.set_ylabel(fill(axes.get_ylabel(), UPRIGHT))
    axes.set_xlabel(fill(axes.get_xlabel(), ACROSS))
    axes.set_title("\n".join(fill(line, ACROSS) for line in axes.get_title().split("\n")))
    legend = axes.get_legend()
    if legend is None:
        return
    labels = [text.get_text() for text in legend.get_texts()]
    if len(labels) <= MAX_ENTRIES and max(map(len, labels), default=0) <= INSIDE:
        return
    handles, title = legend.legend_handles, legend.get_title().get_text()
    legend.remove()
    labels = [fill(label, ACROSS) for label in labels]
    figure.legend(
        handles, labels, title=title or None, loc="outside lower center", frameon=False,
        fontsize="small", alignment="left", title_fontsize="small",
    )
    n_lines = sum(label.count("\n") + 1 for label in [*labels, *([title] if title else [])])
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + LINE_INCHES * n_lines)
