"""Which features carry unequal error, and pictures of where groups carry it along the ranking."""

from fairrank.audit._burden_curve_display import BurdenCurveDisplay
from fairrank.audit._feature_removal_auditor import FeatureRemovalAuditor
from fairrank.audit._feature_removal_display import FeatureRemovalDisplay
from fairrank.audit._feature_removal_result import (
    FeatureRemoval,
    FeatureRemovalResult,
    FullModel,
    MeasuredChange,
)
from fairrank.audit._rgf_curve_display import RGFCurveDisplay

__all__ = [
    "BurdenCurveDisplay",
    "FeatureRemoval",
    "FeatureRemovalAuditor",
    "FeatureRemovalDisplay",
    "FeatureRemovalResult",
    "FullModel",
    "MeasuredChange",
    "RGFCurveDisplay",
]
