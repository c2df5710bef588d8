"""The panels of a display, side by side on axes of its own or of the caller's."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import check_choice


def asked_panels(panels: Any, known: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the panels to draw, at least one, each among those known."""
    panels = (panels,) if isinstance(panels, str) else tuple(panels)
    if not panels:
        raise ValueError(f"panels is empty: name at least one of {', '.join(known)}.")
    for panel in panels:
        check_choice(panel, known, "panels")
    return panels


def axes_of_panels(axes: Any, panels: tuple[str, ...], width: float, height: float) -> np.ndarray:
    """One Axes a panel: those given, or new ones of this size in inches; shape (n_panels,)."""
    import matplotlib.pyplot as plt

    if axes is None:
        _, axes = plt.subplots(
            ncols=len(panels), figsize=(width * len(panels), height), layout="constrained",
            squeeze=False,
        )
    axes = np.ravel(np.array(axes, dtype=object))
    if axes.size != len(panels):
        raise ValueError(
            f"axes holds {axes.size} Axes for the {len(panels)} panels {', '.join(panels)}: pass "
            "one Axes a panel, or name fewer panels."
        )
    return axes
