"""Audit, ranking, policy and frontier from a file: what `python -m fairrank` runs."""

from fairrank._command_line._program import main

__all__ = ["main"]
