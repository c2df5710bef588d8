"""Mortgage applications, cleaned for models that see neither race nor the decision.

``FAIRRANK_DATA`` names a folder with the two federal files; without it there is Boston.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairrank.datasets import load_boston_hmda

NEW_YORK, NATIONAL = "hmda_ny_2023.parquet", "hmda_us_2022_2024_200k.parquet"
# Percent; the survey publishes the debt ratio in brackets below 36 and above 49.
DEBT_RATIO = {"<20%": 15.0, "20%-<30%": 25.0, "30%-<36%": 33.0, "50%-60%": 55.0, ">60%": 65.0}


@dataclass(frozen=True)
class LendingSet:
    """One table of applications: what models see, what they predict, and who is asked about."""

    name: str
    X: Any
    denied: np.ndarray
    sensitive_features: np.ndarray
    categorical: list[str]
    cleaning: str

    @property
    def cells(self) -> np.ndarray:
        """Group and outcome together, for stratified splits."""
        return np.char.add(self.sensitive_features, self.denied.astype(str))

    def rows(self, chosen: np.ndarray) -> LendingSet:
        """The same set, of some rows only."""
        return LendingSet(
            self.name, self.X.iloc[chosen].reset_index(drop=True), self.denied[chosen],
            self.sensitive_features[chosen], self.categorical, self.cleaning,
        )

    def balanced(self, seed: int) -> LendingSet:
        """Every Black applicant, and as many of the others drawn without replacement."""
        black = np.flatnonzero(self.sensitive_features == "Black")
        other = np.flatnonzero(self.sensitive_features != "Black")
        drawn = np.random.default_rng(seed).choice(other, black.size, replace=False)
        return self.rows(np.sort(np.concatenate([black, drawn])))

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.denied.size:,} applications, "
            f"{np.mean(self.sensitive_features == 'Black'):.2%} Black, "
            f"{self.denied.mean():.2%} denied"
        )


def lending_sets() -> list[LendingSet]:
    """New York and the national sample where FAIRRANK_DATA holds them, Boston otherwise."""
    folder = os.environ.get("FAIRRANK_DATA")
    if not folder:
        return [boston()]
    import pandas as pd

    return [
        clean_new_york(pd.read_parquet(Path(folder) / NEW_YORK)),
        clean_national(pd.read_parquet(Path(folder) / NATIONAL)),
    ]


def clean_new_york(frame: Any) -> LendingSet:
    """Home purchase in New York, 2023. The columns are named one by one: the rest is unseen."""
    import pandas as pd

    ratio = frame["debt_to_income_ratio"]
    X = pd.DataFrame({
        "log_income": frame["log_income"],
        "log_loan_amount": frame["log_loan_amount"],
        "loan_to_value": frame["combined_loan_to_value_ratio"],
        "debt_to_income": ratio.map(DEBT_RATIO).fillna(pd.to_numeric(ratio, errors="coerce")),
        "minority_population": frame["tract_minority_population_percent"],
        "tract_income": frame["tract_to_msa_income_percentage"],
    }).astype(float)
    return LendingSet(
        "HMDA New York 2023", X, frame["denied"].to_numpy().astype(int),
        black_or_other(frame["race"] == "Black"), [],
        "Models see income, loan amount, loan to value, debt to income, and the tract's minority "
        "population and income. Left out: the decision (action_taken, status), race, sex and age "
        "under all their names, and codes of lender and place. There is no loan purpose.",
    )


def clean_national(frame: Any) -> LendingSet:
    """A sample of all states, 2022 to 2024, with the purpose of the loan."""
    import pandas as pd

    # Denial goes with missing values, which a lender leaves where it stops early: not a feature.
    frame = frame.dropna().reset_index(drop=True)
    X = pd.DataFrame({
        "log_income": np.log1p(frame["applicant_income_000s"].clip(lower=0.0)),
        "log_loan_amount": np.log(frame["loan_amount"]),
        "loan_to_value": frame["loan_to_value_ratio"].clip(upper=200.0),
        "debt_to_income": frame["debt_to_income_pct"],
        "log_property_value": np.log(frame["property_value"]),
    })
    categorical = {
        "loan_purpose": "loan_purpose_code",
        "loan_type": "loan_type_code",
        "occupancy": "occupancy_type_code",
        "dwelling": "dwelling_category",
    }
    for name, column in categorical.items():
        X[name] = frame[column].astype(str)
    return LendingSet(
        "HMDA national sample 2022-2024", X, 1 - frame["approved"].to_numpy().astype(int),
        black_or_other(frame["protected_group"] == "Black"), list(categorical),
        "Models see income, loan amount, property value, loan to value (at most 200), debt to "
        "income, and loan purpose, loan type, occupancy and dwelling. Left out: rows with "
        "missing values, race under all its names (race, ethnicity, protected_group, "
        "is_reference_group), sex, and codes of lender, place and year.",
    )


def boston() -> LendingSet:
    """Boston, 1990, as the package loads it."""
    data = load_boston_hmda(as_frame=True)
    return LendingSet(
        "HMDA Boston 1990", data.data, data.target.to_numpy(),
        black_or_other(data.sensitive_features == "black"), [],
        "Models see the 49 columns of load_boston_hmda; missing values become medians.",
    )


def black_or_other(black: Any) -> np.ndarray:
    """Black applicants against the rest."""
    return np.where(np.asarray(black), "Black", "other")
