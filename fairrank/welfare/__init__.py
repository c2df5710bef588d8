"""Decisions of largest revenue that give every group the same welfare."""

from fairrank.welfare._capacity import capacity_constrained_policy
from fairrank.welfare._capacity_result import CapacityPolicy
from fairrank.welfare._expected_revenue import expected_revenue
from fairrank.welfare._group_frontier import GroupFrontier
from fairrank.welfare._mismatch import mismatch_report
from fairrank.welfare._mismatch_conditions import GroupGuarantee, UtilityAgreement
from fairrank.welfare._mismatch_result import MismatchReport, RealisedOutcome, UtilityMismatch
from fairrank.welfare._mismatch_revenue import RevenueChange
from fairrank.welfare._mismatch_welfare import WelfareChange
from fairrank.welfare._policy import welfare_optimal_policy
from fairrank.welfare._policy_outcome import PolicyOutcome
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._policy_values import PolicyValues
from fairrank.welfare._price_of_fairness_path import price_of_fairness_path
from fairrank.welfare._price_of_fairness_path_result import PriceOfFairnessPath
from fairrank.welfare._sample_size import welfare_sample_size
from fairrank.welfare._unaware_policy import UnawarePolicy, unaware_policy
from fairrank.welfare._utilities import expected_utility
from fairrank.welfare._welfare_display import WelfareDisplay
from fairrank.welfare._welfare_equalizing_classifier import WelfareEqualizingClassifier
from fairrank.welfare._welfare_equalizing_offer import WelfareEqualizingOffer

__all__ = [
    "CapacityPolicy",
    "GroupFrontier",
    "GroupGuarantee",
    "MismatchReport",
    "PolicyOutcome",
    "PolicyValues",
    "PriceOfFairnessPath",
    "RealisedOutcome",
    "RevenueChange",
    "UnawarePolicy",
    "UtilityAgreement",
    "UtilityMismatch",
    "WelfareChange",
    "WelfareDisplay",
    "WelfareEqualizingClassifier",
    "WelfareEqualizingOffer",
    "WelfarePolicy",
    "capacity_constrained_policy",
    "expected_revenue",
    "expected_utility",
    "mismatch_report",
    "price_of_fairness_path",
    "unaware_policy",
    "welfare_optimal_policy",
    "welfare_sample_size",
]
