"""The four algorithms among the risks that can be attained, one picture a learner."""

from __future__ import annotations

from pathlib import Path

from frontier_health_data import ALGORITHMS, HealthData
from frontier_health_tests import Frontiers

from fairrank.frontier import FrontierDisplay


def draw_frontiers(data: HealthData, frontiers: Frontiers, figures: Path) -> None:
    """Write frontier_health_LEARNER.png for each learner: all risks, and those near the frontier.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figures.mkdir(parents=True, exist_ok=True)
    decisions = {name: data.decisions(name) for name in ALGORITHMS}
    for learner, frontier in frontiers.items():
        display = FrontierDisplay.from_estimator(frontier, algorithms=decisions, own_name=None)
        figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6), layout="constrained")
        display.plot(left, plot_legend=False)
        display.plot(right, zoom=True, improvements_over="original score")
        figure.suptitle(f"Risks of Black and White patients; nuisances: {learner}")
        name = learner.replace(", ", "_").replace(" ", "_")
        figure.savefig(figures / f"frontier_health_{name}.png", dpi=130)
        plt.close(figure)
