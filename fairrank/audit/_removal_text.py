"""The audit of features as text: a table, and one reading a feature that names no cause."""

from __future__ import annotations

import math
from typing import Any


def removal_table(result: Any, n_shown: int | None) -> str:
    """Table of a FeatureRemovalResult: what removing each feature gains and costs."""
    full = result.full
    groups = ", ".join(f"{group} {n}" for group, n in result.sensitive_features.items())
    how = {"refit": "refitted without it", "neutralize": "its values neutralised"}
    test = "" if math.isnan(full.pvalue) else f", test p = {full.pvalue:.4g}"
    lines = [
        f"Feature removal ({how[result.strategy]}; {result.n_samples} held-out rows: {groups})",
        f"Full model: centred RGF {full.centered_rgf:.4f}, RGF {full.rgf:.4f} "
        f"({full.null_reference:.4f} if shared alike){test}; "
        + ", ".join(f"{name} {value:.4f}" for name, value in full.scores.items()),
        "",
    ]
    scores = list(full.scores)
    shown = result.features[:n_shown]
    header = ["feature", "FC", "d centred RGF", "", "d RGF", "p"]
    rows = [header + [part for name in scores for part in (f"d {name}", "")]]
    for removal in shown:
        if removal.error is not None:
            rows.append([removal.feature, f"not measured: {removal.error.splitlines()[0]}"])
            continue
        rows.append([
            removal.feature, _signed(removal.contribution),
            _signed(removal.centered_rgf.change), _interval(removal.centered_rgf),
            _signed(removal.rgf.change), f"{removal.pvalue:.4f}",
        ] + [
            part
            for name in scores
            for part in (_signed(removal.scores[name].change), _interval(removal.scores[name]))
        ])
    # Failed features have a sentence instead of numbers, which sets no width.
    full_rows = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[i]) for row in full_rows) for i in range(len(rows[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    if n_shown is not None and len(result.features) > n_shown:
        lines.append(f"... and {len(result.features) - n_shown} more: print(result) for all")
    level = f"{100 * result.confidence_level:g} %"
    notes = ["", "FC > 0: burdens are shared more alike without the feature. d: its change."]
    if result.n_resamples:
        notes.append(
            f"Brackets: {level} paired bootstrap of the held-out rows, models not refitted, one "
            "feature at a time."
        )
    if result.n_seeds > 1:
        notes.append(f"Means over {result.n_seeds} seeds; see refit_noise.")
    notes.append("Association, not cause: other features may stand in for a removed one.")
    return "\n".join(lines + notes)


def _signed(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:+.4f}"


def _interval(part: Any) -> str:
    return "" if math.isnan(part.low) else f"[{part.low:+.4f}, {part.high:+.4f}]"


def removal_reading(
    feature: str, full: Any, centered: Any, rgf: Any, pvalue: float, alpha: float
) -> str:
    """Reading of one removal together with the test, as the paper reads them.

    Parameters
    ----------
    feature : str
    full : FullModel
    centered, rgf : MeasuredChange
    pvalue : float
        Test of the model without the feature; NaN when no test was run.
    alpha : float
        Level of the test.
    """
    moves = {1: "rises", -1: "falls", 0: "stays"}
    sign = int(centered.change > 0) - int(centered.change < 0)
    text = f"Without {feature} centred RGF {moves[sign]}"
    text += f" ({centered.full:.4f} to {centered.without:.4f})" if sign else ""
    if not math.isnan(pvalue):
        rejects, did = pvalue <= alpha, full.pvalue <= alpha
        verb = {
            (True, True): "still rejects", (True, False): "no longer rejects",
            (False, True): "now rejects", (False, False): "rejects neither before nor after",
        }[did, rejects]
        text += f" and the test {verb} (p = {pvalue:.4g})"
        meaning = {
            (1, False): "the evidence that burdens part is weaker in the reduced model.",
            (1, True): "burdens are shared more alike, but what was seen is not gone.",
            (-1, False): "burdens run further apart, but within what exchanged labels give.",
            (-1, True): "burdens part further: removing it does not remove what was seen.",
            (0, False): "nothing changes.",
            (0, True): "what was seen is not gone.",
        }[sign, rejects]
        text += f": {meaning}"
    else:
        text += "; no test was run."
    if sign and centered.low <= 0.0 <= centered.high:
        text += " The interval of the change holds 0."
    if centered.change * rgf.change < 0:
        text += (
            f" Plain RGF moves the other way ({rgf.full:.4f} to {rgf.without:.4f}); it is no "
            "guide where groups differ in size."
        )
    return text
