"""adult, compas and german as the xOrder paper prepared them, and their splits."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

NAMES = ("german", "compas", "adult")
TEST_SHARE = 0.3
# Where the matrices keep the age in years; adult's was compared with the census file, row by row.
AGE_COLUMN = {"adult": 0, "compas": 1}
# Upper ends of the paper's three age groups, but for the last.
THREE_AGES = (25.0, 40.0)


@dataclass(frozen=True)
class RankingData:
    """Features, outcome and group of every row; group 1 is the paper's b."""

    name: str
    X: np.ndarray
    y: np.ndarray
    group: np.ndarray


@dataclass(frozen=True)
class Split:
    """Training and test rows, features standardised as the training rows are."""

    X: np.ndarray
    y: np.ndarray
    group: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    group_test: np.ndarray


def data_folder() -> Path:
    """The folder FAIRRANK_DATA names; leave when it holds no `xorder/`."""
    folder = Path(os.environ.get("FAIRRANK_DATA", ""))
    if "FAIRRANK_DATA" not in os.environ or not (folder / "xorder").is_dir():
        raise SystemExit("FAIRRANK_DATA must name a folder that holds xorder/: nothing was run.")
    return folder / "xorder"


@cache
def ranking_data(name: str) -> RankingData:
    """One data set with its two groups."""
    if name == "german":
        frame = pd.read_csv(data_folder() / "german.csv.gz")
        # Both columns say who is young, which the group is; the spec's J have them left out.
        X = frame.drop(columns=["credit", "age", "sex-age"]).to_numpy(np.float64)
        group = (frame["age"] == 0).to_numpy(np.int64)
        return RankingData(name, X, (frame["credit"] == 2).to_numpy(np.int64), group)
    stored = np.load(data_folder() / f"{name}.npz")
    X, group = stored["X"].astype(np.float64), stored["a"].astype(np.int64)
    return RankingData(name, X, stored["y"], group)


def by_age(data: RankingData, n_groups: int) -> RankingData:
    """The same rows in age groups: the paper's three, otherwise of about equal size."""
    age = data.X[:, AGE_COLUMN[data.name]]
    ends = THREE_AGES
    if n_groups != 3:
        ends = np.quantile(age, np.arange(1, n_groups) / n_groups)
    return replace(data, group=np.digitize(age, np.unique(ends), right=True).astype(np.int64))


def split_of(data: RankingData, seed: int, *, stratify: bool = True,
             n_train: int | None = None) -> Split:
    """A 70/30 split with one share of positives; of the 70 %, `n_train` rows if asked for."""
    rows = np.arange(data.y.size)
    train, test = train_test_split(
        rows, test_size=TEST_SHARE, random_state=seed, stratify=data.y if stratify else None
    )
    if n_train is not None and n_train < train.size:
        train, _ = train_test_split(
            train, train_size=n_train, random_state=seed, stratify=data.y[train]
        )
    X = data.X[train]
    scaler = StandardScaler().fit(X)
    return Split(
        scaler.transform(X), data.y[train], data.group[train],
        scaler.transform(data.X[test]), data.y[test], data.group[test],
    )
