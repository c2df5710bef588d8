"""The audit of features as text: a table, and one reading a feature that names no cause."""

from __future__ import annotations

import math
from typing import Any


def removal_table(result: Any, n_shown: int | None) -> str:
    """Table of a FeatureRemovalResult: what removing each feature gains and costs."""
    full = result.full
    groups = ", ".join(f"{group} {n}" for group, n in result.sensitive_features.items())
    how = {"refit": "refitted without it", "neutralize": "its values neutralised"}
    test = "" if math.isnan(full.pvalue) else f", test p = {full.pvalue:.2g}"
    lines = [
        f"Feature removal ({how[result.strategy]}; {result.n_samples} held-out rows: {groups})",
        f"Full model: centred RGF {full.centered_rgf:.4f}, RGF {full.rgf:.4f} "
        f"({full.null_reference:.4f} if shared alike){test}; "
        + ", ".join(f"{name} {value:.4f}" for name, value in full.scores.items()),
        "",
    ]
    scores = list(full.scores)
    shown = result.features
    if n_shown is not None and len(shown) > n_shown:
        # Those that say most; a failed one says more than a small one.
        sizes = [math.inf if r.error is not None else abs(r.contribution) for r in shown]
        sizes = [-1.0 if math.isnan(size) else size for size in sizes]
        largest = sorted(range(len(shown)), key=lambda i: -sizes[i])[:n_shown]
        shown = tuple(shown[i] for i in sorted(largest))
    header = ["feature", "FC", "d centred RGF", "", "d RGF", "p"]
    # One score has its interval here, all have it in to_frame.
    for i, name in enumerate(scores):
        header += [f"d {name}", ""][: max(1, 2 - i)]
    rows = [header]
    for removal in shown:
        if removal.error is not None:
            rows.append([removal.feature, f"not measured: {removal.error.splitlines()[0]}"])
            continue
        cells = [
            removal.feature, _signed(removal.contribution),
            _signed(removal.centered_rgf.change), _interval(removal.centered_rgf),
            _signed(removal.rgf.change), f"{removal.pvalue:.4f}",
        ]
        for i, name in enumerate(scores):
            score = removal.scores[name]
            cells += [_signed(score.change), _interval(score)][: max(1, 2 - i)]
        rows.append(cells)
    # Failed features have a sentence instead of numbers, which sets no width.
    full_rows = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[i]) for row in full_rows) for i in range(len(rows[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    if n_shown is not None and len(result.features) > n_shown:
        n_more = len(result.features) - n_shown
        lines.append(f"... and {n_more} of smaller |FC|: print(result) shows all")
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
    """Four digits with a sign, and no 0 before the point."""
    text = f"{value:+.4f}"
    return text[0] + text[2:] if text[1:3] == "0." else text


def _interval(part: Any) -> str:
    return "" if math.isnan(part.low) else f"[{_signed(part.low)}, {_signed(part.high)}]"


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
        text += f" and the test {verb} (p = {pvalue:.2g})"
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
