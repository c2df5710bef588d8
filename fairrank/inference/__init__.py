"""Tests, intervals and reports for fairness along a ranking."""

from fairrank.inference._rgf_test import rgf_test
from fairrank.inference._rgf_test_result import RGFTestResult

__all__ = ["RGFTestResult", "rgf_test"]
