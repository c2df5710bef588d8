"""Tests, intervals and reports for fairness along a ranking."""

from fairrank.inference._bootstrap import ConfidenceInterval, rgf_interval
from fairrank.inference._burden_curve import BurdenCurve, burden_curve
from fairrank.inference._burden_profile import GroupBurden
from fairrank.inference._comparisons import GroupComparison
from fairrank.inference._holm import holm
from fairrank.inference._ranking_interval import (
    RankingDisparityInterval,
    SignedInterval,
    ranking_disparity_interval,
)
from fairrank.inference._report import GroupSummary, RGFReport, rgf_report
from fairrank.inference._rgf_test import rgf_test
from fairrank.inference._rgf_test_result import CalibrationByGroup, RGFTestResult

__all__ = [
    "BurdenCurve",
    "CalibrationByGroup",
    "ConfidenceInterval",
    "GroupBurden",
    "GroupComparison",
    "GroupSummary",
    "RGFReport",
    "RGFTestResult",
    "RankingDisparityInterval",
    "SignedInterval",
    "burden_curve",
    "holm",
    "ranking_disparity_interval",
    "rgf_interval",
    "rgf_report",
    "rgf_test",
]
