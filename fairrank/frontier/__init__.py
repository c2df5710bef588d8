"""How far an algorithm is from the best attainable pairs of group risks."""

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import Excess
from fairrank.frontier._fairest_point import FairestPoint
from fairrank.frontier._frontier_estimator import FrontierEstimator
from fairrank.frontier._nuisance_quality import NuisanceQuality
from fairrank.frontier._support_function import SupportFunction

__all__ = [
    "Arcs",
    "Excess",
    "FairestPoint",
    "FrontierDraw",
    "FrontierEstimator",
    "NuisanceQuality",
    "SupportFunction",
]
