"""Whether probabilities are right inside each group, where the decisions are made."""

from __future__ import annotations

import warnings

import numpy as np

from fairrank.exceptions import CalibrationWarning

# Standard errors beyond which a group's probabilities are called wrong.
FAR = 3.0
# And those beyond which all groups must be, the same way, for the fault to be none of a group's.
SHARED = 2.0
SURE = "A model that is so sure mostly saw the rows in training, or over-fits."
OFF = {
    1: "A model is too timid like that mostly with rows that it saw in training, whose outcomes "
       "it half knows.",
    -1: "A model is too sure like that mostly where it over-fits.",
}
CAUSES = {
    "frozen": "Give fit rows that the FrozenEstimator was not trained on, or its estimator "
              "without freezing it.",
    "training": "Pass cv=, so that rows are held out of the model that judges them.",
    "folds": "Take a model that fits its training rows less closely, pass recalibrate='logistic' "
             "or 'isotonic', and see that cv keeps copies and relatives of a row in one fold.",
}
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
            squared = mass * part if repeated else mass * mass
            spread = float((squared * p * (1.0 - p)).sum())
            excess = float((mass * (y - p)).sum())
            if spread > 0:
                z = excess / np.sqrt(spread)
            else:  # certain cases that turn out otherwise are infinitely far off
                z = np.copysign(np.inf, excess) if excess else np.nan
            line = (
                label, rows, float(mass.sum()), float((mass * p).sum()),
                float((mass * y).sum()), float(z),
            )
            for name, value in zip(COLUMNS, line):
                table[name].append(value)
    return table


def warn_of_calibration(
    table: dict[str, list], *, recalibrated: bool, group_dropped: bool, source: str
) -> None:
    """Warn where a group's probabilities are wrong, or nobody can tell whether they are.

    Parameters
    ----------
    table : dict
        Of `calibration_table`.
    recalibrated, group_dropped : bool
    source : {"folds", "frozen", "training"}
        Rows were held out from their model; a fitted model was asked, of which nobody here knows
        what it saw; or the model was trained on them.

    Warns
    -----
    CalibrationWarning
        Some ``|z|`` is above 3; the probabilities of all accepted persons of a group are 0 or 1;
        or the group's column was dropped and nothing recalibrates.
    """
    lines = [dict(zip(COLUMNS, line)) for line in zip(*(table[name] for name in COLUMNS))]
    far = [line for line in lines if abs(line["z"]) > FAR]
    certain = [
        line for line in lines
        if line["rows"] == "accepted" and line["n_rows"] > 0 and not np.isfinite(line["z"])
    ]
    remedy = (
        "Try the other recalibrate, a model that fits this group better, or more rows of it."
        if recalibrated
        else "Let the model see the group, or pass recalibrate='logistic' or 'isotonic'."
    )
    if certain:
        line = certain[0]
        others = ", ".join(repr(other["group"]) for other in certain[1:])
        more = f" (also in {others})" if others else ""
        warnings.warn(
            f"Group {line['group']!r}: the probabilities of all {line['n_rows']:.6g} accepted "
            f"persons are 0 or 1{more}; good cases expected {line['expected']:.6g}, observed "
            f"{line['observed']:.6g}. {SURE} {CAUSES[source]}",
            CalibrationWarning, stacklevel=3,
        )
    elif far:
        line = max(far, key=lambda line: abs(line["z"]))
        more = f", and {len(far) - 1} more lines of calibration_" if len(far) > 1 else ""
        shared = _shared_direction(lines)
        if shared:
            remedy = (
                f"All groups are off the same way, which not seeing the group does not do. "
                f"{OFF[shared]} {CAUSES[source]}"
            )
        warnings.warn(
            f"Group {line['group']!r}: {line['observed']:.6g} good cases among the "
            f"{line['rows']} persons, where the probabilities expect {line['expected']:.6g} "
            f"(z = {line['z']:.1f}{more}). Welfare and revenue that are promised will not be "
            f"realized. {remedy}",
            CalibrationWarning, stacklevel=3,
        )
    elif group_dropped and not recalibrated:
        warnings.warn(
            "drop_sensitive=True keeps the group from the model, and a policy that equalizes "
            "welfare needs probabilities that are right inside every group; no |z| of "
            f"calibration_ is above {FAR:g} on these rows. {remedy}",
            CalibrationWarning, stacklevel=3,
        )


def _shared_direction(lines: list[dict]) -> int:
    """1 or -1 where accepted persons of all groups are far above or below, else 0."""
    z = np.array([line["z"] for line in lines if line["rows"] == "accepted" and line["n_rows"]])
    if z.size < 2 or not (np.abs(z) > SHARED).all() or np.ptp(np.sign(z)):
        return 0
    return int(np.sign(z[0]))
