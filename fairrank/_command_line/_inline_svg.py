"""Pictures as text that can stand inside a page, the same on every run."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

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
        draw(figure.subplots())
        file = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = svg.replace("url(#", f"url(#{name}-")
    spoken = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{spoken}" ', 1)
