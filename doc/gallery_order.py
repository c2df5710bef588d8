"""The order of the examples: by the four questions, the plain story before the paper's."""

ORDER = (
    "plot_lending_audit.py",
    "plot_feature_removal.py",
    "plot_paper_simulation.py",
    "plot_paper_lending.py",
    "plot_fair_credit_ranking.py",
    "plot_hull_solver.py",
    "plot_equal_welfare_lending.py",
    "plot_fico_thresholds.py",
    "plot_frontier_lending.py",
    "plot_less_discriminatory_alternative.py",
    "plot_frontier_health.py",
)


def example_order(filename):
    """Sort key of a file; those that are not listed come last, by name."""
    place = ORDER.index(filename) if filename in ORDER else len(ORDER)
    return f"{place:03d} {filename}"
