"""How far an algorithm is from the best attainable pairs of group risks."""

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._decides_by_frontier import AlternativesToDecisions
from fairrank.frontier._decision_risks import DecisionRisks, RiskDifference, decision_risks
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import Excess
from fairrank.frontier._fairest_point import FairestPoint
from fairrank.frontier._frontier_classifier import FrontierClassifier
from fairrank.frontier._frontier_estimator import FrontierEstimator
from fairrank.frontier._frontier_rule import FrontierRule, frontier_rule
from fairrank.frontier._less_discriminatory_alternatives import (
    LessDiscriminatoryAlternatives,
    less_discriminatory_alternatives,
)
from fairrank.frontier._nuisance_quality import NuisanceQuality
from fairrank.frontier._support_function import SupportFunction

__all__ = [
    "AlternativesToDecisions",
    "Arcs",
    "DecisionRisks",
    "Excess",
    "FairestPoint",
    "FrontierClassifier",
    "FrontierDraw",
    "FrontierEstimator",
    "FrontierRule",
    "LessDiscriminatoryAlternatives",
    "NuisanceQuality",
    "RiskDifference",
    "SupportFunction",
    "decision_risks",
    "frontier_rule",
    "less_discriminatory_alternatives",
]
