"""Bipartite RankBoost of stumps, the paper's second base model."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

# |r| = 1 would be a stump without error, and an infinite step.
MOST_AGREEMENT = 1.0 - 1e-6


class RankBoost(ClassifierMixin, BaseEstimator):
    """Boosted stumps that rank positives above negatives (Freund, Iyer, Schapire, Singer 2003).

    The weight of a pair is a product of two rows' weights, so a round costs one product of the
    stumps' indicators with a vector. Thresholds are at most `n_thresholds` quantiles a feature,
    which makes the indicators one matrix, computed once.
    """

    def __init__(self, n_rounds: int = 200, n_thresholds: int = 12):
        self.n_rounds = n_rounds
        self.n_thresholds = n_thresholds

    def fit(self, X: np.ndarray, y: np.ndarray) -> RankBoost:
        """Boost on the labels 0 and 1."""
        self.classes_ = np.unique(y)
        self.feature_, self.threshold_ = self._stumps(X)
        passes = self._passes(X)
        positive = y == self.classes_[1]
        # Positives' weights sum to 1, negatives' to -1: a pair's weight is minus their product.
        mass = np.where(positive, 1.0 / positive.sum(), -1.0 / (~positive).sum())
        self.step_ = np.zeros(self.feature_.size)
        for _ in range(self.n_rounds):
            agreement = mass.astype(np.float32) @ passes
            best = int(np.abs(agreement).argmax())
            r = float(np.clip(agreement[best], -MOST_AGREEMENT, MOST_AGREEMENT))
            step = 0.5 * np.log((1.0 + r) / (1.0 - r))
            self.step_[best] += step
            mass *= np.exp(np.where(positive, -step, step) * passes[:, best])
            for rows in (positive, ~positive):
                mass[rows] /= np.abs(mass[rows].sum())
        rank = passes @ self.step_
        # As in boosting of a classifier, twice the sum is a log odds but for a constant.
        share = positive.mean()
        most = 2.0 * float(np.abs(rank).max()) + 50.0
        self.offset_ = brentq(lambda c: expit(2.0 * rank + c).mean() - share, -most, most)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Columns of both classes; the paper's post-logit needs scores in [0, 1]."""
        p = expit(2.0 * (self._passes(X) @ self.step_) + self.offset_)
        return np.column_stack((1.0 - p, p))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likelier class."""
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]

    def _stumps(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Feature and threshold of every stump; a row passes when it lies above."""
        feature, threshold = [], []
        levels = np.arange(1, self.n_thresholds + 1) / (self.n_thresholds + 1)
        for j, column in enumerate(X.T):
            ends = np.quantile(column, levels, method="lower")
            # A rare dummy has no quantile but 0, and "above 0" is its one stump.
            ends = np.unique(np.append(ends, column.min()))
            ends = ends[ends < column.max()]
            feature += [j] * ends.size
            threshold += ends.tolist()
        return np.array(feature, dtype=np.intp), np.array(threshold)

    def _passes(self, X: np.ndarray) -> np.ndarray:
        return (X[:, self.feature_] > self.threshold_).astype(np.float32)
