"""Monte Carlo studies of the test and the intervals; run by ``monte_carlo.py``."""
