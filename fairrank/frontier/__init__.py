"""How far an algorithm is from the best attainable pairs of group risks."""

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._bootstrap_test import BootstrapTest
from fairrank.frontier._capacity_support import CapacitySupport, capacity_support
from fairrank.frontier._confidence_set import FrontierConfidenceSet, confidence_set
from fairrank.frontier._decides_by_frontier import AlternativesToDecisions
from fairrank.frontier._decision_risks import DecisionRisks, RiskDifference, decision_risks
from fairrank.frontier._direction import Direction, as_direction, direction_to
from fairrank.frontier._distance_to_fairest import DistanceToFairestResult, distance_to_fairest
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import Excess
from fairrank.frontier._fairest_point import FairestPoint
from fairrank.frontier._frontier_classifier import FrontierClassifier
from fairrank.frontier._frontier_display import FrontierDisplay
from fairrank.frontier._frontier_estimator import FrontierEstimator
from fairrank.frontier._frontier_rule import FrontierRule, frontier_rule
from fairrank.frontier._group_ban import GroupBanCost, cost_of_group_ban
from fairrank.frontier._group_ban_band import GroupBanBand, group_ban_band
from fairrank.frontier._group_skew_test import GroupSkewTestResult, group_skew_test
from fairrank.frontier._inward_bias import InwardBias, expected_inward_bias
from fairrank.frontier._lda_test import less_discriminatory_alternative_test
from fairrank.frontier._lda_test_result import LDATestResult
from fairrank.frontier._less_discriminatory_alternatives import (
    LessDiscriminatoryAlternatives,
    less_discriminatory_alternatives,
)
from fairrank.frontier._median_over_repeats import (
    MedianInterval,
    MedianTest,
    median_interval,
    median_pvalue,
)
from fairrank.frontier._nuisance_quality import NuisanceQuality
from fairrank.frontier._point_test import PointTestResult, pareto_test, point_test
from fairrank.frontier._support_function import SupportFunction

__all__ = [
    "AlternativesToDecisions",
    "Arcs",
    "BootstrapTest",
    "CapacitySupport",
    "DecisionRisks",
    "Direction",
    "DistanceToFairestResult",
    "Excess",
    "FairestPoint",
    "FrontierClassifier",
    "FrontierConfidenceSet",
    "FrontierDisplay",
    "FrontierDraw",
    "FrontierEstimator",
    "FrontierRule",
    "GroupBanBand",
    "GroupBanCost",
    "GroupSkewTestResult",
    "InwardBias",
    "LDATestResult",
    "LessDiscriminatoryAlternatives",
    "MedianInterval",
    "MedianTest",
    "NuisanceQuality",
    "PointTestResult",
    "RiskDifference",
    "SupportFunction",
    "as_direction",
    "capacity_support",
    "confidence_set",
    "cost_of_group_ban",
    "decision_risks",
    "direction_to",
    "distance_to_fairest",
    "expected_inward_bias",
    "frontier_rule",
    "group_ban_band",
    "group_skew_test",
    "less_discriminatory_alternative_test",
    "less_discriminatory_alternatives",
    "median_interval",
    "median_pvalue",
    "pareto_test",
    "point_test",
]
