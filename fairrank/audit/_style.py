"""Colours and axes that all displays share."""

from __future__ import annotations

from typing import Any

import numpy as np

# Okabe and Ito's colours, told apart by colour-blind readers too.
BLUE, VERMILLION, GREY = "#0072B2", "#D55E00", "#666666"


def without_box(ax: Any, despine: bool) -> None:
    """Take the top and right spines away."""
    if despine:
        ax.spines[["top", "right"]].set_visible(False)


def spelled_pvalue(pvalue: float) -> str:
    """Spell a p-value as ".012", "1" or "<.001" on an axis."""
    if np.isnan(pvalue):
        return "n/a"
    if pvalue >= 0.9995:
        return "1"
    text = f"{pvalue:.3f}" if pvalue >= 0.001 else f"{pvalue:.1g}"
    return text.replace("0.", ".", 1) if "e" not in text else "<.0001"
