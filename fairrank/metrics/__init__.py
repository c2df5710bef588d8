"""Metrics of fairness along a ranking, and scorers that hand them the group."""

from fairrank.metrics._disparity import prf_disparity, urf_disparity, xauc_disparity
from fairrank.metrics._rank_graduation import rgd_score, rgf_score
from fairrank.metrics._ranking import prf_score, xauc_score
from fairrank.metrics._ranking_disparity import RankingDisparity, ranking_disparity
from fairrank.metrics._rgf_curve import RGFCurve, aurgf_score, rgf_curve
from fairrank.metrics._scorers import (
    FairnessScorer,
    aurgf_scorer,
    centered_rgf_scorer,
    make_fairness_scorer,
    rgf_scorer,
)
from fairrank.metrics._xroc import XROCCurve, xroc_curve

__all__ = [
    "FairnessScorer",
    "RGFCurve",
    "RankingDisparity",
    "XROCCurve",
    "aurgf_score",
    "aurgf_scorer",
    "centered_rgf_scorer",
    "make_fairness_scorer",
    "prf_disparity",
    "prf_score",
    "ranking_disparity",
    "rgd_score",
    "rgf_curve",
    "rgf_score",
    "rgf_scorer",
    "urf_disparity",
    "xauc_disparity",
    "xauc_score",
    "xroc_curve",
]
