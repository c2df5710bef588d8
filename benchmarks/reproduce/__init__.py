"""Experiments of papers, run again; one script a paper, for example ``rank_graduation.py``."""
