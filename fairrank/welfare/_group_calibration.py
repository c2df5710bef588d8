"""Whether probabilities are right inside each group, where the decisions are made."""

from __future__ import annotations

import warnings

import numpy as np

from fairrank.exceptions import CalibrationWarning

# Standard errors beyond which a group's probabilities are called wrong.
FAR = 3.0
COLUMNS = ("group", "rows", "n_rows", "expected", "observed", "z")


def calibration_table(
    probability: np.ndarray, outcome: np.ndarray, accepted: np.ndarray, free: np.ndarray,
    code: np.ndarray, labels: tuple, weight: np.ndarray | None,
) -> dict[str, list]:
    """Good cases expected and observed, of accepted persons and of those whose decision changes.

    Parameters
    ----------
    probability : ndarray, shape (n,)
    outcome : ndarray of 0 and 1, shape (n,)
    accepted, free : ndarray, shape (n,)
        Probability of acceptance by the policy, and without the condition.
    code : ndarray of int, shape (n,)
    weight : ndarray, shape (n,), or None

    Returns
    -------
    dict of str to list
        Two lines a group: "rows" is "accepted" or "changed", "n_rows" their number (parts of
        persons added), "z" is ``sum(y - p) / sqrt(sum(p (1 - p)))``; NaN without rows.
    """
    w = np.ones(code.size) if weight is None else weight.astype(np.float64)
    repeated = weight is None or weight.dtype.kind in "biu"
    table: dict[str, list] = {name: [] for name in COLUMNS}
    for g, label in enumerate(labels):
        own = code == g
        p, y, of_row = probability[own], outcome[own], w[own]
        for rows, part in (
            ("accepted", accepted[own]), ("changed", np.abs(accepted[own] - free[own]))
        ):
            mass = of_row * part
            spread = float((mass * part if repeated else mass * mass) @ (p * (1.0 - p)))
            excess = float(mass @ (y - p))
            if spread > 0:
                z = excess / np.sqrt(spread)
            else:  # certain cases that turn out otherwise are infinitely far off
                z = np.copysign(np.inf, excess) if excess else np.nan
            line = (
                label, rows, float(mass.sum()), float(mass @ p), float(mass @ y), float(z)
            )
            for name, value in zip(COLUMNS, line):
                table[name].append(value)
    return table


def warn_of_calibration(
    table: dict[str, list], *, recalibrated: bool, group_dropped: bool
) -> None:
    """Warn where a group's probabilities are wrong, or the model cannot know better.

    Warns
    -----
    CalibrationWarning
        Some ``|z|`` is above 3; or the group's column was dropped and nothing recalibrates.
    """
    far = [
        (abs(z), group, rows, z, expected, observed)
        for group, rows, z, expected, observed in zip(
            table["group"], table["rows"], table["z"], table["expected"], table["observed"]
        )
        if abs(z) > FAR
    ]
    remedy = (
        "Try the other recalibrate, a model that fits this group better, or more rows of it."
        if recalibrated
        else "Let the model see the group, or pass recalibrate='logistic' or 'isotonic'."
    )
    if far:
        _, group, rows, z, expected, observed = max(far, key=lambda line: line[0])
        more = f", and {len(far) - 1} more lines of calibration_" if len(far) > 1 else ""
        warnings.warn(
            f"Group {group!r}: {observed:.6g} good cases among the {rows} persons, where the "
            f"probabilities expect {expected:.6g} (z = {z:.1f}{more}). Welfare and revenue that "
            f"are promised will not be realized. {remedy}",
            CalibrationWarning, stacklevel=3,
        )
    elif group_dropped and not recalibrated:
        warnings.warn(
            "drop_sensitive=True keeps the group from the model, and a policy that equalizes "
            "welfare needs probabilities that are right inside every group; no |z| of "
            f"calibration_ is above {FAR:g} on these rows. {remedy}",
            CalibrationWarning, stacklevel=3,
        )
