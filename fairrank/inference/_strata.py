"""Strata of a conditional test: from the outcome, the score, an array, or several at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._sensitive import feature_columns, sorted_positions
from fairrank._validation import (
    check_count,
    check_same_length,
    is_missing,
    python_cells,
    refuse_unhashable,
)
from fairrank.metrics._audit_sample import AuditSample

LARGE_SAMPLE = 20_000


@dataclass(frozen=True)
class Strata:
    """Stratum code of every audited row, and what the strata are called.

    Attributes
    ----------
    code : ndarray of intp, shape (n,), or None
        None when every row is exchangeable with every other.
    name : str
    """

    code: np.ndarray | None
    name: str


def read_strata(strata: Any, sample: AuditSample, n_bins: int | None) -> Strata:
    """Codes of the strata a user asked for; a tuple means their intersections.

    Raises
    ------
    ValueError
        An unknown word, missing values, a length that differs, or "outcome" and "score" with a
        burden that was given as an array.
    """
    if strata is None:
        return Strata(None, "none")
    parts = strata if isinstance(strata, tuple) else (strata,)
    if not parts:
        raise ValueError("strata is an empty tuple: pass None for no strata.")
    code = np.zeros(sample.n_samples, dtype=np.intp)
    names = []
    for part in parts:
        if isinstance(part, str) and part == "outcome":
            digit = _require(sample.outcome, "outcome", "y_true").astype(np.intp)
        elif isinstance(part, str) and part == "score":
            digit = score_bins(_require(sample.score, "score", "y_score"), n_bins)
        elif isinstance(part, str):
            raise ValueError(
                f"strata must be 'outcome', 'score', an array with one stratum a row, or a tuple "
                f"of these, got {part!r}."
            )
        else:
            digit = _array_codes(part, sample)
        names.append(part if isinstance(part, str) else "given")
        _, code = np.unique(code * (digit.max() + 1) + digit, return_inverse=True)
    return Strata(code.astype(np.intp), " x ".join(names))


def score_bins(score: np.ndarray, n_bins: int | None) -> np.ndarray:
    """Bins of the score with about equal counts; equal scores always share a bin."""
    if n_bins is None:
        n_bins = 10 if score.size < LARGE_SAMPLE else 50
    check_count(n_bins, "n_bins", minimum=2)
    edges = np.unique(np.quantile(score, np.arange(1, n_bins) / n_bins))
    return np.searchsorted(edges, score, side="right")


def _require(values: np.ndarray | None, word: str, argument: str) -> np.ndarray:
    if values is None:
        raise ValueError(
            f"strata={word!r} needs {argument}, which is None because burden is an array: pass "
            "the strata as an array."
        )
    return values


def _array_codes(part: Any, sample: AuditSample) -> np.ndarray:
    codes = None
    for column in feature_columns(part, "strata"):
        values = python_cells(column.tolist())
        n_missing = sum(map(is_missing, values))
        if n_missing:
            raise ValueError(
                f"strata: {n_missing} of {len(values)} rows are missing (None or NaN): give them "
                "a stratum of their own or leave the rows out."
            )
        # Not in order of appearance: with the same seed, the order of rows must change no draw.
        try:
            labels = list(dict.fromkeys(values))
        except TypeError:
            refuse_unhashable(values, "strata")
            raise
        seen = {labels[i]: code for code, i in enumerate(sorted_positions(labels))}
        digit = np.array([seen[value] for value in values], dtype=np.intp)
        codes = digit if codes is None else codes * len(seen) + digit
        _, codes = np.unique(codes, return_inverse=True)
    assert codes is not None
    check_same_length(strata=codes, sensitive_features=np.empty(sample.n_passed))
    return codes[sample.row]
