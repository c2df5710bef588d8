"""Fairness in rankings and decisions, scikit-learn-compatible.

Where in the ranking do people of different groups end up, and what would it cost to change that?
"""

try:
    from fairrank._kernels import order as _order  # noqa: F401
except ImportError as error:
    raise ImportError(
        "fairrank's compiled kernels are missing. In a source tree run `pip install -e .` (a C "
        "compiler is needed); after a plain `pip install .`, start Python from another folder."
    ) from error

from importlib.metadata import version

from fairrank.audit import FeatureRemovalAuditor
from fairrank.datasets import (
    load_boston_hmda,
    load_fico,
    make_frontier_data,
    make_rgf_simulation,
)
from fairrank.frontier import FrontierEstimator
from fairrank.inference import ranking_disparity_interval, rgf_interval, rgf_report, rgf_test
from fairrank.metrics import (
    aurgf_score,
    make_fairness_scorer,
    prf_disparity,
    prf_score,
    ranking_disparity,
    rgd_score,
    rgf_curve,
    rgf_score,
    urf_disparity,
    xauc_disparity,
    xauc_score,
    xroc_curve,
)
from fairrank.ranking import PostLogitPostProcessor, XOrderPostProcessor, fair_ordering
from fairrank.welfare import (
    WelfareEqualizingClassifier,
    WelfareEqualizingOffer,
    welfare_optimal_policy,
)

__all__ = [
    "FeatureRemovalAuditor",
    "FrontierEstimator",
    "PostLogitPostProcessor",
    "WelfareEqualizingClassifier",
    "WelfareEqualizingOffer",
    "XOrderPostProcessor",
    "aurgf_score",
    "fair_ordering",
    "load_boston_hmda",
    "load_fico",
    "make_fairness_scorer",
    "make_frontier_data",
    "make_rgf_simulation",
    "prf_disparity",
    "prf_score",
    "ranking_disparity",
    "ranking_disparity_interval",
    "rgd_score",
    "rgf_curve",
    "rgf_interval",
    "rgf_report",
    "rgf_score",
    "rgf_test",
    "urf_disparity",
    "welfare_optimal_policy",
    "xauc_disparity",
    "xauc_score",
    "xroc_curve",
]

__version__ = version("fairrank")
