"""Pictures of where along the ranking groups carry the burden of prediction error."""

from fairrank.audit._burden_curve_display import BurdenCurveDisplay
from fairrank.audit._rgf_curve_display import RGFCurveDisplay

__all__ = ["BurdenCurveDisplay", "RGFCurveDisplay"]
