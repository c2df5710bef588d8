"""fairrank: fairness in rankings and decisions, scikit-learn-compatible."""

from importlib.metadata import version

__version__ = version("fairrank")
