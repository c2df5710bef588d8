"""Decisions of largest revenue that give every group the same welfare."""

from fairrank.welfare._capacity import capacity_constrained_policy
from fairrank.welfare._capacity_result import CapacityPolicy
from fairrank.welfare._expected_revenue import expected_revenue
from fairrank.welfare._group_frontier import GroupFrontier
from fairrank.welfare._policy import welfare_optimal_policy
from fairrank.welfare._policy_outcome import PolicyOutcome
from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._policy_values import PolicyValues
from fairrank.welfare._utilities import expected_utility
from fairrank.welfare._welfare_equalizing_classifier import WelfareEqualizingClassifier

__all__ = [
    "CapacityPolicy",
    "GroupFrontier",
    "PolicyOutcome",
    "PolicyValues",
    "WelfareEqualizingClassifier",
    "WelfarePolicy",
    "capacity_constrained_policy",
    "expected_revenue",
    "expected_utility",
    "welfare_optimal_policy",
]
