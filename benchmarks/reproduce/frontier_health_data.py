"""The hold-out patients of the health data: outcome, what rules may see, and given algorithms.

``FAIRRANK_DATA`` names a folder with ``obermeyer_synth_holdout.csv.gz``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FILE = "obermeyer_synth_holdout.csv.gz"
GROUPS = ("black", "white")
# The algorithms of the paper's Table II by the score that decides.
ALGORITHMS = {
    "original score": "risk_score_t",
    "total cost": "log_cost_t_hat",
    "avoidable cost": "log_cost_avoidable_t_hat",
    "chronic conditions": "gagne_sum_t_hat",
}
# Left out of X: the conditions that are the outcome, the other counts of the same year, costs and
# enrolment of that year. The predicted other counts repeat them: their correlations are above
# .9999, so they were not predicted from the year before.
UNSEEN = (
    "gagne_sum_t", "our_gagne_score", "our_cci_score", "our_gagne_score_hat", "our_cci_score_hat",
    "cost_t", "cost_avoidable_t", "program_enrolled_t", "dem_race_black", "index",
)
DECIDING = 0.97


@dataclass(frozen=True)
class HealthData:
    """The patients of one file."""

    X: pd.DataFrame
    scores: dict[str, np.ndarray]
    conditions: np.ndarray
    sensitive_features: np.ndarray

    @property
    def black(self) -> np.ndarray:
        """Who is Black."""
        return self.sensitive_features == GROUPS[0]

    def ill(self, quantile: float) -> np.ndarray:
        """1 for more active chronic conditions than this quantile of them."""
        return (self.conditions > np.quantile(self.conditions, quantile)).astype(int)

    def decisions(self, name: str, quantile: float = DECIDING) -> np.ndarray:
        """1 for a score above its quantile."""
        return (self.scores[name] > np.quantile(self.scores[name], quantile)).astype(float)

    def black_share(self, decisions: np.ndarray) -> float:
        """Of those treated."""
        return float(decisions @ self.black / decisions.sum())

    def mean_conditions(self, decisions: np.ndarray) -> tuple[float, float]:
        """Of Black and of White patients treated."""
        return tuple(
            float(np.average(self.conditions[one], weights=decisions[one]))
            for one in (self.black, ~self.black)
        )

    def counterfactual_share(self, quantile: float) -> float:
        """Black share above a quantile of the original score, were health alike at the threshold.

        Going down from the threshold, every Black patient with more conditions than the least
        ill White one above takes the place of that one. Knows the group and the outcome.
        """
        score = self.scores["original score"]
        above = score > np.quantile(score, quantile)
        white = np.sort(self.conditions[above & ~self.black])
        below = np.flatnonzero(~above & self.black)
        below = below[np.lexsort((-self.conditions[below], -score[below]))]
        swapped = 0
        for conditions in self.conditions[below]:
            if swapped < white.size and white[swapped] < conditions:
                swapped += 1
        return float((np.sum(above & self.black) + swapped) / np.sum(above))


def health_data() -> HealthData:
    """Read the file."""
    folder = os.environ.get("FAIRRANK_DATA")
    if not folder or not (Path(folder) / FILE).is_file():
        raise SystemExit(f"FAIRRANK_DATA={folder!r} must name a folder that holds {FILE}.")
    return cleaned(pd.read_csv(Path(folder) / FILE))


def cleaned(frame: Any) -> HealthData:
    """What rules may see are the four scores, all made of the year before the outcome's."""
    X = frame[list(ALGORITHMS.values())].astype(float)
    scores = {name: X[column].to_numpy() for name, column in ALGORITHMS.items()}
    # The original score reaches from 0 to 100 with a long tail; rules by order are the same.
    X = X.assign(risk_score_t=np.log1p(X["risk_score_t"]))
    return HealthData(
        X, scores, frame["gagne_sum_t"].to_numpy(),
        np.where(frame["dem_race_black"] == 1, *GROUPS),
    )
