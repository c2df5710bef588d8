"""Metrics of fairness along a ranking, and scorers that hand them the group."""

from fairrank.metrics._rank_graduation import rgd_score, rgf_score
from fairrank.metrics._rgf_curve import RGFCurve, aurgf_score, rgf_curve
from fairrank.metrics._scorers import (
    FairnessScorer,
    aurgf_scorer,
    centered_rgf_scorer,
    make_fairness_scorer,
    rgf_scorer,
)

__all__ = [
    "FairnessScorer",
    "RGFCurve",
    "aurgf_score",
    "aurgf_scorer",
    "centered_rgf_scorer",
    "make_fairness_scorer",
    "rgd_score",
    "rgf_curve",
    "rgf_score",
    "rgf_scorer",
]
