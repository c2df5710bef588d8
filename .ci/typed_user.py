"""What a user's type checker sees: `mypy --strict` passes, and no answer has lost its type.

`assert_type` fails on Any, so that a public function or method without annotations is found here.
"""

from typing import assert_type

import numpy as np

import fairrank as fr
from fairrank.audit import FeatureRemovalAuditor
from fairrank.frontier import (
    DecisionRisks,
    FrontierClassifier,
    FrontierConfidenceSet,
    FrontierEstimator,
    LDATestResult,
)
from fairrank.inference import RGFReport, RGFTestResult
from fairrank.metrics import RGFCurve
from fairrank.ranking import FairOrdering, RankingTradeOff, XOrderPostProcessor
from fairrank.welfare import MismatchReport, WelfareEqualizingClassifier, WelfarePolicy

rng = np.random.default_rng(0)
X, y, g = rng.normal(size=(100, 3)), rng.integers(2, size=100), rng.integers(2, size=100)
score = rng.random(100)

assert_type(fr.rgf_score(y, score, sensitive_features=g), float)
assert_type(fr.rgf_curve(y, score, sensitive_features=g), RGFCurve)
test = assert_type(fr.rgf_test(y, score, sensitive_features=g), RGFTestResult)
assert_type(test.pvalue, float)
assert_type(fr.rgf_report(y, score, sensitive_features=g), RGFReport)
assert_type(fr.fair_ordering(y, score, sensitive_features=g), FairOrdering)
assert_type(FeatureRemovalAuditor(None).fit(X, y), FeatureRemovalAuditor)

ranker = assert_type(XOrderPostProcessor(None, max_disparity=0.1).fit(X, y), XOrderPostProcessor)
assert_type(ranker.trade_off_path(), RankingTradeOff)
assert_type(ranker.predict_proba(X), np.ndarray)

lender = WelfareEqualizingClassifier(None, tolerance=0.1).fit(X, y, sensitive_features=g)
assert_type(lender, WelfareEqualizingClassifier)
assert_type(lender.mismatch_report(X, y, underlying_utility="demographic_parity"), MismatchReport)
policy = fr.welfare_optimal_policy(score, sensitive_features=g, utility="demographic_parity")
assert_type(policy, WelfarePolicy)

frontier = assert_type(FrontierEstimator(random_state=0).fit(X, y), FrontierEstimator)
assert_type(frontier.algorithm("utilitarian"), FrontierClassifier)
assert_type(frontier.decision_risks(y), DecisionRisks)
assert_type(frontier.less_discriminatory_alternative_test(y), LDATestResult)
assert_type(frontier.confidence_set(), FrontierConfidenceSet)
