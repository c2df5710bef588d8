"""What the API reference shows, and in which order: one table, held against every `__all__`.

``tests/test_api_reference.py`` fails when a public name is missing here, or when a name here is
not public. The pages are written from it by ``api_pages.py``.
"""

from typing import NamedTuple


class Module(NamedTuple):
    """One module: its page's title, a sentence, and its names under headings."""

    name: str
    title: str
    about: str
    headings: dict[str, list[str]]

    @property
    def names(self) -> list[str]:
        """All names, in the order of the page."""
        return [name for names in self.headings.values() for name in names]


MODULES = [
    Module(
        "fairrank.metrics",
        "Metrics and scorers",
        "How far apart groups stand along a ranking; :doc:`/rank_graduation` and "
        ":doc:`/fair_ranking` define and explain these numbers.",
        {
            "Rank graduation": ["rgf_score", "rgd_score", "rgf_curve", "aurgf_score"],
            "Scorers": [
                "make_fairness_scorer", "rgf_scorer", "centered_rgf_scorer", "aurgf_scorer",
            ],
            "Ranking": [
                "ranking_disparity", "xauc_score", "xauc_disparity", "prf_score", "prf_disparity",
                "urf_disparity", "xroc_curve",
            ],
            "Results": ["RGFCurve", "RankingDisparity", "XROCCurve", "FairnessScorer"],
        },
    ),
    Module(
        "fairrank.inference",
        "Tests, intervals and reports",
        "Whether a difference is more than chance, and how large it may be: "
        ":doc:`/rank_graduation`.",
        {
            "Rank graduation": ["rgf_test", "rgf_interval", "rgf_report", "burden_curve"],
            "Ranking": ["ranking_disparity_interval"],
            "Several tests": ["holm"],
            "Results": [
                "RGFTestResult", "ConfidenceInterval", "RGFReport", "BurdenCurve",
                "RankingDisparityInterval", "SignedInterval",
            ],
            "Parts of results": [
                "GroupBurden", "GroupComparison", "CalibrationByGroup", "GroupSummary",
            ],
        },
    ),
    Module(
        "fairrank.audit",
        "Audits and their pictures",
        "Which features go with unequal error, and where along the ranking groups carry it: "
        ":doc:`/rank_graduation`.",
        {
            "Audit": ["FeatureRemovalAuditor"],
            "Displays": ["FeatureRemovalDisplay", "RGFCurveDisplay", "BurdenCurveDisplay"],
            "Results": ["FeatureRemovalResult"],
            "Parts of results": ["FeatureRemoval", "MeasuredChange", "FullModel"],
        },
    ),
    Module(
        "fairrank.ranking",
        "Fair rankings",
        "The order that loses least AUC for a given disparity between groups: "
        ":doc:`/fair_ranking`.",
        {
            "Orders of given rows": ["fair_ordering", "fair_ordering_path", "post_logit"],
            "Post-processors": ["XOrderPostProcessor", "PostLogitPostProcessor"],
            "Displays": ["RankingTradeOffDisplay", "XROCDisplay"],
            "Results": [
                "FairOrdering", "FairOrderingPath", "PathValues", "RankingTradeOff", "ScoreMap",
                "PostLogit",
            ],
        },
    ),
    Module(
        "fairrank.welfare",
        "Equal welfare",
        "Decisions of largest revenue that leave every group equally well off: :doc:`/welfare`.",
        {
            "Policies": [
                "welfare_optimal_policy", "price_of_fairness_path", "capacity_constrained_policy",
                "unaware_policy", "mismatch_report",
            ],
            "Estimators": ["WelfareEqualizingClassifier", "WelfareEqualizingOffer"],
            "What goes in": ["expected_revenue", "expected_utility", "welfare_sample_size"],
            "Display": ["WelfareDisplay"],
            "Results": [
                "WelfarePolicy", "PolicyOutcome", "PolicyValues", "PriceOfFairnessPath",
                "CapacityPolicy", "UnawarePolicy", "GroupFrontier",
            ],
            "Results of a mismatch report": [
                "MismatchReport", "UtilityMismatch", "WelfareChange", "RevenueChange",
                "RealisedOutcome", "GroupGuarantee", "UtilityAgreement",
            ],
        },
    ),
    Module(
        "fairrank.frontier",
        "Fairness-accuracy frontier",
        "How far an algorithm is from the best attainable pairs of group risks: "
        ":doc:`/frontier`.",
        {
            "Estimators": ["FrontierEstimator", "FrontierClassifier"],
            "Attainable risks": ["SupportFunction", "capacity_support"],
            "Algorithms": [
                "less_discriminatory_alternatives", "frontier_rule", "as_direction",
                "direction_to", "decision_risks",
            ],
            "Tests and intervals": [
                "less_discriminatory_alternative_test", "point_test", "pareto_test",
                "group_skew_test", "distance_to_fairest", "cost_of_group_ban", "group_ban_band",
                "confidence_set",
            ],
            "How far to trust it": [
                "expected_inward_bias", "median_pvalue", "median_interval",
            ],
            "Display": ["FrontierDisplay"],
            "Results of tests": [
                "LDATestResult", "BootstrapTest", "PointTestResult", "GroupSkewTestResult",
                "DistanceToFairestResult", "GroupBanCost", "GroupBanBand",
                "FrontierConfidenceSet", "InwardBias", "MedianTest", "MedianInterval",
            ],
            "Other results": [
                "AlternativesToDecisions", "LessDiscriminatoryAlternatives", "FrontierRule",
                "Direction", "DecisionRisks", "RiskDifference", "CapacitySupport",
                "NuisanceQuality", "FairestPoint", "Arcs", "Excess", "FrontierDraw",
            ],
        },
    ),
    Module(
        "fairrank.datasets",
        "Data",
        "Real applications and scores, and simulations whose answer is known. Nothing is "
        "downloaded.",
        {
            "Real": ["load_boston_hmda", "load_fico"],
            "Simulated": ["make_rgf_simulation", "perturb_scores", "make_frontier_data"],
        },
    ),
    Module(
        "fairrank.exceptions",
        "Errors and warnings",
        "What fairrank raises, and when. Bad input raises a plain ``ValueError`` or "
        "``TypeError`` that names the argument.",
        {
            "Errors": [
                "DegenerateGroupError", "InfeasibleError", "NotIdentifiedError",
                "UnseenGroupError",
            ],
            "Warnings": [
                "CalibrationWarning", "NuisanceWarning", "SmallGroupWarning",
                "UndefinedMetricWarning",
            ],
        },
    ),
]
