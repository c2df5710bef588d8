"""Metrics of fairness along a ranking, and scorers that hand them the group."""

from fairrank.metrics._rank_graduation import rgd_score, rgf_score
from fairrank.metrics._rgf_curve import RGFCurve, aurgf_score, rgf_curve

__all__ = ["RGFCurve", "aurgf_score", "rgd_score", "rgf_curve", "rgf_score"]
